package tool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The outcomes of a call.
const (
	OutcomeOK       = "ok"
	OutcomeError    = "error"
	OutcomeProposed = "proposed"
	OutcomeRefused  = "refused" // nothing was run
)

// call is one call on its way.
type call struct {
	name    string
	raw     string
	tool    ai.Tool
	known   bool
	args    json.RawMessage
	refused bool   // before anything was run
	trace   string // of what it was about
}

// Traced is a result of a tool that joined a trace: the call's event is put there too.
type Traced struct {
	Value   any
	TraceID string
}

// MarshalJSON writes the result alone.
func (t Traced) MarshalJSON() ([]byte, error) { return json.Marshal(t.Value) }

// Call runs a read tool or proposes another. It never panics and never fails: what
// went wrong is a result too.
func (v *Invocation) Call(ctx context.Context, name, args string) ai.Result {
	started := v.e.o.Now()
	c := &call{name: name, raw: args}
	res := v.do(ctx, c)
	v.record(ctx, c, res, v.e.o.Now().Sub(started))
	return res
}

func (v *Invocation) do(ctx context.Context, c *call) (res ai.Result) {
	defer func() {
		if p := recover(); p != nil {
			res = v.failed(c, panicked())
		}
	}()
	if err := v.admit(c); err != nil {
		c.refused = true
		return v.failed(c, err)
	}
	switch {
	case c.name == requestAction:
		return v.proposed(c, func() (ai.Proposed, error) { return v.request(ctx, c) })
	case c.tool.Grade != ai.GradeRead:
		return v.proposed(c, func() (ai.Proposed, error) {
			return v.propose(ctx, c, c.tool, c.args, ai.Proposal{Claim: v.said()})
		})
	case c.name == resultMore:
		k, from, err := v.more(c.args)
		if err != nil {
			return v.failed(c, err)
		}
		return v.part(k, from)
	}
	out, err := within(ctx, v.e.o.CallTimeout, func(ctx context.Context) (any, error) { return v.read(ctx, c) })
	if t, ok := out.(Traced); ok {
		out, c.trace = t.Value, t.TraceID
	}
	if err != nil {
		return v.failed(c, err)
	}
	return v.shownResult(c, out)
}

// admit says why a call is not made at all.
func (v *Invocation) admit(c *call) (err error) {
	v.mu.Lock()
	v.calls++
	over := v.s.MaxCalls >= 0 && v.calls > v.s.MaxCalls
	v.mu.Unlock()
	c.tool, c.known = v.e.o.Registry.Lookup(c.name)
	switch {
	case over:
		return fault.New(fault.ToolBudget, "this turn has used all its %d tool calls", v.s.MaxCalls).
			Hintf("answer with what you have").WithSent(fault.SentNo)
	case !c.known:
		return fault.New(fault.UnknownTool, "there is no tool of this name").Hintf("call one of those that were declared").WithSent(fault.SentNo)
	}
	if err := ai.KillError(v.e.o.Killed()); err != nil {
		return err
	}
	if !v.s.Preset.Allows(c.tool) {
		return disabled(c.name)
	}
	if _, c.args, err = v.e.o.Registry.Check(c.name, []byte(c.raw)); err != nil {
		return err
	}
	// What is run is what is stored, shown and hashed, so nothing can be taken out of it.
	if !bytes.Equal(v.e.o.Redactor.Bytes(c.args), c.args) {
		c.args = nil
		return invalid("", "no key, token or password").Hintf("never pass secrets on: no tool needs one")
	}
	return nil
}

func disabled(name string) error {
	return fault.New(fault.ToolDisabled, "the tool %s is not enabled for this connection", name).
		Hintf("do without it, or tell the person").WithSent(fault.SentNo)
}

// read runs what a read tool does.
func (v *Invocation) read(ctx context.Context, c *call) (any, error) {
	p := v.e.o.Proposer
	switch c.name {
	case actionStatus, actionsPending:
		if p == nil {
			return nil, errNoProposer()
		}
		if c.name == actionsPending {
			return p.Pending(ctx, v.s.Scope)
		}
		var in struct {
			ActionID string `json:"actionId"`
		}
		if err := json.Unmarshal(c.args, &in); err != nil {
			return nil, err
		}
		return p.Status(ctx, v.s.Scope, in.ActionID)
	}
	return c.tool.Run(ctx, ai.Call{Args: c.args, Scope: v.s.Scope})
}

func errNoProposer() error {
	return fault.New(fault.Internal, "nothing can be proposed here").WithSent(fault.SentNo)
}

// said is what the model said before it called.
func (v *Invocation) said() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.claim
}

// propose hands a call to a person.
func (v *Invocation) propose(ctx context.Context, c *call, t ai.Tool, args json.RawMessage, p ai.Proposal) (ai.Proposed, error) {
	if v.e.o.Proposer == nil {
		return ai.Proposed{}, errNoProposer()
	}
	preview := t.Preview
	traces := make(chan string, 1)
	t.Preview = func(ctx context.Context, in ai.Call) (ai.Preview, error) {
		out, err := preview(ctx, in)
		select {
		case traces <- out.TraceID:
		default:
		}
		return out, err
	}
	p.Tool, p.Args, p.Scope, p.RoomID, p.TurnID, p.Taint = t, args, v.s.Scope, v.s.RoomID, v.s.TurnID, v.Taint()
	out, err := within(ctx, proposeTimeout, func(ctx context.Context) (ai.Proposed, error) { return v.e.o.Proposer.Propose(ctx, p) })
	select {
	case c.trace = <-traces:
	default:
	}
	return out, err
}

// within runs f with a limit. An operation that does not end by itself then is left
// behind: whoever called it gets an answer. A panic is an error like any other.
func within[T any](ctx context.Context, limit time.Duration, f func(ctx context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTime(limit))
	defer cancel()
	type result struct {
		out T
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r = result{err: panicked()}
			}
			done <- r
		}()
		r.out, r.err = f(ctx)
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		late := time.NewTimer(grace)
		defer late.Stop()
		select {
		case r = <-done:
		case <-late.C:
			r.err = ctx.Err()
		}
	}
	if r.err == nil || ctx.Err() == nil {
		return r.out, r.err
	}
	// What ended the context is the reason, whatever the operation met because of it.
	var why *fault.Error
	if cause := context.Cause(ctx); errors.As(cause, &why) && !sent(r.err) {
		return r.out, cause
	}
	return r.out, r.err
}

func errTime(limit time.Duration) error {
	return fault.New(fault.Timeout, "it took longer than %s and was stopped", limit).
		Hintf("ask for less, or try once more").WithSent(fault.SentNo)
}

// sent reports whether something may have left: no other reason may hide that.
func sent(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && (f.Sent == fault.SentYes || f.Sent == fault.SentMaybe && f.Code != fault.Internal)
}

func panicked() error {
	return fault.New(fault.Internal, "internal error: the operation failed").
		Hintf("tell the person; ape-claw doctor checks the set-up").WithSent(fault.SentNo)
}

// record writes the event of a call. That it can't be written is no reason to keep
// the result back: who records says so on the side.
func (v *Invocation) record(ctx context.Context, c *call, res ai.Result, took time.Duration) {
	sum := sha256.Sum256([]byte(c.raw))
	if c.args != nil {
		sum = sha256.Sum256(c.args)
	}
	payload := map[string]any{"tool": cut(visible(strings.ToValidUTF8(c.name, "\uFFFD")), 60), "argsHash": hex.EncodeToString(sum[:])}
	if c.known {
		payload["risk"] = string(c.tool.Grade)
	}
	result := map[string]any{"outcome": res.Outcome, "bytes": len(res.Text), "ms": max(took.Milliseconds(), 0)}
	if res.Code != "" {
		result["code"] = res.Code
	}
	if res.ActionID != "" {
		result["actionId"] = res.ActionID
	}
	d := telemetry.Draft{Type: "ai.tool.called", Payload: payload, Result: result}
	if v.s.Channel == ChannelMCP {
		d.Type = "ai.mcp.called"
		payload["client"] = strings.TrimPrefix(v.s.Scope.AgentID, "mcp:")
	} else if v.s.TurnID != "" {
		payload["turnId"] = v.s.TurnID
	}
	scope := v.s.Scope
	if scope.TraceID == "" {
		scope.TraceID = c.trace
	}
	_ = v.e.o.Record(context.WithoutCancel(ctx), scope, d)
}

func resultID(n int) string { return "r" + strconv.Itoa(n) }
