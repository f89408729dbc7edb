package telemetry

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strings"
)

// minSecret is the shortest secret that is looked for everywhere: shorter ones
// are ordinary words, and are covered by the names of their fields only.
const minSecret = 6

// prefixLen is how many bytes of a needle are indexed.
const prefixLen = 4

// needle is one spelling of a secret.
type needle struct {
	text string
	fold bool // hexadecimal: the case of letters does not matter
	run  bool // base64: the whole run of its alphabet around it goes too
}

// needles finds many spellings at once: a bit for most bytes of a text, a map
// look-up for few.
type needles struct {
	byPrefix map[[prefixLen]byte][]needle
	pairs    [1 << 16 / 64]uint64 // the first two bytes of the prefixes, in lower case
	// threes has a bit for each three bytes in a row, in lower case, with which a
	// needle's first sampled+2 bytes are seen wherever they stand: see may.
	threes [1 << 16 / 64]uint64
}

// sampled is how many bytes apart a text is looked at for threes: a needle of
// minSecret bytes has one of them at each place.
const sampled = minSecret - 2

func threeBit(a, b, c byte) (word uint32, bit uint64) {
	n := (uint32(lowered[a])*0x9e3779b1 ^ uint32(lowered[b])*0x85ebca6b ^ uint32(lowered[c])*0xc2b2ae35) >> 16
	return n / 64, 1 << (n % 64)
}

// lowered is lowerByte as a table.
var lowered = func() (t [256]byte) {
	for i := range t {
		t[i] = lowerByte(byte(i))
	}
	return t
}()

// may is false when no needle is in text.
func (n *needles) may(text []byte) bool {
	if len(n.byPrefix) == 0 {
		return false
	}
	for i := 0; i+2 < len(text); i += sampled {
		if word, bit := threeBit(text[i], text[i+1], text[i+2]); n.threes[word]&bit != 0 && n.at(text, i) {
			return true
		}
	}
	return false
}

// at reports whether a needle may begin at i, or so shortly before that it has
// the bytes at i in the first that are sampled.
func (n *needles) at(text []byte, i int) bool {
	for from := max(0, i-sampled+1); from <= i && from+prefixLen <= len(text); from++ {
		if len(n.byPrefix[lower([prefixLen]byte(text[from:from+prefixLen]))]) > 0 {
			return true
		}
	}
	return false
}

// pair returns the word and the bit of two bytes in pairs.
func pair(a, b byte) (word int, bit uint64) {
	n := int(lowerByte(a))<<8 | int(lowerByte(b))
	return n / 64, 1 << (n % 64)
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// add indexes every spelling of secret.
func (n *needles) add(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < minSecret {
		return
	}
	texts := []string{secret}
	bare := secret
	if strings.HasPrefix(secret, "0x") || strings.HasPrefix(secret, "0X") {
		bare = secret[2:]
	}
	if raw, err := hex.DecodeString(bare); err == nil && len(bare) >= 16 {
		// A hex key: with or without 0x, in either case, as bytes or as a number.
		n.put(needle{text: strings.ToLower(bare), fold: true})
		n.put(needle{text: new(big.Int).SetBytes(raw).String()})
		texts = append(texts, strings.ToLower(bare), strings.ToUpper(bare), string(raw))
	} else {
		n.put(needle{text: secret})
	}
	n.put(needle{text: hex.EncodeToString([]byte(secret)), fold: true})
	for _, text := range texts {
		n.putBase64(text)
	}
	// Other escapings are undone before the search (layers); JSON's own is here
	// as well for text that is not JSON as a whole.
	if lit, err := json.Marshal(secret); err == nil {
		n.put(needle{text: string(lit[1 : len(lit)-1])})
	}
}

// putBase64 adds the part of text's base64 form that does not depend on what
// stands before or after it, for each of the three ways text can be aligned.
func (n *needles) putBase64(text string) {
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			whole := enc.EncodeToString([]byte("\x00\x00"[:shift] + text))
			// The first (8*shift+5)/6 characters hold bits of what is before, the
			// last one holds bits of what is after unless the groups end there.
			from, to := (8*shift+5)/6, (8*(shift+len(text)))/6
			if part := whole[from:to]; len(part) >= minSecret {
				n.put(needle{text: part, run: true})
			}
		}
	}
}

func (n *needles) put(nd needle) {
	if len(nd.text) < minSecret {
		return
	}
	var key [prefixLen]byte
	copy(key[:], nd.text)
	key = lower(key)
	if n.byPrefix == nil {
		n.byPrefix = make(map[[prefixLen]byte][]needle)
	}
	for _, old := range n.byPrefix[key] {
		if old == nd {
			return
		}
	}
	n.byPrefix[key] = append(n.byPrefix[key], nd)
	word, bit := pair(key[0], key[1])
	n.pairs[word] |= bit
	for i := range sampled {
		word, bit := threeBit(nd.text[i], nd.text[i+1], nd.text[i+2])
		n.threes[word] |= bit
	}
}

func lower(k [prefixLen]byte) [prefixLen]byte {
	for i, c := range k {
		k[i] = lowerByte(c)
	}
	return k
}

// find calls hit with the bounds of every needle in text.
func (n *needles) find(text []byte, hit func(from, to int)) {
	if len(n.byPrefix) == 0 {
		return
	}
	for i := 0; i+minSecret <= len(text); i++ {
		if word, bit := pair(text[i], text[i+1]); n.pairs[word]&bit == 0 {
			continue
		}
		key := lower([prefixLen]byte(text[i : i+prefixLen]))
		nd, size := longest(n.byPrefix[key], text[i:])
		if size == 0 {
			continue
		}
		from, end := i, i+size
		switch {
		case nd.run:
			for from > 0 && isBase64(text[from-1]) {
				from--
			}
			for end < len(text) && isBase64(text[end]) {
				end++
			}
		case nd.fold && from >= 2 && text[from-1]|0x20 == 'x' && text[from-2] == '0':
			from -= 2
		}
		hit(from, end)
		i = max(i, end-1)
	}
}

// longest returns the needle that covers most of the start of b, and how much.
func longest(list []needle, b []byte) (best needle, size int) {
	for _, nd := range list {
		if n := nd.match(b); n > size {
			best, size = nd, n
		}
	}
	return best, size
}

// cutLen is how much of a long secret must stand somewhere to count as the
// secret, cut off: an error that shows the start of a bad value must not show
// most of a key.
const cutLen = 12

// match returns how much of the start of b is the needle: all of it, or, of a
// long one, at least cutLen bytes; 0 when it is not there.
func (nd needle) match(b []byte) int {
	n := 0
	for n < len(b) && n < len(nd.text) {
		c := b[n]
		if nd.fold {
			c = lowerByte(c)
		}
		if c != nd.text[n] {
			break
		}
		n++
	}
	if n == len(nd.text) || (n >= cutLen && len(nd.text) >= 2*cutLen) {
		return n
	}
	return 0
}

func isBase64(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '+' || c == '/' || c == '-' || c == '_' || c == '='
}

// layer is text with one layer of escaping undone, and where in the original
// each of its bytes began. The zero at of the original is the identity.
type layer struct {
	text []byte
	at   []int // len(text)+1 entries; nil for the original
}

func (v layer) origin(i int) int {
	if v.at == nil {
		return i
	}
	return v.at[i]
}

// undo returns v with percent escapes and backslash escapes decoded, or false
// when it has none.
func (v layer) undo() (layer, bool) {
	out := layer{}
	changed := false
	src := v.text
	for i := 0; i < len(src); {
		b, size := unescape(src[i:])
		if size > 1 {
			if !changed {
				changed = true
				out.text = append(make([]byte, 0, len(src)), src[:i]...)
				out.at = make([]int, i, len(src)+1)
				for j := range i {
					out.at[j] = v.origin(j)
				}
			}
		}
		if changed {
			for j := range b.n {
				out.text = append(out.text, b.b[j])
				out.at = append(out.at, v.origin(i))
			}
		}
		i += size
	}
	if !changed {
		return v, false
	}
	out.at = append(out.at, v.origin(len(src)))
	return out, true
}

// few is up to four bytes: one decoded escape.
type few struct {
	b [4]byte
	n int
}

// unescape decodes the one escape at the start of b, and says how many bytes of
// b it took; a byte that starts none is itself.
func unescape(b []byte) (few, int) {
	switch {
	case len(b) >= 3 && b[0] == '%' && isHex(b[1]) && isHex(b[2]):
		return few{[4]byte{unhex(b[1])<<4 | unhex(b[2])}, 1}, 3
	case len(b) >= 6 && b[0] == '\\' && b[1] == 'u' && isHex(b[2]) && isHex(b[3]) && isHex(b[4]) && isHex(b[5]):
		r := rune(unhex(b[2]))<<12 | rune(unhex(b[3]))<<8 | rune(unhex(b[4]))<<4 | rune(unhex(b[5]))
		var f few
		f.n = copy(f.b[:], string(r))
		return f, 6
	case len(b) >= 2 && b[0] == '\\':
		if c, ok := simpleEscape(b[1]); ok {
			return few{[4]byte{c}, 1}, 2
		}
	}
	return few{[4]byte{b[0]}, 1}, 1
}

func simpleEscape(c byte) (byte, bool) {
	switch c {
	case '"', '\\', '/', '\'':
		return c, true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	}
	return 0, false
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
