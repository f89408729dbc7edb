package chat

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// maxMessage is how long a person's message may be, in bytes.
const maxMessage = 16 << 10

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
	PartTurn   = "turn"   // it begins: Turn has the ids
	PartText   = "text"   // more of the model's text, in whole words: not yet fit for a terminal
	PartBreak  = "break"  // the step's text ended
	PartTool   = "tool"   // a tool call begins: CallID, Tool, Args
	PartResult = "result" // and ended: CallID, Tool, Outcome, Code, Ms, ActionID
	PartNotice = "notice" // Text, of the program
)

// Part is a piece of news of a running turn.
type Part struct {
	Kind string
	Turn Turn
	Block
}

// Sink takes the news of a turn, one at a time, while the turn waits. It may be nil.
type Sink func(Part)

// Send runs the turn that a person's message begins, and returns it when it has
// ended. The error is the turn's failure too, which the conversation keeps; one
// without a turn id stored nothing: another turn runs, or there is no connection.
func (s *Service) Send(ctx context.Context, in SendIn, on Sink) (Turn, error) {
	text, err := s.input(in)
	if err != nil {
		return Turn{}, err
	}
	ctx, stop := s.o.Watch(ctx)
	defer stop()
	if err := ai.Stopped(ctx); err != nil {
		return Turn{}, err
	}
	name := in.Connection
	if in.Room != "" {
		room, err := s.Room(ctx, in.Room)
		if err != nil {
			return Turn{}, err
		}
		in.Room = room.ID
		if name == "" {
			name = room.Connection
		}
	}
	r, err := s.open(ctx, name, in.Model)
	if err != nil {
		return Turn{}, err
	}
	r.on = on
	// Only now is the connection's own key known, which may be in the message.
	blocks := []Block{{Type: BlockText, Text: s.redact(text)}}
	if in.Expanded != "" {
		blocks = append(blocks, Block{Type: BlockExpanded, Text: s.redact(in.Expanded)})
	}
	first := Message{Role: ai.RoleUser, Author: "operator", Blocks: blocks}
	if err := s.begin(ctx, r, in.Room, CauseUser, first); err != nil {
		return Turn{}, err
	}
	return s.run(ctx, r)
}

// input is the text of a message, within its limits.
func (s *Service) input(in SendIn) (string, error) {
	text := strings.TrimSpace(in.Text)
	switch {
	case text == "":
		return "", fault.New(fault.Usage, "the message is empty").WithSent(fault.SentNo)
	case len(text) > maxMessage || len(in.Expanded) > maxMessage:
		return "", fault.New(fault.Usage, "the message is longer than %d KiB", maxMessage>>10).WithSent(fault.SentNo)
	case !utf8.ValidString(text):
		return "", fault.New(fault.Usage, "the message is not UTF-8").WithSent(fault.SentNo)
	}
	return text, nil
}

func (s *Service) redact(text string) string { return s.o.Redactor.String(text) }

// open readies a turn: its connection answers and is under its caps.
func (s *Service) open(ctx context.Context, name, model string) (*run, error) {
	conn, m, err := s.o.Open(ctx, name, model)
	if err != nil {
		return nil, err
	}
	if err := s.o.Allowed(ctx, conn.ID); err != nil {
		return nil, err
	}
	r := &run{s: s, conn: conn, model: m, started: s.o.Now(), seen: map[string]int{}}
	r.scope = ai.Scope{AgentID: "conn:" + conn.Name, TraceID: telemetry.NewTraceID(r.started), Source: "ai"}
	return r, nil
}

// Outcome is what became of an action, for the conversation that it came from.
type Outcome struct {
	ActionID string
	Room     string
	TraceID  string
	State    string // executed, failed, rejected, expired, cancelled
	Text     string // the result as a model may see it: JSON in the fence
	Again    bool   // another outcome of it was told before
}

// outcomeTool is what a model would have called to learn an outcome: a result can
// stand in a conversation only behind the call that it answers.
const outcomeTool = "action_status"

// messages are an outcome as the model meets it: as a call that the program made
// for it, and its result, in the fence. It is no word of the system.
func (o Outcome) messages() []Message {
	id := "outcome_" + o.ActionID
	if o.Again {
		id += "_again" // a call has one result
	}
	return []Message{
		{Role: ai.RoleAssistant, Author: Program, TraceID: o.TraceID,
			Blocks: []Block{{Type: BlockUse, CallID: id, Tool: outcomeTool, Args: `{"actionId":` + quote(o.ActionID) + `}`}}},
		{Role: ai.RoleTool, Author: Program, TraceID: o.TraceID,
			Blocks: []Block{{Type: BlockOutcome, CallID: id, Tool: outcomeTool, ActionID: o.ActionID, State: o.State, Text: o.Text}}},
	}
}

// Callback stores an outcome and has the model read it, in a turn of its own under
// the action's trace. Where the conversation had its three in two minutes, or its
// turn goes on, the model is not called: it reads the outcome in its next turn.
// That is recorded (ai.callback.skipped) and is no error.
func (s *Service) Callback(ctx context.Context, o Outcome, on Sink) (Turn, error) {
	o.Text = s.redact(o.Text)
	keep := context.WithoutCancel(ctx) // the outcome is told, now or in the next turn
	room, err := s.Room(keep, o.Room)
	if err != nil {
		return Turn{}, err
	}
	n, err := s.callbacks(keep, o.Room)
	if err != nil {
		return Turn{}, err
	}
	if n >= s.o.CallbackLimit {
		return Turn{}, s.skipped(keep, room, o, "limit")
	}
	watched, stop := s.o.Watch(ctx)
	defer stop()
	r, err := s.open(watched, room.Connection, "")
	if err != nil {
		return Turn{}, errors.Join(err, s.skipped(keep, room, o, string(fault.CodeOf(err))))
	}
	r.on = on
	if o.TraceID != "" {
		r.scope.TraceID = o.TraceID
	}
	err = s.begin(watched, r, o.Room, CauseCallback, o.messages()...)
	switch code := fault.CodeOf(err); code {
	case "":
		return s.run(watched, r)
	case fault.Conflict, fault.Killed, fault.RateLimited, fault.Canceled:
		return Turn{}, s.skipped(keep, room, o, string(code))
	}
	return Turn{}, err
}

// skipped stores the outcome for the model's next turn and records why there is none now.
func (s *Service) skipped(ctx context.Context, room Room, o Outcome, reason string) error {
	if err := s.Note(ctx, o); err != nil {
		return err
	}
	return s.o.Record(ctx, ai.Scope{AgentID: "conn:" + room.Connection, SessionID: room.ID, TraceID: o.TraceID, Source: "ai"},
		telemetry.Draft{Type: "ai.callback.skipped",
			Payload: map[string]any{"actionId": o.ActionID, "subject": room.ID},
			Result: map[string]any{"limit": s.o.CallbackLimit, "windowSeconds": int64(s.o.CallbackSpan.Seconds()),
				"reason": reason}})
}

// Note stores an outcome that the model reads in its next turn: of what a person
// rejected, or let expire.
func (s *Service) Note(ctx context.Context, o Outcome) error {
	room, err := s.Room(ctx, o.Room)
	if err != nil {
		return err
	}
	o.Text = s.redact(o.Text)
	msgs := o.messages()
	if err := s.transact(ctx, func(q *query) error { return q.add(room.ID, msgs) }); err != nil {
		return err
	}
	return s.tell(ctx, ai.Scope{AgentID: "conn:" + room.Connection, TraceID: o.TraceID}, room.ID, msgs)
}
