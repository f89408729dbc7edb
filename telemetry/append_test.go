package telemetry_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// runChild is what the test binary does when a test runs it as another process.
func runChild(part string, args []string) int {
	err := func() error {
		switch part {
		case "append":
			return childAppend(args[0], args[1], args[2])
		case "ack":
			return childAck(args[0], args[1])
		case "rotate":
			return childRotate(args[0], args[1], args[2])
		case "full":
			return childFull(args[0], args[1])
		}
		return fmt.Errorf("no part %q", part)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, part, err)
		return 1
	}
	return 0
}

// childAppend appends n lines from each of four goroutines on one Log.
func childAppend(dir, name, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	l := telemetry.NewLog(dir, telemetry.LogOptions{})
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for g := range errs {
		wg.Go(func() {
			for i := range n {
				if _, err := l.Append(context.Background(), line("%s/%d/%d", name, g, i), i%50 == 49); err != nil {
					errs[g] = err
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(append(errs, l.Close())...)
}

// childAck appends for ever and prints each id after its Append has returned.
func childAck(dir, name string) error {
	l := telemetry.NewLog(dir, telemetry.LogOptions{})
	for i := 0; ; i++ {
		if _, err := l.Append(context.Background(), line("%s/%d", name, i), false); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// childFull appends under a file size limit until that fails, says how, and
// then fails again.
func childFull(dir, limit string) error {
	max, err := strconv.ParseUint(limit, 10, 64)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: max, Max: max}); err != nil {
		return err
	}
	l := telemetry.NewLog(dir, telemetry.LogOptions{})
	for i := 0; ; i++ {
		if _, err := l.Append(context.Background(), line("full/%d", i), false); err != nil {
			fmt.Printf("%d %s %s\n", i, fault.CodeOf(err), err)
			if _, err := l.Append(context.Background(), line("again"), false); fault.CodeOf(err) != fault.StateUnusable {
				return fmt.Errorf("second append: %v", err)
			}
			if err := l.Usable(); fault.CodeOf(err) != fault.StateUnusable {
				return fmt.Errorf("usable: %v", err)
			}
			return l.Close()
		}
	}
}

func TestAppendManyProcessesAndGoroutines(t *testing.T) {
	t.Parallel()
	const processes, perGoroutine = 4, 150
	dir := filepath.Join(t.TempDir(), "state")
	var wg sync.WaitGroup
	for p := range processes {
		cmd := child(t, "append", dir, fmt.Sprint("p", p), strconv.Itoa(perGoroutine))
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Error(err)
			}
		})
	}
	// A follower reads while they write, and must see the same.
	l := newLog(t, dir)
	var followed []string
	var at telemetry.Cursor
	total := processes * 4 * perGoroutine
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for ended := false; ; {
		more, next := readAll(t, l, at)
		followed, at = append(followed, more...), next
		if ended {
			break
		}
		select {
		case <-done:
			ended = true
		default:
		}
	}
	seen := map[string]int{}
	next := map[string]int{}
	for s := range strings.Lines(rawLog(t, dir)) {
		var p, g, i int
		if _, err := fmt.Sscanf(s, `{"id":"p%d/%d/%d"}`+"\n", &p, &g, &i); err != nil {
			t.Fatalf("line %q is not whole: %v", s, err)
		}
		seen[s]++
		writer := fmt.Sprint(p, "/", g)
		if next[writer] != i {
			t.Fatalf("writer %s: %d after %d", writer, i, next[writer]-1)
		}
		next[writer] = i + 1
	}
	if len(seen) != total {
		t.Errorf("%d different lines, want %d", len(seen), total)
	}
	for s, n := range seen {
		if n != 1 {
			t.Errorf("line %q is there %d times", s, n)
		}
	}
	if got := strings.Join(followed, "\n") + "\n"; got != rawLog(t, dir) {
		t.Errorf("the follower saw %d lines that differ from the log's %d", len(followed), total)
	}
	if bad := l.Stats().Bad; bad.Total() != 0 {
		t.Errorf("bad lines: %+v", bad)
	}
	for _, name := range []string{"events.jsonl", "events.lock", "events.meta"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", name, info.Mode().Perm())
		}
	}
}

func TestAppendSurvivesKill(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	var acked []string
	for round := range 5 {
		name := fmt.Sprint("kill", round)
		cmd := child(t, "ack", dir, name)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		acks := bufio.NewScanner(out)
		for n := 0; n < 50+37*round && acks.Scan(); n++ {
			acked = append(acked, string(line("%s/%s", name, acks.Text())))
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, out); err != nil {
			t.Fatal(err)
		}
		var exit interface{ ExitCode() int }
		if err := cmd.Wait(); !errors.As(err, &exit) {
			t.Fatalf("child ended by itself: %v", err)
		}
	}
	l := newLog(t, dir)
	appendLine(t, l, line("after"))
	all, _ := readAll(t, l, telemetry.Cursor{})
	in := map[string]int{}
	for _, s := range all {
		in[s]++
	}
	for _, a := range acked {
		if in[a] != 1 {
			t.Errorf("acknowledged line %s is there %d times", a, in[a])
		}
	}
	if in[string(line("after"))] != 1 {
		t.Error("the lock of a killed process stayed")
	}
}

func TestAppendClosesTornTail(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, torn string }{
		{"half an object", `{"id":"ha`},
		{"a whole object without newline", `{"id":"whole"}`},
		{"a lost page", "\x00\x00\x00\x00"},
		{"half a rune", "{\"id\":\"\xe2\x82"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			l := newLog(t, dir)
			appendLine(t, l, line("one"))
			foreign(t, dir, tt.torn)
			at := appendLine(t, l, line("two"))
			want := string(line("one")) + "\n" + tt.torn + "\n" + string(line("two")) + "\n"
			if got := rawLog(t, dir); got != want {
				t.Fatalf("log is %q, want %q", got, want)
			}
			if at.Pos != int64(len(want)) {
				t.Errorf("cursor %v, want position %d", at, len(want))
			}
			// Another process, which knows nothing, does the same.
			foreign(t, dir, tt.torn)
			appendLine(t, newLog(t, dir), line("three"))
			if got := rawLog(t, dir); !strings.HasSuffix(got, "\n"+tt.torn+"\n"+string(line("three"))+"\n") {
				t.Errorf("log ends with %q", got)
			}
		})
	}
}

func TestAppendTornFirstLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign(t, dir, `{"torn`)
	l := newLog(t, dir)
	if end, err := l.End(t.Context()); err != nil || !end.IsZero() {
		t.Errorf("end of a log without a line is %v, %v", end, err)
	}
	at := appendLine(t, l, line("one"))
	other := newLog(t, dir)
	if end, err := other.End(t.Context()); err != nil || end != at {
		t.Errorf("end %v, %v, want %v", end, err, at)
	}
	if next := appendLine(t, other, line("two")); next.Log != at.Log {
		t.Errorf("the log has another id: %v, then %v", at, next)
	}
	got, _ := readAll(t, newLog(t, dir), telemetry.Cursor{})
	equal(t, "lines", got, []string{string(line("one")), string(line("two"))})
}

func TestAppendRefusesBadLines(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	l := newLog(t, dir)
	for _, b := range []string{"", "{}\n{}", strings.Repeat("x", telemetry.MaxLine)} {
		if _, err := l.Append(t.Context(), []byte(b), false); fault.CodeOf(err) != fault.Internal {
			t.Errorf("line of %d bytes: %v", len(b), err)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory was made: %v", err)
	}
}

func TestAppendCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	appendLine(t, l, line("one"))
	f, err := os.OpenFile(filepath.Join(dir, "events.lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { _, err := l.Append(ctx, line("two"), false); first <- err }()
	for !l.InTurn() {
		runtime.Gosched()
	}
	second := make(chan error, 1) // waits for its turn behind the first
	go func() { _, err := l.Append(ctx, line("three"), false); second <- err }()
	cancel()
	for _, c := range []chan error{first, second} {
		if err := <-c; fault.CodeOf(err) != fault.Canceled {
			t.Errorf("a cancelled append returned %v", err)
		}
	}
	short := telemetry.NewLog(dir, telemetry.LogOptions{LockTimeout: 1})
	if _, err := short.Append(t.Context(), line("four"), false); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("an append that waits too long returned %v", err)
	}
	if err := short.Close(); err != nil {
		t.Error(err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	appendLine(t, l, line("five"))
	got, _ := readAll(t, l, telemetry.Cursor{})
	equal(t, "lines", got, []string{string(line("one")), string(line("five"))})
}

// TestLockReplacedWhileWaiting: whoever waits for a lock file that is removed
// meanwhile must end up with the one that others take.
func TestLockReplacedWhileWaiting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lockPath := filepath.Join(dir, "events.lock")
	take := func() *os.File {
		f, err := os.OpenFile(lockPath, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		return f
	}
	old := take()
	l := telemetry.NewLog(dir, telemetry.LogOptions{LockTimeout: 300 * time.Millisecond})
	done := make(chan error, 1)
	go func() { _, err := l.Append(t.Context(), line("one"), false); done <- err }()
	for opened := 0; opened < 2; { // ours and the append's
		opened = 0
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skipf("open files can't be seen here: %v", err)
		}
		for _, fd := range fds {
			if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && to == lockPath {
				opened++
			}
		}
	}
	if err := os.Remove(lockPath); err != nil {
		t.Fatal(err)
	}
	now := take()
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; fault.CodeOf(err) != fault.Conflict {
		t.Errorf("an append went past the lock that others hold: %v", err)
	}
	if err := now.Close(); err != nil {
		t.Fatal(err)
	}
	appendLine(t, l, line("two"))
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
