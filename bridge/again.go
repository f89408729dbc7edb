package bridge

import (
	"context"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Reconsider says whether signed bytes of a transfer that no node knows may be handed to
// one again: while what was quoted is alive, policy allows it, and it would succeed.
func (s *Service) Reconsider(ctx context.Context, told chain.Story, tx policy.Tx) error {
	return s.reconsider(ctx, told, tx, false)
}

// Reprice is Reconsider for the same transaction with a higher fee, to which a person at
// the terminal agreed: a new consent, which does not ask how old the quote is.
func (s *Service) Reprice(ctx context.Context, told chain.Story, tx policy.Tx) error {
	return s.reconsider(ctx, told, tx, true)
}

func (s *Service) reconsider(ctx context.Context, told chain.Story, tx policy.Tx, anew bool) error {
	t, ok := told.(*story)
	if !ok {
		return fault.New(fault.Internal, "a story of kind %q is no transfer", told.Kind()).WithSent(fault.SentNo)
	}
	who, err := s.d.Account(ctx)
	if err != nil {
		return err
	}
	if tx.ChainID != t.FromChain || lower(common.Address(tx.To)) != t.Contract || lower(common.Address(tx.From)) != t.Account || who != common.Address(tx.From) {
		return fault.New(fault.UnsafeTransaction, "the journaled transaction is not the one that was confirmed").WithSent(fault.SentNo)
	}
	f, err := s.fence(ctx, policy.Execute)
	if err != nil {
		return err
	}
	db, err := s.d.State(ctx)
	if err != nil {
		return err
	}
	spender, err := address(t.Spender)
	if err != nil {
		return err
	}
	pinned, _, err := Store{db}.Pinned(ctx, t.FromChain, spender)
	if err != nil {
		return err
	}
	in, err := address(t.In)
	if err != nil {
		return err
	}
	fee, now := t.FeeBPS, s.d.Now()
	w := policy.Transfer{
		From: t.FromChain, To: t.ToChain, FromName: t.From, ToName: t.To, Account: t.Account, Recipient: t.Account, RefundTo: t.Account,
		Asset: Currency{ChainID: t.FromChain, Address: in}.asset(), Currency: t.Token, Decimals: t.Places, Amount: t.Amount, FeeLimit: tx.FeeCap, FeeBPS: &fee,
		MinOut: t.MinOut, Depository: t.Spender, Pinned: pinned, Now: now, QuoteExpires: t.Expires, Subject: t.Subject,
		Steps: []policy.TransferStep{{Target: t.Contract, Value: tx.Value, Deposit: t.Step == StepDeposit, Digest: policy.WriteDigest(tx.ChainID, tx.From, tx.To, tx.Value, tx.Data)}},
	}
	if t.Step == StepApprove { // what the deposit is, nobody knows any more; its gate looks at what is sent now
		w.Steps = append(w.Steps, policy.TransferStep{Target: t.Spender, Deposit: true})
	}
	if anew {
		w.QuoteExpires = now.Add(grantTTL)
	}
	c, err := s.d.Node(ctx, t.FromChain)
	if err != nil {
		return err
	}
	_, err = c.Call(ctx, chain.CallMsg{From: tx.From, To: tx.To, Value: tx.Value, Data: tx.Data}, nil, nil)
	w.Simulation = policy.Simulation{State: policy.SimPassed}
	if reason, failed := chain.FailureReason(err); failed {
		w.Simulation = policy.Simulation{State: policy.SimFailed, Reason: reason}
	} else if err != nil {
		return err
	}
	// What it spends is reserved, and the person's word was taken: the gates of a dry run are those that are left.
	for _, g := range policy.DecideTransfer(policy.DryRun, f, w).WouldBlock() {
		return g.Fault()
	}
	return nil
}
