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

// TestTrailElsewhere: a line that an earlier process wrote into the log of that time is
// not written into the one of now.
func TestTrailElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	logs := [2]*telemetry.Log{}
	for i := range logs {
		logs[i] = telemetry.NewLog(t.TempDir(), telemetry.LogOptions{})
		t.Cleanup(func() {
			if err := logs[i].Close(); err != nil {
				t.Error(err)
			}
		})
	}
	lost := errors.New("killed before the note")
	r := w.open(t, "a", func(o *chain.SenderOptions) {
		o.Log = logs[0]
		o.Recorder = realLog{lineLog{scope: telemetry.Scope{TraceID: "a"}}, logs[0], func(line []byte) error {
			if !strings.Contains(string(line), "confirmed") {
				return nil
			}
			_, err := logs[0].Append(context.Background(), line, true)
			return errors.Join(err, lost)
		}}
		o.RecorderFor = nil
	})
	if _, err := r.buy(t.Context(), intent(w.sink, "k", "1")); !errors.Is(err, lost) {
		t.Fatal(err)
	}
	next := w.open(t, "b", func(o *chain.SenderOptions) {
		o.Log, o.Others = logs[1], []chain.LogReader{logs[0]}
		o.Recorder = realLog{lineLog{scope: telemetry.Scope{TraceID: "b"}}, logs[1], nil}
		o.RecorderFor = nil
	})
	if _, err := next.Recover(t.Context(), chainID); err != nil {
		t.Fatal(err)
	}
	lines, _, err := logs[1].Last(t.Context(), 10, func(line []byte) bool { return strings.Contains(string(line), "test.buy.confirmed") })
	if err != nil || len(lines) != 0 {
		t.Errorf("written again: %d lines, %v", len(lines), err)
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

// TestTrailLetGo: what a log had is not written again after the log has let go of it,
// if that was noted before; what it had not is, noted or not.
func TestTrailLetGo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		there, note bool
		want        int
	}{{true, true, 0}, {true, false, 1}, {false, true, 1}} {
		w := newWorld(t)
		open := func() *telemetry.Log {
			log := telemetry.NewLog(t.TempDir(), telemetry.LogOptions{})
			t.Cleanup(func() {
				if err := log.Close(); err != nil {
					t.Error(err)
				}
			})
			return log
		}
		log := open()
		lost := errors.New("killed before the note")
		r := w.open(t, "a", func(o *chain.SenderOptions) {
			o.Log = log
			o.Recorder = realLog{lineLog{scope: telemetry.Scope{TraceID: "a"}}, log, func(line []byte) error {
				if !strings.Contains(string(line), "confirmed") {
					return nil
				}
				if tt.there {
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
		if tt.note {
			if err := chain.NoteLogged(t.Context(), r.db, log); err != nil {
				t.Fatal(err)
			}
		}
		log = open() // all that was sent is removed
		next := w.open(t, "b", func(o *chain.SenderOptions) {
			o.Log = log
			o.Recorder = realLog{lineLog{scope: telemetry.Scope{TraceID: "b"}}, log, nil}
			o.RecorderFor = nil
		})
		if _, err := next.Recover(t.Context(), chainID); err != nil {
			t.Fatal(err)
		}
		lines, _, err := log.ReadAfter(t.Context(), telemetry.Cursor{}, 0, 0)
		var reset *telemetry.ResetError
		if err != nil && !errors.As(err, &reset) {
			t.Fatal(err)
		}
		n := 0
		for _, l := range lines {
			if strings.Contains(string(l.Data), "test.buy.confirmed") {
				n++
			}
		}
		if n != tt.want {
			t.Errorf("%+v: it is written %d times", tt, n)
		}
	}
}
