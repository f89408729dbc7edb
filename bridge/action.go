package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

var (
	selAllowance = selector("allowance(address,address)")
	selBalance   = selector("balanceOf(address)")
)

// laterGas is how many times what gas may cost now it may cost when a dry run is carried out.
const laterGas = 2

// Action is a transfer in the words that a person confirms. Addresses are whole.
type Action struct {
	RequestID  string      `json:"requestId"`
	From       string      `json:"from"`
	To         string      `json:"to"`
	FromChain  int64       `json:"fromChain"`
	ToChain    int64       `json:"toChain"`
	Account    string      `json:"account"` // pays, receives, is refunded
	Token      string      `json:"token"`
	Amount     json.Number `json:"amount"`
	AmountBase units.Wei   `json:"amountBaseUnits"`
	Receives   string      `json:"receives"`
	Expected   json.Number `json:"amountOut"`
	MinOut     json.Number `json:"minAmountOut"`
	FeeBPS     units.BPS   `json:"feeBps"`
	Depository string      `json:"depository"`
	Approves   bool        `json:"approves"` // an exact approval comes before the deposit
	MaxFeeWei  units.Wei   `json:"maxFeeWei"`
	MaxFee     json.Number `json:"maxFee"` // gas of all transactions, in the origin's own currency
	Caps       []CapAfter  `json:"caps"`
	Expires    time.Time   `json:"expiresAt"`
	Digest     string      `json:"digest"`
	Phrase     string      `json:"phrase"`
}

// CapAfter is a daily cap before and after a transfer, in whole units of what it counts.
type CapAfter struct {
	Name  string `json:"cap"`
	Limit string `json:"limit"` // or "unlimited"
	Used  string `json:"used"`
	After string `json:"after"` // at most
}

// digest identifies what a person agrees to of a request: all that decides over where
// the funds go, how much leaves, and what has to arrive.
func (r Request) digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "ape-claw/transfer/1\x00%s\x00%d\x00%d\x00%s\x00%s\x00%s\x00%s\x00%s\x00%s",
		r.RequestID, r.FromChain, r.ToChain, lower(r.In.Address), lower(r.Out.Address), r.AmountBaseUnits, r.MinAmountOut, r.Account, r.Depository))
	return hex.EncodeToString(sum[:])
}

// action is the transfer as the gates see it now.
func (x *transferring) action(ctx context.Context, f policy.Fence) Action {
	w, fee := x.facts(), x.fee
	if !x.in.Execute { // what is agreed to now is sent later, when gas may cost a little more
		if more, err := fee.Mul(laterGas); err == nil {
			fee = more
		}
	}
	a := Action{
		RequestID: x.r.RequestID, From: x.r.From, To: x.r.To, FromChain: x.r.FromChain, ToChain: x.r.ToChain, Account: x.who.Hex(),
		Token: x.r.Token, Amount: x.r.Amount, AmountBase: x.r.AmountBaseUnits, Receives: x.r.Out.Symbol,
		Expected: x.route.AmountOut.JSON(x.r.Out.Decimals), MinOut: x.route.MinOut.JSON(x.r.Out.Decimals), FeeBPS: x.route.FeeBPS,
		Depository: checksummed(x.r.Depository), Approves: x.route.Steps[x.next].Kind == StepApprove,
		MaxFeeWei: fee, MaxFee: fee.JSON(units.APEDecimals), Caps: []CapAfter{}, Expires: x.r.ExpiresAt, Digest: x.r.digest(), Phrase: w.Phrase(),
	}
	uses, err := x.spent(ctx, f.Policy, w.Scope())
	if err != nil {
		return a // what decides over the execution asks again
	}
	for _, u := range uses {
		places, more := units.APEDecimals, fee
		if u.Limit.Asset == w.Asset {
			places = x.r.In.Decimals
			if more = x.r.AmountBaseUnits; x.r.In.Address == Native {
				if more, err = more.Add(fee); err != nil {
					return a
				}
			}
		}
		after, err := u.Spent.Add(more)
		if err != nil {
			return a
		}
		a.Caps = append(a.Caps, CapAfter{u.Limit.Name, u.Limit.Cap.Decimal(places), u.Spent.Decimal(places), after.Decimal(places)})
	}
	return a
}

// dryRun tells what would happen and which gates would refuse it.
func (x *transferring) dryRun(ctx context.Context, f policy.Fence) (ExecuteOut, error) {
	w := x.facts()
	refusals := policy.DecideTransfer(policy.DryRun, f, w).WouldBlock()
	codes := make([]string, 0, len(refusals))
	for i := range refusals {
		refusals[i].Change = fault.Suggest(x.d.CLI, refusals[i].Change)
		codes = append(codes, string(refusals[i].Code))
	}
	a := x.action(ctx, f)
	out := ExecuteOut{OK: true, DryRun: true, Request: x.r, WouldBlock: refusals, Action: &a, ConfirmPhrase: a.Phrase}
	out.FeeBPS, out.AmountOut = x.route.FeeBPS, x.route.AmountOut
	out.Message = fmt.Sprintf("dry run: would move %s from %s to %s, of which at least %s arrive; nothing was signed",
		x.r.In.show(x.r.AmountBaseUnits), x.r.From, x.r.To, x.r.Out.show(x.route.MinOut))
	out.Next = fmt.Sprintf("ape-claw bridge execute --request %s --execute --confirm %q", x.r.RequestID, a.Phrase)
	if len(refusals) > 0 {
		out.Message, out.Next = fmt.Sprintf("dry run: --execute would be refused: %s; nothing was signed", refusals[0].Reason), ""
	}
	return out, x.d.Recorder.Record(ctx, telemetry.Draft{
		Type: "bridge.execute.dry_run", DryRun: true, ChainID: x.r.FromChain,
		Payload: map[string]any{"requestId": x.r.RequestID, "fromChain": x.r.FromChain, "toChain": x.r.ToChain, "amount": x.r.AmountBaseUnits.String(), "token": x.r.Token},
		Result: map[string]any{"wouldExecute": len(refusals) == 0, "wouldBlock": codes, "message": out.Message, "from": x.r.From, "to": x.r.To,
			"recipient": x.r.Account, "minAmountOut": x.route.MinOut.String(), "feeBps": uint32(x.route.FeeBPS)},
	})
}
