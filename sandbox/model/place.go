package model

import (
	"encoding/json"
	"slices"
	"strings"
)

// message is an entry of the conversation in a request.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Calls   []struct {
		ID       string          `json:"id"`
		Extra    json.RawMessage `json:"extra_content"`
		Function struct {
			Name string `json:"name"`
			Args string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	CallID string `json:"tool_call_id"`
}

func (m message) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	return ""
}

func (m message) names() []string {
	var out []string
	for _, c := range m.Calls {
		out = append(out, c.Function.Name)
	}
	return out
}

// over is what the model says when its script has ended.
const over = "The script has no more to say."

// conversation is what a request shows.
type conversation []message

// news is what came since the model's last words.
func (c conversation) news() conversation {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].Role == "assistant" {
			return c[i+1:]
		}
	}
	return c
}

// user is what the user said last.
func (c conversation) user() string {
	for _, m := range slices.Backward(c) {
		if m.Role == "user" {
			return m.text()
		}
	}
	return ""
}

// tool is the name of the tool that a result is of.
func (c conversation) tool(result message) string {
	for _, m := range slices.Backward(c) {
		for _, call := range m.Calls {
			if call.ID == result.CallID {
				return call.Function.Name
			}
		}
	}
	return ""
}

// place is the index of the step that comes after those that were played, as the
// conversation shows them.
func (s Script) place(c conversation) int {
	at := 0
	for _, m := range c {
		if m.Role != "assistant" || m.text() == over && len(m.Calls) == 0 ||
			s.Otherwise != nil && len(m.Calls) == 0 && m.text() == s.Otherwise.Say {
			continue
		}
		for _, left := range []func(Step, message) bool{Step.left, Step.leftPart, Step.leftText} {
			if i, ok := s.find(at, m, left); ok {
				at = i + 1
				break
			}
		}
	}
	return at
}

// find looks for the step from which a message can be.
func (s Script) find(at int, m message, left func(Step, message) bool) (int, bool) {
	for n := range len(s.Steps) {
		i := at + n
		if i >= len(s.Steps) {
			if !s.Loop {
				return 0, false
			}
			i %= len(s.Steps)
		}
		if left(s.Steps[i], m) {
			return i, true
		}
	}
	return 0, false
}

// left reports whether the message is what the step leaves.
func (st Step) left(m message) bool {
	same := strings.TrimSpace(m.text()) == strings.TrimSpace(st.Say)
	switch {
	case st.Fault.fails():
		return false
	case st.Obey:
		return len(m.Calls) > 0 || same
	case len(st.Call) > 0 || len(m.Calls) > 0:
		var names []string
		for _, c := range st.Call {
			names = append(names, c.Tool)
		}
		return slices.Equal(names, m.names())
	}
	return same || strings.Contains(st.Say, "{$.")
}

// leftPart reports whether the message is the beginning of what a step says that
// breaks off; a note on that may stand behind it.
func (st Step) leftPart(m message) bool {
	first := strings.TrimSpace(pieces(st.Say, 0)[0])
	return st.Fault.fails() && first != "" && len(m.Calls) == 0 && strings.HasPrefix(strings.TrimSpace(m.text()), first)
}

// leftText reports whether the message can be the step's words, changed on the way.
func (st Step) leftText(m message) bool {
	return !st.Fault.fails() && !st.Obey && len(st.Call) == 0 && len(m.Calls) == 0
}

// choose returns the index of the step for a request, -1 for none: the first from
// its place on that did not fail already and that is for such requests.
func (s *Server) choose(c conversation) int {
	script := s.o.Script
	at := script.place(c)
	for range 2 {
		for n := range len(script.Steps) {
			i := at + n
			if i >= len(script.Steps) {
				if !script.Loop {
					break
				}
				i %= len(script.Steps)
			}
			if st := script.Steps[i]; !s.failed[i] && st.When.fits(c) {
				s.failed[i] = st.Fault.fails()
				return i
			}
		}
		if !script.Loop {
			return -1
		}
		clear(s.failed) // round again
	}
	return -1
}

func (w *When) fits(c conversation) bool {
	if w == nil {
		return true
	}
	news := c.news()
	last := message{}
	if len(c) > 0 {
		last = c[len(c)-1]
	}
	holds := func(text, part string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(part)) }
	result := w.Result == ""
	for _, m := range news {
		result = result || m.Role == "tool" && holds(m.text(), w.Result)
	}
	return result &&
		holds(c.user(), w.User) &&
		(w.Tool == "" || last.Role == "tool" && c.tool(last) == w.Tool) &&
		(w.Last == "" || last.Role == w.Last)
}
