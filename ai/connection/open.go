package connection

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// verifyTime bounds a verification.
const verifyTime = 15 * time.Second

// usable refuses a connection that is stored as one that does not answer.
func usable(r row) error {
	switch r.status {
	case Active:
		return nil
	case Disabled:
		return fault.New(fault.ConnInactive, "connection %s is disabled", r.name).Hintf("ape-claw ai connections set %s --enable", r.name)
	case ReauthRequired:
		return fault.New(fault.ConnInactive, "the provider of connection %s refused its key", r.name).
			Hintf("ape-claw ai connections set %s --ask-key, then ape-claw ai connections verify %s", r.name, r.name)
	}
	return fault.New(fault.ConnInactive, "connection %s is in error: %s", r.name, clean(r.doc.LastError, maxError)).
		Hintf("ape-claw ai connections verify %s", r.name)
}

// Open returns a connection and its model, ready to be asked. "" is the default
// connection, else the only one. One that is unknown is a fault.NoConnection, one
// that does not answer a fault.ConnInactive, one without its key a
// fault.ProviderAuth, one whose cap is reached a fault.CostCap. A provider that
// refuses the key makes the connection reauth_required.
func (s *Store) Open(ctx context.Context, name string) (Connection, ai.Model, error) {
	db, err := s.look(ctx)
	if err != nil {
		return Connection{}, nil, err
	}
	if db == nil {
		return Connection{}, nil, none()
	}
	r, err := pick(ctx, db, name)
	if err != nil {
		return Connection{}, nil, err
	}
	if err := s.allowed(ctx, db, r); err != nil {
		return Connection{}, nil, err
	}
	m, err := s.dial(ctx, db, r)
	if err != nil {
		return Connection{}, nil, err
	}
	c, err := s.shown(ctx, db, r)
	return c, &metered{m, s, r}, err
}

func none() error {
	return fault.New(fault.NoConnection, "no model is connected").
		Hintf("ape-claw ai connections add --preset openai --name main, or --preset ollama for a model on this machine")
}

func pick(ctx context.Context, q querier, name string) (row, error) {
	all, err := rows(ctx, q)
	if err != nil {
		return row{}, err
	}
	if len(all) == 0 && name == "" {
		return row{}, none()
	}
	for _, r := range all {
		if (name == "" && r.doc.Default) || (name != "" && (r.name == fold(name) || r.id == name)) {
			return r, nil
		}
	}
	if name == "" && len(all) == 1 {
		return all[0], nil
	}
	var names []string
	for _, r := range all {
		names = append(names, r.name)
	}
	if name == "" {
		return row{}, fault.New(fault.NoConnection, "there are several connections, and none is the default: %s", strings.Join(names, ", ")).
			Hintf("name one, or ape-claw ai connections default %s", names[0])
	}
	return row{}, fault.New(fault.NoConnection, "there is no connection of this name").Hintf("ape-claw ai connections list")
}

func (s *Store) dial(ctx context.Context, q querier, r row) (ai.Model, error) {
	v, err := s.secret(ctx, q, r)
	if err != nil {
		return nil, err
	}
	if err := s.checkKey(v); err != nil {
		return nil, err
	}
	return s.o.Dial(provider.Options{Name: r.name, BaseURL: r.doc.BaseURL, Key: string(v)})
}

// metered is a model that knows what a step cost and notices a refused key.
type metered struct {
	ai.Model
	s *Store
	r row
}

// Step asks the provider.
func (m *metered) Step(ctx context.Context, req ai.Request, on func(string)) (ai.Reply, error) {
	reply, err := m.Model.Step(ctx, req, on)
	if err != nil {
		if fault.CodeOf(err) == fault.ProviderAuth {
			return reply, errors.Join(err, m.s.refused(context.WithoutCancel(ctx), m.r, err))
		}
		return reply, err
	}
	prices := m.r.doc.Prices
	for _, model := range []string{reply.Model, req.Model} {
		if _, own := prices[model]; own {
			reply.Usage.CostMicros = prices.costOf(model, reply.Usage)
		}
	}
	if reply.Usage.CostMicros == nil {
		reply.Usage.CostMicros = prices.costOf(reply.Model, reply.Usage)
	}
	return reply, nil
}

// refused notes that the provider did not take the key, unless something else was
// set meanwhile.
func (s *Store) refused(ctx context.Context, was row, cause error) error {
	var r row
	var now bool
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		if r, err = find(ctx, tx, was.id); err != nil {
			return err
		}
		if now = r.version == was.version && r.status == Active; !now {
			return nil
		}
		r.status, r.doc.LastError = ReauthRequired, s.errorText(cause)
		if key, err := s.secret(ctx, tx, r); err == nil && key.in(r.doc.LastError) {
			r.doc.LastError = "the provider answered with the key"
		}
		r, err = s.put(ctx, tx, r)
		return err
	})
	if err != nil || !now {
		return err
	}
	return s.changed(ctx, r, "status")
}

// errorText is an error as it is kept: what a provider says is data.
func (s *Store) errorText(err error) string {
	return clean(fault.From(err).Message, maxError)
}

// Verify asks the provider for its models, in exactly one request, and stores the
// list and the time. A provider that has no list is asked for one token the next
// time, if the connection names a model. The connection is active after that, or
// reauth_required for a refused key, or in error; a disabled one stays disabled.
func (s *Store) Verify(ctx context.Context, ref string) (Connection, error) {
	db, err := s.look(ctx)
	if err == nil && db == nil {
		err = unknown()
	}
	if err != nil {
		return Connection{}, err
	}
	was, err := find(ctx, db, ref)
	if err != nil {
		return Connection{}, err
	}
	key, err := s.secret(ctx, db, was)
	if err != nil {
		return Connection{}, err
	}
	m, err := s.dial(ctx, db, was)
	if err != nil {
		return Connection{}, err
	}
	models, asked := s.ask(ctx, m, was)
	// A provider that hands the key back must not make it stay.
	models = slices.DeleteFunc(models, key.in)
	if asked != nil && key.in(s.errorText(asked)) {
		asked = fault.New(fault.CodeOf(asked), "the provider of connection %s answered with an error that holds the key", was.name)
	}
	if ctx.Err() != nil {
		return Connection{}, ctx.Err()
	}
	r, err := s.verified(ctx, was, models, asked)
	if err != nil {
		return Connection{}, err
	}
	result := map[string]any{"status": string(r.status), "ok": asked == nil, "modelCount": len(r.doc.Models)}
	d := telemetry.Draft{Type: "ai.connection.verified", Payload: map[string]any{"id": r.id, "name": r.name, "provider": r.doc.Provider}, Result: result}
	if asked != nil {
		d.Err = s.errorText(asked)
		result["code"] = string(fault.CodeOf(asked))
	}
	if err := errors.Join(asked, s.record(ctx, d)); err != nil {
		return Connection{}, err
	}
	return s.Show(ctx, r.id)
}

// ask makes the one request.
func (s *Store) ask(ctx context.Context, m ai.Model, r row) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, verifyTime)
	defer cancel()
	if r.doc.NoList && r.doc.Model != "" {
		return nil, provider.Check(ctx, m, r.doc.Model)
	}
	list, err := m.Models(ctx)
	var out []string
	for _, name := range list {
		if name != "" && checkModel(name) == nil && len(out) < maxModels {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// maxModels bounds what is kept of a list: the longest known has some hundreds.
const maxModels = 2000

// verified stores what came of a verification, unless it was of another address.
func (s *Store) verified(ctx context.Context, was row, models []string, asked error) (row, error) {
	var r row
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		if r, err = find(ctx, tx, was.id); err != nil {
			return err
		}
		if r.doc.BaseURL != was.doc.BaseURL {
			return fault.New(fault.Conflict, "connection %s was changed meanwhile", r.name).Hintf("ape-claw ai connections verify %s", r.name)
		}
		status := Active
		switch {
		case asked == nil:
			r.doc.LastError, r.doc.VerifiedAt = "", s.o.Now().UnixMilli()
			if !r.doc.NoList {
				r.doc.Models = models
			}
		case fault.CodeOf(asked) == fault.ProviderAuth:
			status, r.doc.LastError = ReauthRequired, s.errorText(asked)
		default:
			status, r.doc.LastError = Failed, s.errorText(asked)
			r.doc.NoList = r.doc.NoList || noList(asked)
		}
		if r.status != Disabled {
			r.status = status
		}
		r, err = s.put(ctx, tx, r)
		return err
	})
	return r, err
}

// noList reports whether a provider answered that it has no such page.
func noList(err error) bool {
	status, ok := fault.From(err).Details["status"].(int)
	return ok && status == 404
}
