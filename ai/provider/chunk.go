package provider

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// chunk is a frame of a stream, or a whole answer. Fields whose type services do
// not agree on stay raw, and what is not used is not read, so that it can't fail.
type chunk struct {
	Model   json.RawMessage `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Groq    struct {
		Usage json.RawMessage `json:"usage"`
	} `json:"x_groq"`
	Error   json.RawMessage `json:"error"`
	Object  json.RawMessage `json:"object"`
	Message json.RawMessage `json:"message"` // of vLLM's error
}

type choice struct {
	Index   int             `json:"index"`
	Delta   *delta          `json:"delta"`
	Message *delta          `json:"message"` // of an answer that is not streamed
	Finish  json.RawMessage `json:"finish_reason"`
}

type delta struct {
	Content json.RawMessage `json:"content"`
	Refusal json.RawMessage `json:"refusal"`
	Calls   []callDelta     `json:"tool_calls"`
}

type callDelta struct {
	Index    json.RawMessage `json:"index"`
	ID       json.RawMessage `json:"id"`
	Extra    json.RawMessage `json:"extra_content"`
	Function struct {
		Name json.RawMessage `json:"name"`
		Args json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// part returns what the choice says, in either form.
func (c choice) part() delta {
	if c.Delta != nil {
		return *c.Delta
	}
	if c.Message != nil {
		return *c.Message
	}
	return delta{}
}

// errored reports whether the frame is an error in place of a part of an answer.
func (c chunk) errored() bool {
	return present(c.Error) || str(c.Object) == "error" && present(c.Message)
}

func present(v json.RawMessage) bool { return len(v) > 0 && string(v) != "null" }

// str is a value that should be a string, "" if it is none.
func str(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// index is a value that should be a number of a list; false if there is none.
func index(v json.RawMessage) (int, bool) {
	n, err := strconv.Atoi(string(v))
	return n, err == nil && n >= 0
}

// content is text as a string, or as a list of parts of which some are text.
func content(v json.RawMessage) string {
	if len(v) == 0 || v[0] != '[' {
		return str(v)
	}
	var parts []struct {
		Type string          `json:"type"`
		Text json.RawMessage `json:"text"`
	}
	if json.Unmarshal(v, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" || p.Type == "output_text" {
			b.WriteString(str(p.Text))
		}
	}
	return b.String()
}

// arguments returns what the model wrote, exactly: the value of a string, or an
// object's own bytes where a service sends one. False: it can't be had exactly,
// since it holds bytes that are no text or half a character, which decoding would
// replace.
func arguments(v json.RawMessage) (string, bool) {
	if !present(v) {
		return "", true
	}
	if v[0] != '"' {
		return string(v), exact(v)
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return "", false
	}
	return s, exact(v)
}

// exact reports whether JSON can be decoded without a replacement.
func exact(v []byte) bool {
	if !utf8.Valid(v) {
		return false
	}
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' || i+1 >= len(v) {
			continue
		}
		if v[i+1] != 'u' {
			i++
			continue
		}
		switch r := unit(v[i:]); {
		case r >= 0xd800 && r < 0xdc00:
			if low := unit(v[min(i+6, len(v)):]); low < 0xdc00 || low > 0xdfff {
				return false
			}
			i += 11
		case r >= 0xdc00 && r <= 0xdfff:
			return false
		default:
			i += 5
		}
	}
	return true
}

// unit reads \uXXXX at the start of v, -1 if it is not there.
func unit(v []byte) int {
	if len(v) < 6 || v[0] != '\\' || v[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(v[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int(n)
}

// Bounds of a list of models.
const (
	maxModels    = 5000
	maxModelName = 200
)

// modelNames reads a list of models in the shapes in use: {"data":[{"id":…}]},
// {"models":[{"name":…}]}, and the bare list. Names that no person could type are
// left out.
func modelNames(b []byte) ([]string, bool) {
	type entry struct {
		ID   json.RawMessage `json:"id"`
		Name json.RawMessage `json:"name"`
	}
	var list []entry
	if b = bytes.TrimSpace(b); len(b) > 0 && b[0] == '[' {
		if json.Unmarshal(b, &list) != nil {
			return nil, false
		}
	} else {
		var w struct {
			Data   *[]entry        `json:"data"`
			Models *[]entry        `json:"models"`
			Object json.RawMessage `json:"object"`
		}
		if json.Unmarshal(b, &w) != nil {
			return nil, false
		}
		switch {
		case w.Data != nil:
			list = *w.Data
		case w.Models != nil:
			list = *w.Models
		case str(w.Object) != "list": // Ollama without models: {"object":"list","data":null}
			return nil, false
		}
	}
	var names []string
	for _, e := range list {
		name := str(e.ID)
		if name == "" {
			name = str(e.Name)
		}
		if printable(name, maxModelName) && len(names) < maxModels {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), true
}

// printable reports whether s can be shown and typed as it is.
func printable(s string, most int) bool {
	if s == "" || len(s) > most || !utf8.ValidString(s) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) || r == utf8.RuneError })
}
