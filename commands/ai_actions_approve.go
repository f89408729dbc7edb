package commands

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// clockSlack is how far an event's time may be before that of its row: both are of
// one machine, and cut to milliseconds.
const clockSlack = time.Second

// AIActionOut is an action that a person decided.
type AIActionOut struct {
	OK     bool          `json:"ok"`
	Action action.Action `json:"action"`
	Error  string        `json:"error,omitempty"`
	Code   fault.Code    `json:"code,omitempty"`
	Sent   string        `json:"sent,omitempty"`
	Hint   string        `json:"hint,omitempty"`

	cli string
}

// decidedOut is the result for an action. One that was carried out in part ends as
// its command does: with the status of a part.
func (d *Deps) decidedOut(a action.Action) AIActionOut {
	out := AIActionOut{OK: true, Action: a, cli: d.cli()}
	o := a.Outcome
	if o == nil || a.State != action.Failed && !a.Partial() {
		return out
	}
	out.OK, out.Error, out.Hint, out.Sent = false, cmp.Or(o.Message, "the action failed"), d.inProfile(o.Hint), cmp.Or(o.Sent, fault.SentNo)
	if out.Code = fault.Code(o.Cause); out.Code == "" {
		out.Code = fault.Internal
	}
	if o.Outcome == action.OutcomeUnknown {
		out.Code, out.Sent = fault.OutcomeUnknown, fault.SentMaybe
	}
	return out
}

// Failure implements failer: an execution that failed is the result, and decides
// the exit status.
func (o AIActionOut) Failure() error {
	if o.OK {
		return nil
	}
	return fault.New(o.Code, "%s", o.Error).Hintf("%s", o.Hint).WithSent(o.Sent)
}

func newAIActionsApprove() Command {
	return define(Spec{Name: "ai actions approve", Short: "Approve what a model proposed, at the terminal, and carry it out",
		Long: `Compute anew what the action would do, show that at the terminal, with the model's own
words below it, ask, and carry it out. Once ape-claw ai auth init was run it takes the
passphrase. What can move money takes three steps: that the impact was read, each
identifier retyped exactly, and the phrase; without a passphrase it can't be approved.

What is no longer as it was proposed is refused: another price, policy, account, profile
or state directory, a quote that expired. Nothing but what is typed at the controlling
terminal approves: no flag, variable or pipe, also not in the sandbox.`,
		Example: "  ape-claw ai actions approve act_k7m2p9…",
		Events:  []string{"ai.action.proposed", "ai.action.resolved", "ai.grant.created", "ai.action.executed"}, Risk: RiskHuman, Permission: "actions:approve",
		Human: "always, at the controlling terminal, also in the sandbox", Late: true, AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in AIActionIn) (AIActionOut, error) {
			a, err := d.approveAtTerminal(ctx, in.ID)
			if err != nil {
				return AIActionOut{}, err
			}
			return d.decidedOut(a), nil
		}, printDecided)
}

// approveAtTerminal shows an action to the person at the terminal, asks what its
// grade takes, and carries it out. An execution that failed is no error.
func (d *Deps) approveAtTerminal(ctx context.Context, id string) (action.Action, error) {
	if err := d.notChild("approve an action"); err != nil {
		return action.Action{}, err
	}
	s, err := d.oldActions(ctx, id)
	if err != nil {
		return action.Action{}, err
	}
	op, err := d.aiOperator()
	if err != nil {
		return action.Action{}, err
	}
	made, err := op.Initialized(ctx)
	if err != nil {
		return action.Action{}, err
	}
	a, err := s.Show(ctx, id)
	if err != nil {
		return a, err
	}
	if a.Open() && a.Grade == ai.GradeHigh && !made {
		return a, fault.New(fault.ReauthRequired, "approving this takes a passphrase, and none is set").Hintf("ape-claw ai auth init").WithSent(fault.SentNo)
	}
	if err := d.somebodyHere("approve an action"); err != nil {
		return a, err
	}
	if err := d.recordable(); err != nil {
		return a, err
	}
	session := store.NewID("tty_") // nobody else's challenge, and no other run's
	card, err := s.Challenge(ctx, id, session)
	if err != nil {
		return card.Action, err
	}
	c, err := d.confirmCard(ctx, card, made)
	if err != nil {
		return card.Action, err
	}
	c.Session, c.Resolver, c.Terminal, c.FactsHash = session, agents.Operator, true, card.FactsHash
	return s.Approve(ctx, id, c)
}

// somebodyHere says whether there is a terminal to ask at.
func (d *Deps) somebodyHere(act string) error {
	t, err := d.terminal(act)
	if err != nil {
		if fault.CodeOf(err) != fault.ApprovalRequired {
			return err
		}
		return fault.New(fault.TTYRequired, "only a person at a terminal may %s, and there is none", act).
			Hintf("run the command in a terminal").WithSent(fault.SentNo)
	}
	return t.Close()
}

// confirmCard shows a card and asks for everything that its grade takes.
func (d *Deps) confirmCard(ctx context.Context, card action.Card, passphrase bool) (action.Confirmation, error) {
	c := action.Confirmation{Identifiers: map[string]string{}}
	show := cardLines(card.Action)
	ask := func(question string) (string, error) {
		typed, err := d.atTerminal(ctx, "approve an action", show, question, Terminal.ReadLine)
		show = nil // the card is shown once, before the first question
		return strings.TrimSpace(typed), err
	}
	yes := func(what string) error {
		typed, err := ask(what + " Type yes: ")
		if err == nil && typed != "yes" {
			err = notAgreed()
		}
		return err
	}
	if card.Check.Level == action.Critical {
		if err := yes("The model's words contradict the facts above. Only the facts will happen. Go on?"); err != nil {
			return c, err
		}
		c.Mismatch = true
	}
	if card.Challenge == nil {
		if err := yes("Approve this?"); err != nil {
			return c, err
		}
	} else if err := d.threeSteps(card, &c, ask, yes); err != nil {
		return c, err
	}
	if !passphrase {
		return c, nil
	}
	if _, err := d.provePassphrase(ctx, "approve "+card.ID); err != nil {
		return c, err
	}
	c.Proved = true
	return c, nil
}

// threeSteps asks what a high grade takes: the impact, the identifiers, the phrase.
func (d *Deps) threeSteps(card action.Card, c *action.Confirmation, ask func(string) (string, error), yes func(string) error) error {
	wrong := func(what string) error {
		return fault.New(fault.ConfirmationMismatch, "what was typed is not the %s: nothing was approved", what).
			Hintf("begin again with ape-claw ai actions approve %s", card.ID).WithSent(fault.SentNo)
	}
	c.Challenge = card.Challenge.ID
	if err := yes("Step 1 of 3: " + strings.TrimSuffix(action.Clean(card.Impact), ".") + ". Have you read this?"); err != nil {
		return err
	}
	c.Acknowledged = true
	for _, name := range card.Challenge.Identifiers {
		typed, err := ask(fmt.Sprintf("Step 2 of 3: retype the %s (%s): ", label(card.Action, name), card.Identifiers[name]))
		if err != nil {
			return err
		}
		if typed != card.Identifiers[name] {
			return wrong(label(card.Action, name))
		}
		c.Identifiers[name] = typed
	}
	typed, err := ask("Step 3 of 3: type " + card.Challenge.Phrase + " to approve: ")
	if err != nil {
		return err
	}
	if typed != card.Challenge.Phrase {
		return wrong("phrase")
	}
	c.Phrase = typed
	return nil
}

// label is what people call an identifier: as the fact of that name is called.
func label(a action.Action, name string) string {
	for _, f := range a.Facts {
		if f.Name == name && f.Label != "" {
			return action.Cut(f.Label, 40)
		}
	}
	return action.Cut(name, 40)
}

// cardLines are an action as a person decides by it: the facts, which are ours,
// first; what the model says below them.
func cardLines(a action.Action) []string {
	out := []string{"", action.Cut(a.Title, 200), "  " + action.Cut(a.Impact, 400), ""}
	kv := func(pairs ...string) {
		width := 0
		for i := 0; i < len(pairs); i += 2 {
			width = max(width, utf8.RuneCountInString(pairs[i]))
		}
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i+1] != "" {
				out = append(out, "  "+pairs[i]+strings.Repeat(" ", width-utf8.RuneCountInString(pairs[i]))+"  "+pairs[i+1])
			}
		}
	}
	var pairs []string
	for _, volatile := range []bool{false, true} {
		for _, f := range a.Facts {
			if f.Volatile == volatile {
				pairs = append(pairs, action.Cut(cmp.Or(f.Label, f.Name), 40), action.Cut(f.Value, 300))
			}
		}
	}
	for _, s := range a.Spends {
		pairs = append(pairs, "leaves at most", action.Cut(s.Shown, 80))
	}
	for _, s := range a.Limits {
		pairs = append(pairs, "the model's limit", action.Cut(s.Shown, 80))
	}
	for _, k := range slices.Sorted(maps.Keys(a.Binding)) {
		v := a.Binding[k]
		if !slices.ContainsFunc(a.Facts, func(f ai.Fact) bool { return f.Name == k || f.Value == v }) {
			pairs = append(pairs, action.Cut(action.BindingName(k), 40), action.Cut(v, 120))
		}
	}
	kv(pairs...)
	out = append(out, "")
	asked := action.Cut(a.Origin, 80)
	if a.RoomID != "" {
		asked += " in conversation " + action.Cut(a.RoomID, 40)
	}
	kv("asked by", asked, "runs", "ape-claw "+action.Cut(a.Command, 40), "risk", string(a.Grade), "expires", a.ExpiresAt.UTC().Format("2006-01-02 15:04:05 UTC"),
		"had read from outside", strings.Join(a.Taint, ", "), "facts come from", strings.Join(a.Untrusted, ", "), "id", a.ID)
	for _, w := range a.Warnings {
		out = append(out, "  warning: "+action.Cut(w, 300))
	}
	if a.Claim == "" {
		return append(out, "", "  The model says nothing about it.", "")
	}
	out = append(out, "", "  model says (only words): "+action.Cut(a.Claim, action.MaxClaim))
	for _, f := range a.Check.Findings {
		out = append(out, "  "+f.Level+": "+action.Cut(f.Text, 200))
	}
	return append(out, "")
}
