package telemetry_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// small is a log that is rotated every few lines.
var small = telemetry.LogOptions{RotateBytes: 100}

func TestRotate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, small, 2, 2)
	var cursors []telemetry.Cursor
	for i := range 100 {
		w.append(i % 2)
		w.follow(w.readers[0], -1, 0)
		cursors = append(cursors, w.readers[0].at)
	}
	w.check()
	l := newLog(t, w.dir)
	for i, c := range cursors {
		if c.Log != cursors[0].Log {
			t.Fatalf("the log was %s, and is %s", cursors[0].Log, c.Log)
		}
		if got, _ := readAll(t, l, c); len(got) != 99-i {
			t.Errorf("%d lines after %v, want %d", len(got), c, 99-i)
		}
	}
	for _, n := range []int{1, 7, 50, 100, 1000} {
		lines, _, err := l.Last(t.Context(), n, nil)
		if err != nil || len(lines) != min(n, 100) {
			t.Errorf("last %d: %d lines, %v", n, len(lines), err)
		}
	}
	st := w.readers[0].log.Stats()
	if st.Segments < 10 || st.Rotations != int64(st.Segments) || st.Bytes != cursors[99].Pos || st.Oldest != 0 || st.Disk != st.Bytes {
		t.Errorf("stats %+v", st)
	}
}

// TestRotateFaults makes each system call of a few appends in turn fail, or be the
// last of its process, with programs at work that take no lock, and readers looking
// at every step.
func TestRotateFaults(t *testing.T) {
	t.Parallel()
	for _, keep := range []int64{0, 150} {
		for _, how := range []string{"fails", "kills", "kills halfway"} {
			for n := 1; ; n++ {
				if !rotateFault(t, how, n, keep) {
					if n < 20 {
						t.Errorf("only %d calls", n)
					}
					break
				}
			}
		}
	}
}

// rotateFault is one run; it reports whether the n-th call was reached.
func rotateFault(t *testing.T, how string, n int, keep int64) (reached bool) {
	t.Run(fmt.Sprintf("%s at call %d, keep %d", how, n, keep), func(t *testing.T) {
		opt := small
		opt.KeepBytes = keep
		w := newWorld(t, opt, 2, 2)
		w.append(0)
		w.hold()
		look := func() {
			w.follow(w.readers[0], -1, 0)
			w.readers[1].log.Stats()
			fresh := &follower{log: newLog(t, w.dir)}
			w.follow(fresh, -1, 0)
			if !w.removes {
				equal(t, "fresh reader and follower", fresh.got, w.readers[0].got)
			}
		}
		w.atStep = look
		w.ops = 0
		for i := range 12 {
			if i%3 == 1 {
				w.foreign(w.held[0])
			}
			if w.ops < n {
				switch how {
				case "fails":
					w.fail = n - w.ops
				case "kills halfway":
					w.half = true
					fallthrough
				default:
					w.die = n - w.ops
				}
			}
			w.append(i % 2)
			look()
		}
		reached = w.ops >= n
		w.half = false
		w.check()
	})
	return reached
}

// TestRecordSaysRotated: before the file is renamed, and from then on, the lock file
// holds what no program takes for a record that knows of no rotation.
func TestRecordSaysRotated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := telemetry.NewLog(dir, small)
	defer l.Close()
	said := func() bool {
		b, err := os.ReadFile(filepath.Join(dir, "events.lock"))
		if err != nil {
			t.Fatal(err)
		}
		f := strings.Fields(string(b))
		return len(f) == 3 && f[2] == "rotated"
	}
	renames := 0
	l.SetSteps(func(op string) error {
		if op == "rename" || renames > 0 {
			renames++
			if !said() {
				t.Errorf("it does not at call %d: %s", renames, op)
			}
		}
		return nil
	})
	appendLine(t, l, line("one"))
	if said() {
		t.Error("it does before there was a rotation")
	}
	for i := range 40 {
		appendLine(t, l, line("%d", i))
	}
	if renames == 0 {
		t.Error("there was no rotation")
	}
	settle(t, newLog(t, dir))
	if !said() {
		t.Error("it does not after a Settle")
	}
}
