package bridge

import (
	"context"
	"errors"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// StatusIn asks for the state of a transfer.
type StatusIn struct {
	Request string `json:"request" ai:"expose" kind:"id" help:"request id" required:"true" complete:"requests"`
}

// StatusOut is the state of a transfer. An end is one that the chains show.
type StatusOut struct {
	OK bool `json:"ok"`
	Request
	Ended   bool   `json:"ended"`
	Message string `json:"message"`
	Warning string `json:"warning,omitempty"` // why what the bridge claims is no end
	Next    string `json:"next,omitempty"`
}

// Failure makes a transfer that ended badly a failure of the command.
func (o StatusOut) Failure() error {
	if o.Status != StatusFailed {
		return nil
	}
	return fault.New(fault.Upstream, "the transfer failed: %s", o.Message).
		Hintf("keep the request id %s for the bridge's support; ape-claw bridge status asks again: a refund may still come", o.RequestID).WithSent(fault.SentYes)
}

// Status asks the bridge and the chains what became of a transfer, and settles it where
// the chains show an end.
func (s *Service) Status(ctx context.Context, in StatusIn) (StatusOut, error) {
	out, err := s.look(ctx, in.Request)
	if err != nil {
		return StatusOut{}, err
	}
	return out, s.told(ctx, out)
}

// Watch is Status until the transfer has ended or ctx is done, which is no error: then
// the last state is returned. seen, if set, is told each state that differs from the
// one before. It asks often at first: some transfers take a second.
func (s *Service) Watch(ctx context.Context, in StatusIn, every time.Duration, seen func(StatusOut)) (StatusOut, error) {
	var last StatusOut
	wait := every / 8
	for first := true; ; first = false {
		out, err := s.look(ctx, in.Request)
		switch {
		case err != nil && !first && ctx.Err() != nil:
			return last, nil
		case err != nil && (first || fault.CodeOf(err) != fault.Upstream): // a bridge that is down for a moment is asked again
			return last, err
		case err == nil && (first || out.Status != last.Status || out.RelayStatus != last.RelayStatus || out.Warning != last.Warning):
			if err := s.told(context.WithoutCancel(ctx), out); err != nil {
				return out, err
			}
			if seen != nil {
				seen(out)
			}
			last = out
		}
		if err == nil && (out.Ended || out.Status == StatusQuoted) {
			return out, nil
		}
		if pause(ctx, wait) != nil {
			return last, nil
		}
		wait = min(2*wait, every)
	}
}

// told records that a state was read.
func (s *Service) told(ctx context.Context, o StatusOut) error {
	result := map[string]any{"status": o.Status, "requestId": o.RequestID}
	if o.RelayStatus != "" {
		result["providerStatus"] = o.RelayStatus
	}
	if o.DestinationTxHash != "" {
		result["txHash"] = o.DestinationTxHash
	}
	return s.d.Recorder.Record(ctx, telemetry.Draft{Type: "bridge.status.read", ChainID: o.FromChain, Payload: map[string]any{"requestId": o.RequestID}, Result: result})
}

// Request is a saved request, as it was noted last.
func (s *Service) Request(ctx context.Context, id string) (Request, error) { return s.load(ctx, id) }

func (s *Service) load(ctx context.Context, id string) (Request, error) {
	db, err := s.d.State(ctx)
	if err != nil {
		return Request{}, err
	}
	return (Store{db}).Load(ctx, id)
}

// look finds out what became of a transfer, and moves its row. Others are asked without
// the lock, which a sender waits for too.
func (s *Service) look(ctx context.Context, id string) (StatusOut, error) {
	r, err := s.load(ctx, id)
	if err != nil {
		return StatusOut{}, err
	}
	if r.Status == StatusCompleted || r.Status == StatusRefunded {
		return s.end(ctx, r, r, "")
	}
	deposit, sent, err := s.d.Journal(ctx, Key(r.RequestID, keyDeposit))
	if err != nil {
		return StatusOut{}, err
	}
	next, warning := r, ""
	switch {
	case !sent && r.Status == StatusQuoted:
	case !sent: // it was about to be sent, and was not, or is not yet: the route stays noted
		next.Status = StatusQuoted
	default:
		if r.Status == StatusQuoted { // the note is missing; the journal has it
			next.Status = StatusPending
		}
		if next, warning, err = s.became(ctx, next, deposit); err != nil {
			return StatusOut{}, err
		}
	}
	return s.end(ctx, r, next, warning)
}

// became is what a transfer is, whose deposit the journal has.
func (s *Service) became(ctx context.Context, r Request, deposit chain.OpenTx) (Request, string, error) {
	r.DepositTxHash = deposit.Hash
	switch deposit.State {
	case chain.StateReverted, chain.StateCancelled:
		r.Reason = "its deposit was " + deposit.State
		next, warning := Next(r.Status, r.MinAmountOut, Claim{}, Seen{Reverted: true})
		r.Status = next
		return r, warning, nil
	case chain.StateConfirmed, chain.StateReplaced:
		return s.settle(ctx, r, deposit)
	}
	return r, "the deposit has no receipt yet: ape-claw bridge resume", nil
}

// end writes what a transfer became, and tells an end that is still to be told. One that
// settles does so at a time: who comes second sees what the first one wrote.
func (s *Service) end(ctx context.Context, was, r Request, warning string) (StatusOut, error) {
	if r == was && r.Line == "" {
		return s.statusOf(r, warning), nil
	}
	release, err := s.d.Lock(ctx)
	if err != nil {
		return StatusOut{}, err
	}
	defer release()
	now, err := s.load(ctx, r.RequestID)
	if err != nil {
		return StatusOut{}, err
	}
	switch {
	case now.Status != was.Status || now.RouteID != was.RouteID || r == was: // another run was faster
		r, warning = now, ""
	default:
		taken := false
		if r.DestinationTxHash != "" {
			db, err := s.d.State(ctx)
			if err != nil {
				return StatusOut{}, err
			}
			if taken, err = (Store{db}).settledBy(ctx, r.RequestID, r.DestinationTxHash); err != nil {
				return StatusOut{}, err
			}
		}
		if taken { // by another run, since it was looked at
			r, warning = was, "what the bridge names settled another transfer"
			break
		}
		if err := s.move(ctx, r, was.Status); err != nil {
			return StatusOut{}, err
		}
	}
	if r.Line != "" {
		if r, err = s.tell(ctx, r); err != nil {
			return StatusOut{}, err
		}
	}
	return s.statusOf(r, warning), nil
}

// settle asks the bridge about a deposit that is in a block, and the chains whether
// what it says is so.
func (s *Service) settle(ctx context.Context, r Request, deposit chain.OpenTx) (Request, string, error) {
	relay, err := s.d.Relay(ctx)
	if err != nil {
		return r, "", err
	}
	claim, err := relay.Status(ctx, orElse(r.RouteID, r.RequestID))
	if err != nil {
		return r, "", err
	}
	if err := claim.About(r.FromChain, r.ToChain, deposit.Hash); err != nil {
		return r, fault.From(err).Message, nil // no answer about this one
	}
	r.RelayStatus = claim.Word
	var seen Seen
	var hash string
	switch claim.Outcome {
	case SaysArrived:
		got, err := s.paid(ctx, r, r.ToChain, r.Out.Address, claim.OutTx, deposit.Created)
		if err != nil {
			return r, "", err
		}
		if got != nil {
			seen.Arrived, hash = &got.amount, got.hash
		}
	case SaysRefunded, SaysFailed:
		got, err := s.paid(ctx, r, r.FromChain, r.In.Address, claim.OutTx, deposit.Created)
		if err != nil {
			return r, "", err
		}
		if got != nil {
			seen.Refunded, hash = &got.amount, got.hash
		}
	}
	was := r.Status
	next, warning := Next(was, r.MinAmountOut, claim, seen)
	if next == was {
		return r, warning, nil
	}
	r.Status, r.Reason = next, claim.Reason
	result := map[string]any{"requestId": r.RequestID, "depositTxHash": deposit.Hash, "from": r.From, "to": r.To, "recipient": r.Account, "minAmountOut": r.MinAmountOut.String()}
	d := telemetry.Draft{ChainID: r.FromChain, Money: true, Result: result,
		Payload: map[string]any{"requestId": r.RequestID, "fromChain": r.FromChain, "toChain": r.ToChain, "amount": r.AmountBaseUnits.String(), "token": r.Token}}
	switch next {
	case StatusCompleted:
		d.Type, r.Received, r.DestinationTxHash = "bridge.execute.confirmed", seen.Arrived, hash
		result["txHash"], result["received"] = hash, seen.Arrived.String()
	case StatusRefunded:
		d.Type, r.Received, r.DestinationTxHash = "bridge.execute.refunded", seen.Refunded, hash
		result["txHash"], result["refunded"], result["reason"] = hash, seen.Refunded.String(), orElse(claim.Reason, "refunded")
		d.Err = "the transfer was refunded: " + r.In.show(*seen.Refunded) + " of " + r.In.show(r.AmountBaseUnits) + " came back"
	default:
		d.Type, result["reason"], d.Err = "bridge.execute.failed", "not_refunded", "the bridge gave the transfer up, and no refund is seen"
		if seen.Arrived != nil {
			result["reason"], d.Err = "under_delivered", warning
			r.Received, r.DestinationTxHash, result["txHash"] = seen.Arrived, hash, hash
		}
		r.Reason = d.Err
	}
	lines, err := s.d.Lines(r.TraceID)
	if err != nil {
		return r, "", err
	}
	line, err := lines.Encode(d)
	if err != nil {
		return r, "", err
	}
	r.Line = string(line)
	return r, warning, nil
}

// move writes a row. The caller holds the lock.
func (s *Service) move(ctx context.Context, r Request, was string) error {
	db, err := s.d.State(ctx)
	if err != nil {
		return err
	}
	return (Store{db}).Move(ctx, r, was)
}

// tell appends the line that a row still owes to the log, once.
func (s *Service) tell(ctx context.Context, r Request) (Request, error) {
	store.CrashPoint("bridge: end noted")
	lines, err := s.d.Lines(r.TraceID)
	if err != nil {
		return r, err
	}
	if err := lines.AppendOnce(ctx, []byte(r.Line)); err != nil {
		return r, err
	}
	store.CrashPoint("bridge: end told")
	r.Line = ""
	return r, s.move(ctx, r, r.Status)
}

// statusOf is a row in words.
func (s *Service) statusOf(r Request, warning string) StatusOut {
	out := StatusOut{OK: r.Status != StatusFailed, Request: r, Warning: warning, Ended: r.Status != StatusQuoted && r.Status != StatusPending}
	received := units.Wei{}
	if r.Received != nil {
		received = *r.Received
	}
	switch r.Status {
	case StatusQuoted:
		out.Message, out.Next = "nothing was sent", "ape-claw bridge execute --request "+r.RequestID
		if !s.d.Now().Before(r.ExpiresAt) {
			out.Message, out.Next = "nothing was sent, and the quote is over", "ape-claw bridge quote"
		}
	case StatusPending:
		out.Message, out.Next = "the funds are on their way", "ape-claw bridge status --request "+r.RequestID+" --watch"
	case StatusCompleted:
		out.Message = r.Out.show(received) + " arrived on " + r.To
	case StatusRefunded:
		out.Message = r.In.show(received) + " came back on " + r.From
	case StatusFailed:
		out.Message = orElse(r.Reason, "it ended without arriving")
	}
	return out
}

// Pending are the transfers whose end is not known, oldest first.
func (s *Service) Pending(ctx context.Context) ([]Request, error) {
	db, err := s.d.State(ctx)
	if err != nil {
		return nil, err
	}
	return (Store{db}).Pending(ctx)
}

// SettleAll is Status for every transfer that is under way. What can't be asked about
// now stays as it is, and is told.
func (s *Service) SettleAll(ctx context.Context) (all []StatusOut, err error) {
	open, err := s.Pending(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range open {
		out, lookErr := s.look(ctx, r.RequestID)
		if lookErr != nil {
			err = errors.Join(err, lookErr)
			out = s.statusOf(r, fault.From(lookErr).Message)
		}
		all = append(all, out)
	}
	return all, err
}
