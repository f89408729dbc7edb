package policy

import (
	"slices"

	"github.com/ape-claw/ape-claw/chain/units"
)

// slugs finds the contract of a slug, for files that name collections by it.
type slugs struct {
	load func() ([]Entry, error)
	// lenient: what is not known here is left out, as in a sandbox, where files
	// speak of collections and tokens of another chain.
	lenient bool
}

// contract returns the one contract that the allowlist has under a slug. Whether
// the entry is enabled does not matter: a cap of what can't be bought is harmless.
func (n slugs) contract(l *layer, e named[capsLayer]) (string, error) {
	if isAddress(e.key) {
		return e.key, nil
	}
	entries, err := n.load()
	if err != nil {
		return "", err
	}
	var found []string
	for _, have := range entries {
		if have.Slug == e.key && have.ContractAddress != "" && !slices.Contains(found, have.ContractAddress) {
			found = append(found, have.ContractAddress)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if n.lenient {
			return "", nil
		}
		return "", l.errorf(e.pos, "collectionCaps names %q, which the allowlist does not know; name the contract", e.key)
	}
	return "", l.errorf(e.pos, "collectionCaps names %q, which is %d contracts on the allowlist; name the contract", e.key, len(found))
}

// mergeCaps adds what a file says of single collections, currencies and other chains.
func (p *Policy) mergeCaps(l *layer, names slugs, base, agent bool) error {
	if err := p.mergeSpendCaps(l, base, agent); err != nil {
		return err
	}
	if l.collectionCaps != nil {
		seen := map[string]bool{}
		for _, e := range l.collectionCaps.v {
			contract, err := names.contract(l, e)
			if err != nil {
				return err
			}
			if contract == "" {
				continue
			}
			if seen[contract] {
				return l.errorf(e.pos, "collectionCaps has %s twice: %q is one of its names", contract, e.key)
			}
			seen[contract] = true
			have, ok := p.NFTBuy.CollectionCaps[contract]
			if !ok {
				have = noCaps()
			}
			key := func(k string) string { return collectionKey(contract, k) }
			if err := p.mergeEntry(l, &have, e.v, units.APEDecimals, key, base, agent); err != nil {
				return err
			}
			p.NFTBuy.CollectionCaps[contract] = have
		}
	}
	if l.currencyCaps == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, e := range l.currencyCaps.v {
		contract, t, err := p.currency(l, e, names.lenient)
		if err != nil {
			return err
		}
		if contract == "" {
			continue
		}
		if seen[contract] {
			return l.errorf(e.pos, "currencyCaps has %s twice: %q is one of its names", contract, e.key)
		}
		seen[contract] = true
		have, ok := p.Execution.CurrencyCaps[contract]
		switch {
		case base: // a cap that is left out allows nothing
			have = CurrencyCaps{Caps: noCaps(), Symbol: t.symbol, Decimals: t.decimals}
			if e.v.maxPrice == nil {
				have.MaxPricePerTx = Cap{}
			}
			if e.v.daily == nil {
				have.Daily = Cap{}
			}
		case !ok: // nothing can be spent of it, and a narrowing file adds nothing
			continue
		case have.Decimals != t.decimals:
			return l.errorf(e.pos, "%s has %d places here and %d in the base policy", e.key, t.decimals, have.Decimals)
		}
		key := func(k string) string { return currencyKey(have.name(contract), k) }
		if err := p.mergeEntry(l, &have.Caps, e.v, have.Decimals, key, base, agent); err != nil {
			return err
		}
		p.Execution.CurrencyCaps[contract] = have
	}
	return nil
}

// mergeEntry tightens the caps of one collection or currency by what a file says.
func (p *Policy) mergeEntry(l *layer, have *Caps, said capsLayer, decimals int, key func(string) string, base, agent bool) error {
	read := func(name string, v *at[literal]) (*at[Cap], error) {
		if v == nil {
			return nil, nil
		}
		c, err := v.v.amount(l.source, name, v.pos, decimals)
		return &at[Cap]{c, v.pos}, err
	}
	price, err := read("maxPricePerTx", said.maxPrice)
	if err != nil {
		return err
	}
	daily, err := read("dailySpendCap", said.daily)
	if err != nil {
		return err
	}
	for name, set := range map[string]bool{"maxPricePerTx": price != nil, "dailySpendCap": daily != nil} {
		if base && set {
			p.setBy[key(name)] = []string{l.file}
		}
	}
	tighten(p, l, key("maxPricePerTx"), &have.MaxPricePerTx, price, Cap.Min)
	if agent && daily != nil {
		have.AgentDaily = &daily.v
		p.setBy[agentKey(key("dailySpendCap"))] = []string{l.file}
		return nil
	}
	tighten(p, l, key("dailySpendCap"), &have.Daily, daily, Cap.Min)
	return nil
}

// token is what is known of a currency.
type token struct {
	contract, symbol string
	decimals         int
}

// currency finds the token that an entry of currencyCaps means; the contract is
// "" for one that is to be left out.
func (p *Policy) currency(l *layer, e named[capsLayer], lenient bool) (string, token, error) {
	d := e.v.decimals
	if isAddress(e.key) {
		t := token{contract: e.key}
		for s, known := range knownTokens {
			if s.ChainID == p.ChainID && known.contract == e.key {
				t = known
				t.symbol = s.Name
			}
		}
		switch {
		case t.symbol != "" && d != nil && d.v != t.decimals:
			return "", t, l.errorf(d.pos, "%s has %d places, not %d", t.symbol, t.decimals, d.v)
		case t.symbol == "" && d == nil:
			return "", t, l.errorf(e.pos, "currencyCaps names a token by its address, and needs its decimals to read amounts of it")
		case t.symbol == "":
			t.decimals = d.v
		}
		return e.key, t, nil
	}
	if e.key == p.NativeToken {
		return "", token{}, l.errorf(e.pos, "%s is bounded by nftBuy.maxPricePerTx and execution.dailySpendCap, not here", e.key)
	}
	t, ok := knownTokens[symbol{p.ChainID, e.key}]
	t.symbol = e.key
	switch {
	case !ok && lenient:
		return "", t, nil
	case !ok:
		return "", t, l.errorf(e.pos, "currencyCaps names %q, which is no token known on chain %d; name its contract", e.key, p.ChainID)
	case d != nil && d.v != t.decimals:
		return "", t, l.errorf(d.pos, "%s has %d places, not %d", e.key, t.decimals, d.v)
	}
	return t.contract, t, nil
}
