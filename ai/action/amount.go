package action

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// number is a number however people write one: with separators of thousands, a
// comma, an exponent.
const number = `\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,'’_]\d+)*(?:[eE][+-]?\d+)?`

// currencies are units that an amount may be said to be in.
var currencies = []string{"APECOIN", "WAPE", "APE", "WETH", "ETHER", "ETH", "GWEI", "WEI", "WBTC", "BTC", "USDC", "USDT", "USD", "DOLLARS?", "DAI", "EUR", "EUROS?",
	"MATIC", "POL", "SOL", "BNB", "SATS?"}

var amountWord = sync.OnceValue(func() *regexp.Regexp {
	units := strings.Join(currencies, "|")
	return regexp.MustCompile(`(?i)(?:([$€£])\s*|\b(` + units + `)\s*[:=]?\s+)?(?:\b|^)(` + number + `)\s*(k|m|mm|bn|thousand|million|hundred)?(?:\s*-?\s*(` + units + `)\b)?`)
})

// amount is one that somebody wrote, as the numbers that it can be read as, exactly.
type amount struct {
	shown, unit string
	values      []string // canonical decimals
	ambiguous   bool     // people read it in more than one way
	unreadable  bool
}

// amountsIn finds the amounts with a unit in text.
func amountsIn(text string) []amount {
	var out []amount
	for _, m := range amountWord().FindAllStringSubmatch(text, -1) {
		unit := strings.ToUpper(m[5])
		if unit == "" {
			unit = strings.ToUpper(m[2])
		}
		if unit == "" && m[1] != "" {
			unit = "USD"
		}
		if unit == "" {
			continue
		}
		a := reading(m[3])
		a.shown, a.unit = strings.TrimSpace(m[0]), spelled(unit)
		if shift := map[string]int{"k": 3, "thousand": 3, "hundred": 2, "m": 6, "mm": 6, "million": 6, "bn": 9}[strings.ToLower(m[4])]; shift > 0 {
			a.ambiguous = true
			for i, v := range a.values {
				a.values[i] = shifted(v, shift)
			}
		}
		out = append(out, a)
	}
	return out
}

func spelled(unit string) string {
	switch unit {
	case "APECOIN":
		return "APE"
	case "ETHER":
		return "ETH"
	case "DOLLAR", "DOLLARS":
		return "USD"
	}
	return unit
}

// reading is what a number can mean. One dot is a decimal point; a separator of
// thousands, or three digits after the only dot, people read in two ways.
func reading(s string) amount {
	a := amount{shown: s}
	if strings.ContainsAny(s, "eE") {
		a.unreadable = true
		return a
	}
	plain := strings.NewReplacer(" ", "", "'", "", "’", "", "_", "").Replace(s)
	a.ambiguous = plain != s
	dots, commas := strings.Count(plain, "."), strings.Count(plain, ",")
	add := func(v string) {
		if v = canonical(v); !slices.Contains(a.values, v) {
			a.values = append(a.values, v)
		}
	}
	switch {
	case commas == 0 && dots <= 1:
		add(plain)
		if whole, frac, has := strings.Cut(plain, "."); has && len(frac) == 3 && len(whole) <= 3 && whole != "0" {
			a.ambiguous = true // 1.000: also a thousand, in many countries
		}
	case commas > 0 && dots > 0: // the last separator is the decimal one
		a.ambiguous = true
		i := strings.LastIndexAny(plain, ".,")
		add(bare(plain[:i]) + "." + plain[i+1:])
	case commas == 1:
		a.ambiguous = true
		add(strings.Replace(plain, ",", "", 1))
		add(strings.Replace(plain, ",", ".", 1))
	default:
		a.ambiguous = true
		add(bare(plain))
	}
	return a
}

func bare(s string) string { return strings.NewReplacer(".", "", ",", "").Replace(s) }

// canonical is a decimal without zeros that mean nothing.
func canonical(s string) string {
	whole, frac, _ := strings.Cut(s, ".")
	whole, frac = strings.TrimLeft(whole, "0"), strings.TrimRight(frac, "0")
	if whole == "" {
		whole = "0"
	}
	if frac == "" {
		return whole
	}
	return whole + "." + frac
}

// shifted moves the decimal point to the right.
func shifted(s string, places int) string {
	whole, frac, _ := strings.Cut(s, ".")
	frac += strings.Repeat("0", max(0, places-len(frac)))
	return canonical(whole + frac[:places] + "." + frac[places:])
}

// in reports whether every reading of an amount is among values, or, of one that
// can be read in two ways, any: the other is what it is called ambiguous for.
func (a amount) in(values []string) bool {
	return slices.ContainsFunc(a.values, func(v string) bool { return slices.Contains(values, v) })
}

// inBase compares an amount of wei or gwei with base units.
func (a amount) inBase(base []string) bool {
	if a.unit == "GWEI" {
		up := amount{}
		for _, v := range a.values {
			up.values = append(up.values, shifted(v, 9))
		}
		return up.in(base)
	}
	return a.in(base)
}

// known is what the facts say, sorted by what it can be compared with. Names are
// left out: whoever wrote a listing chose them.
type known struct {
	symbols                         []string
	prices, amounts, volatile, base []string
	ids, hex, words                 []string
	places                          string
}

var (
	amountFact = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)price|amount|total|budget|fee|cost|gas|balance|cap|limit|spend|value|max|gets|ape`)
	})
	priceFact = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)price|amount|total|budget|cost`) })
	nameFact  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)name|title|collection|reason|note|label|what|text`)
	})
	placeFact = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)network|chain|profile|from|to`) })
	wholeHex  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b0x[0-9a-f]{4,}\b`) })
	digits    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b\d+(?:\.\d+)?\b`) })
	word      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[a-zA-Z0-9_.-]+`) })
)

// learn reads the facts.
func learn(a Action) known {
	var k known
	for _, s := range a.Spends {
		k.base = append(k.base, canonical(s.Base))
		for _, m := range amountsIn(s.Shown) {
			k.symbols, k.prices, k.amounts = append(k.symbols, m.unit), append(k.prices, m.values...), append(k.amounts, m.values...)
		}
	}
	for _, f := range a.Facts {
		k.fact(f.Name, f.Value, f.Volatile)
	}
	for _, name := range keys(a.Identifiers, nil) {
		k.fact(name, a.Identifiers[name], false)
	}
	for _, name := range keys(a.Binding, nil) {
		k.fact(name, a.Binding[name], false)
	}
	for _, raw := range []string{string(a.Args), string(a.Run), `"` + a.Reference + `"`} {
		k.words = append(k.words, lower(word().FindAllString(raw, -1))...)
		k.ids = append(k.ids, digits().FindAllString(raw, -1)...)
		k.hex = append(k.hex, lower(wholeHex().FindAllString(raw, -1))...)
	}
	if slices.Sort(k.symbols); len(k.symbols) == 0 {
		k.symbols = []string{"APE"}
	}
	k.symbols = slices.Compact(k.symbols)
	return k
}

func (k *known) fact(name, value string, volatile bool) {
	if nameFact().MatchString(name) && !strings.Contains(strings.ToLower(name), "price") {
		return
	}
	k.hex = append(k.hex, lower(wholeHex().FindAllString(value, -1))...)
	k.words = append(k.words, lower(word().FindAllString(value, -1))...)
	if placeFact().MatchString(name) {
		k.places += " " + strings.ToLower(value)
	}
	if !amountFact().MatchString(name) {
		for _, d := range digits().FindAllString(value, -1) {
			k.ids = append(k.ids, canonical(d))
		}
		for _, m := range amountsIn(value) { // of one of several tokens
			k.amounts = append(k.amounts, m.values...)
		}
		return
	}
	for _, d := range digits().FindAllString(value, -1) {
		switch d = canonical(d); {
		case volatile:
			k.volatile = append(k.volatile, d)
		case priceFact().MatchString(name):
			k.prices = append(k.prices, d)
			fallthrough
		default:
			k.amounts = append(k.amounts, d)
		}
	}
	for _, m := range amountsIn(value) {
		if !volatile {
			k.symbols = append(k.symbols, m.unit)
		}
	}
}

// where reports whether the facts name a place.
func (k known) where(w string) bool { return strings.Contains(k.places, strings.ToLower(w)) }

func lower(in []string) []string {
	for i := range in {
		in[i] = strings.ToLower(in[i])
	}
	return in
}
