package chain

import (
	"bytes"
	"context"
	"database/sql"
	"errors"

	"github.com/ape-claw/ape-claw/telemetry"
)

// wholeLog is what the sender needs of telemetry.Log beside LogReader, to look for
// a line further back than one search goes.
type wholeLog interface {
	Tail(ctx context.Context, n int, match func(line []byte) bool) (telemetry.Tail, error)
	ReadAfter(ctx context.Context, after telemetry.Cursor, maxLines, maxBytes int) ([]telemetry.Line, telemetry.Cursor, error)
}

// How much of the log one read takes, looking for a line from its start.
const scanLines, scanBytes = 4096, 4 << 20

// scanTries is how often the search starts anew when the log's oldest lines are
// removed under it.
const scanTries = 3

// logged reports whether the log holds a line, or one that was written to before it.
func (s *Sender) logged(ctx context.Context, want []byte) (bool, error) {
	for _, log := range append([]LogReader{s.o.Log}, s.o.Others...) {
		if found, err := inLog(ctx, log, want); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// AppendOnce appends a line to a log unless it, or one that was written to before it,
// holds the line already. Two that do it at once need a lock between them.
func AppendOnce(ctx context.Context, rec Recorder, logs []LogReader, line []byte) error {
	for _, log := range logs {
		if found, err := inLog(ctx, log, line); found || err != nil {
			return err
		}
	}
	return rec.AppendLine(ctx, line, true)
}

// inLog reports whether a log holds a line, wherever it is: from the end as far
// as one search goes, where it nearly always is, and else from the start. What
// retention removed is not there: then the line is appended, once, rather than
// lost.
func inLog(ctx context.Context, log LogReader, want []byte) (bool, error) {
	same := func(line []byte) bool { return bytes.Equal(bytes.TrimRight(line, "\r\n"), want) }
	whole, ok := log.(wholeLog)
	if !ok {
		found, _, err := log.Last(ctx, 1, same)
		return len(found) > 0, err
	}
	tail, err := whole.Tail(ctx, 1, same)
	if err != nil || len(tail.Lines) > 0 || !tail.Cut {
		return len(tail.Lines) > 0, err
	}
	for try := 1; ; try++ {
		found, err := scanLog(ctx, whole, same)
		var reset *telemetry.ResetError
		if !errors.As(err, &reset) || try == scanTries {
			return found, err
		}
	}
}

// NoteLogged notes in a home's money.db which of the lines that it does not know to be
// in a log are in this one. Whoever removes a part of a log asks for it first: a
// recovery would miss the line, and append it again. It needs no key, node or lock.
func NoteLogged(ctx context.Context, db *sql.DB, log LogReader) error {
	j := journal{db: db}
	lines, err := j.anyUnlogged(ctx)
	if err != nil {
		return err
	}
	for _, e := range lines {
		found, err := inLog(ctx, log, e.line)
		if err == nil && found {
			err = j.logged(ctx, e.tx, e.step)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scanLog reads the log from its start.
func scanLog(ctx context.Context, log wholeLog, match func([]byte) bool) (bool, error) {
	var at telemetry.Cursor
	for {
		lines, next, err := log.ReadAfter(ctx, at, scanLines, scanBytes)
		if err != nil {
			return false, err
		}
		for _, l := range lines {
			if match(l.Data) {
				return true, nil
			}
		}
		if next == at {
			return false, nil
		}
		at = next
	}
}
