package chat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	maxText     = 64 << 10 // of a model's step, in bytes; more is cut off
	maxCalls    = 24       // that are kept of one step; a turn may make ten
	maxArgs     = 16 << 10 // of a call, as stored; longer ones are refused when called
	maxRepeated = 3        // equal calls with equal results, then there are no more tools
)

// run is a turn at work.
type run struct {
	s       *Service
	conn    Connection
	model   ai.Model
	scope   ai.Scope
	on      Sink
	started time.Time
	fresh   bool // the conversation is new
	turn    Turn
	inv     Invocation
	tools   []ai.ToolDecl
	calls   atomic.Int64
	ending  atomic.Bool    // how it ends is being stored
	seen    map[string]int // calls with their results, and how often
	last    bool           // the next step is the last: without tools
	steps   int
}

func (r *run) emit(p Part) {
	if r.on != nil {
		p.Turn = r.turn
		r.on(p)
	}
}

func (r *run) payload() map[string]any {
	return map[string]any{"turnId": r.turn.ID, "roomId": r.turn.Room, "participant": r.scope.AgentID, "cause": r.turn.Cause}
}

// run takes a turn that has begun to its end.
func (s *Service) run(ctx context.Context, r *run) (Turn, error) {
	limited, cancel := context.WithTimeoutCause(ctx, s.o.TurnTime,
		fault.New(fault.Timeout, "the turn took longer than %s", s.o.TurnTime).WithSent(fault.SentNo))
	defer cancel()
	beating, stop := s.beating(limited, r)
	r.emit(Part{Kind: PartTurn})
	err := r.all(beating)
	if why := context.Cause(beating); why != nil && err != nil {
		err = why // what failed, failed because of it
	}
	err = s.end(ctx, r, err)
	stop()
	return r.turn, err
}

// all makes steps until the model has answered.
func (r *run) all(ctx context.Context) error {
	inv, err := r.s.o.Begin(ctx, tool.Session{Scope: r.scope, Preset: r.conn.Preset, RoomID: r.turn.Room, TurnID: r.turn.ID,
		Channel: "chat", MaxCalls: r.s.o.MaxCalls})
	if err != nil {
		return err
	}
	r.inv, r.tools = inv, tool.Declarations(inv.Tools())
	if err := r.remember(ctx); err != nil {
		return err
	}
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := r.s.o.Allowed(ctx, r.conn.ID); err != nil {
			return err
		}
		calls, err := r.step(ctx)
		if err != nil {
			return err
		}
		if len(calls) == 0 {
			return nil
		}
		if r.last {
			r.notice("The model asked for more tools than a turn may use; those were not run.")
			return nil
		}
		if err := r.call(ctx, calls); err != nil {
			return err
		}
	}
}

var errTooLong = errors.New("the model's text is too long")

// step asks the model once, stores what it said and returns the calls it asks for.
func (r *run) step(ctx context.Context) ([]ai.ToolCall, error) {
	req, err := r.request(ctx)
	if err != nil {
		return nil, err
	}
	sctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sctx, done := context.WithTimeoutCause(sctx, r.s.o.StepTime,
		fault.New(fault.Timeout, "the model took longer than %s", r.s.o.StepTime).WithSent(fault.SentNo))
	defer done()
	f := &flow{redact: r.s.redact, limit: maxText, out: func(text string) { r.emit(Part{Kind: PartText, Block: Block{Text: text}}) }}
	reply, err := r.model.Step(sctx, req, func(text string) {
		if f.add(text); f.full {
			cancel(errTooLong)
		}
	})
	if f.all.Len() == 0 && err == nil { // a provider that does not stream
		f.add(reply.Text)
	}
	f.end()
	if f.all.Len() > 0 {
		r.emit(Part{Kind: PartBreak})
	}
	first := r.steps == 0
	r.steps++
	if f.full && errors.Is(context.Cause(sctx), errTooLong) || len(reply.Text) > maxText {
		reply, err = ai.Reply{Text: f.all.String(), Model: reply.Model, Finish: "length", Usage: reply.Usage}, nil
		r.notice(fmt.Sprintf("The answer was cut off at %d KiB.", maxText>>10))
	}
	if err != nil {
		if why := context.Cause(sctx); why != nil {
			err = why
		}
		return nil, errors.Join(err, r.broken(ctx, f.all.String(), first, err))
	}
	return r.said(ctx, reply, first)
}

// broken keeps what a model said before its step failed.
func (r *run) broken(ctx context.Context, text string, first bool, cause error) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	status := StatusFailed
	if code := fault.CodeOf(cause); code == fault.Canceled || code == fault.Killed {
		status = StatusCancelled
	}
	r.turn.Text = r.s.redact(text)
	err := r.store(ctx, Message{Role: ai.RoleAssistant, Author: r.scope.AgentID, Status: status,
		Blocks: []Block{{Type: BlockText, Text: r.turn.Text}}})
	return errors.Join(err, r.s.o.Charge(context.WithoutCancel(ctx), r.conn.ID, first, ai.Usage{}))
}

// said stores a step, its calls before any of them is run.
func (r *run) said(ctx context.Context, reply ai.Reply, first bool) ([]ai.ToolCall, error) {
	r.turn.Text = r.s.redact(strings.ToValidUTF8(reply.Text, "\ufffd"))
	if reply.Model != "" {
		r.turn.Model = cut(OneLine(reply.Model), 100)
	}
	addUsage(&r.turn.Usage, reply.Usage)
	calls := named(reply.Calls, r.steps)
	if len(calls) > maxCalls {
		r.notice(fmt.Sprintf("The model asked for %d tools at once; %d were kept.", len(calls), maxCalls))
		calls = calls[:maxCalls]
	}
	m := Message{Role: ai.RoleAssistant, Author: r.scope.AgentID, Usage: &reply.Usage}
	empty := strings.TrimSpace(r.turn.Text) == ""
	if !empty {
		m.Blocks = append(m.Blocks, Block{Type: BlockText, Text: r.turn.Text})
	}
	for _, c := range calls {
		if r.last {
			break // they are not run: nothing is to look as if they were
		}
		m.Blocks = append(m.Blocks, Block{Type: BlockUse, CallID: c.ID, Tool: cutBytes(r.s.redact(c.Name), 100), Args: cutBytes(r.s.redact(c.Args), maxArgs)})
	}
	if len(m.Blocks) > 0 {
		if err := r.store(ctx, m); err != nil {
			return nil, err
		}
	}
	if err := r.s.o.Charge(context.WithoutCancel(ctx), r.conn.ID, first, reply.Usage); err != nil {
		return nil, err
	}
	switch {
	case len(calls) > 0 || !empty:
		if reply.Finish == "length" && r.turn.Notice == "" {
			r.notice("The answer was cut off: the model reached its limit.")
		}
		return calls, nil
	case r.calls.Load() > 0:
		r.notice("The model said nothing after its tool calls.")
		return nil, nil
	}
	return nil, fault.New(fault.ProviderError, "the model answered with nothing").
		Hintf("ask again, or try another model with --model").WithSent(fault.SentNo)
}

var goodCallID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// named gives calls ids of ours where theirs can't tell them apart. An id only ties
// a result to its call.
func named(calls []ai.ToolCall, step int) []ai.ToolCall {
	out := make([]ai.ToolCall, 0, len(calls))
	used := map[string]bool{}
	for i, c := range calls {
		if !goodCallID.MatchString(c.ID) || used[c.ID] {
			c.ID = fmt.Sprintf("call_%d_%d", step, i+1)
		}
		used[c.ID] = true
		out = append(out, c)
	}
	return out
}

// notRun is the result of a call that came after the end of the tools.
const notRun = `{"error":"this call was not run: the turn has no more tool calls; answer with what is known","code":"tool_budget_exhausted"}`

// call runs the calls of a step in order.
func (r *run) call(ctx context.Context, calls []ai.ToolCall) error {
	r.inv.Claim(r.turn.Text)
	for _, c := range calls {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		b := Block{Type: BlockResult, CallID: c.ID, Tool: cutBytes(r.s.redact(c.Name), 100)}
		if int(r.calls.Load()) > r.s.o.MaxCalls {
			r.last = true // the invocation says so itself; this is the belt
		}
		if r.last {
			b.Text, b.Outcome, b.Code = notRun, tool.OutcomeRefused, string(fault.ToolBudget)
			if err := r.store(ctx, Message{Role: ai.RoleTool, Author: Program, Blocks: []Block{b}}); err != nil {
				return err
			}
			continue
		}
		r.emit(Part{Kind: PartTool, Block: Block{CallID: c.ID, Tool: b.Tool, Args: r.s.redact(c.Args)}})
		began := r.s.o.Now()
		res := r.inv.Call(ctx, c.Name, c.Args)
		b.Ms = max(0, r.s.o.Now().Sub(began).Milliseconds())
		r.turn.ToolCalls = int(r.calls.Add(1))
		b.Text, b.Outcome, b.Code = r.s.redact(res.Text), res.Outcome, res.Code
		m := Message{Role: ai.RoleTool, Author: Program, Blocks: []Block{b}}
		if res.ActionID != "" {
			m.Blocks = append(m.Blocks, Block{Type: BlockProposal, ActionID: res.ActionID, Tool: b.Tool})
			r.turn.Actions = append(r.turn.Actions, res.ActionID)
		}
		if err := r.store(ctx, m); err != nil {
			return err
		}
		b.ActionID, b.Text = res.ActionID, ""
		if res.IsError {
			b.Text = errorOf(res.Text)
		}
		r.emit(Part{Kind: PartResult, Block: b})
		r.lookForEnd(c, res)
	}
	return nil
}

// errorOf is the sentence of an error's result.
func errorOf(text string) string {
	var doc struct {
		Error string `json:"error"`
	}
	if json.Unmarshal([]byte(text), &doc) != nil {
		return ""
	}
	return doc.Error
}

// lookForEnd says whether the model has had its tools for this turn: it used them up,
// or goes in a circle.
func (r *run) lookForEnd(c ai.ToolCall, res ai.Result) {
	if res.Code == string(fault.ToolBudget) {
		r.last = true
		r.notice("The model used all the tool calls of a turn.")
		return
	}
	sum := sha256.Sum256([]byte(quote(c.Name) + quote(c.Args) + quote(res.Text)))
	key := hex.EncodeToString(sum[:])
	if r.seen[key]++; r.seen[key] >= maxRepeated {
		r.last = true
		r.notice(fmt.Sprintf("The model called %s %d times in the same way with the same result; it has no more tools in this turn.",
			cut(OneLine(c.Name), 60), maxRepeated))
	}
}

// notice tells something unusual: as news, with the turn, and in the conversation at its end.
func (r *run) notice(text string) {
	text = r.s.redact(text) // it may name what the model called
	if r.turn.Notice != "" {
		r.turn.Notice += " "
	}
	r.turn.Notice += text
	r.emit(Part{Kind: PartNotice, Block: Block{Text: text}})
}

// store keeps messages of the turn, as long as the turn is ours, whatever else ended.
func (r *run) store(ctx context.Context, msgs ...Message) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	for i := range msgs {
		msgs[i].TurnID, msgs[i].TraceID = r.turn.ID, r.scope.TraceID
	}
	err := r.s.transact(ctx, func(q *query) error {
		if err := q.beat(r.s.owner, r); err != nil && !errors.Is(err, errStopped) {
			return err
		}
		return q.add(r.turn.Room, msgs)
	})
	if err != nil {
		return err
	}
	r.turn.LastSeq = msgs[len(msgs)-1].Seq
	return r.s.tell(ctx, r.scope, r.turn.Room, msgs)
}
