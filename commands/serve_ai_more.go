package commands

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/api"
	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/ai/connection"
	"github.com/ape-claw/ape-claw/ai/guide"
	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

type connectionPart struct{ parts }

// with does something with the connections.
func (p connectionPart) with(f func(*connection.Store) (connection.Connection, error)) (any, error) {
	if err := p.d.notChild("change a connection"); err != nil {
		return nil, err
	}
	s, err := p.d.aiConnections()
	if err != nil {
		return nil, err
	}
	c, err := f(s)
	return okWith("connection", c, err)
}

func (p connectionPart) List(ctx context.Context) (any, error) {
	s, err := p.d.aiConnections()
	if err != nil {
		return nil, err
	}
	list, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "connections": list, "services": provider.Presets()}, nil
}

func (p connectionPart) Show(ctx context.Context, id string) (any, error) {
	s, err := p.d.aiConnections()
	if err != nil {
		return nil, err
	}
	c, err := s.Show(ctx, id)
	return okWith("connection", c, err)
}

// value is what a pointer points at, and "" or false for none.
func value[T any](v *T) (out T) {
	if v != nil {
		out = *v
	}
	return out
}

// preset is the tools of a connection as they are sent; nil for nothing sent.
func preset(in api.ConnectionIn) *ai.Preset {
	if in.Preset == nil && in.Enabled == nil {
		return nil
	}
	return &ai.Preset{Name: value(in.Preset), Enabled: value(in.Enabled)}
}

func (p connectionPart) Add(ctx context.Context, in api.ConnectionIn) (any, error) {
	return p.with(func(s *connection.Store) (connection.Connection, error) {
		add := connection.AddIn{Name: value(in.Name), Service: value(in.Service), BaseURL: value(in.BaseURL), Model: value(in.Model),
			KeyEnv: value(in.KeyEnv), Key: connection.Secret(value(in.Key)), Default: value(in.Default),
			Identity: connection.Identity{Role: value(in.Role), Traits: value(in.Traits), Instructions: value(in.Instructions)}}
		if t := preset(in); t != nil {
			add.Tools = *t
		}
		if err := p.d.knownTools(add.Tools.Enabled); err != nil {
			return connection.Connection{}, err
		}
		return s.Add(ctx, add)
	})
}

func (p connectionPart) Set(ctx context.Context, id string, in api.ConnectionIn) (any, error) {
	if in.Service != nil {
		return nil, fault.New(fault.Usage, "the service of a connection is not changed").Hintf("add another connection, or send baseUrl")
	}
	return p.with(func(s *connection.Store) (connection.Connection, error) {
		if err := p.d.knownTools(value(in.Enabled)); err != nil {
			return connection.Connection{}, err
		}
		return s.Set(ctx, id, connection.Change{Name: in.Name, BaseURL: in.BaseURL, Model: in.Model, KeyEnv: in.KeyEnv, Role: in.Role,
			Traits: in.Traits, Instruct: in.Instructions, Tools: preset(in), Disabled: in.Disabled, Default: in.Default})
	})
}

func (p connectionPart) Remove(ctx context.Context, id string) (any, error) {
	return p.with(func(s *connection.Store) (connection.Connection, error) { return s.Remove(ctx, id) })
}

func (p connectionPart) Verify(ctx context.Context, id string) (any, error) {
	return p.with(func(s *connection.Store) (connection.Connection, error) { return s.Verify(ctx, id) })
}

func (p connectionPart) SetSecret(ctx context.Context, id, key string) (any, error) {
	return p.with(func(s *connection.Store) (connection.Connection, error) {
		return s.SetSecret(ctx, id, connection.Secret(key))
	})
}

// usageDays is how many days of a connection's use are told.
const usageDays = 30

func (p connectionPart) Usage(ctx context.Context) (any, error) {
	s, err := p.d.aiConnections()
	if err != nil {
		return nil, err
	}
	list, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	type used struct {
		Connection string             `json:"connection"`
		Caps       connection.Caps    `json:"caps"`
		Days       []connection.Usage `json:"days"`
	}
	out := []used{}
	for _, c := range list {
		days, err := s.Days(ctx, c.ID, usageDays)
		if err != nil {
			return nil, err
		}
		out = append(out, used{c.Name, c.Caps, append([]connection.Usage{}, days...)})
	}
	return okWith("usage", out, nil)
}

type bookPart struct{ parts }

func (p bookPart) Tools(context.Context) (any, error) {
	r, err := p.d.aiRegistry()
	if err != nil {
		return nil, err
	}
	type entry struct {
		Name        string          `json:"name"`
		Command     string          `json:"command,omitempty"`
		Description string          `json:"description"`
		Grade       ai.Grade        `json:"grade"`
		Permission  string          `json:"permission"`
		Identifiers []string        `json:"identifiers,omitempty"`
		Schema      json.RawMessage `json:"schema"`
	}
	out := []entry{}
	for _, t := range r.Tools(ai.Preset{Name: ai.PresetAll}) {
		out = append(out, entry{t.Name, t.Command, t.Description, t.Grade, t.Permission, t.Identifiers, t.Schema})
	}
	return okWith("tools", out, nil)
}

func (p bookPart) Commands(context.Context) (any, error) {
	return okWith("commands", slices.DeleteFunc(chat.Commands(), func(c chat.Command) bool { return c.Terminal }), nil)
}

func (p bookPart) MCPConfig(_ context.Context, client string) (any, error) {
	out, err := p.d.mcpConfig(AIMCPConfigIn{Client: client, HTTP: true})
	return out, err // of a client over HTTP: whoever asks here need not be on this machine
}

func (p bookPart) Guide(context.Context) (any, error) {
	return map[string]any{"ok": true, "guide": guide.Text(), "sections": guide.Sections()}, nil
}

// Budget is what models are told of it: the tool budget_status.
func (p bookPart) Budget(ctx context.Context) (any, error) {
	r, err := p.d.aiRegistry()
	if err != nil {
		return nil, err
	}
	t, ok := r.Lookup("budget_status")
	if !ok {
		return nil, fault.New(fault.NotFound, "there is no budget to tell of")
	}
	out, err := t.Run(ctx, ai.Call{Args: json.RawMessage(`{}`), Scope: operatorScope()})
	return okWith("budget", out, err) // a tool.Traced, which marshals as its value
}
