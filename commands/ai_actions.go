package commands

import (
	"context"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func aiActionCommands() []Command {
	return []Command{newAIActionsList(), newAIActionsShow(), newAIActionsApprove(), newAIActionsReject(), newAIActionsWatch()}
}

// actionEvents are what looking at actions can tell of: that one has expired, what
// became of one that was cut off, and what a process did not live to tell.
var actionEvents = []string{"ai.actions.read", "ai.action.proposed", "ai.action.resolved", "ai.grant.created", "ai.action.executed"}

// aiActions is what keeps the actions of this state directory.
func (d *Deps) aiActions(context.Context) (*action.Service, error) {
	if d.parent != nil {
		return d.parent.aiActions(context.Background())
	}
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	_, child := d.host.Env(envAIChild)
	return action.New(action.Options{State: d.stateDB, Redactor: d.redactor(), Now: d.host.Now, Record: d.aiRecord, Child: child, CLI: d.cli(),
		Killed: func() []string { return ai.Killed(cfg.Home) },
		Lookup: func(name string) (ai.Tool, bool) {
			r, err := d.aiRegistry()
			if err != nil {
				d.warn("%s", fault.From(err).Message)
				return ai.Tool{}, false
			}
			return r.Lookup(name)
		},
		Permissions: aiPermissions,
		Initialized: func(ctx context.Context) (bool, error) {
			op, err := d.aiOperator()
			if err != nil {
				return false, err
			}
			return op.Initialized(ctx)
		},
		Settled: d.settledAction,
		Logged:  d.loggedEvent,
		After:   d.afterAction,
	}), nil
}

// aiPermissions are those that commands have which are tools.
func aiPermissions() []string {
	var out []string
	for _, c := range all() {
		if c.AI.Class == AITool {
			out = append(out, c.Permission)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// AIActionsListIn selects actions.
type AIActionsListIn struct {
	State  []string `json:"state" enum:"proposed,executing,executed,failed,rejected,cancelled,expired" help:"only of these states; comma-separated"`
	Origin string   `json:"origin" help:"only of this connection or client, as conn:NAME or mcp:NAME"`
	Trace  string   `json:"trace" help:"only of this trace"`
	Limit  int      `json:"limit" default:"50" min:"1" help:"at most so many, the newest"`
}

// AIActionsListOut is what was proposed, and what came of it.
type AIActionsListOut struct {
	OK      bool            `json:"ok"`
	Count   int             `json:"count"`
	Open    int             `json:"open"` // of those, what waits for a person
	Actions []action.Action `json:"actions"`

	cli string
}

func newAIActionsList() Command {
	return define(Spec{Name: "ai actions list", Short: "List what models proposed, and what came of it",
		Long: `List what models proposed to do, the newest first: what waits for a person, and what
became of the rest. Looking brings the list up to date: what waited for too long expires,
and an execution whose process is gone ends with an unknown outcome, which the log of
events may settle.`,
		Example: "  ape-claw ai actions list\n  ape-claw ai actions list --state proposed --json",
		Events:  actionEvents, Risk: RiskRead, Permission: "actions:read", Offline: true, AI: Exposure{Class: AINever}},
		aiActionsList,
		func(p *Printer, out AIActionsListOut) {
			if out.Count == 0 {
				p.Line("No actions.")
				return
			}
			var rows [][]string
			for _, a := range out.Actions {
				rows = append(rows, []string{a.ID, stateText(a), string(a.Grade), a.Origin, a.CreatedAt.UTC().Format("2006-01-02 15:04:05"), action.Cut(a.Title, 60)})
			}
			p.Table([]string{"ID", "STATE", "RISK", "ASKED BY", "PROPOSED (UTC)", "WHAT"}, rows)
			if out.Open > 0 {
				p.List(cyan, "Next", []string{out.cli + " ai actions show ID", out.cli + " ai actions approve ID", out.cli + " ai actions reject ID --reason WHY"})
			}
		})
}

// stateText says a state in a word or two.
func stateText(a action.Action) string {
	switch {
	case a.Outcome != nil && a.Outcome.Outcome == action.OutcomeUnknown:
		return "failed: outcome unknown"
	case a.Partial():
		return "executed in part"
	case a.Outcome != nil && a.Outcome.Reconciled:
		return string(a.State) + " (reconciled)"
	}
	return string(a.State)
}

func aiActionsList(ctx context.Context, d *Deps, in AIActionsListIn) (AIActionsListOut, error) {
	out := AIActionsListOut{OK: true, Actions: []action.Action{}, cli: d.cli()}
	db, err := d.oldState(ctx)
	if err != nil {
		return out, err
	}
	if db != nil {
		s, err := d.aiActions(ctx)
		if err != nil {
			return out, err
		}
		f := action.Filter{Origin: in.Origin, Trace: in.Trace, Limit: in.Limit}
		for _, st := range in.State {
			f.States = append(f.States, action.State(strings.ToLower(st)))
		}
		if err := knownStates(f.States); err != nil {
			return out, err
		}
		if out.Actions, err = s.List(ctx, f); err != nil {
			return out, err
		}
	}
	for _, a := range out.Actions {
		if a.Open() {
			out.Open++
		}
	}
	out.Count = len(out.Actions)
	return out, d.Record(ctx, telemetry.Draft{Type: "ai.actions.read", Result: map[string]any{"count": out.Count}})
}

func knownStates(states []action.State) error {
	for _, st := range states {
		if !slices.Contains(action.States(), st) {
			return fault.New(fault.Usage, "there is no state %q", shownArg(string(st))).Hintf("ape-claw ai actions list --help")
		}
	}
	return nil
}

// AIActionIn names an action.
type AIActionIn struct {
	ID string `json:"id" arg:"id" required:"true" complete:"waiting" help:"the action's id"`
}

// AIActionsShowIn names an action, also one that is decided.
type AIActionsShowIn struct {
	ID string `json:"id" arg:"id" required:"true" complete:"actions" help:"the action's id"`
}

// AIActionsShowOut is one action with its history.
type AIActionsShowOut struct {
	OK bool `json:"ok"`
	action.Action
	Permits []action.Permit   `json:"permits"`
	History []action.AuditRow `json:"history"`
	// Audit is what is wrong with the audit of this state directory.
	Audit string `json:"auditError,omitempty"`

	cli string
}

func newAIActionsShow() Command {
	return define(Spec{Name: "ai actions show", Short: "Show an action: facts, the model's words, and its history",
		Long: `Show an action as it is stored: the facts as they were when it was proposed, below them
what the model says and where that differs, what the model had read from outside, and
everything that was done with it. What would happen now is computed when it is approved.`,
		Example: "  ape-claw ai actions show act_k7m2p9…",
		Events:  actionEvents, Risk: RiskRead, Permission: "actions:read", Offline: true, AI: Exposure{Class: AINever}},
		aiActionsShow,
		func(p *Printer, out AIActionsShowOut) {
			for _, line := range cardLines(out.Action) {
				p.Line("%s", clean(line))
			}
			printOutcome(p, out.Action)
			for _, r := range out.History {
				p.Line("  %s %s", p.style(dim, r.At.Format("15:04:05.000")), clean(r.Kind))
			}
			if out.Audit != "" {
				p.Line("  %s", p.style(red, clean(out.Audit)))
			}
			if out.Open() {
				p.List(cyan, "Next", []string{out.cli + " ai actions approve " + out.ID, out.cli + " ai actions reject " + out.ID + " --reason WHY"})
			}
		})
}

func aiActionsShow(ctx context.Context, d *Deps, in AIActionsShowIn) (AIActionsShowOut, error) {
	out := AIActionsShowOut{OK: true, cli: d.cli()}
	s, err := d.oldActions(ctx, in.ID)
	if err != nil {
		return out, err
	}
	if out.Action, err = s.Show(ctx, in.ID); err != nil {
		return out, err
	}
	if out.Permits, err = s.Permits(ctx, in.ID); err != nil {
		return out, err
	}
	if out.History, err = s.Audit(ctx, in.ID, 50); err != nil {
		if out.History == nil {
			return out, err
		}
		out.Audit = fault.From(err).Message
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "ai.actions.read", Payload: map[string]any{"actionId": out.ID}, Result: map[string]any{"count": 1}})
}

// oldActions is the actions of a state directory that is there: to name one that
// can't be makes none.
func (d *Deps) oldActions(ctx context.Context, id string) (*action.Service, error) {
	db, err := d.oldState(ctx)
	if err != nil {
		return nil, err
	}
	if db == nil {
		return nil, fault.New(fault.NotFound, "no action %s: nothing was proposed in this state directory", shownArg(id)).
			Hintf("ape-claw config paths says which it is").WithSent(fault.SentNo)
	}
	return d.aiActions(ctx)
}
