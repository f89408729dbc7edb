package commands

import (
	"context"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// command runs a command of the conversation's own. No model hears of it.
func (t *talk) command(ctx context.Context, typed chat.Typed) error {
	p := t.show.aside
	switch typed.Command.Name {
	case "help":
		t.help()
	case "tools":
		return t.tools(ctx)
	case "model":
		return t.choose(ctx, typed.Args["name"])
	case "actions":
		return t.actions(ctx)
	case "approve":
		return t.away(func() error {
			a, err := t.d.approveAtTerminal(ctx, typed.Args["actionId"])
			if err == nil {
				printDecided(p, t.d.decidedOut(a))
			}
			return err
		})
	case "reject":
		a, err := t.d.rejectAction(ctx, typed.Args["actionId"], typed.Args["reason"])
		if err == nil {
			p.Line("  %s rejected; the model sees that with your next message", shownFact(a.ID))
		}
		return err
	case "why":
		out, err := t.d.aiExplain(ctx, AIExplainIn{Action: typed.Args["actionId"]})
		if err == nil {
			newAIExplain().text(p, out)
		}
		return err
	case "reset":
		if t.room != "" {
			if err := t.s.Reset(ctx, t.room); err != nil {
				return err
			}
		}
		p.Line("  The model begins anew: of what was said before it sees nothing. It is kept for you.")
	case "stop":
		p.Line("  Nothing is being answered. While something is, /stop and Ctrl-C end it.")
	case "kill":
		out, err := t.d.aiKill(ctx, ai.Scope{Source: "cli"}, typed.Args["reason"])
		if err == nil {
			newAIKill().text(p, out)
		}
		return err
	case "quit":
		t.left = true
	default:
		return fault.New(fault.Internal, "/%s does nothing here", typed.Command.Name)
	}
	return nil
}

func (t *talk) help() {
	p := t.show.aside
	for _, prompts := range []bool{false, true} {
		heading := "Answered here"
		if prompts {
			heading = "Sent to the model, in more words"
		}
		p.Head("%s", heading)
		for _, c := range chat.Commands() {
			if c.IsPrompt() != prompts {
				continue
			}
			name := strings.TrimSpace("/" + c.Name + " " + c.Usage)
			p.Line("  %s%s %s", name, strings.Repeat(" ", max(1, 40-len(name))), p.style(dim, c.Short))
		}
	}
	p.Line("%s", p.style(dim, "Anything else is a message. Arrow keys edit and bring back lines; a pasted line break shows as ␤."))
}

func (t *talk) tools(ctx context.Context) error {
	r, err := t.d.aiRegistry()
	if err != nil {
		return err
	}
	c, _, err := t.d.openAny(ctx, t.conn, t.model)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		grade ai.Grade
		what  string
	}{{ai.GradeRead, "runs at once"}, {ai.GradeWrite, "waits for your yes"}, {ai.GradeHigh, "waits for you to retype what it is about"}} {
		var names []string
		for _, tool := range r.Tools(c.Preset) {
			if tool.Grade == part.grade {
				names = append(names, tool.Name)
			}
		}
		if len(names) > 0 {
			t.show.aside.Line("%s %s", t.show.aside.style(bold, string(part.grade)), t.show.aside.style(dim, part.what))
			t.show.aside.Line("  %s", strings.Join(names, "  "))
		}
	}
	return nil
}

// choose shows the model that answers, or takes another one from now on.
func (t *talk) choose(ctx context.Context, name string) error {
	if name == "" {
		t.show.aside.Line("  %s answers, of connection %s; /model <name> takes another one", shownFact(t.model), shownFact(t.conn))
		return nil
	}
	c, _, err := t.d.openAny(ctx, t.conn, name)
	if err != nil {
		return err
	}
	t.model = c.Model
	t.show.aside.Line("  From now on %s answers.", shownFact(t.model))
	return nil
}

func (t *talk) actions(ctx context.Context) error {
	out, err := aiActionsList(ctx, t.d, AIActionsListIn{State: []string{string(action.Proposed), string(action.Executing)}, Limit: 50})
	if err != nil {
		return err
	}
	if out.Count == 0 {
		t.show.aside.Line("  Nothing waits for you.")
		return nil
	}
	for _, a := range out.Actions {
		t.show.aside.Line("  %s  %s  %s", a.ID, stateText(a), clean(action.Cut(a.Title, 80)))
	}
	t.show.aside.Line("%s", t.show.aside.style(dim, "  /approve <id>   /reject <id> [reason]   /why <id>"))
	return nil
}

// openAny is a connection as a turn would get it.
func (d *Deps) openAny(ctx context.Context, name, model string) (chat.Connection, ai.Model, error) {
	conns, err := d.aiConnections()
	if err != nil {
		return chat.Connection{}, nil, err
	}
	return d.openChat(ctx, conns, name, model)
}
