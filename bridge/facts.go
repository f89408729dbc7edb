package bridge

import (
	"fmt"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
)

// Key is the idempotency key of a transaction of a request, counted from 0. It is of
// what was quoted, not of the route: a fresh route can't have a step sent again.
func Key(requestID string, step int) string { return fmt.Sprintf("bridge:%s:%d", requestID, step) }

// ask is the question that a request stands for. The account is whoever signs now.
func (r Request) ask(rules *policy.Policy) (Ask, error) {
	account, err := address(r.Account)
	return Ask{Account: account, From: r.FromChain, To: r.ToChain, In: r.In.Address, Out: r.Out.Address, Amount: r.AmountBaseUnits,
		InPlaces: r.In.Decimals, Floor: r.MinAmountOut, NeedsMin: rules.Bridge.RequireMinAmountOut}, err
}

// Facts are what the gates look at before the step next of a route, of what is known
// without a chain. The caller adds fees, simulation, confirmation and what was spent.
func (r Request) Facts(route Route, pinned bool, next int, now time.Time) policy.Transfer {
	fee := route.FeeBPS
	w := policy.Transfer{
		From: r.FromChain, To: r.ToChain, FromName: r.From, ToName: r.To, Account: r.Account, Recipient: r.Account, RefundTo: r.Account,
		Asset: r.In.asset(), Currency: r.Token, Decimals: r.In.Decimals, Amount: r.AmountBaseUnits, FeeBPS: &fee,
		Receives: r.Out.Symbol, ReceivesDecimals: r.Out.Decimals, MinOut: route.MinOut, Floor: r.MinAmountOut,
		Depository: r.Depository, Pinned: pinned, Now: now, QuoteExpires: r.ExpiresAt,
	}
	account, err := address(r.Account)
	if err != nil || next < 0 || next > len(route.Steps) {
		return w // without steps: refused
	}
	for _, s := range route.Steps[next:] {
		w.Steps = append(w.Steps, policy.TransferStep{Target: lower(s.To), Value: s.Value, Deposit: s.Kind == StepDeposit,
			Digest: policy.WriteDigest(r.FromChain, account, s.To, s.Value, s.Data)})
	}
	return w
}

// show is an amount of a currency for people.
func (c Currency) show(w units.Wei) string { return w.Decimal(c.Decimals) + " " + c.Symbol }
