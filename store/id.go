package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
)

var idEncoding = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// NewID returns prefix and 20 lower-case letters and digits (100 random bits),
// without the look-alikes l, o, 0 and 1, so that a person can read one aloud.
func NewID(prefix string) string {
	var b [13]byte
	// crypto/rand.Read never returns an error since Go 1.24; it crashes the program instead.
	_, _ = rand.Read(b[:])
	return prefix + idEncoding.EncodeToString(b[:])[:20]
}

// ContentID returns prefix and 20 such letters and digits made from content: the
// same content gives the same id, and nobody finds other content for it.
func ContentID(prefix string, content []byte) string {
	sum := sha256.Sum256(content)
	return prefix + idEncoding.EncodeToString(sum[:])[:20]
}
