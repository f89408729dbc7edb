package chain

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// bumpPercent is what a node asks of a replacement's fee and tip, each: geth's
// default txpool.pricebump (core/txpool/legacypool, 10 %), which Erigon,
// Nethermind, Besu and Reth share. Rounded up, and at least 1 more: geth refuses
// what is not above the old, also where a tenth of it is nothing.
const bumpPercent = 10

func bump(w units.Wei) (units.Wei, error) {
	tenth, err := w.Mul(bumpPercent)
	if err != nil {
		return units.Wei{}, err
	}
	more := new(big.Int).Add(tenth.Big(), big.NewInt(99))
	extra, err := units.FromBig(more.Div(more, big.NewInt(100)))
	if err != nil {
		return units.Wei{}, err
	}
	if extra.IsZero() {
		extra = units.FromUint64(1)
	}
	return w.Add(extra)
}

// Replaceable is a Story that can tell of replacements. Of others, the log tells
// only how the transaction itself ended.
type Replaceable interface {
	// Replacing tells that a replacement was handed to a node, kind "cancel" or
	// "reprice".
	Replacing(tx, by TxInfo, kind string) telemetry.Draft
	// Cancelled tells that a cancellation was mined, so that tx never can be.
	Cancelled(tx, by TxInfo, receipt Receipt) telemetry.Draft
	// Replaced tells that the nonce went to a transaction that is none of ours.
	Replaced(tx TxInfo, why string) telemetry.Draft
}

// Replacement is what PrepareReplacement proposes: a transaction with the nonce
// of one that is stuck.
type Replacement struct {
	ID      string      // of the stuck transaction
	Key     string      // what that is for
	Old     common.Hash // its hash, or that of its last replacement
	N       int         // its how-manieth replacement
	Kind    string      // cancel or reprice
	Account common.Address
	ChainID int64
	Nonce   uint64
	To      common.Address
	Value   units.Wei
	Data    []byte
	Fees    Fees
	Extra   units.Wei // what its fee may cost beyond all that is reserved for fees
	// Gap is how many transactions the account would have to send before one with
	// this nonce can be mined. Where it is not 0, nothing that is sent frees the
	// nonce, and a cancellation sets the transaction aside instead.
	Gap uint64

	old policy.Tx
	fee string // the ledger's row in which the old one's fee is reserved
}

// policyTx is the transaction as a grant binds it: the key holds nonce and number.
func (p Replacement) policyTx() policy.Tx {
	return policy.Tx{ChainID: p.ChainID, From: p.Account, To: p.To, Value: p.Value, Data: p.Data, FeeCap: p.Fees.FeeCap,
		Key: fmt.Sprintf("%s:%s#%d:nonce %d", p.Kind, p.ID, p.N, p.Nonce)}
}

// Policy is what policy is asked to allow, with the ledger's row of the old fee.
func (p Replacement) Policy(ctx context.Context, l *policy.Ledger) (policy.Replacement, error) {
	fee, err := l.Reservation(ctx, nil, p.fee)
	return policy.Replacement{New: p.policyTx(), Old: p.old, Cancel: p.Kind == kindCancel, Fee: fee, Extra: p.Extra, Ceiling: DefaultFeeCeiling()}, err
}

// PrepareReplacement works out the terms of a replacement; it signs and sends
// nothing. The transaction is the one with id or hash tx, or the only open one.
// Its fees are at least the node's minimum above the old ones and at least
// today's; DefaultFeeCeiling bounds them. Repricing what would fail is refused.
func (s *Sender) PrepareReplacement(ctx context.Context, chainID int64, mode ResumeMode, tx string) (Replacement, error) {
	kind := map[ResumeMode]string{ResumeCancel: kindCancel, ResumeReprice: kindReprice}[mode]
	if kind == "" {
		return Replacement{}, fault.New(fault.Usage, "a replacement cancels or reprices").WithSent(fault.SentNo)
	}
	r, err := s.openRow(ctx, chainID, tx)
	if err != nil {
		return Replacement{}, err
	}
	if _, err := s.checkChain(ctx, chainID); err != nil {
		return Replacement{}, err
	}
	if err := s.unused(ctx, r); err != nil {
		return Replacement{}, err
	}
	p := Replacement{ID: r.id, Key: r.key, N: len(r.others) + 1, Kind: kind, Account: r.info.From, ChainID: chainID, Nonce: r.info.Nonce,
		old: policy.Tx{ChainID: chainID, From: r.info.From, To: r.info.To, Value: r.info.Value, Data: r.data, FeeCap: r.info.FeeCap, Key: r.key}}
	p.To, p.Value, p.Data = replacing(kind, &r)
	for _, ref := range r.spend {
		if ref.Kind == policy.KindFee {
			p.fee = ref.ID
		}
	}
	for _, o := range r.forms() {
		p.Old = o.info.Hash
	}
	if p.Gap, err = s.gap(ctx, r); err != nil {
		return Replacement{}, err
	}
	if p.Fees, err = s.replacementFees(ctx, r, p); err != nil {
		return Replacement{}, err
	}
	if p.Fees.FeeCap.Cmp(DefaultFeeCeiling()) > 0 {
		return Replacement{}, fault.New(fault.PolicyBlocked, "gas may cost up to %s and the ceiling of one transaction is %s",
			p.Fees.FeeCap.Decimal(units.APEDecimals), DefaultFeeCeiling().Decimal(units.APEDecimals)).
			Hintf("wait until fees have fallen").WithSent(fault.SentNo).With("gate", "feeCeiling")
	}
	if p.Extra, err = extraFee(r, p.Fees.FeeCap); err != nil {
		return Replacement{}, err
	}
	if err := s.affordable(ctx, Prepared{Intent: Intent{Value: p.Value}, From: p.Account, Fees: p.Fees}); err != nil {
		return p, err
	}
	return p, s.mayReprice(ctx, r, p.form())
}

// form is the replacement as the journal has it, before it is signed.
func (p Replacement) form() form {
	return form{n: p.N, kind: p.Kind, state: StateIntended, data: p.Data, info: TxInfo{ChainID: p.ChainID, Nonce: p.Nonce, From: p.Account,
		To: p.To, Value: p.Value, GasLimit: p.Fees.GasLimit, MaxFee: p.Fees.MaxFee, MaxTip: p.Fees.MaxTip, FeeCap: p.Fees.FeeCap}}
}

// mayReprice asks whether r may be sent with another fee. A cancellation is not
// asked about: it buys nothing.
func (s *Sender) mayReprice(ctx context.Context, r record, f form) error {
	if f.kind != kindReprice {
		return nil
	}
	if s.o.Reprice == nil {
		return fault.New(fault.PolicyBlocked, "nothing says that transaction %s may be sent with another fee", r.info.Hash.Hex()).
			Hintf("free its nonce instead: ape-claw nft resume --cancel").WithSent(fault.SentNo)
	}
	return s.decided(ctx, r, f, s.o.Reprice)
}

// openRow finds an open transaction that was signed: by id or hash, or the only one.
func (s *Sender) openRow(ctx context.Context, chainID int64, tx string) (record, error) {
	if tx != "" {
		r, err := s.named(ctx, chainID, tx)
		if err == nil && !(isOpen(r.state) && r.hashed) {
			err = fault.New(fault.NotFound, "transaction %s is not open: it is %s", printable(tx), r.state).
				Hintf("there is nothing to replace").WithSent(fault.SentNo).With("state", r.state)
		}
		return r, err
	}
	rs, err := s.journal.open(ctx, chainID, s.Address())
	if err != nil {
		return record{}, err
	}
	var found []record
	for _, r := range rs {
		if r.hashed {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return record{}, fault.New(fault.NotFound, "no transaction of %s is open", s.Address().Hex()).
			Hintf("there is nothing to replace").WithSent(fault.SentNo)
	case 1:
		return found[0], nil
	}
	return record{}, fault.New(fault.Usage, "%d transactions of %s are open", len(found), s.Address().Hex()).
		Hintf("name one of them, the one with the lowest nonce first: --tx %s", found[0].info.Hash.Hex()).WithSent(fault.SentNo)
}

// unused refuses when the chain has used the nonce: then it is too late.
func (s *Sender) unused(ctx context.Context, r record) error {
	used, err := s.client.NonceAt(ctx, s.Address())
	if err != nil || used <= r.info.Nonce {
		return err
	}
	return fault.New(fault.Conflict, "nonce %d is used: %s, or another transaction in its place, was mined", r.info.Nonce, r.info.Hash.Hex()).
		Hintf("find out which: ape-claw nft resume").WithSent(fault.SentNo).With("nonce", r.info.Nonce)
}

// replacementFees are above those of all earlier forms, and at least today's.
func (s *Sender) replacementFees(ctx context.Context, r record, p Replacement) (f Fees, err error) {
	msg := CallMsg{From: p.Account, To: p.To, Value: p.Value, Data: p.Data}
	if p.Kind == kindReprice {
		msg.Gas = r.info.GasLimit
		if _, err := s.client.Call(ctx, msg, nil, nil); err != nil {
			err = wouldFail(err)
			if fault.CodeOf(err) == fault.SimulationFailed {
				f := *fault.From(err)
				return Fees{}, f.Hintf("free the nonce instead: ape-claw nft resume --cancel")
			}
			return Fees{}, err
		}
		msg.Data, msg.To, msg.Value = nil, p.Account, units.Wei{} // for the fees; the gas limit stays
	}
	if f, err = s.client.Fees(ctx, msg, nil); err != nil {
		return Fees{}, err
	}
	if p.Kind == kindReprice {
		f.GasLimit = r.info.GasLimit
	}
	for _, o := range r.forms() {
		fee, err := bump(o.info.MaxFee)
		if err != nil {
			return Fees{}, err
		}
		tip, err := bump(o.info.MaxTip)
		if err != nil {
			return Fees{}, err
		}
		f.MaxFee, f.MaxTip = larger(f.MaxFee, fee), larger(f.MaxTip, tip)
	}
	f.MaxFee = larger(f.MaxFee, f.MaxTip)
	f.FeeCap, err = f.MaxFee.Mul(f.GasLimit)
	return f, err
}

func larger(a, b units.Wei) units.Wei {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// extraFee is what a fee cap goes beyond all that is reserved for fees.
func extraFee(r record, feeCap units.Wei) (units.Wei, error) {
	var have units.Wei
	for _, ref := range r.reserved() {
		if ref.Kind != policy.KindFee {
			continue
		}
		sum, err := have.Add(ref.Amount)
		if err != nil {
			return units.Wei{}, err
		}
		have = sum
	}
	if feeCap.Cmp(have) <= 0 {
		return units.Wei{}, nil
	}
	return feeCap.Sub(have)
}
