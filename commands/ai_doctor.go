package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/connection"
	"github.com/ape-claw/ape-claw/ai/operator"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// AIDoctorIn says whether to ask the models' providers.
type AIDoctorIn struct {
	Verify bool `json:"verify" help:"ask each connection's provider for its models; without it nothing leaves this machine"`
}

// AIDoctorOut is what was found. Issues make it fail; warnings do not.
type AIDoctorOut struct {
	OK          bool                 `json:"ok"`
	Issues      []string             `json:"issues"`
	Warnings    []string             `json:"warnings"`
	Connections []AIDoctorConnection `json:"connections"`
	Operator    AIDoctorOperator     `json:"operator"`
	Tools       int                  `json:"tools"`
	Actions     AIDoctorActions      `json:"actions"`
	Turns       AIDoctorTurns        `json:"turns"`
	Killed      []string             `json:"killed"`
	Halted      []string             `json:"halted"` // whatever the cause: nothing is spent
	Files       []AIDoctorFile       `json:"files"`
	NextSteps   []string             `json:"nextSteps"`
}

// AIDoctorFile is a file that only its owner may read.
type AIDoctorFile struct {
	File  string `json:"file"`
	State string `json:"state"` // absent, private, or what is wrong
}

// AIDoctorConnection is a connection without its secrets.
type AIDoctorConnection struct {
	Name    string            `json:"name"`
	Service string            `json:"service"`
	BaseURL string            `json:"baseUrl"`
	Model   string            `json:"model,omitempty"`
	Tools   string            `json:"tools"`
	Status  connection.Status `json:"status"`
	HasKey  bool              `json:"hasKey"`
	Default bool              `json:"default"`
	Tokens  int64             `json:"tokensToday"`
	Turns   int64             `json:"turnsToday"`
}

// AIDoctorOperator is how the person who approves is known.
type AIDoctorOperator struct {
	Passphrase bool `json:"passphrase"` // it is set
	Terminal   bool `json:"terminal"`   // there is one here to approve at
	Child      bool `json:"child"`      // this runs beneath a model: it approves nothing
	MCPTokens  int  `json:"mcpTokens"`
}

// AIDoctorActions counts what waits and what is not known.
type AIDoctorActions struct {
	Proposed  int `json:"proposed"`
	Executing int `json:"executing"`
	Unknown   int `json:"unknown"` // failed, and may have happened
	Dead      int `json:"dead"`    // executing, without a sign of life
}

// AIDoctorTurns counts the turns that are not ended.
type AIDoctorTurns struct {
	Running int `json:"running"`
	Dead    int `json:"dead"` // their process is gone
}

// Failure makes ai doctor exit 13 when it found an issue.
func (o AIDoctorOut) Failure() error {
	if o.OK {
		return nil
	}
	return fault.New(fault.ChecksFailed, "ai doctor found an issue")
}

func newAIDoctor() Command {
	return define(Spec{Name: "ai doctor", Short: "Check connections, keys, approvals and what is left open",
		Long: `Check the AI part: its databases and the modes of its files, connections and their status,
the passphrase, the kill switch, open actions and those whose outcome is unknown, turns whose
process is gone, tokens of MCP clients, the clock. It asks no network unless --verify is given.
Something wrong is an issue and exits 13; something missing is a warning that names the fix.`,
		Example: "  ape-claw ai doctor\n  ape-claw ai doctor --verify --json",
		Events:  []string{"ai.doctor.ran", "ai.connection.verified"}, Offline: true, Risk: RiskRead, Permission: "ai:read", AI: Exposure{Class: AIOperator}},
		func(ctx context.Context, d *Deps, in AIDoctorIn) (AIDoctorOut, error) {
			cfg, err := d.Config()
			if err != nil {
				return AIDoctorOut{}, err
			}
			r := aiCheckup{d: d, cfg: cfg, out: AIDoctorOut{Issues: []string{}, Warnings: []string{}, Connections: []AIDoctorConnection{}, Killed: []string{}, Halted: []string{},
				Files: []AIDoctorFile{}, NextSteps: []string{}}}
			for _, check := range []func(context.Context){r.switches, r.files, r.tools, r.operator, r.connections(in.Verify), r.rows} {
				check(ctx)
				if err := ctx.Err(); err != nil {
					return r.out, err // what was found after the interrupt says nothing
				}
			}
			r.out.OK = len(r.out.Issues) == 0
			return r.out, d.Record(ctx, telemetry.Draft{Type: "ai.doctor.ran", Result: map[string]any{"ok": r.out.OK, "issues": len(r.out.Issues)}})
		}, printAIDoctor)
}

// aiCheckup collects what ai doctor finds.
type aiCheckup struct {
	d   *Deps
	cfg *Config
	out AIDoctorOut
}

func (r *aiCheckup) issue(format string, args ...any) {
	r.out.Issues = append(r.out.Issues, r.d.inProfile(fmt.Sprintf(format, args...)))
}

func (r *aiCheckup) warn(format string, args ...any) {
	r.out.Warnings = append(r.out.Warnings, r.d.inProfile(fmt.Sprintf(format, args...)))
}

// next adds a step once.
func (r *aiCheckup) next(step string) {
	if step = r.d.inProfile(step); !slices.Contains(r.out.NextSteps, step) {
		r.out.NextSteps = append(r.out.NextSteps, step)
	}
}

func (r *aiCheckup) switches(context.Context) {
	r.out.Killed = append(r.out.Killed, ai.Killed(r.cfg.Home)...)
	r.out.Halted = append(r.out.Halted, policy.Halted(r.cfg.Home)...)
	switch {
	case len(r.out.Killed) > 0:
		r.warn("the kill switch is on, no model does anything: %s", joinWords(r.out.Killed))
		r.next("ape-claw ai unkill")
	case len(r.out.Halted) > 0:
		r.warn("halted by %s: nothing that is approved can be spent", joinWords(r.out.Halted))
		r.next("ape-claw policy unhalt")
	}
	if _, child := r.d.host.Env(envAIChild); child {
		r.out.Operator.Child = true
		r.warn("this runs as a model's child (%s is set): it approves and changes nothing", envAIChild)
	}
}

func (r *aiCheckup) files(context.Context) {
	for _, path := range []string{filepath.Join(r.cfg.Home, store.AIFile), filepath.Join(r.cfg.Home, connection.KeyFile), filepath.Join(r.cfg.Home, operator.TokenFile),
		filepath.Join(r.cfg.StateDir, store.StateFile)} {
		f := AIDoctorFile{File: filepath.Base(path), State: "private"}
		_, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			f.State = "absent"
		} else if loose := store.LooseMode(path); loose != "" {
			f.State = loose
			r.issue("%s", loose)
		} else if err := store.CheckPrivate(path); err != nil {
			f.State = fault.From(err).Message
			r.issue("%s", sentence(err))
		}
		r.out.Files = append(r.out.Files, f)
	}
}

// told says that an issue of a file was found: what follows from it is none of its own.
func (r *aiCheckup) told(file string) bool {
	return slices.ContainsFunc(r.out.Files, func(f AIDoctorFile) bool {
		return f.File == file && f.State != "private" && f.State != "absent"
	})
}

func (r *aiCheckup) tools(context.Context) {
	registry, err := r.d.aiRegistry()
	if err != nil {
		r.issue("tools: %s", sentence(err))
		return
	}
	r.out.Tools = len(registry.Tools(ai.Preset{Name: ai.PresetAll}))
}

func (r *aiCheckup) operator(ctx context.Context) {
	if r.d.host.OpenTerminal != nil {
		if t, err := r.d.host.OpenTerminal(); err == nil {
			r.out.Operator.Terminal = t.Close() == nil
		}
	}
	op, err := r.d.aiOperator()
	if err == nil {
		r.out.Operator.Passphrase, err = op.Initialized(ctx)
	}
	if err != nil {
		r.issue("operator: %s", sentence(err))
		return
	}
	if !r.out.Operator.Passphrase {
		r.warn("no passphrase is set (ape-claw ai auth init): what spends can't be approved, nor anything in the dashboard")
		r.next("ape-claw ai auth init")
	}
	tokens, err := op.MCPTokens(ctx)
	if err != nil {
		r.issue("tokens of MCP clients: %s", sentence(err))
		return
	}
	for _, t := range tokens {
		if t.Revoked.IsZero() {
			r.out.Operator.MCPTokens++
		}
	}
}

func (r *aiCheckup) connections(verify bool) func(context.Context) {
	return func(ctx context.Context) {
		s, err := r.d.aiConnections()
		if err != nil {
			r.issue("connections: %s", sentence(err))
			return
		}
		list, err := s.List(ctx)
		if err != nil {
			r.issue("connections: %s", sentence(err))
			return
		}
		for _, c := range list {
			if verify && c.Status != connection.Disabled {
				if checked, err := s.Verify(ctx, c.Name); err != nil {
					r.issue("connection %s: %s", c.Name, sentence(err))
				} else {
					c = checked
				}
			}
			x := AIDoctorConnection{Name: c.Name, Service: c.Service, BaseURL: c.BaseURL, Model: c.Model, Tools: c.Tools.Name, Status: c.Status, HasKey: c.Key.Has, Default: c.Default}
			if day, err := s.Day(ctx, c.Name); err == nil {
				x.Tokens, x.Turns = day.Tokens(), day.Turns
			}
			r.out.Connections = append(r.out.Connections, x)
			switch c.Status {
			case connection.Active, connection.Disabled:
			case connection.Capped:
				r.warn("connection %s has reached a cap of today (UTC)", c.Name)
			default:
				r.warn("connection %s %s", c.Name, unusable(c))
				r.next("ape-claw ai connections verify " + c.Name)
			}
		}
		if err := s.CheckKeys(ctx); err != nil && !r.told(connection.KeyFile) {
			r.issue("%s", sentence(err))
		}
		if len(list) == 0 {
			r.warn("no model is connected (ape-claw ai connections add; MCP clients need none)")
			r.next("ape-claw ai connections add --help")
			r.next("ape-claw ai mcp-config   for an MCP client")
		}
	}
}

// rows looks at what the state database has of actions and turns.
func (r *aiCheckup) rows(ctx context.Context) {
	db, err := r.d.oldState(ctx)
	if err != nil {
		r.issue("%s", sentence(err))
		return
	}
	if db == nil {
		return // nothing happened here yet
	}
	now := r.d.host.Now()
	beat := now.Add(-turnBeat).UnixMilli()
	var newest int64
	for _, q := range []struct {
		query string
		args  []any
		into  any
	}{
		{`SELECT count(*) FROM ai_actions WHERE state = 'proposed' AND expires_at > ?`, []any{now.UnixMilli()}, &r.out.Actions.Proposed},
		{`SELECT count(*) FROM ai_actions WHERE state = 'executing'`, nil, &r.out.Actions.Executing},
		{`SELECT count(*) FROM ai_actions WHERE state = 'executing' AND beat_at < ?`, []any{beat}, &r.out.Actions.Dead},
		{`SELECT count(*) FROM ai_actions WHERE state = 'failed' AND json_valid(outcome) AND json_extract(outcome, '$.outcome') = 'unknown'`, nil, &r.out.Actions.Unknown},
		{`SELECT count(*) FROM ai_turns WHERE state = 'running' AND beat_at >= ?`, []any{beat}, &r.out.Turns.Running},
		{`SELECT count(*) FROM ai_turns WHERE state = 'running' AND beat_at < ?`, []any{beat}, &r.out.Turns.Dead},
		{`SELECT max((SELECT coalesce(max(created_at), 0) FROM ai_messages), (SELECT coalesce(max(created_at), 0) FROM ai_actions))`, nil, &newest},
	} {
		if err := db.QueryRowContext(ctx, q.query, q.args...).Scan(q.into); err != nil {
			r.issue("%s", sentence(store.DBFault(err, store.StateFile)))
			return
		}
	}
	if n := r.out.Actions.Dead; n > 0 {
		r.warn("without a sign of life: %s being executed; the next ape-claw ai actions list settles it", counted(n, "action"))
		r.next("ape-claw ai actions list")
	}
	if n := r.out.Actions.Unknown; n > 0 {
		r.warn("with an unknown outcome: %s; what it paid for may have happened", counted(n, "action"))
		r.next("ape-claw nft resume")
	}
	if n := r.out.Turns.Dead; n > 0 {
		r.warn("cut off: %s whose process is gone; the next message in the conversation tells it", counted(n, "turn"))
	}
	// A minute is what clocks of one machine may differ by.
	if last := time.UnixMilli(newest).UTC(); last.After(now.Add(time.Minute)) {
		r.warn("the clock says %s and the newest message or action is of %s: what waits for approval expires at the wrong time", now.UTC().Format(time.RFC3339), last.Format(time.RFC3339))
	}
	if s, err := r.d.aiActions(ctx); err != nil {
		r.issue("actions: %s", sentence(err))
	} else if _, err := s.Audit(ctx, "", 1); err != nil {
		r.issue("audit: %s", sentence(err))
	}
}

// unusable says why a connection answers nothing.
func unusable(c connection.Connection) string {
	switch {
	case c.Status != connection.ReauthRequired:
		return "is in error: " + c.LastError
	case c.Key.Has:
		return "has a key that its provider refused"
	case c.Key.Env != "":
		return "has no key: " + c.Key.Env + " is not set here"
	}
	return "has no key"
}

func printAIDoctor(p *Printer, o AIDoctorOut) {
	verdict := p.style(green, "ok")
	if !o.OK {
		verdict = p.style(red, "something is wrong")
	}
	p.Head("AI doctor: %s", verdict)
	if len(o.Connections) > 0 {
		var rows [][]string
		for _, c := range o.Connections {
			name := c.Name
			if c.Default {
				name += " *"
			}
			rows = append(rows, []string{name, string(c.Status), c.Service, c.BaseURL, c.Tools, yesNo(c.HasKey), counted(c.Turns, "turn")})
		}
		p.Table([]string{"CONNECTION", "STATUS", "SERVICE", "ADDRESS", "TOOLS", "KEY", "TODAY"}, rows)
		p.Line("")
	}
	p.KV("passphrase", yesNo(o.Operator.Passphrase), "terminal", yesNo(o.Operator.Terminal), "tools", counted(o.Tools, "tool"), "MCP tokens", counted(o.Operator.MCPTokens, "token"),
		"waiting", counted(o.Actions.Proposed, "action"), "running", counted(o.Actions.Executing, "action")+", "+counted(o.Turns.Running, "turn"), "kill switch", map[bool]string{true: "on", false: "off"}[len(o.Killed) > 0])
	p.List(red, "Issues", o.Issues)
	p.List(yellow, "Warnings", o.Warnings)
	p.List(cyan, "Next", o.NextSteps)
}
