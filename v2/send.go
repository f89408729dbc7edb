package v2

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// writing is one call on its way from the simulation to the signature.
type writing struct {
	*Service
	c      call
	chain  Chain
	who    common.Address
	to     common.Address
	digest [32]byte
	action Action
	asks   bool // a person at the terminal confirms

	simulation policy.Simulation
	returned   []byte
	fees       chain.Fees
}

// send is the one path of a write: the contract's code is looked at, the call is
// simulated, the gates are asked; a dry run ends there. Else the person is asked
// where one is, the gates again, and chain signs, sends and waits. It returns nil
// only for a dry run and for a transaction whose receipt passed the op's confirm.
func (s *Service) send(ctx context.Context, c call) (done, error) {
	if _, ok := ops()[c.Op]; !ok {
		return done{}, fault.New(fault.Internal, "nothing here knows what became of a transaction of kind %q", c.Op).WithSent(fault.SentNo)
	}
	w := &writing{Service: s, c: c, to: common.HexToAddress(c.Contract.Address)}
	d, err := w.run(ctx)
	return d, policy.Blocked(ctx, s.d.Recorder, "ape-claw "+c.Command, !c.Go.Execute, w.inWords(err))
}

func (w *writing) run(ctx context.Context) (done, error) {
	stage := policy.DryRun
	if w.c.Go.Execute {
		stage = policy.Execute
	}
	f, err := w.begin(ctx, stage)
	if err != nil {
		return done{}, err
	}
	if err := w.simulate(ctx); err != nil {
		return done{}, err
	}
	w.describe()
	if d := w.c.Go.Digest; d != "" && d != w.action.Digest {
		return done{}, fault.New(fault.ActionStale, "the transaction would not be the one that was approved").
			Hintf("have it proposed anew").WithSent(fault.SentNo)
	}
	if !w.c.Go.Execute {
		return w.dryRun(ctx, f)
	}
	return w.execute(ctx, f)
}

// begin finds out who would sign what on which chain, and that the contract is there.
func (w *writing) begin(ctx context.Context, stage policy.Stage) (policy.Fence, error) {
	f, err := w.fence(ctx, stage)
	if err != nil {
		return f, err
	}
	if w.who, err = w.d.Account(ctx); err != nil {
		return f, err
	}
	if w.chain, err = w.d.Chain(ctx); err != nil {
		return f, err
	}
	id, err := w.chain.ChainID(ctx)
	if err != nil {
		return f, err
	}
	if id != f.Policy.ChainID {
		return f, fault.New(fault.ChainMismatch, "the RPC answers for chain %d, and the policy is for chain %d", id, f.Policy.ChainID).
			Hintf("check the RPC URL (ape-claw doctor), or use the other profile").WithSent(fault.SentNo)
	}
	w.digest = policy.WriteDigest(id, w.who, w.to, w.c.Value, w.c.Data)
	w.action = Action{
		Command: w.c.Command, What: w.c.What, Contract: w.c.Contract, Account: lower(w.who), ChainID: id, Network: networkName(id),
		Value: w.c.Value, Facts: w.c.Facts, Digest: hex.EncodeToString(w.digest[:]),
	}
	if w.action.Facts == nil {
		w.action.Facts = []Fact{}
	}
	w.action.Caps = []CapAfter{}
	return f, w.there(ctx)
}

// there refuses what is not the contract any more that was located.
func (w *writing) there(ctx context.Context) error {
	code, err := w.chain.Code(ctx, w.to)
	if err != nil {
		return err
	}
	l := w.c.Contract
	switch {
	case len(code) == 0:
		return fault.New(fault.ContractMissing, "there is no contract at %s", l.Address).Hintf("check the address, which is from %s", l.From).
			WithSent(fault.SentNo).With("contract", string(l.Name))
	case !l.Known || contracts.Matches(l.Name, code) || w.to == contracts.Deployer && bytes.Equal(code, contracts.DeployerCode):
		return nil
	}
	return fault.New(fault.ContractMismatch, "what is at %s is not the %s that was found there", l.Address, l.Name).
		Hintf("check the RPC URL, then run it again").WithSent(fault.SentNo).With("contract", string(l.Name))
}

// fence reads policy and halt file. When one can't be read, the gates of the stage
// say what refuses.
func (s *Service) fence(ctx context.Context, stage policy.Stage) (policy.Fence, error) {
	f, err := s.d.Fence(ctx)
	if err != nil || f.Err == nil && f.Policy != nil {
		return f, err
	}
	return f, policy.DecideWrite(stage, policy.Fence{Halt: f.Halt, Err: f.Err}, policy.Write{}).Refusal()
}

func (w *writing) msg() chain.CallMsg {
	return chain.CallMsg{From: w.who, To: w.to, Value: w.c.Value, Data: w.c.Data}
}

// simulate runs the exact call as the account, and foresees what it costs. A call
// that would fail is a verdict and no error.
func (w *writing) simulate(ctx context.Context) (err error) {
	fail := func(format string, args ...any) error {
		w.simulation = policy.Simulation{State: policy.SimFailed, Reason: fmt.Sprintf(format, args...)}
		return nil
	}
	balance, err := w.chain.Balance(ctx, w.who)
	if err != nil {
		return err
	}
	w.action.Balance = &balance
	if balance.Cmp(w.c.Value) < 0 {
		return fail("%s holds %s APE, and %s APE would be sent along", w.who.Hex(), balance.Decimal(units.APEDecimals), w.c.Value.Decimal(units.APEDecimals))
	}
	if w.returned, err = w.chain.Call(ctx, w.msg(), nil, nil); err == nil {
		w.fees, err = w.chain.Fees(ctx, w.msg(), nil)
	}
	if reason, ok := failure(err); ok {
		return fail("%s", reason)
	}
	if err != nil {
		return err
	}
	w.action.MaxFee = &w.fees.FeeCap
	if need, err := w.c.Value.Add(w.fees.FeeCap); err != nil || balance.Cmp(need) < 0 {
		return fail("%s holds %s APE, and it may need %s APE, with up to %s APE for gas", w.who.Hex(), balance.Decimal(units.APEDecimals),
			need.Decimal(units.APEDecimals), w.fees.FeeCap.Decimal(units.APEDecimals))
	}
	w.simulation = policy.Simulation{State: policy.SimPassed}
	return nil
}

// failure says in words why a call can't succeed; ok is false when the error is the
// node's and not the call's.
func failure(err error) (reason string, ok bool) {
	var revert *chain.RevertError
	if !errors.As(err, &revert) {
		return chain.FailureReason(err)
	}
	if len(revert.Data) == 0 && revert.Reason != "" {
		return "the contract says " + fmt.Sprintf("%q", fault.Excerpt(revert.Reason, maxReason)), true
	}
	_, sentence := Explain(revert.Data)
	return sentence, true
}

// describe adds the phrase, once all that it is made from is known.
func (w *writing) describe() {
	w.action.Phrase = policy.Write{Command: w.c.Command, Digest: w.digest}.Phrase()
}

// write is what the gates look at.
func (w *writing) write(f policy.Fence) policy.Write {
	return policy.Write{
		Command: w.c.Command, Target: lower(w.to), TargetName: string(w.c.Contract.Name), Known: w.c.Contract.Known,
		Asset: policy.NativeOf(w.action.ChainID), Currency: f.Policy.NativeToken, Decimals: units.APEDecimals,
		Value: w.c.Value, FeeLimit: w.fees.FeeCap, Now: w.now(), Simulation: w.simulation, Digest: w.digest,
		Subject: w.d.Subject, Confirm: w.c.Go.Confirm, Autonomous: w.c.Go.Autonomous,
	}
}

// dryRun tells what would happen and which gates would refuse it.
func (w *writing) dryRun(ctx context.Context, f policy.Fence) (done, error) {
	refusals := policy.DecideWrite(policy.DryRun, f, w.write(f)).WouldBlock()
	codes := make([]string, 0, len(refusals))
	for i := range refusals {
		refusals[i].Change = fault.Suggest(w.d.CLI, refusals[i].Change)
		codes = append(codes, string(refusals[i].Code))
	}
	w.action.Caps = w.capsAfter(ctx, f.Policy, w.write(f))
	d := done{DryRun: true, Return: w.returned, WouldBlock: refusals, Action: w.action, MaxFee: w.action.MaxFee}
	if len(refusals) > 0 {
		d.Message = fmt.Sprintf("dry run: --execute would be refused: %s; nothing was signed", refusals[0].Reason)
	} else {
		along := ""
		if !w.c.Value.IsZero() {
			along = " with " + w.c.Value.Decimal(units.APEDecimals) + " APE"
		}
		d.Message = fmt.Sprintf("dry run: would %s%s, for at most %s APE for gas; nothing was signed", w.c.What, along, w.fees.FeeCap.Decimal(units.APEDecimals))
	}
	return d, w.d.Recorder.Record(ctx, telemetry.Draft{
		Type: "v2.tx.dry_run", DryRun: true, ChainID: w.action.ChainID, Payload: w.payload(),
		Result: map[string]any{"wouldSend": len(refusals) == 0, "wouldBlock": codes, "message": d.Message, "digest": w.action.Digest},
	})
}

// payload is the call as events have it.
func (w *writing) payload() map[string]any { return callPayload(w.c.Op, w.c.Contract, w.c.Value) }

func callPayload(op string, l Located, value units.Wei) map[string]any {
	return map[string]any{"op": op, "contract": string(l.Name), "address": l.Address, "valueWei": value}
}

// inWords fits errors of the transaction path, which knows purchases best, to a write.
func (w *writing) inWords(err error) error {
	if err == nil {
		return nil
	}
	f := *fault.From(err)
	f.Err = err
	switch f.Code {
	case fault.TxReverted:
		f.Hint = "only the fee is spent; mend the cause, then run it again"
	case fault.QuoteUsed:
		f.Hint = "it has its transaction already: look at what became of it with ape-claw v2 resume"
	case fault.ConfirmationMismatch:
		f.Hint = "give --confirm the phrase that the dry run shows: run it without --execute"
		if asked, _ := f.Details["asked"].(bool); asked {
			f.Hint = "run it again, and type the phrase as it is shown"
		}
	}
	f.Hint = strings.ReplaceAll(f.Hint, "ape-claw nft resume", "ape-claw v2 resume")
	return &f
}

// sent is the answer's common part.
func (s *Service) sent(d done) Sent {
	a := d.Action
	out := Sent{OK: true, DryRun: d.DryRun, Message: d.Message, ChainID: a.ChainID, Network: a.Network, Contract: a.Contract.Address, Account: a.Account}
	if d.DryRun {
		out.WouldBlock, out.Action, out.ConfirmPhrase = d.WouldBlock, &a, a.Phrase
		if d.MaxFee != nil {
			out.MaxFeeApe, out.MaxFeeWei = d.MaxFee.JSON(units.APEDecimals), d.MaxFee
		}
		if len(d.WouldBlock) == 0 {
			out.Next = "the same command with --execute --confirm '" + a.Phrase + "'"
		}
		return out
	}
	fee := d.Outcome.Fee
	out.TxHash, out.BlockNumber, out.GasUsed = d.Outcome.Tx.Hash.Hex(), d.Outcome.Receipt.Block, d.Outcome.Receipt.GasUsed
	out.FeeApe, out.FeeWei = fee.JSON(units.APEDecimals), &fee
	out.Message = cmp.Or(d.Message, "confirmed: "+a.What)
	return out
}
