package telemetry_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/telemetry"
)

// FuzzLog puts arbitrary bytes of others around our own lines. Every own line
// must be there once, whole, whatever the rest is; readers must agree, forwards,
// backwards and from every place, on exactly the good lines.
func FuzzLog(f *testing.F) {
	f.Add([]byte(""), []byte(""), 1)
	f.Add([]byte(`{"torn`), []byte("}\n"), 3)
	f.Add([]byte("{}\n\n\r\n{}"), []byte("\x00\x00\x00"), 0)
	f.Add([]byte("[1]\n{\"a\":\"\xff\"}\n"), []byte("{\"a\":1}"), 40)
	f.Add([]byte(strings.Repeat("x", 300)), []byte("\n\n"), 7)
	f.Add([]byte(buyLine+"\n"+buyLine), []byte(buyLine+"\n"), 2)
	f.Fuzz(func(t *testing.T, before, between []byte, limit int) {
		dir := t.TempDir()
		if len(before) > 0 {
			foreign(t, dir, string(before))
		}
		w := newLog(t, dir)
		first := appendLine(t, w, line("first"))
		foreign(t, dir, string(between))
		second := appendLine(t, w, line("second"))
		third := appendLine(t, newLog(t, dir), line("third"))
		if first.Log != second.Log || second.Log != third.Log || first.Pos >= second.Pos || second.Pos >= third.Pos {
			t.Fatalf("cursors %v, %v, %v", first, second, third)
		}
		raw, err := os.ReadFile(logPath(dir))
		if err != nil {
			t.Fatal(err)
		}
		want := goodLines(raw)
		own := 0
		for _, s := range want {
			switch s {
			case string(line("first")), string(line("second")), string(line("third")):
				own++
			}
		}
		if own < 3 {
			t.Fatalf("%d own lines in %q", own, raw)
		}
		l := newLog(t, dir)
		var got []telemetry.Line
		at := telemetry.Cursor{}
		for {
			lines, next, err := l.ReadAfter(t.Context(), at, limit%5, limit)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, lines...)
			if next == at {
				break
			}
			at = next
		}
		equal(t, "forwards", texts(got), want)
		if at != third {
			t.Errorf("read to %v, appended to %v", at, third)
		}
		back, end, err := l.Last(t.Context(), len(want)+1, nil)
		if err != nil || end != third {
			t.Fatalf("last ends at %v, %v, want %v", end, err, third)
		}
		equal(t, "backwards", texts(back), want)
		for i := range got {
			if got[i].At != back[i].At {
				t.Errorf("line %d is at %v and %v", i, got[i].At, back[i].At)
			}
			rest, _ := readAll(t, l, got[i].At)
			equal(t, "from a line on", rest, want[i+1:])
		}
	})
}

// goodLines is what readers should find in a log, by other means.
func goodLines(raw []byte) []string {
	var out []string
	for s := range bytes.Lines(raw) {
		s, whole := bytes.CutSuffix(s, []byte("\n"))
		var m map[string]json.RawMessage
		if whole && utf8.Valid(s) && json.Unmarshal(s, &m) == nil && m != nil {
			out = append(out, string(s))
		}
	}
	return slices.Clip(out)
}
