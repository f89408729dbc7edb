package v2

import (
	"context"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// authorityAuto is by whose leave an automatic receipt is recorded.
const authorityAuto = "receipts.auto"

// autoFee is the most that gas of an automatic receipt may cost, a tenth of what any
// transaction may: nobody looks at it. Some ten times what it costs on ApeChain.
func autoFee() units.Wei { return units.FromUint64(100_000_000_000_000_000) }

// recordGrace is what an event gets after the run was cancelled.
const recordGrace = 5 * time.Second

// RecordPurchase records the receipt of a confirmed purchase, where policy has
// receipts.auto, through the gates of every write: only the phrase is not asked for,
// since the policy's file stands for it. What can't be recorded is told by an event
// and on the side; the purchase stands in any case.
func (s *Service) RecordPurchase(ctx context.Context, command string, chainID int64, quoteID string) {
	f, err := s.d.Fence(ctx)
	if err == nil && f.Policy != nil && !f.Policy.Receipts.Auto {
		return
	}
	store.CrashPoint("v2: receipt of a purchase")
	p := purchase{quoteID: quoteID}
	if err == nil {
		err = readable(f)
	}
	if err == nil {
		p, err = s.confirmedPurchase(ctx, chainID, quoteID)
	}
	if err == nil {
		err = s.recordPurchase(ctx, command, p)
	}
	if err != nil {
		s.skipped(ctx, chainID, p, err)
	}
}

// readable refuses a fence that can't be read: it may forbid the receipt.
func readable(f policy.Fence) error {
	if f.Err != nil || f.Policy != nil {
		return f.Err
	}
	return fault.New(fault.PolicyInvalid, "the policy can't be read").WithSent(fault.SentNo)
}

// stillAuto refuses what is made by the leave of receipts.auto when policy, read anew,
// does not give it any more.
func stillAuto(f policy.Fence, authority string) error {
	if authority != authorityAuto || f.Policy.Receipts.Auto {
		return nil
	}
	return fault.New(fault.PolicyBlocked, "the policy does not have receipts.auto any more").
		Hintf("set receipts.auto in the policy file, or free its nonce: ape-claw v2 resume --cancel").WithSent(fault.SentNo).With("gate", policy.GatePhrase)
}

// confirmedPurchase is what the local log tells of a purchase.
func (s *Service) confirmedPurchase(ctx context.Context, chainID int64, quoteID string) (purchase, error) {
	none := purchase{quoteID: quoteID}
	if s.d.Log == nil {
		return none, fault.New(fault.StateUnusable, "there is no local log to take the purchase from")
	}
	log, err := s.d.Log(ctx)
	if err != nil {
		return none, err
	}
	p, ok, cut, err := purchaseOf(ctx, s.search(log), chainID, quoteID)
	switch {
	case err == nil && cut:
		err = fault.New(fault.NotFound, "the local log is too long to be searched for the purchase as far as its quote")
	case err == nil && !ok:
		err = fault.New(fault.NotFound, "the local log does not tell that the purchase was confirmed")
	}
	if err == nil {
		err = s.bought(ctx, chainID, p)
	}
	if err != nil {
		return none, err
	}
	return p, nil
}

// bought refuses a purchase of which only the log tells: gas is spent on a receipt, and
// lines of a log may be anybody's.
func (s *Service) bought(ctx context.Context, chainID int64, p purchase) error {
	if s.d.Purchases == nil {
		return fault.New(fault.StateUnusable, "there is no journal that tells of purchases").WithSent(fault.SentNo)
	}
	tx, ok, err := s.d.Purchases.Purchase(ctx, p.quoteID)
	switch {
	case err != nil:
		return err
	case !ok || tx.State != chain.StateConfirmed || tx.ChainID != chainID:
		return fault.New(fault.NotFound, "the local log tells of a purchase that was not made from here").WithSent(fault.SentNo)
	case !strings.EqualFold(tx.Hash, p.txHash):
		return fault.New(fault.Conflict, "the local log tells of another transaction for this purchase than %s", tx.Hash).WithSent(fault.SentNo)
	}
	return nil
}

// recordPurchase records the receipt unless it is there already.
func (s *Service) recordPurchase(ctx context.Context, command string, p purchase) error {
	t, err := p.content()
	if err != nil {
		return err
	}
	l, err := s.locate(ctx, contracts.ReceiptRegistry)
	if err != nil {
		return err
	}
	there, err := s.receipt(ctx, l, TraceIDHash(p.trace))
	switch {
	case err != nil:
		return err
	case there != nil && there.ContentHash == t.hash.Hex():
		return nil // an earlier run did it
	case there != nil:
		return fault.New(fault.Conflict, "trace %s has the receipt of something else already, recorded by %s", p.trace, there.Recorder).
			Hintf("look at it: %s v2 receipt get --trace %s", s.d.CLI, p.trace)
	}
	payload, err := p.payload()
	if err != nil {
		return err
	}
	s.d.Progress("recording the receipt of %s", p.quoteID)
	auto := *s // nobody is asked, and nothing a person said about the purchase is said about this
	auto.d.Ask = nil
	most := autoFee()
	_, err = auto.putReceipt(ctx, receiptWrite{
		Trace: p.trace, Subject: p.subject, Payload: payload, Auto: true, Command: command, Key: autoKey(p.quoteID),
		Go: Go{Execute: true, Most: &most}, Authority: authorityAuto, skipPhrase: true,
	})
	if err == nil {
		s.d.Progress("recorded the receipt of %s: %s v2 receipt get --trace %s", p.quoteID, s.d.CLI, p.trace)
	}
	return err
}

// skipped tells that a purchase has no receipt, and why.
func (s *Service) skipped(ctx context.Context, chainID int64, p purchase, cause error) {
	e := fault.From(cause)
	if e.Code == fault.TxUnknown || e.Code == fault.TxReverted {
		s.d.Warn("the purchase stands; its receipt: %s", e.Message)
	} else {
		s.d.Warn("the purchase stands, and its receipt was not recorded: %s", e.Message)
	}
	payload := map[string]any{"quoteId": p.quoteID}
	if p.trace != "" {
		payload["traceId"] = p.trace
	}
	write, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordGrace)
	defer cancel()
	err := s.d.Recorder.Record(write, telemetry.Draft{Type: "v2.receipt.skipped", ChainID: chainID, Payload: payload,
		Result: map[string]any{"code": string(e.Code), "reason": e.Message}, Err: e.Message})
	if err != nil {
		s.d.Warn("the event log could not be written: %s", fault.From(err).Message)
	}
}

// How far back Unrecorded looks for purchases without a receipt.
const (
	maxPurchases = 20
	purchasesFor = 24 * time.Hour
)

// autoKey is the idempotency key of the receipt of a purchase: one is paid for, under
// whatever trace the log tells of the purchase.
func autoKey(quoteID string) string { return "receipt.auto:" + quoteID }

// Unrecorded are the quotes of purchases since a day ago for whose receipts nothing was
// sent: a run may have ended between the two. One that was tried is not tried again.
func (s *Service) Unrecorded(ctx context.Context, chainID int64) ([]string, error) {
	if s.d.Purchases == nil {
		return nil, nil
	}
	all, err := s.d.Purchases.Since(ctx, chainID, s.now().Add(-purchasesFor), maxPurchases)
	if err != nil {
		return nil, err
	}
	quotes := make([]string, 0, len(all))
	for _, id := range all {
		_, tried, err := s.d.Journal(ctx, autoKey(id))
		if err != nil {
			return nil, err
		}
		if !tried {
			quotes = append(quotes, id)
		}
	}
	return quotes, nil
}
