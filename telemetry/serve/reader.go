package serve

import (
	"context"

	"github.com/ape-claw/ape-claw/telemetry"
)

// reader is the log as clients may see it: foreign lines that hold a sensitive
// field are redacted, all others pass byte for byte.
type reader struct {
	log EventLog
	red *telemetry.Redactor
}

func (r reader) end(ctx context.Context) (telemetry.Cursor, error) { return r.log.End(ctx) }

func (r reader) watch(ctx context.Context) (<-chan struct{}, error) { return r.log.Watch(ctx) }

func (r reader) after(ctx context.Context, c telemetry.Cursor, maxLines, maxBytes int) ([]telemetry.Line, telemetry.Cursor, error) {
	lines, next, err := r.log.ReadAfter(ctx, c, maxLines, maxBytes)
	return r.clean(lines), next, err
}

func (r reader) last(ctx context.Context, n int, match func([]byte) bool) ([]telemetry.Line, telemetry.Cursor, error) {
	lines, end, err := r.log.Last(ctx, n, match)
	return r.clean(lines), end, err
}

func (r reader) clean(lines []telemetry.Line) []telemetry.Line {
	for i := range lines {
		lines[i].Data = r.red.Foreign(lines[i].Data)
	}
	return lines
}
