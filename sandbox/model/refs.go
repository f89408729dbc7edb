package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	wholeRef  = regexp.MustCompile(`^\$\.[A-Za-z0-9_]+(\.[A-Za-z0-9_-]+)*$`)
	withinRef = regexp.MustCompile(`\{(\$\.[A-Za-z0-9_]+(?:\.[A-Za-z0-9_-]+)*)\}`)
)

// fill puts values in place of the references in a JSON value.
func (c conversation) fill(v json.RawMessage) (json.RawMessage, error) {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return v, nil
	}
	switch v[0] {
	case '{':
		var object map[string]json.RawMessage
		if err := json.Unmarshal(v, &object); err != nil {
			return nil, err
		}
		for k, e := range object {
			filled, err := c.fill(e)
			if err != nil {
				return nil, err
			}
			object[k] = filled
		}
		return json.Marshal(object)
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(v, &list); err != nil {
			return nil, err
		}
		for i, e := range list {
			filled, err := c.fill(e)
			if err != nil {
				return nil, err
			}
			list[i] = filled
		}
		return json.Marshal(list)
	case '"':
		var s string
		if err := json.Unmarshal(v, &s); err != nil {
			return nil, err
		}
		if wholeRef.MatchString(s) {
			return c.ref(s)
		}
		s, err := c.fillText(s)
		if err != nil {
			return nil, err
		}
		return json.Marshal(s)
	}
	return v, nil
}

// fillText puts values in place of the references within a text.
func (c conversation) fillText(s string) (string, error) {
	var failed error
	out := withinRef.ReplaceAllStringFunc(s, func(r string) string {
		v, err := c.ref(strings.Trim(r, "{}"))
		if err != nil {
			failed = err
			return r
		}
		var text string
		if json.Unmarshal(v, &text) == nil {
			return text
		}
		return string(v)
	})
	return out, failed
}

// ref is the value that a reference leads to.
func (c conversation) ref(r string) (json.RawMessage, error) {
	path := strings.Split(strings.TrimPrefix(r, "$."), ".")
	if len(path) == 1 && path[0] == "user" {
		return json.Marshal(c.user())
	}
	found := false
	for _, m := range slices.Backward(c) {
		if m.Role != "tool" || c.tool(m) != path[0] {
			continue
		}
		found = true
		if v, ok := lookup(json.RawMessage(m.text()), path[1:]); ok {
			return v, nil
		}
	}
	if !found {
		return nil, fmt.Errorf("%s: the conversation holds no result of %s", r, path[0])
	}
	return nil, fmt.Errorf("%s: no result of %s has it", r, path[0])
}

// lookup follows a path into a result, through its fence and into the head of what
// was cut.
func lookup(v json.RawMessage, path []string) (json.RawMessage, bool) {
	for len(path) > 0 {
		var object map[string]json.RawMessage
		if json.Unmarshal(v, &object) != nil || object == nil {
			break
		}
		if _, ok := object[path[0]]; ok {
			break
		}
		var head string
		if json.Unmarshal(object["head"], &head) == nil && head != "" {
			return inHead(head, path[len(path)-1])
		}
		data, ok := object["data"]
		if !ok {
			return nil, false
		}
		v = data
	}
	for _, name := range path {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		switch i, err := strconv.Atoi(name); {
		case json.Unmarshal(v, &object) == nil && object != nil:
			next, ok := object[name]
			if !ok {
				return nil, false
			}
			v = next
		case err == nil && json.Unmarshal(v, &list) == nil && i >= 0 && i < len(list):
			v = list[i]
		default:
			return nil, false
		}
	}
	return v, json.Valid(v)
}

// inHead finds the first value of a name in JSON that was cut somewhere behind it.
func inHead(head, name string) (json.RawMessage, bool) {
	mark := strconv.Quote(name)
	for {
		_, rest, ok := strings.Cut(head, mark)
		if !ok {
			return nil, false
		}
		head = rest
		value, ok := strings.CutPrefix(strings.TrimLeft(rest, " \n\t"), ":")
		if !ok {
			continue
		}
		var v json.RawMessage
		if json.NewDecoder(strings.NewReader(value)).Decode(&v) == nil {
			return v, true
		}
	}
}

// order is what text from outside tells an obedient model to do.
var order = regexp.MustCompile(`CALL ([A-Za-z0-9_]{1,64})\s*`)

// maxOrders is how many of them are obeyed at once.
const maxOrders = 16

// orders are the calls that the newest text asks for.
func (c conversation) orders() []Call {
	for _, m := range slices.Backward(c.news()) {
		var calls []Call
		for _, text := range texts(m) {
			for _, at := range order.FindAllStringSubmatchIndex(text, maxOrders) {
				args := json.RawMessage("{}")
				rest := text[at[1]:]
				for _, t := range []string{rest, strings.ReplaceAll(rest, `\"`, `"`)} { // within the head of what was cut
					var object map[string]json.RawMessage
					if json.NewDecoder(strings.NewReader(t)).Decode(&object) == nil && object != nil {
						args, _ = json.Marshal(object) // it was decoded
						break
					}
				}
				calls = append(calls, Call{Tool: text[at[2]:at[3]], Args: args})
			}
		}
		if len(calls) > 0 {
			return calls[:min(len(calls), maxOrders)]
		}
	}
	return nil
}

// texts are the strings of a message: of a result, all that are in it.
func texts(m message) []string {
	var v any
	text := m.text()
	if m.Role != "tool" || json.Unmarshal([]byte(text), &v) != nil {
		return []string{text}
	}
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				out = append(out, k)
				walk(v[k])
			}
		}
	}
	walk(v)
	return out
}
