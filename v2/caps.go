package v2

import (
	"context"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
)

// CapAfter is a daily cap before and after a write, in whole units of what it counts.
type CapAfter struct {
	Name     string     `json:"cap"`
	Limit    string     `json:"limit"` // or "unlimited"
	LimitWei *units.Wei `json:"limitWei,omitempty"`
	Used     string     `json:"used"`
	UsedWei  units.Wei  `json:"usedWei"`
	After    string     `json:"after"` // at most
	AfterWei units.Wei  `json:"afterWei"`
}

// capsAfter tells each daily cap of a write before and after it, for who decides by
// them. Where the ledger can't be read there are none: what decides over an execution
// asks it again.
func (s *Service) capsAfter(ctx context.Context, rules *policy.Policy, p policy.Write) []CapAfter {
	out := []CapAfter{}
	uses, err := s.spent(ctx, rules, p.Scope())
	most, over := p.Value.Add(p.FeeLimit)
	if err != nil || over != nil {
		return out
	}
	for _, u := range uses {
		after, err := u.Spent.Add(most)
		if err != nil {
			return out
		}
		c := CapAfter{Name: u.Limit.Name, Limit: u.Limit.Cap.Decimal(units.APEDecimals), Used: u.Spent.Decimal(units.APEDecimals), UsedWei: u.Spent,
			After: after.Decimal(units.APEDecimals), AfterWei: after}
		if !u.Limit.Cap.Unlimited {
			limit := u.Limit.Cap.Max
			c.LimitWei = &limit
		}
		out = append(out, c)
	}
	return out
}
