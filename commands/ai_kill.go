package commands

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// aiWatchCommands are how people stop models, and see what they did and why.
func aiWatchCommands() []Command {
	return []Command{newAIKill(), newAIUnkill(), newAITrace(), newAIExplain(), newAIDoctor()}
}

// AIKillIn says why.
type AIKillIn struct {
	Reason string `json:"reason" help:"why, for whoever finds it killed"`
}

// AIKillOut is what stops models now.
type AIKillOut struct {
	OK               bool     `json:"ok"`
	Killed           []string `json:"killed"`
	CancelledActions int      `json:"cancelledActions"`
	CancelledTurns   int      `json:"cancelledTurns"` // were running: they end within a second
	Path             string   `json:"path"`
	Undo             string   `json:"undo"`
}

func newAIKill() Command {
	return define(Spec{Name: "ai kill", Short: "Stop every model of this home, and everything that spends",
		Long: `Write a line "ai: …" into HALT in the home. Within a second no model takes a turn, calls a
tool or proposes anything, in whichever process; running model calls are stopped and open
proposals are cancelled. Nothing is signed or sent either; what left already goes on and is
only watched. It needs no terminal and works when a database is stuck: anybody may stop a
model, a person lifts it.`,
		Example: "  ape-claw ai kill --reason 'it buys the wrong ones'",
		Events:  []string{"ai.kill.changed", "ai.action.proposed", "ai.action.resolved"}, Offline: true, Late: true, Risk: RiskWrite, Permission: "ai:kill", AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in AIKillIn) (AIKillOut, error) {
			return d.aiKill(ctx, ai.Scope{Source: "cli"}, in.Reason)
		},
		func(p *Printer, out AIKillOut) {
			p.Head("%s", p.style(red, "Killed: no model does anything, and nothing is spent from this home"))
			for _, line := range out.Killed {
				p.Line("  %s", shownFact(line))
			}
			if out.CancelledActions > 0 || out.CancelledTurns > 0 {
				p.Line("  %s cancelled, %s stopped", counted(out.CancelledActions, "proposal"), counted(out.CancelledTurns, "turn"))
			}
			p.List(cyan, "To go on", []string{out.Undo})
		})
}

// killPatience is how long the switch, once it is on, waits for a database.
const killPatience = 3 * time.Second

// aiKill turns the kill switch on, for whom the scope names, else this run's agent.
// The line comes first: everything after it may fail, and is said.
func (d *Deps) aiKill(ctx context.Context, scope ai.Scope, reason string) (AIKillOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return AIKillOut{}, err
	}
	by := d.turner(cfg, scope)
	reason = d.redactor().String(reason)
	if err := policy.WriteHalt(cfg.Home, ai.KillCause, reason, d.host.Now()); err != nil {
		if len(ai.Killed(cfg.Home)) == 0 {
			return AIKillOut{}, d.stopWithout(ctx, cfg, by, reason, err)
		}
		d.warn("%s: models are stopped already, without this reason", fault.From(err).Message)
	}
	out := AIKillOut{OK: true, Killed: ai.Killed(cfg.Home), Path: store.Display(filepath.Join(cfg.Home, policy.HaltFile)), Undo: d.cli() + " ai unkill"}
	// Even a caller who has gone away must not leave proposals open.
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), killPatience)
	defer cancel()
	if out.CancelledTurns, out.CancelledActions, err = d.aiCancel(waiting, by, reason); err != nil {
		d.warn("%s: models are stopped; open proposals could not be cancelled, and can't be approved either", fault.From(err).Message)
	}
	if err := d.aiRecord(context.WithoutCancel(ctx), scope, telemetry.Draft{Type: "ai.kill.changed",
		Payload: map[string]any{"on": true, "by": by, "reason": reason},
		Result:  map[string]any{"cancelledTurns": out.CancelledTurns, "cancelledActions": out.CancelledActions, "halted": out.Killed}}); err != nil {
		d.warn("%s: the switch is on and that is not recorded", fault.From(err).Message)
	}
	return out, nil
}

// stopWithout does what can be done without the switch: it stops what runs, and
// cancels what is proposed. The refusal that it returns says that models can go on.
func (d *Deps) stopWithout(ctx context.Context, cfg *Config, by, reason string, cause error) error {
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), killPatience)
	defer cancel()
	e := *fault.From(cause)
	e.Message += ": the switch is not on, and models can go on"
	if _, actions, err := d.aiCancel(waiting, by, reason); err == nil {
		e.Message += fmt.Sprintf("; %s cancelled", counted(actions, "proposal"))
	}
	db, err := d.oldState(waiting)
	if s, chatErr := d.aiChat(); db != nil && errors.Join(err, chatErr) == nil {
		if turns, err := s.StopAll(waiting); err == nil {
			e.Message += fmt.Sprintf("; %s told to stop", counted(turns, "turn"))
		}
	}
	return e.Hintf("end every ape-claw that runs, mend %s, and run %s ai kill again", store.Display(filepath.Join(cfg.Home, policy.HaltFile)), d.cli())
}

// aiCancel counts the turns that run, which end by themselves, and cancels what is
// proposed.
func (d *Deps) aiCancel(ctx context.Context, by, reason string) (turns, actions int, err error) {
	db, err := d.oldState(ctx)
	if db == nil || err != nil {
		return 0, 0, err
	}
	if turns, err = aiRunning(ctx, db, d.host.Now()); err != nil {
		return 0, 0, err
	}
	s, err := d.aiActions(ctx)
	if err != nil {
		return turns, 0, err
	}
	actions, err = s.CancelAll(ctx, by, reason)
	return turns, actions, err
}

// turnBeat is how old the last sign of life of a running turn can be.
const turnBeat = 10 * time.Second

// aiRunning counts the turns of processes that live.
func aiRunning(ctx context.Context, db *sql.DB, now time.Time) (n int, err error) {
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM ai_turns WHERE state = 'running' AND beat_at > ?`, now.Add(-turnBeat).UnixMilli()).Scan(&n)
	return n, store.DBFault(err, store.StateFile)
}

// oldState is the state database if there is one: looking makes none.
func (d *Deps) oldState(ctx context.Context) (*sql.DB, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(cfg.StateDir, store.StateFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return d.stateDB(ctx)
}

// turner is who turned the switch.
func (d *Deps) turner(cfg *Config, scope ai.Scope) string {
	if scope.AgentID != "" {
		return scope.AgentID
	}
	return cfg.Agent.Value
}

// AIUnkillIn has no flags.
type AIUnkillIn struct{}

// AIUnkillOut is what was removed, and what stops models, or what spends, still.
type AIUnkillOut struct {
	OK      bool     `json:"ok"`
	Removed []string `json:"removed"`
	Killed  []string `json:"killed"`
	Halted  []string `json:"halted"`
	Undo    string   `json:"undo,omitempty"` // of what halts still
}

func newAIUnkill() Command {
	return define(Spec{Name: "ai unkill", Short: "Let models go on, after a person has seen why they were stopped",
		Long: `Show the lines "ai: …" of HALT in the home at the terminal, ask, and remove them. Once there
is a passphrase (ape-claw ai auth init) it is asked for, also in the sandbox. Lines of other
causes stay, and so does one that was added meanwhile. What was cancelled stays cancelled.`,
		Example: "  ape-claw ai unkill",
		Events:  []string{"ai.kill.changed"}, Offline: true, Late: true, Risk: RiskHuman, Permission: "ai:unkill", Human: HumanAlways, AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, _ AIUnkillIn) (AIUnkillOut, error) {
			cfg, err := d.Config()
			if err != nil {
				return AIUnkillOut{}, err
			}
			shown := ai.Killed(cfg.Home)
			if len(shown) > 0 {
				if err := d.agreeToUnkill(ctx, cfg, shown); err != nil {
					return AIUnkillOut{}, err
				}
			}
			return d.aiUnkill(ctx, ai.Scope{Source: "cli"}, shown)
		},
		func(p *Printer, out AIUnkillOut) {
			switch {
			case len(out.Killed) > 0:
				p.Head("%s", p.style(red, "Models are still stopped"))
			case len(out.Halted) > 0:
				p.Head("%s", p.style(yellow, "Models may go on; spending is still halted"))
			case len(out.Removed) == 0:
				p.Line("No model was stopped.")
				return
			default:
				p.Line("Models may go on.")
				return
			}
			for _, line := range out.Halted {
				p.Line("  %s", shownFact(line))
			}
			p.List(cyan, "To go on", []string{out.Undo})
		})
}

// agreeToUnkill asks the person at the terminal.
func (d *Deps) agreeToUnkill(ctx context.Context, cfg *Config, shown []string) error {
	facts := []string{"Models are stopped in " + store.Display(cfg.Home) + " by:"}
	for _, line := range shown {
		facts = append(facts, "  "+line)
	}
	const act = "let models go on"
	if asked, err := d.provePassphrase(ctx, act, facts...); asked || err != nil {
		return err
	}
	return d.needTerminal(ctx, act, facts...)
}

// aiUnkill removes the lines of the AI that a person was shown, once it is proved
// that it is one.
func (d *Deps) aiUnkill(ctx context.Context, scope ai.Scope, shown []string) (AIUnkillOut, error) {
	out := AIUnkillOut{OK: true, Removed: []string{}, Killed: []string{}, Halted: []string{}}
	cfg, err := d.Config()
	if err != nil {
		return out, err
	}
	if len(shown) > 0 {
		removed, err := policy.ClearHalt(cfg.Home, ai.KillCause, shown...)
		if err != nil {
			return out, err
		}
		out.Removed = append(out.Removed, removed...)
	}
	out.Killed, out.Halted = append(out.Killed, ai.Killed(cfg.Home)...), append(out.Halted, policy.Halted(cfg.Home)...)
	switch {
	case slices.ContainsFunc(out.Killed, func(l string) bool { return strings.HasPrefix(l, ai.KillCause) }):
		out.Undo = d.cli() + " ai unkill"
	case len(out.Halted) > 0:
		out.Undo = d.cli() + " policy unhalt" // also of a file that names no cause
	}
	if len(shown) == 0 {
		return out, nil
	}
	return out, d.aiRecord(ctx, scope, telemetry.Draft{Type: "ai.kill.changed",
		Payload: map[string]any{"on": len(out.Killed) > 0, "by": d.turner(cfg, scope)},
		Result:  map[string]any{"halted": out.Halted}})
}
