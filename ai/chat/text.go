package chat

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/ai"
)

// Plain is text from outside as a terminal may show it: whatever steers a terminal,
// turns the direction of text around or can't be seen is a mark. Line breaks and
// tabs stay, and the joiner inside an emoji.
func Plain(s string) string {
	var before rune
	return strings.Map(func(r rune) rune {
		shown := r
		switch {
		case r == '\r':
			shown = -1
		case r == '\n', r == '\t', !ai.Unseen(r):
		case r == '\u200d' && (unicode.Is(unicode.So, before) || before == '\ufe0f' || unicode.Is(unicode.Sk, before)):
		default:
			shown = unicode.ReplacementChar
		}
		before = r
		return shown
	}, s)
}

// OneLine is Plain on one line.
func OneLine(s string) string { return strings.Join(strings.Fields(Plain(s)), " ") }

// cut shortens s to n runes.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// cutBytes shortens s to n bytes without breaking a rune.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// quote is s as a JSON string.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // strings can be marshalled
	}
	return string(b)
}

// flow hands on a model's text as it comes: in whole words, so that a secret that
// arrives in two pieces is found and no rune is torn, and no more than its limit.
type flow struct {
	redact func(string) string
	out    func(string)
	held   strings.Builder
	all    strings.Builder // as it came
	limit  int
	full   bool
}

// Most of a word that is held back, and how much of a longer one still is: more
// than the longest secret.
const (
	longestWord = 512
	heldBack    = 160
)

func (f *flow) add(text string) {
	if f.full {
		return
	}
	if f.all.Len()+len(text) > f.limit {
		text = cutBytes(text, f.limit-f.all.Len())
		f.full = true
	}
	f.all.WriteString(text)
	f.held.WriteString(text)
	held := f.held.String()
	end := strings.LastIndexAny(held, " \n\t") + 1
	if end == 0 && len(held) > longestWord {
		if clean := f.redact(held); clean != held {
			f.emit(clean, "")
			return
		}
		end = len(cutBytes(held, len(held)-heldBack))
	}
	f.emit(f.redact(held[:end]), held[end:])
}

func (f *flow) emit(text, rest string) {
	f.held.Reset()
	f.held.WriteString(rest)
	if text != "" {
		f.out(strings.ToValidUTF8(text, "\ufffd"))
	}
}

// end hands on what was held back.
func (f *flow) end() { f.emit(f.redact(f.held.String()), "") }
