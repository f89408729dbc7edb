package main

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/ai/api"
)

type acts struct{ *stage }

func answer(name string, v any, err error) (any, error) {
	return map[string]any{"ok": true, name: v}, err
}

func (p acts) List(ctx context.Context, _ string) (any, error) {
	list, err := p.actions.List(ctx, action.Filter{})
	if list == nil {
		list = []action.Action{}
	}
	return answer("actions", list, err)
}

func (p acts) Show(ctx context.Context, id string) (any, error) {
	a, err := p.actions.Show(ctx, id)
	return answer("action", a, err)
}

func (p acts) Explain(context.Context, string) (any, error) {
	type check struct {
		Gate     string `json:"gate"`
		Verdict  string `json:"verdict"`
		Reason   string `json:"reason,omitempty"`
		Measured string `json:"measured,omitempty"`
		Limit    string `json:"limit,omitempty"`
		Change   string `json:"change,omitempty"`
	}
	return answer("checks", []check{
		{Gate: "kill switch", Verdict: "passes"},
		{Gate: "price", Verdict: "passes", Measured: "12.5 APE", Limit: "20 APE"},
		{Gate: "daily cap", Verdict: "refuses", Measured: "45 APE", Limit: "40 APE", Reason: "the day's cap would be passed", Change: "ape-claw policy init --daily-spend-cap 60"},
		{Gate: "simulation", Verdict: "depends"},
	}, nil)
}

func (p acts) Challenge(ctx context.Context, id, session string) (any, error) {
	c, err := p.actions.Challenge(ctx, id, session)
	return answer("action", c, err)
}

func (p acts) Approve(ctx context.Context, id, session string, c api.Confirmation) (any, func(context.Context), error) {
	a, run, err := p.actions.Begin(ctx, id, action.Confirmation{Challenge: c.Challenge, Acknowledged: c.Acknowledged, Mismatch: c.Mismatch,
		Identifiers: c.Identifiers, Phrase: c.Phrase, FactsHash: c.FactsHash, Resolver: "operator", Session: session, Proved: true})
	out, _ := answer("action", a, nil)
	return out, func(ctx context.Context) { _, _ = run(ctx) }, err
}

func (p acts) Reject(ctx context.Context, id, _, reason string) (any, error) {
	a, err := p.actions.Reject(ctx, id, "operator", reason)
	return answer("action", a, err)
}

func (p acts) Permits(ctx context.Context) (any, error) {
	list, err := p.actions.Permits(ctx, "")
	return answer("grants", list, err)
}

func (p acts) Revoke(ctx context.Context, id string) (any, error) {
	return answer("id", id, p.actions.Revoke(ctx, id))
}

func (p acts) Audit(ctx context.Context, limit int) (any, error) {
	rows, err := p.actions.Audit(ctx, "", limit)
	return answer("audit", rows, err)
}

type person struct{ *stage }

func (p person) Initialized(ctx context.Context) (bool, error) { return p.operator.Initialized(ctx) }
func (p person) Prove(ctx context.Context, session, pass string) error {
	return p.operator.Reprove(ctx, session, pass)
}
func (p person) Proved(ctx context.Context, session string) (time.Time, error) {
	return p.operator.Proved(ctx, session)
}

type kill struct{ *stage }

func (p kill) State(context.Context) (any, error) {
	lines := p.lines()
	if lines == nil {
		lines = []string{}
	}
	return answer("killed", lines, nil)
}

func (p kill) Kill(ctx context.Context, reason string) (any, error) {
	if reason == "" {
		reason = "no reason given"
	}
	p.mu.Lock()
	p.killed = append(p.killed, "ai: "+reason+" (2026-11-30T20:00:00Z)")
	p.mu.Unlock()
	n, err := p.actions.CancelAll(ctx, "kill", reason)
	return answer("cancelledActions", n, err)
}

func (p kill) Unkill(context.Context, []string) (any, error) {
	p.mu.Lock()
	p.killed = nil
	p.mu.Unlock()
	return answer("halted", []string{}, nil)
}
