package telemetry_test

import (
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// However little is found, and whatever is in its place, no more is read than was
// allowed.
func TestTailWithin(t *testing.T) {
	t.Parallel()
	for what, filler := range map[string]string{"other events": string(line("x")) + "\n", "lines that are none": "not json\n", "blank lines": "\n", "long lines": strings.Repeat("x", 2<<20) + "\n"} {
		dir := t.TempDir()
		last := string(line("last"))
		foreign(t, dir, string(line("first"))+"\n"+strings.Repeat(filler, 4<<20/len(filler))+last+"\n")
		l := newLog(t, dir)
		seen := 0
		got, err := l.TailWithin(t.Context(), 2, 1<<20, func(b []byte) bool {
			seen += len(b) + 1
			return string(b) != string(line("x"))
		})
		if err != nil || !got.Cut || len(got.Lines) != 1 || string(got.Lines[0].Data) != last || seen > 2<<20 {
			t.Errorf("%s: %d lines, cut %v, %v; %d bytes were looked at", what, len(got.Lines), got.Cut, err, seen)
		}
		if got, err = l.TailWithin(t.Context(), 2, 1<<40, func(b []byte) bool { return string(b) != string(line("x")) }); err != nil || got.Cut || len(got.Lines) != 2 {
			t.Errorf("%s, unbounded: %d lines, cut %v, %v", what, len(got.Lines), got.Cut, err)
		}
	}
	// The log's own bound holds all the same.
	dir := t.TempDir()
	foreign(t, dir, strings.Repeat(string(line("x"))+"\n", 2<<20/8))
	l := telemetry.NewLog(dir, telemetry.LogOptions{MaxBack: 1 << 20})
	defer l.Close()
	if got, err := l.TailWithin(t.Context(), 1, 1<<40, func([]byte) bool { return false }); err != nil || !got.Cut {
		t.Errorf("beyond MaxBack: cut %v, %v", got.Cut, err)
	}
}

// Who knows how far back to look is shown no older line.
func TestTailUntil(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign(t, dir, strings.Repeat(string(line("old"))+"\n", 1000)+string(line("first"))+"\n"+strings.Repeat(string(line("x"))+"\n", 9)+string(line("last"))+"\n")
	l := newLog(t, dir)
	for n, want := range map[int]int{1: 1, 2: 2, 100: 2} {
		seen := 0
		got, err := l.TailUntil(t.Context(), n, func(b []byte) (take, last bool) {
			seen++
			return string(b) != string(line("x")), string(b) == string(line("first"))
		})
		if err != nil || got.Cut || len(got.Lines) != want || string(got.Lines[want-1].Data) != string(line("last")) || seen > 11 {
			t.Errorf("%d: %d lines, cut %v, %v; %d were looked at", n, len(got.Lines), got.Cut, err, seen)
		}
	}
	// A line that is the last may be left out.
	got, err := l.TailUntil(t.Context(), 100, func(b []byte) (take, last bool) {
		return string(b) != string(line("first")), string(b) == string(line("first"))
	})
	if err != nil || len(got.Lines) != 10 {
		t.Errorf("%d lines, %v", len(got.Lines), err)
	}
}
