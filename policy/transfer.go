package policy

import (
	"encoding/hex"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Transfer is funds that would go from one chain to another, as the gates look at
// it. It is decided on again before each of its transactions. What is left zero
// refuses, but for Floor, Confirm, Autonomous and Subject.
type Transfer struct {
	From, To         int64  // chain ids
	FromName, ToName string // what this program calls them; part of the phrase

	Account   string // who pays, lower case
	Recipient string // who receives on the other chain, lower case
	RefundTo  string // who gets it back if it fails, lower case

	Asset    Asset  // what leaves, of the chain From
	Currency string // its symbol
	Decimals int
	Amount   units.Wei
	FeeLimit units.Wei // the most that gas of all that is still to be sent may cost

	FeeBPS *units.BPS // what the bridge keeps, rounded up; nil: unknown

	Receives         string // symbol of what arrives
	ReceivesDecimals int
	MinOut           units.Wei // the least that arrives, as the route promises
	Floor            units.Wei // the least that was quoted or asked for

	Depository string // the contract that takes the deposit, lower case
	Pinned     bool   // it is the one that was noted for the chain

	Now, QuoteExpires time.Time // local time
	Simulation        Simulation

	Steps []TransferStep // what is still to be sent, in order; the first is next

	Autonomous bool   // --autonomous
	Confirm    string // --confirm

	Subject  string // whose spend it is
	Spent    []Use  // what each of Policy.Limits(Scope()) has used; nil: unknown
	SpentErr error  // why it is unknown
}

// TransferStep is one transaction of a transfer: an exact approval, or the deposit.
type TransferStep struct {
	Target  string // what it calls, lower case
	Value   units.Wei
	Deposit bool     // it pays, and is the last
	Digest  [32]byte // WriteDigest of exactly the transaction
}

// Scope is what of the ledger the transfer adds to.
func (w Transfer) Scope() Scope { return Scope{Asset: w.Asset, Subject: w.Subject} }

// Phrase is what a person types to confirm the transfer:
// BRIDGE <amount> <token> <from>-><to>.
func (w Transfer) Phrase() string {
	return fmt.Sprintf("BRIDGE %s %s %s->%s", w.Amount.Decimal(w.Decimals), w.Currency, w.FromName, w.ToName)
}

// common is what the gates of purchases and transfers look at alike.
func (w Transfer) common() Purchase {
	return Purchase{Asset: w.Asset, Currency: w.Currency, Decimals: w.Decimals, Price: w.Amount, FeeLimit: w.FeeLimit, Now: w.Now,
		Subject: w.Subject, Spent: w.Spent, SpentErr: w.SpentErr}
}

// pays is what a step sends along: the amount, where the deposit is of the chain's
// own currency.
func (w Transfer) pays(s TransferStep) units.Wei {
	if s.Deposit && w.Asset.Token == Native {
		return w.Amount
	}
	return units.Wei{}
}

// grantTransfer is Authorize for the next transaction of a transfer that every
// gate of an execution let through.
func (d Decision) grantTransfer(w Transfer, t Tx, expires time.Time) (Grant, error) {
	native := NativeOf(t.ChainID)
	var step TransferStep
	if len(w.Steps) > 0 {
		step = w.Steps[0]
	}
	from := "0x" + hex.EncodeToString(t.From[:])
	mismatch := ""
	switch {
	case t.ChainID != w.From || w.Asset.ChainID != t.ChainID || !w.Asset.valid():
		mismatch = "chain or currency"
	case from != w.Account:
		mismatch = "account"
	case t.Value != step.Value || t.Value != w.pays(step):
		mismatch = "value"
	case t.FeeCap.Cmp(w.FeeLimit) > 0:
		mismatch = "fee limit"
	case step.Target != "0x"+hex.EncodeToString(t.To[:]):
		mismatch = "called contract"
	case t.Key == "" || len(t.Data) == 0 || t.To == [20]byte{}:
		mismatch = "key, data or target"
	case step.Digest != WriteDigest(t.ChainID, t.From, t.To, t.Value, t.Data):
		mismatch = "call"
	}
	if mismatch != "" {
		return Grant{}, fault.New(fault.UnsafeTransaction, "the transaction's %s is not what policy looked at", mismatch).
			WithSent(fault.SentNo).With("gate", "grant")
	}
	reservation := func(kind string, asset Asset, amount units.Wei) Reservation {
		return Reservation{ID: store.NewID("sp_"), Asset: asset, Account: from, Subject: w.Subject, Kind: kind, Ref: t.Key, Amount: amount}
	}
	rs := []Reservation{reservation(KindFee, native, t.FeeCap)}
	if step.Deposit {
		rs = append([]Reservation{reservation(KindPrice, w.Asset, w.Amount)}, rs...)
	}
	return Grant{digest: t.Digest(), expires: expires, used: new(atomic.Bool), rs: rs, limits: d.policy.Limits(w.Scope())}, nil
}

// dailyCaps are the caps of what leaves a chain in 24 hours, and the key that sets
// them; ok is false for an asset without one.
func (p *Policy) dailyCaps(a Asset) (c SpendCap, key string, ok bool) {
	switch {
	case a.ChainID != p.ChainID:
		c, ok = p.Execution.SpendCaps[a]
		return c, spendKey(a), ok
	case a.Token == Native:
		return SpendCap{p.Execution.DailySpendCap, p.Execution.AgentCap, units.APEDecimals}, dailyKey, true
	}
	own, ok := p.Execution.CurrencyCaps[a.Token]
	return SpendCap{own.Daily, own.AgentDaily, own.Decimals}, currencyKey(own.name(a.Token), "dailySpendCap"), ok
}
