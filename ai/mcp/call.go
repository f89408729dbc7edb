package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// handle runs one tool for whoever calls. The SDK has not looked at the arguments:
// the invocation does, as for every other caller.
func (s *Server) handle(t ai.Tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		sess, err := s.known(req.Session, req.ClientInfo(), req.Extra)
		if err != nil {
			return refuse(err), nil
		}
		if wait, first := sess.client.admit(s.opts.Now()); wait > 0 {
			return s.tooFast(ctx, sess, t, wait, first), nil
		}
		ctx, stop := s.alive(ctx, sess)
		defer stop()
		done := s.progress(ctx, req, t.Name)
		defer done()
		res, err := s.call(ctx, sess, req, t)
		if cause := context.Cause(ctx); fault.CodeOf(cause) == fault.Killed && (err != nil || res.IsError) {
			err = cause // whatever it broke on: this is why
		}
		if err != nil {
			return refuse(err), nil
		}
		s.tell(ctx, req, t.Name, res)
		return result(res), nil
	}
}

// call waits for the session's turn and calls.
func (s *Server) call(ctx context.Context, sess *session, req *sdk.CallToolRequest, t ai.Tool) (ai.Result, error) {
	leave, err := enter(ctx, sess.turn)
	if err != nil {
		return ai.Result{}, err
	}
	defer leave()
	inv, err := s.invocation(ctx, sess, s.preset(req.Extra))
	if err != nil {
		return ai.Result{}, err
	}
	args := string(req.Params.Arguments)
	if args == "" {
		args = "{}" // the protocol lets a client leave them out
	}
	return inv.Call(ctx, t.Name, args), nil
}

// enter waits for a place that one holds at a time.
func enter(ctx context.Context, place chan struct{}) (leave func(), err error) {
	select {
	case place <- struct{}{}:
		return func() { <-place }, nil
	case <-ctx.Done():
		return nil, fault.Wrap(context.Cause(ctx), fault.Canceled, "the call was cancelled").WithSent(fault.SentNo)
	}
}

// alive is a call's context: it ends also with the session or the server, and when
// models are stopped.
func (s *Server) alive(ctx context.Context, sess *session) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(sess.life, func() { cancel(context.Cause(sess.life)) })
	unwatch := func() {}
	if s.opts.Watch != nil {
		ctx, unwatch = s.opts.Watch(ctx)
	}
	return ctx, func() {
		unwatch()
		unhook()
		cancel(nil)
	}
}

// tooFast refuses a call. Only the first of a row is recorded: a client in a loop
// must not fill the log.
func (s *Server) tooFast(ctx context.Context, sess *session, t ai.Tool, wait time.Duration, first bool) *sdk.CallToolResult {
	if first && s.opts.Record != nil {
		draft := telemetry.Draft{Type: "ai.mcp.called",
			Payload: map[string]any{"client": sess.scope.AgentID[len(agentPrefix):], "tool": t.Name, "risk": string(t.Grade)},
			Result:  map[string]any{"outcome": "refused", "code": string(fault.RateLimited)}}
		if err := s.opts.Record(ctx, sess.scope, draft); err != nil {
			s.opts.Logger.Warn("mcp: not recorded", "cause", err.Error())
		}
	}
	seconds := int((wait + time.Second - 1) / time.Second)
	return refuse(fault.New(fault.RateLimited, "more than %d calls in a minute", callsPerMinute).
		Hintf("call again in %d s", seconds).With("retryAfterSeconds", seconds).WithSent(fault.SentNo))
}

// result is the engine's answer as the protocol has it: the text, and the same as
// an object.
func result(r ai.Result) *sdk.CallToolResult {
	out := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: r.Text}}, IsError: r.IsError}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(r.Text), &object) == nil && object != nil {
		out.StructuredContent = json.RawMessage(r.Text)
	}
	return out
}

// refuse is a call that did not come to the engine.
func refuse(err error) *sdk.CallToolResult {
	e := fault.From(err)
	doc := map[string]any{"error": e.Message, "code": e.Code}
	if e.Hint != "" {
		doc["hint"] = e.Hint
	}
	b, err := json.Marshal(doc)
	if err != nil {
		b = []byte(`{"code":"internal","error":"internal error"}`) // strings always marshal
	}
	return result(ai.Result{Text: string(b), IsError: true, Code: string(e.Code)})
}

// progressEvery is how often a client that asked hears that a call still runs.
const progressEvery = time.Second

// progress tells a client that gave a token how far its call is. The function that
// is returned ends that; nothing is sent after it.
func (s *Server) progress(ctx context.Context, req *sdk.CallToolRequest, name string) (done func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	step := 0
	send := func(message string) {
		err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(step), Message: message})
		if err != nil {
			s.opts.Logger.Debug("mcp: progress", "cause", err.Error())
		}
		step++
	}
	send(name + " runs")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				send(fmt.Sprintf("%s still runs", name))
			case <-stop:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		if ctx.Err() == nil {
			send(name + " ended")
		}
	}
}
