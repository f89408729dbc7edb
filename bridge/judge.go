package bridge

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Ask is what somebody wants moved. All of it comes from us: the account is the
// signer's, the places are the policy's or the chain's own.
type Ask struct {
	Account  common.Address // pays, receives, and is refunded
	From, To int64          // chain ids
	In, Out  common.Address // currencies; the zero address is a chain's own
	Amount   units.Wei      // of In
	InPlaces int            // decimals of In
	Floor    units.Wei      // the least of Out that is taken; zero: any
	NeedsMin bool           // a route without a least amount is refused
}

// Native is how the bridge spells a chain's own currency.
var Native common.Address

// Kinds of steps.
const (
	StepApprove = "approve"
	StepDeposit = "deposit"
)

// Step is one transaction of a route, in our own encoding.
type Step struct {
	Kind  string
	To    common.Address
	Value units.Wei
	Data  []byte
}

// Route is a quote that was judged: exactly what was asked, through the contract
// that was noted for the chain.
type Route struct {
	RequestID string // 0x + 64 hex digits, lower case
	OrderID   common.Hash
	In, Out   Currency
	AmountIn  units.Wei
	AmountOut units.Wei // expected
	MinOut    units.Wei // promised; zero for none
	FeeBPS    units.BPS // what the bridge keeps of AmountIn, rounded up
	Steps     []Step    // approvals, then the deposit
}

// unsafe is the refusal of a quote that is not what was asked.
func unsafe(format string, args ...any) error {
	return fault.New(fault.UnsafeTransaction, "the bridge's quote is refused: "+format, args...).
		Hintf("nothing was signed; quote it again, and if it stays so, do not use this bridge").WithSent(fault.SentNo).With("gate", "bridge-quote")
}

// Judge reads the answer to a quote and returns its route, or refuses. Nothing that
// decides is taken from the answer unless it is what was asked: account, chains,
// currencies, amount, recipient, refunds, the depository noted for the chain, exact
// approvals, and the calls, which are encoded here and compared byte by byte.
func Judge(a Ask, depository common.Address, answer []byte) (Route, error) {
	if err := a.check(depository); err != nil {
		return Route{}, err
	}
	var w wireQuote
	if err := json.Unmarshal(answer, &w); err != nil {
		return Route{}, unsafe("it can't be read: %s", fault.Excerpt(err.Error(), 100))
	}
	r := Route{}
	if err := a.judgeDetails(w.Details, &r); err != nil {
		return Route{}, err
	}
	fee, err := feeBPS(w.Fees, w.Details.CurrencyIn)
	if err != nil {
		return Route{}, err
	}
	r.FeeBPS = fee
	id, err := requestID(w.Steps)
	if err != nil {
		return Route{}, err
	}
	r.RequestID, r.OrderID = id, common.HexToHash(id)
	if w.Protocol != nil && w.Protocol.V2 != nil {
		if r.OrderID, err = a.judgeOrder(*w.Protocol.V2, depository); err != nil {
			return Route{}, err
		}
	}
	r.Steps, err = a.judgeSteps(w.Steps, depository, r.OrderID)
	return r, err
}

// check refuses a question that no answer would be right for.
func (a Ask) check(depository common.Address) error {
	switch {
	case a.Account == (common.Address{}) || depository == (common.Address{}) || depository == a.Account || depository == a.In:
		return fault.New(fault.Internal, "a quote without an account or a depository").WithSent(fault.SentNo)
	case a.From <= 0 || a.To <= 0 || a.From == a.To:
		return fault.New(fault.Usage, "funds go from one chain to another").WithSent(fault.SentNo)
	case a.Amount.IsZero():
		return fault.New(fault.Usage, "the amount is 0").Hintf("name an amount above 0").WithSent(fault.SentNo)
	}
	return nil
}

// judgeDetails holds what the quote says it is about against the question.
func (a Ask) judgeDetails(d wireDetails, r *Route) error {
	in, err := currency("what leaves", d.CurrencyIn, a.From, a.In)
	if err != nil {
		return err
	}
	out, err := currency("what arrives", d.CurrencyOut, a.To, a.Out)
	if err != nil {
		return err
	}
	if in.Decimals != a.InPlaces {
		return unsafe("what leaves has %d places, and the quote says %d", a.InPlaces, in.Decimals)
	}
	if a.Out == Native && out.Decimals != units.APEDecimals {
		return unsafe("what arrives is a chain's own currency, and the quote gives it %d places", out.Decimals)
	}
	amountIn, err := d.CurrencyIn.Amount.wei()
	if err != nil || amountIn != a.Amount {
		return unsafe("%s would leave, and %s was asked", base(d.CurrencyIn.Amount.String()), a.Amount)
	}
	amountOut, err := d.CurrencyOut.Amount.wei()
	if err != nil || amountOut.IsZero() {
		return unsafe("it does not say how much arrives")
	}
	minOut := units.Wei{}
	if d.CurrencyOut.MinimumAmount.IsSet() {
		if minOut, err = d.CurrencyOut.MinimumAmount.wei(); err != nil {
			return unsafe("its least amount can't be read")
		}
	}
	low := func(format string, args ...any) error {
		return fault.New(fault.MinimumNotMet, format, args...).Hintf("quote it again, or ask for less").WithSent(fault.SentNo).With("gate", "bridge-minimum")
	}
	switch {
	case minOut.Cmp(amountOut) > 0:
		return unsafe("it promises more than it expects")
	case minOut.IsZero() && a.NeedsMin:
		return low("the route promises no least amount, and bridge.requireMinAmountOut asks for one")
	case minOut.Cmp(a.Floor) < 0:
		return low("the route promises %s base units, and no less than %s is taken", minOut, a.Floor)
	}
	for _, who := range []struct {
		what, is string
		needed   bool
	}{{"sender", d.Sender, false}, {"recipient", d.Recipient, true}, {"refund", d.RefundTo, false}} {
		if err := a.own(who.what, who.is, who.needed); err != nil {
			return err
		}
	}
	r.In, r.Out, r.AmountIn, r.AmountOut, r.MinOut = in, out, amountIn, amountOut, minOut
	return nil
}

// own refuses an address that is not the account's.
func (a Ask) own(what, is string, needed bool) error {
	if is == "" && !needed {
		return nil
	}
	if got, err := address(is); err != nil || got != a.Account {
		return unsafe("its %s is %s, and not the account that pays", what, quoted(is))
	}
	return nil
}

// currency reads a currency of the quote, which must be the one that was asked.
func currency(what string, w *wireAmount, chain int64, token common.Address) (Currency, error) {
	if w == nil {
		return Currency{}, unsafe("it does not say %s", what)
	}
	id, ok := chainID(w.Currency.ChainID)
	got, err := address(w.Currency.Address)
	places, fits := decimals(w.Currency.Decimals)
	switch {
	case !ok || id != chain:
		return Currency{}, unsafe("%s is on chain %s, and chain %d was asked", what, base(w.Currency.ChainID.String()), chain)
	case err != nil || got != token:
		return Currency{}, unsafe("%s is %s, and %s was asked", what, quoted(w.Currency.Address), lower(token))
	case !fits:
		return Currency{}, unsafe("%s has no number of places that can be", what)
	}
	return Currency{ChainID: id, Address: got, Symbol: symbol(w.Currency.Symbol), Decimals: places}, nil
}

// base is a number of the answer for a message; there may be none.
func base(digits string) string {
	if digits == "" {
		return "an unknown number"
	}
	return digits
}

func (s signed) wei() (units.Wei, error) {
	if s.negative {
		return units.Wei{}, fmt.Errorf("it is negative")
	}
	return s.Wei()
}

// requestID is the one id of all steps.
func requestID(steps []wireStep) (string, error) {
	id := ""
	for _, s := range steps {
		if len(s.Items) == 0 {
			continue
		}
		own := strings.ToLower(s.RequestID)
		switch {
		case !isHash(own):
			return "", unsafe("a step's request id is %s", quoted(s.RequestID))
		case id != "" && own != id:
			return "", unsafe("its steps are of two requests")
		}
		id = own
	}
	if id == "" {
		return "", unsafe("it has no steps")
	}
	return id, nil
}

// judgeOrder holds the order that the deposit's id stands for against the question,
// as far as the quote tells of it, and returns the id.
func (a Ask) judgeOrder(o wireOrder, depository common.Address) (common.Hash, error) {
	id := strings.ToLower(o.OrderID)
	if !isHash(id) {
		return common.Hash{}, unsafe("its order id is %s", quoted(o.OrderID))
	}
	if p := o.Payment; p != nil {
		to, err := address(p.Depository)
		token, terr := address(p.Currency)
		amount, aerr := p.Amount.Wei()
		if err != nil || terr != nil || aerr != nil || to != depository || token != a.In || amount != a.Amount {
			return common.Hash{}, unsafe("its order is paid otherwise than was asked")
		}
	}
	if o.Data == nil {
		return common.HexToHash(id), nil
	}
	for _, in := range o.Data.Inputs {
		for _, refund := range in.Refunds {
			if err := a.own("order's refund", refund.Recipient, true); err != nil {
				return common.Hash{}, err
			}
		}
	}
	if out := o.Data.Output; out != nil {
		if len(out.Calls) > 0 {
			return common.Hash{}, unsafe("its order makes calls on the other chain, which nobody asked for")
		}
		for _, p := range out.Payments {
			if err := a.own("order's recipient", p.Recipient, true); err != nil {
				return common.Hash{}, err
			}
			least, err := p.MinimumAmount.Wei()
			if token, terr := address(p.Currency); terr != nil || token != a.Out || err != nil || least.Cmp(a.Floor) < 0 {
				return common.Hash{}, unsafe("its order pays otherwise than was asked")
			}
		}
	}
	return common.HexToHash(id), nil
}
