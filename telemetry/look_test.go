package telemetry_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// TestChangesInsideALook: whatever happens to the log while a reader is in the middle
// of one look, the reader, and another that starts then, have every line once, and no
// reset.
func TestChangesInsideALook(t *testing.T) {
	t.Parallel()
	rotate := func(w *world) {
		before, _ := filepath.Glob(filepath.Join(w.dir, "events-*"))
		for now := before; len(now) == len(before); now, _ = filepath.Glob(filepath.Join(w.dir, "events-*")) {
			w.append(0)
		}
	}
	for name, change := range map[string]func(w *world){
		"append":         func(w *world) { w.append(0) },
		"rotation":       rotate,
		"two rotations":  func(w *world) { rotate(w); rotate(w) },
		"rotation, late": func(w *world) { rotate(w); w.foreign(w.held[0]); w.foreign(w.held[0]) },
		"late, rotation, carried": func(w *world) {
			w.foreign(w.held[0])
			rotate(w)
			w.foreign(w.held[0])
			_ = w.settle(0)
		},
		"half a rotation": func(w *world) { // and the rest by another
			w.foreign(w.held[0])
			for l := w.writers[0]; l == w.writers[0]; {
				w.die = 4 // after the rename
				w.append(0)
			}
			w.foreign(w.held[0])
		},
	} {
		for at := range 5 {
			for _, known := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s at %d, reader is new: %v", name, at, !known), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, small, 1, 2)
					w.append(0)
					w.hold()
					rotate(w)
					w.append(0)
					w.hold()
					w.held = w.held[1:]
					r := w.readers[0]
					if known {
						w.follow(r, -1, 0)
					}
					for round := range 3 {
						n := -at
						r.log.SetPause(func() {
							if n++; n == 1 {
								change(w)
							}
						})
						w.follow(r, -1, 0)
						r.log.SetPause(func() {})
						w.follow(w.readers[1], 1+round, 1)
					}
					w.follow(r, -1, 0)
					w.check()
				})
			}
		}
	}
}

// TestRemovalInsideARead: segments go while a reader is in them, or about to be.
func TestRemovalInsideARead(t *testing.T) {
	t.Parallel()
	for at := range 6 {
		opt := small
		w := newWorld(t, opt, 1, 1)
		for range 40 {
			w.append(0)
		}
		r := &resuming{l: newLog(t, w.dir)}
		first, _, err := r.l.ReadAfter(t.Context(), telemetry.Cursor{}, 3, 0)
		if err != nil {
			t.Fatal(err)
		}
		r.at, r.got = first[2].At, texts(first)
		n := -at
		r.l.SetPause(func() {
			if n++; n == 1 {
				l := telemetry.NewLog(w.dir, telemetry.LogOptions{RotateBytes: 100, KeepBytes: 150})
				if err := errors.Join(l.Settle(t.Context()), l.Close()); err != nil {
					t.Error(err)
				}
			}
		})
		r.read(t)
		left, _ := readAll(t, newLog(t, w.dir), telemetry.Cursor{})
		if len(left) > 30 {
			t.Fatalf("%d lines are left", len(left))
		}
		if n := len(left); r.resets > 1 || len(r.got) < n {
			t.Errorf("%d resets, %d lines, %d are left", r.resets, len(r.got), n)
		} else {
			equal(t, "the end of what was read", r.got[len(r.got)-n:], left)
		}
		w.once("reader", r.got, false)
		if _, err := os.Stat(filepath.Join(w.dir, "events-0.jsonl")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the oldest segment: %v", err)
		}
	}
}

// TestLookOverARename: a look that begins before the rename of a rotation and ends
// after the segment's end was found must not show what others added in between.
func TestLookOverARename(t *testing.T) {
	t.Parallel()
	for at := range 4 {
		dir := t.TempDir()
		l := telemetry.NewLog(dir, small)
		appendLine(t, l, line("first"))
		f, err := os.OpenFile(logPath(dir), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		r := &resuming{l: newLog(t, dir)}
		r.read(t)
		paused, on, done := make(chan bool), make(chan bool), make(chan bool)
		phase := 0
		l.SetSteps(func(op string) error {
			switch {
			case op == "rename" && phase == 0:
				phase = 1
				r.read(t) // so that one more line is all there is to show
				n := -at
				r.l.SetPause(func() {
					if n++; n == 1 {
						paused <- true
						<-on
					}
				})
				go func() { r.read(t); close(done) }()
				<-paused
			case op == "write events.meta" && phase == 1:
				phase = 2
				if _, err := f.WriteString(string(line("late")) + "\n"); err != nil {
					t.Error(err)
				}
				close(on)
				<-done
				r.l.SetPause(func() {})
			}
			return nil
		})
		for range 12 {
			appendLine(t, l, line("own"))
		}
		settle(t, l)
		r.read(t)
		got, _ := readAll(t, newLog(t, dir), telemetry.Cursor{})
		equal(t, "follower", r.got, got)
		if len(got) != 14 || phase != 2 || r.resets != 0 {
			t.Errorf("%d lines, phase %d, %d resets", len(got), phase, r.resets)
		}
		if err := errors.Join(f.Close(), l.Close()); err != nil {
			t.Error(err)
		}
	}
}
