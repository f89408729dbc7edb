package bridge

import (
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Place is a chain that funds may go from or to, as this program calls it. What the
// bridge calls a chain or a token proves nothing.
type Place struct {
	Name   string // part of the phrase: "ethereum"
	ID     int64
	Symbol string           // of its own currency
	Tokens map[string]Token // by symbol, in capitals
}

// Token is a contract that a symbol stands for.
type Token struct {
	Address  common.Address
	Decimals int
}

func known(address string, decimals int) Token {
	return Token{common.HexToAddress(address), decimals}
}

// Places are the chains that are known by name; own is ApeChain, or what stands for it.
// Tokens: apecoin.com, circle.com.
func Places(own int64, symbol string) []Place {
	return []Place{
		{Name: "apechain", ID: own, Symbol: symbol},
		{Name: "ethereum", ID: 1, Symbol: "ETH", Tokens: map[string]Token{
			"APE":  known("0x4d224452801aced8b2f0aebe155379bb5d594381", 18),
			"USDC": known("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", 6),
		}},
		{Name: "optimism", ID: 10, Symbol: "ETH"},
		{Name: "polygon", ID: 137, Symbol: "POL"},
		{Name: "base", ID: 8453, Symbol: "ETH", Tokens: map[string]Token{"USDC": known("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", 6)}},
		{Name: "arbitrum", ID: 42161, Symbol: "ETH"},
	}
}

// place finds a chain by the name that somebody typed.
func place(all []Place, flag, name string) (Place, error) {
	names := make([]string, len(all))
	for i, p := range all {
		if strings.EqualFold(p.Name, name) {
			return p, nil
		}
		names[i] = p.Name
	}
	return Place{}, fault.New(fault.Usage, "%s %s is no chain that is known here", flag, quoted(name)).
		Hintf("name one of %s", strings.Join(names, ", ")).WithSent(fault.SentNo)
}

// currency is what a symbol or an address means on a chain. The places of a token
// that has no name here are those that a policy file gives it.
func (p Place) currency(name string, rules *policy.Policy) (Currency, error) {
	c := Currency{ChainID: p.ID, Symbol: name, Decimals: units.APEDecimals}
	if strings.EqualFold(name, p.Symbol) {
		c.Symbol = p.Symbol
		return c, nil
	}
	if t, ok := p.Tokens[strings.ToUpper(name)]; ok {
		c.Address, c.Symbol, c.Decimals = t.Address, strings.ToUpper(name), t.Decimals
		return c, nil
	}
	if a, err := address(name); err == nil && a != Native {
		c.Address, c.Symbol = a, lower(a)
		for s, t := range p.Tokens {
			if t.Address == a {
				c.Symbol, c.Decimals = s, t.Decimals
				return c, nil
			}
		}
		if limit, ok := rules.Execution.SpendCaps[policy.Asset{ChainID: p.ID, Token: lower(a)}]; ok {
			c.Decimals = limit.Decimals
			return c, nil
		}
		if limit, ok := rules.Execution.CurrencyCaps[lower(a)]; ok && p.ID == rules.ChainID {
			c.Decimals = limit.Decimals
			return c, nil
		}
	}
	return Currency{}, fault.New(fault.Usage, "--token %s is no token that is known on %s", quoted(name), p.Name).
		Hintf("name %s, or a contract with a cap in execution.dailySpendCaps", p.Symbol).WithSent(fault.SentNo)
}

// asset is a currency as the ledger counts it.
func (c Currency) asset() policy.Asset {
	if c.Address == Native {
		return policy.NativeOf(c.ChainID)
	}
	return policy.Asset{ChainID: c.ChainID, Token: lower(c.Address)}
}
