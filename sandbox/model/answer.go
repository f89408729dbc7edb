package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// answer is the playing of one step.
type answer struct {
	s     *Server
	w     http.ResponseWriter
	r     *http.Request
	q     chatRequest
	fault Fault
	size  int // of the request

	say   string
	calls []Call
	usage json.RawMessage // "null" for none
}

// badText stands for bytes that JSON can't hold until the frame is written.
const badText = "@@bad@@"

// prepare fills in what the step says and calls.
func (a *answer) prepare(st Step) error {
	c := a.q.Messages
	var err error
	if a.say, err = c.fillText(st.Say); err != nil {
		return err
	}
	calls := st.Call
	if st.Obey {
		if calls = c.orders(); len(calls) > 0 {
			a.say = ""
		}
	}
	for i, call := range calls {
		args := "{}"
		switch raw := bytes.TrimSpace(call.Args); {
		case len(raw) == 0:
		case raw[0] == '"':
			if err := json.Unmarshal(raw, &args); err != nil {
				return err
			}
		case st.Obey: // "the quote you just made": what leads nowhere is sent as it stands
			args = string(raw)
			if filled, err := c.fill(raw); err == nil {
				args = string(filled)
			}
		default:
			filled, err := c.fill(raw)
			if err != nil {
				return err
			}
			args = string(filled)
		}
		id := call.ID
		if id == "" {
			id = fmt.Sprintf("call_%d_%d", len(c), i)
		}
		a.calls = append(a.calls, Call{Tool: call.Tool, ID: id, Args: json.RawMessage(args)}) // text, whatever its type says
	}
	a.bend()
	a.usage = a.cost(st)
	return nil
}

// bend does what a fault does to text and calls.
func (a *answer) bend() {
	if a.fault == BadUTF8 || a.fault == Surrogate {
		a.say += badText
	}
	for i := range a.calls {
		c := &a.calls[i]
		switch a.fault {
		case NoID:
			c.ID = ""
		case SameID:
			c.ID = a.calls[0].ID
		case BrokenArgs:
			c.Args = c.Args[:max(1, len(c.Args)-2)]
		case BadUTF8, Surrogate:
			if at := bytes.LastIndexByte(c.Args, '"'); at >= 0 {
				c.Args = append(append(bytes.Clone(c.Args[:at]), badText...), c.Args[at:]...)
			}
		}
	}
}

// cost is the usage that is told.
func (a *answer) cost(st Step) json.RawMessage {
	var u struct {
		Input     int64           `json:"input"`
		Output    int64           `json:"output"`
		CacheRead int64           `json:"cacheRead"`
		Cost      json.RawMessage `json:"cost"`
	}
	switch {
	case string(st.Usage) == "null" || a.fault == NoUsage:
		return json.RawMessage("null")
	case len(st.Usage) > 0 && json.Unmarshal(st.Usage, &u) == nil:
	default:
		u.Input, u.Output = int64(a.size/4), int64(len(a.say)/4)+1
		for _, c := range a.calls {
			u.Output += int64(len(c.Args) / 4)
		}
	}
	cost := ""
	if len(u.Cost) > 0 {
		cost = fmt.Sprintf(`,"cost":%s`, strings.Trim(string(u.Cost), `"`))
	}
	return fmt.Appendf(nil, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}%s}`,
		u.Input, u.Output, u.Input+u.Output, u.CacheRead, cost)
}

// play answers.
func (a *answer) play(st Step) {
	if status, e, ok := a.fault.refusal(a.r.Header.Get("Authorization")); ok {
		if st.After != "" {
			a.w.Header().Set("Retry-After", st.After)
		}
		a.s.refuse(a.w, status, e)
		return
	}
	invalid := func(param, text string) {
		a.s.refuse(a.w, http.StatusBadRequest, map[string]any{"message": text, "type": "invalid_request_error", "param": param})
	}
	switch {
	case a.fault == HangUp:
		panic(http.ErrAbortHandler)
	case a.fault == HTML:
		a.w.Header().Set("Content-Type", "text/html")
		_, _ = a.w.Write([]byte("<!doctype html><title>Log in</title>"))
	case a.fault == Redirect:
		a.w.Header().Set("Location", "http://elsewhere.invalid/v1/chat/completions")
		a.w.WriteHeader(http.StatusTemporaryRedirect)
	case a.fault == Garbage:
		a.w.Header().Set("Content-Type", "text/event-stream")
		_, _ = a.w.Write([]byte("data: {\"choices\": [{{{\n\n"))
	case a.fault == ErrorFirst:
		a.s.json(a.w, http.StatusOK, map[string]any{"error": map[string]any{"message": "The service behind broke.", "code": 502}})
	case a.fault == NoOptions && a.q.Options != nil:
		invalid("stream_options", "Unrecognized request argument supplied: stream_options")
	case a.fault == NoStreaming && a.q.Stream:
		invalid("stream", "Your organization must be verified to stream this model.")
	case a.fault == Unsigned && !a.q.signed():
		invalid("", "Function call is missing a thought_signature in functionCall parts.")
	case !a.q.Stream || a.fault == Unstreamed:
		a.whole()
	default:
		a.stream()
	}
}

// signed reports whether each call has what Gemini wants back with it.
func (q chatRequest) signed() bool {
	for _, m := range q.Messages {
		for _, c := range m.Calls {
			if len(c.Extra) == 0 {
				return false
			}
		}
	}
	return true
}

// finish is the word that the answer ends with.
func (a *answer) finish() any {
	switch {
	case a.fault == NoFinish:
		return nil
	case a.fault == Length || a.fault == Spent:
		return "length"
	case a.fault == Withheld:
		return "content_filter"
	case len(a.calls) > 0 && a.fault != StopCalls && a.fault != Empty:
		return "tool_calls"
	}
	return "stop"
}

// content is a piece of text as the answer holds it.
func (a *answer) content(text string) any {
	switch {
	case a.fault == NullContent || a.silenced():
		return nil
	case a.fault == Parts:
		return []any{map[string]any{"type": "thinking", "thinking": "hm"}, map[string]any{"type": "text", "text": text}}
	}
	return text
}

// silenced reports whether the fault leaves out text and calls.
func (a *answer) silenced() bool { return a.fault == Empty || a.fault == Withheld || a.fault == Spent }

func (a *answer) args(c Call, text string) any {
	if a.fault == ArgsObject && json.Valid(c.Args) {
		return c.Args
	}
	return text
}

// whole answers in one document.
func (a *answer) whole() {
	m := map[string]any{"role": "assistant", "content": a.content(a.say)}
	if a.say == "" {
		m["content"] = nil
	}
	if len(a.calls) > 0 && !a.silenced() {
		var calls []any
		for _, c := range a.calls {
			calls = append(calls, map[string]any{"id": c.ID, "type": "function",
				"function": map[string]any{"name": c.Tool, "arguments": a.args(c, string(c.Args))}})
		}
		m["tool_calls"] = calls
	}
	choices := []any{map[string]any{"index": 0, "message": m, "finish_reason": a.finish()}}
	if a.fault == NoChoices {
		choices = []any{}
	}
	a.w.Header().Set("Content-Type", "application/json")
	_, _ = a.w.Write(a.spoil(map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": a.s.model(),
		"choices": choices, "usage": a.usage}))
}

// spoil is a document, with what JSON can't hold put in.
func (a *answer) spoil(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	bad := []byte("\xff\xfe")
	if a.fault == Surrogate {
		bad = []byte(`\ud83d`)
	}
	return bytes.ReplaceAll(b, []byte(badText), bad)
}

// pieces cuts a text into what is streamed at once: a word, or a few characters
// of arguments.
func pieces(text string, size int) []string {
	if size == 0 {
		return strings.SplitAfter(text, " ")
	}
	var out []string
	runes := []rune(text)
	for len(runes) > size {
		out, runes = append(out, string(runes[:size])), runes[size:]
	}
	return append(out, string(runes))
}

// between is how long a slow answer waits between two pieces.
const between = time.Second
