package telemetry

import (
	"bytes"
	"strconv"
	"unicode/utf16"
)

// replacement stands for what is no character.
const replacement = `\ufffd`

// escapeLen is the length of a \uXXXX.
const escapeLen = len(replacement)

// WholeText returns the JSON text b with each escape of half a surrogate pair, such as
// a lone \ud800, replaced by that of U+FFFD. JSON's grammar allows them, and
// JavaScript writes them; but they name no character, and strict readers (jq, Rust's
// serde) refuse the whole text that has one, and with it the rest of the log.
func WholeText(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\ud`)) && !bytes.Contains(b, []byte(`\uD`)) {
		return b
	}
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\\')
		if n < 0 || n+1 == len(b) {
			break
		}
		out = append(out, b[:n]...)
		b = b[n:]
		first, ok := escaped(b)
		switch {
		case !ok:
			n = 2 // another escape, perhaps that of a backslash
		case !utf16.IsSurrogate(first):
			n = escapeLen
		default:
			if second, ok := escaped(b[escapeLen:]); ok && utf16.DecodeRune(first, second) != '\ufffd' {
				n = 2 * escapeLen
				break
			}
			out, b = append(out, replacement...), b[escapeLen:]
			continue
		}
		out, b = append(out, b[:n]...), b[n:]
	}
	return append(out, b...)
}

// escaped returns the code of the \uXXXX that b begins with.
func escaped(b []byte) (code rune, ok bool) {
	if len(b) < escapeLen || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:escapeLen]), 16, 16)
	return rune(n), err == nil
}
