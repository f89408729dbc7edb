package canon

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// What is longer or deeper is refused.
const (
	MaxBytes = 1 << 20
	MaxDepth = 128
)

// JSON returns the canonical form of the JSON text raw: of what JSON.parse makes of
// it. Of equal keys in an object the last one counts, a number is the double that
// is nearest to it, and one that no double holds is null, as in ECMAScript. Text
// that JSON.parse refuses is refused, and so is what is not valid UTF-8.
func JSON(raw []byte) ([]byte, error) {
	if len(raw) > MaxBytes {
		return nil, fault.New(fault.Usage, "the JSON is longer than %d bytes", MaxBytes)
	}
	if !utf8.Valid(raw) {
		return nil, fault.New(fault.Usage, "the JSON is not UTF-8")
	}
	p := parser{in: raw, out: make([]byte, 0, len(raw))}
	p.space()
	if err := p.value(0); err != nil {
		return nil, err
	}
	if p.space(); p.at < len(p.in) {
		return nil, p.fault("the end")
	}
	return p.out, nil
}

// Hash is the keccak256 of the canonical form of raw.
func Hash(raw []byte) (common.Hash, error) {
	text, err := JSON(raw)
	if err != nil {
		return common.Hash{}, err
	}
	return crypto.Keccak256Hash(text), nil
}

// parser reads JSON and writes its canonical form as it goes.
type parser struct {
	in  []byte
	at  int
	out []byte
}

// fault is the refusal of what stands at the parser's place.
func (p *parser) fault(want string) error {
	if p.at >= len(p.in) {
		return fault.New(fault.Usage, "not JSON: it ends where %s is expected", want)
	}
	r, _ := utf8.DecodeRune(p.in[p.at:])
	return fault.New(fault.Usage, "not JSON: %q at byte %d, where %s is expected", r, p.at+1, want)
}

func (p *parser) space() {
	for p.at < len(p.in) && (p.in[p.at] == ' ' || p.in[p.at] == '\n' || p.in[p.at] == '\r' || p.in[p.at] == '\t') {
		p.at++
	}
}

// next is the byte at the parser's place; 0, which no token is, at the end.
func (p *parser) next() byte {
	if p.at < len(p.in) {
		return p.in[p.at]
	}
	return 0
}

func (p *parser) value(depth int) error {
	switch c := p.next(); {
	case c == '{' || c == '[':
		if depth == MaxDepth {
			return fault.New(fault.Usage, "the JSON is nested deeper than %d", MaxDepth)
		}
		if c == '{' {
			return p.object(depth + 1)
		}
		return p.array(depth + 1)
	case c == '"':
		s, err := p.text()
		p.out = appendText(p.out, s)
		return err
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(p.in[p.at:], []byte(word)) {
			p.at += len(word)
			p.out = append(p.out, word...)
			return nil
		}
	}
	return p.fault("a value")
}

// item reads what follows a bracket or an item: the closing bracket, with more
// false, or the next item's beginning.
func (p *parser) item(first bool, end byte) (more bool, err error) {
	p.space()
	switch c := p.next(); {
	case c == end && p.at < len(p.in):
		p.at++
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, p.fault("a comma or the closing bracket")
	}
	p.at++
	p.space()
	return true, nil
}

func (p *parser) array(depth int) error {
	p.at++
	p.out = append(p.out, '[')
	for n := 0; ; n++ {
		more, err := p.item(n == 0, ']')
		if err != nil {
			return err
		}
		if !more {
			p.out = append(p.out, ']')
			return nil
		}
		if n > 0 {
			p.out = append(p.out, ',')
		}
		if err := p.value(depth); err != nil {
			return err
		}
	}
}

// member is a key with its value's canonical text.
type member struct {
	key   []uint16
	value []byte
}

func (p *parser) object(depth int) error {
	p.at++
	var members []member
	before := p.out
	for n := 0; ; n++ {
		more, err := p.item(n == 0, '}')
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if p.next() != '"' {
			return p.fault("a key")
		}
		key, err := p.text()
		if err != nil {
			return err
		}
		if p.space(); p.next() != ':' {
			return p.fault("a colon")
		}
		p.at++
		p.space()
		p.out = nil // the member's own, sorted into place afterwards
		if err := p.value(depth); err != nil {
			return err
		}
		members = append(members, member{key, p.out})
	}
	slices.SortStableFunc(members, func(a, b member) int { return slices.Compare(a.key, b.key) })
	p.out = append(before, '{')
	for i, m := range members {
		if i+1 < len(members) && slices.Equal(m.key, members[i+1].key) {
			continue // a later one has the same key
		}
		if p.out[len(p.out)-1] != '{' {
			p.out = append(p.out, ',')
		}
		p.out = append(appendText(p.out, m.key), ':')
		p.out = append(p.out, m.value...)
	}
	p.out = append(p.out, '}')
	return nil
}
