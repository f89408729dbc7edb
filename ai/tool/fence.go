package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// ResultBytes is the most of a result that a model gets at once.
	ResultBytes = 4096
	// maxText is the longest text from outside, in characters: a name, a reason.
	maxText = 200
	// maxError bounds a text of an error, which may quote what is outside.
	maxError = 500
)

// hidden reports whether a character changes what a reader sees without being seen
// itself: controls, directions, zero width, fillers, tags. The two selectors that
// say whether an emoji is in colour are none.
func hidden(r rune) bool {
	switch r {
	case '\n', '\t', 0xFE0E, 0xFE0F:
		return false
	case 0x2800: // an empty cell of Braille
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// visible writes hidden characters as the escapes that stand for them: a reader
// sees \u202e, and the text keeps its direction.
func visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// cut shortens a text to most characters.
func cut(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most-1 {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// tidy rewrites a JSON document: hidden characters become visible, and no text is
// longer than most characters; 0 leaves them whole. All else, the order of the
// members too, stays.
func tidy(doc []byte, most int) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	out := make([]byte, 0, len(doc))
	if out, err := tidyValue(dec, out, most); err != nil {
		return nil, err
	} else if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something stands behind the document: %w", err)
	} else {
		return out, nil
	}
}

func tidyValue(dec *json.Decoder, out []byte, most int) ([]byte, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	text := func(s string) []byte {
		if s = visible(s); most > 0 {
			s = cut(s, most)
		}
		return quote(out, s)
	}
	switch t := tok.(type) {
	case json.Delim:
		out = append(out, byte(t))
		for first := true; dec.More(); first = false {
			if !first {
				out = append(out, ',')
			}
			if t == '{' {
				name, err := dec.Token()
				if err != nil {
					return nil, err
				}
				s, _ := name.(string) // the decoder lets nothing else stand here
				out = append(text(s), ':')
			}
			if out, err = tidyValue(dec, out, most); err != nil {
				return nil, err
			}
		}
		end, err := dec.Token()
		if err != nil {
			return nil, err
		}
		d, _ := end.(json.Delim)
		return append(out, byte(d)), nil
	case string:
		return text(t), nil
	case json.Number:
		return append(out, t...), nil
	case bool:
		return fmt.Appendf(out, "%t", t), nil
	}
	return append(out, "null"...), nil
}

// encode marshals without escaping what HTML would need: the reader is a model.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// fenced puts data behind the fence: what comes from outside says so, and whose
// result it is.
func fenced(source string, untrusted bool, data []byte) []byte {
	out := []byte("{")
	if untrusted {
		out = append(quote(append(out, `"untrusted":true,"source":`...), source), ',')
	}
	out = append(append(out, `"data":`...), data...)
	return append(out, '}')
}

// piece is a part of a document that was too long, from a byte on; it fits into
// ResultBytes with what head says before it, and ends on a whole character.
func piece(doc []byte, from int, wrap func(text string, to int) []byte) (text []byte, to int) {
	to = min(from+ResultBytes, len(doc))
	for {
		for to < len(doc) && to > from && !utf8.RuneStart(doc[to]) {
			to--
		}
		text = wrap(string(doc[from:to]), to)
		over := len(text) - ResultBytes
		if over <= 0 || to == from {
			return text, to
		}
		to = max(from, to-max(over/2, 1))
	}
}
