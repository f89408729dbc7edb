package chain

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Outcome is what became of a submitted transaction. Tx.Hash is set once it was
// signed, Receipt and Fee once it was mined.
type Outcome struct {
	Tx      TxInfo
	Receipt Receipt
	Fee     units.Wei // what gas really cost
}

// Submit sends a prepared transaction that grant allows and waits for its
// receipt. It returns nil only for a successful receipt that passed the story's
// own check. Otherwise the error says whether something left: fault.TxReverted
// (it was mined and failed), fault.TxUnknown (it is, or may be, on its way). With
// anything else nothing was sent, unless the error says sent "maybe": a node was
// given the bytes and said that it refused them, which is its word only.
//
// The order is what keeps money safe: the reservation and the intent are one
// SQLite transaction; the signed bytes are on disk before they are sent; the
// event line of each step is in the journal before it is in the log. A node can
// make each call last, so the gate and the grant's time are asked again right
// before the signature and right before the broadcast.
func (s *Sender) Submit(ctx context.Context, p Prepared, grant policy.Grant) (Outcome, error) {
	if err := s.o.Recorder.Usable(); err != nil {
		return Outcome{}, err
	}
	unlock, err := s.lock(ctx, p.Intent.ChainID)
	if err != nil {
		return Outcome{}, err
	}
	defer unlock()
	s.step("locked")
	nonce, err := s.ready(ctx, p)
	if err != nil {
		return Outcome{}, err
	}
	r, err := s.reserve(ctx, p, nonce, grant)
	if err != nil {
		return Outcome{}, err
	}
	s.step("intended")
	raw, err := s.sign(ctx, p, grant, &r)
	if err == nil {
		s.step("persisted")
		// The last moment at which stopping means that nothing was sent.
		err = s.allowed(ctx, grant)
	}
	if err != nil {
		return Outcome{}, errors.Join(err, s.abandon(ctx, r, "never sent"))
	}
	return s.send(ctx, p.Intent.Story, r, raw)
}

// stopped returns the error for a command that was ended before the broadcast.
func stopped(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fault.Wrap(ctx.Err(), fault.Canceled, "stopped before the transaction was sent").WithSent(fault.SentNo)
}

// allowed asks again, at the last moment, what may have changed since policy
// decided: the command was ended, the grant's time is over, or the gate closed.
func (s *Sender) allowed(ctx context.Context, grant policy.Grant) error {
	if err := stopped(ctx); err != nil {
		return err
	}
	if err := grant.Alive(s.o.Now()); err != nil || s.o.Gate == nil {
		return err
	}
	err := s.o.Gate(ctx)
	if err == nil || fault.From(err).Sent == fault.SentNo {
		return err
	}
	f := *fault.From(err)
	f.Err = err
	return f.WithSent(fault.SentNo)
}

// ready settles what earlier runs left, refuses while something is unresolved or
// the key was used, and picks the nonce. The caller holds the account's lock.
func (s *Sender) ready(ctx context.Context, p Prepared) (uint64, error) {
	if p.From != s.Address() {
		return 0, fault.New(fault.UnsafeTransaction, "prepared for %s and signed by %s", p.From.Hex(), s.Address().Hex()).WithSent(fault.SentNo)
	}
	if err := s.recover(ctx, p.Intent.ChainID, false); err != nil {
		return 0, err
	}
	used, ok, err := s.journal.live(ctx, p.Intent.Key)
	if err != nil {
		return 0, err
	}
	if ok {
		return 0, keyUsed(used)
	}
	if err := s.nothingOpen(ctx, p.Intent.ChainID); err != nil {
		return 0, err
	}
	nonce, behind := s.nonce(ctx, p.Intent.ChainID)
	if behind == nil || !errors.Is(behind, errBehind) {
		return nonce, behind
	}
	// Perhaps it is not the node that is wrong: what an earlier one said was mined
	// may be gone, or never have been.
	if err := s.recheckRows(ctx, p.Intent.ChainID, 0); err != nil {
		return 0, err
	}
	return 0, errors.Join(s.nothingOpen(ctx, p.Intent.ChainID), behind)
}

func (s *Sender) nothingOpen(ctx context.Context, chainID int64) error {
	open, err := s.journal.open(ctx, chainID, s.Address())
	if err == nil && len(open) > 0 {
		err = unresolved(open[0], s.o.Now())
	}
	return err
}

func keyUsed(r record) error {
	hash := r.wonForm().info.Hash.Hex()
	e := fault.New(fault.QuoteUsed, "%s was used already: its transaction %s is %s", r.key, hash, r.state).
		WithSent(fault.SentNo).With("txHash", hash).With("state", r.state)
	if r.state == StateConfirmed || r.state == StateReverted || r.state == StateReplaced {
		return e.Hintf("make a new quote: ape-claw nft quote")
	}
	return e.Hintf("find out what became of it: ape-claw nft resume")
}

func unresolved(r record, now time.Time) error {
	age := max(0, now.Sub(r.created)).Round(time.Second)
	return fault.New(fault.Conflict, "transaction %s of %s has been unresolved for %s", r.info.Hash.Hex(), r.info.From.Hex(), age).
		Hintf("wait until it is mined, or settle it: ape-claw nft resume (a person may free its nonce: ape-claw nft resume --cancel)").WithSent(fault.SentNo).
		With("txHash", r.info.Hash.Hex()).With("nonce", r.info.Nonce).With("ageSeconds", int64(age/time.Second)).With("key", r.key)
}

// errBehind marks a node that counts fewer of our transactions than were mined.
var errBehind = errors.New("behind")

// nonce returns the account's next nonce: the node's count, with what others
// queued there. A node that does not know of our own last transaction yet lags,
// and its count would be handed out twice.
func (s *Sender) nonce(ctx context.Context, chainID int64) (uint64, error) {
	last, hash, ok, err := s.journal.lastNonce(ctx, chainID, s.Address())
	if err != nil {
		return 0, err
	}
	limit, cancel := context.WithTimeout(ctx, behindWait)
	defer cancel()
	for wait := pollFirst; ; {
		mined, err := s.client.NonceAt(ctx, s.Address())
		if err != nil {
			return 0, err
		}
		pending, err := s.client.PendingNonceAt(ctx, s.Address())
		if err != nil {
			return 0, err
		}
		if n := max(mined, pending); !ok || n > last {
			return n, nil
		}
		if !pause(limit, &wait) {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			return 0, fault.Wrap(errBehind, fault.Upstream, "the RPC at %s counts %d transactions of %s, but %s with nonce %d was mined", s.client, mined, s.Address().Hex(), hash, last).
				Hintf("the node is behind or the chain was reset: try again, or use another RPC URL").WithSent(fault.SentNo)
		}
	}
}

// reserve uses the grant: reservation and intent in one SQLite transaction.
func (s *Sender) reserve(ctx context.Context, p Prepared, nonce uint64, grant policy.Grant) (record, error) {
	keep, err := p.Intent.Story.Context()
	if err != nil {
		return record{}, err
	}
	r := record{
		id: store.NewID("tx_"), key: p.Intent.Key, data: p.Intent.Data, state: StateIntended, created: s.o.Now(),
		context: journalContext{Kind: p.Intent.Story.Kind(), Story: keep, Scope: scopeOf(s.o.Recorder.Scope())},
		info: TxInfo{ChainID: p.Intent.ChainID, Nonce: nonce, From: p.From, To: p.Intent.To, Value: p.Intent.Value,
			GasLimit: p.Fees.GasLimit, MaxFee: p.Fees.MaxFee, MaxTip: p.Fees.MaxTip},
	}
	// The cap that policy saw is computed again from what will be signed.
	if r.info.FeeCap, err = r.info.MaxFee.Mul(r.info.GasLimit); err != nil {
		return record{}, err
	}
	bound := p.PolicyTx()
	bound.FeeCap = r.info.FeeCap
	err = s.journal.atomically(ctx, func(tx *sql.Tx) error {
		reservations, err := s.o.Ledger.Redeem(ctx, tx, grant, bound)
		if err != nil {
			return err
		}
		for _, res := range reservations {
			r.spend = append(r.spend, spendRef{res.ID, res.Kind, res.Amount})
		}
		return s.journal.intend(ctx, tx, r, bound.Digest())
	})
	return r, err
}

// sign checks the chain and the leave to send once more, signs, checks what was
// signed, and stores it.
func (s *Sender) sign(ctx context.Context, p Prepared, grant policy.Grant, r *record) ([]byte, error) {
	signed, raw, err := s.signTx(ctx, r.info, r.data, func() error { return s.allowed(ctx, grant) })
	if err != nil {
		return nil, err
	}
	r.info.Hash, r.hashed, r.state = signed.Hash(), true, StateSigned
	line, err := s.o.Recorder.Encode(p.Intent.Story.Submitted(r.info))
	if err != nil {
		return nil, err
	}
	s.step("signed")
	write, cancel := writeContext(ctx)
	defer cancel()
	return raw, s.journal.signed(write, *r, raw, line)
}

// send broadcasts and waits. From here on nothing is "not sent" unless no
// connection to a node was made.
func (s *Sender) send(ctx context.Context, story Story, r record, raw []byte) (Outcome, error) {
	a, cause := s.broadcast(ctx, r.info, raw)
	s.step("broadcast")
	switch a {
	case neverLeft:
		return Outcome{}, errors.Join(cause, s.abandon(ctx, r, fault.From(cause).Message))
	case refusedIt:
		return Outcome{}, s.refuse(ctx, r, cause)
	}
	f := flow{Sender: s, story: story, r: r, by: form{info: r.info, data: r.data}, rec: s.o.Recorder}
	out := Outcome{Tx: r.info}
	limit, sent := s.o.Wait, fault.SentYes
	if a == unclear {
		limit, sent = min(unclearWait, s.o.Wait), fault.SentMaybe
	}
	// A record that can't be written now does not stop the waiting: the journal
	// has the signed bytes, and the settlement below may still succeed.
	trouble := f.noteSent(ctx, a == took)
	s.step("sent")
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	receipt, err := s.await(wait, r.info)
	if err != nil {
		return out, f.unknown(ctx, sent, whyUnknown(ctx, cause, err))
	}
	s.step("mined")
	out.Receipt = receipt
	return f.finish(ctx, out, trouble)
}

// whyUnknown says why there is no receipt: unclear is why nobody knows whether
// the node took it, last how the last look for the receipt ended.
func whyUnknown(ctx context.Context, unclear, last error) string {
	switch {
	case ctx.Err() != nil:
		return "interrupted while waiting for the receipt"
	case errors.Is(last, errImplausible):
		return fault.From(last).Message
	case unclear != nil:
		return "the answer to the broadcast was lost: " + fault.From(unclear).Message
	}
	return "no receipt in time"
}
