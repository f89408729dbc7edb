package nft

import (
	"context"
	"fmt"
	"slices"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Why a listing was skipped, beside the codes of the gates.
const (
	skipUnder     = "under_min_price"
	skipOver      = "over_max_price"
	skipBudget    = "over_budget"
	skipCount     = "count_reached"
	skipDuplicate = "duplicate"
)

// PlanSkip is a listing that was not chosen, and why.
type PlanSkip struct {
	Collection string    `json:"collection"`
	TokenID    string    `json:"tokenId"`
	PriceWei   units.Wei `json:"priceWei"`
	OrderHash  string    `json:"orderHash"`
	Code       string    `json:"code"`
	Reason     string    `json:"reason"`
}

// Bounds of the skipped listings that are shown.
const (
	maxSkipped     = 50
	maxSkippedEach = 10 // of one code
)

type skips struct {
	kept  []PlanSkip
	count int
	by    map[string]int
}

func (k *skips) add(c candidate, code, format string, args ...any) {
	k.count++
	k.by[code]++
	if len(k.kept) < maxSkipped && k.by[code] <= maxSkippedEach {
		k.kept = append(k.kept, PlanSkip{c.listing.Collection, c.listing.TokenID, c.listing.Price, c.listing.OrderHash, code, fmt.Sprintf(format, args...)})
	}
}

// choice is what was chosen of the candidates.
type choice struct {
	items   []Quote
	skipped skips
	global  []policy.Gate // refusals that are of no one listing
	caps    []PlanCap
}

// choose takes the cheapest candidates, in their order, that policy would let be
// bought one after the other, until count or budget is reached. Nothing is
// simulated: a purchase does that itself, right before it.
func (s *Service) choose(ctx context.Context, f policy.Fence, found []candidate, c Constraints) choice {
	ch := choice{skipped: skips{kept: []PlanSkip{}, by: map[string]int{}}}
	t := newTally(s, f)
	taken := map[string]bool{}
	for _, cand := range found {
		l, price := cand.listing, cand.listing.Price.Decimal(units.APEDecimals)
		token := cand.entry.ContractAddress + "/" + l.TokenID
		sum, err := t.total.Add(l.Price)
		switch {
		case l.Price.Cmp(c.MinPriceWei) < 0:
			ch.skipped.add(cand, skipUnder, "price %s is under --min-price %s", price, c.MinPrice)
			continue
		case l.Price.Cmp(c.MaxPriceWei) > 0:
			ch.skipped.add(cand, skipOver, "price %s is over --max-price %s", price, c.MaxPrice)
			continue
		case taken[token]:
			ch.skipped.add(cand, skipDuplicate, "a cheaper listing of the token was chosen")
			continue
		case len(ch.items) >= c.Count:
			ch.skipped.add(cand, skipCount, "%d were chosen that come first", c.Count)
			continue
		case err != nil || c.BudgetWei != nil && sum.Cmp(*c.BudgetWei) > 0:
			ch.skipped.add(cand, skipBudget, "price %s is over what is left of --budget %s: %s are planned", price, c.Budget, t.total.Decimal(units.APEDecimals))
			continue
		}
		q, err := s.newQuote(f, cand.entry, l, QuoteIn{TokenID: l.TokenID, Currency: c.Currency}, c.MaxPriceWei)
		if err != nil {
			e := fault.From(err)
			ch.skipped.add(cand, string(e.Code), "%s", e.Message)
			continue
		}
		q.Source, q.TraceID = cand.source, s.d.TraceID
		if g := t.refuses(ctx, q, l.AssetContract); g != nil {
			ch.skipped.add(cand, string(g.Code), "%s", g.Reason)
			continue
		}
		t.add(q)
		taken[token] = true
		ch.items = append(ch.items, q)
	}
	ch.global = t.global
	ch.caps = t.caps()
	return ch
}

// tally asks the gates of the purchases of a plan one after the other, each with
// the caps as the ones before it leave them.
type tally struct {
	s      *Service
	f      policy.Fence
	total  units.Wei
	of     map[string]units.Wei          // by contract
	uses   map[policy.Scope][]policy.Use // what the ledger says
	order  []policy.Scope
	global []policy.Gate
}

func newTally(s *Service, f policy.Fence) *tally {
	return &tally{s: s, f: f, of: map[string]units.Wei{}, uses: map[policy.Scope][]policy.Use{}}
}

func (t *tally) add(q Quote) {
	if sum, err := t.total.Add(q.PriceWei); err == nil {
		t.total = sum
	}
	if sum, err := t.of[q.ContractAddress].Add(q.PriceWei); err == nil {
		t.of[q.ContractAddress] = sum
	}
}

// refuses returns the first gate that would refuse the purchase for what it is,
// nil when none does. Those that refuse whatever is bought are kept in global. The
// simulation is taken to pass: it comes later.
func (t *tally) refuses(ctx context.Context, q Quote, contract string) *policy.Gate {
	p := t.s.purchase(t.f, q)
	p.Contract, p.Simulation = contract, policy.Simulation{State: policy.SimPassed}
	for _, g := range policy.Decide(policy.DryRun, t.f, p).WouldBlock() {
		if isStanding(g) {
			t.keep(g)
			continue
		}
		return &g
	}
	uses, err := t.used(ctx, p.Scope())
	p.Spent, p.SpentErr = t.ahead(uses), err
	for _, g := range policy.Decide(policy.Execute, t.f, p).WouldBlock() {
		switch {
		case g.Name != policy.GateSpend:
		case err != nil:
			t.keep(g)
		default:
			return &g
		}
	}
	return nil
}

func (t *tally) keep(g policy.Gate) {
	if !slices.ContainsFunc(t.global, func(o policy.Gate) bool { return o.Name == g.Name }) {
		t.global = append(t.global, g)
	}
}

// used asks the ledger once for each scope.
func (t *tally) used(ctx context.Context, scope policy.Scope) ([]policy.Use, error) {
	if uses, ok := t.uses[scope]; ok {
		return uses, nil
	}
	uses, err := t.s.spent(ctx, t.f.Policy, scope)
	if err != nil {
		return nil, err
	}
	t.uses[scope], t.order = uses, append(t.order, scope)
	return uses, nil
}

// ahead is what the caps will have used when the purchases so far are made; nil,
// which refuses, when that is more than can be counted.
func (t *tally) ahead(uses []policy.Use) []policy.Use {
	out := slices.Clone(uses)
	for i, u := range out {
		var err error
		if out[i].Spent, err = u.Spent.Add(t.planned(u.Limit)); err != nil {
			return nil
		}
	}
	return out
}

// planned is what of the plan a limit counts.
func (t *tally) planned(l policy.Limit) units.Wei {
	if l.Collection == "" {
		return t.total
	}
	return t.of[l.Collection]
}

// caps returns each limit once, with what the plan makes of it.
func (t *tally) caps() []PlanCap {
	out, seen := []PlanCap{}, map[policy.Limit]bool{}
	for _, scope := range t.order {
		for _, u := range t.uses[scope] {
			if seen[u.Limit] {
				continue
			}
			seen[u.Limit] = true
			c := PlanCap{Name: u.Limit.Name, UsedWei: u.Spent, PlannedWei: t.planned(u.Limit)}
			if !u.Limit.Cap.Unlimited {
				c.LimitWei, c.LeftWei = &u.Limit.Cap.Max, new(units.Wei)
				if left, err := u.Limit.Cap.Max.Sub(u.Spent); err == nil {
					if left, err = left.Sub(c.PlannedWei); err == nil {
						c.LeftWei = &left
					}
				}
			}
			out = append(out, c)
		}
	}
	return out
}
