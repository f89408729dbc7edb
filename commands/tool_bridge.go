package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// bridgeProposer is bridge execute.
type bridgeProposer struct{ c Command }

// bridgeArgs are what is executed: the request, and what of it the card showed.
type bridgeArgs struct {
	Digest  string `json:"digest,omitempty"`
	Request string `json:"request"`
}

func (p bridgeProposer) preview(ctx context.Context, d *Deps, args json.RawMessage) (ai.Preview, error) {
	var in bridgeArgs
	if err := json.Unmarshal(args, &in); err != nil {
		return ai.Preview{}, badArgument("request", err)
	}
	asked, err := rawJSON(bridgeArgs{Request: in.Request})
	if err != nil {
		return ai.Preview{}, err
	}
	const next = "make a new one with bridge_quote"
	got, err := p.c.call(ctx, d, asked)
	if err != nil {
		return ai.Preview{}, staleReference(err, "request", next)
	}
	out, ok := got.(bridge.ExecuteOut)
	if !ok || out.Action == nil {
		return ai.Preview{}, fault.New(fault.Internal, "bridge execute answers with %T", got)
	}
	if err := wouldBlock(out.WouldBlock, "requestId", out.RequestID); err != nil {
		return ai.Preview{}, err
	}
	a := *out.Action
	if in.Digest != "" && in.Digest != a.Digest {
		return ai.Preview{}, fault.New(fault.ActionStale, "the transfer would not be the one that was proposed").Hintf("%s", next).WithSent(fault.SentNo)
	}
	binding, err := d.binding(ctx)
	if err != nil {
		return ai.Preview{}, err
	}
	run, err := rawJSON(bridgeArgs{Digest: a.Digest, Request: out.RequestID})
	if err != nil {
		return ai.Preview{}, err
	}
	amount := a.Amount.String()
	spends := []ai.Amount{nativeOn(a.FromChain, a.MaxFeeWei, a.From)}
	if out.In.Address == bridge.Native {
		all, err := a.AmountBase.Add(a.MaxFeeWei)
		if err != nil {
			return ai.Preview{}, err
		}
		spends[0] = ai.Amount{Asset: bridgeAsset(out.In), Base: all.String(), Shown: all.Decimal(out.In.Decimals) + " " + a.Token}
	} else {
		spends = append(spends, ai.Amount{Asset: bridgeAsset(out.In), Base: a.AmountBase.String(), Shown: amount + " " + a.Token})
	}
	return ai.Preview{
		Title:       fmt.Sprintf("Move %s %s from %s to %s", amount, a.Token, a.From, a.To),
		Impact:      fmt.Sprintf("%s %s leave %s on %s, and gas. At least %s %s arrive at the same account on %s, or what left comes back. The bridge keeps %s.", amount, a.Token, a.Account, a.From, a.MinOut, a.Receives, a.To, a.FeeBPS),
		Facts:       bridgeFacts(a, binding["profile"]),
		Identifiers: map[string]string{"amount": amount, "token": a.Token, "from": a.From, "to": a.To},
		Phrase:      out.ConfirmPhrase,
		Binding:     binding,
		Spends:      spends,
		Args:        run,
		TraceID:     out.TraceID,
		Untrusted:   []string{a.Receives},
		Expires:     a.Expires,
		Reference:   out.RequestID,
	}, nil
}

// bridgeAsset names a currency as the ledger does.
func bridgeAsset(c bridge.Currency) string {
	token := policy.Native
	if c.Address != bridge.Native {
		token = c.Address.Hex()
	}
	return fmt.Sprintf("%d/%s", c.ChainID, token)
}

// nativeOn is gas on a chain.
func nativeOn(chainID int64, fee units.Wei, name string) ai.Amount {
	return ai.Amount{Asset: bridgeAsset(bridge.Currency{ChainID: chainID}), Base: fee.String(), Shown: fee.Decimal(units.APEDecimals) + " of the currency of " + name}
}

func bridgeFacts(a bridge.Action, profile string) []ai.Fact {
	facts := []ai.Fact{
		{Name: "amount", Label: "leaves", Value: a.Amount.String()},
		{Name: "token", Label: "of", Value: a.Token},
		{Name: "from", Label: "from", Value: a.From},
		{Name: "to", Label: "to", Value: a.To},
		{Name: "chains", Label: "chains", Value: fmt.Sprintf("%d to %d", a.FromChain, a.ToChain)},
		{Name: "minAmountOut", Label: "arrives at least", Value: a.MinOut.String() + " " + a.Receives, Volatile: true},
		{Name: "feeBps", Label: "the bridge keeps", Value: a.FeeBPS.String(), Volatile: true},
		{Name: "account", Label: "pays and receives", Value: a.Account},
		{Name: "depository", Label: "deposits at", Value: a.Depository},
		{Name: "profile", Label: "profile", Value: profile},
		{Name: "requestId", Label: "request", Value: a.RequestID},
		{Name: "expires", Label: "quote ends", Value: utcText(a.Expires)},
		{Name: "maxFee", Label: "gas at most", Value: a.MaxFee.String() + " of the currency of " + a.From, Volatile: true},
	}
	for i, c := range a.Caps {
		facts = append(facts, ai.Fact{Name: "cap" + strconv.Itoa(i+1), Label: "daily cap", Value: fmt.Sprintf("%s: %s of %s used, at most %s after", c.Name, c.Used, c.Limit, c.After), Volatile: true})
	}
	return facts
}

func (p bridgeProposer) execute(ctx context.Context, d *Deps, args json.RawMessage, a ai.Approval) (any, error) {
	var in bridgeArgs
	if err := json.Unmarshal(args, &in); err != nil || in.Digest == "" || a.Phrase == "" {
		return nil, fault.New(fault.ActionStale, "the action does not say which transfer was approved").WithSent(fault.SentNo)
	}
	// The first amount is of the chain's own currency, and all that leaves of it.
	if len(a.Most) == 0 {
		return nil, fault.New(fault.ActionStale, "the action does not say what may leave the account").WithSent(fault.SentNo)
	}
	most, err := units.ParseBase(a.Most[0].Base)
	if err != nil {
		return nil, fault.Wrap(err, fault.ActionStale, "what may leave the account can't be read").WithSent(fault.SentNo)
	}
	return p.c.callWith(ctx, d, func(ctx context.Context) (any, error) {
		s, err := d.bridge(false)
		if err != nil {
			return nil, err
		}
		return s.Execute(ctx, bridge.ExecuteIn{Request: in.Request, Execute: true, Confirm: a.Phrase, Digest: in.Digest, Most: &most, Action: a.ActionID})
	})
}
