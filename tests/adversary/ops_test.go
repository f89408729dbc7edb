package adversary_test

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/nft/seaport"
)

// op changes a document at one place.
type op struct {
	name string
	do   func(c *cast, p place)
}

// replace is an op that puts another value in place of the old one.
func replace(name string, with func(c *cast, old *node) *node) op {
	return op{name, func(c *cast, p place) { p.parent.kids[p.i] = with(c, p.node()) }}
}

func constant(name, raw string) op {
	return replace(name, func(*cast, *node) *node { return rawNode(raw) })
}

// text is an op on what a leaf says; the new value is a string if the old one was.
func respell(name string, f func(c *cast, s string) string) op {
	return replace(name, func(c *cast, old *node) *node {
		s := f(c, old.text())
		if old.isString() {
			return scalar(s)
		}
		return rawNode(s)
	})
}

// arithmetic is an op on a number in any spelling, which keeps the spelling.
func arithmetic(name string, f func(v *big.Int) *big.Int) op {
	return respell(name, func(_ *cast, s string) string {
		v, hex, ok := numberOf(s)
		if !ok {
			return s
		}
		if v = f(v); hex && v.Sign() >= 0 {
			return "0x" + v.Text(16)
		} else if hex {
			return "-0x" + new(big.Int).Neg(v).Text(16)
		}
		return v.String()
	})
}

// numberOf reads a decimal or short 0x number; hashes and addresses are none.
func numberOf(s string) (v *big.Int, hex, ok bool) {
	if digits, isHex := strings.CutPrefix(s, "0x"); isHex {
		if len(digits) == 0 || len(digits) >= 40 {
			return nil, true, false
		}
		v, ok = new(big.Int).SetString(digits, 16)
		return v, true, ok
	}
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return nil, false, false
	}
	v, ok = new(big.Int).SetString(s, 10)
	return v, false, ok
}

func pow2(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }

func most() *big.Int { return new(big.Int).Sub(pow2(256), big.NewInt(1)) }

// anyOps are for every value.
func anyOps() []op {
	return []op{
		{"deleted", func(_ *cast, p place) {
			p.parent.kids = append(p.parent.kids[:p.i:p.i], p.parent.kids[p.i+1:]...)
			if p.parent.kind == '{' {
				p.parent.keys = append(p.parent.keys[:p.i:p.i], p.parent.keys[p.i+1:]...)
			}
		}},
		constant("null", `null`), constant("true", `true`), constant("empty string", `""`), constant("empty object", `{}`), constant("empty list", `[]`),
		replace("in a list", func(_ *cast, old *node) *node { return &node{kind: '[', kids: []*node{old}} }),
		replace("in an object", func(_ *cast, old *node) *node {
			return &node{kind: '{', keys: []string{`"value"`}, kids: []*node{old}}
		}),
		replace("as JSON in a string", func(_ *cast, old *node) *node { return scalar(old.String()) }),
		{"swapped with the next", func(_ *cast, p place) {
			j := (p.i + 1) % len(p.parent.kids)
			p.parent.kids[p.i], p.parent.kids[j] = p.parent.kids[j], p.parent.kids[p.i]
		}},
		{"copied from the next", func(_ *cast, p place) {
			p.parent.kids[p.i] = p.parent.kids[(p.i+1)%len(p.parent.kids)].clone()
		}},
	}
}

// memberOps are for members of objects: their names, once or twice.
func memberOps() []op {
	twice := func(name string, spell func(string) string, evilFirst bool) op {
		return op{name, func(c *cast, p place) {
			if p.parent.kind != '{' {
				return
			}
			evil, key := worse(c, p.node()), p.parent.keys[p.i]
			if evilFirst {
				evil, p.parent.kids[p.i] = p.parent.kids[p.i], evil
			}
			p.parent.keys, p.parent.kids = append(p.parent.keys, spell(key)), append(p.parent.kids, evil)
		}}
	}
	same := func(k string) string { return k }
	renamed := func(name string, spell func(string) string) op {
		return op{name, func(_ *cast, p place) {
			if p.parent.kind == '{' {
				p.parent.keys[p.i] = spell(p.parent.keys[p.i])
			}
		}}
	}
	return []op{
		twice("twice, the second is worse", same, false),
		twice("twice, the first is worse", same, true),
		twice("twice, in capitals the second", strings.ToUpper, false),
		twice("twice, in capitals the second is right", strings.ToUpper, true),
		renamed("named in capitals", strings.ToUpper),
		renamed("named with a space", func(k string) string { return k[:len(k)-1] + ` "` }),
		renamed("named with an escape", func(k string) string { return fmt.Sprintf(`"\u%04x%s`, k[1], k[2:]) }),
	}
}

// worse is a value that would serve an attacker.
func worse(c *cast, old *node) *node {
	if old.kind != 's' {
		return &node{kind: old.kind}
	}
	s := old.text()
	v, hex, number := numberOf(s)
	switch {
	case number && hex:
		s = "0x" + new(big.Int).Add(v, big.NewInt(1)).Text(16)
	case number:
		s = new(big.Int).Add(v, big.NewInt(1)).String()
	case len(s) == 42:
		s = lower(c.attacker.Address())
	default:
		s = flipped(s, len(s)-1)
	}
	if old.isString() {
		return scalar(s)
	}
	return rawNode(s)
}

// flipped changes one hex digit.
func flipped(s string, i int) string {
	if i < 0 || i >= len(s) {
		return s + "0"
	}
	with := byte('1')
	if s[i] == '1' {
		with = '2'
	}
	return s[:i] + string(with) + s[i+1:]
}

// numberOps are for numbers in any spelling.
func numberOps() []op {
	i := big.NewInt
	set := func(name string, v *big.Int) op { return arithmetic(name, func(*big.Int) *big.Int { return v }) }
	return []op{
		arithmetic("+1", func(v *big.Int) *big.Int { return new(big.Int).Add(v, i(1)) }),
		arithmetic("-1", func(v *big.Int) *big.Int { return new(big.Int).Sub(v, i(1)) }),
		arithmetic("x2", func(v *big.Int) *big.Int { return new(big.Int).Lsh(v, 1) }),
		arithmetic("half", func(v *big.Int) *big.Int { return new(big.Int).Rsh(v, 1) }),
		arithmetic("3 % more", func(v *big.Int) *big.Int { return new(big.Int).Div(new(big.Int).Mul(v, i(103)), i(100)) }),
		arithmetic("x1e12", func(v *big.Int) *big.Int { return new(big.Int).Mul(v, i(1e12)) }),
		arithmetic("negative", func(v *big.Int) *big.Int { return new(big.Int).Neg(v) }),
		arithmetic("+256", func(v *big.Int) *big.Int { return new(big.Int).Add(v, i(256)) }),
		arithmetic("+2^64", func(v *big.Int) *big.Int { return new(big.Int).Add(v, pow2(64)) }),
		arithmetic("+2^256", func(v *big.Int) *big.Int { return new(big.Int).Add(v, pow2(256)) }),
		set("0", i(0)), set("1", i(1)), set("2", i(2)), set("3", i(3)), set("4", i(4)),
		set("2^63", pow2(63)), set("2^255", pow2(255)), set("2^256-1", most()),
		respell("with an exponent", func(_ *cast, s string) string { return s + "e1" }),
		respell("with a fraction", func(_ *cast, s string) string { return s + ".0" }),
		respell("with a half", func(_ *cast, s string) string { return s + ".5" }),
		replace("with a plus", func(_ *cast, old *node) *node { return scalar("+" + old.text()) }),
		replace("with a zero before", func(_ *cast, old *node) *node { return scalar("0" + old.text()) }),
		replace("with a space after", func(_ *cast, old *node) *node { return scalar(old.text() + " ") }),
		replace("with an underscore", func(_ *cast, old *node) *node { return scalar(old.text() + "_0") }),
		replace("in full-width digits", func(_ *cast, old *node) *node {
			return scalar(strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return r - '0' + '０'
				}
				return r
			}, old.text()))
		}),
		replace("number for string, or string for number", func(_ *cast, old *node) *node {
			if old.isString() {
				return rawNode(strings.TrimPrefix(old.text(), "0x"))
			}
			return scalar(old.raw)
		}),
		replace("decimal for hex, or hex for decimal", func(_ *cast, old *node) *node {
			v, hex, ok := numberOf(old.text())
			switch {
			case !ok:
				return old
			case hex:
				return scalar(v.String())
			}
			return scalar("0x" + v.Text(16))
		}),
		replace("as a float", func(_ *cast, old *node) *node {
			v, _, ok := numberOf(old.text())
			if !ok {
				return old
			}
			f, _ := new(big.Float).SetInt(v).Float64()
			return rawNode(fmt.Sprintf("%g", f))
		}),
	}
}

// hexOps are for addresses, hashes, keys and bytes.
func hexOps(length int) []op {
	out := []op{
		respell("in capitals", func(_ *cast, s string) string { return "0x" + strings.ToUpper(strings.TrimPrefix(s, "0x")) }),
		respell("without 0x", func(_ *cast, s string) string { return strings.TrimPrefix(s, "0x") }),
		respell("with 0X", func(_ *cast, s string) string { return "0X" + strings.TrimPrefix(s, "0x") }),
		respell("a byte shorter", func(_ *cast, s string) string { return s[:max(0, len(s)-2)] }),
		respell("half a byte shorter", func(_ *cast, s string) string { return s[:max(0, len(s)-1)] }),
		respell("a zero byte longer", func(_ *cast, s string) string { return s + "00" }),
		respell("a zero byte before", func(_ *cast, s string) string { return "0x00" + strings.TrimPrefix(s, "0x") }),
		respell("with a space", func(_ *cast, s string) string { return s + " " }),
		respell("with a zero-width space", func(_ *cast, s string) string { return s + "\u200b" }),
		respell("all zeros", func(_ *cast, s string) string { return "0x" + strings.Repeat("0", max(0, len(s)-2)) }),
		respell("all ones", func(_ *cast, s string) string { return "0x" + strings.Repeat("f", max(0, len(s)-2)) }),
		respell("first digit changed", func(_ *cast, s string) string { return flipped(s, 2) }),
		respell("last digit changed", func(_ *cast, s string) string { return flipped(s, len(s)-1) }),
		respell("middle digit changed", func(_ *cast, s string) string { return flipped(s, len(s)/2) }),
		respell("backwards", func(_ *cast, s string) string {
			b := []byte(strings.TrimPrefix(s, "0x"))
			for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
				b[i], b[j] = b[j], b[i]
			}
			return "0x" + string(b)
		}),
	}
	if length != 42 {
		return out
	}
	for _, who := range []struct {
		name string
		addr func(c *cast) common.Address
	}{
		{"the attacker", func(c *cast) common.Address { return c.attacker.Address() }},
		{"the attacker's contract", func(c *cast) common.Address { return c.thief }},
		{"the buyer", func(c *cast) common.Address { return c.buyer.Address() }},
		{"the seller", func(c *cast) common.Address { return c.home.Seller.Address() }},
		{"the creator", func(c *cast) common.Address { return c.home.Creator }},
		{"the collection", func(c *cast) common.Address { return c.home.Address }},
		{"another collection", func(c *cast) common.Address { return c.other.Address }},
		{"Seaport", func(*cast) common.Address { return seaport.Address }},
		{"the conduit controller", func(*cast) common.Address { return seaport.ConduitController }},
		{"the signed zone", func(*cast) common.Address { return seaport.SignedZone }},
		{"the fee recipient", func(*cast) common.Address { return seaport.FeeRecipient }},
		{"a precompile", func(*cast) common.Address { return common.BytesToAddress([]byte{4}) }},
	} {
		out = append(out, respell(who.name, func(c *cast, _ string) string { return lower(who.addr(c)) }))
	}
	return append(out, respell("a look-alike", func(_ *cast, s string) string { return lookalike(s) }))
}

// lookalike keeps the first and last four digits of an address.
func lookalike(s string) string {
	if len(s) != 42 {
		return s
	}
	return s[:6] + strings.Repeat("bad0", 8) + s[38:]
}

// wordOps are for other strings.
func wordOps() []op {
	return []op{
		respell("in capitals", func(_ *cast, s string) string { return strings.ToUpper(s) }),
		respell("in small letters", func(_ *cast, s string) string { return strings.ToLower(s) }),
		respell("with a space before", func(_ *cast, s string) string { return " " + s }),
		respell("with a space after", func(_ *cast, s string) string { return s + " " }),
		respell("with a NUL", func(_ *cast, s string) string { return s + "\x00" }),
		respell("with a zero-width space", func(_ *cast, s string) string { return s + "\u200b" }),
		respell("with a foreign letter", func(_ *cast, s string) string {
			return strings.NewReplacer("a", "а", "e", "е", "o", "о", "A", "А", "E", "Е", "I", "І").Replace(s)
		}),
		respell("turned around", func(_ *cast, s string) string { return "\u202e" + s }),
		respell("with a line break", func(_ *cast, s string) string { return s + "\nx" }),
		respell("very long", func(_ *cast, s string) string { return s + strings.Repeat("x", 5000) }),
		respell("a letter shorter", func(_ *cast, s string) string { return s[:max(0, len(s)-1)] }),
	}
}

// containerOps are for lists and objects.
func containerOps(n *node) []op {
	out := []op{
		{"with something more", func(c *cast, p place) {
			n := p.node()
			n.kids = append(n.kids, scalar(lower(c.attacker.Address())))
			if n.kind == '{' {
				n.keys = append(n.keys, `"more"`)
			}
		}},
		{"backwards", func(_ *cast, p place) {
			n := p.node()
			for i, j := 0, len(n.kids)-1; i < j; i, j = i+1, j-1 {
				n.kids[i], n.kids[j] = n.kids[j], n.kids[i] // of an object: values under other names
			}
		}},
	}
	if n.kind != '[' {
		return out
	}
	for i := range n.kids {
		out = append(out,
			op{fmt.Sprintf("item %d twice", i), func(_ *cast, p place) { n := p.node(); n.kids = append(n.kids, n.kids[i].clone()) }},
			op{fmt.Sprintf("item %d only", i), func(_ *cast, p place) { n := p.node(); n.kids = n.kids[i : i+1] }},
			op{fmt.Sprintf("item %d worse", i), func(c *cast, p place) {
				n := p.node()
				extra := n.kids[i].clone()
				for _, in := range extra.places() {
					if s := in.node(); s.kind == 's' && len(s.text()) == 42 && strings.Contains(in.name, "recipient") {
						in.parent.kids[in.i] = scalar(lower(c.attacker.Address()))
					}
				}
				n.kids = append(n.kids, extra)
			}})
	}
	return append(out, op{"a hundred times the first", func(_ *cast, p place) {
		if n := p.node(); len(n.kids) > 0 {
			for range 99 {
				n.kids = append(n.kids, n.kids[0])
			}
		}
	}})
}

// opsFor are the ops that make sense for a value.
func opsFor(p place) []op {
	n := p.node()
	out := anyOps()
	if p.parent.kind == '{' {
		out = append(out, memberOps()...)
	}
	switch {
	case n.kind != 's':
		return append(out, containerOps(n)...)
	case n.raw == "null" || n.raw == "true" || n.raw == "false":
		return append(out, constant("0x1", `"0x1"`), constant("false", `false`))
	}
	s := n.text()
	if _, _, ok := numberOf(s); ok {
		return append(out, numberOps()...)
	}
	if strings.HasPrefix(s, "0x") {
		return append(out, hexOps(len(s))...)
	}
	return append(out, wordOps()...)
}
