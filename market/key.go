package market

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Key is an API key. However it is printed, logged or marshalled, it does not
// show; string(k) is the way to its text.
type Key string

const hidden = "[redacted]"

// String hides the key.
func (k Key) String() string {
	if k == "" {
		return ""
	}
	return hidden
}

// Format hides the key from every verb.
func (k Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, k.String()) } // fmt.State never fails

// LogValue hides the key from slog.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText hides the key from JSON and other encodings.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// usable reports whether the key can be a header: printable ASCII, no spaces.
func (k Key) usable() bool {
	for _, c := range []byte(k) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return k != ""
}

// asker tells keys apart without telling them: a few bits of a hash.
func (k Key) asker() string {
	if k == "" {
		return "nobody"
	}
	sum := sha256.Sum256([]byte("ape-claw pace\n" + string(k)))
	return hex.EncodeToString(sum[:3])
}

// minHidden is the length under which a key is not searched for in answers: it
// would be found in honest data too, and no real key is that short.
const minHidden = 8

// hide takes the key out of text that came from outside.
func (k Key) hide(s string) string {
	if len(k) < minHidden {
		return s
	}
	return strings.ReplaceAll(s, string(k), hidden)
}

// hideIn is hide for a whole answer. An answer without the key is not copied.
func (k Key) hideIn(b []byte) []byte {
	if len(k) < minHidden || !bytes.Contains(b, []byte(k)) {
		return b
	}
	return bytes.ReplaceAll(b, []byte(k), []byte(hidden))
}
