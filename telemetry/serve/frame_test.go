package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// FuzzFrame: whatever a line holds, it arrives as one frame whose data is the
// line, byte for byte unless CRs stood inside it, and can't forge a field.
func FuzzFrame(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":1}`, "{\"a\":\r1}", "{}\r", "\r\r{}", "{ \"a\" : 1 }\r", `{"a":"\r\n\r\nevent: x"}`, `{"a":"data: x"}`, "{\"a\":\"\u2028\"}", "\xef\xbb\xbf{}",
		"not json\r\rdata: forged", " {}", ":", "id: 7", strings.Repeat("a", 70000),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 || len(line) == 0 {
			t.Skip("the log hands out single lines")
		}
		wire, at := serve.AppendFrame(nil, "aa-7", line)
		var got []frame
		readFrames(bytes.NewReader(append(wire, "data: next\n\n"...)), func(f frame) { got = append(got, f) })
		if len(got) != 2 || got[1].data != "next" {
			t.Fatalf("one line became %d frames: %+v", len(got)-1, got)
		}
		first := got[0]
		if first.id != "aa-7" || first.name != "" || first.retry != "" || first.comment != "" {
			t.Fatalf("the line forged a field: %+v", first)
		}
		if first.data != string(wire[at:len(wire)-2]) {
			t.Fatalf("the event is not where it is said to be: %q", wire[at:])
		}
		if line = bytes.TrimRight(line, "\r"); bytes.IndexByte(line, '\r') < 0 {
			if first.data != string(line) {
				t.Fatalf("got %q, want %q", first.data, line)
			}
			return
		}
		var want bytes.Buffer
		if json.Compact(&want, line) == nil && first.data != want.String() {
			t.Fatalf("got %q, want %q", first.data, want.String())
		}
	})
}

func contextThatEnded(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx, cancel
}
