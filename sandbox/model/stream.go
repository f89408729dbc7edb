package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// frame is one of a stream before it is written: its delta, or nothing but usage.
type frame struct {
	delta  map[string]any
	finish any
	usage  bool
}

// stream answers piece by piece.
func (a *answer) stream() {
	a.w.Header().Set("Content-Type", "text/event-stream")
	if a.unending() {
		return
	}
	frames := a.frames()
	for i, f := range frames {
		if i > 0 && a.broken(i, len(frames)) {
			return
		}
		if a.fault == Slow && i > 0 && a.s.o.Pause(a.r.Context(), between) != nil {
			return
		}
		a.write(a.spoil(a.chunk(f)))
	}
	switch a.fault {
	case NoDone:
	case Lingering:
		a.hang()
	default:
		a.write([]byte("[DONE]"))
	}
}

// unending plays the faults that have no frames, or too many.
func (a *answer) unending() bool {
	switch a.fault {
	case Silent:
		a.flush()
		a.hang()
	case Huge:
		text := strings.Repeat("very big ", 8<<10)
		for range 2048 {
			if a.r.Context().Err() != nil || !a.write(a.spoil(a.chunk(frame{delta: map[string]any{"content": text}}))) {
				break
			}
		}
	case HugeLine:
		_, err := a.w.Write([]byte(`data: {"choices":[{"delta":{"content":"`))
		for range 2048 {
			if err != nil || a.r.Context().Err() != nil {
				break
			}
			_, err = a.w.Write(bytes.Repeat([]byte("a"), 16<<10))
		}
	default:
		return false
	}
	return true
}

// broken plays the faults that happen in the middle, before frame i of n.
func (a *answer) broken(i, n int) bool {
	half := max(2, (n-1)/2) // after the first word or piece, before the last
	switch {
	case a.fault == CutEarly || a.fault == Cut && i >= half:
		panic(http.ErrAbortHandler)
	case a.fault == Idle && i >= 2:
		a.hang()
	case a.fault == Midway && i >= half:
		a.write([]byte(`{"error":{"message":"The service behind broke off.","code":502},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`))
	default:
		return false
	}
	return true
}

// hang waits until nobody listens any more, and ends without an end.
func (a *answer) hang() {
	<-a.r.Context().Done()
	panic(http.ErrAbortHandler)
}

// frames are the pieces of the answer.
func (a *answer) frames() []frame {
	out := []frame{{delta: map[string]any{"role": "assistant", "content": a.content("")}}}
	if !a.silenced() {
		if a.say != "" {
			for _, p := range pieces(a.say, 0) {
				out = append(out, frame{delta: map[string]any{"content": a.content(p)}})
			}
		}
		for i, c := range a.calls {
			out = append(out, a.callFrames(i, c)...)
		}
	}
	out = append(out, frame{delta: map[string]any{}, finish: a.finish()})
	if a.fault == NoChoices {
		out = nil
	}
	if a.q.Options != nil && string(a.usage) != "null" {
		out = append(out, frame{usage: true})
	}
	return out
}

// callFrames are the pieces of a call: its name first, then its arguments.
func (a *answer) callFrames(i int, c Call) []frame {
	one := func(fields map[string]any) frame {
		switch a.fault {
		case NoIndex, SplitNoIdx:
		case SameIndex:
			fields["index"] = 0
		default:
			fields["index"] = i
		}
		return frame{delta: map[string]any{"tool_calls": []any{fields}}}
	}
	first := map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Tool, "arguments": ""}}
	if a.fault == Signed || a.fault == Unsigned {
		first["extra_content"] = map[string]any{"google": map[string]any{"thought_signature": "signature of " + c.ID}}
	}
	if a.fault == NoIndex || a.fault == ArgsObject {
		first["function"] = map[string]any{"name": c.Tool, "arguments": a.args(c, string(c.Args))}
		return []frame{one(first)}
	}
	out := []frame{one(first)}
	size := 7
	if bytes.Contains(c.Args, []byte(badText)) {
		size = len(c.Args) // it stays whole
	}
	for n, p := range pieces(string(c.Args), size) {
		next := map[string]any{"function": map[string]any{"arguments": p}}
		if a.fault == NewIDs {
			next["id"] = fmt.Sprintf("%s_%d", c.ID, n)
		}
		out = append(out, one(next))
	}
	return out
}

// chunk is a frame as a document.
func (a *answer) chunk(f frame) any {
	c := map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": a.s.model(), "choices": []any{}}
	switch {
	case f.usage:
		c["usage"] = a.usage
		return c
	case a.fault == EachUsage:
		c["usage"] = a.usage
	}
	c["choices"] = []any{map[string]any{"index": 0, "delta": f.delta, "finish_reason": f.finish}}
	return c
}

// write writes a frame, and reports whether anybody listens.
func (a *answer) write(data []byte) bool {
	var b bytes.Buffer
	switch a.fault {
	case Comments:
		fmt.Fprintf(&b, ": PROCESSING\r\n\r\nevent: message\r\nid: 1\r\ndata:%s\r\n\r\n", data)
	case Unspaced:
		fmt.Fprintf(&b, "data: %s\n", data)
	case NoDone:
		fmt.Fprintf(&b, "\ndata: %s\n", data)
		b.Truncate(b.Len() - 1)
		if !bytes.Contains(data, []byte(`"usage"`)) {
			b.WriteString("\n")
		}
	case NullError:
		if json.Valid(data) {
			data = append([]byte(`{"error":null,`), data[1:]...)
		}
		fmt.Fprintf(&b, "data: %s\n\n", data)
	default:
		fmt.Fprintf(&b, "data: %s\n\n", data)
	}
	_, err := a.w.Write(b.Bytes())
	a.flush()
	return err == nil
}

func (a *answer) flush() { _ = http.NewResponseController(a.w).Flush() } // a writer that can't is none of the server's
