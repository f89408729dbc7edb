package commands

import (
	"context"
	"fmt"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// PolicyCheckIn names a file that is not installed, or nothing.
type PolicyCheckIn struct {
	File string `json:"file" ai:"operator" arg:"file" help:"a policy file to read as if it were the home's; without, the files in force" complete:"files"`
}

// PolicyCheckOut is what the files make together.
type PolicyCheckOut struct {
	OK        bool                `json:"ok"`
	File      string              `json:"file,omitempty"`
	Policy    *policy.Policy      `json:"policy"`
	Spendable []string            `json:"spendable"` // in words
	Limits    []PolicyLimit       `json:"limits"`
	Files     []policy.FileReport `json:"files"`
	Allowlist []policy.FileReport `json:"allowlistFiles"`
	Warnings  []string            `json:"warnings"`
}

func newPolicyCheck() Command {
	return define(Spec{Name: "policy check", Short: "Read policy files strictly and say what is wrong, and what they allow",
		Long: `Read every file of the fence strictly, also after a mistake, and say what is wrong with
line and column, what each file narrows and what could be spent. A file that is named is
read as if it were the home's policy.json, beneath all others, and is not installed. A
file that can't be read strictly is policy_invalid, exit status 3: so it would be for
every purchase.`,
		Example: "  ape-claw policy check\n  ape-claw policy check ./new-policy.json",
		Events:  []string{"policy.checked"}, Offline: true, Risk: RiskRead, Permission: "policy:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true,
			About: "Read the policy files in force strictly and say what is wrong with them, what each narrows and what could be spent."}},
		policyCheck,
		func(p *Printer, out PolicyCheckOut) {
			p.Head("%s", p.style(green, "The policy can be read"))
			p.List("", "What it allows", out.Spendable)
			p.Line("")
			printFiles(p, append(out.Files, out.Allowlist...))
			p.List(yellow, "Warnings", out.Warnings)
		})
}

func policyCheck(ctx context.Context, d *Deps, in PolicyCheckIn) (PolicyCheckOut, error) {
	src, err := d.sources()
	if err != nil {
		return PolicyCheckOut{}, err
	}
	src.Base = in.File
	r := policy.LoadReport(src)
	if r.Err != nil {
		return PolicyCheckOut{}, d.mistakes(r)
	}
	list, err := policy.LoadAllowlist(src)
	if err != nil {
		return PolicyCheckOut{}, err
	}
	out := PolicyCheckOut{OK: true, File: in.File, Policy: r.Policy, Spendable: spendable(r.Policy, enabled(list)), Limits: limitsOf(r.Policy),
		Files: r.Files, Allowlist: r.Allowlist, Warnings: append([]string{}, r.Warnings...)}
	return out, d.Record(ctx, telemetry.Draft{Type: "policy.checked", Payload: map[string]any{"file": in.File},
		Result: map[string]any{"ok": true, "files": fileNames(r), "warnings": out.Warnings}})
}

// mistakes is the error of a report, with everything there is to mend.
func (d *Deps) mistakes(r policy.Report) error {
	e := fault.From(r.Err)
	var all []string
	for _, f := range append(append([]policy.FileReport(nil), r.Files...), r.Allowlist...) {
		for _, m := range f.Mistakes {
			all = append(all, m)
			if m != e.Message && !d.wantJSON {
				d.warn("also %s", m)
			}
		}
	}
	if len(all) > 0 {
		e = e.With("mistakes", all)
	}
	return e
}

func fileNames(r policy.Report) []string {
	out := []string{}
	for _, f := range r.Files {
		out = append(out, f.File)
	}
	return out
}

func enabled(list *policy.Allowlist) (n int) {
	for _, e := range list.Entries() {
		if e.Enabled {
			n++
		}
	}
	return n
}

// spendable says in words what a policy lets through.
func spendable(p *policy.Policy, collections int) []string {
	ape := func(c policy.Cap) string { return amount(c, units.APEDecimals, p.NativeToken) }
	one, day := p.NFTBuy.MaxPricePerTx, p.Execution.DailySpendCap
	if c := p.Execution.AgentCap; c != nil {
		day = day.Min(*c)
	}
	if spendsNothing(one) || spendsNothing(day) {
		return []string{"nothing can be spent: one purchase may cost " + ape(one) + ", and a day " + ape(day)}
	}
	out := []string{
		"one purchase: " + upTo(one, ape),
		"in any 24 hours, gas included: " + upTo(day, ape),
		fmt.Sprintf("of %s on the allowlist, paid in %s", counted(collections, "collection"), listed(p.NFTBuy.Currencies)),
		"to others than the seller: " + upToFee(p.NFTBuy.MaxMarketplaceFee),
	}
	if n := len(p.NFTBuy.CollectionCaps); n > 0 {
		out = append(out, counted(n, "collection")+" with caps of its own")
	}
	if n := len(p.Execution.CurrencyCaps); n > 0 {
		out = append(out, "of other tokens: "+counted(n, "currency cap"))
	}
	if times := windowsText(p.Execution.Windows); times != "always" {
		out = append(out, "at these times only: "+times)
	}
	if !p.NFTBuy.SimulationRequired {
		out = append(out, "without a passed simulation")
	}
	if n := len(p.V2.Contracts); n > 0 {
		out = append(out, "calls of "+counted(n, "contract")+" whose code is not ape-claw's own")
	}
	if p.Receipts.Auto {
		out = append(out, "gas for a receipt of each confirmed purchase, unasked")
	}
	switch x := p.Execution; {
	case x.AutonomousMode && (x.DailySpendCap.Unlimited && x.AgentCap == nil):
		out = append(out, "each purchase is confirmed by its phrase: --autonomous needs a daily cap")
	case x.AutonomousMode:
		out = append(out, "without anybody confirming: --autonomous is allowed")
	case x.ConfirmPhraseRequired:
		out = append(out, "each purchase is confirmed by its phrase")
	default:
		out = append(out, "without a phrase: execution.confirmPhraseRequired is false")
	}
	return out
}

func upTo(c policy.Cap, show func(policy.Cap) string) string {
	if c.Unlimited {
		return "any amount, without a limit"
	}
	return "at most " + show(c)
}

func upToFee(c policy.FeeCap) string {
	if c.Unlimited {
		return "any part of the price"
	}
	return "at most " + c.String() + " of the price"
}

// printFiles says what each file is and which limits hold because of it.
func printFiles(p *Printer, files []policy.FileReport) {
	rows := make([][]string, 0, len(files))
	for _, f := range files {
		sets := listed(f.Sets)
		if f.Role == policy.RoleBase || f.Role == policy.RoleBuiltIn {
			sets = "what no other file narrows"
		}
		rows = append(rows, []string{f.File, f.Role, sets})
	}
	p.Table([]string{"FILE", "ROLE", "WHAT HOLDS BECAUSE OF IT"}, rows)
}
