package policy

import (
	"fmt"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Stage is how far a command goes, which decides the gates that apply to it.
type Stage int

// The stages, from the one that risks least.
const (
	Inspect Stage = iota // quote and simulate: what holds without spending
	DryRun               // a buy without --execute: all but phrase and spend
	Execute              // a buy that signs
)

// Names of the gates, in the order they are checked.
const (
	GateHalt       = "halt"
	GatePolicy     = "policy"
	GateWindow     = "window" // the time of day
	GateCurrency   = "currency"
	GateCollection = "collection"
	GateContract   = "contract"  // what the transaction calls
	GateMaxPrice   = "max-price" // the caller's own limit
	GatePrice      = "price"     // the policy's
	GateValue      = "value"     // what a write sends along
	GateFee        = "marketplace-fee"
	GateQuote      = "quote"
	GateSimulation = "simulation"
	GatePhrase     = "phrase"
	GateSpend      = "spend"
)

// Gate is the verdict of one gate.
type Gate struct {
	Name     string     `json:"gate"`
	OK       bool       `json:"ok"`
	Code     fault.Code `json:"code,omitempty"`     // when it refuses
	Reason   string     `json:"reason,omitempty"`   // when it refuses: the sentence
	Measured string     `json:"measured,omitempty"` // what was looked at
	Limit    string     `json:"limit,omitempty"`    // what it was held against
	Setting  string     `json:"setting,omitempty"`  // where the limit is written
	Change   string     `json:"change,omitempty"`   // what would let it through
}

// SimState is what is known of a simulation. The zero value is "none".
type SimState int

// States of a simulation.
const (
	SimNone   SimState = iota
	SimStale           // there was one, too long ago or of another transaction
	SimFailed          // the transaction would fail
	SimPassed
)

// Simulation is the outcome of simulating the purchase.
type Simulation struct {
	State  SimState
	Reason string // why it failed or is stale
}

// Purchase is what the gates look at. What is left zero refuses, but for
// MaxPrice, Confirm, Autonomous and Subject.
type Purchase struct {
	Collection    Entry  // what the allowlist resolved the collection to
	CollectionErr error  // why it did not
	Contract      string // the contract that the transaction would buy from
	TokenID       string
	Target        string // the contract that the transaction would call, lower case

	Asset    Asset  // what is paid with
	Currency string // its symbol
	Decimals int

	Price     units.Wei
	OthersGet *units.Wei // the part of it that the seller does not get; nil: unknown, refused where it is capped
	FeeLimit  units.Wei  // the most that gas may cost, native base units
	MaxPrice  *units.Wei // the caller's own limit; nil when there is none

	Now, QuoteExpires      time.Time // local time
	ChainNow, OrderExpires time.Time // later of local and head time, plus the caller's margin

	Simulation Simulation

	Autonomous bool   // --autonomous
	Confirm    string // --confirm

	Subject  string // whose spend it is
	Spent    []Use  // what each of Policy.Limits(Scope()) has used; nil: unknown
	SpentErr error  // why it is unknown
}

// Scope is what of the ledger the purchase adds to.
func (p Purchase) Scope() Scope { return Scope{p.Asset, p.Subject, p.contract()} }

// contract is what is bought from, in lower case: before a listing is known, what
// the allowlist says.
func (p Purchase) contract() string {
	if p.Contract == "" {
		return strings.ToLower(p.Collection.ContractAddress)
	}
	return strings.ToLower(p.Contract)
}

// Phrase is what a person types to confirm the purchase:
// BUY <collection> #<tokenId> <price> <currency>. It guards against mistakes; a model can copy
// it, so it is no proof of a person.
func (p Purchase) Phrase() string {
	return BuyPhrase(p.Collection.Slug, p.TokenID, p.Price, p.Decimals, p.Currency)
}

// BuyPhrase builds the confirm phrase of a purchase, the price in canonical decimals.
func BuyPhrase(collection, tokenID string, price units.Wei, decimals int, currency string) string {
	return fmt.Sprintf("BUY %s #%s %s %s", collection, tokenID, price.Decimal(decimals), currency)
}

// Decision is the verdict of the gates on one purchase, write or transfer. Only
// Decide, DecideWrite and DecideTransfer make one.
type Decision struct {
	stage    Stage
	policy   *Policy
	purchase Purchase
	write    *Write    // what is no purchase
	transfer *Transfer // likewise
	gates    []Gate
}

// gateFunc is a gate. Its check fills in Code when it refuses.
type gateFunc struct {
	name  string
	from  Stage // the first stage that it applies to
	check func(Fence, Purchase) Gate
}

var allGates = []gateFunc{
	{GateHalt, DryRun, haltGate},
	{GatePolicy, Inspect, policyGate},
	{GateWindow, DryRun, windowGate},
	{GateCurrency, Inspect, currencyGate},
	{GateCollection, Inspect, collectionGate},
	{GateContract, DryRun, contractGate},
	{GateMaxPrice, Inspect, maxPriceGate},
	{GatePrice, DryRun, priceGate},
	{GateFee, DryRun, feeGate},
	{GateQuote, DryRun, quoteGate},
	{GateSimulation, DryRun, simulationGate},
	{GatePhrase, Execute, phraseGate},
	{GateSpend, Execute, spendGate},
}

// Decide evaluates the gates that apply at a stage, in order, all of them even
// after one refuses, so that a person sees everything there is to change. It
// reads no file, clock or database: f and p hold all that it looks at. While the
// policy is unreadable, the gates that need it are left out.
func Decide(stage Stage, f Fence, p Purchase) Decision {
	d := Decision{stage: stage, policy: f.Policy, purchase: p}
	for _, g := range allGates {
		if stage < g.from {
			continue
		}
		v := g.check(f, p)
		v.Name, v.OK = g.name, v.Code == ""
		d.gates = append(d.gates, v)
		if g.name == GatePolicy && !v.OK {
			break
		}
	}
	return d
}

// Gates returns the verdicts in order.
func (d Decision) Gates() []Gate { return append([]Gate(nil), d.gates...) }

// WouldBlock returns the gates that refuse.
func (d Decision) WouldBlock() []Gate {
	out := []Gate{}
	for _, g := range d.gates {
		if !g.OK {
			out = append(out, g)
		}
	}
	return out
}

// Refusal is the first refusal as an error, nil when every gate lets it through.
func (d Decision) Refusal() error {
	if len(d.gates) == 0 {
		return fault.New(fault.PolicyBlocked, "no policy decision was made").WithSent(fault.SentNo)
	}
	for _, g := range d.gates {
		if !g.OK {
			return g.Fault()
		}
	}
	return nil
}

// Fault is the refusal of a gate as an error.
func (g Gate) Fault() *fault.Error {
	e := fault.New(g.Code, "%s", g.Reason).Hintf("%s", g.Change).WithSent(fault.SentNo).With("gate", g.Name)
	if g.Measured != "" {
		e = e.With("measured", g.Measured)
	}
	if g.Limit != "" {
		e = e.With("limit", g.Limit)
	}
	if g.Setting != "" {
		e = e.With("setting", g.Setting)
	}
	return e
}

func haltGate(f Fence, _ Purchase) Gate {
	g := Gate{Measured: "not halted", Limit: "no HALT file in the home", Setting: "HALT in the home"}
	if len(f.Halt) > 0 {
		g.Measured = strings.Join(f.Halt, "; ")
		g.refuse(fault.Halted, "spending is halted: "+g.Measured, "remove the cause, then lift the halt: ape-claw policy unhalt")
	}
	return g
}

func policyGate(f Fence, _ Purchase) Gate {
	g := Gate{Measured: "unreadable", Limit: "every policy and allowlist file reads strictly"}
	if f.Err == nil && f.Policy != nil {
		g.Measured = "read: " + list(f.Policy.Files)
		return g
	}
	e := fault.New(fault.PolicyInvalid, "no policy was read")
	if f.Err != nil {
		e = fault.From(f.Err)
	}
	g.refuse(e.Code, e.Message, e.Hint)
	if g.Change == "" {
		g.Change = "run ape-claw doctor"
	}
	return g
}

func (g *Gate) refuse(code fault.Code, reason, change string) {
	g.Code, g.Reason, g.Change = code, reason, change
}
