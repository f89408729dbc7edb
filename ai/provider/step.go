package provider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The one retry policy: what is sent again, and when.
const (
	moreTries = 2                // after the first
	waitBase  = time.Second      // doubled with each try
	waitMost  = 30 * time.Second // of a Retry-After; a longer one is told, not waited for
)

// Why a step's context ended.
var (
	errTotal = errors.New("the step took too long")
	errIdle  = errors.New("the stream was silent too long")
)

// Step asks for one step. With an error the reply holds what arrived until then,
// for the record: its text and usage, and never a call.
func (c *client) Step(ctx context.Context, r ai.Request, on func(string)) (ai.Reply, error) {
	ctx, end := c.deadline(ctx, c.o.Total)
	defer end()
	start := c.o.Now()
	for try := 0; ; try++ {
		reply, fail := c.once(ctx, r, on)
		if fail == nil {
			return reply, nil
		}
		reply.Calls = nil
		fail.fault = fail.fault.With("attempts", try+1)
		if !fail.again || try >= moreTries || ctx.Err() != nil {
			return reply, fail.fault
		}
		wait := c.backoff(try, fail.after)
		if wait > waitMost || wait > c.o.Total-c.o.Now().Sub(start) {
			return reply, fail.fault
		}
		if err := c.o.Sleep(ctx, wait); err != nil {
			return reply, c.ended(ctx).fault
		}
	}
}

// backoff is the wait before another try: what the service asked for, else one
// that doubles, 20 % more or less so that many clients do not come back as one.
func (c *client) backoff(try int, after time.Duration) time.Duration {
	if after >= 0 {
		return after
	}
	wait := waitBase << try
	if c.o.Rand != nil {
		wait += time.Duration(c.o.Rand(int64(wait)*4/10+1)) - wait/5
	}
	return wait
}

// deadline ends the context after d, by the clock that was handed in.
func (c *client) deadline(ctx context.Context, d time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := c.o.AfterFunc(d, func() { cancel(errTotal) })
	return ctx, func() { t.Stop(); cancel(nil) }
}

// once is one try. A service that refuses stream_options, or to stream, is asked
// without at once, and from then on; so is one that misses its signatures.
func (c *client) once(ctx context.Context, r ai.Request, on func(string)) (ai.Reply, *failure) {
	for {
		w, err := c.wire(r)
		if err != nil {
			return ai.Reply{}, &failure{fault: fault.From(err)}
		}
		reply, fail := c.send(ctx, w, on)
		switch {
		case fail == nil:
			return reply, nil
		case fail.refused == refusedOptions && !c.noOptions.Swap(true):
		case fail.refused == refusedStream && !c.noStream.Swap(true):
		case fail.refused == refusedBare && !c.signed.Swap(true):
		default:
			return reply, fail
		}
	}
}

// send sends the request once and collects the answer.
func (c *client) send(ctx context.Context, w wire, on func(string)) (ai.Reply, *failure) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := &exchange{stream: w.request.Stream, extras: w.extras, idle: c.o.Idle,
		arm: func(d time.Duration) Timer { return c.o.AfterFunc(d, func() { cancel(errIdle) }) }}
	defer x.stop()
	col := &collector{c: c, x: x, on: on, seed: w.seed, used: w.ids}
	fail := c.receive(with(ctx, x), w.request, col)
	if fail != nil && col.handed {
		fail.again = false // what was handed on can't be taken back
	}
	return col.reply(), fail
}

func (c *client) receive(ctx context.Context, w openai.ChatCompletionRequest, col *collector) *failure {
	if !w.Stream {
		if _, err := c.openai.CreateChatCompletion(ctx, w); err != nil {
			return c.failed(ctx, err)
		}
		if fail := col.add(col.x.body); fail != nil {
			return fail
		}
		return col.done()
	}
	stream, err := c.openai.CreateChatCompletionStream(ctx, w)
	if err != nil {
		return c.failed(ctx, err)
	}
	defer func() { _ = stream.Close() }() // a close error after the last read changes nothing
	for {
		b, err := stream.RecvRaw()
		switch {
		case errors.Is(err, io.EOF):
			return col.done()
		case err != nil && col.finish != "" && !col.late:
			// All was said; what broke off is the count of tokens, or the end.
			return col.done()
		case err != nil:
			return col.broken(c.failed(ctx, err))
		}
		if fail := col.add(b); fail != nil {
			return fail
		}
	}
}

// Models lists what the service offers, in exactly one request. A service without
// such a list is fault.NotFound.
func (c *client) Models(ctx context.Context) ([]string, error) {
	ctx, end := c.deadline(ctx, c.o.Verify)
	defer end()
	x := &exchange{listing: true}
	if _, err := c.openai.ListModels(with(ctx, x)); err != nil {
		e := c.failed(ctx, err).fault
		if e.Details["status"] == http.StatusNotFound {
			e.Code = fault.NotFound
			e.Hint = "is the base URL right? a service without a list of models takes the name of one: ape-claw ai connections set"
		}
		return nil, e
	}
	names, ok := modelNames(x.body)
	if !ok {
		return nil, fault.New(fault.ProviderError, "%s answered with something else than a list of models", c.name).
			Hintf("is the base URL right? it usually ends with /v1")
	}
	return names, nil
}
