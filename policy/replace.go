package policy

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"sync/atomic"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Replacement is a transaction that shall take the place of one that is stuck,
// with its nonce: the chain takes one of the two.
type Replacement struct {
	New, Old Tx
	Cancel   bool        // New is a self-transfer of nothing; else it is Old with a higher fee
	Fee      Reservation // in which the old one's fee is reserved: Ledger.Reservation
	Extra    units.Wei   // what New's fee may cost beyond all that is reserved for fees
	Ceiling  units.Wei   // the most that New's fee may cost
}

// AuthorizeReplacement turns the fence into a grant for exactly r.New, until
// expires. Only what it may cost beyond the old transaction is reserved. A
// cancellation buys nothing and stops a purchase, so it is allowed while spending
// is halted; repricing is not, nor at a price that policy allows no more.
func (f Fence) AuthorizeReplacement(r Replacement, expires time.Time) (Grant, error) {
	if f.Err != nil || f.Policy == nil {
		return Grant{}, errors.Join(f.Err, nilPolicy(f))
	}
	refuse := func(format string, args ...any) (Grant, error) {
		return Grant{}, fault.New(fault.UnsafeTransaction, format, args...).WithSent(fault.SentNo).With("gate", "grant")
	}
	native := NativeOf(r.New.ChainID)
	switch n, o := r.New, r.Old; {
	case !f.Policy.spendsOn(n.ChainID) || n.ChainID != o.ChainID || n.From != o.From || n.Key == "" || n.Key == o.Key:
		return refuse("the replacement is of another chain or account")
	case r.Cancel && (n.To != n.From || !n.Value.IsZero() || len(n.Data) > 0):
		return refuse("a cancellation sends nothing to anybody")
	case !r.Cancel && (n.To != o.To || n.Value != o.Value || string(n.Data) != string(o.Data)):
		return refuse("a repriced transaction differs from the one that policy allowed")
	case r.Fee.Kind != KindFee || r.Fee.Asset != native || r.Fee.Account != "0x"+hex.EncodeToString(n.From[:]):
		return refuse("nothing is reserved for the fee of the transaction")
	}
	if r.New.FeeCap.Cmp(r.Ceiling) > 0 {
		return Grant{}, fault.New(fault.PolicyBlocked, "gas may cost up to %s and the ceiling of one transaction is %s",
			r.New.FeeCap.Decimal(units.APEDecimals), r.Ceiling.Decimal(units.APEDecimals)).
			Hintf("wait until fees have fallen").WithSent(fault.SentNo).With("gate", "feeCeiling")
	}
	if !r.Cancel {
		if len(f.Halt) > 0 {
			return Grant{}, fault.New(fault.Halted, "halted: %s", f.Halt[0]).
				Hintf("cancel it instead (ape-claw nft resume --cancel), or lift the halt: ape-claw policy unhalt").WithSent(fault.SentNo).With("gate", GateHalt)
		}
		if limit := f.Policy.priceCap(native); r.New.ChainID == f.Policy.ChainID && !limit.Allows(r.New.Value) {
			return Grant{}, fault.New(fault.PriceOverLimit, "price %s is over nftBuy.maxPricePerTx %s", r.New.Value.Decimal(units.APEDecimals), limit.Decimal(units.APEDecimals)).
				Hintf("cancel it instead: ape-claw nft resume --cancel").WithSent(fault.SentNo).With("gate", GatePrice)
		}
	}
	g := Grant{digest: r.New.Digest(), expires: expires, used: new(atomic.Bool)}
	if !r.Extra.IsZero() {
		extra := r.Fee
		extra.ID, extra.Amount = store.NewID("sp_"), r.Extra
		g.rs, g.limits = []Reservation{extra}, f.Policy.Limits(extra.scope())
	}
	return g, nil
}

func nilPolicy(f Fence) error {
	if f.Err == nil {
		return fault.New(fault.PolicyInvalid, "there is no policy").WithSent(fault.SentNo)
	}
	return nil
}

// RedeemReplacement is Redeem for the grant of a replacement, which reserves
// nothing where what is reserved already covers it.
func (l *Ledger) RedeemReplacement(ctx context.Context, tx *sql.Tx, g Grant, t Tx) ([]Reservation, error) {
	if g.used == nil || len(g.rs) > 0 {
		return l.Redeem(ctx, tx, g, t)
	}
	if t.Digest() != g.digest || !g.used.CompareAndSwap(false, true) {
		return nil, fault.New(fault.UnsafeTransaction, "the replacement is not the one that policy allowed, once").
			WithSent(fault.SentNo).With("gate", "grant")
	}
	return nil, g.Alive(l.now())
}

// Reservation returns a row of the ledger as it was reserved.
func (l *Ledger) Reservation(ctx context.Context, q Queryer, id string) (Reservation, error) {
	if q == nil {
		q = l.db
	}
	r := Reservation{ID: id}
	var amount string
	err := q.QueryRowContext(ctx, `SELECT chain_id, asset, account, subject, collection, kind, ref, amount FROM spend WHERE id = ?`, id).
		Scan(&r.Asset.ChainID, &r.Asset.Token, &r.Account, &r.Subject, &r.Collection, &r.Kind, &r.Ref, &amount)
	if errors.Is(err, sql.ErrNoRows) {
		return Reservation{}, corrupt(id, "no such reservation")
	}
	if err != nil {
		return Reservation{}, store.DBFault(err, store.MoneyFile)
	}
	if r.Amount, err = units.ParseBase(amount); err != nil {
		return Reservation{}, corrupt(id, err.Error())
	}
	return r, nil
}

// spendsOn reports whether anything may be spent on a chain: on the policy's own, and
// where its currency has a daily cap.
func (p *Policy) spendsOn(chainID int64) bool {
	_, _, ok := p.dailyCaps(NativeOf(chainID))
	return ok
}
