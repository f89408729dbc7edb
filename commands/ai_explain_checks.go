package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/ai/connection"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func (x *explaining) killed(context.Context) error {
	cfg, err := x.d.Config()
	if err != nil {
		return err
	}
	lines, measured := ai.Killed(cfg.Home), "off"
	if len(lines) > 0 {
		measured = joinWords(lines)
	}
	x.must("kill-switch", len(lines) == 0, ExplainGate{Code: fault.Killed, Measured: measured, Setting: policy.HaltFile + " in the home",
		Change: "a person lifts it: ape-claw ai unkill"})
	return nil
}

func (x *explaining) connections(ctx context.Context) ([]connection.Connection, error) {
	s, err := x.d.aiConnections()
	if err != nil {
		return nil, err
	}
	return s.List(ctx)
}

// caller is the connection that asks; ok is false for MCP clients and when it is gone.
func (x *explaining) caller(ctx context.Context) (c connection.Connection, ok bool, err error) {
	list, err := x.connections(ctx)
	for _, c := range list {
		if c.AgentID() == x.out.Origin {
			return c, true, nil
		}
	}
	return c, false, err
}

func (x *explaining) connection(ctx context.Context) error {
	if !strings.HasPrefix(x.out.Origin, "conn:") {
		if x.out.Origin == "" {
			x.out.Notes = append(x.out.Notes, "no connection is made or named: what one would be held against is left out")
		} else {
			x.add("connection", verdictPasses, ExplainGate{Measured: "an MCP client; it has no connection of this home and no caps"})
		}
		return nil
	}
	c, ok, err := x.caller(ctx)
	if err != nil {
		return err
	}
	if !ok && x.out.Origin == "conn:"+scriptName {
		x.add("connection", verdictPasses, ExplainGate{Measured: "a scripted model; it has no connection of this home and no caps"})
		return nil
	}
	if !ok {
		x.add("connection", verdictRefuses, ExplainGate{Code: fault.NoConnection, Measured: x.out.Origin + " is not there any more", Change: "ape-claw ai connections list"})
		return nil
	}
	change := "ape-claw ai connections verify " + c.Name
	if c.Status == connection.Disabled {
		change = "ape-claw ai connections set " + c.Name + " --help says how to enable it"
	}
	x.must("connection", c.Status == connection.Active || c.Status == connection.Capped, ExplainGate{Code: fault.ConnInactive, Measured: string(c.Status), Limit: string(connection.Active),
		Setting: "status of " + c.Name, Reason: c.LastError, Change: change})
	s, err := x.d.aiConnections()
	if err != nil {
		return err
	}
	day, err := s.Day(ctx, c.Name)
	if err != nil {
		return err
	}
	for _, of := range []struct {
		what        string
		used, limit int64
	}{{"turns", day.Turns, c.Caps.TurnsPerDay}, {"tokens", day.Tokens(), c.Caps.TokensPerDay}, {"cost", day.CostMicros, c.Caps.CostMicrosPerDay}} {
		g := ExplainGate{Code: fault.CostCap, Measured: fmt.Sprint(of.used), Limit: fmt.Sprint(of.limit), Setting: "cap of " + c.Name + " a day (UTC)",
			Change: "the next day (UTC), or a higher cap: ape-claw ai connections set " + c.Name + " --help"}
		switch {
		case of.limit == 0:
			g.Limit = "none"
		case of.what == "cost":
			g.Measured, g.Limit = dollars(of.used), dollars(of.limit)
		}
		x.must("cap-"+of.what, of.limit == 0 || of.used < of.limit, g)
	}
	return nil
}

// dollars is an amount of millionths of a US dollar.
func dollars(micros int64) string { return fmt.Sprintf("%d.%06d USD", micros/1e6, micros%1e6) }

func (x *explaining) preset(ctx context.Context) error {
	c, ok, err := x.caller(ctx)
	if err != nil || !ok {
		return err
	}
	x.must("preset", c.Tools.Allows(x.tool), ExplainGate{Code: fault.ToolDisabled, Measured: x.tool.Name + " (" + string(x.tool.Grade) + ")", Limit: c.Tools.Name,
		Setting: "tools of " + c.Name, Change: "ape-claw ai connections set " + c.Name + " --tools … (all, read_write, read_only, none, or names)"})
	return nil
}

func (x *explaining) arguments(context.Context) error {
	if x.act != nil {
		// They passed when it was proposed, and are stored; what the run is called with is ours.
		x.must("permission", x.act.Permission == x.tool.Permission, ExplainGate{Code: fault.PermissionWrong, Measured: x.act.Permission, Limit: x.tool.Permission, Setting: "declaration of " + x.tool.Name})
		return nil
	}
	registry, err := x.d.aiRegistry()
	if err != nil {
		return err
	}
	if _, _, err := registry.Check(x.tool.Name, x.args); err != nil {
		return x.refused("arguments", err)
	}
	x.add("arguments", verdictPasses, ExplainGate{Measured: "they fit the schema"})
	x.add("permission", verdictPasses, ExplainGate{Measured: x.tool.Permission})
	return nil
}

// approval is the person: who has to agree, and whether that can still be.
func (x *explaining) approval(ctx context.Context) error {
	if x.tool.Grade == ai.GradeRead {
		x.add("approval", verdictPasses, ExplainGate{Measured: "a tool of grade read runs at once"})
		return nil
	}
	op, err := x.d.aiOperator()
	if err != nil {
		return err
	}
	set, err := op.Initialized(ctx)
	if err != nil {
		return err
	}
	x.must("passphrase", set || x.tool.Grade == ai.GradeWrite, ExplainGate{Code: fault.ReauthRequired, Measured: "set: " + yesNo(set), Limit: "needed for grade high, and over HTTP",
		Change: "a person makes one: ape-claw ai auth init"})
	steps := "a person agrees at a terminal, or in the dashboard"
	if x.tool.Grade == ai.GradeHigh {
		steps = "a person reads the impact, retypes " + joinWords(x.tool.Identifiers) + ", and types the phrase"
	}
	if x.act == nil {
		x.add("approval", verdictDepends, ExplainGate{Reason: steps, Change: "the call makes a card; then: ape-claw ai actions approve <id>"})
		return nil
	}
	now := x.d.host.Now().UTC()
	if !x.act.Open() {
		g := ExplainGate{Code: fault.ActionNotPending, Measured: string(x.act.State), Limit: string(action.Proposed), Change: "the model proposes anew, on new facts"}
		if o := x.act.Outcome; o != nil {
			g.Reason = strings.TrimSpace(strings.Join([]string{o.Reason, o.Message}, " "))
			if o.Outcome == action.OutcomeUnknown {
				g.Code, g.Change = fault.OutcomeUnknown, "find out first: ape-claw nft resume"
			}
		}
		if x.act.State == action.Executed || x.act.State == action.Executing {
			g.Limit = "" // what was carried out passed
			x.add("state", verdictPasses, g)
			return nil
		}
		x.add("state", verdictRefuses, g)
		return nil
	}
	x.must("expiry", now.Before(x.act.ExpiresAt), ExplainGate{Code: fault.ActionExpired, Measured: now.Format(time.RFC3339), Limit: x.act.ExpiresAt.UTC().Format(time.RFC3339),
		Change: "the model proposes anew, on new facts"})
	x.add("approval", verdictDepends, ExplainGate{Reason: steps, Change: "ape-claw ai actions approve " + x.act.ID})
	return nil
}

func (x *explaining) permit(ctx context.Context) error {
	if x.tool.Grade == ai.GradeRead {
		return nil
	}
	g := ExplainGate{Reason: "made by the approval: one use, for exactly these arguments"}
	if x.act == nil {
		x.add("permit", verdictDepends, g)
		return nil
	}
	s, err := x.d.aiActions(ctx)
	if err != nil {
		return err
	}
	permits, err := s.Permits(ctx, x.act.ID)
	if err != nil {
		return err
	}
	if len(permits) == 0 {
		x.add("permit", verdictDepends, g)
		return nil
	}
	p := permits[0]
	x.must("permit", p.RevokedAt.IsZero() && p.ArgsHash == x.act.ArgsHash, ExplainGate{Code: fault.PermissionDenied, Measured: fmt.Sprintf("%s, %d uses left", p.ID, p.UsesLeft),
		Limit: "for the arguments of the card, until " + p.ExpiresAt.UTC().Format(time.RFC3339), Change: "the model proposes anew"})
	return nil
}

// limits are those that the proposal set itself.
func (x *explaining) limits(context.Context) error {
	if x.act == nil {
		return nil
	}
	for _, l := range x.act.Limits {
		most, err := units.ParseBase(l.Base)
		if err != nil {
			continue // it was checked when it was proposed; here it only tells
		}
		for _, s := range x.act.Spends {
			if cost, err := units.ParseBase(s.Base); s.Asset == l.Asset && err == nil {
				x.must("limit", cost.Cmp(most) <= 0, ExplainGate{Code: fault.LimitInvalid, Measured: s.Shown, Limit: l.Shown, Setting: "the proposal's own", Change: "the model proposes anew, with another limit"})
			}
		}
	}
	return nil
}

// policy asks the gates of the command, by the code that policy explain has.
func (x *explaining) policy(ctx context.Context) error {
	if x.tool.Command == "" || x.act != nil && !x.act.Open() {
		return nil
	}
	read, err := x.command()
	if err != nil {
		return x.refused("policy", err)
	}
	var p PolicyExplainOut
	switch {
	case slices.Contains([]string{"nft quote", "nft simulate", "nft buy"}, x.tool.Command):
		err = x.d.explainNFT(ctx, read, &p)
	case x.tool.Command == "nft autobuy":
		err = x.d.explainAutobuy(ctx, read, &p)
	case read.writesV2():
		err = x.d.explainV2(ctx, read, &p)
	default:
		x.out.Notes = append(x.out.Notes, x.tool.Command+" spends nothing: no gate of the policy stands before it")
	}
	if err != nil {
		return x.refused("reference", err)
	}
	for _, g := range p.Gates {
		if g.Gate == policy.GatePhrase {
			// The engine gives it, once a person typed it; no argument of a tool can.
			g.Verdict, g.Code, g.Measured, g.Change, g.Reason = verdictDepends, "", "", "", "given by the approval"
		}
		x.out.Checks = append(x.out.Checks, g)
	}
	return nil
}

// command is the command with these arguments, as a run of it would have them.
func (x *explaining) command() (explained, error) {
	for _, c := range all() {
		if c.Name != x.tool.Command {
			continue
		}
		in := reflect.New(c.In)
		for _, f := range InputFields(c.In) {
			if def := f.Tag.Get("default"); def != "" && f.Type.Kind() == reflect.String {
				in.Elem().FieldByIndex(f.Index).SetString(def)
			}
		}
		if err := json.Unmarshal(x.args, in.Interface()); err != nil {
			return explained{}, fault.Wrap(err, fault.InvalidArguments, "the arguments do not fit %s", c.Name)
		}
		return explained{spec: c.Spec, in: in.Elem().Interface()}, nil
	}
	return explained{}, fault.New(fault.UnknownTool, "there is no command %s", x.tool.Command)
}
