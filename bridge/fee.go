package bridge

import (
	"math"
	"math/big"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// feeBPS is what the bridge keeps: its own fee and that of the app, in units of what
// leaves, over the amount that leaves, rounded up. A fee in another currency is
// converted by the two prices that the quote gives. What is not known is refused.
func feeBPS(f wireFees, in *wireAmount) (units.BPS, error) {
	unknown := func(what string) error {
		return fault.New(fault.FeeOverLimit, "what the bridge keeps is not known: %s", what).Hintf("quote it again").WithSent(fault.SentNo).With("gate", "bridge-fee")
	}
	amount, err := in.Amount.wei()
	if err != nil || amount.IsZero() {
		return 0, unknown("the quote has no amount")
	}
	sum := new(big.Int)
	for _, part := range []struct {
		name string
		fee  *wireAmount
	}{{"relayer", f.Relayer}, {"app", f.App}} {
		if part.fee == nil || !part.fee.Amount.IsSet() {
			return 0, unknown("the quote lacks the " + part.name + " fee")
		}
		if part.fee.Amount.negative || part.fee.Amount.Big().Sign() == 0 {
			continue // it is paid by somebody else
		}
		of, ok := converted(part.fee, in)
		if !ok {
			return 0, unknown("the " + part.name + " fee is in another currency, and its price is missing")
		}
		sum.Add(sum, of)
	}
	bps := ceil(sum.Mul(sum, big.NewInt(int64(units.WholeBPS))), amount.Big())
	if !bps.IsInt64() || bps.Int64() > math.MaxUint32 {
		return math.MaxUint32, nil
	}
	return units.BPS(bps.Int64()), nil
}

// converted is a fee in base units of what leaves, rounded up.
func converted(fee, in *wireAmount) (*big.Int, bool) {
	id, ok := chainID(fee.Currency.ChainID)
	own, _ := chainID(in.Currency.ChainID)
	a, err := address(fee.Currency.Address)
	b, berr := address(in.Currency.Address)
	if ok && err == nil && berr == nil && id == own && a == b {
		return fee.Amount.Big(), true
	}
	price, pok := fee.AmountUSD.usd()
	whole, wok := in.AmountUSD.usd()
	if !pok || !wok || price.IsZero() || whole.IsZero() {
		return nil, false
	}
	return ceil(new(big.Int).Mul(price.Big(), in.Amount.Big()), whole.Big()), true
}

// ceil is a / b, rounded up.
func ceil(a, b *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	if r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}
