package canon

import (
	"encoding/hex"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string as UTF-16, in which a surrogate may stand alone.
func (p *parser) text() ([]uint16, error) {
	p.at++
	units := []uint16{}
	for p.at < len(p.in) {
		switch c := p.in[p.at]; {
		case c == '"':
			p.at++
			return units, nil
		case c == '\\':
			u, err := p.escape()
			if err != nil {
				return nil, err
			}
			units = append(units, u)
		case c < ' ':
			return nil, p.fault("no control character")
		default:
			r, size := utf8.DecodeRune(p.in[p.at:])
			units = utf16.AppendRune(units, r)
			p.at += size
		}
	}
	return nil, p.fault("the closing quote")
}

// unescaped is what an escape other than \u stands for.
func unescaped(c byte) (uint16, bool) {
	switch c {
	case '"', '\\', '/':
		return uint16(c), true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	}
	return 0, false
}

func (p *parser) escape() (uint16, error) {
	p.at++ // the backslash
	c := p.next()
	if u, ok := unescaped(c); ok {
		p.at++
		return u, nil
	}
	if c != 'u' {
		return 0, p.fault("an escape")
	}
	p.at++
	var b [2]byte
	if len(p.in)-p.at < 4 {
		p.at = len(p.in)
		return 0, p.fault("a hexadecimal digit")
	}
	if _, err := hex.Decode(b[:], p.in[p.at:p.at+4]); err != nil {
		return 0, p.fault("a hexadecimal digit")
	}
	p.at += 4
	return uint16(b[0])<<8 | uint16(b[1]), nil
}

// appendText writes a string as JSON.stringify does: only quote, backslash, the
// control characters and lone surrogates are escaped.
func appendText(out []byte, units []uint16) []byte {
	out = append(out, '"')
	for i := 0; i < len(units); i++ {
		u := units[i]
		if short := escaped(u); short != "" {
			out = append(out, short...)
			continue
		}
		switch {
		case u < ' ':
			out = appendHex(out, u)
		case !utf16.IsSurrogate(rune(u)):
			out = utf8.AppendRune(out, rune(u))
		default:
			var pair rune = utf8.RuneError
			if i+1 < len(units) {
				pair = utf16.DecodeRune(rune(u), rune(units[i+1]))
			}
			if pair == utf8.RuneError { // no pair makes that one
				out = appendHex(out, u)
				continue
			}
			out = utf8.AppendRune(out, pair)
			i++
		}
	}
	return append(out, '"')
}

// escaped is the short escape of a character that has one.
func escaped(u uint16) string {
	switch u {
	case '"':
		return `\"`
	case '\\':
		return `\\`
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	return ""
}

func appendHex(out []byte, u uint16) []byte {
	return hex.AppendEncode(append(out, `\u`...), []byte{byte(u >> 8), byte(u)})
}
