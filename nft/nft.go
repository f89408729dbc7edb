// Package nft buys NFTs in four steps: quote, simulate, buy, and a look at what
// was quoted. It decides what is true of a purchase; policy decides whether it
// may happen, and chain signs and sends it. What a marketplace or a node answers
// is held against the saved quote before anything is signed.
package nft

import (
	"context"
	"database/sql"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// QuoteTTL is how long a quote lives, by local time.
	QuoteTTL = 10 * time.Minute
	// OrderMargin is how long before its end an order counts as over: signing,
	// sending and a clock that is behind take time.
	OrderMargin = time.Minute
	// SimulationTTL is how long a passed simulation opens the gate. It is no
	// promise: a purchase simulates again the bytes that it signs.
	SimulationTTL = 5 * time.Minute
	// feeMargin is how many times the simulated fee limit a purchase may need. The
	// simulation's is twice the base fee already; whoever confirmed it did so with
	// that number in mind.
	feeMargin = 4
	// grantTTL bounds the time between policy's word and the signature, which
	// may wait for another run of the same account.
	grantTTL = 2 * time.Minute
	// recordGrace is what writing the outcome gets after the run was cancelled.
	recordGrace = 5 * time.Second
)

// Market is what this package asks of a marketplace (market.Source).
type Market interface {
	Name() string
	BestListing(ctx context.Context, slug, contract, tokenID string) (market.Listing, error)
	Listings(ctx context.Context, q market.ListQuery) (market.Page, error)
	Fulfillment(ctx context.Context, r market.FulfillRequest) (market.Fulfillment, error)
}

// Chain is what this package reads of a chain (*chain.Client).
type Chain interface {
	ChainID(ctx context.Context) (int64, error)
	Head(ctx context.Context) (chain.Header, error)
	Balance(ctx context.Context, of common.Address) (units.Wei, error)
	Call(ctx context.Context, msg chain.CallMsg, block *big.Int, o chain.Overrides) ([]byte, error)
	Fees(ctx context.Context, msg chain.CallMsg, o chain.Overrides) (chain.Fees, error)
}

// Sender signs and sends what policy granted (*chain.Sender).
type Sender interface {
	Address() common.Address
	Prepare(ctx context.Context, in chain.Intent) (chain.Prepared, error)
	Submit(ctx context.Context, p chain.Prepared, grant policy.Grant) (chain.Outcome, error)
}

// Ledger tells what was spent (*policy.Ledger).
type Ledger interface {
	Usages(ctx context.Context, q policy.Queryer, scopes ...policy.Scope) ([]policy.Usage, error)
	Held(ctx context.Context, q policy.Queryer, ref string, s policy.Scope) (units.Wei, error)
}

// Recorder takes events.
type Recorder interface {
	Record(ctx context.Context, d telemetry.Draft) error
}

// Deps are what the operations work with. The functions are called when they are
// needed and not before: a quote needs no key, a dry run no network.
type Deps struct {
	Now      func() time.Time
	Recorder Recorder
	Fence    func(ctx context.Context) (policy.Fence, error) // reads the files anew at each call
	State    func(ctx context.Context) (*sql.DB, error)      // ape-claw.db
	Market   func(ctx context.Context) (Market, error)
	Chain    func(ctx context.Context) (Chain, error)
	Buyer    func(ctx context.Context) (common.Address, error) // of the key; fault.Auth when there is none
	Sender   func(ctx context.Context) (Sender, error)
	Ledger   func(ctx context.Context) (Ledger, error)
	Journal  func(ctx context.Context, key string) (tx chain.OpenTx, ok bool, err error) // chain.FindTx in this home; nil: unknown
	// Ask shows a person at the terminal a purchase and returns the line that was
	// typed; io.EOF when there was none. nil: there is nobody to ask.
	Ask     func(ctx context.Context, a Action) (typed string, err error)
	AskPlan func(ctx context.Context, plan AutobuyOut) (typed string, err error) // the same for a plan
	Subject string                                                               // on whose behalf: "agent:<id>", or ""
	TraceID string                                                               // of this run; a new quote keeps it
	CLI     string                                                               // how a suggested command begins; "" is "ape-claw"
	Warn    func(format string, args ...any)                                     // for people, on the side

	Progress func(format string, args ...any) // of what takes long, for people

	// AfterConfirmed is told of each purchase right after it was confirmed; the
	// account's turn is free again. nil: nobody asks.
	AfterConfirmed func(ctx context.Context, c Confirmed)
}

// Service is the operations.
type Service struct{ d Deps }

// New returns the operations over d.
func New(d Deps) *Service {
	if d.CLI == "" {
		d.CLI = "ape-claw"
	}
	if d.Warn == nil {
		d.Warn = func(string, ...any) {}
	}
	if d.Progress == nil {
		d.Progress = func(string, ...any) {}
	}
	return &Service{d: d}
}

// now is the time as it is stored: in milliseconds, UTC.
func (s *Service) now() time.Time { return s.d.Now().UTC().Truncate(time.Millisecond) }

func (s *Service) quotes(ctx context.Context) (quoteStore, error) {
	db, err := s.d.State(ctx)
	return quoteStore{db}, err
}

// Names of the commands, as events and hints show them.
const (
	cmdQuote    = "nft quote"
	cmdSimulate = "nft simulate"
	cmdBuy      = "nft buy"
)

// next is a command to run, for a hint.
func (s *Service) next(command, quoteID string) string {
	return s.d.CLI + " " + command + " --quote " + quoteID
}

// blocked records a refusal of policy and returns it.
func (s *Service) blocked(ctx context.Context, command string, dryRun bool, err error) error {
	return policy.Blocked(ctx, s.d.Recorder, "ape-claw "+command, dryRun, err)
}

// refused is blocked for a quote.
func (s *Service) refused(ctx context.Context, command string, dryRun bool, q Quote, err error) error {
	s.name(q, err)
	return s.blocked(ctx, command, dryRun, err)
}

// name puts the quote into a refusal, and the command that comes next.
func (s *Service) name(q Quote, err error) {
	if !fault.IsGate(fault.CodeOf(err)) {
		return
	}
	f := fault.From(err)
	f.With("quoteId", q.QuoteID).With("collection", q.Collection).With("tokenId", q.TokenID)
	switch f.Code {
	case fault.SimulationRequired:
		f.Hintf("simulate it: %s", s.next(cmdSimulate, q.QuoteID))
	case fault.QuoteExpired:
		f.Hintf("quote it again: %s %s --collection %s --token-id %s --max-price %s", s.d.CLI, cmdQuote, q.Collection, q.TokenID, q.MaxPrice)
	case fault.ConfirmationMismatch:
		if asked, _ := f.Details["asked"].(bool); asked {
			f.Hintf("run it again, and type the phrase as it is shown: %s --execute", s.next(cmdBuy, q.QuoteID))
			return
		}
		f.Hintf("give --confirm the phrase that the dry run shows: %s", s.next(cmdBuy, q.QuoteID))
	}
}

// fence reads policy, allowlist and halt file. When one can't be read, the gates
// of the stage say what refuses.
func (s *Service) fence(ctx context.Context, stage policy.Stage) (policy.Fence, error) {
	f, err := s.d.Fence(ctx)
	if err != nil || f.Err == nil && f.Policy != nil && f.Allowlist != nil {
		return f, err
	}
	return f, policy.Decide(stage, policy.Fence{Halt: f.Halt, Err: f.Err}, policy.Purchase{}).Refusal()
}

// lookup loads a quote that may still be used.
func (s *Service) lookup(ctx context.Context, id string) (Quote, error) {
	db, err := s.quotes(ctx)
	if err != nil {
		return Quote{}, err
	}
	q, err := db.load(ctx, id)
	if err != nil {
		return Quote{}, err
	}
	if err := ahead(q, s.now()); err != nil {
		return q, err
	}
	if q.Status == StatusQuoted {
		return q, nil
	}
	if q, err = s.asJournaled(ctx, q); err != nil || q.Status == StatusQuoted {
		return q, err
	}
	return q, s.used(q)
}

// asJournaled returns q as the journal beside the key has it. The status in the
// quote is for people, and behind when a run was killed before it wrote it, or
// when a later run found out what became of the transaction.
func (s *Service) asJournaled(ctx context.Context, q Quote) (Quote, error) {
	if s.d.Journal == nil {
		return q, nil
	}
	tx, ok, err := s.d.Journal(ctx, q.key())
	if err != nil || !ok || tx.State == chain.StateIntended {
		return q, err // intended: nothing was signed, and the next run frees it
	}
	q.Status, q.TxHash = tx.State, tx.Hash
	if tx.State == chain.StateCancelled { // its nonce is used: it never can be mined
		q.Status, q.TxHash = StatusQuoted, ""
	} else if tx.State != chain.StateConfirmed && tx.State != chain.StateReverted {
		q.Status = StatusUnknown
	}
	return q, nil
}

// unused is lookup for what does not sign: it also asks the journal. A purchase
// leaves that to the sender, which settles first what earlier runs left.
func (s *Service) unused(ctx context.Context, id string) (Quote, error) {
	q, err := s.lookup(ctx, id)
	if err != nil {
		return q, err
	}
	if q, err = s.asJournaled(ctx, q); err == nil && q.Status != StatusQuoted {
		err = s.used(q)
	}
	return q, err
}

// used is the refusal of a quote that has a transaction.
func (s *Service) used(q Quote) error {
	e := fault.New(fault.QuoteUsed, "quote %s was used already: its transaction %s is %s", q.QuoteID, q.TxHash, q.Status).
		WithSent(fault.SentNo).With("quoteId", q.QuoteID).With("txHash", q.TxHash).With("state", q.Status)
	if q.Status == StatusUnknown {
		return e.Hintf("find out what became of it: %s nft resume", s.d.CLI)
	}
	return e.Hintf("make a new quote: %s nft quote", s.d.CLI)
}

// otherChain is the refusal of a quote that was made under another profile, which
// most often is a terminal in which the profile's variable is not set.
func (s *Service) otherChain(f policy.Fence, q Quote, command string) error {
	if f.Policy == nil || q.ChainID == f.Policy.ChainID {
		return nil
	}
	e := fault.New(fault.ChainMismatch, "quote %s was made on chain %d, and this acts on chain %d", q.QuoteID, q.ChainID, f.Policy.ChainID).WithSent(fault.SentNo)
	if slices.Contains(chain.SandboxChains(), q.ChainID) {
		return e.Hintf("it is the sandbox's: ape-claw --profile sandbox %s --quote %s", command, q.QuoteID)
	}
	return e.Hintf("use the profile that quoted it: ape-claw --profile apechain %s --quote %s", command, q.QuoteID)
}

// expired is the refusal of a quote whose time is over.
func (s *Service) expired(q Quote, now time.Time) error {
	if now.Before(q.ExpiresAt) {
		return nil
	}
	return fault.New(fault.QuoteExpired, "quote %s expired at %s", q.QuoteID, q.ExpiresAt.Format(time.RFC3339)).
		WithSent(fault.SentNo).With("gate", policy.GateQuote)
}

// later returns the later of two times: an order is over when either says so.
func later(a time.Time, head chain.Header) time.Time {
	if t := time.Unix(int64(head.Time), 0).UTC(); t.After(a) {
		return t
	}
	return a
}
