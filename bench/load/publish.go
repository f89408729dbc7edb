package load

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"
)

const pad = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua ut enim ad minim veniam quis nostrud exercitation ullamco laboris nisi ut aliquip ex ea commodo consequat duis aute irure dolor"

// Envelope appends one event as a JSON line to b: number n, published at t0
// (unix nanoseconds), padded to size bytes, its newline included. It is an
// envelope as ape-claw's commands write it.
func Envelope(b []byte, n, t0 int64, size int) []byte {
	start := len(b)
	b = append(b, `{"v":1,"ts":"2026-01-02T03:04:05.678Z","eventType":"bench.tick","agentId":"bench-agent","sessionId":"local-session","traceId":"trace_8f2a55949038a961","command":"ape-claw bench","dryRun":true,"chainId":33139,"payload":{"n":`...)
	b = strconv.AppendInt(b, n, 10)
	b = append(b, `,"t0":`...)
	b = strconv.AppendInt(b, t0, 10)
	b = append(b, `,"note":"`...)
	const end = "\"},\"result\":{},\"ok\":true,\"error\":null}\n"
	if k := size - (len(b) - start) - len(end); k > 0 {
		b = append(b, pad[:min(k, len(pad))]...)
	}
	return append(b, end...)
}

// publish appends the events to the file, each batch with one write, as a
// program that takes no lock does.
func publish(ctx context.Context, c Config, start time.Time) (err error) {
	f, err := os.OpenFile(c.File, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var b []byte
	for i := 0; i < c.Events; {
		if c.Rate > 0 {
			due := start.Add(time.Duration(float64(i) / c.Rate * float64(time.Second)))
			if err := pause(ctx, time.Until(due)); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		b = b[:0]
		for k := 0; k < c.Batch && i < c.Events; k++ {
			i++
			b = Envelope(b, int64(i), time.Now().UnixNano(), c.Size)
		}
		if _, err := f.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// pause waits for d.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
