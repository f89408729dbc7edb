package commands

import (
	"context"
	"path/filepath"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// causePolicy begins the lines of HALT that policy halt writes.
const causePolicy = "policy"

// PolicyHaltIn says why.
type PolicyHaltIn struct {
	Reason string `json:"reason" ai:"expose" maxlen:"200" help:"why, for whoever finds it halted"`
}

// PolicyHaltOut is what halts now.
type PolicyHaltOut struct {
	OK     bool     `json:"ok"`
	Halted []string `json:"halted"`
	Path   string   `json:"path"`
	Undo   string   `json:"undo"`
}

func newPolicyHalt() Command {
	return define(Spec{Name: "policy halt", Short: "Stop everything that spends, also a run that is waiting",
		Long: `Write a line into HALT in the home. While that file is there nothing is signed or sent
from this home, whoever runs it; a run that waits for its turn or for a node is stopped
before its signature. What left already goes on. Needs no terminal: anybody may halt, a
person lifts it.`,
		Example: "  ape-claw policy halt --reason 'strange prices'",
		Events:  []string{"policy.halted"}, Offline: true, Late: true, Risk: RiskWrite, Permission: "policy:halt", AI: Exposure{Class: AITool, Grade: ai.GradeWrite}},
		policyHalt,
		func(p *Printer, out PolicyHaltOut) {
			p.Head("%s", p.style(red, "Halted: nothing is spent from this home"))
			for _, line := range out.Halted {
				p.Line("  %s", clean(line))
			}
			p.List(cyan, "To go on", []string{out.Undo})
		})
}

func policyHalt(ctx context.Context, d *Deps, in PolicyHaltIn) (PolicyHaltOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return PolicyHaltOut{}, err
	}
	// It may come from anywhere, also a model: what is a secret stays out of it.
	reason := d.redactor().String(in.Reason)
	if err := policy.WriteHalt(cfg.Home, causePolicy, reason, d.host.Now()); err != nil {
		// A file that is there and can't be read halts all the same.
		if len(policy.Halted(cfg.Home)) == 0 {
			return PolicyHaltOut{}, err
		}
		d.warn("%s: spending is halted already, without this reason", fault.From(err).Message)
	}
	out := PolicyHaltOut{OK: true, Halted: policy.Halted(cfg.Home), Path: store.Display(filepath.Join(cfg.Home, policy.HaltFile)), Undo: d.cli() + " policy unhalt"}
	// That it can't be recorded is no reason to go on spending.
	if err := d.Record(ctx, telemetry.Draft{Type: "policy.halted", Result: map[string]any{"halted": out.Halted, "reason": reason}}); err != nil {
		d.warn("%s: the halt is in force and not recorded", fault.From(err).Message)
	}
	return out, nil
}

// PolicyUnhaltIn has no flags.
type PolicyUnhaltIn struct{}

// PolicyUnhaltOut is what was removed, and what halts still.
type PolicyUnhaltOut struct {
	OK      bool     `json:"ok"`
	Removed []string `json:"removed"`
	Halted  []string `json:"halted"`
}

func newPolicyUnhalt() Command {
	return define(Spec{Name: "policy unhalt", Short: "Lift the halt, after a person has seen why it is there",
		Long: `Show the lines of HALT in the home at the terminal, ask, and remove them: all that were
shown, whoever wrote them. A line that was added meanwhile stays.`,
		Events: []string{"policy.unhalted"}, Offline: true, Risk: RiskHuman, Permission: "policy:write", AI: Exposure{Class: AINever}, Human: HumanAlways},
		policyUnhalt,
		func(p *Printer, out PolicyUnhaltOut) {
			switch {
			case len(out.Halted) > 0:
				p.Head("%s", p.style(red, "Still halted: this came meanwhile"))
				for _, line := range out.Halted {
					p.Line("  %s", clean(line))
				}
			case len(out.Removed) == 0:
				p.Line("Nothing was halted.")
			default:
				p.Line("No longer halted.")
			}
		})
}

func policyUnhalt(ctx context.Context, d *Deps, _ PolicyUnhaltIn) (PolicyUnhaltOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return PolicyUnhaltOut{}, err
	}
	out := PolicyUnhaltOut{OK: true, Removed: []string{}, Halted: []string{}}
	shown := policy.Halted(cfg.Home)
	if len(shown) == 0 {
		return out, nil
	}
	facts := []string{"Spending is halted in " + store.Display(cfg.Home) + " by:"}
	for _, line := range shown {
		facts = append(facts, "  "+line)
	}
	if err := d.needTerminal(ctx, "remove "+counted(len(shown), "cause")+" and let this home spend again", facts...); err != nil {
		return PolicyUnhaltOut{}, err
	}
	removed, err := policy.ClearHalt(cfg.Home, "", shown...)
	if err != nil {
		return PolicyUnhaltOut{}, err
	}
	out.Removed, out.Halted = append(out.Removed, removed...), append(out.Halted, policy.Halted(cfg.Home)...)
	return out, d.Record(ctx, telemetry.Draft{Type: "policy.unhalted", Result: map[string]any{"removed": out.Removed, "halted": out.Halted}})
}
