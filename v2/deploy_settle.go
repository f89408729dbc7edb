package v2

import (
	"bytes"
	"context"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// settle finds out what became of what an interrupted deployment left on its way: until
// then the account sends nothing else. Transactions of other kinds are none of its
// business.
func (x *deployment) settle(ctx context.Context) error {
	if x.d.Settle == nil {
		return nil
	}
	kept, err := x.d.Settle(ctx, x.plan.at.ID, isDeployKey, x.again)
	for _, why := range kept {
		x.d.Warn("not sent again: %s", why)
	}
	return err
}

// isDeployKey reports whether a transaction's key is one that step gives.
func isDeployKey(key string) bool {
	return strings.HasPrefix(key, "v2."+opCreate+":") || strings.HasPrefix(key, "v2."+opRule+":")
}

// again decides about what was signed and that no node has. Where it is a transaction
// of this plan, the leave to carry the plan out is that to send it; else it is the
// one of then.
func (x *deployment) again(ctx context.Context, told chain.Story, tx policy.Tx) error {
	if x.authority == "" || !x.plan.has(tx) {
		return x.Reconsider(ctx, told, tx)
	}
	if most := x.in.Most; most != nil && tx.FeeCap.Cmp(*most) > 0 {
		return fault.New(fault.PriceOverLimit, "its gas may cost more than was approved").WithSent(fault.SentNo)
	}
	return x.reconsider(ctx, told, tx, leave{anew: true, autonomous: x.authority == authorityAutonomous})
}

// has reports whether a transaction is one that the plan would send.
func (p *plan) has(tx policy.Tx) bool {
	for _, t := range p.steps() {
		if !t.done && common.Address(tx.To) == t.to && tx.Value.IsZero() && bytes.Equal(tx.Data, t.data) {
			return true
		}
	}
	return false
}
