package tool

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// What arguments may be at the most.
const (
	MaxArgs  = 16 << 10 // bytes
	maxDepth = 6
)

// The kinds of values, as JSON Schema names them.
const (
	kindObject  = "object"
	kindArray   = "array"
	kindString  = "string"
	kindNumber  = "number"
	kindBoolean = "boolean"
	kindNull    = "null"
)

// value is JSON as it was written: numbers in their own digits, members in order.
type value struct {
	kind    string
	text    string // of a string its content; of a number and a boolean, as written
	members []member
	items   []value
}

type member struct {
	name  string
	value value
}

// invalid is the refusal of arguments: where, as a JSON pointer, and what belongs
// there. It does not repeat what was sent.
func invalid(at, expected string) *fault.Error {
	where := "the arguments"
	if at != "" {
		where = at
	}
	return fault.New(fault.InvalidArguments, "%s: expected %s", where, expected).
		Hintf("correct the arguments by the tool's schema and call it again").
		With("pointer", at).With("expected", expected).WithSent(fault.SentNo)
}

// pointed writes a name as a part of a JSON pointer. A name that was sent may be
// anything: it is shown cut, and with what is hidden in it visible.
func pointed(name string) string {
	return cut(visible(strings.NewReplacer("~", "~0", "/", "~1").Replace(name)), 60)
}

// parseArgs reads the arguments of a call, strictly. Nothing at all is what some
// services send for a call without arguments: it is the empty object.
func parseArgs(raw []byte) (value, error) {
	switch {
	case len(raw) == 0:
		return value{kind: kindObject}, nil
	case len(raw) > MaxArgs:
		return value{}, invalid("", "at most 16 KB")
	case !utf8.Valid(raw):
		return value{}, invalid("", "valid UTF-8")
	case !json.Valid(raw):
		return value{}, invalid("", "one JSON object, and nothing behind it")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := readValue(dec, "", 1)
	if err == nil && v.kind != kindObject {
		err = invalid("", "a JSON object").With("got", v.kind)
	}
	return v, err
}

func readValue(dec *json.Decoder, at string, depth int) (value, error) {
	tok, err := dec.Token()
	if err != nil {
		return value{}, invalid(at, "JSON")
	}
	switch t := tok.(type) {
	case json.Delim:
		if depth > maxDepth {
			return value{}, invalid(at, "at most "+strconv.Itoa(maxDepth)+" levels")
		}
		if t == '[' {
			return readArray(dec, at, depth)
		}
		return readObject(dec, at, depth)
	case string:
		return value{kind: kindString, text: t}, plain(t, at)
	case json.Number:
		return value{kind: kindNumber, text: t.String()}, nil
	case bool:
		return value{kind: kindBoolean, text: strconv.FormatBool(t)}, nil
	}
	return value{kind: kindNull, text: "null"}, nil
}

func readObject(dec *json.Decoder, at string, depth int) (value, error) {
	v := value{kind: kindObject}
	for dec.More() {
		tok, err := dec.Token()
		name, ok := tok.(string)
		if err != nil || !ok {
			return v, invalid(at, "JSON")
		}
		below := at + "/" + pointed(name)
		if err := plain(name, below); err != nil {
			return v, err
		}
		if slices.ContainsFunc(v.members, func(m member) bool { return m.name == name }) {
			return v, invalid(below, "each name once")
		}
		m := member{name: name}
		if m.value, err = readValue(dec, below, depth+1); err != nil {
			return v, err
		}
		v.members = append(v.members, m)
	}
	_, err := dec.Token()
	return v, err
}

func readArray(dec *json.Decoder, at string, depth int) (value, error) {
	v := value{kind: kindArray}
	for dec.More() {
		it, err := readValue(dec, at+"/"+strconv.Itoa(len(v.items)), depth+1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, it)
	}
	_, err := dec.Token()
	return v, err
}

// plain refuses text with what can't be seen in it: a person who is shown it would
// approve something else than what is there. U+FFFD stands where a text was broken
// on its way, as by half of a surrogate pair.
func plain(s, at string) error {
	for _, r := range s {
		if hidden(r) || r == utf8.RuneError {
			return invalid(at, "text without control, zero-width, direction and replacement characters")
		}
	}
	return nil
}

// canonical writes the value in the one form that its hash is made of.
func (v value) canonical() json.RawMessage { return v.append(nil) }

func (v value) append(b []byte) []byte {
	switch v.kind {
	case kindObject:
		sorted := slices.Clone(v.members)
		slices.SortFunc(sorted, func(a, b member) int { return strings.Compare(a.name, b.name) })
		b = append(b, '{')
		for i, m := range sorted {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(quote(b, m.name), ':')
			b = m.value.append(b)
		}
		return append(b, '}')
	case kindArray:
		b = append(b, '[')
		for i, it := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = it.append(b)
		}
		return append(b, ']')
	case kindString:
		return quote(b, v.text)
	}
	return append(b, v.text...)
}

// quote appends a JSON string; only what JSON must escape is escaped.
func quote(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always can be
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
