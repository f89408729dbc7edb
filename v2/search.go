package v2

import (
	"bytes"
	"context"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

// Log is what this package reads of the event log (*telemetry.Log).
type Log interface {
	TailUntil(ctx context.Context, n int, match func(line []byte) (take, last bool)) (telemetry.Tail, error)
}

// searchFor is how long one question is looked for in the log, however many times
// that goes through it. A log may have hundreds of megabytes.
const searchFor = 10 * time.Second

// search looks through the log, from the newest line back.
type search struct {
	log   Log
	now   func() time.Time
	until time.Time
}

// search begins one question to the log.
func (s *Service) search(log Log) search {
	return search{log: log, now: s.now, until: s.now().Add(searchFor)}
}

// back returns the last n lines that match takes, oldest first, looking no further
// than the one that it calls the last. cut: it was not looked for whole, for the log's
// bounds or for want of time.
func (q search) back(ctx context.Context, n int, match func(line []byte) (take, last bool)) (lines []telemetry.Line, cut bool, err error) {
	late := false
	tail, err := q.log.TailUntil(ctx, n, func(line []byte) (take, last bool) {
		if late = q.now().After(q.until); late {
			return false, true
		}
		return match(line)
	})
	return tail.Lines, tail.Cut || late, err
}

// isCopy reports whether a line came from elsewhere, by an import or from another
// machine.
func isCopy(eventID string) bool { return eventID != "" }

// original is the line that a copy was made from, where that only had its id put at
// its end.
func original(line []byte, eventID string) []byte {
	if whole, ok := bytes.CutSuffix(line, []byte(`,"eventId":"`+eventID+`"}`)); ok && isCopy(eventID) {
		return append(bytes.Clone(whole), '}')
	}
	return line
}

// timeOf is the time in a line of ours, which has it near its start, without taking
// the whole apart.
func timeOf(line []byte) []byte {
	_, rest, ok := bytes.Cut(line, []byte(`"ts":"`))
	if !ok {
		return nil
	}
	ts, _, _ := bytes.Cut(rest, []byte(`"`))
	return ts
}
