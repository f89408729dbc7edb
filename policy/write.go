package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Write is a transaction that is no purchase, as the gates look at it: it calls
// one contract and pays in the chain's own currency. What is left zero refuses,
// but for Value, Known, Confirm, Autonomous and Subject.
type Write struct {
	Command    string // the words of the command: "v2 skill mint"
	Target     string // the contract that the transaction would call, lower case
	TargetName string // what people call it
	Known      bool   // the code there is the one this program was built with

	Asset    Asset  // of Value: the chain's own
	Currency string // its symbol
	Decimals int

	Value    units.Wei // what is sent along
	FeeLimit units.Wei // the most that gas may cost

	Now        time.Time // local time
	Simulation Simulation
	Digest     [32]byte // WriteDigest of exactly the transaction

	Autonomous bool   // --autonomous
	Confirm    string // --confirm

	Subject  string // whose spend it is
	Spent    []Use  // what each of Policy.Limits(Scope()) has used; nil: unknown
	SpentErr error  // why it is unknown
}

// Scope is what of the ledger the write adds to.
func (w Write) Scope() Scope { return Scope{Asset: w.Asset, Subject: w.Subject} }

// phraseDigits is how much of the digest a person types: enough to tell one
// transaction from the next, not to stop who searches for another with the same.
const phraseDigits = 6

// Phrase is what a person types to confirm the write:
// EXECUTE <command> <the last digits of the digest>. Like a purchase's it guards
// against mistakes; what is sent is held against the whole digest.
func (w Write) Phrase() string {
	digits := hex.EncodeToString(w.Digest[:])
	return fmt.Sprintf("EXECUTE %s %s", w.Command, digits[len(digits)-phraseDigits:])
}

// WriteDigest is the SHA-256 of what a write does: chain, account, contract, value
// and call data. Neither fee nor key is in it, so that the phrase of a dry run
// holds for the execution as long as it would do the same.
func WriteDigest(chainID int64, from, to [20]byte, value units.Wei, data []byte) [32]byte {
	b := []byte("ape-claw/write/1\x00")
	b = binary.BigEndian.AppendUint64(b, uint64(chainID))
	b = append(append(b, from[:]...), to[:]...)
	amount := value.Bytes32()
	b = append(b, amount[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(data)))
	return sha256.Sum256(append(b, data...))
}

// grantWrite is Authorize for a write that every gate of an execution let through.
func (d Decision) grantWrite(w Write, t Tx, expires time.Time) (Grant, error) {
	native := NativeOf(t.ChainID)
	mismatch := ""
	switch {
	case t.ChainID != d.policy.ChainID || w.Asset != native || !native.valid():
		mismatch = "chain or currency"
	case t.Value != w.Value:
		mismatch = "value"
	case t.FeeCap.Cmp(w.FeeLimit) > 0:
		mismatch = "fee limit"
	case w.Target != "0x"+hex.EncodeToString(t.To[:]):
		mismatch = "called contract"
	case t.Key == "" || len(t.Data) == 0 || t.To == [20]byte{}:
		mismatch = "key, data or target"
	case w.Digest != WriteDigest(t.ChainID, t.From, t.To, t.Value, t.Data):
		mismatch = "account or call"
	}
	if mismatch != "" {
		return Grant{}, fault.New(fault.UnsafeTransaction, "the transaction's %s is not what policy looked at", mismatch).
			WithSent(fault.SentNo).With("gate", "grant")
	}
	reservation := func(kind string, amount units.Wei) Reservation {
		return Reservation{ID: store.NewID("sp_"), Asset: native, Account: "0x" + hex.EncodeToString(t.From[:]),
			Subject: w.Subject, Kind: kind, Ref: t.Key, Amount: amount}
	}
	rs := []Reservation{reservation(KindFee, t.FeeCap)}
	if !t.Value.IsZero() {
		rs = append([]Reservation{reservation(KindValue, t.Value)}, rs...)
	}
	return Grant{digest: t.Digest(), expires: expires, used: new(atomic.Bool), rs: rs, limits: d.policy.Limits(w.Scope())}, nil
}

// common is what the gates of purchases and writes look at alike.
func (w Write) common() Purchase {
	return Purchase{Asset: w.Asset, Currency: w.Currency, Decimals: w.Decimals, Price: w.Value, FeeLimit: w.FeeLimit, Now: w.Now,
		Subject: w.Subject, Spent: w.Spent, SpentErr: w.SpentErr}
}

// name is the called contract for people.
func (w Write) name() string {
	if w.TargetName == "" {
		return w.Target
	}
	return strings.TrimSpace(w.TargetName) + " at " + w.Target
}
