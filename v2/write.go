package v2

import (
	"context"
	"encoding/json"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
)

// Go is how far a write goes, a part of every writing command's input.
type Go struct {
	Execute    bool   `json:"execute" ai:"engine" help:"sign and send; without it nothing leaves this machine"`
	Confirm    string `json:"confirm" ai:"engine" help:"the phrase that the dry run shows"`
	Autonomous bool   `json:"autonomous" ai:"operator" help:"stand in for the phrase, where policy allows it"`
	// Digest is what a person approved, as Action.Digest has it; "" is not asked. No
	// flag sets it.
	Digest string `json:"-"`
	// Most is what may leave the account, value and gas together, as a person approved
	// it; nil is what policy and the simulation allow. No flag sets it.
	Most *units.Wei `json:"-"`
	// Action is the id of the approved action that this carries out, if it does one: the
	// events tell it, also when another process settles what this one left.
	Action string `json:"-"`
}

// Carry says how far it goes, for who calls a command without flags.
func (g *Go) Carry(to Go) { *g = to }

// Fact is something a person decides by, in words.
type Fact struct {
	Name  string `json:"name"` // as events and tools name it
	Label string `json:"label"`
	Value string `json:"value"`
}

// Action is a transaction as a person confirms it.
type Action struct {
	Command  string     `json:"command"` // "v2 skill mint"
	What     string     `json:"what"`    // "mint a skill", for a sentence
	Contract Located    `json:"contract"`
	Account  string     `json:"account"` // who signs, lower case
	ChainID  int64      `json:"chainId"`
	Network  string     `json:"network"`
	Value    units.Wei  `json:"valueWei"`
	MaxFee   *units.Wei `json:"maxFeeWei,omitempty"`  // nil: it could not be estimated
	Balance  *units.Wei `json:"balanceWei,omitempty"` // of the account, now
	Caps     []CapAfter `json:"caps"`                 // before and after it, at most
	Facts    []Fact     `json:"facts"`
	// Digest identifies chain, account, contract, value and call data; the phrase ends
	// with its last six digits.
	Digest string `json:"digest"`
	Phrase string `json:"phrase"`
}

// call is one transaction to a contract: what is asked, and what is known of it.
type call struct {
	Op       string // "skill.mint": names the op in ops, in events and in the journal
	Command  string // "v2 skill mint"
	What     string // "mint a skill"
	Contract Located
	Data     []byte
	Value    units.Wei
	// Key is the idempotency key, which serves once; "" makes a new one.
	Key     string
	Facts   []Fact
	Payload map[string]any // of the event that tells of success
	Keep    any            // what the op's confirm needs, as JSON
	Go      Go
	// Authority is by whose leave it is made, for the journal; "" is the phrase,
	// --autonomous, or the person asked. skipPhrase: policy or a person allowed it as a
	// part of something else.
	Authority  string
	skipPhrase bool
	// done, if set, is asked in the account's turn: whether another run has done it
	// meanwhile, and it would be paid for a second time.
	done func(ctx context.Context) (bool, error)
}

// done is what became of a call: a dry run, or a confirmed transaction.
type done struct {
	DryRun     bool
	Message    string // of a dry run; else the caller says what happened
	Return     []byte // what the simulation returned
	WouldBlock []policy.Gate
	Action     Action
	MaxFee     *units.Wei
	Outcome    chain.Outcome
	Result     map[string]any // of the event that told of success
}

// Sent is the part of an answer that every write has.
type Sent struct {
	OK            bool          `json:"ok"`
	DryRun        bool          `json:"dryRun"`
	Message       string        `json:"message"`
	ChainID       int64         `json:"chainId"`
	Network       string        `json:"network"`
	Contract      string        `json:"contract"` // the address that is called
	Account       string        `json:"account"`
	TxHash        string        `json:"txHash,omitempty"`
	BlockNumber   uint64        `json:"blockNumber,omitempty"`
	GasUsed       uint64        `json:"gasUsed,omitempty"`
	FeeApe        json.Number   `json:"feeApe,omitempty"`
	FeeWei        *units.Wei    `json:"feeWei,omitempty"`
	MaxFeeApe     json.Number   `json:"maxFeeApe,omitempty"` // of a dry run
	MaxFeeWei     *units.Wei    `json:"maxFeeWei,omitempty"`
	WouldBlock    []policy.Gate `json:"wouldBlock,omitzero"`     // of a dry run: the gates that would refuse --execute
	Action        *Action       `json:"action,omitempty"`        // of a dry run
	ConfirmPhrase string        `json:"confirmPhrase,omitempty"` // of a dry run
	Next          string        `json:"next,omitempty"`
}

// Written is the part of an answer that every write has.
func (s Sent) Written() Sent { return s }
