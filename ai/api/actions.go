package api

import (
	"context"
	"net/url"
	"regexp"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// maxReason is a reason to reject, in characters.
const maxReason = 500

// known bounds what can be an id or a name at all, before anything looks for it.
var known = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}\p{N}_.:-]{1,80}$`) })

// id is the part of the path that names something.
func (q *request) id(name string) (string, error) {
	id := q.PathValue(name)
	if !known().MatchString(id) {
		return "", fault.New(fault.NotFound, "nothing can have this id")
	}
	return id, nil
}

// param is a query parameter; one that is not known, or comes twice, is refused.
func (q *request) param(name string, form *regexp.Regexp) (string, error) {
	var value string
	query, err := url.ParseQuery(q.URL.RawQuery)
	if err != nil {
		return "", fault.Wrap(err, fault.Usage, "the query can't be read")
	}
	for key, values := range query {
		if key != name || len(values) != 1 || !form.MatchString(values[0]) {
			return "", fault.New(fault.Usage, "a query parameter is unknown here, or has no value that it can have")
		}
		value = values[0]
	}
	return value, nil
}

var (
	stateForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]{1,20}$`) })
	numberForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,15}$`) })
)

func listActions(q *request) (any, error) {
	state, err := q.param("state", stateForm())
	if err != nil {
		return nil, err
	}
	return q.back.Actions.List(q.Context(), state)
}

func showAction(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	return q.back.Actions.Show(q.Context(), id)
}

func explainAction(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	return q.back.Actions.Explain(q.Context(), id)
}

func challenge(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	if err := q.nothing(); err != nil {
		return nil, err
	}
	return q.back.Actions.Challenge(q.Context(), id, q.session())
}

// approve lets an action be executed by this process, whether or not the caller
// stays for the answer: who approved and went away has approved.
func approve(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	var c Confirmation
	if err := q.decode(&c); err != nil {
		return nil, err
	}
	session := q.session()
	return q.outlive(func(ctx context.Context, b Backend, answer func(any, error)) {
		out, run, err := b.Actions.Approve(ctx, id, session, c)
		answer(accepted{out}, err)
		if err == nil {
			run(ctx)
		}
	})
}

// outcome is what became of work that outlives its request.
type outcome struct {
	out any
	err error
}

// outlive does work that the request's end does not stop, with a backend of its
// own. What it answers first is the answer.
func (q *request) outlive(work func(ctx context.Context, b Backend, answer func(any, error))) (any, error) {
	answered := make(chan outcome, 1)
	answer := func(out any, err error) {
		select {
		case answered <- outcome{out, err}:
		default: // it has one
		}
	}
	open := q.api.opt.Open
	q.api.opt.Go(func(ctx context.Context) {
		back, release, err := open(ctx)
		if err != nil {
			answer(nil, err)
			return
		}
		defer release()
		defer answer(nil, fault.New(fault.Internal, "internal error")) // when work panics
		work(ctx, back, answer)
	})
	select {
	case o := <-answered:
		return o.out, o.err
	case <-q.Context().Done():
		return nil, fault.Wrap(context.Cause(q.Context()), fault.Canceled, "the caller went away; what was begun goes on")
	}
}

func reject(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	var in struct {
		Reason string `json:"reason"`
	}
	if err := q.decode(&in); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(in.Reason) > maxReason {
		return nil, fault.New(fault.Usage, "a reason is at most %d characters", maxReason)
	}
	return q.back.Actions.Reject(q.Context(), id, q.session(), in.Reason)
}

func listPermits(q *request) (any, error) { return q.back.Actions.Permits(q.Context()) }

func revokePermit(q *request) (any, error) {
	id, err := q.id("id")
	if err != nil {
		return nil, err
	}
	if err := q.nothing(); err != nil {
		return nil, err
	}
	return q.back.Actions.Revoke(q.Context(), id)
}

// mostAudit is the rows of one answer.
const mostAudit = 1000

func audit(q *request) (any, error) {
	s, err := q.param("limit", numberForm())
	if err != nil {
		return nil, err
	}
	limit := 100
	if s != "" {
		if limit, err = strconv.Atoi(s); err != nil || limit < 1 || limit > mostAudit {
			return nil, fault.New(fault.Usage, "limit is 1 to %d", mostAudit)
		}
	}
	return q.back.Actions.Audit(q.Context(), limit)
}
