package commands

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/store"
)

// What a shell offers for the commands of models. It makes nothing: where there is
// no database yet there is nothing to offer.

// completeActions offers the newest in these states, or in any.
func (d *Deps) completeActions(states ...action.State) func(context.Context) []string {
	return func(ctx context.Context) []string {
		db, err := d.oldState(ctx)
		if db == nil || err != nil {
			return nil
		}
		rows, err := db.QueryContext(ctx, "SELECT id, tool, state FROM ai_actions ORDER BY created_at DESC LIMIT 100")
		if err != nil {
			return nil
		}
		defer rows.Close() //nolint:errcheck // what is missing is not offered
		var out []string
		for rows.Next() {
			var id, tool, state string
			if rows.Scan(&id, &tool, &state) == nil && (len(states) == 0 || slices.Contains(states, action.State(state))) && len(out) < 20 {
				out = append(out, id+"\t"+clean(tool)+", "+clean(state))
			}
		}
		if rows.Err() != nil {
			return nil
		}
		return out
	}
}

// completeConversations offers the ones that were used last.
func (d *Deps) completeConversations(ctx context.Context) []string {
	db, err := d.oldState(ctx)
	if db == nil || err != nil {
		return nil
	}
	s, err := d.aiChat()
	if err != nil {
		return nil
	}
	rooms, err := s.Rooms(ctx, 20)
	if err != nil {
		return nil
	}
	out := []string{"last"}
	for _, r := range rooms {
		out = append(out, r.ID+"\t"+clean(r.Title))
	}
	return out
}

func (d *Deps) completeConnections(ctx context.Context) []string {
	s, err := d.aiConnections()
	if err != nil || !d.oldAI() {
		return nil
	}
	all, err := s.List(ctx)
	if err != nil {
		return nil
	}
	var out []string
	for _, c := range all {
		out = append(out, c.Name+"\t"+clean(c.Service+" "+c.Model))
	}
	return out
}

// completeTokens offers the clients whose tokens still count.
func (d *Deps) completeTokens(ctx context.Context) []string {
	op, err := d.aiOperator()
	if err != nil || !d.oldAI() {
		return nil
	}
	all, err := op.MCPTokens(ctx)
	if err != nil {
		return nil
	}
	var out []string
	for _, t := range all {
		if t.Revoked.IsZero() {
			out = append(out, t.Name+"\t"+clean(t.Tools.Name))
		}
	}
	return out
}

func (d *Deps) completeTools(context.Context) []string {
	registry, err := d.aiRegistry()
	if err != nil {
		return nil
	}
	var out []string
	for _, t := range registry.Tools(ai.Preset{Name: ai.PresetAll}) {
		out = append(out, t.Name+"\t"+string(t.Grade))
	}
	return out
}

// oldAI says whether the home has a database of models.
func (d *Deps) oldAI() bool {
	cfg, err := d.Config()
	if err != nil {
		return false
	}
	_, err = os.Lstat(filepath.Join(cfg.Home, store.AIFile))
	return err == nil
}
