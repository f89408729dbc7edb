package fakes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Anthropic is the model behind Anthropic's messages.
func (m *Model) Anthropic() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := Asked{Path: r.URL.Path}
		var err error
		switch {
		case strings.HasSuffix(r.URL.Path, "/count_tokens"):
			err = answer(w, http.StatusOK, map[string]any{"input_tokens": 5})
		case r.Method == http.MethodPost && r.URL.Path == "/v1/messages":
			asked.Tools, err = m.messages(w, r)
		case r.Method == http.MethodHead:
		default:
			err = answer(w, http.StatusNotFound, map[string]any{})
		}
		m.note(asked, err)
	})
}

func (m *Model) messages(w http.ResponseWriter, r *http.Request) (tools []string, err error) {
	var in struct {
		Model    string
		Stream   bool
		Tools    []struct{ Name string }
		Messages []struct{ Content json.RawMessage }
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	prefix, ours := "", false
	if m.Server != "" {
		prefix = "mcp__" + m.Server + "__"
	}
	for _, t := range in.Tools {
		tools = append(tools, t.Name)
		ours = ours || strings.HasPrefix(t.Name, prefix+m.Steps[0].Tool)
	}
	// A client may add messages of its own at the end: results are looked for in all.
	var results []string
	for _, msg := range in.Messages {
		var blocks []struct {
			Type    string
			Content json.RawMessage
		}
		if json.Unmarshal(msg.Content, &blocks) != nil {
			continue // a plain text
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				results = append(results, texts(b.Content))
			}
		}
	}
	next, err := m.next(results, ours)
	if err != nil {
		return tools, err
	}
	block, delta, stop := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": next.text}, "end_turn"
	whole := map[string]any{"type": "text", "text": next.text}
	if next.tool != "" {
		id := fmt.Sprintf("toolu_%d", next.number)
		block = map[string]any{"type": "tool_use", "id": id, "name": prefix + next.tool, "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": next.args}
		whole = map[string]any{"type": "tool_use", "id": id, "name": prefix + next.tool, "input": json.RawMessage(next.args)}
		stop = "tool_use"
	}
	msg := map[string]any{"id": fmt.Sprintf("msg_%d", next.number), "type": "message", "role": "assistant", "model": in.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 11, "output_tokens": 1}}
	if !in.Stream {
		msg["content"], msg["stop_reason"] = []any{whole}, stop
		return tools, answer(w, http.StatusOK, msg)
	}
	return tools, events(w, []map[string]any{
		{"type": "message_start", "message": msg},
		{"type": "content_block_start", "index": 0, "content_block": block},
		{"type": "content_block_delta", "index": 0, "delta": delta},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 7}},
		{"type": "message_stop"},
	})
}
