package telemetry_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// manySegments makes a log of n segments and an active file, of two lines each.
func manySegments(t testing.TB, n int) (*telemetry.Log, telemetry.Cursor) {
	t.Helper()
	dir := t.TempDir()
	names, bounds := make([]string, n), make([]int64, n+1)
	for i := range n {
		content := numbered(2*i, 2*i+2)
		names[i], bounds[i+1] = fmt.Sprintf("events-%d.jsonl", bounds[i]), bounds[i]+int64(len(content))
		if err := os.WriteFile(filepath.Join(dir, names[i]), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := newLog(t, dir)
	if err := l.WriteMeta("rotated2", bounds[n], names, bounds); err != nil {
		t.Fatal(err)
	}
	foreign(t, dir, numbered(2*n, 2*n+2))
	end, err := l.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l, end
}

// TestManySegmentsCostNothing: what a look, a short tail and a read deep in an old
// segment take does not grow with the number of segments. Each file that is looked
// at is an allocation.
func TestManySegmentsCostNothing(t *testing.T) {
	few, fewEnd := manySegments(t, 4)
	many, manyEnd := manySegments(t, 2000)
	for what, do := range map[string]func(l *telemetry.Log, end telemetry.Cursor) error{
		"look": func(l *telemetry.Log, end telemetry.Cursor) error {
			_, next, err := l.ReadAfter(t.Context(), end, 0, 0)
			if next != end {
				return fmt.Errorf("next is %v", next)
			}
			return err
		},
		"tail": func(l *telemetry.Log, _ telemetry.Cursor) error {
			lines, _, err := l.Last(t.Context(), 3, nil)
			if len(lines) != 3 {
				return fmt.Errorf("%d lines", len(lines))
			}
			return err
		},
		"read": func(l *telemetry.Log, end telemetry.Cursor) error {
			lines, _, err := l.ReadAfter(t.Context(), telemetry.Cursor{Log: end.Log, Pos: int64(len(numbered(0, 3)))}, 2, 0)
			if len(lines) != 2 {
				return fmt.Errorf("%d lines", len(lines))
			}
			return err
		},
	} {
		cost := func(l *telemetry.Log, end telemetry.Cursor) float64 {
			return testing.AllocsPerRun(5, func() {
				if err := do(l, end); err != nil {
					t.Error(what, err)
				}
			})
		}
		if a, b := cost(few, fewEnd), cost(many, manyEnd); b > 2*a+5 {
			t.Errorf("%s: %v allocations with four segments, %v with 2000", what, a, b)
		}
	}
}

// TestSettleLooksAtAll: also where segments are many, each gets its turn.
func TestSettleLooksAtAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: 1})
	defer w.Close()
	w.SetSteps(func(string) error { return nil })
	for i := range 600 {
		appendLine(t, w, line("%d", i))
	}
	var want []string
	names, err := filepath.Glob(filepath.Join(dir, "events-*"))
	if err != nil || len(names) < 590 {
		t.Fatal(len(names), err)
	}
	for i, at := range []int{1, len(names) / 2} {
		f, err := os.OpenFile(names[at], os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, string(line("late %d", i)))
		if _, err := f.WriteString(want[i] + "\n"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 8 {
		settle(t, w)
	}
	lines, _, err := newLog(t, dir).Last(t.Context(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := texts(lines)
	slices.Sort(got)
	equal(t, "late lines", got, want)
}

func BenchmarkManySegments(b *testing.B) {
	l, end := manySegments(b, 5000)
	b.Run("look", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := l.ReadAfter(b.Context(), end, 0, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("settle", func(b *testing.B) {
		for b.Loop() {
			if err := l.Settle(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkLastOfGigabyte reads the newest 300 of a gigabyte, in one file and in
// segments, from a new Log each time, as a command does.
func BenchmarkLastOfGigabyte(b *testing.B) {
	for name, rotate := range map[string]int64{"one file": -1, "segments": 64 << 20, "small segments": 64 << 10} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			size := int64(1 << 30)
			if rotate == 64<<10 {
				size = 16 << 20
			}
			w := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: rotate})
			defer w.Close()
			s := []byte(`{"x":"` + strings.Repeat("y", 441) + `"}`)
			block := strings.Repeat(string(s)+"\n", 10_000)
			for at := int64(0); at < size; {
				if rotate != 64<<10 {
					foreign(b, dir, block)
				}
				c, err := w.Append(b.Context(), s, false)
				if err != nil {
					b.Fatal(err)
				}
				at = c.Pos
			}
			b.ReportAllocs()
			for b.Loop() {
				l := telemetry.NewLog(dir, telemetry.LogOptions{})
				if lines, _, err := l.Last(b.Context(), 300, nil); err != nil || len(lines) != 300 {
					b.Fatal(len(lines), err)
				}
				if err := l.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
