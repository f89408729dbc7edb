package commands

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/ai/api"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// What follows fits the packages of the AI part to what the API asks of them.

type parts struct{ d *Deps }

// okWith is an object with ok and one more member.
func okWith(name string, v any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, name: v}, nil
}

type actionPart struct{ parts }

// maxActions is how many the page shows: what is open, and the newest of the rest.
const maxActions = 100

func (p actionPart) List(ctx context.Context, state string) (any, error) {
	s, err := p.d.aiActions(ctx)
	if err != nil {
		return nil, err
	}
	f := action.Filter{Limit: maxActions}
	if state != "" {
		for _, known := range action.States() {
			if string(known) == state {
				f.States = []action.State{known}
			}
		}
		if f.States == nil {
			return nil, fault.New(fault.Usage, "there is no such state").Hintf("state=proposed")
		}
	}
	if db, err := p.d.oldState(ctx); db == nil || err != nil {
		return okWith("actions", []action.Action{}, err)
	}
	list, err := s.List(ctx, f)
	if list == nil {
		list = []action.Action{}
	}
	return okWith("actions", list, err)
}

func (p actionPart) Show(ctx context.Context, id string) (any, error) {
	s, err := p.d.oldActions(ctx, id)
	if err != nil {
		return nil, err
	}
	a, err := s.Show(ctx, id)
	return okWith("action", a, err)
}

func (p actionPart) Explain(ctx context.Context, id string) (any, error) {
	return p.d.aiExplain(ctx, AIExplainIn{Action: id})
}

func (p actionPart) Challenge(ctx context.Context, id, session string) (any, error) {
	s, err := p.d.oldActions(ctx, id)
	if err != nil {
		return nil, err
	}
	card, err := s.Challenge(ctx, id, session)
	return okWith("action", card, err)
}

// Approve is asked once the session was found proved.
func (p actionPart) Approve(ctx context.Context, id, session string, c api.Confirmation) (any, func(context.Context), error) {
	if err := p.d.notChild("approve an action"); err != nil {
		return nil, nil, err
	}
	s, err := p.d.oldActions(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	a, run, err := s.Begin(ctx, id, action.Confirmation{Challenge: c.Challenge, Acknowledged: c.Acknowledged, Mismatch: c.Mismatch,
		Identifiers: c.Identifiers, Phrase: c.Phrase, FactsHash: c.FactsHash, Resolver: agents.Operator, Session: session, Proved: true})
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{"ok": true, "action": a}, func(ctx context.Context) {
		if _, err := run(ctx); err != nil {
			p.d.logger().Error("carry out an action", "action", id, "cause", fault.From(err).Message)
		}
	}, nil
}

func (p actionPart) Reject(ctx context.Context, id, _, reason string) (any, error) {
	if err := p.d.notChild("reject an action"); err != nil {
		return nil, err
	}
	s, err := p.d.oldActions(ctx, id)
	if err != nil {
		return nil, err
	}
	a, err := s.Reject(ctx, id, agents.Operator, reason)
	return okWith("action", a, err)
}

func (p actionPart) Permits(ctx context.Context) (any, error) {
	if db, err := p.d.oldState(ctx); db == nil || err != nil {
		return okWith("grants", []action.Permit{}, err)
	}
	s, err := p.d.aiActions(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.Permits(ctx, "")
	return okWith("grants", list, err)
}

func (p actionPart) Revoke(ctx context.Context, permit string) (any, error) {
	s, err := p.d.oldActions(ctx, permit)
	if err != nil {
		return nil, err
	}
	return okWith("id", permit, s.Revoke(ctx, permit))
}

func (p actionPart) Audit(ctx context.Context, limit int) (any, error) {
	if db, err := p.d.oldState(ctx); db == nil || err != nil {
		return okWith("audit", []action.AuditRow{}, err)
	}
	s, err := p.d.aiActions(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.Audit(ctx, "", limit)
	return okWith("audit", rows, err)
}

type operatorPart struct{ parts }

func (p operatorPart) Initialized(ctx context.Context) (bool, error) {
	op, err := p.d.aiOperator()
	if err != nil {
		return false, err
	}
	return op.Initialized(ctx)
}

func (p operatorPart) Prove(ctx context.Context, session, passphrase string) error {
	if err := p.d.notChild("give the passphrase"); err != nil {
		return err
	}
	op, err := p.d.aiOperator()
	if err != nil {
		return err
	}
	if err := op.Reprove(ctx, session, passphrase); err != nil {
		return err
	}
	// Not before: whoever is logged in could blind the log to any text by giving it as one.
	p.d.redactor().Add(passphrase)
	return nil
}

func (p operatorPart) Proved(ctx context.Context, session string) (time.Time, error) {
	op, err := p.d.aiOperator()
	if err != nil {
		return time.Time{}, err
	}
	return op.Proved(ctx, session)
}

type killPart struct{ parts }

func (p killPart) State(context.Context) (any, error) {
	cfg, err := p.d.Config()
	if err != nil {
		return nil, err
	}
	lines := ai.Killed(cfg.Home)
	if lines == nil {
		lines = []string{}
	}
	return okWith("killed", lines, nil)
}

func (p killPart) Kill(ctx context.Context, reason string) (any, error) {
	return p.d.aiKill(ctx, operatorScope(), reason)
}

func (p killPart) Unkill(ctx context.Context, shown []string) (any, error) {
	if err := p.d.notChild("lift the kill switch"); err != nil {
		return nil, err
	}
	return p.d.aiUnkill(ctx, operatorScope(), shown)
}
