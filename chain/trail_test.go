package chain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry"
)

// TestTrailBeyondTheSearch: a line that is in the log, further back than one search
// goes and in a file that was rotated away, is not appended again; one that is not
// there is, once.
func TestTrailBeyondTheSearch(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{true, false} {
		w := newWorld(t)
		log := telemetry.NewLog(t.TempDir(), telemetry.LogOptions{MaxBack: 4 << 10, RotateBytes: 8 << 10})
		t.Cleanup(func() {
			if err := log.Close(); err != nil {
				t.Error(err)
			}
		})
		lost := errors.New("killed before the note")
		r := w.open(t, "a", func(o *chain.SenderOptions) {
			o.Log = log
			o.Recorder = realLog{lineLog{path: "", scope: telemetry.Scope{TraceID: "a"}}, log, func(line []byte) error {
				if !strings.Contains(string(line), "confirmed") {
					return nil
				}
				if there {
					if _, err := log.Append(context.Background(), line, true); err != nil {
						return err
					}
				}
				return lost
			}}
			o.RecorderFor = nil
		})
		if _, err := r.buy(t.Context(), intent(w.sink, "k", "1")); !errors.Is(err, lost) {
			t.Fatal(err)
		}
		for i := range 400 {
			if _, err := log.Append(t.Context(), fmt.Appendf(nil, `{"eventType":"other","n":%d,"pad":%q}`, i, strings.Repeat("x", 100)), false); err != nil {
				t.Fatal(err)
			}
		}
		next := w.open(t, "b", func(o *chain.SenderOptions) {
			o.Log = log
			o.Recorder = realLog{lineLog{scope: telemetry.Scope{TraceID: "b"}}, log, nil}
			o.RecorderFor = nil
		})
		for range 2 {
			if _, err := next.Recover(t.Context(), chainID); err != nil {
				t.Fatal(err)
			}
		}
		n, at := 0, telemetry.Cursor{}
		for {
			lines, end, err := log.ReadAfter(t.Context(), at, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range lines {
				if strings.Contains(string(l.Data), "test.buy.confirmed") {
					n++
				}
			}
			if end == at {
				break
			}
			at = end
		}
		if n != 1 {
			t.Errorf("already there: %t; it is in the log %d times", there, n)
		}
	}
}

// realLog encodes as lineLog does and appends to a log of telemetry.
type realLog struct {
	lineLog
	log   *telemetry.Log
	first func(line []byte) error
}

func (l realLog) AppendLine(ctx context.Context, line []byte, sync bool) error {
	if l.first != nil {
		if err := l.first(line); err != nil {
			return err
		}
	}
	_, err := l.log.Append(ctx, line, sync)
	return err
}
