package telemetry_test

import (
	"os"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
)

// A log keeps its id while programs without the lock add to it, also between two
// looks of one Settle: what they add is no sign that it was cut.
func TestSettleBesideForeignWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: 4 << 10})
	id := appendLine(t, w, line("first")).Log
	for i := range 400 { // some segments
		appendLine(t, w, line("%d", i))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(logPath(dir), os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- f.Close()
				return
			default:
			}
			if _, err := f.WriteString(`{"id":"foreign"}` + "\n"); err != nil {
				t.Error(err)
			}
		}
	}()
	for range 200 {
		l := telemetry.NewLog(dir, telemetry.LogOptions{}) // as a server that starts
		if err := l.Settle(t.Context()); err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	if end, err := w.End(t.Context()); err != nil || end.Log != id {
		t.Errorf("the log %s is called %s now, %v", id, end.Log, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
