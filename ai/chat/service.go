package chat

import (
	"context"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// SendIn is a person's message.
type SendIn struct {
	Room       string // "": a new conversation
	Text       string
	Expanded   string // what the model reads in place of Text, of a prompt command
	Connection string // "": the conversation's, else the default
	Model      string // "": the connection's
}

// The kinds of what a turn tells while it runs.
const (
	PartTurn    = "turn"   // it begins: Turn has the ids
	PartText    = "text"   // more of the model's text, as it comes: not yet fit for a terminal
	PartBreak   = "break"  // the step's text ended
	PartTool    = "tool"   // a tool call begins: CallID, Tool, Args
	PartResult  = "result" // and ended: CallID, Tool, Outcome, Code, Ms, ActionID
	PartNotice  = "notice" // Text
	PartMessage = "message"
)

// Part is a piece of news of a running turn.
type Part struct {
	Kind string
	Turn Turn
	Block
}

// Sink takes the news of a turn, one at a time, on the goroutine of the turn. It may be nil.
type Sink func(Part)

// Send runs the turn that a person's message begins, and returns it when it has
// ended. The error is the turn's failure too: it is stored in the conversation.
func (s *Service) Send(ctx context.Context, in SendIn, on Sink) (Turn, error) {
	return Turn{}, fault.New(fault.Internal, "not built yet")
}

// Outcome is what became of an action, for the conversation that it came from.
type Outcome struct {
	ActionID string
	Room     string
	TraceID  string
	State    string // executed, failed, rejected, expired, cancelled
	Text     string // the result as a model may see it: JSON in the fence
}

// Callback stores an outcome and has the model read it, in a turn of its own. Of a
// conversation that had its three in two minutes the model is not called: that is
// recorded (ai.callback.skipped) and no error.
func (s *Service) Callback(ctx context.Context, o Outcome, on Sink) (Turn, error) {
	return Turn{}, fault.New(fault.Internal, "not built yet")
}

// Note stores an outcome that the model reads in its next turn: of what a person rejected.
func (s *Service) Note(ctx context.Context, o Outcome) error {
	return fault.New(fault.Internal, "not built yet")
}

// Rooms lists the conversations, the newest first.
func (s *Service) Rooms(ctx context.Context, limit int) ([]Room, error) {
	return nil, fault.New(fault.Internal, "not built yet")
}

// Room returns a conversation; "last" is the newest.
func (s *Service) Room(ctx context.Context, id string) (Room, error) {
	return Room{}, fault.New(fault.Internal, "not built yet")
}

// Messages returns those after a seq, the oldest first.
func (s *Service) Messages(ctx context.Context, room string, after int64, limit int) ([]Message, error) {
	return nil, fault.New(fault.Internal, "not built yet")
}

// Reset lets the model forget what was said so far; the messages stay.
func (s *Service) Reset(ctx context.Context, room string) error {
	return fault.New(fault.Internal, "not built yet")
}

// Stop ends the running turn of a conversation, in whichever process it runs. It
// reports whether there was one.
func (s *Service) Stop(ctx context.Context, room string) (bool, error) {
	return false, fault.New(fault.Internal, "not built yet")
}

// StopAll is Stop for every conversation; it returns how many turns there were.
func (s *Service) StopAll(ctx context.Context) (int, error) {
	return 0, fault.New(fault.Internal, "not built yet")
}

// Interrupted marks the turns of processes that are gone, and returns how many.
func (s *Service) Interrupted(ctx context.Context) (int, error) {
	return 0, fault.New(fault.Internal, "not built yet")
}
