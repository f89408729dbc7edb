package policy

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"sync/atomic"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Tx is everything about a transaction that a grant binds. It knows no nonce
// and no split of the fee: the sender chooses those, within FeeCap.
type Tx struct {
	ChainID  int64
	From, To [20]byte
	Value    units.Wei // native base units
	Data     []byte
	FeeCap   units.Wei // the most that gas may cost in all, native base units
	Key      string    // idempotency key, "nft.buy:<quoteId>"
}

// Digest identifies a Tx: two differ in any field if and only if their digests do.
type Digest [sha256.Size]byte

// String is the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Digest returns the SHA-256 of the transaction's fields, each of fixed length
// or preceded by its length.
func (t Tx) Digest() Digest {
	b := []byte("ape-claw/tx/1\x00")
	b = binary.BigEndian.AppendUint64(b, uint64(t.ChainID))
	b = append(append(b, t.From[:]...), t.To[:]...)
	value, fee := t.Value.Bytes32(), t.FeeCap.Bytes32()
	b = append(append(b, value[:]...), fee[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(t.Data)))
	b = append(b, t.Data...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(t.Key)))
	return sha256.Sum256(append(b, t.Key...))
}

// Grant is the policy's leave to send one transaction once. Only
// Decision.Authorize makes a usable one; the zero value grants nothing. Copies
// share the use.
type Grant struct {
	digest  Digest
	expires time.Time
	rs      []Reservation
	limits  []Limit
	used    *atomic.Bool
}

// Digest is the digest of the transaction that the grant is for.
func (g Grant) Digest() Digest { return g.digest }

// Alive returns fault.QuoteExpired once the grant's time is over. Redeem checks
// it; who holds a redeemed grant checks it again before what it does with it.
func (g Grant) Alive(now time.Time) error {
	if now.Before(g.expires) {
		return nil
	}
	return fault.New(fault.QuoteExpired, "the decision to allow this transaction expired at %s", g.expires.UTC().Format(time.RFC3339)).
		Hintf("run the command again").WithSent(fault.SentNo)
}

// Redeem uses up the grant and reserves what it allows, in the caller's
// transaction, which must also record the intent: one is never there without
// the other. It returns the reservations, to be settled or released when the
// transaction's fate is known. A grant is used up by the first try, also by one
// that is refused. The transaction must be the granted one in every field.
func (l *Ledger) Redeem(ctx context.Context, tx *sql.Tx, g Grant, t Tx) ([]Reservation, error) {
	refuse := func(format string, args ...any) error {
		return fault.New(fault.UnsafeTransaction, format, args...).WithSent(fault.SentNo).With("gate", "grant")
	}
	switch {
	case g.used == nil:
		return nil, refuse("no policy decision allows this transaction")
	case !g.used.CompareAndSwap(false, true):
		return nil, refuse("this grant was used already")
	case t.Digest() != g.digest:
		return nil, refuse("the transaction is not the one that policy allowed")
	}
	if err := g.Alive(l.now()); err != nil {
		return nil, err
	}
	if err := l.Reserve(ctx, tx, g.rs, g.limits); err != nil {
		return nil, err
	}
	return append([]Reservation(nil), g.rs...), nil
}

// Authorize turns a decision into a grant for exactly t, until expires. It
// refuses unless every gate of an execution was evaluated and passed, and t
// costs no more than what the gates looked at.
func (d Decision) Authorize(t Tx, expires time.Time) (Grant, error) {
	if err := d.Refusal(); err != nil {
		return Grant{}, err
	}
	if d.stage != Execute || d.policy == nil {
		return Grant{}, fault.New(fault.PolicyBlocked, "a dry run allows nothing to be sent").
			Hintf("run it again with --execute").WithSent(fault.SentNo)
	}
	if d.write != nil {
		return d.grantWrite(*d.write, t, expires)
	}
	if d.transfer != nil {
		return d.grantTransfer(*d.transfer, t, expires)
	}
	p := d.purchase
	native := p.Asset == NativeOf(t.ChainID)
	mismatch := ""
	switch {
	case t.ChainID != d.policy.ChainID || p.Asset.ChainID != t.ChainID || !p.Asset.valid():
		mismatch = "chain or currency"
	case native && t.Value.Cmp(p.Price) > 0 || !native && !t.Value.IsZero():
		mismatch = "value"
	case t.FeeCap.Cmp(p.FeeLimit) > 0:
		mismatch = "fee limit"
	case p.Contract == "":
		mismatch = "token contract"
	case p.Target != "0x"+hex.EncodeToString(t.To[:]):
		mismatch = "called contract"
	case t.Key == "" || len(t.Data) == 0 || t.To == [20]byte{}:
		mismatch = "key, data or target"
	}
	if mismatch != "" {
		return Grant{}, fault.New(fault.UnsafeTransaction, "the transaction's %s is not what policy looked at", mismatch).
			WithSent(fault.SentNo).With("gate", "grant")
	}
	price := t.Value
	if !native {
		price = p.Price // what the call pays is not in its value
	}
	reservation := func(kind string, asset Asset, amount units.Wei) Reservation {
		return Reservation{ID: store.NewID("sp_"), Asset: asset, Account: "0x" + hex.EncodeToString(t.From[:]),
			Subject: p.Subject, Collection: p.contract(), Kind: kind, Ref: t.Key, Amount: amount}
	}
	return Grant{
		digest: t.Digest(), expires: expires, used: new(atomic.Bool),
		rs:     []Reservation{reservation(KindPrice, p.Asset, price), reservation(KindFee, NativeOf(t.ChainID), t.FeeCap)},
		limits: d.policy.Limits(p.Scope()),
	}, nil
}

// Kinds of reservations.
const (
	KindPrice = "price" // what the transaction pays
	KindFee   = "fee"   // the most its gas may cost
	KindValue = "value" // what a write sends along
)
