package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// chatShow shows what a turn does while it does it: lines of JSON, or text for
// people. Whatever a model or a tool wrote is cleaned of what would steer a terminal.
type chatShow struct {
	d     *Deps
	ctx   context.Context
	text  *Printer // the answer
	aside *Printer // tools, cards, notices
	same  bool     // both are one terminal
	open  bool     // the answer's line has not ended
	calls bool     // a tool's line has not ended
	wait  bool     // a mark stands where the answer will begin
	err   error
}

func (d *Deps) newChatShow(ctx context.Context, text, aside io.Writer) *chatShow {
	_, noColor := d.host.Env("NO_COLOR")
	plain := noColor || d.host.getenv("TERM") == "dumb"
	return &chatShow{d: d, ctx: ctx,
		text:  &Printer{w: d.redacting(text), color: d.host.StdoutTTY && !plain},
		aside: &Printer{w: d.redacting(aside), color: d.host.StderrTTY && !plain}}
}

// end ends what is open and returns the first failure of writing.
func (c *chatShow) end() error {
	c.breakLine()
	for _, err := range []error{c.text.flush(), c.aside.flush()} {
		if c.err == nil && err != nil {
			c.err = fault.Wrap(err, fault.StateUnusable, "the output can't be written: the conversation is kept").WithSent(fault.SentNo)
		}
	}
	return c.err
}

func (c *chatShow) breakLine() {
	c.unmark()
	if c.open || c.calls {
		p := c.text
		if c.calls {
			p = c.aside
		}
		p.printf("\n")
	}
	c.open, c.calls = false, false
}

// mark and unmark stand for an answer that has not begun.
func (c *chatShow) mark() {
	if c.same && !c.wait && !c.open {
		c.aside.printf("%s", c.aside.style(dim, "…"))
		c.wait = true
	}
}

func (c *chatShow) unmark() {
	if c.wait {
		c.aside.printf("\r\x1b[K")
		c.wait = false
	}
}

// line prints one line beside the answer.
func (c *chatShow) line(format string, args ...any) {
	c.breakLine()
	c.aside.Line(format, args...)
}

// part is the Sink of a turn.
func (c *chatShow) part(p chat.Part) {
	if c.d.wantJSON {
		c.partJSON(p)
		return
	}
	switch p.Kind {
	case chat.PartTurn:
		c.mark()
	case chat.PartText:
		text := chat.Plain(p.Text)
		c.unmark()
		if !c.open {
			if text = strings.TrimLeft(text, " \n"); text == "" {
				return
			}
		}
		c.text.printf("%s", text)
		c.open = !strings.HasSuffix(text, "\n")
	case chat.PartBreak:
		c.breakLine()
	case chat.PartNotice:
		c.line("%s", c.aside.style(yellow, "  ! "+chat.OneLine(p.Text)))
	case chat.PartTool:
		c.breakLine()
		c.aside.printf("%s", c.aside.style(dim, callLine(p.Block)))
		c.calls = true
	case chat.PartResult:
		c.result(p.Block)
	}
}

// result ends a tool's line by how the call ended.
func (c *chatShow) result(b chat.Block) {
	outcome := map[string]string{tool.OutcomeOK: c.aside.style(green, "ok"), tool.OutcomeProposed: c.aside.style(yellow, "waits for you")}[b.Outcome]
	if outcome == "" {
		outcome = c.aside.style(red, shownFact(b.Code))
		if b.Text != "" {
			outcome += c.aside.style(dim, ": "+action.Cut(chat.OneLine(b.Text), 160))
		}
	}
	if !c.calls {
		c.aside.printf("  · %s", shownFact(b.Tool))
	}
	c.aside.printf(" %s%s\n", outcome, c.aside.style(dim, ", "+took(b.Ms)))
	c.calls = false
	if b.ActionID != "" {
		c.card(b.ActionID)
	}
	c.mark()
}

// took is a time for people.
func took(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%d.%d s", ms/1000, ms%1000/100)
}

// callLine is a call on one line.
func callLine(b chat.Block) string {
	return strings.TrimRight("  · "+shownFact(b.Tool)+" "+shortArgs(b.Args), " ")
}

// shortArgs is what a call is about, on the rest of a line.
func shortArgs(args string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) == nil && len(object) == 0 {
		return ""
	}
	return action.Cut(chat.OneLine(args), 120)
}

// card shows a proposal: what we computed first, what the model says below it.
func (c *chatShow) card(id string) {
	a, err := c.action(id)
	if err != nil {
		c.line("  ! %s", shownFact(fault.From(err).Message))
		return
	}
	c.breakLine()
	bar := c.aside.style(yellow, "  │ ")
	for _, l := range shortCard(a) {
		c.aside.Line("%s%s", bar, shownFact(c.d.redactor().String(l)))
	}
	if c.same {
		c.aside.Line("%s%s", bar, "Nothing happens unless you type /approve "+a.ID+"   (or /reject "+a.ID+")")
	}
}

// shortCard is a proposal as it is met in a conversation: what is approved is shown
// whole when it is approved.
func shortCard(a action.Action) []string {
	out := []string{action.Cut(a.Title, 200), action.Cut(a.Impact, 400)}
	width := 0
	for _, f := range a.Facts {
		width = max(width, utf8.RuneCountInString(action.Cut(cmp.Or(f.Label, f.Name), 40)))
	}
	for _, f := range a.Facts {
		name := action.Cut(cmp.Or(f.Label, f.Name), 40)
		out = append(out, "  "+name+strings.Repeat(" ", width-utf8.RuneCountInString(name))+"  "+action.Cut(f.Value, 200))
	}
	for _, w := range a.Warnings {
		out = append(out, "  warning: "+action.Cut(w, 300))
	}
	if len(a.Taint) > 0 {
		out = append(out, "The model had read what others wrote: "+strings.Join(a.Taint, ", "))
	}
	if a.Claim != "" {
		out = append(out, "model says (only words): "+action.Cut(a.Claim, action.MaxClaim))
	}
	for _, f := range a.Check.Findings {
		out = append(out, "  "+f.Level+": "+action.Cut(f.Text, 200))
	}
	return append(out, a.ID+" waits until "+a.ExpiresAt.UTC().Format("15:04:05 UTC"))
}

func (c *chatShow) action(id string) (action.Action, error) {
	s, err := c.d.aiActions(c.ctx)
	if err != nil {
		return action.Action{}, err
	}
	return s.Show(c.ctx, id)
}

// left says what a one-shot message leaves to be done.
func (c *chatShow) left(out AIChatOut) {
	c.breakLine()
	var next []string
	for _, a := range out.Waiting {
		if a.State == action.Proposed {
			next = append(next, a.ApproveWith)
		}
	}
	if len(next) > 0 {
		c.aside.List(cyan, "It waits for you", next)
	}
	c.aside.Line("%s", c.aside.style(dim, "conversation "+out.Room+", to go on: "+c.d.again(out.Room)))
}

// message shows what was stored by somebody else, or before.
func (c *chatShow) message(m chat.Message) {
	if c.d.wantJSON {
		c.print(struct {
			Type string `json:"type"`
			chat.Message
		}{"message", m})
		return
	}
	for _, b := range m.Blocks {
		switch b.Type {
		case chat.BlockText:
			if m.Role == ai.RoleUser {
				c.line("%s", c.aside.style(bold, "> "+strings.ReplaceAll(chat.Plain(b.Text), "\n", "\n  ")))
				continue
			}
			c.breakLine()
			c.text.Line("%s", strings.TrimSpace(chat.Plain(b.Text)))
		case chat.BlockUse:
			if m.Author != chat.Program {
				c.line("%s", c.aside.style(dim, callLine(b)))
			}
		case chat.BlockProposal:
			c.line("%s", c.aside.style(yellow, "  proposed: "+shownFact(b.Tool)+" "+shownFact(b.ActionID)))
		case chat.BlockOutcome:
			c.line("%s", c.aside.style(yellow, "  "+shownFact(b.ActionID)+" is "+shownFact(b.State)))
		case chat.BlockNotice:
			c.line("%s", c.aside.style(yellow, "  ! "+chat.OneLine(b.Text)))
		case chat.BlockError:
			c.line("%s", c.aside.style(red, "  ! "+chat.OneLine(b.Text)+" ("+shownFact(b.Code)+")"))
		}
	}
}

// partJSON prints a part as a line of the stream.
func (c *chatShow) partJSON(p chat.Part) {
	switch p.Kind {
	case chat.PartTurn:
		t := p.Turn
		c.print(orderedDoc{{"type", "turn"}, {"conversation", t.Room}, {"turnId", t.ID}, {"traceId", t.TraceID}, {"connection", t.Connection}, {"cause", t.Cause}})
	case chat.PartText:
		c.print(orderedDoc{{"type", "text"}, {"text", p.Text}})
	case chat.PartNotice:
		c.print(orderedDoc{{"type", "notice"}, {"text", p.Text}})
	case chat.PartTool:
		c.print(orderedDoc{{"type", "tool"}, {"state", "running"}, {"callId", p.CallID}, {"tool", p.Tool}, {"args", p.Args}})
	case chat.PartResult:
		doc := orderedDoc{{"type", "tool"}, {"state", "done"}, {"callId", p.CallID}, {"tool", p.Tool}, {"outcome", p.Outcome}, {"ms", p.Ms}}
		if p.Code != "" {
			doc = append(doc, pair{"code", p.Code}, pair{"error", p.Text})
		}
		if p.ActionID != "" {
			doc = append(doc, pair{"actionId", p.ActionID})
		}
		c.print(doc)
		if p.ActionID != "" {
			c.actionJSON(p.ActionID)
		}
	}
}

func (c *chatShow) actionJSON(id string) {
	a, err := c.action(id)
	if err != nil {
		c.print(orderedDoc{{"type", "notice"}, {"text", fault.From(err).Message}})
		return
	}
	c.print(orderedDoc{{"type", "action"}, {"actionId", a.ID}, {"state", a.State}, {"tool", a.Tool}, {"grade", a.Grade}, {"title", a.Title},
		{"impact", a.Impact}, {"facts", a.Facts}, {"spends", a.Spends}, {"claim", a.Claim}, {"claimCheck", a.Check}, {"taint", a.Taint},
		{"expiresAt", a.ExpiresAt}, {"approveWith", c.d.cli() + " ai actions approve " + a.ID}})
}

func (c *chatShow) print(v any) {
	if err := c.d.stream(v); err != nil && c.err == nil {
		c.err = fault.Wrap(err, fault.StateUnusable, "the output can't be written: the conversation is kept").WithSent(fault.SentNo)
	}
}
