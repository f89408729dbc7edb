package torture_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// childEnv makes the test binary write events instead of running tests.
const childEnv = "APE_CLAW_TORTURE_CHILD"

// A writer appends in one of these ways.
const (
	byAppend = "append" // as commands do
	byOpen   = "open"   // takes no lock, keeps its descriptor: one write a line
	byHalves = "halves" // the same, in two writes
	byShell  = "shell"  // takes no lock, opens the file for each line: echo >> file
	byTear   = "tear"   // half a line under the lock, then death
)

// part is what a child does.
type part struct {
	How           string
	Dir           string
	Writer, Life  int
	From          int // the first line's number
	Size          int // bytes of a line
	Rotate, Keep  int64
	TearAt, Quota int
}

// id names a line for good.
type id struct{ writer, life, n int }

func (i id) String() string { return fmt.Sprintf("w%d.%d.%d", i.writer, i.life, i.n) }

func parseID(s string) (i id, ok bool) {
	_, err := fmt.Sscanf(s, "w%d.%d.%d", &i.writer, &i.life, &i.n)
	return i, err == nil && i.String() == s
}

// kinds are what lines are about; filters choose among them.
var kinds = []string{"nft.quote.created", "nft.simulate.passed", "bridge.quote.created", "policy.blocked", "custom.note"}

// lineOf is the line that a name stands for: whoever knows the name knows the bytes.
func lineOf(i id, size int) []byte {
	ok, fault := "true", "null"
	if i.n%7 == 3 {
		ok, fault = "false", `"it failed"`
	}
	kind := kinds[(i.n+i.writer)%len(kinds)]
	if i.n%400 == 399 {
		kind = "custom.rare"
	}
	b := fmt.Appendf(nil, `{"v":1,"ts":"2026-01-02T03:04:05.%03dZ","eventType":%q,"agentId":"agent-%d","sessionId":"torture","traceId":"trace_%d",`+
		`"command":"ape-claw events emit","dryRun":true,"chainId":33139,"payload":{"id":"%s","pad":"`,
		i.n%1000, kind, i.writer%8, i.n%50, i)
	end := fmt.Appendf(nil, `"},"result":{},"ok":%s,"error":%s}`, ok, fault)
	for n := len(b); len(b)+len(end) < size-1; {
		b = append(b, "abcdefghijklmnopqrstuvwxyz"[(len(b)-n+i.n)%26])
	}
	return append(b, end...)
}

// idOf reads the name in a line.
func idOf(line []byte) (id, bool) {
	_, rest, ok := bytes.Cut(line, []byte(`"payload":{"id":"`))
	name, _, ok2 := bytes.Cut(rest, []byte(`"`))
	if !ok || !ok2 {
		return id{}, false
	}
	return parseID(string(name))
}

// runChild plays a part: for each number on its input it writes lines up to that
// one, and says of each what came of it.
func runChild(js string) int {
	var p part
	if err := json.Unmarshal([]byte(js), &p); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if p.How == byTear {
		return tear(p)
	}
	appendOne, err := p.open()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	in := bufio.NewScanner(os.Stdin)
	n := p.From
	for in.Scan() {
		upto, err := strconv.Atoi(in.Text())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		for ; n < upto; n++ {
			at, err := appendOne(lineOf(id{p.Writer, p.Life, n}, p.Size))
			if err != nil {
				fmt.Printf("fail %d %s\n", n, strings.ReplaceAll(err.Error(), "\n", " "))
				continue
			}
			fmt.Printf("ack %d %s\n", n, at)
		}
		fmt.Printf("gate %d\n", upto)
	}
	return 0
}

// open returns what appends one line, and says where it stands if it knows.
func (p part) open() (func([]byte) (string, error), error) {
	if p.How == byAppend {
		l := telemetry.NewLog(p.Dir, telemetry.LogOptions{RotateBytes: p.Rotate, KeepBytes: p.Keep})
		return func(line []byte) (string, error) {
			at, err := l.Append(context.Background(), line, false)
			return at.String(), err
		}, nil
	}
	f, err := os.OpenFile(filepath.Join(p.Dir, "events.jsonl"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return func(line []byte) (string, error) {
		line = append(line, '\n')
		cut := len(line)
		if p.How == byHalves {
			cut = 1 + int(line[len(line)/2])*(len(line)-2)/256
		}
		if _, err := f.Write(line[:cut]); err != nil {
			return "", err
		}
		if cut == len(line) {
			return "-", nil
		}
		_, err := f.Write(line[cut:])
		return "-", err
	}, nil
}

// tear is what remains of a process that died in the middle of its write.
func tear(p part) int {
	lock, err := os.OpenFile(filepath.Join(p.Dir, "events.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	var f *os.File
	if err == nil { // opened under the lock: no rotation comes between
		f, err = os.OpenFile(filepath.Join(p.Dir, "events.jsonl"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	}
	if err == nil {
		_, err = f.Write(lineOf(id{p.Writer, p.Life, p.From}, p.Size)[:p.TearAt])
	}
	if err == nil {
		err = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	fmt.Fprintln(os.Stderr, err)
	return 2
}

// outcome is what a writer said of one line.
type outcome struct {
	id     id
	cursor string // of an acknowledged line, when the writer knows it
	failed string
}

// writer is a child that writes, over all its lives: when it is killed, its next
// life goes on after the last line it spoke of.
type writer struct {
	t    testing.TB
	part part

	mu       sync.Mutex
	outcomes []outcome
	gate     int        // lines it may write
	passed   int        // the gate it has reached
	next     int        // the line it has not spoken of
	killAt   func() int // end a life after so many words; nil: let it live
	lives    int
	problem  error
	in       *os.File
	ended    chan struct{}
	cmd      *exec.Cmd
}

func newWriter(t testing.TB, p part) *writer {
	t.Helper()
	w := &writer{t: t, part: p}
	t.Cleanup(w.end)
	if err := w.live(); err != nil {
		t.Fatal(err)
	}
	return w
}

const shellLoop = `while IFS= read -r line; do printf '%s\n' "$line" >> "$1" && echo k; done`

func command(p part) (*exec.Cmd, error) {
	if p.How == byShell {
		return exec.Command("sh", "-c", shellLoop, "sh", filepath.Join(p.Dir, "events.jsonl")), nil
	}
	js, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+string(js))
	return cmd, nil
}

// live starts a life.
func (w *writer) live() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.part.Life, w.part.From = w.lives, w.next
	w.lives++
	cmd, err := command(w.part)
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = dieWithUs()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	r, in, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdin = r
	err = cmd.Start()
	if err = errors.Join(err, r.Close()); err != nil {
		return errors.Join(err, in.Close())
	}
	enlist(cmd.Process)
	w.cmd, w.in, w.ended = cmd, in, make(chan struct{})
	go w.listen(cmd, bufio.NewScanner(out), w.ended, w.part.Life)
	return w.tell()
}

// tell passes the gate on; w.mu is held.
func (w *writer) tell() error {
	if w.gate <= w.passed {
		return nil
	}
	if w.part.How != byShell {
		_, err := fmt.Fprintf(w.in, "%d\n", w.gate)
		return ignoreEPIPE(err)
	}
	// A pipe holds less than all the lines.
	go func(from, to int, in *os.File) {
		for n := from; n < to; n++ {
			line := append(lineOf(id{w.part.Writer, w.part.Life, n}, w.part.Size), '\n')
			if _, err := in.Write(line); err != nil {
				w.fail(ignoreEPIPE(err))
				return
			}
		}
	}(w.next, w.gate, w.in)
	return nil
}

func ignoreEPIPE(err error) error {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) { // killed: listen knows
		return nil
	}
	return err
}

func (w *writer) fail(err error) {
	w.mu.Lock()
	if w.problem == nil {
		w.problem = err
	}
	w.mu.Unlock()
}

// listen takes down what one life says.
func (w *writer) listen(cmd *exec.Cmd, out *bufio.Scanner, ended chan struct{}, life int) {
	killed, words, killAt := false, 0, 0
	for out.Scan() {
		word, rest, _ := strings.Cut(out.Text(), " ")
		num, rest, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(num)
		w.mu.Lock()
		if word == "k" {
			word, n = "ack", w.next
		}
		switch word {
		case "gate":
			w.passed = n
		case "ack":
			w.outcomes = append(w.outcomes, outcome{id: id{w.part.Writer, life, n}, cursor: rest})
			w.next = n + 1
		case "fail":
			w.outcomes = append(w.outcomes, outcome{id: id{w.part.Writer, life, n}, failed: rest})
			w.next = n + 1
		default:
			w.problem = fmt.Errorf("writer %d said %q", w.part.Writer, out.Text())
		}
		if w.part.How == byShell && w.next == w.gate {
			w.passed = w.gate
		}
		words++
		if w.killAt != nil && killAt == 0 {
			killAt = w.killAt()
		}
		if killAt > 0 && words >= killAt && !killed {
			killed = true
			_ = cmd.Process.Kill() // it may have ended
		}
		w.mu.Unlock()
	}
	err := cmd.Wait()
	discharge(cmd.Process)
	if err != nil && !killed {
		w.fail(fmt.Errorf("writer %d, life %d: %w", w.part.Writer, life, err))
	}
	close(ended)
}

// killEvery makes it die after 1 to most words, over and over.
func (w *writer) killEvery(most int, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	w.mu.Lock()
	w.killAt = func() int { return 1 + rnd.IntN(most) }
	w.mu.Unlock()
}

// where says how far it is.
func (w *writer) where() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	last := "nothing"
	if n := len(w.outcomes); n > 0 {
		last = fmt.Sprintf("%+v", w.outcomes[n-1])
	}
	return fmt.Sprintf("writer %d, %s, in its life %d: may write %d lines, has passed %d, said %s last", w.part.Writer, w.part.How, w.lives, w.gate, w.passed, last)
}

// allow lets it write up to line n. It may still be writing.
func (w *writer) allow(n int) {
	w.t.Helper()
	w.mu.Lock()
	w.gate = n
	err := w.tell()
	w.mu.Unlock()
	if err != nil {
		w.t.Fatal(err)
	}
}

// reached reports whether it has written all it may. A life that ended on the way
// is followed by another.
func (w *writer) reached() bool {
	w.mu.Lock()
	done, problem, ended := w.passed >= w.gate, w.problem, w.ended
	w.mu.Unlock()
	if problem != nil {
		w.t.Fatal(problem)
	}
	select {
	case <-ended:
		w.mu.Lock()
		done = w.passed >= w.gate
		_ = w.in.Close() // nobody reads it
		w.mu.Unlock()
		if err := w.live(); err != nil {
			w.t.Fatal(err)
		}
	default:
	}
	return done
}

// end lets it go, and waits for that.
func (w *writer) end() {
	w.mu.Lock()
	in, ended := w.in, w.ended
	w.mu.Unlock()
	if ended == nil {
		return
	}
	_ = in.Close() // may be closed
	<-ended
}

// said returns every line it spoke of.
func (w *writer) said() []outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.problem != nil {
		w.t.Fatal(w.problem)
	}
	return w.outcomes
}
