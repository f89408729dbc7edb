// Package v2 is the on-chain side of an agent: skills and their versions,
// intents, receipts, the revenue vault and the agent account. Every write is a
// dry run unless it is told to execute, and then goes through the gates of
// policy, chain's journal, and the confirmation of who asked for it. What a
// node, a deployment record or a contract says is held against the code of the
// contracts that this program was built with.
package v2

import (
	"context"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
)

const (
	// grantTTL bounds the time between policy's word and the signature, which may
	// wait for another run of the same account.
	grantTTL = 2 * time.Minute
)

// Chain is what this package reads of a chain (*chain.Client).
type Chain interface {
	ChainID(ctx context.Context) (int64, error)
	Head(ctx context.Context) (chain.Header, error)
	HeaderAt(ctx context.Context, number uint64) (h chain.Header, ok bool, err error)
	Balance(ctx context.Context, of common.Address) (units.Wei, error)
	Code(ctx context.Context, of common.Address) ([]byte, error)
	Call(ctx context.Context, msg chain.CallMsg, block *big.Int, o chain.Overrides) ([]byte, error)
	Fees(ctx context.Context, msg chain.CallMsg, o chain.Overrides) (chain.Fees, error)
	Receipt(ctx context.Context, hash common.Hash) (chain.Receipt, bool, error)
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

// Purchases are the confirmed purchases of a home, by the ids of their quotes. Those
// that never were are none.
type Purchases interface {
	// Purchase is the transaction of a confirmed purchase.
	Purchase(ctx context.Context, quoteID string) (tx chain.OpenTx, ok bool, err error)
	// Since are the quotes of the newest since a time, oldest first.
	Since(ctx context.Context, chainID int64, since time.Time, most int) (quoteIDs []string, err error)
}

// Again says whether signed bytes may be sent again: nil, or why not.
type Again func(ctx context.Context, told chain.Story, tx policy.Tx) error

// Recorder takes events.
type Recorder interface {
	Record(ctx context.Context, d telemetry.Draft) error
}

// Deps are what the operations work with. The functions are called when they are
// needed and not before.
type Deps struct {
	Now      func() time.Time
	Recorder Recorder
	Fence    func(ctx context.Context) (policy.Fence, error) // reads the files anew at each call
	Chain    func(ctx context.Context) (Chain, error)
	Account  func(ctx context.Context) (common.Address, error) // of the key; fault.Auth when there is none
	Sender   func(ctx context.Context) (Sender, error)
	Ledger   func(ctx context.Context) (Ledger, error)
	Journal  func(ctx context.Context, key string) (tx chain.OpenTx, ok bool, err error) // chain.FindTx in this home
	Log      func(ctx context.Context) (Log, error)                                      // the event log; nil: there is none to read
	// Settle finds out what became of the account's transactions on a chain that are
	// mine, sends those again that no node knows where again agrees, and waits for them.
	// It returns why the others were not sent again.
	Settle func(ctx context.Context, chainID int64, mine func(key string) bool, again Again) (kept []error, err error)
	// Purchases are this home's confirmed purchases, as its journal has them. The event
	// log, which anybody may have written, is not asked what a receipt is paid for.
	Purchases Purchases
	// Named are the addresses that flags and settings give; the deployment record has
	// the others.
	Named map[Name]Address
	// Records is the directory of the deployment records.
	Records string
	// Ask shows a person at the terminal what would be signed and returns the line
	// that was typed; io.EOF when there was none. nil: there is nobody to ask.
	Ask      func(ctx context.Context, a Action) (typed string, err error)
	Subject  string                           // on whose behalf: "agent:<id>", or ""
	AgentID  string                           // of this run
	TraceID  string                           // of this run
	CLI      string                           // how a suggested command begins; "" is "ape-claw"
	Warn     func(format string, args ...any) // for people, on the side
	Progress func(format string, args ...any) // of what takes long, for people
}

// Address is an address that a flag, a variable or the deployment record gives.
type Address struct {
	Address string
	From    string // "--skill-nft", "APE_CLAW_V2_SKILL_NFT", "the deployment record"
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
