package commands

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// aiChatCommands are how people talk with models.
func aiChatCommands() []Command {
	return []Command{newAIChat(), newAIConversationsList(), newAIConversationsShow(), newAIConversationsStop()}
}

// chatEvents are what a turn can cause, beside the events of the tools' own commands.
var chatEvents = []string{"ai.turn.started", "ai.turn.completed", "ai.turn.failed", "ai.message.created", "ai.tool.called",
	"ai.action.proposed", "ai.action.resolved", "ai.action.executed", "ai.grant.created", "ai.callback.skipped",
	"ai.budget.blocked", "ai.connection.changed", "ai.kill.changed", "ai.policy.explained", "ai.security.flagged"}

// AIChatIn is a message, or none: then it is a conversation at the terminal.
type AIChatIn struct {
	Text         []string `json:"text" arg:"text" help:"the message; - reads standard input, as no text does where no terminal is"`
	Conversation string   `json:"conversation" complete:"conversations" help:"go on with this conversation, or with the last one: an id, or last"`
	Connection   string   `json:"connection" complete:"connections" help:"the connection that answers, or scripted:FILE for answers from a file, without a key"`
	Model        string   `json:"model" help:"the model that answers, of those that the connection lists"`
	Wait         bool     `json:"wait" help:"wait until a person has decided what was proposed, and for what the model says then"`
}

// AIChatOut is the last line of the stream: how the turn ended.
type AIChatOut struct {
	Type string `json:"type"` // result
	OK   bool   `json:"ok"`
	chat.Turn
	Waiting []ChatAction `json:"actions"` // what was proposed, and its state

	said bool // it was shown already
}

// shown implements what printResult asks of a result that was printed as it came.
func (o AIChatOut) shown() bool { return o.said }

// ChatAction is a proposal of the turn.
type ChatAction struct {
	ActionID    string       `json:"actionId"`
	State       action.State `json:"state"`
	Tool        string       `json:"tool"`
	Grade       ai.Grade     `json:"grade"`
	Title       string       `json:"title"`
	ApproveWith string       `json:"approveWith,omitempty"`
}

func newAIChat() Command {
	return define(Spec{Name: "ai chat", Short: "Talk with a model that can use these commands and propose what spends", Streams: true,
		Long: `Send a message to a connected model and show its answer, its tool calls as they run, and
what it proposes as cards. Without a message, at a terminal, it is a conversation: lines are
edited and remembered, /help lists what else can be typed, Ctrl-C stops an answer, Ctrl-D
leaves. Conversations are kept: --conversation goes on with one.

A model reads at once and only proposes everything else: what is on a card happens when a
person approves it at a terminal. With --wait the command stays until that is decided.

--connection scripted:FILE plays answers from a file through the same client, for trying
and for tests: nothing leaves the machine and no key is needed.

With --json each line is an object: {"type":"turn"} with the ids, {"type":"text","text"} as
it comes, {"type":"tool"} with state running and then done, outcome and ms,
{"type":"action"} with facts and the model's claim, {"type":"notice"}, {"type":"message"}
for what others add while it waits, and the last one {"type":"result"}, or the error.`,
		Example: "  ape-claw ai chat 'what is the cheapest demo ape?'\n  ape-claw ai chat --conversation last\n  echo 'what did I spend today?' | ape-claw ai chat - --json\n  ape-claw ai chat --connection scripted:answers.json 'go'",
		Events:  chatEvents, Risk: RiskWrite, Permission: "ai:chat", Offline: true, Late: true, AI: Exposure{Class: AINever}},
		aiChat, func(p *Printer, out AIChatOut) {})
}

func aiChat(ctx context.Context, d *Deps, in AIChatIn) (AIChatOut, error) {
	d.chat = &chatRun{}
	if path, ok := strings.CutPrefix(in.Connection, scriptPrefix); ok {
		var err error
		if d.chat.script, d.chat.name, err = d.startScript(ctx, path); err != nil {
			return AIChatOut{}, err
		}
		in.Connection, d.chat.file = scriptName, path
	}
	s, err := d.aiChat()
	if err != nil {
		return AIChatOut{}, err
	}
	if in.Conversation != "" {
		room, err := d.oldRoom(ctx, s, in.Conversation)
		if err != nil {
			return AIChatOut{}, err
		}
		in.Conversation = room.ID
	}
	fromStdin := len(in.Text) == 1 && in.Text[0] == "-"
	if len(in.Text) == 0 && d.host.StdinTTY && d.host.StdoutTTY && !d.wantJSON {
		return AIChatOut{Type: "result", OK: true, said: true}, d.talk(ctx, s, in)
	}
	if len(in.Text) == 0 && d.host.StdinTTY {
		return AIChatOut{}, fault.New(fault.Usage, "a message is missing").Hintf("ape-claw ai chat 'your message'").WithSent(fault.SentNo)
	}
	send := chat.SendIn{Room: in.Conversation, Connection: in.Connection, Model: in.Model}
	if len(in.Text) == 0 || fromStdin {
		send.Text, err = d.pipedText()
	} else {
		err = typedText(strings.Join(in.Text, " "), &send)
	}
	if err != nil {
		return AIChatOut{}, err
	}
	return d.chatOnce(ctx, s, in, send)
}

// typedText understands a message of the command line: a prompt command is one too.
func typedText(line string, send *chat.SendIn) error {
	t, err := chat.Parse(line)
	if err != nil {
		return err
	}
	if t.Command.Name != "" && !t.Command.IsPrompt() {
		return fault.New(fault.Usage, "/%s is typed in a conversation: it is no message", t.Command.Name).
			Hintf("ape-claw ai chat, then /%s", t.Command.Name).WithSent(fault.SentNo)
	}
	send.Text, send.Expanded = t.Text, t.Expanded
	return nil
}

// mostPiped is more than a message can be: what is over is refused, not cut.
const mostPiped = 64 << 10

// pipedText is standard input as a message. It may be anybody's text: no command in
// it is one.
func (d *Deps) pipedText() (string, error) {
	b, err := io.ReadAll(io.LimitReader(d.host.Stdin, mostPiped))
	if err != nil {
		return "", fault.Wrap(err, fault.Usage, "standard input can't be read").WithSent(fault.SentNo)
	}
	return string(b), nil
}

// oldRoom finds a conversation without making a database for it.
func (d *Deps) oldRoom(ctx context.Context, s *chat.Service, id string) (chat.Room, error) {
	db, err := d.oldState(ctx)
	if err != nil {
		return chat.Room{}, err
	}
	if db == nil {
		return chat.Room{}, fault.New(fault.NotFound, "there is no conversation in this state directory yet").
			Hintf("ape-claw ai chat 'your message'").WithSent(fault.SentNo)
	}
	return s.Room(ctx, id)
}

// chatOnce sends one message and shows what comes of it.
func (d *Deps) chatOnce(ctx context.Context, s *chat.Service, in AIChatIn, send chat.SendIn) (AIChatOut, error) {
	if send.Room != "" {
		if err := d.tellUnreported(ctx, send.Room); err != nil {
			return AIChatOut{}, err
		}
	}
	show := d.newChatShow(ctx, d.host.Stdout, d.host.Stderr)
	turn, err := s.Send(ctx, send, show.part)
	out := AIChatOut{Type: "result", OK: err == nil, Turn: turn, Waiting: []ChatAction{}, said: !d.wantJSON}
	if err = errors.Join(err, show.end()); err != nil {
		return out, d.turnFault(turn, err)
	}
	if in.Wait && len(turn.Actions) > 0 {
		if err := d.waitDecided(ctx, s, show, &out); err != nil {
			return out, d.turnFault(turn, err)
		}
	}
	if err := d.fillWaiting(ctx, &out); err != nil {
		return out, err
	}
	if !d.wantJSON {
		show.left(out)
	}
	return out, show.end()
}

// turnFault is a turn's failure as the command's, with where to go on.
func (d *Deps) turnFault(turn chat.Turn, err error) error {
	e := *fault.From(err)
	e.Details = nil // of the cause; the conversation has what matters
	out := &e
	for k, v := range fault.From(err).Details {
		out = out.With(k, v)
	}
	out = out.With("type", "result")
	if turn.ID == "" {
		return out
	}
	d.told = true // as ai.turn.failed
	if out.Hint == "" {
		out = out.Hintf("%s goes on with it", d.again(turn.Room))
	}
	return out.With("conversation", turn.Room).With("turnId", turn.ID).With("traceId", turn.TraceID).With("state", turn.State).
		With("text", turn.Text).With("toolCalls", turn.ToolCalls)
}

// fillWaiting looks at the proposals of a turn as they are now.
func (d *Deps) fillWaiting(ctx context.Context, out *AIChatOut) error {
	if len(out.Actions) == 0 {
		return nil
	}
	actions, err := d.aiActions(ctx)
	if err != nil {
		return err
	}
	for _, id := range out.Actions {
		a, err := actions.Show(ctx, id)
		if err != nil {
			return err
		}
		c := ChatAction{ActionID: a.ID, State: a.State, Tool: a.Tool, Grade: a.Grade, Title: a.Title}
		if a.Open() {
			c.ApproveWith = d.cli() + " ai actions approve " + a.ID
		}
		out.Waiting = append(out.Waiting, c)
	}
	return nil
}
