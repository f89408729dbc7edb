package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestReadSkipsBadLines(t *testing.T) {
	t.Parallel()
	long := `{"x":"` + strings.Repeat("y", telemetry.MaxLine) + `"}`
	longest := `{"x":"` + strings.Repeat("y", telemetry.MaxLine-9) + `"}`
	if len(longest)+1 != telemetry.MaxLine {
		t.Fatalf("the longest line has %d bytes", len(longest))
	}
	dir := t.TempDir()
	good := []string{`{"n":1}`, "{\"n\":2}\r", ` {"n":3}`, longest, `{"n":4}`, `{"n":5}`}
	foreign(t, dir, strings.Join([]string{
		good[0], `{"torn":`, good[1], "\x00\x00", "{\"nul\":\"\x00\"}", "{\"bad\":\"\xff\"}", good[2], "[1]", `"text"`, "7", `{"a":1}{"b":2}`,
		"", "  ", "\r", long, good[3], long, good[4], "", good[5],
	}, "\n")+"\n")
	want := telemetry.BadLines{NUL: 2, UTF8: 1, NotJSON: 5, TooLong: 2}
	for _, limits := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {2, 10000}, {100, 1 << 30}} {
		l := newLog(t, dir)
		var got []string
		var at telemetry.Cursor
		for {
			lines, next, err := l.ReadAfter(t.Context(), at, limits[0], limits[1])
			if err != nil {
				t.Fatal(err)
			}
			if limits[0] > 0 && len(lines) > limits[0] {
				t.Fatalf("%d lines for at most %d", len(lines), limits[0])
			}
			got = append(got, texts(lines)...)
			for i, line := range lines {
				if tail, _, err := l.ReadAfter(t.Context(), line.At, 1, 0); err != nil {
					t.Errorf("cursor %v of line %d: %v (%d)", line.At, i, err, len(tail))
				}
			}
			if next == at {
				break
			}
			at = next
		}
		equal(t, fmt.Sprint("limits ", limits), got, good)
		if l.Stats().Bad != want {
			t.Errorf("limits %v: bad lines %+v, want %+v", limits, l.Stats().Bad, want)
		}
		last, end, err := l.Last(t.Context(), 100, nil)
		if err != nil || end != at {
			t.Errorf("last: %v, %v, want %v", err, end, at)
		}
		equal(t, "last", texts(last), good)
		if l.Stats().Bad != want {
			t.Errorf("after a second pass: bad lines %+v, want %+v", l.Stats().Bad, want)
		}
	}
	fresh := newLog(t, dir)
	last, _, err := fresh.Last(t.Context(), 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "last alone", texts(last), good)
	if fresh.Stats().Bad != want {
		t.Errorf("backwards: bad lines %+v, want %+v", fresh.Stats().Bad, want)
	}
}

func TestUnfinishedLineIsNotPublished(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	at := appendLine(t, l, line("one"))
	for _, piece := range []string{`{"id":`, `"slow`, `"}`} {
		foreign(t, dir, piece)
		lines, next, err := l.ReadAfter(t.Context(), at, 0, 0)
		if err != nil || len(lines) != 0 || next != at {
			t.Fatalf("after %q: %q, %v, %v", piece, texts(lines), next, err)
		}
		if end, err := l.End(t.Context()); err != nil || end != at {
			t.Errorf("after %q the end is %v, %v", piece, end, err)
		}
		last, end, err := l.Last(t.Context(), 9, nil)
		if err != nil || len(last) != 1 || end != at {
			t.Errorf("after %q last is %q, %v, %v", piece, texts(last), end, err)
		}
	}
	foreign(t, dir, "\n")
	got, _ := readAll(t, l, at)
	equal(t, "the finished line", got, []string{string(line("slow"))})
	if bad := l.Stats().Bad.Total(); bad != 0 {
		t.Errorf("%d bad lines", bad)
	}
}

// TestRepairAfterPeek: what a reader saw of a torn line is not kept.
func TestRepairAfterPeek(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	at := appendLine(t, l, line("one"))
	foreign(t, dir, `{"id":"torn`)
	if _, _, err := l.ReadAfter(t.Context(), at, 0, 0); err != nil {
		t.Fatal(err)
	}
	appendLine(t, newLog(t, dir), line("two"))
	got, _ := readAll(t, l, at)
	equal(t, "lines", got, []string{string(line("two"))})
	if bad := l.Stats().Bad; bad.NotJSON != 1 || bad.Total() != 1 {
		t.Errorf("bad lines %+v", bad)
	}
}

func TestUnfinishedLongLineIsReadOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	at := appendLine(t, l, line("one"))
	piece := strings.Repeat("z", telemetry.MaxLine)
	foreign(t, dir, piece+piece+piece)
	for range 3 {
		if lines, next, err := l.ReadAfter(t.Context(), at, 0, 0); len(lines) != 0 || next != at || err != nil {
			t.Fatalf("%d lines, %v, %v", len(lines), next, err)
		}
		foreign(t, dir, piece)
	}
	if end, err := l.End(t.Context()); err != nil || end != at {
		t.Errorf("end %v, %v", end, err)
	}
	appendLine(t, l, line("two"))
	got, _ := readAll(t, l, at)
	equal(t, "lines", got, []string{string(line("two"))})
	if bad := l.Stats().Bad; bad.TooLong != 1 || bad.Total() != 1 {
		t.Errorf("bad lines %+v", bad)
	}
}

func TestReadAfterRefusesPlacesInsideLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	starts := map[int64]bool{0: true}
	var end telemetry.Cursor
	for i := range 3 {
		end = appendLine(t, l, line("%d", i))
		starts[end.Pos] = true
	}
	for pos := range end.Pos + 3 {
		_, _, err := l.ReadAfter(t.Context(), telemetry.Cursor{Log: end.Log, Pos: pos}, 0, 0)
		var reset *telemetry.ResetError
		if starts[pos] && err != nil || !starts[pos] && !errors.As(err, &reset) {
			t.Errorf("position %d: %v", pos, err)
		}
	}
}

func TestReadAfterLimitsBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	size := len(line("%04d", 0)) + 1
	for i := range 100 {
		appendLine(t, l, line("%04d", i))
	}
	for _, limit := range []int{1, size, 10*size - 1, 10 * size} {
		lines, _, err := l.ReadAfter(t.Context(), telemetry.Cursor{}, 0, limit)
		if err != nil {
			t.Fatal(err)
		}
		if want := max(1, limit/size); len(lines) > want || len(lines) == 0 {
			t.Errorf("limit of %d bytes: %d lines, want at most %d", limit, len(lines), want)
		}
	}
}

func TestLast(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	rng := rand.New(rand.NewPCG(1, 2))
	var all []string
	for i := range 400 {
		size := rng.IntN(300)
		if i%97 == 0 {
			size = 70_000 // longer than a chunk
		}
		b := line("%d %s", i, strings.Repeat("x", size))
		appendLine(t, l, b)
		all = append(all, string(b))
	}
	for _, n := range []int{0, 1, 2, 5, 99, 398, 400, 1000} {
		lines, end, err := l.Last(t.Context(), n, nil)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprint("last ", n), texts(lines), all[max(0, len(all)-n):])
		if more, _, err := l.ReadAfter(t.Context(), end, 0, 0); err != nil || len(more) != 0 {
			t.Errorf("after the end: %d lines, %v", len(more), err)
		}
		if n == 5 {
			more, _ := readAll(t, l, lines[0].At)
			equal(t, "after the oldest of five", more, all[len(all)-4:])
		}
	}
	lines, _, err := l.Last(t.Context(), 3, func(b []byte) bool { return strings.Contains(string(b), `"1`) })
	if err != nil || len(lines) != 3 || !strings.HasPrefix(string(lines[2].Data), `{"id":"199 `) {
		t.Errorf("last three that match: %q, %v", texts(lines), err)
	}
}

// TestLastCost reads the end of a file that is mostly hole: reading it all
// would take a terabyte.
func TestLastCost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign(t, dir, string(line("first"))+"\n")
	if err := os.Truncate(logPath(dir), 1<<40); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	var want []string
	foreign(t, dir, "\n")
	for i := range 300 {
		b := string(line("%d", i))
		foreign(t, dir, b+"\n")
		want = append(want, b)
	}
	l := newLog(t, dir)
	lines, end, err := l.Last(t.Context(), 300, nil)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "last", texts(lines), want)
	more, _, err := l.ReadAfter(t.Context(), end, 0, 0)
	if err != nil || len(more) != 0 {
		t.Errorf("after the end: %d lines, %v", len(more), err)
	}
}

// TestLastDropsLongLines: going back over a line that is too long costs its
// size once, not the square of it. It counts what the whole process allocates,
// so nothing runs beside it.
func TestLastDropsLongLines(t *testing.T) {
	dir := t.TempDir()
	foreign(t, dir, string(line("one"))+"\n"+strings.Repeat("z", 16<<20)+"\n"+string(line("two"))+"\n")
	l := newLog(t, dir)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines, _, err := l.Last(t.Context(), 2, nil)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "last", texts(lines), []string{string(line("one")), string(line("two"))})
	if got := after.TotalAlloc - before.TotalAlloc; got > 48<<20 {
		t.Errorf("%d MiB were allocated for a line of 16", got>>20)
	}
}

// TestSegments reads a log as a rotation will leave it.
func TestSegments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all []string
	var names []string
	var bounds []int64
	pos := int64(1000) // older segments were removed
	for s := range 3 {
		name := fmt.Sprintf("events-%d.jsonl", pos)
		var content strings.Builder
		for i := range 20 {
			b := string(line("%d/%d", s, i))
			all = append(all, b)
			content.WriteString(b + "\n")
		}
		if s == 1 {
			content.WriteString(`{"torn`)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		names, bounds = append(names, name), append(bounds, pos)
		pos += int64(content.Len())
	}
	bounds = append(bounds, pos)
	l := newLog(t, dir)
	if err := l.WriteMeta("rotated2", pos, names, bounds); err != nil {
		t.Fatal(err)
	}
	foreign(t, dir, "") // the fresh active file
	got, end := readAll(t, l, telemetry.Cursor{})
	equal(t, "segments alone", got, all)
	for i := range 5 {
		at := appendLine(t, l, line("active/%d", i))
		all = append(all, string(line("active/%d", i)))
		if at.Log != "rotated2" || at.Pos <= end.Pos {
			t.Fatalf("appended at %v after %v", at, end)
		}
		end = at
	}
	got, at := readAll(t, l, telemetry.Cursor{})
	equal(t, "over the segments", got, all)
	if at != end {
		t.Errorf("read to %v, appended to %v", at, end)
	}
	for _, n := range []int{3, 7, 30, 64, 65, 100} {
		lines, _, err := l.Last(t.Context(), n, nil)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprint("last ", n), texts(lines), all[max(0, len(all)-n):])
	}
	oldest, err := l.Oldest(t.Context())
	if err != nil || oldest.Pos != 1000 {
		t.Errorf("oldest %v, %v", oldest, err)
	}
	var reset *telemetry.ResetError
	_, _, err = l.ReadAfter(t.Context(), telemetry.Cursor{Log: "rotated2", Pos: 999}, 0, 0)
	if !errors.As(err, &reset) || reset.Reason != telemetry.ResetGone || reset.Oldest != oldest {
		t.Errorf("a removed place: %v", err)
	}
	if bad := l.Stats().Bad; bad.NotJSON != 1 || bad.Total() != 1 {
		t.Errorf("bad lines %+v", bad)
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	appendLine(t, l, line("one"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.ReadAfter(ctx, telemetry.Cursor{}, 0, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	if _, _, err := l.Last(ctx, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("last: %v", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{file} {
		if _, err := newLog(t, bad).End(t.Context()); fault.CodeOf(err) != fault.StateUnusable {
			t.Errorf("end in %s: %v", filepath.Base(bad), err)
		}
	}
}
