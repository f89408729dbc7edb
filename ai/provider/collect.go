package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The ends of a step, as ai.Reply names them.
const (
	finishStop   = "stop"
	finishCalls  = "tool_calls"
	finishLength = "length"
	finishFilter = "content_filter"
)

// The most that one step may hold. Ten calls of 16 KiB is what is ever run.
const (
	maxText  = 1 << 20
	maxArgs  = 256 << 10 // of all calls together
	maxCalls = 128
	maxID    = 128
	maxName  = 256
)

// afterFinish is how long the count of tokens is waited for once all was said.
const afterFinish = 5 * time.Second

// slot is a tool call that is being collected.
type slot struct {
	index int
	id    string
	name  string
	args  strings.Builder
	extra json.RawMessage
}

// collector puts a step together from its pieces.
type collector struct {
	c    *client
	x    *exchange
	on   func(string)
	seed string
	used map[string]bool // ids that the conversation has already

	model  string
	text   strings.Builder
	slots  []*slot
	bytes  int
	finish string
	usage  ai.Usage
	handed bool // text was handed on
	seen   bool // a choice came
	late   bool // something was said after the finish
}

// add takes one piece.
func (k *collector) add(b []byte) *failure {
	var w chunk
	if err := unwrap(b, &w); err != nil {
		return k.c.fail(err, fault.ProviderError, "%s answered with what is no part of an answer", k.c.name)
	}
	if w.errored() {
		return k.errored(b)
	}
	if m := str(w.Model); printable(m, maxModelName) {
		k.model = m
	}
	for _, u := range []json.RawMessage{w.Groq.Usage, w.Usage} {
		if present(u) {
			k.usage = readUsage(u) // so far, or in all: the last one holds
		}
	}
	for _, c := range w.Choices {
		if c.Index != 0 {
			continue // one was asked for
		}
		if fail := k.choice(c); fail != nil {
			return fail
		}
	}
	return nil
}

// unwrap decodes a frame, also one that Gemini puts into a list.
func unwrap(b []byte, w *chunk) error {
	if len(b) > 0 && b[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(b, &list); err != nil || len(list) == 0 {
			return cmp.Or(err, errNotJSON)
		}
		b = list[0]
	}
	return json.Unmarshal(b, w)
}

func (k *collector) choice(c choice) *failure {
	k.seen = true
	p := c.part()
	text := content(p.Content)
	if text == "" {
		text = str(p.Refusal)
	}
	if k.text.Len()+len(text) > maxText {
		return k.c.fail(nil, fault.ProviderError, "the answer of %s is larger than %d bytes of text", k.c.name, maxText)
	}
	k.late = k.late || k.finish != "" && (text != "" || len(p.Calls) > 0)
	if text != "" {
		k.text.WriteString(text)
		if k.on != nil {
			k.handed = true
			k.on(text)
		}
	}
	for _, d := range p.Calls {
		if fail := k.call(d, len(p.Calls)); fail != nil {
			return fail
		}
	}
	if f := str(c.Finish); f != "" && f != "null" {
		k.finish = f
		k.x.idle = min(k.x.idle, afterFinish)
		k.x.beat()
	}
	return nil
}

// call adds a piece of a tool call to the one that it belongs to.
func (k *collector) call(d callDelta, together int) *failure {
	id, name := str(d.ID), str(d.Function.Name)
	args, ok := arguments(d.Function.Args)
	if !ok {
		return k.c.fail(nil, fault.ProviderError, "%s sent arguments of a tool call that are no text", k.c.name)
	}
	s, ok := k.slot(d, id, name, together)
	switch {
	case !ok:
		return k.c.fail(nil, fault.ProviderError, "%s sent pieces of tool calls that can't be told apart", k.c.name)
	case len(k.slots) > maxCalls:
		return k.c.fail(nil, fault.ProviderError, "%s asked for more than %d tool calls at once", k.c.name, maxCalls)
	}
	if k.bytes += len(args) + len(name); k.bytes > maxArgs {
		return k.c.fail(nil, fault.ProviderError, "the tool calls of %s are larger than %d bytes", k.c.name, maxArgs)
	}
	s.id, s.name = cmp.Or(s.id, id), cmp.Or(s.name, name)
	s.args.WriteString(args)
	if present(d.Extra) && len(d.Extra) <= maxExtra {
		s.extra = slices.Clone(d.Extra)
	}
	return nil
}

// slot finds the call that a piece belongs to, or begins one. With an index it is
// that one, unless another call begins there: services count from 0 for each
// (Ollama). Without an index (Gemini) it is the one of its id; a name begins a
// call; and anything else goes on with the last one, if it can be only that.
func (k *collector) slot(d callDelta, id, name string, together int) (*slot, bool) {
	begins := func(s *slot) bool { return name != "" && s.name != "" && id != "" && s.id != "" && id != s.id }
	n, indexed := index(d.Index)
	if indexed {
		for _, s := range slices.Backward(k.slots) {
			if s.index == n {
				if begins(s) {
					break
				}
				return s, true
			}
		}
		return k.begin(n), true
	}
	if id != "" {
		for _, s := range k.slots {
			if s.id == id && (name == "" || name == s.name) && s.name != "" {
				return s, true
			}
		}
	}
	switch {
	case name != "":
		next := 0
		for _, s := range k.slots {
			next = max(next, s.index+1)
		}
		return k.begin(next), true
	case len(k.slots) == 0 || together > 1 && len(k.slots) > 1:
		return nil, false
	}
	return k.slots[len(k.slots)-1], true
}

func (k *collector) begin(n int) *slot {
	s := &slot{index: n}
	k.slots = append(k.slots, s)
	return s
}

// errored is the failure of an error object within a stream.
func (k *collector) errored(b []byte) *failure {
	s := readSaid(b)
	status := s.status
	if status == 0 && s.overloaded() {
		status = 500
	}
	if status != 0 {
		f := k.c.badStatus(status, nil, b)
		f.refused = "" // the request was taken
		return f
	}
	return k.c.fail(nil, fault.ProviderError, "%s broke off with an error%s", k.c.name, k.c.quote(s.text))
}

// broken makes f the failure of a stream that broke off.
func (k *collector) broken(f *failure) *failure {
	if f.again {
		f.fault.Message = fmt.Sprintf("the answer of %s broke off", k.c.name)
		if n := k.text.Len(); n > 0 {
			f.fault.Message += fmt.Sprintf(" after %d bytes of text", n)
		}
		f.fault.Hint = "try again; nothing of it was run"
	}
	return f
}

// done judges a step that came to its end.
func (k *collector) done() *failure {
	for _, s := range k.slots {
		if s.name == "" {
			return k.c.fail(nil, fault.ProviderError, "%s sent a tool call without a name", k.c.name)
		}
	}
	finish := k.end()
	switch {
	case !k.seen:
		return k.c.fail(nil, fault.ProviderError, "%s answered without an answer in it", k.c.name)
	case k.finish == "error" || strings.Contains(strings.ToUpper(k.finish), "MALFORMED"):
		return k.c.fail(nil, fault.ProviderError, "%s broke off with an error", k.c.name)
	case k.text.Len() > 0 || len(k.slots) > 0:
		return nil
	case finish == finishLength:
		return k.nothing("%s used all its tokens before its first word").
			hint("allow more tokens, or choose a model that thinks less")
	case finish == finishFilter:
		return k.nothing("the content filter of %s withheld the answer")
	}
	return k.nothing("%s answered with nothing: no text and no tool call").hint("ask again, or choose another model")
}

func (k *collector) nothing(format string) *failure {
	f := k.c.fail(nil, fault.ProviderError, format, k.c.name)
	f.fault = f.fault.With("finish", k.end())
	return f
}

func (f *failure) hint(s string) *failure {
	f.fault.Hint = s
	return f
}

// end is the finish in our words. Services end calls with stop, or with words of
// their own; a limit or a filter stays what it is.
func (k *collector) end() string {
	switch f := strings.ToLower(k.finish); {
	case f == finishLength || f == "max_tokens":
		return finishLength
	case f == finishFilter || f == "safety" || strings.HasPrefix(f, finishFilter):
		return finishFilter
	case len(k.slots) > 0:
		return finishCalls
	}
	return finishStop
}

// reply is what was collected.
func (k *collector) reply() ai.Reply {
	r := ai.Reply{Text: k.text.String(), Model: k.model, Finish: k.end(), Usage: k.usage}
	r.Usage.CostMicros = cmp.Or(r.Usage.CostMicros, Cost(r.Usage, k.c.o.Price))
	slices.SortStableFunc(k.slots, func(a, b *slot) int { return cmp.Compare(a.index, b.index) })
	for i, s := range k.slots {
		call := ai.ToolCall{ID: k.id(s.id, i), Name: s.name, Args: s.args.String()}
		k.used[call.ID] = true
		k.c.remember(call.ID, s.extra)
		if len(call.Name) > maxName {
			call.Name = call.Name[:maxName] // of no tool in any case
		}
		r.Calls = append(r.Calls, call)
	}
	return r
}

// id is the service's id of a call, or one of ours where it has none, gives it
// twice, or gives what is no id. Ours are nine letters and digits, which is what
// the strictest service (Mistral) takes, and follow from the request.
func (k *collector) id(id string, n int) string {
	if printable(id, maxID) && !k.used[id] {
		return id
	}
	for ; ; n += maxCalls {
		own := base36(digest(k.seed, n))[:9]
		if !k.used[own] {
			return own
		}
	}
}
