package chain

import (
	"bytes"
	"context"
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

// inLog reports whether the log holds a line, wherever it is: from the end as far
// as one search goes, where it nearly always is, and else from the start. What
// retention removed is not there: then the line is appended, once, rather than
// lost.
func (s *Sender) inLog(ctx context.Context, want []byte) (bool, error) {
	same := func(line []byte) bool { return bytes.Equal(bytes.TrimRight(line, "\r\n"), want) }
	whole, ok := s.o.Log.(wholeLog)
	if !ok {
		found, _, err := s.o.Log.Last(ctx, 1, same)
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
