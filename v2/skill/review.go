package skill

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Finding is something in a card that a person should see before an agent reads it.
// What a pattern finds may be harmless, and what it misses need not be: a card is
// text of a stranger either way.
type Finding struct {
	Code   string `json:"code"`
	At     string `json:"at"`   // JSON pointer
	Why    string `json:"why"`  // in words
	Text   string `json:"text"` // an excerpt
	Refuse bool   `json:"refuse"`
}

// The codes of findings.
const (
	FindImitation = "imitation"    // it passes itself off as a skill of this program
	FindKeys      = "keys"         // it speaks of keys, tokens or the files they are in
	FindShell     = "shell"        // it runs what was downloaded or decoded
	FindBypass    = "bypass"       // it tells to go around a person or a limit
	FindSystem    = "system"       // it deletes, or changes how the machine starts
	FindEncoded   = "encoded"      // it holds text that nobody can read
	FindProgram   = "program"      // a binding runs another program than this one
	FindSource    = "source"       // its address is not https
	FindPath      = "path"         // it names files above its directory
	FindScripts   = "mixed-script" // its name mixes alphabets
)

// pattern is what text is searched for.
type pattern struct {
	code, why string
	hints     []string // one of them is in whatever re finds, in small letters
	re        *regexp.Regexp
}

// may is a quick look that spares most texts the slow one.
func (p pattern) may(small string) bool {
	if len(p.hints) == 0 {
		return len(small) > shortBlob
	}
	return slices.ContainsFunc(p.hints, func(h string) bool { return strings.Contains(small, h) })
}

// shortBlob is how long a text is at most that can hold no unreadable one.
const shortBlob = 40

var patterns = sync.OnceValue(func() []pattern {
	list := []struct{ code, why, hints, re string }{
		{FindShell, "runs what it downloads", "curl wget fetch iwr invoke-webrequest", `\b(?:curl|wget|fetch|iwr|invoke-webrequest)\b[^|;]{0,400}\|\s*(?:sudo\s+)?(?:env\s+)?\S{0,40}?\b(?:sh|bash|zsh|dash|ksh|fish|python3?|perl|ruby|node|iex)\b`},
		{FindShell, "runs what it decodes", "base64 base32 openssl xxd gunzip zcat", `(?:base64|base32|openssl|xxd|gunzip|zcat)\b[^|;]{0,400}\|\s*(?:sudo\s+)?(?:env\s+)?\S{0,40}?\b(?:sh|bash|zsh|dash|ksh|fish|python3?|perl|ruby|node)\b`},
		{FindShell, "runs what it downloads", "curl wget base64 echo", `\b(?:sh|bash|zsh|eval|source)\b[^\n]{0,40}(?:\$\(|<\(|\x60)\s*(?:curl|wget|base64|echo)\b`},
		{FindShell, "evaluates text", "eval exec child_process os.system subprocess.", `\beval\s*[("$\x60]|\bexec\s*\(|child_process|os\.system|subprocess\.`},
		{FindKeys, "speaks of keys", "private seed recovery mnemonic keystore export", `private[\s_-]*key|seed[\s_-]*phrase|recovery[\s_-]*phrase|\bmnemonic\b|\bkeystore\b|wallet\s+export|export\s+(?:the\s+|your\s+|its\s+|all\s+)?(?:wallet|keys?|account)`},
		{FindKeys, "names files or variables that hold secrets", "auth.json .ape-claw/ id_ .ssh/ .aws/ .netrc _private_key _api_key _token _secret _password token", `auth\.json|\.ape-claw/|id_(?:rsa|ed25519|ecdsa)|\.ssh/|\.aws/|\.netrc|[A-Z0-9_]+_(?:PRIVATE_KEY|API_KEY|TOKEN|SECRET|PASSWORD)\b|(?:agent|api|bearer|access)[\s_-]*token`},
		{FindBypass, "tells to disregard instructions", "ignore disregard forget override", `(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+|these\s+|of\s+)*(?:previous|prior|above|earlier|other|system|safety)`},
		{FindBypass, "tells to keep something from a person", "do don never without", `(?:do\s+not|don'?t|never|without)\s+(?:tell|telling|inform|informing|ask|asking|mention|mentioning|show|showing|notify|notifying|alert|alerting)\b[^.\n]{0,30}\b(?:user|operator|person|human|owner|them|anyone|anybody)`},
		{FindBypass, "tells to go around an approval or a limit", "without approve -- unkill policy halt", `without\s+(?:any\s+)?(?:approval|confirmation|permission|a\s+person)|approve\s+(?:it|them|this|the\s+action|actions?)\s+(?:yourself|itself|automatically)|--(?:autonomous|allow-[a-z-]+|force|auto-approve)\b|\bunkill\b|policy\s+(?:set|init)\b|halt\s+--(?:off|clear)`},
		{FindSystem, "deletes, or changes how the machine starts", "rm mkfs dd chmod crontab .bashrc .zshrc .profile authorized_keys launchctl systemctl /etc/ sudo", `\brm\s+-[a-z]*r|\bmkfs|\bdd\s+if=|\bchmod\s+[0-7]*7[0-7]*\b|crontab|\.bashrc|\.zshrc|\.profile\b|authorized_keys|launchctl|systemctl|/etc/(?:passwd|sudoers|hosts)|\bsudo\b`},
		{FindPath, "names files above its directory", "../..", `\.\./\.\.`},
		{FindEncoded, "holds text that nobody can read", "", `[A-Za-z0-9+/_-]{160,}={0,2}|(?:\\x[0-9a-f]{2}){12,}`},
	}
	out := make([]pattern, len(list))
	for i, p := range list {
		out[i] = pattern{p.code, p.why, strings.Fields(p.hints), regexp.MustCompile("(?i)" + p.re)}
	}
	return out
})

// maxFindings bounds what is told of one card.
const maxFindings = 50

// Review looks through all texts of a card, those of schemas and examples too.
// A card that is one of this program's own has none.
func Review(c Card, raw []byte) []Finding {
	if own, ok := Seed(c.Slug); ok && own.Card.ContentHash == c.ContentHash {
		return nil
	}
	r := review{}
	r.name(c)
	var doc any
	if json.Unmarshal(raw, &doc) == nil {
		r.walk(doc, "")
	}
	for i, b := range c.Bindings {
		if word, _, _ := strings.Cut(strings.TrimSpace(b.Command), " "); b.Command != "" && b.Type != BindingSkill && word != "ape-claw" {
			r.add(FindProgram, fmt.Sprintf("/bindings/%d/command", i), "runs another program than ape-claw", b.Command, false)
		}
	}
	if c.SourceURL != "" && c.URI() == "" {
		r.add(FindSource, "/provenance/sourceUrl", "no https address", c.SourceURL, false)
	}
	return r.found
}

// Refused is the first finding with which no card is installed.
func Refused(found []Finding) (Finding, bool) {
	i := slices.IndexFunc(found, func(f Finding) bool { return f.Refuse })
	if i < 0 {
		return Finding{}, false
	}
	return found[i], true
}

type review struct{ found []Finding }

func (r *review) add(code, at, why, text string, refuse bool) {
	if len(r.found) < maxFindings {
		r.found = append(r.found, Finding{Code: code, At: at, Why: why, Text: fault.Excerpt(text, 120), Refuse: refuse})
	}
}

// walk searches each text, keys of objects too, spaces in it taken as one.
func (r *review) walk(v any, at string) {
	switch v := v.(type) {
	case string:
		r.text(v, at)
	case []any:
		for i, item := range v {
			r.walk(item, fmt.Sprintf("%s/%d", at, i))
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			r.text(k, pointer(at, k))
			r.walk(v[k], pointer(at, k))
		}
	}
}

func (r *review) text(s, at string) {
	flat := strings.Join(strings.Fields(fold(s)), " ")
	small := strings.ToLower(flat)
	seen := map[string]bool{}
	for _, p := range patterns() {
		if !p.may(small) {
			continue
		}
		if where := p.re.FindStringIndex(flat); where != nil && !seen[p.code] {
			seen[p.code] = true
			r.add(p.code, at, p.why, flat[max(0, where[0]-20):min(len(flat), where[1]+20)], false)
		}
	}
	if strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) && c != '\n' && c != '\t' && c != '\r' }) {
		r.add(FindEncoded, at, "holds characters that do not show", s, false)
	}
}

// name holds slug and name against those of this program's own skills.
func (r *review) name(c Card) {
	for at, text := range map[string]string{"/slug": c.Slug, "/name": c.Name} {
		bare := skeleton(text)
		for _, own := range Seeds() {
			for _, theirs := range []string{skeleton(own.Card.Slug), skeleton(own.Card.Name)} {
				if bare == theirs || near(bare, theirs) {
					r.add(FindImitation, at, "passes itself off as "+own.Card.Slug+", which is part of ape-claw", text, true)
					return
				}
			}
		}
		switch {
		case strings.Contains(bare, "apeclaw"):
			r.add(FindImitation, at, "has the name of ape-claw in it, and is not part of it", text, false)
		case strings.Contains(bare, "official"):
			r.add(FindImitation, at, "calls itself official", text, false)
		}
		if mixed(text) {
			r.add(FindScripts, at, "mixes alphabets", text, false)
		}
	}
	slices.SortFunc(r.found, func(a, b Finding) int { return strings.Compare(a.At, b.At) })
}

// lookalikes are letters and digits that read as others.
var lookalikes = map[rune]rune{
	'а': 'a', 'е': 'e', 'о': 'o', 'р': 'p', 'с': 'c', 'х': 'x', 'у': 'y', 'і': 'i', 'ѕ': 's', 'һ': 'h', 'ԁ': 'd', 'ԝ': 'w', 'ӏ': 'l', 'ј': 'j', 'к': 'k', 'м': 'm', 'т': 't', 'в': 'b', 'п': 'n',
	'α': 'a', 'ε': 'e', 'ο': 'o', 'ρ': 'p', 'ϲ': 'c', 'ω': 'w', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'τ': 't', 'υ': 'u', 'χ': 'x', 'ɑ': 'a', 'ⅼ': 'l', 'ı': 'i', 'ł': 'l', 'ɩ': 'i',
	'à': 'a', 'á': 'a', 'â': 'a', 'ã': 'a', 'ä': 'a', 'å': 'a', 'ā': 'a', 'ą': 'a', 'ạ': 'a', 'è': 'e', 'é': 'e', 'ê': 'e', 'ë': 'e', 'ē': 'e', 'ę': 'e', 'ẹ': 'e',
	'ç': 'c', 'ć': 'c', 'č': 'c', 'ĺ': 'l', 'ļ': 'l', 'ŵ': 'w', 'ẁ': 'w', 'ẃ': 'w', 'ẅ': 'w', 'ṗ': 'p',
	'0': 'o', '1': 'l', '3': 'e', '4': 'a', '5': 's', '@': 'a', '$': 's', '|': 'l', '!': 'l',
}

// fold writes full-width and mathematical letters as plain ones, and looks-alikes as
// what they look like, digits apart.
func fold(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 0xFF01 && c <= 0xFF5E: // full width
			return c - 0xFEE0
		case c >= 0x1D400 && c <= 0x1D6A3: // mathematical letters, 26 big and 26 small a style
			n := (c - 0x1D400) % 52
			if n < 26 {
				return 'A' + n
			}
			return 'a' + n - 26
		case unicode.IsDigit(c) || c < 0x80:
			return c
		}
		if plain, ok := lookalikes[unicode.ToLower(c)]; ok {
			return plain
		}
		return c
	}, s)
}

// skeleton is what a name looks like: small letters, look-alikes made equal, nothing
// between them. vv reads as w, and rn as m.
func skeleton(s string) string {
	s = strings.Map(func(c rune) rune {
		c = unicode.ToLower(c)
		if plain, ok := lookalikes[c]; ok {
			return plain
		}
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return c
	}, strings.ToLower(fold(s)))
	return strings.NewReplacer("vv", "w", "rn", "m").Replace(s)
}

// near reports whether two names differ by one letter that is changed, left out, put
// in, or swapped with the next.
func near(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) < 5 || len(y)-len(x) > 1 {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if len(x) < len(y) {
		return slices.Equal(x[i:], y[i+1:])
	}
	if i == len(x) || slices.Equal(x[i+1:], y[i+1:]) {
		return true
	}
	return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
}

// mixed reports whether a word has letters of more than one of the alphabets that
// look alike.
func mixed(s string) bool {
	for _, word := range strings.Fields(s) {
		alphabets := 0
		for _, t := range []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek} {
			if strings.ContainsFunc(word, func(c rune) bool { return unicode.Is(t, c) }) {
				alphabets++
			}
		}
		if alphabets > 1 {
			return true
		}
	}
	return false
}
