package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// source is one file as it was read: what errors point into.
type source struct {
	file string // as people may see it
	text []byte
}

// node is a JSON value with its place. encoding/json into structs would take
// duplicate keys, other spellings of case, and floats; this takes none of them.
type node struct {
	kind    byte   // '{' '[' '"' '0' 't' 'n'
	at      int    // byte offset of its first character
	text    string // of a string, decoded; of a number, its literal
	yes     bool   // of a boolean
	members []member
	items   []node
}

type member struct {
	key   string
	at    int
	value node
}

// maxDepth is more nesting than any file here has use for.
const maxDepth = 16

// errorf is fault.PolicyInvalid at a byte offset of the file.
func (s source) errorf(at int, format string, args ...any) error {
	before := s.text[:min(at, len(s.text))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fault.New(fault.PolicyInvalid, "%s:%d:%d: %s", s.file, line, column, fmt.Sprintf(format, args...)).
		Hintf("correct the file, then check it: ape-claw doctor").WithSent(fault.SentNo).
		With("file", s.file).With("line", line).With("column", column)
}

// parse reads one JSON value and nothing after it.
func (s source) parse() (node, error) {
	if bytes.HasPrefix(s.text, []byte("\xef\xbb\xbf")) {
		return node{}, s.errorf(0, "the file starts with a byte order mark: save it as plain UTF-8")
	}
	for i, r := range string(s.text) {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRune(s.text[i:]); size == 1 {
				return node{}, s.errorf(i, "not UTF-8")
			}
		}
	}
	// The whole text is checked first: its offset is exact, and after it the
	// walk over the tokens can't meet a syntax error.
	var whole json.RawMessage
	if err := json.Unmarshal(s.text, &whole); err != nil {
		at := 0
		var se *json.SyntaxError
		if errors.As(err, &se) {
			at = max(0, int(se.Offset)-1)
			if at == len(s.text)-1 && strings.Contains(se.Error(), "unexpected end") {
				at = len(s.text)
			}
		}
		return node{}, s.errorf(at, "invalid JSON: %v", err)
	}
	w := walker{source: s, dec: json.NewDecoder(bytes.NewReader(s.text))}
	w.dec.UseNumber()
	return w.value(0)
}

type walker struct {
	source
	dec *json.Decoder
}

// next returns the next token and where it starts: the decoder only knows where
// the one before it ended.
func (w *walker) next() (json.Token, int, error) {
	at := int(w.dec.InputOffset())
	for at < len(w.text) && strings.IndexByte(" \t\r\n,:", w.text[at]) >= 0 {
		at++
	}
	tok, err := w.dec.Token()
	if err != nil {
		return nil, at, w.errorf(at, "invalid JSON: %v", err)
	}
	return tok, at, nil
}

func (w *walker) value(depth int) (node, error) {
	tok, at, err := w.next()
	if err != nil {
		return node{}, err
	}
	n := node{at: at}
	switch t := tok.(type) {
	case json.Delim:
		n.kind = byte(t)
		if depth == maxDepth {
			return n, w.errorf(at, "nested more than %d deep", maxDepth)
		}
		if t == '{' {
			err = w.object(&n, depth)
		} else {
			err = w.array(&n, depth)
		}
	case string:
		n.kind, n.text = '"', t
		if strings.ContainsRune(t, utf8.RuneError) {
			err = w.errorf(at, "a string with a character that can't be read")
		}
	case json.Number:
		n.kind, n.text = '0', t.String()
	case bool:
		n.kind, n.yes = 't', t
	default:
		n.kind = 'n'
	}
	return n, err
}

func (w *walker) object(n *node, depth int) error {
	for w.dec.More() {
		tok, at, err := w.next()
		if err != nil {
			return err
		}
		key, ok := tok.(string)
		if !ok {
			return w.errorf(at, "a key was expected")
		}
		for _, m := range n.members {
			if m.key == key {
				return w.errorf(at, "key %q appears twice", key)
			}
		}
		v, err := w.value(depth + 1)
		if err != nil {
			return err
		}
		n.members = append(n.members, member{key, at, v})
	}
	_, _, err := w.next()
	return err
}

func (w *walker) array(n *node, depth int) error {
	for w.dec.More() {
		v, err := w.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, v)
	}
	_, _, err := w.next()
	return err
}

// is names the kind of a value, for messages.
func (n node) is() string {
	switch n.kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return fmt.Sprintf("the string %q", printable(n.text))
	case '0':
		return "the number " + printable(n.text)
	case 't':
		return fmt.Sprintf("%t", n.yes)
	}
	return "null"
}

// unknownKey is the error for a key that is none of known, with the nearest.
func (s source) unknownKey(m member, where string, known []string) error {
	if near := nearest(m.key, known); near != "" {
		return s.errorf(m.at, "unknown key %q%s: did you mean %q?", printable(m.key), where, near)
	}
	return s.errorf(m.at, "unknown key %q%s: expected one of %s", printable(m.key), where, strings.Join(known, ", "))
}

// nearest returns the known word that takes the fewest edits to reach, "" when
// none is near enough to have been meant.
func nearest(word string, known []string) string {
	best, at := "", 1+max(2, len(word)/3)
	for _, k := range known {
		if d := edits(strings.ToLower(word), strings.ToLower(k)); d < at {
			best, at = k, d
		}
	}
	return best
}

// edits is the Levenshtein distance of two words.
func edits(a, b string) int {
	if len(a) > 64 {
		return len(a) // nothing here is that long: no need to count
	}
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		diagonal := prev[0]
		prev[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, prev[j], prev[j+1])
			}
			diagonal, prev[j+1] = prev[j+1], cost
		}
	}
	return prev[len(b)]
}
