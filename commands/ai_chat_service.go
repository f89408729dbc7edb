package commands

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/ai/connection"
	"github.com/ape-claw/ape-claw/ai/guide"
	"github.com/ape-claw/ape-claw/ai/mcp"
	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/sandbox/model"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// scriptPrefix begins a --connection that is a file of answers.
const scriptPrefix = "scripted:"

// scriptName is what a scripted model is called in conversations and events. No
// connection can take its place: it answers only in the run that names its file.
const scriptName = connection.ScriptName

// chatRun is what a run that talks has beside the service.
type chatRun struct {
	script ai.Model // of --connection scripted:FILE
	file   string   // the file
	name   string   // the model's
	// later takes an action that ended, to tell the model when the terminal is the
	// conversation's again; nil tells it at once.
	later func(action.Action)
	reads bool // what is above read is no tool here, whatever the connection has
}

// talking is the chatRun of this run or of the one that it is within.
func (d *Deps) talking() *chatRun {
	for ; d != nil; d = d.parent {
		if d.chat != nil {
			return d.chat
		}
	}
	return nil
}

// script is the scripted model of this run, nil without one.
func (d *Deps) script() ai.Model {
	if t := d.talking(); t != nil {
		return t.script
	}
	return nil
}

// aiChat is the conversations of this state directory.
func (d *Deps) aiChat() (*chat.Service, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	conns, err := d.aiConnections()
	if err != nil {
		return nil, err
	}
	return chat.New(chat.Options{
		State: d.stateDB,
		Begin: func(ctx context.Context, s tool.Session) (chat.Invocation, error) {
			e, err := d.aiEngine(ctx)
			if err != nil {
				return nil, err
			}
			return e.Begin(s), nil
		},
		Open: func(ctx context.Context, name, asked string) (chat.Connection, ai.Model, error) {
			return d.openChat(ctx, conns, name, asked)
		},
		Allowed: func(ctx context.Context, id string) error {
			if id == scriptName {
				return nil
			}
			return conns.Allowed(ctx, id)
		},
		Charge: func(ctx context.Context, id string, turn bool, u ai.Usage) error {
			if id == scriptName {
				return nil
			}
			return conns.Charge(ctx, id, turn, u)
		},
		Record: d.aiRecord,
		Watch: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return ai.Watch(ctx, cfg.Home)
		},
		Redactor: d.redactor(), Now: d.host.Now, Guide: guide.Text(),
	}), nil
}

// again is the command that goes on with a conversation. A scripted model answers only
// where its file is named.
func (d *Deps) again(room string) string {
	command := d.cli() + " ai chat --conversation " + room
	if t := d.talking(); t != nil && t.file != "" {
		command += " --connection " + mcp.Shell(scriptPrefix+t.file)
	}
	return command
}

// openChat readies a connection for a turn.
func (d *Deps) openChat(ctx context.Context, conns *connection.Store, name, asked string) (chat.Connection, ai.Model, error) {
	if m := d.script(); name == scriptName && m != nil {
		if asked == "" {
			asked = d.talking().name
		}
		return chat.Connection{ID: scriptName, Name: scriptName, Model: asked, Preset: d.presetHere(ai.Preset{Name: ai.PresetAll})}, m, d.recordable()
	}
	if name == scriptName {
		return chat.Connection{}, nil, fault.New(fault.NoConnection, "this conversation was with a scripted model").
			Hintf("name its file again with --connection scripted:<file>, or another connection").WithSent(fault.SentNo)
	}
	c, m, err := conns.Open(ctx, name)
	if err != nil {
		return chat.Connection{}, nil, err
	}
	r, err := d.aiRegistry()
	if err != nil {
		return chat.Connection{}, nil, err
	}
	c.Tools = d.presetHere(c.Tools)
	var grades []ai.Grade
	for _, t := range r.Tools(c.Tools) {
		grades = append(grades, t.Grade)
	}
	chosen, err := c.Choose(asked, connection.TierFor("", grades))
	if err != nil {
		return chat.Connection{}, nil, err
	}
	return chat.Connection{ID: c.ID, Name: c.Name, Model: chosen, Identity: identity(c.Identity), Preset: c.Tools}, m, d.recordable()
}

// identity is what the operator wrote, as the model is told.
func identity(i connection.Identity) string {
	var parts []string
	for _, p := range []struct{ name, text string }{{"Role", i.Role}, {"Traits", i.Traits}, {"Instructions", i.Instructions}} {
		if p.text != "" {
			parts = append(parts, p.name+": "+p.text)
		}
	}
	return strings.Join(parts, "\n")
}

// startScript starts a model that answers from a file, on this machine, and reaches
// it as any other: through the provider. It ends with the run.
func (d *Deps) startScript(ctx context.Context, path string) (ai.Model, string, error) {
	script, err := model.Load(path)
	if err != nil {
		return nil, "", err
	}
	srv, err := model.Start(ctx, model.Options{Script: script})
	if err != nil {
		return nil, "", err
	}
	d.onClose(srv.Close)
	name := script.Model
	if name == "" {
		name = scriptName
	}
	m, err := provider.New(provider.Options{Name: scriptName, BaseURL: srv.URL, Transport: d.transport(), Now: d.host.Now})
	return m, name, err
}

// mostOutcome is how much of an action's result a model is told, in bytes.
const mostOutcome = 6 << 10

// reportAction tells the model of an action's end, once over all processes: what was
// carried out in a turn of its own, what was not when its next turn comes. That it
// could not be told undoes nothing.
func (d *Deps) reportAction(ctx context.Context, a action.Action) {
	if a.RoomID == "" {
		return
	}
	if t := d.talking(); t != nil && t.later != nil {
		t.later(a)
		return
	}
	if a.Origin == "conn:"+scriptName && d.script() == nil {
		return // its model is in another process, which hears of it, or in none
	}
	if _, err := d.tellModel(ctx, a, nil); err != nil {
		d.warn("%s: the model was not told what became of %s", fault.From(err).Message, a.ID)
	}
}

// tellModel is reportAction without delay. The turn has no id where there was none.
func (d *Deps) tellModel(ctx context.Context, a action.Action, on chat.Sink) (chat.Turn, error) {
	actions, err := d.aiActions(ctx)
	if err != nil {
		return chat.Turn{}, err
	}
	if won, err := actions.MarkReported(ctx, a.ID); err != nil || !won {
		return chat.Turn{}, err
	}
	s, err := d.aiChat()
	if err != nil {
		return chat.Turn{}, err
	}
	o, err := outcomeOf(ctx, actions, a)
	if err != nil {
		return chat.Turn{}, err
	}
	corrected := a.Outcome != nil && a.Outcome.Corrected // it was called for it once, or passed that over
	if (a.State == action.Executed || a.State == action.Failed) && !corrected {
		return s.Callback(ctx, o, on)
	}
	return chat.Turn{}, s.Note(ctx, o)
}

// tellUnreported tells of what ended in a conversation and was not told of: what a
// person rejected, what expired, or what a process that was killed carried out.
func (d *Deps) tellUnreported(ctx context.Context, room string) error {
	actions, err := d.aiActions(ctx)
	if err != nil {
		return err
	}
	list, err := actions.Unreported(ctx, room)
	if err != nil || len(list) == 0 {
		return err
	}
	s, err := d.aiChat()
	if err != nil {
		return err
	}
	for _, a := range list {
		won, err := actions.MarkReported(ctx, a.ID)
		if err != nil {
			return err
		}
		if !won {
			continue
		}
		o, err := outcomeOf(ctx, actions, a)
		if err != nil {
			return err
		}
		if err := s.Note(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// outcomeOf is the end of an action as its model may know it: a tool result in the fence.
func outcomeOf(ctx context.Context, s *action.Service, a action.Action) (chat.Outcome, error) {
	o := chat.Outcome{ActionID: a.ID, Room: a.RoomID, TraceID: a.TraceID, State: string(a.State), Again: a.Outcome != nil && a.Outcome.Corrected}
	status, err := s.Status(ctx, ai.Scope{AgentID: a.Origin, SessionID: a.SessionID, TraceID: a.TraceID, Source: a.Source}, a.ID)
	if err != nil {
		return o, err
	}
	b, err := json.Marshal(map[string]any{"untrusted": true, "source": a.Tool, "data": status})
	if err == nil && len(b) > mostOutcome {
		b, err = json.Marshal(map[string]any{"data": map[string]any{"actionId": a.ID, "state": a.State,
			"note": "the whole result is too long; action_status has it"}})
	}
	o.Text = string(b)
	return o, err
}
