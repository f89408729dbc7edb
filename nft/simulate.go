package nft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// SimulateIn is the input of nft simulate.
type SimulateIn struct {
	Quote string `json:"quote" ai:"expose" kind:"id" help:"quote id" required:"true" complete:"quotes"`
	From  string `json:"from" ai:"operator" help:"simulate for this address as if it had the funds, without its key"`
}

// SimulateOut is the result of a simulation that passed.
type SimulateOut struct {
	OK           bool        `json:"ok"`
	QuoteID      string      `json:"quoteId"`
	Reason       string      `json:"reason"` // simulation_passed
	From         string      `json:"from"`   // the buyer
	AssumedFunds bool        `json:"assumedFunds"`
	ChainID      int64       `json:"chainId"`
	BlockNumber  uint64      `json:"blockNumber"`
	PriceApe     json.Number `json:"priceApe"`
	PriceWei     units.Wei   `json:"priceWei"`
	Gas          uint64      `json:"gas"`    // limit, with a margin
	FeeApe       json.Number `json:"feeApe"` // the most that gas may cost
	FeeWei       units.Wei   `json:"feeWei"`
	Function     string      `json:"function"`
	Payments     []Fee       `json:"payments"` // who is paid what
	GoodUntil    time.Time   `json:"goodUntil"`
	Quote        Quote       `json:"quote"`
	Next         string      `json:"next"`
}

// Simulate runs the purchase of a quote against the chain without signing it,
// and records the outcome for the quote.
func (s *Service) Simulate(ctx context.Context, in SimulateIn) (SimulateOut, error) {
	q, err := s.unused(ctx, in.Quote)
	if err != nil {
		return SimulateOut{}, err
	}
	if err := s.expired(q, s.now()); err != nil {
		return SimulateOut{}, s.simulated(ctx, q, trial{}, err)
	}
	f, err := s.fence(ctx, policy.Inspect)
	if err == nil {
		err = s.otherChain(f, q, cmdSimulate)
	}
	if err == nil {
		err = policy.Decide(policy.Inspect, f, s.purchase(f, q)).Refusal()
	}
	if err != nil {
		return SimulateOut{}, s.refused(ctx, cmdSimulate, false, q, err)
	}
	b, err := s.buyerOf(ctx, in.From)
	if err != nil {
		return SimulateOut{}, err
	}
	t, err := s.try(ctx, q, b, nil)
	if err == nil {
		err = s.estimate(ctx, q, &t)
	}
	if err := s.simulated(ctx, q, t, err); err != nil {
		return SimulateOut{}, err
	}
	out := SimulateOut{
		OK: true, QuoteID: q.QuoteID, Reason: "simulation_passed", From: lower(b.addr), AssumedFunds: b.assumed, ChainID: q.ChainID,
		BlockNumber: t.head.Number, PriceApe: t.call.Value.JSON(units.APEDecimals), PriceWei: t.call.Value,
		Gas: t.fees.GasLimit, FeeApe: t.fees.FeeCap.JSON(units.APEDecimals), FeeWei: t.fees.FeeCap, Function: t.got.Function,
		Payments: []Fee{}, GoodUntil: earlier(s.now().Add(SimulationTTL), q.ExpiresAt), Quote: q, Next: s.next(cmdBuy, q.QuoteID),
	}
	for _, p := range t.got.Payments {
		out.Payments = append(out.Payments, Fee{Recipient: lower(p.Recipient), AmountApe: p.Amount.JSON(units.APEDecimals), AmountWei: p.Amount})
	}
	return out, nil
}

// buyerOf is the account of the key, or the named one. To name the key's own
// account is to ask for the real check.
func (s *Service) buyerOf(ctx context.Context, from string) (buyer, error) {
	if from != "" && (!common.IsHexAddress(from) || common.HexToAddress(from) == (common.Address{})) {
		return buyer{}, fault.New(fault.Usage, "--from \"%s\" is no address", shown(from)).Hintf("an address is 0x and 40 hex digits")
	}
	addr, err := s.d.Buyer(ctx)
	switch {
	case from != "" && (err != nil || addr != common.HexToAddress(from)):
		return buyer{addr: common.HexToAddress(from), assumed: true}, nil
	case fault.CodeOf(err) == fault.Auth:
		e := *fault.From(err)
		e.Hint = "name the account to simulate for: --from 0x…; or " + e.Hint
		return buyer{}, &e
	}
	return buyer{addr: addr}, err
}

// simulated records a simulation and tells it. Failures that say nothing about
// the purchase, such as a marketplace that is down, are no simulation.
func (s *Service) simulated(ctx context.Context, q Quote, t trial, cause error) error {
	if cause != nil && !fault.IsGate(fault.CodeOf(cause)) {
		return cause
	}
	if t.buyer.addr != (common.Address{}) {
		if err := s.keep(ctx, q, t, cause); err != nil {
			return errors.Join(cause, err)
		}
	}
	payload := map[string]any{"quoteId": q.QuoteID, "collection": q.Collection, "tokenId": q.TokenID}
	if cause != nil {
		s.name(q, cause)
		f := fault.From(cause)
		reason, ok := f.Details["reason"].(string)
		if !ok {
			reason = string(f.Code)
			f.With("reason", reason)
		}
		err := s.d.Recorder.Record(ctx, telemetry.Draft{
			Type: "nft.simulation.failed", ChainID: q.ChainID, Payload: payload, Err: f.Message,
			Result: map[string]any{"simulated": false, "reason": f.Message, "code": string(f.Code), "details": map[string]any{"cause": reason}},
		})
		return errors.Join(cause, err)
	}
	return s.d.Recorder.Record(ctx, telemetry.Draft{
		Type: "nft.simulation.passed", ChainID: q.ChainID, Payload: payload,
		Result: map[string]any{
			"simulated": true, "from": lower(t.buyer.addr), "balanceOverridden": t.buyer.assumed, "priceApe": t.call.Value.JSON(units.APEDecimals),
			"priceWei": t.call.Value, "gasLimit": t.fees.GasLimit, "maxFeeWei": t.fees.FeeCap, "orderHash": q.OrderHash,
			"blockNumber": t.head.Number,
		},
	})
}

// keep saves the outcome of a trial, bound to order, value, buyer and block.
func (s *Service) keep(ctx context.Context, q Quote, t trial, cause error) error {
	db, err := s.quotes(ctx)
	if err != nil {
		return err
	}
	m := Simulation{
		ID: store.NewID("sim_"), QuoteID: q.QuoteID, At: s.now(), OK: cause == nil, OrderHash: q.OrderHash,
		Buyer: lower(t.buyer.addr), AssumedFunds: t.buyer.assumed, ValueWei: t.call.Value, Block: t.head.Number,
		Gas: t.fees.GasLimit, FeeWei: t.fees.FeeCap, FeeApe: t.fees.FeeCap.JSON(units.APEDecimals),
	}
	if cause != nil {
		m.Code, m.Reason = fault.CodeOf(cause), fault.From(cause).Message
	}
	return db.addSimulation(ctx, m)
}

// verdict is what the last simulation says to the gate. With a known buyer, one
// made for somebody else says nothing.
func verdict(q Quote, m *Simulation, who *common.Address, now time.Time) policy.Simulation {
	stale := func(format string, args ...any) policy.Simulation {
		return policy.Simulation{State: policy.SimStale, Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case m == nil:
		return policy.Simulation{State: policy.SimNone}
	case who != nil && m.Buyer != lower(*who):
		return stale("it was made for %s, and the buyer is %s", m.Buyer, lower(*who))
	case !m.OK:
		return policy.Simulation{State: policy.SimFailed, Reason: m.Reason}
	case m.OrderHash != q.OrderHash || m.ValueWei.Cmp(q.PriceWei) > 0:
		return stale("it was of another order")
	case now.Sub(m.At) >= SimulationTTL || m.At.After(now):
		return stale("it was made at %s and counts for %s", m.At.Format(time.RFC3339), SimulationTTL)
	}
	return policy.Simulation{State: policy.SimPassed}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
