package market

import (
	"slices"
	"time"
)

// Defaults for ApeChain on OpenSea.
const (
	DefaultChain    = "ape_chain"
	DefaultCurrency = "APE"
	// Seaport16 is Seaport 1.6 at its canonical address, the same on every chain.
	Seaport16 = "0x0000000000000068f116a894984e2db1123eb395"
	// SignedZone is OpenSea's zone for restricted orders: it signs each fulfilment
	// for one fulfiller.
	SignedZone = "0x000056f7000000ece9003ca63978907a00ffd100"
)

// Rules say which listings are usable. Every source has the same.
type Rules struct {
	Chain     string   // the marketplace's name for the chain, compared exactly
	Currency  string   // symbol of the native token, compared exactly
	Decimals  int      // of the native token
	Protocols []string // protocol contracts, lower case
	Zones     []string // zones trusted to admit anyone to a restricted order, lower case
	Now       func() time.Time
}

// ApeChain returns the rules for listings on ApeChain, and on the sandbox, whose
// marketplace calls its chain the same. Chain ids are for nft to check: here the
// slug is what a listing names.
func ApeChain(now func() time.Time) Rules {
	return Rules{
		Chain: DefaultChain, Currency: DefaultCurrency, Decimals: 18,
		Protocols: []string{Seaport16}, Zones: []string{SignedZone}, Now: now,
	}
}

func (r Rules) knowsProtocol(a string) bool { return slices.Contains(r.Protocols, a) }
func (r Rules) trustsZone(a string) bool    { return slices.Contains(r.Zones, a) }
