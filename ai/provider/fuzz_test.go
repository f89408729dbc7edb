package provider_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// canned answers each request with the same bytes.
type canned struct {
	kind string
	body func() io.Reader
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.kind}}, Body: io.NopCloser(c.body()), Request: r}, nil
}

func decode(t *testing.T, kind string, body func() io.Reader, on func(string)) (ai.Reply, error) {
	t.Helper()
	c := newClock()
	m, err := provider.New(provider.Options{BaseURL: "https://x.test/v1", Key: key, Transport: canned{kind, body}, Now: c.Now, Sleep: c.Sleep, AfterFunc: c.AfterFunc})
	if err != nil {
		t.Fatal(err)
	}
	return m.Step(t.Context(), ask("go"), on)
}

// FuzzStream feeds anything as a stream. Whatever it is, it ends; what was handed
// on is the reply's text; a call has a name and an id of its own; an error yields
// no call and shows no key; and how the bytes were cut up makes no difference.
func FuzzStream(f *testing.F) {
	seeds, err := filepath.Glob("testdata/streams/*.txt")
	if err != nil || len(seeds) < 10 {
		f.Fatalf("found %d recorded streams: %v", len(seeds), err)
	}
	for _, s := range seeds {
		b, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`data: {"error":{"message":"` + key + `"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var h heard
		r, err := decode(t, "text/event-stream", func() io.Reader { return bytes.NewReader(b) }, h.on)
		if h.String() != r.Text {
			t.Errorf("handed on %q, the reply has %q", h.String(), r.Text)
		}
		if err != nil {
			noKey(t, err)
			if len(r.Calls) > 0 {
				t.Errorf("calls %v of an answer that failed: %v", r.Calls, err)
			}
			if fault.CodeOf(err) == fault.Internal {
				t.Errorf("not a failure of the service: %v", err)
			}
		} else if r.Text == "" && len(r.Calls) == 0 {
			t.Error("nothing, and no error")
		}
		ids := map[string]bool{}
		for _, c := range r.Calls {
			if c.Name == "" || c.ID == "" || ids[c.ID] || !utf8.ValidString(c.Args) {
				t.Errorf("call %+v", c)
			}
			ids[c.ID] = true
		}
		r2, err2 := decode(t, "text/event-stream", func() io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) }, nil)
		one, _ := json.Marshal(r.Calls)
		two, _ := json.Marshal(r2.Calls)
		if r.Text == "" && fault.CodeOf(err) != fault.CodeOf(err2) || err == nil && (r.Text != r2.Text || !bytes.Equal(one, two)) {
			t.Errorf("whole: %q %s %v\nbyte by byte: %q %s %v", r.Text, one, err, r2.Text, two, err2)
		}
	})
}

// FuzzArguments streams arguments in two pieces, as bytes that JSON may or may not
// be able to hold. They arrive as they were written, or not at all.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"quote":"q_1"}`, `{"a":1,}`, "\xff\xfe", "🦍", `\ud83d`, `\ud83e\udd8d`, "\ufffd", "", "\x00\u2028", `{"max":1e999}`, `"`, `\`} {
		f.Add(s, 3, false)
		f.Add(s, 1, true)
	}
	f.Fuzz(func(t *testing.T, args string, cut int, raw bool) {
		cut = min(max(cut, 0), len(args))
		piece := func(s string) string {
			if raw { // the bytes within quotes as they are, whatever becomes of it
				return `"` + s + `"`
			}
			b, _ := json.Marshal(s)
			return string(b)
		}
		stream := `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"t","arguments":` + piece(args[:cut]) + `}}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":` + piece(args[cut:]) + `}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
		r, err := decode(t, "text/event-stream", func() io.Reader { return strings.NewReader(stream) }, nil)
		switch {
		case err != nil:
			if len(r.Calls) > 0 {
				t.Errorf("calls %v with %v", r.Calls, err)
			}
			if !raw && utf8.ValidString(args[:cut]) && utf8.ValidString(args[cut:]) {
				t.Errorf("%q can be had exactly: %v", args, err)
			}
		case len(r.Calls) != 1:
			t.Errorf("calls %+v", r.Calls)
		case !raw && utf8.ValidString(args) && r.Calls[0].Args != args && utf8.ValidString(args[:cut]):
			t.Errorf("wrote %q, got %q", args, r.Calls[0].Args)
		case raw && strings.Count(r.Calls[0].Args, "\ufffd") > strings.Count(args, "\ufffd")+strings.Count(strings.ToLower(args), `\ufffd`):
			t.Errorf("a replacement went into %q of %q", r.Calls[0].Args, args)
		}
	})
}
