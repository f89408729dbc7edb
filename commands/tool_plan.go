package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// autobuyProposer is nft autobuy. Its preview makes the plan, unless it is handed one,
// and what is approved is that plan.
type autobuyProposer struct{ c Command }

type planArgs struct {
	Plan string `json:"plan"`
}

func (p autobuyProposer) preview(ctx context.Context, d *Deps, args json.RawMessage) (ai.Preview, error) {
	var in struct {
		planArgs
		Budget string `json:"budget"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return ai.Preview{}, badArgument("plan", err)
	}
	if in.Plan == "" && in.Budget == "" {
		f := badArgument("budget", fmt.Errorf("it is required: the most that all prices together may come to"))
		return ai.Preview{}, f.With("expected", `a decimal string such as "30"`)
	}
	got, err := p.c.call(ctx, d, args)
	if err != nil {
		if in.Plan != "" {
			err = staleReference(err, "plan", "make a new one: nft_autobuy with maxPrice, count and budget")
		}
		return ai.Preview{}, err
	}
	out, ok := got.(nft.AutobuyOut)
	if !ok {
		return ai.Preview{}, fault.New(fault.Internal, "nft autobuy answers with %T", got)
	}
	if err := wouldBlock(out.WouldBlock, "planId", out.PlanID); err != nil {
		return ai.Preview{}, err
	}
	if out.PlanID == "" {
		return ai.Preview{}, fault.New(fault.NotFound, "%s", out.Message).Hintf("look at what is for sale with market_listings, or raise maxPrice").WithSent(fault.SentNo)
	}
	for _, it := range out.Planned {
		if it.Result != nft.ResultPlanned {
			return ai.Preview{}, fault.New(fault.StaleReference, "plan %s was carried out already, in part at least: %s #%s is %s", out.PlanID, it.Collection, it.TokenID, it.Result).
				Hintf("make a new one").With("planId", out.PlanID).WithSent(fault.SentNo)
		}
	}
	if out.Constraints.Budget == "" {
		return ai.Preview{}, fault.New(fault.LimitInvalid, "plan %s has no budget", out.PlanID).
			Hintf("make a plan with a budget: nft_autobuy with maxPrice, count and budget").WithSent(fault.SentNo)
	}
	return p.card(ctx, d, out)
}

func (p autobuyProposer) card(ctx context.Context, d *Deps, out nft.AutobuyOut) (ai.Preview, error) {
	buyer, err := d.buyer(ctx)
	if err != nil {
		return ai.Preview{}, err
	}
	binding, err := d.binding(ctx)
	if err != nil {
		return ai.Preview{}, err
	}
	run, err := rawJSON(planArgs{out.PlanID})
	if err != nil {
		return ai.Preview{}, err
	}
	c := out.Constraints
	amount := func(w units.Wei) string { return w.Decimal(units.APEDecimals) + " " + c.Currency }
	count := strconv.Itoa(len(out.Planned))
	facts := []ai.Fact{
		{Name: "count", Label: "tokens", Value: count},
		{Name: "total", Label: "price of all", Value: amount(out.TotalWei)},
		{Name: "maxPrice", Label: "price of one at most", Value: c.MaxPrice.String() + " " + c.Currency},
		{Name: "budget", Label: "budget", Value: c.Budget.String() + " " + c.Currency},
		{Name: "fees", Label: "others than the sellers get", Value: amount(out.FeesWei)},
	}
	var sources []string
	for i, it := range out.Planned {
		facts = append(facts, ai.Fact{Name: "token" + strconv.Itoa(i+1), Label: "token " + strconv.Itoa(i+1),
			Value: fmt.Sprintf("%s #%s for %s, of %s, from %s", it.Collection, it.TokenID, amount(it.PriceWei),
				common.HexToAddress(it.ContractAddress).Hex(), common.HexToAddress(it.Seller).Hex())})
		if i == 0 {
			sources = append(sources, it.Source)
		}
	}
	facts = append(facts,
		ai.Fact{Name: "recipient", Label: "tokens go to", Value: buyer.Hex()},
		ai.Fact{Name: "network", Label: "network", Value: fmt.Sprintf("chain %d", out.ChainID)},
		ai.Fact{Name: "profile", Label: "profile", Value: binding["profile"]},
		ai.Fact{Name: "planId", Label: "plan", Value: out.PlanID},
		ai.Fact{Name: "gas", Label: "gas", Value: "not in these amounts; each purchase is simulated first, and daily caps count it"},
	)
	for i, k := range out.Caps {
		left := "unlimited"
		if k.LeftWei != nil {
			left = amount(*k.LeftWei) + " left after it"
		}
		facts = append(facts, ai.Fact{Name: "cap" + strconv.Itoa(i+1), Label: "daily cap", Value: fmt.Sprintf("%s: %s used, %s", k.Name, amount(k.UsedWei), left), Volatile: true})
	}
	pre := ai.Preview{
		Title:       fmt.Sprintf("Buy %s for %s", counted(len(out.Planned), "token"), amount(out.TotalWei)),
		Impact:      fmt.Sprintf("Up to %s leave %s for good, and gas, in %s. What is gone meanwhile is left out; nothing else is bought in its place. It can't be undone.", amount(out.TotalWei), buyer.Hex(), counted(len(out.Planned), "transaction")),
		Facts:       facts,
		Identifiers: map[string]string{"count": count, "maxPrice": c.MaxPrice.String(), "budget": c.Budget.String()},
		Phrase:      out.ConfirmPhrase, Binding: binding, Args: run, Untrusted: sources, Reference: out.PlanID,
		Spends:  []ai.Amount{nativeAmount(out.ChainID, c.Currency, out.TotalWei)},
		TraceID: d.trace(),
	}
	if out.ExpiresAt != nil {
		pre.Expires = *out.ExpiresAt
		pre.Facts = append(pre.Facts, ai.Fact{Name: "planExpires", Label: "plan ends", Value: utcText(*out.ExpiresAt)})
	}
	return pre, nil
}

func (p autobuyProposer) execute(ctx context.Context, d *Deps, args json.RawMessage, a ai.Approval) (any, error) {
	var in planArgs
	if err := json.Unmarshal(args, &in); err != nil || in.Plan == "" || a.Phrase == "" {
		return nil, fault.New(fault.ActionStale, "the action does not say which plan was approved").WithSent(fault.SentNo)
	}
	return p.c.callWith(ctx, d, func(ctx context.Context) (any, error) {
		s, err := d.nft("")
		if err != nil {
			return nil, err
		}
		return s.Autobuy(ctx, nft.AutobuyIn{Plan: in.Plan, Execute: true, Confirm: a.Phrase, Exact: true})
	})
}

// haltProposer is policy halt.
type haltProposer struct{ c Command }

func (p haltProposer) preview(_ context.Context, d *Deps, args json.RawMessage) (ai.Preview, error) {
	var in PolicyHaltIn
	if err := json.Unmarshal(args, &in); err != nil {
		return ai.Preview{}, badArgument("reason", err)
	}
	cfg, err := d.Config()
	if err != nil {
		return ai.Preview{}, err
	}
	reason := d.redactor().String(in.Reason)
	if reason == "" {
		reason = "none given"
	}
	return ai.Preview{
		Title:  "Halt everything that spends",
		Impact: "Nothing is signed or sent from this home until a person lifts the halt, also what waits for its turn. What left already goes on.",
		Facts: []ai.Fact{
			{Name: "home", Label: "home", Value: store.Display(cfg.Home)},
			{Name: "profile", Label: "profile", Value: cfg.Profile},
			{Name: "reason", Label: "reason", Value: reason},
			{Name: "halted", Label: "halted already", Value: strconv.Itoa(len(policy.Halted(cfg.Home))) + " lines", Volatile: true},
			{Name: "undo", Label: "lifted by", Value: d.cli() + " policy unhalt"},
		},
		Binding: map[string]string{"profile": cfg.Profile, "home": store.Display(cfg.Home)},
		Args:    args,
	}, nil
}

func (p haltProposer) execute(ctx context.Context, d *Deps, args json.RawMessage, _ ai.Approval) (any, error) {
	return p.c.call(ctx, d, args)
}

// binding is what this process would act with: an action that was shown under another
// profile, account, state directory or policy is another action. listed is the slug
// and the contract of a collection, if there is one.
func (d *Deps) binding(ctx context.Context, listed ...string) (map[string]string, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	p, err := d.Policy()
	if err != nil {
		return nil, err
	}
	buyer, err := d.buyer(ctx)
	if err != nil {
		return nil, err
	}
	state, err := filepath.Abs(cfg.StateDir)
	if err != nil {
		return nil, err
	}
	out := map[string]string{"profile": cfg.Profile, "chainId": strconv.FormatInt(p.ChainID, 10), "from": buyer.Hex(), "stateDir": state,
		"home": cfg.Home, "policyHash": p.Hash()}
	if len(listed) == 2 {
		out["allowlist"] = listed[0] + "=" + listed[1]
	}
	return out, nil
}
