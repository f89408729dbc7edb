package commands

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// PolicyInitIn is what a first policy allows.
type PolicyInitIn struct {
	MaxPrice   string `json:"maxPrice" help:"most that one purchase may cost, in APE, or unlimited; asked for when left out"`
	DailyCap   string `json:"dailyCap" help:"most that may be spent in any 24 hours, gas included, in APE, or unlimited; asked for when left out"`
	Autonomous bool   `json:"autonomous" help:"let --autonomous stand in for the confirm phrase"`
	Force      bool   `json:"force" help:"replace the policy that is there; it is kept beside the new one"`
}

// Check reads the amounts before anything is asked.
func (in PolicyInitIn) Check() error {
	for flag, v := range map[string]string{"--max-price": in.MaxPrice, "--daily-cap": in.DailyCap} {
		if v == "" {
			continue
		}
		if err := checkAmount(v); err != nil {
			return fault.New(fault.Usage, "%s: %s", flag, fault.From(err).Message).Hintf("ape-claw policy init --max-price 12.5 --daily-cap 50")
		}
	}
	return nil
}

// checkAmount accepts an exact amount of APE, or the word that lifts a cap.
func checkAmount(s string) error {
	if s == "unlimited" {
		return nil
	}
	_, err := units.Parse(s, units.APEDecimals)
	return err
}

// PolicyInitOut is what was written.
type PolicyInitOut struct {
	OK        bool           `json:"ok"`
	Path      string         `json:"path"`
	Backup    string         `json:"backup,omitempty"`
	Policy    *policy.Policy `json:"policy"`    // as every file together has it now
	Spendable []string       `json:"spendable"` // in words
	Warnings  []string       `json:"warnings"`
	Next      string         `json:"next"`
}

func newPolicyInit() Command {
	return define(Spec{Name: "policy init", Short: "Write the home's policy: what may be spent, which is nothing until then",
		Long: `Write policy.json into the home, with every key there is. Amounts that are not given are
asked for at the terminal; what the policy will allow is shown there, and nothing is
written before a yes. Other policy files can only narrow it. A policy that is there is
kept beside the new one, and replaced only with --force.`,
		Example: "  ape-claw policy init\n  ape-claw policy init --max-price 12.5 --daily-cap 50",
		Events:  []string{"policy.initialized"}, Offline: true, Risk: RiskHuman, Permission: "policy:write", AI: Exposure{Class: AINever}, Human: HumanAlways},
		policyInit,
		func(p *Printer, out PolicyInitOut) {
			p.Head("Wrote %s", out.Path)
			p.KV("kept the old one as", out.Backup)
			p.List("", "What may be spent now", out.Spendable)
			p.List(yellow, "Warnings", out.Warnings)
			p.List(cyan, "Next", []string{out.Next})
		})
}

func policyInit(ctx context.Context, d *Deps, in PolicyInitIn) (PolicyInitOut, error) {
	src, err := d.sources()
	if err != nil {
		return PolicyInitOut{}, err
	}
	path := filepath.Join(src.Home, "policy.json")
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) && !in.Force {
		return PolicyInitOut{}, fault.New(fault.Conflict, "%s is there already", store.Display(path)).
			Hintf("look at it: %s policy show; replace it, and keep the old one beside it, with --force", d.cli()).WithSent(fault.SentNo)
	}
	for _, a := range []struct {
		v         *string
		flag, ask string
	}{
		{&in.MaxPrice, "--max-price", "What may one purchase cost at most, in APE (for example 12.5; 0 allows nothing)? "},
		{&in.DailyCap, "--daily-cap", "What may be spent in any 24 hours at most, gas included, in APE (for example 50; 0 allows nothing)? "},
	} {
		if *a.v == "" {
			if *a.v, err = d.askAmount(ctx, a.flag, a.ask); err != nil {
				return PolicyInitOut{}, err
			}
		}
	}
	o := policy.InitOptions{Force: in.Force, MaxPricePerTx: in.MaxPrice, DailySpendCap: in.DailyCap, Now: d.host.Now()}
	if cfg, err := d.Config(); err == nil && cfg.Sandbox != nil {
		o.PracticeChain = cfg.Sandbox.ChainID
	}
	if o.Template, err = policy.InitTemplate(o); err != nil {
		return PolicyInitOut{}, err
	}
	if in.Autonomous {
		o.Template = bytes.Replace(o.Template, []byte(`"autonomousMode": false`), []byte(`"autonomousMode": true`), 1)
	}
	facts, err := initFacts(src, path, o.Template)
	if err != nil {
		return PolicyInitOut{}, err
	}
	if err := d.needTerminal(ctx, "write "+store.Display(path), facts...); err != nil {
		return PolicyInitOut{}, err
	}
	written, backup, err := policy.Init(src.Home, o)
	if err != nil {
		return PolicyInitOut{}, err
	}
	return d.initialized(ctx, src, written, backup, in)
}

// initialized tells what holds now: other files may narrow what was written.
func (d *Deps) initialized(ctx context.Context, src policy.Sources, path, backup string, in PolicyInitIn) (PolicyInitOut, error) {
	out := PolicyInitOut{OK: true, Path: store.Display(path), Spendable: []string{}, Warnings: []string{}, Next: d.cli() + " policy show"}
	if backup != "" {
		out.Backup = store.Display(backup)
	}
	result := map[string]any{"path": out.Path, "backup": out.Backup, "maxPricePerTx": in.MaxPrice, "dailySpendCap": in.DailyCap, "autonomousMode": in.Autonomous}
	if r := policy.LoadReport(src); r.Err != nil {
		out.Warnings = append(out.Warnings, "nothing can be spent yet: "+sentence(r.Err))
	} else {
		out.Policy = r.Policy
		out.Warnings = append(out.Warnings, r.Warnings...)
		if list, err := policy.LoadAllowlist(src); err == nil {
			out.Spendable = spendable(r.Policy, enabled(list))
		}
		result["policyHash"] = r.Policy.Hash()
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "policy.initialized", Result: result})
}

// initFacts is what a person should see before the policy is written.
func initFacts(src policy.Sources, path string, text []byte) ([]string, error) {
	p, err := policy.Parse("the new policy.json", text)
	if err != nil {
		return nil, err
	}
	list, err := policy.LoadAllowlist(src)
	if err != nil {
		return nil, err
	}
	facts := []string{"This policy will allow:"}
	for _, line := range spendable(p, enabled(list)) {
		facts = append(facts, "  "+line)
	}
	if b, err := os.ReadFile(path); err == nil {
		facts = append(facts, "It replaces "+store.Display(path)+", which is kept beside it.")
		if old, err := policy.Parse(store.Display(path), b); err == nil {
			facts = append(facts, changes(old, p)...)
		} else {
			facts = append(facts, "  The old one can't be read.")
		}
	}
	return facts, nil
}

// changes lists the limits that differ between two policies.
func changes(old, now *policy.Policy) []string {
	was := map[string]string{}
	for _, l := range limitsOf(old) {
		was[l.Key] = l.Value
	}
	var out []string
	for _, l := range limitsOf(now) {
		if v, ok := was[l.Key]; !ok || v != l.Value {
			out = append(out, "  "+l.Key+": "+orDash(v)+" becomes "+l.Value)
		}
		delete(was, l.Key)
	}
	for _, l := range limitsOf(old) {
		if v, ok := was[l.Key]; ok {
			out = append(out, "  "+l.Key+": "+v+" is not there any more")
		}
	}
	return out
}

// askAmount asks until it gets an amount.
func (d *Deps) askAmount(ctx context.Context, flag, question string) (string, error) {
	var facts []string
	for {
		typed, err := d.ask(ctx, "say what may be spent; "+flag+" is not given", facts, question)
		if err != nil {
			return "", err
		}
		if typed = strings.TrimSpace(typed); typed != "" {
			err := checkAmount(typed)
			if err == nil {
				return typed, nil
			}
			facts = []string{fault.From(err).Message}
		}
	}
}
