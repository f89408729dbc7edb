package telemetry

import (
	"crypto/sha256"
	_ "embed" // the word list
	"slices"
	"strings"
	"sync"
)

// The English word list of BIP-39, sorted, 2048 words. It is a constant of the
// standard; sha256 2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda.
//
//go:embed bip39_english.txt
var bip39English string

// bip39Words is split on first use, which is rare: when a text has twelve words
// in a row that are short enough.
var bip39Words = sync.OnceValue(func() []string { return strings.Fields(bip39English) })

const (
	minPhrase  = 12 // words in the shortest phrase; then every 3 up to maxPhrase
	maxPhrase  = 24
	minWord    = 3 // letters in the list's shortest and longest words
	maxWord    = 8
	maxBetween = 6 // bytes between two words of one phrase: ", ", `","`, "\n 2. "
)

// span is a part of a text.
type span struct{ from, to int }

// findPhrases calls hit with the words of every phrase in text whose checksum
// is right, whatever stands between the words.
func findPhrases(text []byte, hit func(words []span)) {
	var words []span
	for i := 0; i < len(text); {
		if !isLetter(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && isLetter(text[i]) {
			i++
		}
		if n := i - from; n < minWord || n > maxWord {
			checkPhrases(text, words, hit)
			words = words[:0]
			continue
		}
		if len(words) > 0 && from-words[len(words)-1].to > maxBetween {
			checkPhrases(text, words, hit)
			words = words[:0]
		}
		words = append(words, span{from, i})
	}
	checkPhrases(text, words, hit)
}

func isLetter(c byte) bool { return (c|0x20)-'a' < 26 }

// checkPhrases looks for phrases in a run of words.
func checkPhrases(text []byte, words []span, hit func(words []span)) {
	if len(words) < minPhrase {
		return
	}
	list := bip39Words()
	index := make([]int, len(words))
	for i, w := range words {
		at, ok := slices.BinarySearch(list, strings.ToLower(string(text[w.from:w.to])))
		if !ok {
			at = -1
		}
		index[i] = at
	}
	for i := 0; i+minPhrase <= len(words); {
		n := phraseAt(index[i:])
		if n == 0 {
			i++
			continue
		}
		hit(words[i : i+n])
		i += n
	}
}

// phraseAt returns the length of the longest phrase at the start of index, 0
// when there is none.
func phraseAt(index []int) int {
	known := 0
	for known < len(index) && known < maxPhrase && index[known] >= 0 {
		known++
	}
	for n := known - known%3; n >= minPhrase; n -= 3 {
		if checksumFits(index[:n]) {
			return n
		}
	}
	return 0
}

// checksumFits unpacks the words' 11 bits each: entropy, then as many bits of
// its SHA-256 as there are 32-bit words of it.
func checksumFits(index []int) bool {
	var bits [maxPhrase*11/8 + 1]byte
	for i, at := range index {
		for j := range 11 {
			if at&(1<<(10-j)) != 0 {
				pos := i*11 + j
				bits[pos/8] |= 0x80 >> (pos % 8)
			}
		}
	}
	check := len(index) / 3
	entropy := (len(index)*11 - check) / 8
	sum := sha256.Sum256(bits[:entropy])
	for j := range check {
		pos := entropy*8 + j
		if (bits[pos/8]>>(7-pos%8))&1 != (sum[0]>>(7-j))&1 {
			return false
		}
	}
	return true
}
