package commands

import (
	"context"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/ai/chat"
)

// lookPause is between two looks at what others do, and reportPatience how long the
// process that carried an action out has to tell the model of it.
const (
	lookPause      = 300 * time.Millisecond
	reportPatience = 3 * time.Second
)

// waitDecided waits until what a turn proposed is decided, whoever decides it, and
// shows what was said then: also by turns that follow, and what those propose.
func (d *Deps) waitDecided(ctx context.Context, s *chat.Service, show *chatShow, out *AIChatOut) error {
	actions, err := d.aiActions(ctx)
	if err != nil {
		return err
	}
	if !d.wantJSON {
		show.line("%s", show.aside.style(dim, "  waiting for a person: "+d.cli()+" ai actions approve …   Ctrl-C stops waiting, and what is proposed stays"))
	}
	ended := map[string]time.Time{}
	tick := time.NewTicker(lookPause)
	defer tick.Stop()
	for {
		if err := d.showNew(ctx, s, show, out); err != nil {
			return err
		}
		open, err := d.openOf(ctx, actions, show, out, ended)
		if err != nil || !open {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// openOf reports whether anything of a turn is still to come. What nobody told the
// model of is told here.
func (d *Deps) openOf(ctx context.Context, actions *action.Service, show *chatShow, out *AIChatOut, ended map[string]time.Time) (bool, error) {
	s, err := d.aiChat()
	if err != nil {
		return false, err
	}
	room, err := s.Room(ctx, out.Room)
	if err != nil {
		return false, err
	}
	open := room.Running || room.Messages > out.LastSeq
	for _, id := range out.Actions {
		a, err := actions.Show(ctx, id)
		if err != nil {
			return false, err
		}
		if a.State == action.Proposed || a.State == action.Executing {
			open = true
			continue
		}
		if ended[id].IsZero() {
			ended[id] = d.host.Now()
			open = true // whoever ended it tells the model next
		}
		if a.Reported {
			continue
		}
		open = true
		if a.State == action.Executed || a.State == action.Failed {
			if d.host.Now().Sub(ended[id]) < reportPatience {
				continue
			}
		}
		turn, err := d.tellModel(ctx, a, show.part)
		if err != nil {
			return false, err
		}
		if turn.ID != "" {
			out.Turn.Text, out.LastSeq = turn.Text, turn.LastSeq
			out.Actions = append(out.Actions, turn.Actions...)
		}
	}
	return open, nil
}

// showNew shows the messages that were stored since.
func (d *Deps) showNew(ctx context.Context, s *chat.Service, show *chatShow, out *AIChatOut) error {
	list, err := s.Messages(ctx, out.Room, out.LastSeq, 200)
	if err != nil {
		return err
	}
	for _, m := range list {
		show.message(m)
		out.LastSeq = m.Seq
		for _, b := range m.Blocks {
			switch {
			case b.Type == chat.BlockText && m.Role == ai.RoleAssistant:
				out.Turn.Text = b.Text
			case b.Type == chat.BlockProposal:
				out.Actions = append(out.Actions, b.ActionID)
				if d.wantJSON {
					show.actionJSON(b.ActionID)
				} else {
					show.card(b.ActionID)
				}
			}
		}
	}
	return show.end()
}
