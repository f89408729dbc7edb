package nft

import (
	"context"
	"encoding/hex"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// buyer is who would buy. With assumed funds the account is only named: nobody
// has shown a key, so its balance says nothing.
type buyer struct {
	addr    common.Address
	assumed bool
}

// trial is a purchase that was built, verified and run against the chain.
type trial struct {
	chain   Chain
	buyer   buyer
	head    chain.Header
	call    seaport.Call
	want    seaport.Want
	got     seaport.Got
	assumed chain.Overrides // the funds a merely named buyer is lent
	balance units.Wei       // of a real buyer
	fees    chain.Fees      // once estimated
}

// Names of the failures that are not a contract's.
const (
	failBalance  = "insufficient_balance"
	failGone     = "order_gone"
	failResult   = "no_success"
	failNodeSays = "node_refuses"
)

const ownedAlready = "the buyer owns the token already"

// failed is a purchase that would not succeed: name for programs, words for people.
func failed(name, format string, args ...any) *fault.Error {
	return fault.New(fault.SimulationFailed, "the purchase would fail: "+format, args...).
		WithSent(fault.SentNo).With("reason", name)
}

// try asks the marketplace for the fulfilment of exactly the quoted order, builds
// the call, verifies it, and runs the very bytes and value as the buyer. Nothing
// is signed. maxFee bounds what others than the seller get. Failures are fault.UnsafeTransaction, fault.SimulationFailed, and
// those of marketplace and node.
func (s *Service) try(ctx context.Context, q Quote, b buyer, maxFee *units.BPS) (trial, error) {
	t := trial{buyer: b}
	c, err := s.d.Chain(ctx)
	if err != nil {
		return t, err
	}
	t.chain = c
	switch got, err := c.ChainID(ctx); {
	case err != nil:
		return t, err
	case got != q.ChainID:
		return t, fault.New(fault.ChainMismatch, "the RPC answers for chain %d, and the quote is for chain %d", got, q.ChainID).WithSent(fault.SentNo)
	}
	if t.head, err = c.Head(ctx); err != nil {
		return t, err
	}
	if t.want, err = s.wanted(ctx, q, t); err != nil {
		return t, err
	}
	t.want.MaxFee = maxFee
	m, err := s.d.Market(ctx)
	if err != nil {
		return t, err
	}
	f, err := m.Fulfillment(ctx, market.FulfillRequest{
		OrderHash: q.OrderHash, Protocol: q.ProtocolAddress, Fulfiller: lower(b.addr), Recipient: lower(b.addr),
	})
	if err != nil {
		return t, s.explainGone(ctx, q, t, err)
	}
	t.call, err = seaport.Build(seaport.Transaction{
		Function: f.Function, ChainID: f.ChainID, To: f.To, Value: f.Value, InputData: f.InputData, Suffix: f.Suffix,
	})
	if err != nil {
		return t, err
	}
	if t.got, err = seaport.Verify(t.call, t.want); err != nil {
		return t, err
	}
	return t, s.run(ctx, q, &t)
}

// wanted is the quote as the verifier wants it: with the seller's counter from
// the chain, the chain's clock, and the buyer.
func (s *Service) wanted(ctx context.Context, q Quote, t trial) (seaport.Want, error) {
	id, ok := new(big.Int).SetString(q.TokenID, 10)
	if !ok {
		return seaport.Want{}, fault.New(fault.StateUnusable, "quote %s has token id \"%s\"", q.QuoteID, shown(q.TokenID))
	}
	w := seaport.Want{
		ChainID: q.ChainID, Protocol: common.HexToAddress(q.ProtocolAddress), Buyer: t.buyer.addr,
		Token: common.HexToAddress(q.ContractAddress), TokenID: id, OrderHash: common.HexToHash(q.OrderHash),
		Price: q.PriceWei, Now: later(s.now(), t.head), Margin: OrderMargin,
	}
	data, err := seaport.Contract().TryPackGetCounter(common.HexToAddress(q.Seller))
	if err != nil {
		return w, err
	}
	out, err := t.chain.Call(ctx, chain.CallMsg{To: w.Protocol, Data: data}, nil, nil)
	if err == nil {
		w.Counter, err = seaport.Contract().UnpackGetCounter(out)
	}
	if err != nil {
		return w, unreadable(err, "the seller's order counter")
	}
	if q.Counter != "" && q.Counter != w.Counter.String() {
		e := failed("OrderIsCancelled", "the seller cancelled all orders signed so far (their counter is %s, the order's is %s)", w.Counter, shown(q.Counter)).
			Hintf("quote the token again: %s nft quote", s.d.CLI)
		e.Err = errGone
		return w, e
	}
	return w, nil
}

// unreadable is for a contract that does not answer as it must.
func unreadable(err error, what string) error {
	if code := fault.CodeOf(err); code != fault.Internal {
		return err
	}
	return fault.Wrap(err, fault.Upstream, "the chain does not tell %s", what).
		Hintf("check the RPC URL, then run ape-claw doctor").WithSent(fault.SentNo)
}

// run executes the call without changing anything.
func (s *Service) run(ctx context.Context, q Quote, t *trial) error {
	if t.buyer.assumed {
		funds, err := t.call.Value.Add(chain.DefaultFeeCeiling())
		if err != nil {
			return failed(failBalance, "%s is more than any account holds", t.call.Value)
		}
		t.assumed = chain.Overrides{t.buyer.addr: {Balance: &funds}}
	} else {
		var err error
		if t.balance, err = t.chain.Balance(ctx, t.buyer.addr); err != nil {
			return err
		}
		if t.balance.Cmp(t.call.Value) < 0 {
			return t.poor(q, "and gas")
		}
	}
	out, err := t.chain.Call(ctx, t.msg(), nil, t.assumed)
	if err != nil {
		return s.explain(ctx, t, err)
	}
	if !isTrue(out) {
		return failed(failResult, "Seaport does not answer that it succeeded")
	}
	return nil
}

// estimate adds the gas terms, and holds them against the balance.
func (s *Service) estimate(ctx context.Context, q Quote, t *trial) error {
	var err error
	if t.fees, err = t.chain.Fees(ctx, t.msg(), t.assumed); err != nil {
		return s.explain(ctx, t, err)
	}
	if t.buyer.assumed {
		return nil
	}
	need, err := t.call.Value.Add(t.fees.FeeCap)
	if err != nil || t.balance.Cmp(need) < 0 {
		return t.poor(q, "and up to "+t.fees.FeeCap.Decimal(units.APEDecimals)+" for gas")
	}
	return nil
}

func (t *trial) msg() chain.CallMsg {
	return chain.CallMsg{From: t.buyer.addr, To: t.call.To, Value: t.call.Value, Data: t.call.Data}
}

func (t *trial) poor(q Quote, gas string) error {
	return failed(failBalance, "insufficient balance: %s holds %s %s and the token costs %s %s", t.buyer.addr.Hex(),
		t.balance.Decimal(units.APEDecimals), q.Currency, q.PriceApe, gas).Hintf("send funds to %s", t.buyer.addr.Hex())
}

// isTrue reports whether a call returned the one word true.
func isTrue(out []byte) bool {
	return len(out) == 32 && common.BytesToHash(out) == common.BigToHash(big.NewInt(1))
}

// explain puts a failed call into words. Contracts say little, and the owner of
// the token can be read: who it is decides the sentence.
func (s *Service) explain(ctx context.Context, t *trial, err error) error {
	var revert *chain.RevertError
	if !errors.As(err, &revert) {
		if reason, ok := chain.FailureReason(err); ok {
			return failed(failNodeSays, "%s", reason)
		}
		return err
	}
	r := seaport.Explain(revert.Data)
	if len(revert.Data) == 0 && revert.Reason != "" {
		r.Reason = "a contract refuses: " + shown(revert.Reason)
	}
	gone := r.Name == "OrderAlreadyFilled" || r.Name == "OrderIsCancelled"
	if owner, err := ownerAt(ctx, t.chain, t.want, nil); err == nil {
		switch {
		case owner == t.buyer.addr:
			r.Reason, gone = ownedAlready, false
		case r.Token && owner != t.got.Order.Offerer:
			r.Reason, gone = "the seller no longer owns the token ("+r.Reason+")", true
		}
	}
	e := failed(r.Name, "%s", r.Reason).Hintf("quote the token again: %s nft quote", s.d.CLI).
		With("revertData", "0x"+hex.EncodeToString(revert.Data[:min(len(revert.Data), 132)]))
	if gone {
		e.Err = errGone
	}
	return e
}

// explainGone says why the marketplace gives no fulfilment, as far as the chain
// tells: it may answer an order that is over with any status. A failure that
// says nothing about the order stays what it is.
func (s *Service) explainGone(ctx context.Context, q Quote, t trial, err error) error {
	code := fault.CodeOf(err)
	if code != fault.NotFound && code != fault.Upstream {
		return err
	}
	gone := func(name, why string) error {
		e := failed(name, "%s", why).Hintf("quote the token again: %s nft quote", s.d.CLI)
		if e.Err = err; why != ownedAlready {
			e.Err = errors.Join(errGone, err)
		}
		return e
	}
	owner, ownerErr := ownerAt(ctx, t.chain, t.want, nil)
	if ownerErr == nil && owner == t.buyer.addr {
		return gone("OrderAlreadyFilled", ownedAlready)
	}
	data, packErr := seaport.Contract().TryPackGetOrderStatus(t.want.OrderHash)
	if packErr == nil {
		if out, err := t.chain.Call(ctx, chain.CallMsg{To: t.want.Protocol, Data: data}, nil, nil); err == nil {
			if st, err := seaport.Contract().UnpackGetOrderStatus(out); err == nil {
				switch {
				case st.IsCancelled:
					return gone("OrderIsCancelled", "the seller cancelled the order")
				case st.TotalFilled.Sign() > 0:
					return gone("OrderAlreadyFilled", "the order was already filled: somebody bought the token")
				}
			}
		}
	}
	if ownerErr == nil && owner != common.HexToAddress(q.Seller) {
		return gone("seller_moved_token", "the seller no longer owns the token")
	}
	if code == fault.Upstream {
		return err
	}
	return gone(failGone, "the marketplace no longer offers the order")
}

// ownerAt reads who owns the token at a block (nil: the latest).
func ownerAt(ctx context.Context, c Chain, w seaport.Want, block *big.Int) (common.Address, error) {
	out, err := c.Call(ctx, chain.CallMsg{To: w.Token, Data: seaport.PackOwnerOf(w.TokenID)}, block, nil)
	if err != nil {
		return common.Address{}, err
	}
	return seaport.UnpackAddress(out)
}

func lower(a common.Address) string { return "0x" + hex.EncodeToString(a[:]) }
