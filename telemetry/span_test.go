package telemetry_test

import (
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// One read goes through so many lines that are none, and the next goes on.
func TestReadEndsSoonAmongBadLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	junk := strings.Repeat("not json", 8000) + "\n"
	last := string(line("last"))
	foreign(t, dir, strings.Repeat(junk, 40<<20/len(junk))+last+"\n")
	l := newLog(t, dir)
	var at telemetry.Cursor
	for reads := 1; ; reads++ {
		lines, next, err := l.ReadAfter(t.Context(), at, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if next == at || next.Pos-at.Pos > 18<<20 {
			t.Fatalf("read %d goes from %v to %v", reads, at, next)
		}
		at = next
		if len(lines) > 0 {
			equal(t, "found", texts(lines), []string{last})
			if reads != 3 {
				t.Errorf("found by read %d, want the third", reads)
			}
			break
		}
	}
	if end, err := l.End(t.Context()); err != nil || at != end {
		t.Errorf("ended at %v, not at %v: %v", at, end, err)
	}
}
