package nft

import (
	"fmt"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// feeCeiling is the most that gas of a purchase may cost: a small multiple of
// what the simulation that opened the gate foresaw, so that a node that names a
// high fee afterwards gets none of it. Where policy asks for no simulation and
// there is none, it is the sender's own.
func feeCeiling(p policy.Purchase) units.Wei {
	most := chain.DefaultFeeCeiling()
	if p.Simulation.State != policy.SimPassed {
		return most
	}
	limit, err := p.FeeLimit.Mul(feeMargin)
	switch {
	case err != nil || limit.Cmp(most) > 0:
		return most
	case limit.IsZero():
		return units.FromUint64(1) // zero would leave it to the sender
	}
	return limit
}

// ceiling is feeCeiling, and not more than what was approved leaves beside the price.
func (x *execution) ceiling(price units.Wei) (units.Wei, error) {
	most := feeCeiling(x.first)
	if x.in.Most == nil {
		return most, nil
	}
	left, err := x.in.Most.Sub(price)
	if err != nil || left.IsZero() {
		return most, fault.New(fault.PriceOverLimit, "price %s %s leaves nothing for gas of the %s that were approved", x.quote.PriceApe, x.quote.Currency,
			x.in.Most.Decimal(units.APEDecimals)).Hintf("have it proposed anew").WithSent(fault.SentNo).With("gate", policy.GateMaxPrice)
	}
	if left.Cmp(most) < 0 {
		return left, nil
	}
	return most, nil
}

// tooDear says of the sender's refusal of a fee what was simulated, and what to do.
func (s *Service) tooDear(q Quote, p policy.Purchase, err error) error {
	if fault.CodeOf(err) != fault.PolicyBlocked || fault.From(err).Details["gate"] != "feeCeiling" {
		return err
	}
	e := *fault.From(err)
	if p.Simulation.State == policy.SimPassed {
		e.Message += fmt.Sprintf("; the simulation foresaw up to %s", p.FeeLimit.Decimal(units.APEDecimals))
	}
	return e.Hintf("simulate again, and look at the fee: %s", s.next(cmdSimulate, q.QuoteID))
}
