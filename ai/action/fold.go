package action

import (
	"strings"
	"sync"
	"unicode"
)

// folded is text as it looks: without what does not show, and with the letters and
// digits that it looks like.
type folded struct {
	s      string
	hidden int      // characters that do not show
	digits bool     // digits of another script
	mixed  []string // words of Latin letters and of letters that look like them
}

// lookalikes are letters that look like a Latin one.
var lookalikes = sync.OnceValue(func() map[rune]rune {
	out := map[rune]rune{}
	from := []rune("АВЕЅІЈКМНОРСТУХԚԜаеѕіјорсухһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧνοⅠⅩⅬⅭⅮⅯⅰⅹⅼⅽⅾⅿɑɡ")
	to := []rune("ABESIJKMHOPCTYXQWaesijopcyxhdqwlABEZHIKMNOPTYXvoIXLCDMixlcdmag")
	for i := range from {
		out[from[i]] = to[i]
	}
	return out
})

// fold makes text what it looks like.
func fold(s string) folded {
	like := lookalikes()
	var f folded
	var b, word strings.Builder
	latin, foreign, marks := false, false, false
	end := func() {
		if foreign && (latin || len(amountsIn("1 "+word.String())) > 0 || marks) {
			f.mixed = append(f.mixed, word.String())
		}
		word.Reset()
		latin, foreign, marks = false, false, false
	}
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		other := false
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r != ' ' && unicode.Is(unicode.Zs, r):
			if r != '\n' && r != '\r' && r != '\t' {
				f.hidden++
			}
			r = ' '
		case hidden(r) || r == unicode.ReplacementChar:
			f.hidden++
			continue
		case r > unicode.MaxASCII && unicode.IsDigit(r):
			f.digits, r = true, digit(r)
		case r >= 0xff01 && r <= 0xff5e: // full width
			r, other = r-0xfee0, true
		case like[r] != 0:
			r, other = like[r], true
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
		} else if foreign = foreign || other; !other && r <= unicode.MaxASCII && unicode.IsLetter(r) {
			latin = true
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word.WriteRune(r)
			marks = marks || strings.HasPrefix(word.String(), "0x")
		}
		b.WriteRune(r)
	}
	end()
	f.s = b.String()
	return f
}

// digit is the ASCII digit of a decimal digit of another script: they stand in tens.
func digit(r rune) rune {
	n := rune(0)
	for n < 9 && unicode.IsDigit(r-1) && inTens(r-1, r) {
		r--
		n++
	}
	return '0' + n
}

// inTens reports whether two neighbours belong to one row of ten digits.
func inTens(a, b rune) bool {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= a && b <= rune(t.Hi) {
			return (b-rune(t.Lo))%10 != 0
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= a && b <= rune(t.Hi) {
			return (b-rune(t.Lo))%10 != 0
		}
	}
	return false
}
