package telemetry

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// Redacted stands where a secret was.
const Redacted = "[redacted]"

const redactedJSON = `"` + Redacted + `"`

// maxNested is how deep JSON inside strings of JSON is looked into as JSON.
const maxNested = 4

// minPhraseText is the length of the shortest possible phrase.
const minPhraseText = minPhrase*(minWord+1) - 1

// Redactor takes secrets out of whatever is about to be written, sent or shown:
// the exact secrets it was told, in any encoding, anywhere; values under
// sensitive names; and what looks like a secret by itself (bearer strings, sk-…,
// claw_…, checksummed BIP-39 phrases, credentials in URLs). Hashes and addresses
// stay. Redacting twice is redacting once.
//
// It is safe for concurrent use. A nil Redactor knows no exact secrets.
type Redactor struct {
	mu    sync.Mutex // guards Add
	exact atomic.Pointer[exactSecrets]
}

type exactSecrets struct {
	secrets []string
	needles needles
}

// NewRedactor returns a Redactor that knows secrets.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{}
	for _, s := range secrets {
		r.Add(s)
	}
	return r
}

// Add makes r look for secret from now on. Secrets shorter than six bytes are
// too common to be looked for everywhere and are ignored.
func (r *Redactor) Add(secret string) {
	if len(secret) < minSecret {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	next := &exactSecrets{}
	if old := r.exact.Load(); old != nil {
		if slices.Contains(old.secrets, secret) {
			return
		}
		next.secrets = slices.Clone(old.secrets)
	}
	next.secrets = append(next.secrets, secret)
	for _, s := range next.secrets {
		next.needles.add(s)
	}
	r.exact.Store(next)
}

// Format keeps the secrets out of any print of r itself.
func (r *Redactor) Format(f fmt.State, _ rune) {
	// A failed write is the printer's to report; fmt.State offers no other way.
	_, _ = io.WriteString(f, "telemetry.Redactor")
}

// String returns s without secrets.
func (r *Redactor) String(s string) string {
	if out := r.Bytes([]byte(s)); string(out) != s {
		return string(out)
	}
	return s
}

// Bytes returns b without secrets: b itself when it holds none. JSON stays the
// same JSON but for what is replaced; anything else is treated as text.
func (r *Redactor) Bytes(b []byte) []byte {
	out, _ := r.redact(b, 0)
	return out
}

// Foreign is Bytes and WholeText for a line somebody else wrote: it goes out byte for
// byte unless a cheap scan finds a sensitive name, an exact secret or a \u escape in
// it, and even then only what it must not hold is replaced.
func (r *Redactor) Foreign(line []byte) []byte {
	if hasSensitiveName(line) || r.hasExact(line) {
		return WholeText(r.Bytes(line))
	}
	return line
}

func (r *Redactor) hasExact(line []byte) bool {
	if r == nil {
		return false
	}
	if e := r.exact.Load(); e == nil || bytes.IndexByte(line, '%') < 0 && bytes.IndexByte(line, '\\') < 0 && !e.needles.may(line) {
		return false
	}
	found := false
	r.findExact(line, func(int, int) { found = true })
	return found
}

func (r *Redactor) redact(b []byte, nested int) ([]byte, bool) {
	if i := skipSpace(b, 0); i < len(b) {
		if end, ok := skipValue(b, i, 0); ok && skipSpace(b, end) == len(b) {
			return r.json(b, nested)
		}
	}
	return r.text(b)
}

// json redacts valid JSON in one pass over its tokens.
func (r *Redactor) json(b []byte, nested int) ([]byte, bool) {
	w := rewriter{src: b}
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '"':
			i = r.jsonString(&w, i, nested)
		case c == '-' || c >= '0' && c <= '9':
			end, _ := skipNumber(b, i)
			if r.hasExact(b[i:end]) {
				w.replace(i, end, redactedJSON)
			}
			i = end
		default:
			i++
		}
	}
	out, changed := w.done()
	if len(out) < minPhraseText {
		return out, changed
	}
	// A phrase may also be spread over strings, a word each.
	w = rewriter{src: out}
	findPhrases(out, func(words []span) {
		for i, word := range words {
			with := "*"
			if i == 0 {
				with = Redacted
			}
			w.replace(word.from, word.to, with)
		}
	})
	out, again := w.done()
	return out, changed || again
}

// jsonString redacts the key or value that starts at src[i] and returns where
// to go on: after a string, at the value of a harmless key, after the value of
// a sensitive one.
func (r *Redactor) jsonString(w *rewriter, i, nested int) int {
	end, _ := skipString(w.src, i)
	text := unquote(w.src[i:end])
	colon := skipSpace(w.src, end)
	isKey := colon < len(w.src) && w.src[colon] == ':'
	if out, changed := r.content(text, nested, isKey); changed {
		w.replace(i, end, string(appendString(nil, out)))
	}
	if !isKey {
		return end
	}
	val := skipSpace(w.src, colon+1)
	if !sensitiveName(text) {
		return val
	}
	valEnd, _ := skipValue(w.src, val, 0)
	if holdsSecret(w.src[val:valEnd]) {
		w.replace(val, valEnd, redactedJSON)
	}
	return valEnd
}

// content redacts the text of a string; JSON inside it as JSON.
func (r *Redactor) content(text []byte, nested int, isKey bool) ([]byte, bool) {
	if !isKey && nested < maxNested && len(text) > 1 && (text[0] == '{' || text[0] == '[') {
		return r.redact(text, nested+1)
	}
	return r.text(text)
}

// holdsSecret is false for values that can't: true, false, null, "" and what
// was redacted already. (auth.saved says which fields were saved.)
func holdsSecret(value []byte) bool {
	switch string(value) {
	case "true", "false", "null", `""`, redactedJSON, "{}", "[]":
		return false
	}
	return true
}

// text redacts anything that is not JSON.
func (r *Redactor) text(b []byte) ([]byte, bool) {
	var spans []span
	r.findExact(b, func(from, to int) { spans = append(spans, span{from, to}) })
	spans = findPatterns(b, spans)
	if len(b) >= minPhraseText {
		findPhrases(b, func(words []span) {
			spans = append(spans, span{words[0].from, words[len(words)-1].to})
		})
	}
	if len(spans) == 0 {
		return b, false
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	w := rewriter{src: b}
	cur := spans[0]
	for _, s := range spans[1:] {
		if s.from > cur.to {
			w.replace(cur.from, cur.to, Redacted)
			cur = s
			continue
		}
		cur.to = max(cur.to, s.to)
	}
	w.replace(cur.from, cur.to, Redacted)
	return w.done()
}

// findExact looks for the exact secrets in b, and in what b is when its percent
// and backslash escapes are undone, as often as there are any (but not forever).
func (r *Redactor) findExact(b []byte, hit func(from, to int)) {
	if r == nil {
		return
	}
	e := r.exact.Load()
	if e == nil {
		return
	}
	e.needles.find(b, hit)
	if bytes.IndexByte(b, '%') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return
	}
	v := layer{text: b}
	for range maxNested {
		next, changed := v.undo()
		if !changed {
			return
		}
		v = next
		e.needles.find(v.text, func(from, to int) { hit(v.origin(from), v.origin(to)) })
	}
}

// rewriter copies src with parts replaced, and copies nothing when none are.
// Replacements come in order.
type rewriter struct {
	src, out []byte
	last     int
}

func (w *rewriter) replace(from, to int, with string) {
	if w.out == nil {
		w.out = make([]byte, 0, len(w.src)+len(with))
	}
	w.out = append(w.out, w.src[w.last:from]...)
	w.out = append(w.out, with...)
	w.last = to
}

func (w *rewriter) done() ([]byte, bool) {
	if w.out == nil {
		return w.src, false
	}
	return append(w.out, w.src[w.last:]...), true
}
