package fakes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// OpenAI is the model behind OpenAI's responses.
func (m *Model) OpenAI() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := Asked{Path: r.URL.Path}
		var err error
		switch {
		case r.Method == http.MethodPost && r.URL.Path == "/v1/responses":
			asked.Tools, err = m.responses(w, r)
		case r.Method == http.MethodGet && r.URL.Path == "/v1/models":
			err = answer(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{"id": "fake-model", "object": "model"}}, "models": []any{}})
		default:
			err = answer(w, http.StatusNotFound, map[string]any{})
		}
		m.note(asked, err)
	})
}

// declared is a tool of a request: a function, or a namespace of functions.
type declared struct {
	Type  string
	Name  string
	Tools []declared
}

func (m *Model) responses(w http.ResponseWriter, r *http.Request) (tools []string, err error) {
	var in struct {
		Tools []declared
		Input []struct {
			Type   string
			Output json.RawMessage
		}
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	prefix := "mcp__" + m.Server
	name := map[string]string{} // ours -> as a function of its own, or within the namespace
	namespace := ""
	for _, t := range in.Tools {
		if t.Type == "namespace" {
			for _, f := range t.Tools {
				tools = append(tools, t.Name+"."+f.Name)
				if strings.TrimSuffix(t.Name, "__") == prefix {
					name[strings.TrimPrefix(f.Name, prefix+"__")], namespace = f.Name, t.Name
				}
			}
			continue
		}
		label := t.Name
		if label == "" {
			label = t.Type
		}
		tools = append(tools, label)
		if ours, ok := strings.CutPrefix(t.Name, prefix+"__"); ok {
			name[ours] = t.Name
		}
	}
	var results []string
	for _, item := range in.Input {
		if item.Type == "function_call_output" {
			results = append(results, texts(item.Output))
		}
	}
	next, err := m.next(results, len(name) > 0)
	if err != nil {
		return tools, err
	}
	id := fmt.Sprintf("resp_%d", next.number)
	item := map[string]any{"type": "message", "id": "msg_" + id, "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": next.text}}}
	if next.tool != "" {
		item = map[string]any{"type": "function_call", "id": "fc_" + id, "call_id": "call_" + id, "name": name[next.tool], "arguments": next.args}
		if namespace != "" {
			item["namespace"] = namespace
		}
	}
	usage := map[string]any{"input_tokens": 11, "input_tokens_details": map[string]any{"cached_tokens": 2}, "output_tokens": 7,
		"output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 18}
	return tools, events(w, []map[string]any{
		{"type": "response.created", "response": map[string]any{"id": id}},
		{"type": "response.output_item.done", "output_index": 0, "item": item},
		{"type": "response.completed", "response": map[string]any{"id": id, "usage": usage}},
	})
}
