package commands

import (
	"context"

	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

type roomPart struct{ parts }

// Limits of what is told of conversations at once.
const (
	maxRooms    = 100
	maxMessages = 200
)

func (p roomPart) List(ctx context.Context) (any, error) {
	if db, err := p.d.oldState(ctx); db == nil || err != nil {
		return okWith("rooms", []chat.Room{}, err)
	}
	s, err := p.d.aiChat()
	if err != nil {
		return nil, err
	}
	list, err := s.Rooms(ctx, maxRooms)
	return okWith("rooms", list, err)
}

func (p roomPart) Messages(ctx context.Context, id string, after int64) (any, error) {
	s, err := p.there(ctx)
	if err != nil {
		return nil, err
	}
	room, err := s.Room(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := s.Messages(ctx, room.ID, after, maxMessages)
	if err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "room": room, "messages": list}, nil
}

// there is the conversations of a state directory that has some.
func (p roomPart) there(ctx context.Context) (*chat.Service, error) {
	db, err := p.d.oldState(ctx)
	if err != nil {
		return nil, err
	}
	if db == nil {
		return nil, fault.New(fault.NotFound, "there is no conversation here")
	}
	return p.d.aiChat()
}

// Post answers when the turn has begun. It can't begin a conversation: that is for
// ai chat, where a person sees with which connection.
func (p roomPart) Post(ctx context.Context, id, text string, begun func(any, error)) {
	s, err := p.there(ctx)
	if err == nil {
		_, err = s.Room(ctx, id)
	}
	if err != nil {
		begun(nil, err)
		return
	}
	_, err = s.Send(ctx, chat.SendIn{Room: id, Text: text}, func(part chat.Part) {
		if part.Kind == chat.PartTurn {
			begun(map[string]any{"ok": true, "turn": part.Turn}, nil)
		}
	})
	if err == nil {
		err = fault.New(fault.Internal, "the turn ended and did not say that it began")
	}
	begun(nil, err) // of a turn that began, this is in the conversation
}

func (p roomPart) Cancel(ctx context.Context, id, turn string) (any, error) {
	s, err := p.there(ctx)
	if err != nil {
		return nil, err
	}
	stopped, err := s.StopTurn(ctx, id, turn)
	if err == nil && !stopped {
		err = fault.New(fault.NotFound, "this turn does not run")
	}
	return okWith("stopped", stopped, err)
}
