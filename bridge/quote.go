package bridge

import (
	"context"
	"database/sql"
	"encoding/json"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// QuoteTTL is how long a quote lives, by local time.
const QuoteTTL = 4 * time.Minute

const cmdQuote = "bridge quote"

// Relay is what this package asks of a bridge (*Client).
type Relay interface {
	Name() string
	Chains(ctx context.Context) ([]Chain, error)
	Quote(ctx context.Context, a Ask) ([]byte, error)
	Status(ctx context.Context, requestID string) (Claim, error)
}

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
	State    func(ctx context.Context) (*sql.DB, error)      // ape-claw.db
	Relay    func(ctx context.Context) (Relay, error)
	Account  func(ctx context.Context) (common.Address, error) // of the key; fault.Auth when there is none
	Places   func(rules *policy.Policy) []Place
	TraceID  string // of this run; a new quote keeps it

	Node    func(ctx context.Context, chainID int64) (Node, error)   // one that answers for that chain
	Sender  func(ctx context.Context, chainID int64) (Sender, error) // the account's, on that chain
	Ledger  func(ctx context.Context) (Ledger, error)
	Journal func(ctx context.Context, key string) (tx chain.OpenTx, ok bool, err error) // chain.FindTx in this home
	Lines   func(traceID string) (Lines, error)                                         // the log, for a run's events
	Lock    func(ctx context.Context) (release func(), err error)                       // of the transfers of a state directory
	Subject string                                                                      // on whose behalf is spent
	CLI     string                                                                      // how a person calls the program, for hints
	// Ask, if set, shows a person at the terminal what would be sent, and returns what was typed.
	Ask  func(ctx context.Context, a Action) (string, error)
	Warn func(format string, args ...any)
}

// Node is what this package reads of a chain (*chain.Client).
type Node interface {
	ChainID(ctx context.Context) (int64, error)
	Head(ctx context.Context) (chain.Header, error)
	HeaderAt(ctx context.Context, number uint64) (h chain.Header, ok bool, err error)
	Balance(ctx context.Context, of common.Address) (units.Wei, error)
	BalanceAt(ctx context.Context, of common.Address, block uint64) (units.Wei, error)
	Code(ctx context.Context, of common.Address) ([]byte, error)
	Call(ctx context.Context, msg chain.CallMsg, block *big.Int, o chain.Overrides) ([]byte, error)
	Fees(ctx context.Context, msg chain.CallMsg, o chain.Overrides) (chain.Fees, error)
	Receipt(ctx context.Context, hash common.Hash) (chain.Receipt, bool, error)
	Payment(ctx context.Context, hash common.Hash) (to common.Address, value units.Wei, ok bool, err error)
}

// Sender signs and sends what policy granted (*chain.Sender).
type Sender interface {
	Address() common.Address
	Turn(ctx context.Context, chainID int64) (release func(), err error)
	Prepare(ctx context.Context, in chain.Intent) (chain.Prepared, error)
	Submit(ctx context.Context, p chain.Prepared, grant policy.Grant) (chain.Outcome, error)
}

// Ledger tells what was spent (*policy.Ledger).
type Ledger interface {
	Usages(ctx context.Context, q policy.Queryer, scopes ...policy.Scope) ([]policy.Usage, error)
}

// Lines is the log, for an event that has to be there once.
type Lines interface {
	Encode(d telemetry.Draft) ([]byte, error)
	AppendOnce(ctx context.Context, line []byte) error
}

// Service is the operations of this package.
type Service struct{ d Deps }

// New returns the operations over d.
func New(d Deps) *Service { return &Service{d} }

// QuoteIn is the input of a quote.
type QuoteIn struct {
	From   string `json:"from" ai:"expose" help:"chain that the funds leave" required:"true"`
	To     string `json:"to" ai:"expose" help:"chain that they go to (default: the policy's)"`
	Token  string `json:"token" ai:"expose" help:"what leaves: a symbol that is known there, or a contract with a cap (default: the policy's)"`
	Amount string `json:"amount" ai:"expose" help:"how much of it, as a plain decimal" required:"true"`
	User   string `json:"user" ai:"operator" help:"address to quote for, without its key (default: the account's)"`
	MinOut string `json:"minOut" ai:"expose" help:"the least that has to arrive, as a plain decimal (default: what the route promises)"`
}

// Quote asks the bridge for a route, judges it and saves what was quoted. Nothing
// leaves, and no cap is needed.
func (s *Service) Quote(ctx context.Context, in QuoteIn) (Request, error) {
	f, err := s.d.Fence(ctx)
	if err != nil {
		return Request{}, err
	}
	if f.Err != nil || f.Policy == nil {
		return Request{}, s.blocked(ctx, policy.DecideTransfer(policy.Inspect, f, policy.Transfer{}).Refusal())
	}
	r, least, err := s.asked(f.Policy, in)
	if err != nil {
		return Request{}, err
	}
	if r.Account, err = s.payer(ctx, in.User); err != nil {
		return Request{}, err
	}
	a, err := r.ask(f.Policy)
	if err != nil {
		return Request{}, err
	}
	route, err := s.route(ctx, a, &r)
	if err != nil {
		return Request{}, s.blocked(ctx, err)
	}
	now := s.d.Now().UTC()
	r.RequestID, r.FeeBPS, r.AmountOut, r.Out.Decimals = route.RequestID, route.FeeBPS, route.AmountOut, route.Out.Decimals
	r.CreatedAt, r.ExpiresAt, r.TraceID, r.Status = now.Truncate(time.Millisecond), now.Add(QuoteTTL).Truncate(time.Millisecond), s.d.TraceID, StatusQuoted
	r.MinAmountOut = route.MinOut
	if least != "" {
		if r.MinAmountOut, err = raised(least, r.Out, route.MinOut); err != nil {
			return Request{}, s.blocked(ctx, err)
		}
	}
	if err := policy.DecideTransfer(policy.Inspect, f, r.Facts(route, true, 0, now)).Refusal(); err != nil {
		return Request{}, s.blocked(ctx, err)
	}
	return r, s.save(ctx, r)
}

// payer is who would pay, receive and be refunded: the account of the key, or the one
// that was named. Only the key's own can be executed.
func (s *Service) payer(ctx context.Context, user string) (string, error) {
	if user == "" {
		account, err := s.d.Account(ctx)
		return lower(account), err
	}
	a, err := address(user)
	if err != nil || a == Native {
		return "", fault.New(fault.Usage, "--user %s is no address", quoted(user)).Hintf("an address is 0x and 40 hex digits").WithSent(fault.SentNo)
	}
	return lower(a), nil
}

// asked is what the caller typed, as a request without a route.
func (s *Service) asked(rules *policy.Policy, in QuoteIn) (Request, string, error) {
	places := s.d.Places(rules)
	from, err := place(places, "--from", in.From)
	if err != nil {
		return Request{}, "", err
	}
	to, err := place(places, "--to", orElse(in.To, rules.Bridge.DefaultTo))
	if err != nil {
		return Request{}, "", err
	}
	if from.ID == to.ID {
		return Request{}, "", fault.New(fault.Usage, "--from and --to are both %s", from.Name).Hintf("name two chains").WithSent(fault.SentNo)
	}
	token, err := from.currency(orElse(in.Token, rules.Bridge.DefaultToken), rules)
	if err != nil {
		return Request{}, "", err
	}
	amount, err := units.Parse(in.Amount, token.Decimals)
	if err != nil || amount.IsZero() {
		return Request{}, "", fault.Wrap(err, fault.Usage, "--amount %s is no amount of %s above 0", quoted(in.Amount), token.Symbol).
			Hintf("give whole %s as a plain decimal: --amount 0.5", token.Symbol).WithSent(fault.SentNo)
	}
	return Request{From: from.Name, To: to.Name, FromChain: from.ID, ToChain: to.ID, Token: token.Symbol, Amount: json.Number(amount.Decimal(token.Decimals)),
		AmountBaseUnits: amount, In: token, Out: Currency{ChainID: to.ID, Symbol: to.Symbol, Decimals: units.APEDecimals}}, in.MinOut, nil
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// route asks for a route of a request and judges it, against the depository that is
// noted for the chain: now, if none was.
func (s *Service) route(ctx context.Context, a Ask, r *Request) (Route, error) {
	relay, err := s.d.Relay(ctx)
	if err != nil {
		return Route{}, err
	}
	chains, err := relay.Chains(ctx)
	if err != nil {
		return Route{}, err
	}
	var origin Chain
	for _, want := range []struct {
		name string
		id   int64
	}{{r.To, r.ToChain}, {r.From, r.FromChain}} {
		if origin, err = open(chains, want.id, want.name, relay.Name()); err != nil {
			return Route{}, err
		}
	}
	db, err := s.d.State(ctx)
	if err != nil {
		return Route{}, err
	}
	answer, err := relay.Quote(ctx, a)
	if err != nil {
		return Route{}, err
	}
	route, err := Judge(a, origin.Depository, answer)
	if err != nil {
		return Route{}, err
	}
	r.Depository = lower(origin.Depository)
	return route, Store{db}.Pin(ctx, a.From, origin.Depository, s.d.Now())
}

// open finds a chain that the bridge serves.
func open(chains []Chain, id int64, name, relay string) (Chain, error) {
	for _, c := range chains {
		if c.ID != id {
			continue
		}
		if !c.Usable {
			return Chain{}, fault.New(fault.Upstream, "%s takes no deposits on %s now", relay, name).Hintf("try again in a while").WithSent(fault.SentNo)
		}
		return c, nil
	}
	return Chain{}, fault.New(fault.NotFound, "%s does not serve %s (chain %d)", relay, name, id).Hintf("name other chains").WithSent(fault.SentNo)
}

// raised is the caller's own least amount, which the route must promise.
func raised(typed string, out Currency, promised units.Wei) (units.Wei, error) {
	least, err := units.Parse(typed, out.Decimals)
	if err != nil {
		return least, fault.Wrap(err, fault.Usage, "--min-out %s is no amount of %s", quoted(typed), out.Symbol).Hintf("give a plain decimal: --min-out 12.5").WithSent(fault.SentNo)
	}
	if promised.Cmp(least) < 0 {
		return least, fault.New(fault.MinimumNotMet, "the route promises %s, and --min-out is %s", out.show(promised), out.show(least)).
			Hintf("quote it again, or ask for less").WithSent(fault.SentNo).With("gate", policy.GateMinimum)
	}
	return promised, nil // what is promised is held to, also where less was asked
}

// save stores a quote, then tells of it.
func (s *Service) save(ctx context.Context, r Request) error {
	db, err := s.d.State(ctx)
	if err != nil {
		return err
	}
	if err := (Store{db}).Add(ctx, r); err != nil {
		return err
	}
	return s.d.Recorder.Record(ctx, telemetry.Draft{
		Type:    "bridge.quote.created",
		Payload: map[string]any{"amount": r.AmountBaseUnits.String(), "fromChain": r.FromChain, "toChain": r.ToChain, "token": r.Token},
		Result: map[string]any{
			"requestId": r.RequestID, "feeBps": uint32(r.FeeBPS), "expiresAt": r.ExpiresAt.Format(time.RFC3339), "minAmountOut": r.MinAmountOut.String(),
			"depository": r.Depository,
			"quote": map[string]any{"from": r.From, "to": r.To, "amount": r.Amount, "currencyIn": lower(r.In.Address), "currencyOut": lower(r.Out.Address),
				"amountOut": r.AmountOut.String(), "recipient": r.Account},
		},
	})
}

// blocked records a refusal of policy; what is none is returned as it is.
func (s *Service) blocked(ctx context.Context, err error) error {
	return policy.Blocked(ctx, s.d.Recorder, "ape-claw "+cmdQuote, false, err)
}
