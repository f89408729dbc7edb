package serve_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// memLog is a log in memory, for what a real one would do too slowly or can't
// be made to do: vanish, be replaced, stand still.
type memLog struct {
	mu      sync.Mutex
	id      string
	base    int64 // position before the first line kept
	lines   []telemetry.Line
	watch   map[chan struct{}]struct{}
	reads   int
	tails   int // calls of TailWithin
	held    int // bytes that TailWithin gave out in all
	readErr error
}

func newMemLog(id string) *memLog { return &memLog{id: id, watch: map[chan struct{}]struct{}{}} }

func (l *memLog) add(lines ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.append(lines)
	l.signal()
}

// quiet adds lines and tells nobody.
func (l *memLog) quiet(lines ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.append(lines)
}

func (l *memLog) append(lines []string) {
	for _, s := range lines {
		at := l.endLocked()
		at.Log = l.id
		at.Pos += int64(len(s)) + 1
		l.lines = append(l.lines, telemetry.Line{Data: []byte(s), At: at})
	}
}

func (l *memLog) signal() {
	for c := range l.watch {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// replace is what a reader sees after the file was deleted and begun anew.
func (l *memLog) replace(id string, lines ...string) {
	l.mu.Lock()
	l.id, l.base, l.lines = id, 0, nil
	l.mu.Unlock()
	l.add(lines...)
}

// drop removes the oldest n lines, as the removal of a segment does.
func (l *memLog) drop(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.base = l.lines[n-1].At.Pos
	l.lines = l.lines[n:]
}

// truncate keeps the oldest n lines only.
func (l *memLog) truncate(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = l.lines[:n:n]
	l.signal()
}

func (l *memLog) endLocked() telemetry.Cursor {
	if n := len(l.lines); n > 0 {
		return l.lines[n-1].At
	}
	if l.id == "" {
		return telemetry.Cursor{}
	}
	return telemetry.Cursor{Log: l.id, Pos: l.base}
}

func (l *memLog) oldestLocked() telemetry.Cursor {
	if l.id == "" {
		return telemetry.Cursor{}
	}
	return telemetry.Cursor{Log: l.id, Pos: l.base}
}

func (l *memLog) End(context.Context) (telemetry.Cursor, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.endLocked(), l.readErr
}

func (l *memLog) Oldest(context.Context) (telemetry.Cursor, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.oldestLocked(), l.readErr
}

func (l *memLog) ReadAfter(_ context.Context, after telemetry.Cursor, maxLines, maxBytes int) ([]telemetry.Line, telemetry.Cursor, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	if l.readErr != nil {
		return nil, after, l.readErr
	}
	if l.id == "" && after.IsZero() {
		return nil, after, nil
	}
	if after.IsZero() {
		after = l.oldestLocked()
	}
	reset := func(reason string) ([]telemetry.Line, telemetry.Cursor, error) {
		return nil, after, &telemetry.ResetError{From: after, Oldest: l.oldestLocked(), Reason: reason}
	}
	switch {
	case after.Log != l.id || after.Pos > l.endLocked().Pos:
		return reset(telemetry.ResetUnknown)
	case after.Pos < l.base:
		return reset(telemetry.ResetGone)
	}
	var out []telemetry.Line
	next, size := after, 0
	for _, line := range l.lines {
		if line.At.Pos <= after.Pos {
			continue
		}
		if len(out) > 0 && (len(out) == maxLines || size+len(line.Data) > maxBytes) {
			break
		}
		out = append(out, line)
		size += len(line.Data)
		next = line.At
	}
	return out, next, nil
}

func (l *memLog) TailWithin(_ context.Context, n int, within int64, match func([]byte) bool) (telemetry.Tail, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tails++
	var out []telemetry.Line
	cut := false
	for i := len(l.lines) - 1; i >= 0 && len(out) < n; i-- {
		if cut = within <= 0; cut {
			break
		}
		within -= int64(len(l.lines[i].Data)) + 1
		if match == nil || match(l.lines[i].Data) {
			out = append([]telemetry.Line{l.lines[i]}, out...)
			l.held += len(l.lines[i].Data)
		}
	}
	return telemetry.Tail{Lines: out, End: l.endLocked(), Cut: cut}, l.readErr
}

func (l *memLog) Watch(ctx context.Context) (<-chan struct{}, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	in, out := make(chan struct{}, 1), make(chan struct{})
	l.watch[in] = struct{}{}
	go func() {
		defer close(out)
		for {
			select {
			case <-ctx.Done():
				l.mu.Lock()
				defer l.mu.Unlock()
				delete(l.watch, in)
				return
			case <-in:
				select {
				case out <- struct{}{}:
				case <-ctx.Done():
				}
			}
		}
	}()
	return out, nil
}

func (l *memLog) Stats() telemetry.Stats {
	return telemetry.Stats{Bytes: 4096, Segments: 3, Bad: telemetry.BadLines{NUL: 1, NotJSON: 2}}
}

// event is a line of the log that tests can tell from its neighbours.
func event(kind string, n int) string {
	return fmt.Sprintf(`{"v":1,"ts":"2026-11-30T12:00:00.000Z","eventType":%q,"agentId":"agent-%d","sessionId":"s","traceId":"t-%d","command":"ape-claw test","dryRun":true,"chainId":7733139,"payload":{"n":%d},"result":{},"ok":%t,"error":null}`,
		kind, n%3, n%5, n, n%2 == 0)
}

func events(kind string, from, to int) []string {
	var out []string
	for n := from; n < to; n++ {
		out = append(out, event(kind, n))
	}
	return out
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
