// Package fakes plays the services that model clients talk to, as far as the real
// clients need it: Anthropic's messages and OpenAI's responses, on loopback, with a
// model that follows a list of steps.
package fakes

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Step is one tool call of the model. Args gets the results of the calls before.
type Step struct {
	Tool string // as our server names it
	Args func(results []string) (string, error)
}

// Model calls its steps one after the other, each once the result of the one before
// is in the conversation, and then says what it saw last. It is safe for concurrent
// use and keeps no place: a conversation alone says where it is.
type Model struct {
	Server string // what the client calls our server: apeclaw; "": the steps are the client's own tools
	Steps  []Step

	mu     sync.Mutex // guards what follows
	asked  []Asked
	failed []error
}

// Asked is a request that the model got.
type Asked struct {
	Path  string
	Tools []string // every tool that was declared, as the client names it
}

// Asked lists the requests, in their order.
func (m *Model) Asked() []Asked {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked)
}

// Failed lists what could not be answered.
func (m *Model) Failed() []error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.failed)
}

func (m *Model) note(a Asked, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, a)
	if err != nil {
		m.failed = append(m.failed, err)
	}
}

// move is what the model does next: a call, or its last words.
type move struct {
	tool, args string // tool is ours
	text       string
	number     int
}

// Last begins the last words of a model whose steps are done.
const Last = "SAW "

// next follows from the results in the conversation. A client also asks for other
// things, such as a title: it declares no tools then, and gets a word.
func (m *Model) next(results []string, ours bool) (move, error) {
	n := len(results)
	switch {
	case !ours:
		return move{text: "fine"}, nil
	case n >= len(m.Steps):
		return move{text: Last + results[n-1], number: n}, nil
	}
	args, err := m.Steps[n].Args(results)
	if err != nil {
		return move{}, fmt.Errorf("step %d, %s: %w", n+1, m.Steps[n].Tool, err)
	}
	return move{tool: m.Steps[n].Tool, args: args, number: n}, nil
}

// Fixed are arguments that depend on nothing.
func Fixed(args string) func([]string) (string, error) {
	return func([]string) (string, error) { return args, nil }
}

// events writes a stream of Server-Sent Events.
func events(w http.ResponseWriter, list []map[string]any) error {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range list {
		b, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "event: %v\ndata: %s\n\n", e["type"], b); err != nil {
			return err
		}
	}
	return nil
}

func answer(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	return json.NewEncoder(w).Encode(v)
}

// maxRequest is more than a client sends in a short conversation.
const maxRequest = 8 << 20

func read(r *http.Request, into any) error {
	b, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// texts is content that is a string, or a list of parts with a text.
func texts(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return string(raw)
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
