package bridge

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const cmdExecute = "bridge execute"

// By whose leave a transfer is made.
const (
	authorityPhrase     = "phrase"     // --confirm
	authorityTerminal   = "terminal"   // a person typed the phrase at the terminal
	authorityAutonomous = "autonomous" // policy lets --autonomous stand in
)

// Numbers of the transactions of a request in its keys. They are of the kind and not of
// the place in a route, which a fresh route may change.
const (
	keyReset = iota
	keyApprove
	keyDeposit
)

const (
	grantTTL = time.Minute     // of policy's leave for one transaction
	longTurn = 5 * time.Second // a wait for the account's turn after which all is looked at once more
	// depositGas is what gas of a deposit is taken to need before it can be estimated,
	// which is after its approval was mined.
	depositGas = 250_000
)

// ExecuteIn is the input of a transfer.
type ExecuteIn struct {
	Request    string `json:"request" ai:"expose" kind:"id" help:"request id" required:"true" complete:"requests"`
	Execute    bool   `json:"execute" ai:"engine" help:"sign and send; without it nothing leaves this machine"`
	Confirm    string `json:"confirm" ai:"engine" help:"the phrase that the dry run shows"`
	Autonomous bool   `json:"autonomous" ai:"operator" help:"stand in for the phrase, where policy allows it"`
	// Digest is what a person approved, as Action.Digest has it; "" is not asked. No
	// flag sets it.
	Digest string `json:"-"`
	// Most is what may leave the account of the origin's own currency, gas among it, as a
	// person approved it; nil is what policy and the simulation allow.
	Most *units.Wei `json:"-"`
	// Action is the id of the approved action that this carries out, if it does one.
	Action string `json:"-"`
}

// ExecuteOut is a dry run, or a transfer whose deposit is in a block.
type ExecuteOut struct {
	OK     bool `json:"ok"`
	DryRun bool `json:"dryRun"`
	Request
	Message       string        `json:"message"`
	TxHashes      []string      `json:"txHashes,omitempty"` // what was sent now, in order
	WouldBlock    []policy.Gate `json:"wouldBlock,omitzero"`
	Action        *Action       `json:"action,omitempty"`
	ConfirmPhrase string        `json:"confirmPhrase,omitempty"`
	Next          string        `json:"next,omitempty"`
}

// transferring is one transfer on its way from the gates to the deposit.
type transferring struct {
	*Service
	in      ExecuteIn
	r       Request
	who     common.Address
	chain   Node
	route   Route
	next    int // of route.Steps: what is sent next
	confirm string
	asked   bool
	txs     []string
	left    []string  // of those, approvals that are in a block
	paid    units.Wei // for gas of those

	simulation policy.Simulation
	fees       chain.Fees
	fee        units.Wei // the most that gas of all that is still to be sent may cost
}

// Execute sends the transactions of a quoted transfer, one after the other, each when
// the one before is in a block; without in.Execute it tells what would be sent. Each is
// of a route that was asked for and judged right before. It returns nil when the deposit
// is in a block: what arrives, Status tells.
func (s *Service) Execute(ctx context.Context, in ExecuteIn) (ExecuteOut, error) {
	x := &transferring{Service: s, in: in, confirm: in.Confirm}
	out, err := x.run(ctx)
	return out, policy.Blocked(ctx, s.d.Recorder, "ape-claw "+cmdExecute, !in.Execute, x.leaves(inWords(err)))
}

func (x *transferring) run(ctx context.Context) (ExecuteOut, error) {
	stage := policy.DryRun
	if x.in.Execute {
		stage = policy.Execute
	}
	f, err := x.fence(ctx, stage)
	if err != nil {
		return ExecuteOut{}, err
	}
	if err := x.begin(ctx); err != nil {
		return ExecuteOut{}, err
	}
	if !x.in.Execute {
		if err := x.ready(ctx, f); err != nil {
			return ExecuteOut{}, err
		}
		return x.dryRun(ctx, f)
	}
	for {
		if err := x.ready(ctx, f); err != nil {
			return ExecuteOut{}, err
		}
		if err := x.within(); err != nil {
			return ExecuteOut{}, err
		}
		if d := x.in.Digest; d != "" && d != x.r.digest() {
			return ExecuteOut{}, fault.New(fault.ActionStale, "the transfer would not be the one that was approved").Hintf("have it proposed anew").WithSent(fault.SentNo)
		}
		last := x.route.Steps[x.next].Kind == StepDeposit
		if err := x.send(ctx, f, last); err != nil {
			return ExecuteOut{}, err
		}
		if last {
			return x.sent(), nil
		}
		if f, err = x.fence(ctx, stage); err != nil {
			return ExecuteOut{}, err
		}
	}
}

// within refuses what would cost more than a person approved.
func (x *transferring) within() error {
	if x.in.Most == nil || x.simulation.State != policy.SimPassed {
		return nil // what does not pass is refused anyway
	}
	all, err := x.route.Steps[len(x.route.Steps)-1].Value.Add(x.fee)
	if err == nil {
		all, err = all.Add(x.paid)
	}
	if err != nil || all.Cmp(*x.in.Most) > 0 {
		return fault.New(fault.PriceOverLimit, "%s could leave the account, and %s were approved", native(all), native(*x.in.Most)).
			Hintf("have it proposed anew").WithSent(fault.SentNo).With("gate", policy.GateSpend)
	}
	return nil
}

// fence reads policy and halt file. When one can't be read, the gates say what refuses.
func (s *Service) fence(ctx context.Context, stage policy.Stage) (policy.Fence, error) {
	f, err := s.d.Fence(ctx)
	if err != nil || f.Err == nil && f.Policy != nil {
		return f, err
	}
	return f, policy.DecideTransfer(stage, policy.Fence{Halt: f.Halt, Err: f.Err}, policy.Transfer{}).Refusal()
}

// begin refuses what was begun by another run, or is somebody else's.
func (x *transferring) begin(ctx context.Context) error {
	var err error
	if x.r, err = x.load(ctx, x.in.Request); err != nil {
		return err
	}
	if x.r.Status != StatusQuoted && x.r.Status != StatusPending {
		return x.used()
	}
	if err := x.unsent(ctx); err != nil {
		return err
	}
	if x.who, err = x.d.Account(ctx); err != nil {
		return err
	}
	if lower(x.who) != x.r.Account {
		return fault.New(fault.Auth, "request %s was quoted for %s, and the account is %s", x.r.RequestID, x.r.Account, lower(x.who)).
			Hintf("choose the account with --account, or quote it again").WithSent(fault.SentNo)
	}
	if x.chain, err = x.d.Node(ctx, x.r.FromChain); err != nil {
		return err
	}
	id, err := x.chain.ChainID(ctx)
	if err == nil && id != x.r.FromChain {
		err = fault.New(fault.ChainMismatch, "the RPC answers for chain %d, and the funds are on chain %d", id, x.r.FromChain).
			Hintf("check the RPC URL: ape-claw doctor").WithSent(fault.SentNo)
	}
	return err
}

// unsent refuses a request whose deposit the journal has.
func (x *transferring) unsent(ctx context.Context) error {
	deposit, ok, err := x.d.Journal(ctx, Key(x.r.RequestID, keyDeposit))
	if err != nil || !ok {
		return err
	}
	return x.used().With("txHash", deposit.Hash).With("state", deposit.State)
}

func (x *transferring) used() *fault.Error {
	return fault.New(fault.QuoteUsed, "request %s was executed already", x.r.RequestID).WithSent(fault.SentNo).
		Hintf("look at what became of it: %s bridge status --request %s", x.d.CLI, x.r.RequestID)
}

// ready asks for a fresh route, finds what of it is still to be sent, and simulates
// the next transaction.
func (x *transferring) ready(ctx context.Context, f policy.Fence) error {
	if !x.d.Now().Before(x.r.ExpiresAt) { // before a stranger is asked
		return fault.New(fault.QuoteExpired, "request %s expired at %s", x.r.RequestID, x.r.ExpiresAt.UTC().Format(time.RFC3339)).
			Hintf("quote it again: %s", x.again()).WithSent(fault.SentNo).With("gate", policy.GateQuote)
	}
	a, err := x.r.ask(f.Policy)
	if err != nil {
		return err
	}
	depository := x.r.Depository
	if x.route, err = x.Service.route(ctx, a, &x.r); err != nil {
		return err
	}
	if x.r.Depository != depository {
		return unsafe("its depository is %s, and %s was quoted", x.r.Depository, depository)
	}
	if x.next, err = x.toSend(ctx); err != nil {
		return err
	}
	return x.simulate(ctx)
}

// again is the command that quotes the same.
func (x *transferring) again() string {
	return fmt.Sprintf("%s bridge quote --from %s --to %s --token %s --amount %s", x.d.CLI, x.r.From, x.r.To, x.r.Token, x.r.Amount)
}

// toSend skips the approvals that are not needed: what is allowed already is read from
// the token.
func (x *transferring) toSend(ctx context.Context) (int, error) {
	if x.r.In.Address == Native {
		return 0, nil
	}
	allowed, err := x.word(ctx, call(selAllowance, x.who[:], common.HexToAddress(x.r.Depository).Bytes()))
	if err != nil {
		return 0, err
	}
	for i, s := range x.route.Steps {
		reset := s.Kind == StepApprove && isReset(s)
		if s.Kind == StepDeposit || !reset && allowed.Cmp(x.r.AmountBaseUnits) < 0 || reset && !allowed.IsZero() && allowed.Cmp(x.r.AmountBaseUnits) < 0 {
			return i, nil
		}
	}
	return 0, fault.New(fault.Internal, "a route without a deposit").WithSent(fault.SentNo)
}

func isReset(s Step) bool {
	return s.Kind == StepApprove && common.BytesToHash(s.Data[len(s.Data)-32:]) == common.Hash{}
}

// number is the step's part of its key.
func (s Step) number() int {
	switch {
	case s.Kind == StepDeposit:
		return keyDeposit
	case isReset(s):
		return keyReset
	}
	return keyApprove
}

// word reads one number from the token.
func (x *transferring) word(ctx context.Context, data []byte) (units.Wei, error) {
	b, err := x.chain.Call(ctx, chain.CallMsg{From: x.who, To: x.r.In.Address, Data: data}, nil, nil)
	if err != nil {
		return units.Wei{}, err
	}
	if len(b) != 32 {
		return units.Wei{}, fault.New(fault.UnsafeTransaction, "the contract %s does not answer as a token does", lower(x.r.In.Address)).WithSent(fault.SentNo)
	}
	return units.FromBytes32([32]byte(b)), nil
}

// simulate runs the next transaction as the account, and foresees what gas costs. A call
// that would fail is a verdict and no error.
func (x *transferring) simulate(ctx context.Context) error {
	step := x.route.Steps[x.next]
	fail := func(format string, args ...any) error {
		x.simulation = policy.Simulation{State: policy.SimFailed, Reason: fmt.Sprintf(format, args...)}
		return nil
	}
	x.fees, x.fee = chain.Fees{}, units.Wei{}
	// Whoever is paid without a contract there keeps it, and nothing reverts.
	code, err := x.chain.Code(ctx, common.HexToAddress(x.r.Depository))
	if err != nil {
		return err
	}
	if len(code) == 0 {
		return fault.New(fault.ContractMissing, "there is no contract at %s, which the bridge calls its depository on %s", x.r.Depository, x.r.From).
			Hintf("do not use this bridge before you know why").WithSent(fault.SentNo).With("gate", policy.GateContract)
	}
	balance, err := x.chain.Balance(ctx, x.who)
	if err != nil {
		return err
	}
	held := balance
	if x.r.In.Address != Native {
		if held, err = x.word(ctx, call(selBalance, x.who[:])); err != nil {
			return err
		}
	}
	if held.Cmp(x.r.AmountBaseUnits) < 0 {
		return fail("%s holds %s on %s, and %s would leave", x.who.Hex(), x.r.In.show(held), x.r.From, x.r.In.show(x.r.AmountBaseUnits))
	}
	msg := chain.CallMsg{From: x.who, To: step.To, Value: step.Value, Data: step.Data}
	_, err = x.chain.Call(ctx, msg, nil, nil)
	if err == nil {
		x.fees, err = x.chain.Fees(ctx, msg, nil)
	}
	if reason, ok := chain.FailureReason(err); ok {
		return fail("the %s would fail: %s", step.Kind, reason)
	}
	if err != nil {
		return err
	}
	if x.fee, err = x.gas(x.fees); err != nil {
		return err
	}
	if need, err := step.Value.Add(x.fee); err != nil || balance.Cmp(need) < 0 {
		return fail("%s holds %s on %s, and it may need %s, with up to %s for gas", x.who.Hex(), native(balance), x.r.From, native(need), native(x.fee))
	}
	x.simulation = policy.Simulation{State: policy.SimPassed}
	return nil
}

func native(w units.Wei) string { return w.Decimal(units.APEDecimals) + " of the chain's own currency" }

// gas is the most that gas of the next transaction and of those after it may cost.
func (x *transferring) gas(f chain.Fees) (units.Wei, error) {
	sum := f.FeeCap
	for range x.route.Steps[x.next+1:] {
		more, err := f.MaxFee.Mul(depositGas)
		if err == nil {
			sum, err = sum.Add(more)
		}
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// facts are what the gates look at.
func (x *transferring) facts() policy.Transfer {
	w := x.r.Facts(x.route, true, x.next, x.d.Now()) // the route was held against what is noted
	w.FeeLimit, w.Simulation, w.Confirm, w.Autonomous, w.Subject = x.fee, x.simulation, x.confirm, x.in.Autonomous, x.d.Subject
	return w
}

// decide evaluates every gate of an execution, for policy read anew.
func (x *transferring) decide(ctx context.Context) (policy.Decision, error) {
	f, err := x.fence(ctx, policy.Execute)
	if err != nil {
		return policy.Decision{}, err
	}
	w := x.facts()
	w.Spent, w.SpentErr = x.spent(ctx, f.Policy, w.Scope())
	return policy.DecideTransfer(policy.Execute, f, w), nil
}

func (s *Service) spent(ctx context.Context, rules *policy.Policy, scope policy.Scope) ([]policy.Use, error) {
	ledger, err := s.d.Ledger(ctx)
	if err != nil {
		return nil, err
	}
	return policy.SpentOf(ctx, ledger, rules.Limits(scope), s.d.Warn)
}

// sent is the answer when the deposit is in a block.
func (x *transferring) sent() ExecuteOut {
	return ExecuteOut{OK: true, Request: x.r, TxHashes: x.txs, Message: x.r.In.show(x.r.AmountBaseUnits) + " left " + x.r.From + " and is on its way to " + x.r.To,
		Next: "ape-claw bridge status --request " + x.r.RequestID + " --watch"}
}

// inWords fits errors of the transaction path, which knows purchases best, to a transfer.
func inWords(err error) error {
	if err == nil {
		return nil
	}
	f := *fault.From(err)
	f.Err = err
	switch f.Code {
	case fault.TxReverted:
		f.Hint = "only the fee is spent; mend the cause, then quote it again: ape-claw bridge quote"
	case fault.TxUnknown, fault.Conflict:
		f.Hint = "find out what became of it: ape-claw bridge resume"
	case fault.ConfirmationMismatch:
		f.Hint = "give --confirm the phrase that the dry run shows: run it without --execute"
		if asked, _ := f.Details["asked"].(bool); asked {
			f.Hint = "run it again, and type the phrase as it is shown"
		}
	}
	return &f
}
