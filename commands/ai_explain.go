package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// AIExplainIn is what is asked about: an action, or a call that nobody makes.
type AIExplainIn struct {
	Action     string `json:"action" arg:"action" complete:"actions" help:"id of an action"`
	Tool       string `json:"tool" complete:"tools" help:"instead: name of a tool, as a model would call it"`
	Args       string `json:"args" help:"its arguments as JSON; {} if not given"`
	Connection string `json:"connection" complete:"connections" help:"the connection that would call it; the default one if not given"`
}

// Check wants one of the two.
func (in AIExplainIn) Check() error {
	if (in.Action == "") == (in.Tool == "") {
		return fault.New(fault.Usage, "give an action, or --tool with --args").Hintf("ape-claw ai explain act_…   or   ape-claw ai explain --tool nft_buy --args '{\"quote\":\"q_…\"}'")
	}
	if in.Action != "" && (in.Args != "" || in.Connection != "") {
		return fault.New(fault.Usage, "--args and --connection go with --tool: an action has its own").Hintf("ape-claw ai explain %s", shownArg(in.Action))
	}
	return nil
}

// AIExplainOut is every check between a model's call and its effect, in order.
type AIExplainOut struct {
	OK        bool          `json:"ok"`
	ActionID  string        `json:"actionId,omitempty"`
	State     action.State  `json:"state,omitempty"`
	Tool      string        `json:"tool"`
	Grade     ai.Grade      `json:"grade"`
	Origin    string        `json:"origin"`    // conn:<name>, mcp:<client>; "" when there is no connection
	WouldPass bool          `json:"wouldPass"` // no check refuses; some may depend on what is found later
	Checks    []ExplainGate `json:"checks"`
	Notes     []string      `json:"notes"`
}

func newAIExplain() Command {
	return define(Spec{Name: "ai explain", Short: "Say which checks an action or a tool call passes, and what changes that",
		Long: `List every check between a model's call and its effect, in order: kill switch, connection
and its caps, tools of the preset, arguments, permission, the person's approval, permit,
limits, and the gates of the policy. Each says what was measured, what it was held against,
where that is set, and what would change it. Nothing is run, sent or asked of a network, and
the exit status is 0 whatever the verdicts are.`,
		Example: "  ape-claw ai explain act_…\n  ape-claw ai explain --tool nft_buy --args '{\"quote\":\"q_…\"}'",
		Events:  []string{"ai.policy.explained"}, Offline: true, Risk: RiskRead, Permission: "ai:read", AI: Exposure{Class: AIOperator}},
		func(ctx context.Context, d *Deps, in AIExplainIn) (AIExplainOut, error) {
			out, err := d.aiExplain(ctx, in)
			if err != nil {
				return out, err
			}
			payload := map[string]any{"tool": out.Tool}
			if out.ActionID != "" {
				payload["actionId"] = out.ActionID
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "ai.policy.explained", Payload: payload, Result: map[string]any{"checks": out.brief()}})
		},
		func(p *Printer, out AIExplainOut) {
			name := out.Tool
			if out.ActionID != "" {
				name = out.ActionID + " (" + out.Tool + ", " + string(out.State) + ")"
			}
			if out.State == action.Executed {
				p.Head("%s: %s", shownFact(name), p.style(green, "was carried out"))
			} else if out.WouldPass {
				p.Head("%s: %s", shownFact(name), p.style(green, "no check refuses"))
			} else {
				p.Head("%s: %s", shownFact(name), p.style(red, "would be refused"))
			}
			for _, r := range out.Checks {
				sgr := map[string]string{verdictPasses: green, verdictRefuses: red, verdictDepends: yellow}[r.Verdict]
				p.Line("%s  %-16s %s", p.style(sgr, fmt.Sprintf("%-8s", r.Verdict)), r.Gate, shownFact(r.held()))
				for _, line := range []string{r.Reason, r.Change} {
					if line != "" {
						p.Line("            %s", shownFact(line))
					}
				}
			}
			p.Line("")
			p.KV("grade", string(out.Grade), "asked by", shownFact(out.Origin))
			for _, n := range out.Notes {
				p.Line("  %s", shownFact(n))
			}
		})
}

// brief is what the log keeps of the checks.
func (o AIExplainOut) brief() []map[string]any {
	out := []map[string]any{}
	for _, r := range o.Checks {
		b := map[string]any{"check": r.Gate, "verdict": r.Verdict}
		if r.Code != "" {
			b["code"] = r.Code
		}
		out = append(out, b)
	}
	return out
}

// explaining is one explanation in the making.
type explaining struct {
	d    *Deps
	out  *AIExplainOut
	tool ai.Tool
	args json.RawMessage // as the execution would be called
	act  *action.Action  // nil: only a call
}

// aiExplain explains and records nothing.
func (d *Deps) aiExplain(ctx context.Context, in AIExplainIn) (AIExplainOut, error) {
	out := AIExplainOut{OK: true, Checks: []ExplainGate{}, Notes: []string{}}
	x := explaining{d: d, out: &out}
	if err := x.subject(ctx, in); err != nil {
		return out, err
	}
	for _, check := range []func(context.Context) error{x.killed, x.connection, x.preset, x.arguments, x.approval, x.permit, x.limits, x.policy} {
		if err := check(ctx); err != nil {
			return out, err
		}
	}
	out.WouldPass = true
	for i, r := range out.Checks {
		out.Checks[i].Change = d.inProfile(r.Change)
		out.WouldPass = out.WouldPass && r.Verdict != verdictRefuses
	}
	return out, nil
}

// subject finds the tool, its arguments and who asks.
func (x *explaining) subject(ctx context.Context, in AIExplainIn) error {
	registry, err := x.d.aiRegistry()
	if err != nil {
		return err
	}
	name := in.Tool
	if in.Action != "" {
		s, err := x.d.aiActions(ctx)
		if err != nil {
			return err
		}
		a, err := s.Show(ctx, in.Action)
		if err != nil {
			return err
		}
		x.act, name, x.args = &a, a.Tool, a.Run
		if len(x.args) == 0 {
			x.args = a.Args
		}
		x.out.ActionID, x.out.State, x.out.Origin = a.ID, a.State, a.Origin
		x.out.Notes = append(x.out.Notes, a.Warnings...)
	} else if x.args = json.RawMessage(in.Args); in.Args == "" {
		x.args = json.RawMessage("{}")
	}
	t, ok := registry.Lookup(name)
	if !ok {
		return fault.New(fault.UnknownTool, "there is no tool %q", shownArg(name)).Hintf("ape-claw ai tools lists them")
	}
	x.tool, x.out.Tool, x.out.Grade = t, t.Name, t.Grade
	if x.act != nil {
		return nil
	}
	list, err := x.connections(ctx)
	if err != nil {
		return err
	}
	for _, c := range list {
		if strings.EqualFold(c.Name, in.Connection) || in.Connection == "" && (c.Default || len(list) == 1) {
			x.out.Origin = c.AgentID()
		}
	}
	if in.Connection != "" && x.out.Origin == "" {
		return fault.New(fault.NotFound, "no connection %q", shownArg(in.Connection)).Hintf("ape-claw ai connections list")
	}
	return nil
}

func (x *explaining) add(check, verdict string, g ExplainGate) {
	g.Gate, g.Verdict = check, verdict
	if verdict == verdictPasses {
		g.Code, g.Change = "", ""
	}
	x.out.Checks = append(x.out.Checks, g)
}

// must adds a check that passes or refuses.
func (x *explaining) must(check string, ok bool, g ExplainGate) {
	verdict := verdictRefuses
	if ok {
		verdict = verdictPasses
	}
	x.add(check, verdict, g)
}

// refused adds what an error refuses for. An error that is no refusal is returned.
func (x *explaining) refused(check string, err error) error {
	var e *fault.Error
	if !errors.As(err, &e) || e.Code == fault.Internal || e.Code == fault.StateUnusable {
		return err
	}
	x.add(check, verdictRefuses, ExplainGate{Code: e.Code, Reason: e.Message, Change: e.Hint})
	return nil
}
