package chain

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Recorder is what the sender needs of telemetry.Recorder.
type Recorder interface {
	Usable() error
	Encode(telemetry.Draft) ([]byte, error)
	AppendLine(ctx context.Context, line []byte, sync bool) error
	Scope() telemetry.Scope
}

// LogReader is what the sender needs of telemetry.Log: whether a line is there.
type LogReader interface {
	Last(ctx context.Context, n int, match func(line []byte) bool) ([]telemetry.Line, telemetry.Cursor, error)
}

// SenderOptions are the parts of a Sender; DB to Now are required.
type SenderOptions struct {
	DB       *sql.DB // money.db of Home
	Home     string  // holds the account locks
	Client   *Client
	Signer   Signer
	Ledger   *policy.Ledger
	Recorder Recorder
	Log      LogReader
	Now      func() time.Time

	// Others are logs that were written to before this one: a line of an earlier process
	// may be there, and is not written a second time.
	Others []LogReader

	// Restore makes a story again from what it kept, so that a transaction of an
	// earlier process can be settled. nil, or an error: it stays open.
	Restore func(kind string, context json.RawMessage) (Story, error)
	// RecorderFor gives a recorder in another run's name, so that what is settled
	// later still belongs to the trace that sent it. nil: this run's recorder.
	RecorderFor func(telemetry.Scope) Recorder

	// Reconsider says whether the same signed bytes may be sent again by Resume: an
	// error, if what they are for expired, policy does not allow it any more, or
	// spending is halted. nil: nothing is sent again. A cancellation is not asked
	// about: it spends no more than what was reserved when a person agreed.
	Reconsider func(ctx context.Context, story Story, tx policy.Tx) error

	// Reprice says whether a transaction may take the place of the one that the story
	// is of, the same but for its higher fee, now that a person agreed to it: all that
	// policy says, as of a new one. It is asked before the grant and again before the
	// signature. nil: nothing is repriced.
	Reprice func(ctx context.Context, story Story, tx policy.Tx) error

	// Gate is asked under the account's lock right before the signature, and again
	// right before the broadcast: whether somebody halted spending or narrowed the
	// policy since it granted. An error ends the submission, with nothing sent.
	// nil: not asked.
	Gate func(ctx context.Context) error

	Wait     time.Duration // for a receipt; 0: two minutes
	LockWait time.Duration // for the account's lock; 0: fifteen minutes
	// Warn, if set, is told what a person may want to know while it waits.
	Warn func(format string, args ...any)
	// Step, if set, is told where Submit stands: for tests that stop it there.
	Step func(name string)
}

const (
	defaultWait     = 2 * time.Minute
	defaultLockWait = 15 * time.Minute
	// sayAfter is when a wait for the lock is said.
	sayAfter = 3 * time.Second
	// unclearWait is how long a receipt is looked for when the answer to the
	// broadcast was lost.
	unclearWait = 10 * time.Second
	// recordGrace is what writing the outcome gets after the command was cancelled.
	recordGrace = 5 * time.Second
	// sendGrace is what a broadcast under way gets after the command was cancelled.
	sendGrace = 3 * time.Second
	// behindWait is how long a node that lags behind our own last transaction is
	// given to catch up.
	behindWait = 3 * time.Second
	// mostRefused is how many refused transactions a run looks for at most: each
	// costs one call.
	mostRefused = 32
	// First and longest pause between two looks for a receipt.
	pollFirst, pollMost = 25 * time.Millisecond, time.Second
)

// Sender signs and sends the transactions of one account on one chain. It is the
// only path to the signer, and accepts only what a policy.Grant binds. Any
// number of Senders, in any process, may exist for an account: its lock, a file
// in the home, lets one act at a time.
type Sender struct {
	o       SenderOptions
	client  *Client
	signer  Signer
	journal journal

	turn  sync.Mutex
	turns map[int64]bool // guarded by turn: chains whose lock Turn holds
}

// NewSender checks the options and returns a Sender. It reads and sends nothing.
func NewSender(o SenderOptions) (*Sender, error) {
	if o.DB == nil || o.Home == "" || o.Client == nil || o.Signer == nil || o.Ledger == nil || o.Recorder == nil || o.Log == nil || o.Now == nil {
		return nil, errors.New("chain: a sender lacks one of its parts")
	}
	if o.Wait <= 0 {
		o.Wait = defaultWait
	}
	if o.LockWait <= 0 {
		o.LockWait = defaultLockWait
	}
	return &Sender{o: o, client: o.Client, signer: o.Signer, journal: journal{o.DB, o.Now}}, nil
}

// Address is the account that sends.
func (s *Sender) Address() common.Address { return s.signer.Address() }

// OpenTx is a transaction whose fate is not known yet.
type OpenTx struct {
	ID      string         `json:"id"`
	Key     string         `json:"key"`
	ChainID int64          `json:"chainId"`
	Account common.Address `json:"account"`
	State   string         `json:"state"`
	Hash    string         `json:"txHash,omitempty"` // "" when nothing was signed
	Nonce   uint64         `json:"nonce"`
	Value   units.Wei      `json:"valueWei"`
	Age     time.Duration  `json:"-"`
	Created time.Time      `json:"createdAt"`
	Reason  string         `json:"reason,omitempty"` // of the state, in words

	// Replacements are the other transactions with its nonce, of which the chain
	// takes one.
	Replacements []ReplacementTx `json:"replacements,omitempty"`
	// Passed: the chain is seen to have used the nonce, and none of the hashes is
	// known to the node.
	Passed bool `json:"passed,omitempty"`
}

// ReplacementTx is a transaction that a person sent in the place of another.
type ReplacementTx struct {
	Kind  string `json:"kind"` // cancel or reprice
	Hash  string `json:"txHash"`
	State string `json:"state"`
}

// OpenTxs lists the unresolved transactions of a home, of all chains and
// accounts, from its money.db. One that a node refused is not among them: it
// stops nothing. It needs no key, node or lock.
func OpenTxs(ctx context.Context, db *sql.DB, now func() time.Time) ([]OpenTx, error) {
	rs, err := journal{db, now}.open(ctx, 0, common.Address{})
	out := make([]OpenTx, 0, len(rs))
	for _, r := range rs {
		out = append(out, r.open(now()))
	}
	return out, err
}

// FindTx returns the transaction that used an idempotency key, whatever became of
// it, from a home's money.db; ok is false when none did, also when a node refused
// it, since the key may then be used again. It needs no key, node or lock, so a
// transaction that is just being made may be missing.
func FindTx(ctx context.Context, db *sql.DB, now func() time.Time, key string) (tx OpenTx, ok bool, err error) {
	j := journal{db, now}
	r, ok, err := j.live(ctx, key)
	if err == nil && !ok {
		r, ok, err = j.cancelled(ctx, key)
	}
	if err != nil || !ok {
		return OpenTx{}, false, err
	}
	return r.open(now()), true, nil
}

// ConfirmedTxs returns the newest transactions of a chain that were confirmed since a
// time and whose keys begin with prefix, most of them at the most, oldest first, from a
// home's money.db. It needs no key, node or lock.
func ConfirmedTxs(ctx context.Context, db *sql.DB, now func() time.Time, chainID int64, prefix string, since time.Time, most int) ([]OpenTx, error) {
	rs, err := journal{db, now}.confirmed(ctx, chainID, prefix, since, most)
	out := make([]OpenTx, 0, len(rs))
	for _, r := range slices.Backward(rs) {
		out = append(out, r.open(now()))
	}
	return out, err
}

func (r record) open(now time.Time) OpenTx {
	o := OpenTx{ID: r.id, Key: r.key, ChainID: r.info.ChainID, Account: r.info.From, State: r.state,
		Nonce: r.info.Nonce, Value: r.info.Value, Age: max(0, now.Sub(r.created)), Created: r.created.UTC(), Reason: r.reason, Passed: !r.passed.IsZero()}
	if r.hashed {
		o.Hash = r.wonForm().info.Hash.Hex()
	}
	for _, f := range r.forms() {
		if f.n > 0 {
			o.Replacements = append(o.Replacements, ReplacementTx{f.kind, f.info.Hash.Hex(), f.state})
		}
	}
	return o
}

// lock takes the account's lock, unless Turn has. Waiting for it is no failure: it
// ends with ctx, or after LockWait, and says after a while for whom it waits.
func (s *Sender) lock(ctx context.Context, chainID int64) (unlock func(), err error) {
	s.turn.Lock()
	mine := s.turns[chainID]
	s.turn.Unlock()
	if mine {
		return func() {}, nil
	}
	path := filepath.Join(s.o.Home, "locks", fmt.Sprintf("%d-%s.lock", chainID, lower(s.Address())))
	wait, cancel := context.WithTimeout(ctx, s.o.LockWait)
	defer cancel()
	patience := time.AfterFunc(sayAfter, func() {
		if holder := printable(store.Holder(path)); holder != "" && wait.Err() == nil && s.o.Warn != nil {
			s.o.Warn("waiting for another run that sends from %s on chain %d: %s", s.Address().Hex(), chainID, holder)
		}
	})
	defer patience.Stop()
	l, err := store.WaitLock(wait, path)
	if err != nil {
		if fault.CodeOf(err) == fault.Conflict {
			return nil, fault.Wrap(err, fault.Conflict, "another run is sending from %s on chain %d", s.Address().Hex(), chainID).
				Hintf("wait for it to end, then try again").WithSent(fault.SentNo)
		}
		return nil, err
	}
	// For those that wait; that it can't be written stops nobody.
	_ = l.Note(fmt.Sprintf("%s, pid %d, since %s", s.o.Recorder.Scope().Command, os.Getpid(), s.o.Now().UTC().Format("15:04:05 UTC")))
	// The lock is the open file: if closing it fails, the end of the process frees it.
	return func() { _ = l.Unlock() }, nil
}

// Turn takes the account's lock for several calls: what is decided, granted and
// submitted until release is called is not made stale by waiting for others in
// between. Other goroutines must not use the Sender meanwhile.
func (s *Sender) Turn(ctx context.Context, chainID int64) (release func(), err error) {
	unlock, err := s.lock(ctx, chainID)
	if err != nil {
		return nil, err
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.turns[chainID] {
		return unlock, nil // within another
	}
	if s.turns == nil {
		s.turns = map[int64]bool{}
	}
	s.turns[chainID] = true
	return func() {
		s.turn.Lock()
		delete(s.turns, chainID)
		s.turn.Unlock()
		unlock()
	}, nil
}

func (s *Sender) step(name string) {
	store.CrashPoint("chain: " + name)
	if s.o.Step != nil {
		s.o.Step(name)
	}
}

// writeContext is for what must be recorded whether or not ctx was cancelled.
func writeContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), recordGrace)
}

// lingering returns a context that ends d after ctx does.
func lingering(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-out.Done():
		}
	})
	return out, func() { stop(); cancel() }
}

// pause waits between two polls, longer each time; false when ctx ended.
func pause(ctx context.Context, d *time.Duration) bool {
	timer := time.NewTimer(*d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		*d = min(*d*8/5, pollMost)
		return true
	}
}

// recorderOf is the recorder in whose name a row's events are.
func (s *Sender) recorderOf(r record) Recorder {
	if s.o.RecorderFor == nil {
		return s.o.Recorder
	}
	return s.o.RecorderFor(r.context.Scope.scope())
}
