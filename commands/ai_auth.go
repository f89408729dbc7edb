package commands

import (
	"context"

	"github.com/ape-claw/ape-claw/ai/operator"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func aiAuthCommands() []Command { return []Command{newAIAuthInit()} }

// AIAuthInitIn has no flags: a passphrase is typed, and nothing else.
type AIAuthInitIn struct{}

// AIAuthInitOut says that there is a passphrase.
type AIAuthInitOut struct {
	OK        bool   `json:"ok"`
	Change    string `json:"change"` // initialized or changed
	TokenPath string `json:"tokenPath"`
}

func newAIAuthInit() Command {
	return define(Spec{Name: "ai auth init", Short: "Set the passphrase that approvals ask for, or change it",
		Long: `Set the passphrase that approves what models propose, at the terminal and on the page,
or change it, with the old one. It is asked for without being shown, and stored as
argon2id. Five wrong ones in a row lock it for 15 minutes. It can't be recovered: whoever
forgot it removes ai.db from the home, and connects the models anew.

It holds against a model and against an agent that has a shell and does not know it.
Another program with this account could change ai.db itself: give agents an account of
their own where that matters.`,
		Events: []string{"ai.auth.changed"}, Offline: true, Risk: RiskHuman, Permission: "ai:auth", Human: HumanAlways,
		AI: Exposure{Class: AINever}},
		aiAuthInit,
		func(p *Printer, out AIAuthInitOut) {
			p.Head("The passphrase is %s", map[string]string{"initialized": "set", "changed": "changed"}[out.Change])
			p.Line("Approvals ask for it from now on. Log in on the page of serve as operator, with the")
			p.Line("token in %s.", clean(out.TokenPath))
		})
}

func aiAuthInit(ctx context.Context, d *Deps, _ AIAuthInitIn) (AIAuthInitOut, error) {
	op, err := d.aiOperator()
	if err != nil {
		return AIAuthInitOut{}, err
	}
	out := AIAuthInitOut{OK: true, Change: "initialized", TokenPath: store.Display(op.TokenPath())}
	made, err := op.Initialized(ctx)
	if err != nil {
		return AIAuthInitOut{}, err
	}
	var old string
	if made {
		out.Change = "changed"
		if old, err = d.typed(ctx, "passphrase so far"); err != nil {
			return AIAuthInitOut{}, err
		}
		if err := op.Prove(ctx, old); err != nil {
			return AIAuthInitOut{}, err
		}
	}
	next, err := d.typed(ctx, "new passphrase")
	if err != nil {
		return AIAuthInitOut{}, err
	}
	if err := operator.Check(next); err != nil {
		return AIAuthInitOut{}, err
	}
	again, err := d.typed(ctx, "new passphrase again")
	if err != nil {
		return AIAuthInitOut{}, err
	}
	if next != again {
		return AIAuthInitOut{}, fault.New(fault.ConfirmationMismatch, "these are two different passphrases: nothing was changed").Hintf("ape-claw ai auth init")
	}
	if err := op.Init(ctx, old, next); err != nil {
		return AIAuthInitOut{}, err
	}
	if _, err := op.Token(ctx); err != nil {
		return AIAuthInitOut{}, err
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "ai.auth.changed", Result: map[string]any{"change": out.Change}})
}

// typed is a passphrase as it is typed at the terminal.
func (d *Deps) typed(ctx context.Context, what string) (string, error) {
	v, err := d.askSecret(ctx, what)
	d.redactor().Add(v)
	return v, err
}
