package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// lookAlike says which of a's slug and name can't be told from one of b's.
func lookAlike(a, b Entry) string {
	for _, mine := range []struct{ what, text string }{{"the slug", a.Slug}, {"the name", a.Name}} {
		for _, theirs := range []string{b.Slug, b.Name} {
			bones := skeleton(mine.text)
			if strings.EqualFold(mine.text, theirs) || bones != "" && bones == skeleton(theirs) {
				return fmt.Sprintf("%s %q", mine.what, mine.text)
			}
		}
	}
	return ""
}

// skeleton is what is left of a name for a glance: without case, spaces, marks
// and punctuation, letters that look the same as one. It knows the letters that
// are used to imitate Latin ones and no more: a name that it can't tell apart is
// refused, one that it can may still deceive.
func skeleton(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 0xff01 && r <= 0xff5e: // full-width forms
			r = unicode.ToLower(r - 0xfee0)
		case r >= 0x1d400 && r <= 0x1d7cb: // mathematical letters
			r = mathLetter(r)
		}
		if to, ok := confusable[r]; ok {
			b.WriteString(to)
		} else if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return strings.NewReplacer("rn", "m", "vv", "w").Replace(b.String())
}

// mathLetter is the plain letter of a mathematical one: each alphabet has 52.
func mathLetter(r rune) rune {
	if r < 0x1d6a4 {
		return 'a' + (r-0x1d400)%52%26
	}
	return r
}

// confusable maps what looks like a Latin letter to it; 1, i and l are one.
var confusable = map[rune]string{
	'0': "o", '1': "l", 'i': "l", '|': "l", '3': "e", '5': "s", '8': "b", '$': "s", '@': "a",
	'а': "a", 'в': "b", 'с': "c", 'ԁ': "d", 'е': "e", 'ё': "e", 'һ': "h", 'н': "h", 'і': "l", 'ї': "l", 'ј': "j", 'к': "k", 'ӏ': "l", 'м': "m", 'о': "o", 'р': "p", 'ԛ': "q",
	'г': "r", 'ѕ': "s", 'т': "t", 'у': "y", 'ѵ': "v", 'ԝ': "w", 'х': "x",
	'α': "a", 'β': "b", 'ε': "e", 'η': "n", 'ι': "l", 'κ': "k", 'ν': "v", 'ο': "o", 'ρ': "p", 'τ': "t", 'υ': "u", 'χ': "x", 'ω': "w", 'γ': "y", 'ϲ': "c", 'ϳ': "j",
	'օ': "o", 'ս': "u", 'ո': "n", 'հ': "h", 'ց': "g", 'զ': "q",
	'ı': "l", 'ɑ': "a", 'ɡ': "g", 'ſ': "s", 'ƅ': "b", 'ḷ': "l", 'ł': "l", 'ø': "o", 'đ': "d", 'ħ': "h", 'ß': "b", 'æ': "ae", 'œ': "oe",
	'à': "a", 'á': "a", 'â': "a", 'ã': "a", 'ä': "a", 'å': "a", 'ą': "a", 'ç': "c", 'ć': "c", 'č': "c", 'è': "e", 'é': "e", 'ê': "e", 'ë': "e", 'ę': "e", 'ė': "e",
	'ì': "l", 'í': "l", 'î': "l", 'ï': "l", 'ñ': "n", 'ń': "n", 'ò': "o", 'ó': "o", 'ô': "o", 'õ': "o", 'ö': "o", 'ś': "s", 'š': "s", 'ş': "s",
	'ù': "u", 'ú': "u", 'û': "u", 'ü': "u", 'ý': "y", 'ÿ': "y", 'ź': "z", 'ż': "z", 'ž': "z", 'ğ': "g",
}

// together are scripts that one name may well mix.
var together = [][]string{{"Han", "Hiragana", "Katakana"}, {"Han", "Hangul"}, {"Han", "Bopomofo"}}

// mixedScripts refuses a name of letters of several scripts: there is hardly
// another reason than to look like one that it is not.
func mixedScripts(name string) error {
	var seen []string
	for _, r := range name {
		if !unicode.IsLetter(r) {
			continue
		}
		script := "another script"
		for s, table := range unicode.Scripts {
			if s != "Common" && s != "Inherited" && unicode.Is(table, r) {
				script = s
				break
			}
		}
		if unicode.Is(unicode.Common, r) || slices.Contains(seen, script) {
			continue
		}
		seen = append(seen, script)
	}
	if len(seen) < 2 {
		return nil
	}
	for _, group := range together {
		all := true
		for _, s := range seen {
			all = all && slices.Contains(group, s)
		}
		if all {
			return nil
		}
	}
	return fault.New(fault.Conflict, "not added: the name %q mixes letters of %s", printable(name), strings.Join(seen, " and ")).
		Hintf("check where it comes from: names that mix scripts imitate others; a slug is enough: leave the name out").WithSent(fault.SentNo)
}
