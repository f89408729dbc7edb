package policy

import (
	"fmt"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// show is an amount of what the purchase is paid in, for people.
func (p Purchase) show(decimal string) string { return decimal + " " + p.Currency }

func maxPriceGate(_ Fence, p Purchase) Gate {
	g := Gate{Measured: p.show(p.Price.Decimal(p.Decimals)), Limit: "none given", Setting: "--max-price"}
	if p.MaxPrice == nil {
		return g
	}
	g.Limit = p.show(p.MaxPrice.Decimal(p.Decimals))
	if p.Price.Cmp(*p.MaxPrice) > 0 {
		g.refuse(fault.PriceOverLimit, fmt.Sprintf("price %s is over --max-price %s", g.Measured, g.Limit), "quote again with a higher --max-price, or a cheaper token")
	}
	return g
}

// priceCap is the most one purchase in asset may cost. A number of APE says
// nothing about another token, so one without a cap of its own has a cap of nothing.
func (p *Policy) priceCap(a Asset) Cap {
	c, _ := p.priceCapKey(a)
	return c
}

func (p *Policy) priceCapKey(a Asset) (Cap, string) {
	if a == NativeOf(p.ChainID) {
		return p.NFTBuy.MaxPricePerTx, priceKey
	}
	if c, ok := p.Execution.CurrencyCaps[a.Token]; ok && a.ChainID == p.ChainID {
		return c.MaxPricePerTx, currencyKey(c.name(a.Token), "maxPricePerTx")
	}
	return Cap{}, currencyKey(a.Token, "maxPricePerTx")
}

// priceGate holds the price against the cap of its currency and then against the
// collection's own.
func priceGate(f Fence, p Purchase) Gate {
	limit, key := f.Policy.priceCapKey(p.Asset)
	g := priceWithin(f, p, limit, key)
	own, ok := f.Policy.NFTBuy.CollectionCaps[p.contract()]
	if g.Code != "" || !ok || own.lift() {
		return g
	}
	if p.Asset != NativeOf(f.Policy.ChainID) {
		g.Limit, g.Setting = "a price in "+f.Policy.NativeToken, f.Policy.Setting(collectionKey(p.contract(), "maxPricePerTx"))
		g.refuse(fault.PriceOverLimit, fmt.Sprintf("%s has caps in %s, which say nothing of a price in %s", p.Collection.Slug, f.Policy.NativeToken, p.Currency),
			"choose a listing in "+f.Policy.NativeToken)
		return g
	}
	if strict := limit.Min(own.MaxPricePerTx); strict != limit {
		return priceWithin(f, p, own.MaxPricePerTx, collectionKey(p.contract(), "maxPricePerTx"))
	}
	return g
}

func priceWithin(f Fence, p Purchase, limit Cap, key string) Gate {
	g := Gate{Measured: p.show(p.Price.Decimal(p.Decimals)), Limit: unlimited, Setting: f.Policy.Setting(key)}
	if !limit.Unlimited {
		g.Limit = p.show(limit.Max.Decimal(p.Decimals))
	}
	if limit.Allows(p.Price) {
		return g
	}
	change := "choose a cheaper token, or raise " + key + " in the policy file"
	if limit.Max.IsZero() {
		change = "set " + key + " in the policy file; 0 allows nothing"
	}
	g.refuse(fault.PriceOverLimit, fmt.Sprintf("price %s is over %s %s", g.Measured, key, g.Limit), change)
	return g
}

// feeGate bounds what of the price goes to others than the seller.
func feeGate(f Fence, p Purchase) Gate {
	limit := f.Policy.NFTBuy.MaxMarketplaceFee
	g := Gate{Measured: "unknown", Limit: limit.String(), Setting: f.Policy.Setting(feeKey)}
	if p.OthersGet != nil {
		g.Measured = fmt.Sprintf("%s of %s", p.show(p.OthersGet.Decimal(p.Decimals)), p.show(p.Price.Decimal(p.Decimals)))
	}
	switch {
	case limit.Unlimited:
	case p.OthersGet == nil:
		g.refuse(fault.FeeOverLimit, "what of the price goes to others than the seller is not known", "quote it again: ape-claw nft quote")
	case !limit.Allows(*p.OthersGet, p.Price):
		g.refuse(fault.FeeOverLimit, fmt.Sprintf("marketplace and creators get %s, which is over %s %s", g.Measured, feeKey, g.Limit),
			"choose another token, or raise "+feeKey+" in the policy file")
	}
	return g
}

// spendGate foretells whether price and fee limit fit under every cap. The
// reservation repeats the check where nobody can come between.
func spendGate(f Fence, p Purchase) Gate {
	g := Gate{Measured: "unknown", Limit: "every daily cap", Setting: f.Policy.Setting(dailyKey)}
	if p.SpentErr != nil {
		e := fault.From(p.SpentErr)
		g.refuse(e.Code, e.Message, e.Hint)
		if g.Change == "" {
			g.Change = "run ape-claw doctor"
		}
		return g
	}
	limits := f.Policy.Limits(p.Scope())
	unknown := len(p.Spent) != len(limits)
	capped := false
	for i := 0; i < len(limits) && !unknown; i++ {
		unknown = p.Spent[i].Limit != limits[i]
		capped = capped || limits[i].Scope() == Scope{Asset: p.Asset}
	}
	if unknown {
		g.refuse(fault.CapExceeded, "what was spent in the last 24 h is not known", "run ape-claw doctor")
		return g
	}
	if !capped {
		e := fault.From(uncapped(p.Asset))
		g.refuse(fault.CapExceeded, e.Message, e.Hint)
		return g
	}
	var least *units.Wei // what the tightest cap has left
	for _, u := range p.Spent {
		asked, err := p.asks(u.Limit.Asset)
		if err != nil || !within(u.Limit.Cap, u.Spent, asked) {
			g.measure(u, asked)
			e := fault.From(capExceeded(u.Limit, u.Spent, asked))
			g.refuse(e.Code, e.Message, e.Hint)
			return g
		}
		after, _ := u.Spent.Add(asked) // within has added them
		left, err := u.Limit.Cap.Max.Sub(after)
		switch {
		case err != nil || u.Limit.Cap.Unlimited:
			if least == nil {
				g.measure(u, asked)
			}
		case least == nil || left.Cmp(*least) < 0:
			least = &left
			g.measure(u, asked)
		}
	}
	return g
}

// asks is what the purchase takes of an asset: its price, or gas, or both.
func (p Purchase) asks(a Asset) (asked units.Wei, err error) {
	if a == p.Asset {
		asked = p.Price
	}
	if a == NativeOf(p.Asset.ChainID) {
		return asked.Add(p.FeeLimit)
	}
	return asked, nil
}

func (g *Gate) measure(u Use, asked units.Wei) {
	g.Measured = fmt.Sprintf("%s spent or reserved + %s", u.Limit.show(u.Spent), u.Limit.show(asked))
	g.Limit, g.Setting = unlimited, u.Limit.Setting
	if !u.Limit.Cap.Unlimited {
		g.Limit = u.Limit.show(u.Limit.Cap.Max)
	}
}
