package chain

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// ResumeMode says what Resume does beside looking.
type ResumeMode string

// The modes of Resume.
const (
	ResumeWatch   ResumeMode = "watch"   // settles, and sends the same bytes again where that is allowed
	ResumeCancel  ResumeMode = "cancel"  // sends a self-transfer of nothing with the same nonce
	ResumeReprice ResumeMode = "reprice" // sends the same with a higher fee
)

// ResumeIn is the input of Resume. To cancel or reprice, it holds what a person
// agreed to and policy allowed.
type ResumeIn struct {
	ChainID     int64
	Mode        ResumeMode // "": ResumeWatch
	Tx          string     // id or hash; "": all that are open
	Await       bool       // to watch, wait for what the node has too, as Submit would
	Replacement Replacement
	Grant       policy.Grant
}

// ResumeOut is what became of the account's transactions.
type ResumeOut struct {
	Settled []OpenTx // whose state changed, and is final
	Open    []OpenTx
	Kept    []error // why what is open was not sent again
}

// Resume settles what earlier runs left, by hash and nonce, as Submit does first,
// and asks for every recent receipt anew. Then, to watch, it hands the signed
// bytes of what no node knows to the node again, if SenderOptions.Reconsider
// agrees; else it sends the replacement. What it sent it waits for.
func (s *Sender) Resume(ctx context.Context, in ResumeIn) (ResumeOut, error) {
	if err := s.o.Recorder.Usable(); err != nil {
		return ResumeOut{}, err
	}
	unlock, err := s.lock(ctx, in.ChainID)
	if err != nil {
		return ResumeOut{}, err
	}
	defer unlock()
	s.step("locked")
	if in.Tx != "" {
		named, err := s.named(ctx, in.ChainID, in.Tx)
		if err != nil {
			return ResumeOut{}, err
		}
		in.Tx = named.id
	}
	before, err := s.journal.states(ctx, in.ChainID, s.Address())
	if err != nil {
		return ResumeOut{}, err
	}
	out := ResumeOut{Settled: []OpenTx{}, Open: []OpenTx{}}
	err = s.recover(ctx, in.ChainID, true)
	if err == nil {
		switch in.Mode {
		case ResumeWatch, "":
			out.Kept, err = s.sendAgain(ctx, in)
		case ResumeCancel, ResumeReprice:
			if in.Mode == ResumeCancel && in.Replacement.Gap > 0 {
				err = s.setAside(ctx, in.Replacement, in.Grant)
			} else if err = s.replace(ctx, in.Replacement, in.Grant); err == nil {
				err = s.follow(ctx, in.ChainID, in.Replacement.ID, s.o.Wait)
			}
		default:
			err = fault.New(fault.Usage, "resume mode %q", in.Mode).WithSent(fault.SentNo)
		}
	}
	write, cancel := writeContext(ctx)
	defer cancel()
	err = errors.Join(err, s.complete(write, in.ChainID))
	after, stateErr := s.journal.states(write, in.ChainID, s.Address())
	if stateErr != nil {
		return out, errors.Join(err, stateErr)
	}
	if in.Tx != "" { // also when it was settled before: what became of it was asked
		if _, recent := after.find(in.Tx); !recent {
			r, err := s.named(write, in.ChainID, in.Tx)
			if err != nil {
				return out, err
			}
			after = append(records{r}, after...)
		}
	}
	for _, r := range after {
		switch old, known := before.find(r.id); {
		case isOpen(r.state):
			out.Open = append(out.Open, r.open(s.o.Now()))
		case !known || old.state != r.state || old.round != r.round || r.id == in.Tx:
			out.Settled = append(out.Settled, r.open(s.o.Now()))
		}
	}
	return out, err
}

// records are rows of the journal.
type records []record

func (rs records) find(id string) (record, bool) {
	for _, r := range rs {
		if r.id == id {
			return r, true
		}
	}
	return record{}, false
}

func isOpen(state string) bool {
	return state == StateIntended || state == StateSigned || state == StateSent || state == StateUnknown
}

// states returns the rows whose state may change: those that are open, and the
// others of the last day.
func (j journal) states(ctx context.Context, chainID int64, account [20]byte) (records, error) {
	return j.query(ctx, `SELECT `+recordColumns+` FROM tx WHERE chain_id = ? AND account = ? AND (state IN `+openStates+` OR updated_at > ?)
		ORDER BY created_at, rowid`, chainID, lower(account), j.now().Add(-policy.Window).UnixMilli())
}

// sendAgain hands signed bytes to the node once more where that is allowed, and
// waits a little for what was sent.
func (s *Sender) sendAgain(ctx context.Context, in ResumeIn) (kept []error, err error) {
	rs, err := s.journal.open(ctx, in.ChainID, s.Address())
	if err != nil {
		return nil, err
	}
	for _, r := range rs {
		if !r.hashed || in.Tx != "" && r.id != in.Tx {
			continue
		}
		sent, why, err := s.again(ctx, r)
		if err != nil {
			return kept, err
		}
		if why != nil {
			kept = append(kept, fmt.Errorf("%s (nonce %d): %w", r.info.Hash.Hex(), r.info.Nonce, why))
		}
		limit := min(unclearWait, s.o.Wait)
		if in.Await {
			limit = s.o.Wait
		}
		if sent || in.Await && why == nil {
			if err := s.follow(ctx, in.ChainID, r.id, limit); err != nil {
				return kept, err
			}
		}
	}
	return kept, nil
}

// again sends the newest form of a transaction once more: the bytes that are on
// disk, and no others. A form whose time is over is never sent: an older one is
// not sent in its place, since a person wanted the newer. why says what spoke
// against it.
func (s *Sender) again(ctx context.Context, r record) (sent bool, why, err error) {
	forms := r.forms()
	f := forms[len(forms)-1]
	used, err := s.client.NonceAt(ctx, s.Address())
	if err != nil {
		return false, nil, err
	}
	if used > r.info.Nonce {
		return false, errors.New("the chain has used its nonce"), nil
	}
	for _, o := range forms {
		known, err := s.client.Known(ctx, o.info.Hash)
		if err != nil {
			return false, nil, err
		}
		if known && o.n == f.n { // nothing to send, nor to wait for
			return false, nil, s.noteForm(ctx, r, f, StateSent)
		}
	}
	raw, err := s.journal.rawOf(ctx, r.id, f.n)
	if err != nil {
		return false, nil, err
	}
	if len(raw) == 0 {
		return false, errors.New("its signed bytes were dropped"), nil
	}
	if err := s.mayAgain(ctx, r, f); err != nil {
		return false, err, nil
	}
	if _, err := s.checkChain(ctx, r.info.ChainID); err != nil {
		return false, nil, err
	}
	s.step("sending again")
	switch a, cause := s.broadcast(ctx, f.info, raw); a {
	case took:
		return true, nil, s.noteForm(ctx, r, f, StateSent)
	case unclear:
		return true, cause, s.noteForm(ctx, r, f, StateUnknown)
	default:
		// What a node says that it refused, another may have taken before.
		return false, cause, nil
	}
}

// mayAgain asks whether a form may be sent again.
func (s *Sender) mayAgain(ctx context.Context, r record, f form) error {
	if err := stopped(ctx); err != nil || f.kind == kindCancel {
		return err
	}
	if s.o.Reconsider == nil {
		return errors.New("nothing says that it may be sent again")
	}
	return s.decided(ctx, r, f, s.o.Reconsider)
}

// decided asks the gate and then decide about a form of r.
func (s *Sender) decided(ctx context.Context, r record, f form, decide func(context.Context, Story, policy.Tx) error) error {
	story, err := s.restore(r)
	if err != nil {
		return err
	}
	if s.o.Gate != nil {
		if err := s.o.Gate(ctx); err != nil {
			return err
		}
	}
	return decide(ctx, story, policy.Tx{ChainID: f.info.ChainID, From: f.info.From, To: f.info.To, Value: f.info.Value,
		Data: f.data, FeeCap: f.info.FeeCap, Key: r.key})
}

// noteForm records that a form was handed to a node.
func (s *Sender) noteForm(ctx context.Context, r record, f form, state string) error {
	if f.state == state {
		return nil
	}
	write, cancel := writeContext(ctx)
	defer cancel()
	err := s.journal.atomically(write, func(tx *sql.Tx) error { return s.journal.setForm(write, tx, r.id, f.n, state, "") })
	s.step("sent again")
	return err
}

// follow waits until one of a transaction's forms is mined and settles it. That
// nothing was mined in time is no error: the transaction stays open.
func (s *Sender) follow(ctx context.Context, chainID int64, id string, limit time.Duration) error {
	write, cancelWrite := writeContext(ctx)
	defer cancelWrite()
	if err := s.complete(write, chainID); err != nil { // what was sent is told before it is waited for
		return err
	}
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for pauseFor := pollFirst; ; {
		rs, err := s.journal.open(ctx, chainID, s.Address())
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		r, open := records(rs).find(id)
		if !open {
			return nil
		}
		// A node that fails for a while says nothing about the transaction.
		if err := s.resolve(wait, r); err != nil && fault.CodeOf(err) != fault.Upstream && wait.Err() == nil {
			return err
		}
		if !pause(wait, &pauseFor) {
			return nil
		}
	}
}
