package nft

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// canAsk reports whether a person can be asked.
func (s *Service) canAsk() bool { return s.d.AskPlan != nil }

// consent holds the phrase against the plan: the one given, or the one that a
// person types. --autonomous stands in for it, and whether policy allows that is
// asked for each purchase.
func (s *Service) consent(ctx context.Context, p Plan, in AutobuyIn, out AutobuyOut) error {
	given := in.Confirm
	switch {
	case given == "" && in.Autonomous:
		return nil
	case given == "" && s.canAsk():
		asked, err := s.toConfirm(ctx, p, in, out)
		if err != nil {
			return err
		}
		if given, err = s.d.AskPlan(ctx, asked); ctx.Err() != nil || errors.Is(err, io.EOF) {
			return fault.Wrap(errors.Join(err, ctx.Err()), fault.Canceled, "not confirmed: nothing was signed").WithSent(fault.SentNo)
		}
		if err != nil {
			return err
		}
	}
	if given == p.Phrase() {
		return nil
	}
	return fault.New(fault.ConfirmationMismatch, "confirmation phrase mismatch: what was given is not the phrase of plan %s", p.PlanID).
		Hintf("give --confirm the phrase that the dry run shows: %s %s --plan %s", s.d.CLI, cmdAutobuy, p.PlanID).
		WithSent(fault.SentNo).With("gate", policy.GatePhrase).With("planId", p.PlanID)
}

// progress is a plan as it is carried out.
type progress struct {
	plan      Plan
	out       *AutobuyOut
	committed units.Wei // prices of the plan's transactions, those of other runs too
	gas       units.Wei
	spent     units.Wei // prices that this run paid
	first     error     // the first failure
	unknown   error     // the first outcome that is not known
	stopped   error     // what ended the run
}

// carryOut buys what is left of the plan, one after the other. Each purchase
// passes every gate of nft buy with its own quote, whose key in the journal keeps
// it from being made twice.
func (s *Service) carryOut(ctx context.Context, p Plan, in AutobuyIn, out AutobuyOut) (AutobuyOut, error) {
	if err := s.consent(ctx, p, in, out); err != nil {
		return AutobuyOut{}, s.blocked(ctx, cmdAutobuy, false, err)
	}
	if _, err := s.d.Buyer(ctx); err != nil {
		return AutobuyOut{}, err
	}
	r := &progress{plan: p, out: &out}
	for _, it := range out.Planned {
		if it.Result == ResultAlready || it.Result == ResultUnknown {
			r.commit(it.PriceWei)
		}
	}
	for i := range out.Planned {
		it := &out.Planned[i]
		if it.Result != ResultPlanned {
			continue
		}
		if r.stopped == nil && ctx.Err() != nil {
			r.stop(fault.Wrap(ctx.Err(), fault.Canceled, "canceled").WithSent(fault.SentNo))
		}
		if r.stopped != nil {
			it.Result, it.Code, it.Reason = ResultNotTried, fault.CodeOf(r.stopped), "the run ended before: "+fault.From(r.stopped).Message
			continue
		}
		s.attempt(ctx, r, it, in)
		s.d.Progress("%s #%s: %s", it.Collection, it.TokenID, it.Result)
	}
	s.lookAgain(ctx, r)
	return s.conclude(ctx, r)
}

func (r *progress) commit(w units.Wei) {
	if sum, err := r.committed.Add(w); err == nil {
		r.committed = sum
	}
}

func (r *progress) stop(err error) {
	r.stopped = err
	if r.first == nil {
		r.first = err
	}
}

// attempt makes one purchase of the plan and notes what became of it.
func (s *Service) attempt(ctx context.Context, r *progress, it *PlanItem, in AutobuyIn) {
	if err := r.fits(it.PriceWei); err != nil {
		it.Result, it.Code, it.Reason = ResultNotTried, fault.CodeOf(err), fault.From(err).Message
		r.stop(err)
		return
	}
	got, err := s.buyPlanned(ctx, it.Quote, in)
	if err == nil {
		it.Quote, it.Result, it.PaidApe, it.PaidWei = got.Quote, ResultBought, got.PriceApe, &got.PriceWei
		r.out.Executed++
		r.out.TxHashes = append(r.out.TxHashes, got.TxHash)
		r.commit(got.PriceWei)
		if sum, err := r.spent.Add(got.PriceWei); err == nil {
			r.spent = sum
		}
		if got.FeeWei != nil {
			if sum, err := r.gas.Add(*got.FeeWei); err == nil {
				r.gas = sum
			}
		}
		store.CrashPoint("autobuy: bought")
		return
	}
	f := fault.From(err)
	if f.Code == fault.QuoteUsed {
		it.usedUp(err)
		if it.Result != ResultFailed {
			r.commit(it.PriceWei)
		}
		return
	}
	it.Result, it.Code, it.Reason = ResultFailed, f.Code, f.Message
	if hash, ok := f.Details["txHash"].(string); ok {
		it.TxHash = hash
	}
	if r.first == nil {
		r.first = err
	}
	switch {
	case f.Code == fault.TxReverted:
	case f.Code == fault.TxUnknown || f.Sent == fault.SentMaybe || f.Sent == fault.SentYes:
		it.Result = ResultUnknown
		r.unknown = err
		r.commit(it.PriceWei)
		r.stop(err)
	case s.ends(r.plan, f):
		r.stop(err)
	}
}

// fits holds what the plan's transactions have paid and one more price against
// the budget: the sums are of what was committed, not of what was planned.
func (r *progress) fits(price units.Wei) error {
	budget := r.plan.Constraints.BudgetWei
	if budget == nil {
		return nil
	}
	if sum, err := r.committed.Add(price); err != nil || sum.Cmp(*budget) > 0 {
		return fault.New(fault.PriceOverLimit, "%s and %s are over --budget %s", r.committed.Decimal(units.APEDecimals), price.Decimal(units.APEDecimals), r.plan.Constraints.Budget).
			WithSent(fault.SentNo).With("gate", policy.GateMaxPrice)
	}
	return nil
}

// ends reports whether a failure ends the run: what is of this one purchase or of
// one answer of the marketplace does not, a refusal of policy and all else does.
func (s *Service) ends(p Plan, f *fault.Error) bool {
	switch f.Code {
	case fault.Upstream, fault.NotFound:
		return false
	case fault.SimulationFailed:
		return f.Details["reason"] == failBalance // what comes next is no cheaper
	case fault.QuoteExpired:
		return !s.now().Before(p.ExpiresAt)
	}
	return true
}

// buyPlanned makes one purchase of a plan: simulated anew, and bought as nft buy
// does, by leave of the phrase of the plan or of --autonomous.
func (s *Service) buyPlanned(ctx context.Context, planned Quote, in AutobuyIn) (BuyOut, error) {
	q, err := s.lookup(ctx, planned.QuoteID)
	if err == nil {
		err = agrees(planned, q)
	}
	if err != nil {
		return BuyOut{}, err
	}
	if _, err := s.Simulate(ctx, SimulateIn{Quote: q.QuoteID}); err != nil {
		return BuyOut{}, s.orUsed(ctx, q, err)
	}
	store.CrashPoint("autobuy: simulated")
	buy := BuyIn{Quote: q.QuoteID, Execute: true, Autonomous: in.Autonomous}
	if in.Exact {
		buy.Order = planned.OrderHash
	}
	return s.buy(ctx, q, buy,
		buyOptions{limit: &planned.PriceWei, authority: in.authority(), skipPhrase: true})
}

// authority says by whose leave a plan is bought, for the journal.
func (in AutobuyIn) authority() string {
	switch {
	case in.Autonomous:
		return authorityAutonomous
	case in.Confirm != "":
		return authorityPhrase
	}
	return authorityTerminal
}

// orUsed says of a simulation that failed whether another run bought the token.
func (s *Service) orUsed(ctx context.Context, q Quote, cause error) error {
	if fault.CodeOf(cause) != fault.SimulationFailed {
		return cause
	}
	if _, err := s.unused(ctx, q.QuoteID); fault.CodeOf(err) == fault.QuoteUsed {
		return err
	}
	return cause
}

// lookAgain asks once more about the outcomes that other runs left open: a
// purchase of this run settles them first.
func (s *Service) lookAgain(ctx context.Context, r *progress) {
	ctx = context.WithoutCancel(ctx)
	for i := range r.out.Planned {
		it := &r.out.Planned[i]
		if it.Result != ResultUnknown || r.unknown != nil {
			continue
		}
		if _, err := s.unused(ctx, it.QuoteID); fault.CodeOf(err) == fault.QuoteUsed {
			it.usedUp(err)
		}
	}
}

// conclude counts, tells the outcome, and decides what the run ends with.
func (s *Service) conclude(ctx context.Context, r *progress) (AutobuyOut, error) {
	out := r.out
	out.SpentApe, out.SpentWei = r.spent.JSON(units.APEDecimals), &r.spent
	out.GasApe, out.GasWei = r.gas.JSON(units.APEDecimals), &r.gas
	var open error
	for _, it := range out.Planned {
		switch it.Result {
		case ResultBought:
		case ResultAlready:
			out.Already++
		case ResultUnknown:
			out.Failed++
			if open = r.unknown; open == nil {
				open = fault.New(fault.TxUnknown, "%s", it.Reason).WithSent(fault.SentMaybe).With("txHash", it.TxHash)
			}
		default:
			out.Failed++
			if r.first == nil {
				r.first = fault.New(it.Code, "%s #%s: %s", it.Collection, it.TokenID, it.Reason).WithSent(fault.SentNo)
			}
		}
	}
	switch {
	case out.Failed == 0 && out.Executed > 0:
		out.Message = fmt.Sprintf("bought %s for %s %s and %s for gas", counted(out.Executed, "token"), out.SpentApe, out.Constraints.Currency, out.GasApe)
		return *out, s.told(ctx, "executed", out, nil)
	case out.Failed == 0:
		return AutobuyOut{}, fault.New(fault.QuoteUsed, "plan %s was carried out by another run: this one bought nothing", out.PlanID).
			Hintf("make a new plan: %s %s", s.d.CLI, cmdAutobuy).WithSent(fault.SentNo).With("planId", out.PlanID)
	case out.Executed == 0:
		err := s.nothing(r, open)
		out.Error = fault.From(err).Message
		return AutobuyOut{}, errors.Join(err, s.told(ctx, "failed", out, r.undone()))
	}
	return *out, s.partly(ctx, r, open)
}

// nothing is the error of a run that bought nothing: an outcome that is not known
// before all else, then the first failure.
func (s *Service) nothing(r *progress, open error) error {
	cause := open
	if cause == nil {
		cause = r.first
	}
	e := *fault.From(cause)
	details := map[string]any{"planId": r.out.PlanID, "planned": r.out.Planned}
	for k, v := range e.Details {
		details[k] = v
	}
	e.Details = details
	if open != nil {
		e.Hint = s.d.CLI + " nft resume"
	}
	return &e
}

// partly describes a plan that was bought in part.
func (s *Service) partly(ctx context.Context, r *progress, open error) error {
	out := r.out
	out.OK, out.Code, out.Sent = false, fault.Partial, fault.SentYes
	out.Error = fmt.Sprintf("bought %d of %s for %s %s", out.Executed+out.Already, counted(len(out.Planned), "token"), out.SpentApe, out.Constraints.Currency)
	switch {
	case open != nil:
		out.Sent = fault.SentMaybe
		out.Error += "; the outcome of one is not known: " + fault.From(open).Message
		out.Hint = s.d.CLI + " nft resume"
	case r.stopped != nil:
		out.Error += "; then it ended: " + fault.From(r.stopped).Message
		out.Hint = fault.From(r.stopped).Hint
	default:
		out.Error += fmt.Sprintf("; %s could not be bought, the first: %s", counted(out.Failed, "token"), fault.From(r.first).Message)
		out.Hint = fault.From(r.first).Hint
	}
	out.Hint = fault.Suggest(s.d.CLI, out.Hint)
	if out.Message = out.Error; out.Hint == "" {
		out.Hint = fmt.Sprintf("what is left, until %s: %s %s --plan %s", r.plan.ExpiresAt.Format(timeShown), s.d.CLI, cmdAutobuy, out.PlanID)
	}
	return s.told(ctx, "partial", out, r.undone())
}

// undone is each purchase of the plan that was not made, and why, for the record.
func (r *progress) undone() []map[string]any {
	var out []map[string]any
	for _, it := range r.out.Planned {
		if it.Result != ResultBought && it.Result != ResultAlready {
			out = append(out, map[string]any{"quoteId": it.QuoteID, "collection": it.Collection, "tokenId": it.TokenID,
				"priceWei": it.PriceWei, "result": it.Result, "code": string(it.Code), "reason": it.Reason})
		}
	}
	return out
}

// told records how the plan ended. It is told whether or not the run was cancelled.
func (s *Service) told(ctx context.Context, how string, out *AutobuyOut, errs []map[string]any) error {
	hashes := out.TxHashes
	if hashes == nil {
		hashes = []string{}
	}
	result := map[string]any{"executed": out.Executed, "already": out.Already, "txHashes": hashes, "spentApe": out.SpentApe, "spentWei": out.SpentWei, "gasWei": out.GasWei}
	d := telemetry.Draft{Type: "nft.autobuy." + how, ChainID: out.ChainID, Payload: out.asked(), Result: result, Money: true}
	if how != "executed" {
		result["failed"], result["errors"] = out.Failed, errs
		d.Err = out.Error
	}
	write, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordGrace)
	defer cancel()
	store.CrashPoint("autobuy: concluded")
	return s.d.Recorder.Record(write, d)
}
