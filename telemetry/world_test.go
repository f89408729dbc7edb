package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/telemetry"
)

// world is a log in the hands of writers that may die at any system call, of
// programs that take no lock, and of readers, beside what must be in it.
type world struct {
	t       testing.TB
	dir     string
	opt     telemetry.LogOptions
	writers []*telemetry.Log
	held    []*os.File // descriptors of programs that take no lock
	pieces  map[*os.File]string
	whole   map[string]bool // of the pieces, those that must be there once they are complete
	readers []*follower
	next    int
	want    map[string]bool // lines that must be there once; the others may
	removes bool

	// step is what happens at each system call of a writer: die and fail count down.
	die, fail int
	half      bool // die after a part of a write
	ops       int
	atStep    func()
}

// follower is a reader that keeps its place.
type follower struct {
	log *telemetry.Log
	at  telemetry.Cursor
	got []string
}

type killed struct{}

var errStep = errors.New("this call fails")

func newWorld(t testing.TB, opt telemetry.LogOptions, writers, readers int) *world {
	w := &world{t: t, dir: t.TempDir(), opt: opt, want: map[string]bool{}, pieces: map[*os.File]string{}, whole: map[string]bool{}, removes: opt.KeepBytes > 0}
	for i := range writers {
		w.writers = append(w.writers, nil)
		w.start(i)
	}
	for range readers {
		w.readers = append(w.readers, &follower{log: newLog(t, w.dir)})
	}
	t.Cleanup(func() {
		for _, l := range w.writers {
			if t.Failed() { // perhaps in the middle of something
				l.Abandon()
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
		for _, f := range w.held {
			f.Close()
		}
	})
	return w
}

// start makes writer i anew.
func (w *world) start(i int) {
	l := telemetry.NewLog(w.dir, w.opt)
	l.SetSteps(func(string) error {
		w.ops++
		if w.atStep != nil {
			w.atStep()
		}
		if w.die--; w.die == 0 && !w.half {
			panic(killed{})
		}
		if w.fail--; w.fail == 0 {
			return errStep
		}
		return nil
	})
	real := l.Write()
	l.SetSystem(func(fd int, p []byte) (int, error) {
		if w.half && w.die == 1 {
			w.half, w.die = false, 0
			if _, err := unix.Write(fd, p[:len(p)/2]); err != nil {
				w.t.Error(err)
			}
			panic(killed{})
		}
		return real(fd, p)
	}, nil)
	w.writers[i] = l
}

// do runs f on writer i; if that dies, another takes its place.
func (w *world) do(i int, f func(l *telemetry.Log) error) (err error) {
	l := w.writers[i]
	defer func() {
		w.die, w.fail = 0, 0
		if v := recover(); v != nil {
			if v != (killed{}) {
				panic(v)
			}
			l.Abandon()
			w.start(i)
			err = errStep
		}
	}()
	return f(l)
}

func (w *world) id() string { w.next++; return string(line("%d", w.next)) }

func (w *world) append(i int) {
	s := w.id()
	w.want[s] = false
	if err := w.do(i, func(l *telemetry.Log) error {
		_, err := l.Append(context.Background(), []byte(s), false)
		return err
	}); err == nil {
		w.want[s] = true
	}
}

func (w *world) settle(i int) error {
	return w.do(i, func(l *telemetry.Log) error { return l.Settle(context.Background()) })
}

// hold opens the log as a program does that keeps it open for ever.
func (w *world) hold() {
	if len(w.held) < 8 {
		w.held = append(w.held, w.open())
	}
}

func (w *world) open() *os.File {
	f, err := os.OpenFile(logPath(w.dir), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// foreign adds a line by path, or through a descriptor that is held.
func (w *world) foreign(f *os.File) {
	if f == nil {
		f = w.open()
		defer f.Close()
	}
	s := w.id()
	if w.pieces[f] != "" {
		s, w.pieces[f] = w.pieces[f], ""
		w.write(f, s[len(s)/2:]+"\n")
		w.want[s] = w.whole[s]
		return
	}
	w.want[s] = !w.torn(f)
	w.write(f, s+"\n")
}

// piece adds half a line, which the next foreign completes. Our own writers close
// what is unfinished, so only a rotated file is sure to get it whole.
func (w *world) piece(f *os.File) {
	if w.pieces[f] != "" {
		return
	}
	s := w.id()
	w.pieces[f] = s
	w.want[s], w.whole[s] = false, w.rotated(f) && !w.torn(f)
	w.write(f, s[:len(s)/2])
}

func (w *world) rotated(f *os.File) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(logPath(w.dir))
	return errA == nil && errB == nil && !os.SameFile(a, b)
}

func (w *world) write(f *os.File, s string) {
	if _, err := f.WriteString(s); err != nil {
		w.t.Error(err)
	}
}

// torn reports whether what is added to f is glued to something. Half a line in a
// file that is read by now is nobody's fault but the program's.
func (w *world) torn(f *os.File) bool {
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return err != nil
	}
	var b [1]byte
	if _, err := f.ReadAt(b[:], st.Size()-1); err != nil {
		w.t.Error(err)
	}
	return b[0] != '\n'
}

// follow has a reader read n times, at most a line or a few.
func (w *world) follow(r *follower, n, most int) {
	for ; n != 0; n-- {
		lines, next, err := r.log.ReadAfter(context.Background(), r.at, most, 0)
		var reset *telemetry.ResetError
		if w.removes && errors.As(err, &reset) && reset.Reason == telemetry.ResetGone {
			r.at = reset.Oldest
			continue
		}
		if err != nil {
			w.t.Fatalf("a reader at %v: %v\n%s", r.at, err, w.files())
		}
		r.got = append(r.got, texts(lines)...)
		if next == r.at {
			return
		}
		r.at = next
	}
}

func (w *world) files() string {
	var b strings.Builder
	names, _ := filepath.Glob(filepath.Join(w.dir, "*"))
	for _, n := range names {
		c, _ := os.ReadFile(n)
		fmt.Fprintf(&b, "%s: %q\n", filepath.Base(n), c)
	}
	return b.String()
}

// check holds what every reader sees against what must be there, once all that is
// late was carried over.
func (w *world) check() {
	t := w.t
	t.Helper()
	w.atStep = nil
	for range 3 {
		if err := w.settle(0); err != nil {
			t.Fatalf("settle: %v", err)
		}
	}
	fresh := newLog(t, w.dir)
	all, end := readAll(t, fresh, telemetry.Cursor{})
	back, err := fresh.Tail(t.Context(), 1<<20, nil)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "backwards", texts(back.Lines), all)
	if back.End != end && !end.IsZero() {
		t.Errorf("backwards from %v, forwards to %v", back.End, end)
	}
	w.once("fresh reader", all, !w.removes)
	for i, r := range w.readers {
		w.follow(r, -1, 0)
		if r.at != end {
			t.Errorf("reader %d ends at %v, a fresh one at %v", i, r.at, end)
		}
		w.once(fmt.Sprint("reader ", i), r.got, !w.removes)
		if n := min(len(all), len(r.got)); !slices.Equal(all[len(all)-n:], r.got[len(r.got)-n:]) {
			t.Errorf("reader %d saw another order:\n%s\nnot\n%s", i, show(r.got), show(all))
		}
	}
	if t.Failed() {
		t.Log(w.files())
	}
}

func (w *world) once(who string, got []string, all bool) {
	w.t.Helper()
	count := map[string]int{}
	for _, s := range got {
		if count[s]++; count[s] > 1 {
			w.t.Errorf("%s: %s is there %d times", who, s, count[s])
		}
	}
	for s, must := range w.want {
		if all && must && count[s] != 1 {
			w.t.Errorf("%s: %s is lost", who, s)
		}
	}
}
