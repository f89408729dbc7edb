package provider_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestStreams holds what becomes of streams in the shapes that services are known
// to send (testdata/streams; they seed FuzzStream too).
func TestStreams(t *testing.T) {
	t.Parallel()
	tests := map[string]outcome{
		"openai_text":      said("Hello"),
		"openai_tools":     called(`nft_quote {"collection":1}`, "nft_quote {}"),
		"openai_error":     failed(fault.ProviderError, 3, "The server had an error"),
		"openrouter":       said("a"),
		"openrouter_error": failed(fault.RateLimited, 3, "Rate limited: slow down"),
		"gemini":           called(`read {"offset":1}`, "read {}"),
		"gemini_split":     called(`w {"a":"Sydney"}`),
		"gemini_error":     failed(fault.ProviderError, 3, "The model is overloaded."),
		"ollama":           called(`file_write {"f":1}`, `file_write {"f":2}`),
		"groq":             said("hi"),
		"mistral_parts":    said("ok"),
		"vllm_error":       failed(fault.ProviderError, 1, "out of memory"),
		"fastapi_error":    failed(fault.ProviderError, 1, "Compute error."),
		"crlf_unspaced":    said("ab"),
		"many_lines":       said("ab"),
		"whole":            called("t {}"),
		"cut":              failed(fault.ProviderError, 1, "broke off after 1 bytes of text").with(func(o *outcome) { o.text = "a" }),
		"null_error":       said("a"),
		"reasoning":        said("so"),
	}
	files, err := filepath.Glob("testdata/streams/*.txt")
	if err != nil || len(files) != len(tests) {
		t.Fatalf("%d files, %d outcomes: %v", len(files), len(tests), err)
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(filepath.Join("testdata/streams", name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			r, err := decode(t, "text/event-stream", func() io.Reader { n++; return bytes.NewReader(b) }, func(string) {})
			check(t, want, r, err)
			if n != want.tries {
				t.Errorf("%d tries, want %d", n, want.tries)
			}
		})
	}
}

// TestPiecesThatCannotBeToldApart holds that arguments are put to no call by guess.
func TestPiecesThatCannotBeToldApart(t *testing.T) {
	t.Parallel()
	frame := func(calls string) string {
		return `data: {"choices":[{"delta":{"tool_calls":[` + calls + `]}}]}` + "\n\n"
	}
	const (
		a   = `{"id":"a","function":{"name":"x","arguments":"{"}}`
		b   = `{"id":"b","function":{"name":"y","arguments":"{"}}`
		end = `{"function":{"arguments":"}"}}`
	)
	at := func(i, piece string) string { return `{"index":` + i + `,` + piece[1:] }
	tests := map[string]struct {
		stream string
		want   outcome
	}{
		"one open":               {frame(a) + frame(end), called("x {}")},
		"two open, one piece":    {frame(a+","+b) + frame(end), called("x {", "y {}")},
		"two open, two pieces":   {frame(a+","+b) + frame(end+","+end), failed(fault.ProviderError, 1, "can't be told apart")},
		"none open":              {frame(end), failed(fault.ProviderError, 1, "can't be told apart")},
		"by id":                  {frame(a+","+b) + frame(`{"id":"a","function":{"arguments":"}"}}`) + frame(`{"id":"b","function":{"arguments":"}"}}`), called("x {}", "y {}")},
		"by index, out of order": {frame(at("1", b)) + frame(at("0", a)) + frame(at("1", end)+","+at("0", end)), called("x {}", "y {}")},
		"the name each time":     {frame(at("0", a)) + frame(`{"index":0,"id":"a","function":{"name":"x","arguments":"}"}}`), called("x {}")},
		"one id for two":         {frame(a) + frame(`{"id":"a","function":{"name":"y","arguments":"{}"}}`) + frame(`{"id":"a","function":{"name":"x","arguments":"}"}}`), called("x {}", "y {}")},
		"no name at all":         {frame(`{"index":0,"id":"a","function":{"arguments":"{}"}}`), failed(fault.ProviderError, 1, "without a name")},
		"an index that is none":  {frame(at("-1", a)) + frame(at(`"0"`, end)), called("x {}")},
		"arguments of a number":  {frame(`{"function":{"name":"x","arguments":7}}`), called("x 7")},
		"very many":              {frame(strings.TrimSuffix(strings.Repeat(`{"function":{"name":"x"}},`, 129), ",")), failed(fault.ProviderError, 1, "more than 128 tool calls")},
		"very large":             {frame(`{"function":{"name":"x","arguments":"` + strings.Repeat("a", 300<<10) + `"}}`), failed(fault.ProviderError, 1, "larger than")},
		"another choice":         {`data: {"choices":[{"index":1,"delta":{"tool_calls":[` + a + `]}},{"index":0,"delta":{"content":"ok"}}]}` + "\n\n", said("ok")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := decode(t, "text/event-stream", func() io.Reader { return strings.NewReader(tt.stream + "data: [DONE]\n\n") }, nil)
			check(t, tt.want, r, err)
			var ids []string
			for _, c := range r.Calls {
				ids = append(ids, c.ID)
			}
			if slices.Sort(ids); len(slices.Compact(ids)) != len(r.Calls) {
				t.Errorf("ids %q", ids)
			}
		})
	}
}

// TestBounds holds that each part of an answer has a bound of its own.
func TestBounds(t *testing.T) {
	t.Parallel()
	text := `data: {"choices":[{"delta":{"content":"` + strings.Repeat("a", 60<<10) + `"}}]}` + "\n\n"
	tests := map[string]struct {
		stream func() io.Reader
		says   string
	}{
		"text": {func() io.Reader { return strings.NewReader(strings.Repeat(text, 20)) }, "larger than 1048576 bytes of text"},
		"comments": {func() io.Reader {
			return strings.NewReader(strings.Repeat(":"+strings.Repeat(" still here", 99)+"\n\n", 40<<10))
		}, "larger than 33554432 bytes"},
		"a line": {func() io.Reader { return strings.NewReader(":" + strings.Repeat("a", 5<<20)) }, "larger than 4194304 bytes"},
		"a frame": {func() io.Reader {
			return strings.NewReader(strings.Repeat("data: "+strings.Repeat("a", 1<<20)+"\n", 5))
		}, "larger than 4194304 bytes"},
		"a document": {func() io.Reader { return strings.NewReader("{" + strings.Repeat(strings.Repeat(" ", 1<<20)+"\n", 5)) }, "larger than 4194304 bytes"},
		"empty deltas": {func() io.Reader {
			return strings.NewReader(strings.Repeat(`data: {"choices":[{"delta":{}}],"pad":"`+strings.Repeat("p", 64<<10)+`"}`+"\n\n", 600))
		}, "larger than 33554432 bytes"},
		"of one answer": {func() io.Reader {
			return io.MultiReader(strings.NewReader(text), strings.NewReader(strings.Repeat(strings.Repeat(" ", 999)+"\n", 40<<10)))
		}, "larger than 33554432 bytes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			_, err := decode(t, "text/event-stream", func() io.Reader { n++; return tt.stream() }, nil)
			if fault.CodeOf(err) != fault.ProviderError || !strings.HasSuffix(err.Error(), tt.says) || n != 1 {
				t.Errorf("got %v after %d tries, want %q", err, n, tt.says)
			}
		})
	}
}

// TestWhatComesAfterTheFinish holds that a break after the finish costs nothing,
// unless more was said.
func TestWhatComesAfterTheFinish(t *testing.T) {
	t.Parallel()
	const finish = `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\n"
	for after, want := range map[string]outcome{
		`data: {"usage":`: said("a"),
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"t","arguments":"{}"}}]}}]}` + "\n\ndata: {": failed(fault.ProviderError, 1, "broke off").with(anyText),
		`data: {"choices":[{"delta":{"content":"b"}}]}` + "\n\ndata: {":                                                                failed(fault.ProviderError, 1, "broke off").with(anyText),
	} {
		r, err := decode(t, "text/event-stream", func() io.Reader { return strings.NewReader(finish + after) }, func(string) {})
		check(t, want, r, err)
	}
}
