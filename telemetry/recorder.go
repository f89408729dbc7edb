package telemetry

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ape-claw/ape-claw/store"
)

// Recorder records the events of one command run. It is safe for concurrent use.
type Recorder struct {
	log     *Log
	red     *Redactor
	now     func() time.Time
	scope   Scope
	count   atomic.Int64
	failure atomic.Bool
}

// NewRecorder returns a recorder that appends to log what red has redacted. It
// fills in the defaults of scope: agent, session, and a new trace id. Nothing is
// created on disk before the first event.
func NewRecorder(log *Log, red *Redactor, now func() time.Time, scope Scope) *Recorder {
	if scope.AgentID == "" {
		scope.AgentID = DefaultAgentID
	}
	if scope.SessionID == "" {
		scope.SessionID = DefaultSessionID
	}
	if scope.TraceID == "" {
		scope.TraceID = NewTraceID(now())
	}
	return &Recorder{log: log, red: red, now: now, scope: scope}
}

// NewTraceID returns a trace id in the published form, trace_<ms>_<random>.
func NewTraceID(now time.Time) string {
	return store.NewID("trace_" + strconv.FormatInt(now.UnixMilli(), 10) + "_")
}

// Record redacts, encodes and appends what d says. Money events, by d or by
// their declaration, are durable when it returns nil. An error means that the
// event may not be there: it is not tried again.
func (r *Recorder) Record(ctx context.Context, d Draft) error {
	line, err := r.Encode(d)
	if err != nil {
		return err
	}
	failure, money := flags(d.Type)
	if _, err := r.log.Append(ctx, line, d.Money || money); err != nil {
		return err
	}
	r.counted(d.Err != "" || failure)
	return nil
}

// Encode returns the exact line that Record would append, redacted and without
// its newline: a journal stores it before the log has it.
func (r *Recorder) Encode(d Draft) ([]byte, error) {
	return encodeLine(r.red, r.now(), r.scope, d)
}

// AppendLine appends a line that Encode made, with its newline, and makes it
// durable if sync is set.
func (r *Recorder) AppendLine(ctx context.Context, line []byte, sync bool) error {
	if _, err := r.log.Append(ctx, line, sync); err != nil {
		return err
	}
	head := headerOf(line)
	failure, _ := flags(head.eventType)
	r.counted(head.failed || failure)
	return nil
}

func (r *Recorder) counted(failure bool) {
	r.count.Add(1)
	if failure {
		r.failure.Store(true)
	}
}

// Usable reports why events can't be recorded: the scope has an id that no
// envelope can hold, or the log can't be written. Whatever spends asks first.
func (r *Recorder) Usable() error {
	if err := r.scope.Validate(); err != nil {
		return err
	}
	return r.log.Usable()
}

// Scope returns what all events of this run have in common.
func (r *Recorder) Scope() Scope { return r.scope }

// Redactor returns the redactor of this run, for whatever else it writes.
func (r *Recorder) Redactor() *Redactor { return r.red }

// Count returns how many events were appended.
func (r *Recorder) Count() int { return int(r.count.Load()) }

// HasFailure reports whether an event that tells of a failure was appended: one
// with ok:false, or of a type that is declared as a failure.
func (r *Recorder) HasFailure() bool { return r.failure.Load() }
