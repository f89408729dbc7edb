package torture_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

// storm is many writers, many clients, and a server that dies over and over.
type storm struct {
	writers  map[string]int // how many of each kind
	lines    int            // of each writer
	clients  int
	restarts int
	size     int  // of a line
	murder   bool // writers are killed after acknowledgements
	tears    int  // processes that die in the middle of a line, a restart
	drain    bool // the server is asked to end, and must do it well
	lazy     int  // clients that never read, beside the others
}

// rotateAt makes files so small that they rotate some thirty times.
func (c storm) rotateAt() int64 {
	n := 0
	for _, w := range c.writers {
		n += w
	}
	return max(4096, int64(n*c.lines*c.size/30))
}

// The writers whose lines come first and last.
const opener, closer = 998, 999

func appendOne(t *testing.T, dir string, rotate int64, line []byte) {
	t.Helper()
	l := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: rotate})
	_, err := l.Append(t.Context(), line, true)
	if err = errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
}

func (c storm) run(t *testing.T) {
	rnd, dir := begin(t)
	began := time.Now()
	rotate := c.rotateAt()
	appendOne(t, dir, rotate, lineOf(id{writer: opener}, c.size))
	srv := newServer(t, dir, rotation(rotate))
	var clients []*follower
	for i := range c.clients {
		clients = append(clients, follow(t, srv, fmt.Sprintf("client %d", i), "0-0", ""))
	}
	lazy := c.startLazy(t, srv)
	writers := c.startWriters(t, dir, rotate, rnd)
	sure := len(writers) - c.writers[byHalves] // whose lines come into the log
	slowest := time.Duration(0)
	for phase := range c.restarts + 1 {
		upto := c.lines * (phase + 1) / (c.restarts + 1)
		for _, w := range writers {
			w.allow(upto)
		}
		if phase < c.restarts {
			c.tear(t, dir, phase, rnd)
			// In the middle of writing and reading: somebody has a part of this phase.
			// The lines of these writers may be swallowed by others now and then.
			some := int(0.9 * float64(sure*c.lines) * (float64(phase) + rnd.Float64()) / float64(c.restarts+1))
			pick := clients[rnd.IntN(len(clients))]
			until(t, func() string { return fmt.Sprintf("%d events at %s", some, pick.where()) }, func() bool {
				_ = allReached(writers) // a dead one lives on
				return pick.count() >= some || pick.failed()
			})
			if c.drain {
				slowest = max(slowest, mustDrain(srv))
			} else {
				srv.kill()
			}
			if rnd.IntN(2) == 0 { // events while nobody serves
				c.finish(t, writers)
			}
			srv.start()
		}
		c.finish(t, writers)
	}
	for _, w := range writers {
		w.end()
	}
	written := time.Since(began)
	tr := c.settle(t, dir, rotate, writers)
	waitForAll(t, clients, tr)
	c.report(t, began, written, slowest, tr, clients, srv)
	tr.checkWritten(t, writers, id{writer: opener}, id{writer: closer})
	for _, f := range clients {
		f.leave()
	}
	tr.checkAll(t, clients)
	lazy()
	c.checkBad(t, srv, tr)
}

func (c storm) startWriters(t *testing.T, dir string, rotate int64, rnd *rand.Rand) []*writer {
	t.Helper()
	var writers []*writer
	for _, how := range []string{byAppend, byOpen, byHalves, byShell} {
		for range c.writers[how] {
			w := newWriter(t, part{How: how, Dir: dir, Writer: len(writers), Size: c.size, Rotate: rotate})
			if c.murder {
				w.killEvery(1+rnd.IntN(c.lines/3), rnd.Uint64())
			}
			writers = append(writers, w)
		}
	}
	return writers
}

func allReached(writers []*writer) bool {
	all := true
	for _, w := range writers {
		all = w.reached() && all
	}
	return all
}

// finish waits until every writer has written what it may.
func (c storm) finish(t *testing.T, writers []*writer) {
	t.Helper()
	until(t, func() string {
		for _, w := range writers {
			if !w.reached() {
				return w.where()
			}
		}
		return "the last writer"
	}, func() bool { return allReached(writers) })
}

// tear lets processes die in the middle of a line, and waits until they are dead.
func (c storm) tear(t *testing.T, dir string, phase int, rnd *rand.Rand) {
	t.Helper()
	for k := range c.tears {
		p := part{How: byTear, Dir: dir, Writer: 500 + phase, Life: k, Size: c.size, TearAt: 1 + rnd.IntN(c.size-2)}
		cmd, err := command(p)
		if err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = dieWithUs()
		if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("a torn writer ended with %v: %s", err, out)
		}
	}
}

// settle waits until what was acknowledged is in the log, carried over from older
// files where it has to be, and appends one last line. It returns the log.
func (c storm) settle(t *testing.T, dir string, rotate int64, writers []*writer) *truth {
	t.Helper()
	var tr *truth
	var err error
	until(t, func() string {
		if err != nil {
			return err.Error()
		}
		for _, w := range writers {
			for _, o := range w.said() {
				if _, ok := tr.byHash[hashOf(lineOf(o.id, c.size))]; !ok && o.failed == "" {
					return fmt.Sprintf("%s, %s, acknowledged at %q, is not in the log\n%s", o.id, w.part.How, o.cursor, tr.mentions(o.id))
				}
			}
		}
		return "the log"
	}, func() bool {
		if tr, err = tryTruth(dir); err != nil {
			return false
		}
		for _, w := range writers {
			if !tr.has(w) {
				return false
			}
		}
		return true
	})
	appendOne(t, dir, rotate, lineOf(id{writer: closer}, c.size))
	return readTruth(t, dir)
}

// waitForAll waits until every client is at the end of the log, which stays as it is.
func waitForAll(t *testing.T, clients []*follower, tr *truth) {
	t.Helper()
	for _, f := range clients {
		until(t, func() string { return fmt.Sprintf("the end, %s-%d, at %s", tr.log, tr.end, f.where()) }, func() bool {
			return f.isAt(tr.log, tr.end) || f.failed() || f.count() > len(tr.lines)
		})
	}
}

func (c storm) report(t *testing.T, began time.Time, written, slowest time.Duration, tr *truth, clients []*follower, srv *server) {
	t.Helper()
	connects := 0
	for _, f := range clients {
		f.mu.Lock()
		connects += f.connects
		f.mu.Unlock()
	}
	took := time.Since(began)
	t.Logf("%d events (%d bad lines) in %d files, written in %s; %d clients, %d connections, %d starts of serve; all had all after %s, %.0f k deliveries/s",
		len(tr.lines), tr.bad, tr.files, written.Round(time.Millisecond), len(clients), connects, srv.starts, took.Round(time.Millisecond),
		float64(len(tr.lines)*len(clients))/took.Seconds()/1000)
	if c.drain {
		t.Logf("the slowest of %d drains took %s", c.restarts, slowest.Round(time.Millisecond))
	}
	if _, peak, ok := memory(srv.pid()); ok {
		t.Logf("peak RSS of the last serve: %.1f MB", float64(peak)/1e6)
	}
}

// checkBad: a server that has read the whole log counts each bad line once.
func (c storm) checkBad(t *testing.T, srv *server, tr *truth) {
	t.Helper()
	srv.kill()
	srv.start()
	f := follow(t, srv, "the client after all", "0-0", "")
	waitForAll(t, []*follower{f}, tr)
	f.leave()
	tr.check(t, f, tr.lines)
	if got := srv.health().Counts.BadLines; got != int64(tr.bad) {
		t.Errorf("serve counts %d bad lines; there are %d", got, tr.bad)
	}
	if c.tears > 0 && tr.bad == 0 {
		t.Error("no torn line in the log: the scenario tests nothing")
	}
}

// mustDrain ends the server as a service manager does.
func mustDrain(srv *server) time.Duration {
	srv.t.Helper()
	code, took := srv.drain(30 * time.Second)
	if code != 0 || took > 10*time.Second {
		srv.t.Errorf("serve ended with %d, %s after SIGTERM", code, took)
	}
	return took
}

// startLazy connects clients that never read; the answer closes them.
func (c storm) startLazy(t *testing.T, srv *server) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range c.lazy {
		wg.Go(func() {
			for ctx.Err() == nil {
				neverRead(ctx, srv)
			}
		})
	}
	stop = func() { cancel(); wg.Wait() }
	t.Cleanup(stop)
	return stop
}

// Whatever is killed and restarted, every client has every event.
func TestServerKilled(t *testing.T) {
	storm{writers: map[string]int{byAppend: scale(6, 32)}, lines: scale(150, 2000), clients: scale(10, 50), restarts: scale(3, 10), size: 450}.run(t)
}

// Writers die between two lines, and in the middle of one.
func TestWritersKilled(t *testing.T) {
	storm{writers: map[string]int{byAppend: scale(6, 32)}, lines: scale(150, 2000), clients: scale(8, 50), restarts: scale(3, 10), size: 450,
		murder: true, tears: 2}.run(t)
}

// Others append without a lock, also to files that were rotated under their hands.
func TestForeignWriters(t *testing.T) {
	storm{writers: map[string]int{byAppend: scale(3, 16), byOpen: scale(1, 7), byShell: scale(1, 7), byHalves: scale(1, 2)},
		lines: scale(150, 2000), clients: scale(8, 50), restarts: scale(2, 10), size: 450}.run(t)
}

// The same without anybody who writes half a line: then none may be missing.
func TestForeignWritersOfWholeLines(t *testing.T) {
	storm{writers: map[string]int{byAppend: scale(2, 8), byOpen: scale(2, 12), byShell: scale(1, 12)},
		lines: scale(150, 2000), clients: scale(8, 50), restarts: scale(2, 10), size: 450}.run(t)
}

// A service manager ends the server; some clients do not read.
func TestDrain(t *testing.T) {
	storm{writers: map[string]int{byAppend: scale(4, 16)}, lines: scale(200, 2000), clients: scale(16, 90), lazy: scale(2, 10), restarts: scale(2, 5),
		size: 450, drain: true}.run(t)
}

func logFile(dir string) string { return filepath.Join(dir, "events.jsonl") }
