package telemetry

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// unquote returns the text of the JSON string literal lit, which must be valid.
// Without an escape it is a slice of lit.
func unquote(lit []byte) []byte {
	if bytes.IndexByte(lit, '\\') < 0 {
		return lit[1 : len(lit)-1]
	}
	var s string
	if err := json.Unmarshal(lit, &s); err != nil {
		return lit[1 : len(lit)-1]
	}
	return []byte(s)
}

// appendString appends s as a JSON string literal. Only what JSON, a line, or
// an SSE frame can't hold is escaped: no HTML escaping, but U+2028 and U+2029.
// Bytes that are not UTF-8 become U+FFFD.
func appendString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\ufffd"...)
			start = i + size
		case r == '\u2028' || r == '\u2029':
			dst = append(dst, s[start:i]...)
			dst = append(dst, `\u202`...)
			dst = append(dst, hexDigits[r&0xf])
			start = i + size
		}
		i += size
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// member is one member of a JSON object: the key's text and the raw value.
type member struct {
	key   string
	value []byte
}

// members returns the members of the object b in their order, or false when b
// is not a JSON object.
func members(b []byte) ([]member, bool) {
	i := skipSpace(b, 0)
	if i == len(b) || b[i] != '{' {
		return nil, false
	}
	var out []member
	end, ok := skipMembers(b, i, 1, func(key, keyEnd, val, valEnd int) {
		out = append(out, member{string(unquote(b[key:keyEnd])), b[val:valEnd]})
	})
	return out, ok && skipSpace(b, end) == len(b)
}
