package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
)

func policyExplain(ctx context.Context, d *Deps, in PolicyExplainIn) (PolicyExplainOut, error) {
	x := in.parsed
	out := PolicyExplainOut{OK: true, Command: x.spec.Name, Exists: true, Risk: x.spec.Risk, Permission: x.spec.Permission, Human: x.spec.Human,
		Gates: []ExplainGate{}, Notes: []string{}}
	var err error
	switch {
	case x.spec.Name == "nft quote", x.spec.Name == "nft simulate", x.spec.Name == "nft buy":
		err = d.explainNFT(ctx, x, &out)
	case x.spec.Name == "nft autobuy":
		err = d.explainAutobuy(ctx, x, &out)
	case x.spec.Name == "bridge execute":
		err = d.explainBridge(ctx, x, &out)
	case x.writesV2():
		err = d.explainV2(ctx, x, &out)
	default:
		out.note("it spends nothing: no gate stands before it")
	}
	if err != nil {
		return out, err
	}
	if x.spec.Human != "" {
		out.note("a person at the terminal has to agree: %s", x.spec.Human)
	}
	refusing := []string{}
	for i, g := range out.Gates {
		out.Gates[i].Change = d.inProfile(g.Change)
		if g.Verdict == verdictRefuses {
			refusing = append(refusing, g.Gate)
		}
	}
	out.WouldPass = len(refusing) == 0
	return out, d.Record(ctx, telemetry.Draft{Type: "policy.explained", Payload: map[string]any{"command": fullName(out.Command)},
		Result: map[string]any{"spends": out.Spends, "refusing": refusing, "gates": len(out.Gates)}})
}

func (o *PolicyExplainOut) note(format string, args ...any) {
	o.Notes = append(o.Notes, fmt.Sprintf(format, args...))
}

// gates adds verdicts of policy; those that are named depend on what a run finds.
func (o *PolicyExplainOut) gates(gates []policy.Gate, depends map[string]string) {
	for _, g := range gates {
		x := ExplainGate{Gate: g.Name, Verdict: verdictPasses, Code: g.Code, Reason: g.Reason, Measured: g.Measured, Limit: g.Limit, Setting: g.Setting, Change: g.Change}
		if !g.OK {
			x.Verdict = verdictRefuses
		}
		if why, ok := depends[g.Name]; ok {
			x = ExplainGate{Gate: g.Name, Verdict: verdictDepends, Reason: why, Limit: g.Limit, Setting: g.Setting}
		}
		o.Gates = append(o.Gates, x)
	}
}

// given is the text of a field of a command's input, by its name.
func (x explained) given(name string) string {
	if x.in == nil {
		return ""
	}
	v := reflect.ValueOf(x.in)
	for _, f := range InputFields(v.Type()) {
		if jsonName(f) != name {
			continue
		}
		if fv := v.FieldByIndex(f.Index); fv.Kind() != reflect.Pointer {
			return fmt.Sprint(fv.Interface())
		}
	}
	return ""
}

func (x explained) is(name string) bool { return x.given(name) == "true" }

func (d *Deps) explainNFT(ctx context.Context, x explained, out *PolicyExplainOut) error {
	s, err := d.nft(x.given("dataSource"))
	if err != nil {
		return err
	}
	gates, err := s.Explain(ctx, nft.ExplainIn{Command: x.spec.Name, Collection: x.given("collection"), TokenID: x.given("tokenId"),
		MaxPrice: x.given("maxPrice"), Currency: x.given("currency"), Quote: x.given("quote"), Confirm: x.given("confirm"), Autonomous: x.is("autonomous")})
	if err != nil {
		return err
	}
	depends := map[string]string{}
	if x.spec.Name == "nft quote" {
		depends[policy.GateMaxPrice] = "the price is known when the listing is read"
	}
	out.gates(gates, depends)
	switch {
	case x.spec.Name != "nft buy":
		out.note("it spends nothing: only what holds without spending is checked")
	case x.is("execute"):
		out.Spends = true
		d.noteReceipts(out)
	default:
		out.note("without --execute it is a dry run and spends nothing; the verdicts are those of --execute")
	}
	return nil
}

// noteReceipts says of what buys that its receipt is recorded too, where policy has it so.
func (d *Deps) noteReceipts(out *PolicyExplainOut) {
	if p, err := d.Policy(); err == nil && p.Receipts.Auto {
		out.note("once it is confirmed its receipt is recorded on chain, through gates of its own: receipts.auto")
	}
}

// standing decides about a purchase of which nothing is known but its price.
func (d *Deps) standing(ctx context.Context, price units.Wei, autonomous bool) ([]policy.Gate, policy.Fence, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, policy.Fence{}, err
	}
	src, err := d.sources()
	if err != nil {
		return nil, policy.Fence{}, err
	}
	f := policy.LoadFence(src)
	p := policy.Purchase{Price: price, Decimals: units.APEDecimals, Now: d.host.Now().UTC(), Autonomous: autonomous, Subject: "agent:" + cfg.Agent.Value}
	if f.Policy != nil {
		p.Asset, p.Currency = policy.NativeOf(f.Policy.ChainID), f.Policy.NativeToken
		p.Spent, p.SpentErr = d.used(ctx, f.Policy.Limits(p.Scope()))
	}
	return policy.Decide(policy.Execute, f, p).Gates(), f, nil
}

// used is what counts against limits; a home that spent nothing has no ledger yet.
func (d *Deps) used(ctx context.Context, limits []policy.Limit) ([]policy.Use, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(cfg.Home, store.MoneyFile)); errors.Is(err, fs.ErrNotExist) {
		uses := make([]policy.Use, len(limits))
		for i, l := range limits {
			uses[i].Limit = l
		}
		return uses, nil
	}
	ledger, err := d.ledger(ctx)
	if err != nil {
		return nil, err
	}
	return ledger.Uses(ctx, nil, limits)
}

func printExplained(p *Printer, out PolicyExplainOut) {
	switch {
	case len(out.Gates) == 0:
		p.Head("%s", clean(out.Command))
	case out.WouldPass:
		p.Head("%s: %s", clean(out.Command), p.style(green, "no gate refuses"))
	default:
		p.Head("%s: %s", clean(out.Command), p.style(red, "would be refused"))
	}
	for _, g := range out.Gates {
		sgr := map[string]string{verdictPasses: green, verdictRefuses: red, verdictDepends: yellow}[g.Verdict]
		p.Line("%s  %-16s %s", p.style(sgr, fmt.Sprintf("%-8s", g.Verdict)), g.Gate, clean(g.held()))
		for _, line := range []string{g.Reason, g.Change} {
			if line != "" {
				p.Line("            %s", clean(line))
			}
		}
	}
	p.Line("")
	p.KV("risk", string(out.Risk), "permission", out.Permission)
	for _, n := range out.Notes {
		p.Line("  %s", clean(n))
	}
}

// held is what was measured, held against what, and where that is written.
func (g ExplainGate) held() string {
	s := g.Measured
	if g.Limit != "" {
		if s != "" {
			s += "; "
		}
		s += "limit " + g.Limit
	}
	if g.Setting != "" {
		s += " (" + g.Setting + ")"
	}
	return s
}
