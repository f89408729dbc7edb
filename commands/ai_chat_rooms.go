package commands

import (
	"context"

	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/telemetry"
)

// AIConversationsListIn bounds the list.
type AIConversationsListIn struct {
	Limit int `json:"limit" default:"20" min:"1" help:"at most so many, the one that was used last first"`
}

// AIConversationsListOut is the conversations of this state directory.
type AIConversationsListOut struct {
	OK            bool        `json:"ok"`
	Count         int         `json:"count"`
	Conversations []chat.Room `json:"conversations"`
}

func newAIConversationsList() Command {
	return define(Spec{Name: "ai conversations list", Short: "List the conversations with models",
		Long:   "List the conversations of this state directory, the one that was used last first.",
		Events: []string{"ai.conversations.read", "ai.turn.failed", "ai.message.created"}, Risk: RiskRead, Permission: "ai:read", Offline: true, AI: Exposure{Class: AINever}},
		aiConversationsList,
		func(p *Printer, out AIConversationsListOut) {
			if out.Count == 0 {
				p.Line("No conversations.")
				return
			}
			var rows [][]string
			for _, r := range out.Conversations {
				title := chat.OneLine(r.Title)
				if r.Running {
					title = "(answering) " + title
				}
				rows = append(rows, []string{r.ID, r.UpdatedAt.Format("2006-01-02 15:04"), r.Connection, title})
			}
			p.Table([]string{"ID", "USED (UTC)", "CONNECTION", "ABOUT"}, rows)
		})
}

func aiConversationsList(ctx context.Context, d *Deps, in AIConversationsListIn) (AIConversationsListOut, error) {
	out := AIConversationsListOut{OK: true, Conversations: []chat.Room{}}
	db, err := d.oldState(ctx)
	if err != nil {
		return out, err
	}
	if db != nil {
		s, err := d.aiChat()
		if err != nil {
			return out, err
		}
		if _, err := s.Interrupted(ctx); err != nil {
			return out, err
		}
		if out.Conversations, err = s.Rooms(ctx, in.Limit); err != nil {
			return out, err
		}
	}
	out.Count = len(out.Conversations)
	return out, d.Record(ctx, telemetry.Draft{Type: "ai.conversations.read", Result: map[string]any{"count": out.Count}})
}

// AIConversationIn names a conversation.
type AIConversationIn struct {
	ID string `json:"id" arg:"conversation" required:"true" complete:"conversations" help:"its id, or last"`
}

// AIConversationsShowIn says what of it.
type AIConversationsShowIn struct {
	AIConversationIn
	After int64 `json:"after" help:"only messages after this seq"`
	Limit int   `json:"limit" default:"200" min:"1" help:"at most so many messages"`
}

// AIConversationsShowOut is what was said.
type AIConversationsShowOut struct {
	OK           bool           `json:"ok"`
	Conversation chat.Room      `json:"conversation"`
	Messages     []chat.Message `json:"messages"`

	show *chatShow
}

func newAIConversationsShow() Command {
	return define(Spec{Name: "ai conversations show", Short: "Show what was said in a conversation, and what the model did",
		Long: `Show the messages of a conversation in order: what was typed, what the model said and called,
what it proposed, and what became of that. With --json each message has its blocks.`,
		Events: []string{"ai.conversations.read", "ai.turn.failed", "ai.message.created"}, Risk: RiskRead, Permission: "ai:read", Offline: true, AI: Exposure{Class: AINever}},
		aiConversationsShow,
		func(p *Printer, out AIConversationsShowOut) {
			p.Head("%s", shownFact(out.Conversation.Title))
			out.show.text, out.show.aside = p, p
			for _, m := range out.Messages {
				out.show.message(m)
			}
			out.show.breakLine()
		})
}

func aiConversationsShow(ctx context.Context, d *Deps, in AIConversationsShowIn) (AIConversationsShowOut, error) {
	out := AIConversationsShowOut{OK: true, show: d.newChatShow(ctx, d.host.Stdout, d.host.Stdout)}
	s, err := d.aiChat()
	if err != nil {
		return out, err
	}
	room, err := d.oldRoom(ctx, s, in.ID)
	if err != nil {
		return out, err
	}
	if _, err := s.Interrupted(ctx); err != nil {
		return out, err
	}
	if out.Conversation, err = s.Room(ctx, room.ID); err != nil {
		return out, err
	}
	if out.Messages, err = s.Messages(ctx, room.ID, in.After, in.Limit); err != nil {
		return out, err
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "ai.conversations.read", Payload: map[string]any{"roomId": room.ID}, Result: map[string]any{"count": len(out.Messages)}})
}

// AIConversationsStopOut says whether there was anything to stop.
type AIConversationsStopOut struct {
	OK           bool   `json:"ok"`
	Conversation string `json:"conversation"`
	Stopping     bool   `json:"stopping"` // a turn was running: it ends within two seconds
}

func newAIConversationsStop() Command {
	return define(Spec{Name: "ai conversations stop", Short: "Stop the answer that is being written, in whichever process",
		Long: `Ask the process that runs the turn of a conversation to end it. It does so with its next sign
of life, within about a second; what was said so far is kept.`,
		Events: []string{"ai.conversations.read"}, Risk: RiskWrite, Permission: "ai:chat", Offline: true, Late: true, AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in AIConversationIn) (AIConversationsStopOut, error) {
			s, err := d.aiChat()
			if err != nil {
				return AIConversationsStopOut{}, err
			}
			room, err := d.oldRoom(ctx, s, in.ID)
			if err != nil {
				return AIConversationsStopOut{}, err
			}
			out := AIConversationsStopOut{OK: true, Conversation: room.ID}
			if out.Stopping, err = s.Stop(ctx, room.ID); err != nil {
				return out, err
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "ai.conversations.read", Payload: map[string]any{"roomId": room.ID}, Result: map[string]any{"count": 0}})
		},
		func(p *Printer, out AIConversationsStopOut) {
			if out.Stopping {
				p.Line("Stopping.")
				return
			}
			p.Line("Nothing is being answered there.")
		})
}
