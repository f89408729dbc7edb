package adversary_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/nft/seaport"
)

// catalogue makes every mutant, always in the same sequence.
type catalogue struct {
	all  []*mutant
	seen map[uint64]bool // digests of what the trees became
}

func (k *catalogue) add(class, name string, m mutant) {
	m.class, m.name = class, class+": "+name
	m.number = len(k.all)
	m.node = m.node || slices.ContainsFunc(m.lies, func(l mutation) bool { return strings.HasPrefix(l.target, "eth_") })
	k.all = append(k.all, &m)
}

// functions are those that are accepted.
var functions = []string{seaport.FnBasicEfficient, seaport.FnAdvanced, seaport.FnOrder, seaport.FnBasic}

// Classes, in the order of the table.
const (
	inListing    = "listing"
	inFulfilment = "fulfilment"
	inTransfer   = "transfer"
	inOrder      = "order"
	inCall       = "call"
	inCollusion  = "collusion"
	inNode       = "node"
	inNodeHTTP   = "node transfer"
	inCombined   = "combined"
)

// build makes the catalogue from the answers of an honest purchase.
func build(honestly map[string][]byte, c *cast, combined int) []*mutant {
	k := &catalogue{seen: map[uint64]bool{}}
	k.trees(inListing, listing, "", honestly[listing], c, nil)
	k.trees(inFulfilment, fulfilment, "", honestly[fulfilment], c, nil)
	for _, f := range functions[1:] {
		doc := honest(c, f).sign(c).fulfilment().String()
		k.trees(inFulfilment, fulfilment, f, []byte(doc), c, func(c *cast) *proposal { return honest(c, f).sign(c) })
	}
	k.transfers()
	k.frauds()
	for _, target := range slices.Sorted(maps.Keys(honestly)) {
		if strings.HasPrefix(target, "eth_") {
			k.answers(target, honestly[target], c)
		}
	}
	k.broadcasts()
	k.combine(combined)
	return k.all
}

// whenOf spreads mutants over the phases.
func whenOf(name string, n int) phase {
	h := fnv.New32a()
	h.Write([]byte(name))
	if h.Sum32()%3 < uint32(n) {
		return atBuy
	}
	return atTrial
}

// trees changes one place of a document at a time.
func (k *catalogue) trees(class, target, function string, doc []byte, c *cast, plan func(*cast) *proposal) {
	root := parseTree(doc)
	for _, p := range root.places() {
		if strings.Contains(p.name, ".orders[") {
			continue // nothing of it is used
		}
		for _, o := range opsFor(p) {
			if !k.fresh(target+function, root, p, c, o) {
				continue
			}
			name := fmt.Sprintf("%s %s %s", cmp.Or(function, "as it is"), p.name, o.name)
			when := whenOf(name, 2)
			if target == listing {
				when = always
			}
			k.add(class, name+when.String(), mutant{plan: plan, lies: []mutation{{target: target, phase: when, do: func(c *cast, x *exchange) reply {
				var r reply
				if c.planned != nil {
					r = document(c.planned.fulfilment())
				} else if r = x.real(); r.err != nil {
					return r
				}
				return edited(c, r, p.path, o)
			}}}})
		}
	}
}

func edited(c *cast, r reply, path []int, o op) reply {
	n := parseTree(r.body)
	if n == nil {
		return r
	}
	p, ok := n.find(path)
	if !ok {
		return r
	}
	o.do(c, p)
	r.body = []byte(n.String())
	return r
}

// fresh reports whether an op makes something of the document that none has made.
func (k *catalogue) fresh(what string, root *node, p place, c *cast, o op) bool {
	n := root.clone()
	at, _ := n.find(p.path)
	o.do(c, at)
	return k.first(what+n.String()) && n.String() != root.String()
}

func (k *catalogue) first(text string) bool {
	h := fnv.New64a()
	h.Write([]byte(text))
	was := k.seen[h.Sum64()]
	k.seen[h.Sum64()] = true
	return !was
}

// transfer is a way to break an answer between servers.
type transfer struct {
	name string
	do   func(r reply) reply
}

func transferOps() []transfer {
	body := func(name string, f func(b []byte) []byte) transfer {
		return transfer{name, func(r reply) reply { r.body = f(r.body); return r }}
	}
	out := []transfer{
		body("empty", func([]byte) []byte { return nil }),
		body("cut in the middle", func(b []byte) []byte { return b[:len(b)/2] }),
		body("one byte short", func(b []byte) []byte { return b[:max(0, len(b)-2)] }),
		body("null", func([]byte) []byte { return []byte("null") }),
		body("an empty object", func([]byte) []byte { return []byte("{}") }),
		body("a number", func([]byte) []byte { return []byte("1") }),
		body("a string", func([]byte) []byte { return []byte(`"ok"`) }),
		body("a page", func([]byte) []byte { return []byte("<!DOCTYPE html><title>Just a moment...</title>") }),
		body("a byte order mark before", func(b []byte) []byte { return append([]byte("\ufeff"), b...) }),
		body("junk before", func(b []byte) []byte { return append([]byte(")]}',\n"), b...) }),
		body("junk behind", func(b []byte) []byte { return append(slices.Clone(b), "junk"...) }),
		body("twice", func(b []byte) []byte { return append(slices.Clone(b), b...) }),
		body("in a list", func(b []byte) []byte { return []byte("[" + string(b) + "]") }),
		body("twice in a list", func(b []byte) []byte { return []byte("[" + string(b) + "," + string(b) + "]") }),
		body("as a string", func(b []byte) []byte { return []byte(quote(string(b))) }),
		body("with a NUL", func(b []byte) []byte { return append(slices.Clone(b), 0) }),
		body("in UTF-16", func(b []byte) []byte {
			out := []byte{0xff, 0xfe}
			for _, c := range b {
				out = append(out, c, 0)
			}
			return out
		}),
		body("deep", func([]byte) []byte { return []byte(strings.Repeat("[", 100_000)) }),
		body("9 MiB", func(b []byte) []byte { return append(slices.Clone(b), strings.Repeat(" ", 9<<20)...) }),
		{"broken off", func(r reply) reply { r.body, r.short = r.body[:len(r.body)/2], true; return r }},
		{"broken off at the end", func(r reply) reply { r.short = true; return r }},
		{"lost", func(reply) reply { return reply{err: errReset} }},
		{"as HTML", func(r reply) reply {
			r.header = http.Header{"Content-Type": {"text/html"}, "X-Mutant": {"1"}}
			return r
		}},
		{"without a type", func(r reply) reply { r.header = http.Header{}; return r }},
	}
	for _, code := range []int{201, 204, 301, 302, 307, 400, 401, 403, 404, 409, 418, 429, 500, 502, 503, 599} {
		out = append(out, transfer{fmt.Sprintf("status %d", code), func(r reply) reply {
			r.status = code
			if code < 400 {
				r.header = r.header.Clone()
				r.header.Set("Location", "http://127.0.0.1:1/")
			}
			return r
		}})
	}
	return out
}

func (k *catalogue) transfers() {
	for _, target := range []string{listing, fulfilment} {
		for _, t := range transferOps() {
			when := always
			if target == fulfilment {
				when = whenOf(t.name, 1)
			}
			k.add(inTransfer, target+" "+t.name+when.String(), mutant{lies: []mutation{{target: target, phase: when,
				do: func(_ *cast, x *exchange) reply {
					r := x.real()
					if r.err != nil {
						return r
					}
					return t.do(r)
				}}}})
		}
	}
}

// frauds are what really signed orders and the calls around them can do, alone and
// with a node that helps.
func (k *catalogue) frauds() {
	plan := func(f fraud, function string) func(c *cast) *proposal {
		return func(c *cast) *proposal {
			p := honest(c, function)
			f.do(c, p)
			return p.sign(c)
		}
	}
	for i, f := range orderFrauds() {
		for j, function := range functions {
			for _, how := range []shown{listedAsIs, hashOnly, listedInFull} {
				when := whenOf(f.name+function+how.String(), 2)
				if how != listedAsIs && (i+j)%2 == 1 && function != seaport.FnAdvanced {
					continue // these two functions and the next two take turns
				}
				name := fmt.Sprintf("%s, %s, %s%s", f.name, how, function, when)
				k.add(inOrder, name, mutant{plan: plan(f, function), lies: offers(how, when)})
			}
		}
		for _, how := range []shown{listedAsIs, hashOnly} {
			k.add(inCollusion, fmt.Sprintf("%s, %s", f.name, how), mutant{
				plan: plan(f, functions[i%len(functions)]), lies: append(offers(how, atTrial), helpful()...)})
		}
	}
	for i, f := range append([]fraud{{"the same at the same price", func(_ *cast, p *proposal) { p.order.Salt = add(p.order.Salt, 7) }}}, orderFrauds()...) {
		k.add(inOrder, f.name+", in place of a gone one", mutant{gone: true, plan: plan(f, functions[i%len(functions)]), lies: replacing()})
	}
	for i, f := range callFrauds() {
		for _, function := range functions {
			if len(f.name) > 10 && strings.HasPrefix(f.name, "call: fraction") && function != seaport.FnAdvanced {
				continue
			}
			how := listedAsIs
			if strings.HasPrefix(f.name, "tip: ") {
				how = listedInFull
			}
			when := whenOf(f.name+function, 2)
			k.add(inCall, f.name+", "+function+when.String(), mutant{plan: plan(f, function), lies: offers(how, when)})
		}
		if !strings.HasPrefix(f.name, "signature") {
			k.add(inCollusion, f.name, mutant{plan: plan(f, functions[(i+1)%len(functions)]), lies: append(offers(listedInFull, atTrial), helpful()...)})
		}
	}
	for i, name := range otherFunctions() {
		for _, help := range []bool{false, true} {
			m := mutant{plan: func(c *cast) *proposal {
				p := honest(c, name)
				p.to = []string{lower(seaport.Address), lower(c.home.Address)}[i%2]
				return p.sign(c)
			}, lies: offers(listedAsIs, atTrial)}
			class := inCall
			if help {
				m.lies, class = append(m.lies, helpful()...), inCollusion
			}
			k.add(class, "function "+name, m)
		}
	}
}

// replacing is a marketplace whose order is gone when it is to be bought, and who has
// another instead.
func replacing() []mutation {
	return []mutation{
		{target: "eth_call status", phase: atBuy, only: 1, do: func(_ *cast, x *exchange) reply { // a node that says that it was cancelled
			return result_(x, `"0x`+strings.Repeat(strings.Repeat("0", 63)+"1", 2)+strings.Repeat("0", 128)+`"`)
		}},
		{target: listing, phase: atBuy, do: func(c *cast, x *exchange) reply { return document(c.planned.listing()) }},
		{target: fulfilment, phase: atBuy, only: 1, do: func(c *cast, x *exchange) reply {
			r := document(rawNode(`{"errors":["The order_hash you provided does not exist"]}`))
			r.status = http.StatusNotFound
			return r
		}},
		{target: fulfilment, phase: atBuy, from: 2, do: func(c *cast, x *exchange) reply { return document(c.planned.fulfilment()) }},
	}
}

// helpful is a node that says of every purchase that it will do.
func helpful() []mutation {
	say := func(target, result string) mutation {
		return mutation{target: target, do: func(_ *cast, x *exchange) reply { return result_(x, result) }}
	}
	return []mutation{
		say("eth_call purchase", `"0x`+strings.Repeat("0", 63)+`1"`),
		say("eth_estimateGas", `"0x61a80"`),
	}
}

// result_ is a JSON-RPC answer.
func result_(x *exchange, result string) reply {
	return document(rawNode(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, x.id, result)))
}

// combine picks two or three lies of different targets, by lot.
func (k *catalogue) combine(n int) {
	rng := chance(*seed, "combined")
	single := slices.Clone(k.all)
	for len(k.all) < len(single)+n {
		var m mutant
		var names []string
		used := map[string]bool{}
		for range 2 + rng.IntN(2) {
			one := single[rng.IntN(len(single))]
			if one.plan != nil && m.plan != nil || slices.ContainsFunc(one.lies, func(l mutation) bool { return used[l.target] }) {
				continue
			}
			for _, l := range one.lies {
				used[l.target] = true
			}
			m.lies = append(m.lies, one.lies...)
			m.plan = cmpPlan(m.plan, one.plan)
			names = append(names, fmt.Sprint(one.number))
		}
		name := strings.Join(names, " + ")
		if len(names) < 2 || !k.first(name) {
			continue
		}
		k.add(inCombined, name, m)
	}
}

func cmpPlan(a, b func(*cast) *proposal) func(*cast) *proposal {
	if a != nil {
		return a
	}
	return b
}

// envelope reads a JSON-RPC answer as a tree; nil when it is none.
func envelope(r reply) *node {
	if r.err != nil || !json.Valid(r.body) {
		return nil
	}
	return parseTree(r.body)
}
