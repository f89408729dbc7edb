package torture_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// replacement is what somebody does to the log's files, and who writes first
// afterwards.
type replacement struct {
	name string
	do   func(dir string) error
	// before is how many lines the old log has, after how many the new one. With
	// fewer before, the new file is soon longer than the old one was.
	before, after int
	// foreign: the first line afterwards comes from a writer without a lock, which
	// finds no file, or an empty one.
	foreign bool
	// blind: serve is stopped meanwhile, and sees only what has become of it.
	blind bool
}

func replacements() []replacement {
	copyTruncate := func(dir string) error {
		b, err := os.ReadFile(logFile(dir))
		if err == nil {
			err = os.WriteFile(logFile(dir)+".1", b, 0o600)
		}
		return errors.Join(err, os.Truncate(logFile(dir), 0))
	}
	remove := func(dir string) error { return os.Remove(logFile(dir)) }
	moveAway := func(dir string) error { return os.Rename(logFile(dir), logFile(dir)+".1") }
	moveAndCreate := func(dir string) error {
		return errors.Join(moveAway(dir), os.WriteFile(logFile(dir), nil, 0o600))
	}
	empty := func(dir string) error {
		all, err := filepath.Glob(filepath.Join(dir, "events*"))
		for _, path := range all {
			err = errors.Join(err, os.Remove(path))
		}
		return err
	}
	base := []replacement{
		{name: "copytruncate", do: copyTruncate},
		{name: "deleted", do: remove},
		{name: "moved away", do: moveAway},
		{name: "moved away, created empty", do: moveAndCreate},
		{name: "everything deleted", do: empty},
	}
	var all []replacement
	for _, r := range base {
		for _, foreign := range []bool{false, true} {
			for _, blind := range []bool{false, true} {
				for _, longer := range []bool{false, true} {
					r.foreign, r.blind = foreign, blind
					r.before, r.after = 40, 20
					if longer {
						r.before, r.after = 20, 40
					}
					all = append(all, r)
				}
			}
		}
	}
	return all
}

func (r replacement) String() string {
	name := r.name
	if r.foreign {
		name += ", foreign"
	}
	if r.blind {
		name += ", unseen"
	}
	if r.after > r.before {
		name += ", longer"
	}
	return name
}

// After the log was cut or replaced, connected clients get one reset and then the
// new lines, once and in order. Clients that come back later get one reset and what
// is written from then on.
func TestLogReplaced(t *testing.T) {
	for i, r := range replacements() {
		for k, rotate := range []int64{-1, 4096} {
			if (2*i+k)%scale(3, 1) != 0 { // a third shows each part of each
				continue
			}
			t.Run(fmt.Sprintf("%s, rotation %d", r, rotate), func(t *testing.T) { r.run(t, rotate) })
		}
	}
}

func (r replacement) run(t *testing.T, rotate int64) {
	_, dir := begin(t)
	srv := newServer(t, dir, rotation(rotate))
	l := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: rotate})
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	const size = 300
	put := func(life, from, n int) {
		t.Helper()
		for i := from; i < from+n; i++ {
			if _, err := l.Append(t.Context(), lineOf(id{1, life, i}, size), false); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(0, 0, r.before)
	var clients []*follower
	for i := range 3 {
		clients = append(clients, follow(t, srv, fmt.Sprintf("client %d", i), "0-0", ""))
	}
	has := func(f *follower, n int) {
		t.Helper()
		until(t, func() string { return fmt.Sprintf("%d events at %s", n, f.where()) }, func() bool { return f.count() >= n || f.failed() })
	}
	for _, f := range clients {
		has(f, r.before)
	}
	old := names(0, 0, r.before)
	gone, stay := clients[0], clients[1:]
	gone.leave()

	if r.blind {
		srv.signal(syscall.SIGSTOP)
	}
	if err := r.do(dir); err != nil {
		t.Fatal(err)
	}
	if r.foreign {
		put := append(lineOf(id{1, 1, 0}, size), '\n')
		if err := appendForeign(dir, put); err != nil {
			t.Fatal(err)
		}
	} else {
		put(1, 0, 1)
	}
	put(1, 1, r.after-1)
	if r.blind {
		srv.signal(syscall.SIGCONT)
	}
	for _, f := range stay {
		has(f, r.before+r.after)
	}
	// Who comes back now has missed them, and is told so.
	gone.start()
	until(t, func() string { return "a reset at " + gone.where() }, func() bool { return len(gone.resetsSeen()) > 0 || gone.failed() })
	put(1, r.after, 10)
	for _, f := range stay {
		has(f, r.before+r.after+10)
	}
	has(gone, r.before+10)
	srv.kill() // and nobody learns anything new from a server that starts now
	srv.start()
	put(1, r.after+10, 10)
	for _, f := range stay {
		has(f, r.before+r.after+20)
		mustHave(t, f, slices.Concat(old, names(1, 0, r.after+20)), size)
		mustReset(t, f, r.before, 1)
	}
	has(gone, r.before+20)
	mustHave(t, gone, slices.Concat(old, names(1, r.after, 20)), size)
	mustReset(t, gone, r.before, 1)
}

func names(life, from, n int) []id {
	var out []id
	for i := from; i < from+n; i++ {
		out = append(out, id{1, life, i})
	}
	return out
}

func appendForeign(dir string, b []byte) error {
	f, err := os.OpenFile(logFile(dir), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// mustHave checks a client's events by their names alone.
func mustHave(t *testing.T, f *follower, want []id, size int) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	known := make(map[uint64]id, len(want))
	for _, i := range want {
		known[hashOf(lineOf(i, size))] = i
	}
	for i := range max(len(want), len(f.got)) {
		got, due := "nothing", "nothing"
		if i < len(f.got) {
			got = known[f.got[i].hash].String()
		}
		if i < len(want) {
			due = want[i].String()
		}
		if got != due {
			t.Fatalf("%s: event %d is %s, not %s\n%s", f.name, i, got, due, f.story())
		}
	}
}

func mustReset(t *testing.T, f *follower, after, times int) {
	t.Helper()
	resets := f.resetsSeen()
	if len(resets) != times {
		t.Fatalf("%d resets, not %d: %s", len(resets), times, f.where())
	}
	for _, r := range resets {
		if r.n != after || r.Reason != "unknown" {
			t.Fatalf("a reset %+v, not after event %d: %s", r, after, f.where())
		}
	}
}

// Lines that were there before a copytruncate are in the copy.
func TestCopyTruncateUnderLoad(t *testing.T) {
	rnd, dir := begin(t)
	srv := newServer(t, dir)
	const size = 300
	var clients []*follower
	for i := range scale(4, 20) {
		clients = append(clients, follow(t, srv, fmt.Sprintf("client %d", i), "0-0", ""))
	}
	var writers []*writer
	for i := range scale(3, 8) {
		writers = append(writers, newWriter(t, part{How: byAppend, Dir: dir, Writer: i, Size: size, Rotate: -1}))
	}
	cuts, lines := scale(3, 20), scale(100, 400)
	for k := range cuts + 1 {
		for _, w := range writers {
			w.allow(lines * (k + 1))
		}
		if k == cuts {
			break
		}
		some := lines*k*len(writers)/2 + rnd.IntN(lines)
		f := clients[rnd.IntN(len(clients))]
		until(t, func() string { return f.where() }, func() bool {
			return f.count() >= some || f.failed() || allReached(writers)
		})
		if err := os.Truncate(logFile(dir), 0); err != nil {
			t.Fatal(err)
		}
	}
	until(t, text("the writers"), func() bool { return allReached(writers) })
	appendOne(t, dir, -1, lineOf(id{writer: closer}, size))
	tr := readTruth(t, dir)
	for _, f := range clients { // they have events of other logs too: their number says nothing
		until(t, func() string { return fmt.Sprintf("the end, %s-%d, at %s", tr.log, tr.end, f.where()) }, func() bool {
			return f.isAt(tr.log, tr.end) || f.failed()
		})
	}
	// Nobody has an event twice, or a writer's events out of order, whatever was cut;
	// and everything that is left.
	for _, f := range clients {
		f.leave()
		if what := ordered(f, writers, size); what != "" {
			t.Errorf("%s: %s\n%s", f.name, what, f.where())
		}
		f.mu.Lock()
		at := max(0, len(f.got)-len(tr.lines))
		tail := &follower{t: t, name: f.name, srv: srv, got: f.got[at:], logs: f.logs, resets: f.resets, frames: f.frames, history: f.history}
		f.mu.Unlock()
		tr.check(t, tail, tr.lines)
		if n := len(f.resetsSeen()); n < 1 || n > cuts {
			t.Errorf("%d resets for %d cuts: %s", n, cuts, f.where())
		}
	}
	if b, err := os.ReadFile(logFile(dir)); err != nil || bytes.IndexByte(b, 0) >= 0 {
		t.Errorf("the log has NUL bytes, %v", err)
	}
}

// ordered reports the first event that a client had before, or that came before an
// earlier one of its writer.
func ordered(f *follower, writers []*writer, size int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := map[uint64]id{}
	for _, w := range writers {
		for _, o := range w.said() {
			known[hashOf(lineOf(o.id, size))] = o.id
		}
	}
	last := map[int]id{}
	for i, r := range f.got {
		name, ok := known[r.hash]
		if before, had := last[name.writer]; ok && had && before.n >= name.n {
			return fmt.Sprintf("event %d is %s, after %s", i, name, before)
		}
		if ok {
			last[name.writer] = name
		}
	}
	return ""
}
