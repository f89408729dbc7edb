package nft

import (
	"context"
	"slices"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// autobuyPlan shows a saved plan, or buys what is left of it.
func (s *Service) autobuyPlan(ctx context.Context, in AutobuyIn) (AutobuyOut, error) {
	db, err := s.d.State(ctx)
	if err != nil {
		return AutobuyOut{}, err
	}
	p, err := planStore{db}.load(ctx, in.Plan)
	if err != nil {
		return AutobuyOut{}, err
	}
	if in.Execute && in.Confirm == "" && !in.Autonomous && !s.canAsk() {
		return AutobuyOut{}, fault.New(fault.Usage, "--execute is given without --confirm, and there is no person at a terminal to ask").
			Hintf("give --confirm the phrase that the dry run shows: %s %s --plan %s; or --autonomous, where policy allows it", s.d.CLI, cmdAutobuy, p.PlanID)
	}
	f, err := s.plannable(ctx, p, in)
	if err != nil {
		return AutobuyOut{}, s.blocked(ctx, cmdAutobuy, !in.Execute, err)
	}
	out := AutobuyOut{OK: true, DryRun: !in.Execute, Planned: []PlanItem{}, Skipped: []PlanSkip{}, Scanned: []Scanned{}}
	out.show(p, []PlanCap{})
	if err := s.settled(ctx, p, &out); err != nil {
		return AutobuyOut{}, err
	}
	if !in.Execute {
		s.review(ctx, f, p, in, &out)
		return out, s.planned(ctx, out)
	}
	if f.Policy.Hash() != p.PolicyHash {
		s.d.Warn("the policy has changed since plan %s was made: every purchase is held against it as it is now", p.PlanID)
	}
	return s.carryOut(ctx, p, in, out)
}

// toConfirm is a plan as a person is asked about it: what is left of it, held
// against the gates and the caps, and what the buyer has.
func (s *Service) toConfirm(ctx context.Context, p Plan, in AutobuyIn, out AutobuyOut) (AutobuyOut, error) {
	f, err := s.fence(ctx, policy.Execute)
	if err != nil {
		return out, err
	}
	out.Planned = slices.Clone(out.Planned)
	s.review(ctx, f, p, in, &out)
	out.ConfirmPhrase = p.Phrase()
	if who, err := s.d.Buyer(ctx); err == nil {
		out.Buyer, out.BalanceWei = who.Hex(), s.balance(ctx, p.ChainID, who)
	}
	return out, nil
}

// plannable refuses a plan of another chain, one that is over, and for --execute
// what no purchase of it would pass.
func (s *Service) plannable(ctx context.Context, p Plan, in AutobuyIn) (policy.Fence, error) {
	stage := policy.DryRun
	if in.Execute {
		stage = policy.Execute
	}
	f, err := s.fence(ctx, stage)
	if err != nil {
		return f, err
	}
	if p.ChainID != f.Policy.ChainID {
		profile := "apechain"
		for _, id := range chain.SandboxChains() {
			if id == p.ChainID {
				profile = "sandbox"
			}
		}
		return f, fault.New(fault.ChainMismatch, "plan %s was made on chain %d, and this acts on chain %d", p.PlanID, p.ChainID, f.Policy.ChainID).
			Hintf("use the profile that made it: ape-claw --profile %s %s --plan %s", profile, cmdAutobuy, p.PlanID).WithSent(fault.SentNo)
	}
	if err := s.unspent(ctx, p); err != nil {
		return f, err
	}
	now := s.now()
	if p.CreatedAt.After(now.Add(clockSlack)) {
		return f, fault.New(fault.StateUnusable, "plan %s was made at %s, and the clock says %s", p.PlanID, p.CreatedAt.Format(timeShown), now.Format(timeShown)).
			Hintf("if the clock was set back, plan again: %s %s", s.d.CLI, cmdAutobuy).WithSent(fault.SentNo)
	}
	if !now.Before(p.ExpiresAt) {
		return f, fault.New(fault.QuoteExpired, "plan %s expired at %s", p.PlanID, p.ExpiresAt.Format(timeShown)).
			Hintf("plan again: %s %s", s.d.CLI, cmdAutobuy).WithSent(fault.SentNo).With("gate", policy.GateQuote)
	}
	if in.Execute {
		for _, g := range s.standing(f, p.Constraints.Currency) {
			return f, g.Fault()
		}
	}
	return f, nil
}

const timeShown = "2006-01-02T15:04:05Z07:00"

// unspent refuses a plan of which every purchase was made.
func (s *Service) unspent(ctx context.Context, p Plan) error {
	hashes := make([]string, 0, len(p.Items))
	for _, q := range p.Items {
		saved, err := s.lookup(ctx, q.QuoteID)
		switch {
		case fault.CodeOf(err) != fault.QuoteUsed: // it is open, or something is wrong with it, which comes later
			if saved, err = s.asJournaled(ctx, saved); err != nil || saved.Status != StatusConfirmed && saved.Status != StatusReverted {
				return nil //nolint:nilerr // see above
			}
		case fault.From(err).Details["state"] == StatusUnknown:
			return nil
		}
		hashes = append(hashes, saved.TxHash)
	}
	return fault.New(fault.QuoteUsed, "plan %s was carried out already: each of its quotes has a transaction", p.PlanID).
		Hintf("make a new plan: %s %s", s.d.CLI, cmdAutobuy).WithSent(fault.SentNo).With("planId", p.PlanID).With("txHashes", hashes)
}

// settled marks what earlier runs did of the plan.
func (s *Service) settled(ctx context.Context, p Plan, out *AutobuyOut) error {
	for i, q := range p.Items {
		saved, err := s.lookup(ctx, q.QuoteID)
		if err == nil {
			saved, err = s.asJournaled(ctx, saved)
		}
		if err == nil && saved.Status != StatusQuoted {
			err = s.used(saved)
		}
		if err == nil {
			err = agrees(q, saved)
		}
		if fault.CodeOf(err) == fault.QuoteUsed {
			out.Planned[i].usedUp(err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// usedUp notes that the quote has a transaction, by quote_used's details.
func (it *PlanItem) usedUp(err error) {
	f := fault.From(err)
	state, _ := f.Details["state"].(string)
	it.TxHash, _ = f.Details["txHash"].(string)
	it.Code, it.Reason, it.Status = "", "", state
	switch state {
	case StatusConfirmed:
		it.Result = ResultAlready
	case StatusReverted:
		it.Result, it.Code, it.Reason = ResultFailed, fault.TxReverted, "its transaction was mined and failed"
	default:
		it.Result, it.Code, it.Reason, it.Status = ResultUnknown, fault.TxUnknown, f.Message, StatusUnknown
	}
}

// review holds what is left of a saved plan against the gates.
func (s *Service) review(ctx context.Context, f policy.Fence, p Plan, in AutobuyIn, out *AutobuyOut) {
	t := newTally(s, f)
	var refused []policy.Gate
	for i := range out.Planned {
		it := &out.Planned[i]
		if it.Result != ResultPlanned {
			continue
		}
		if g := t.refuses(ctx, it.Quote, it.ContractAddress); g != nil {
			it.Code, it.Reason = g.Code, g.Reason
			refused = append(refused, *g)
			continue
		}
		t.add(it.Quote)
	}
	out.Caps = t.caps()
	out.WouldBlock = s.foretell(f, p, in, append(t.global, refused...))
	s.say(out, p, in)
}
