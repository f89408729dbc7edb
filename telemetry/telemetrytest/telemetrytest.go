// Package telemetrytest helps other packages' tests to look at the events they
// emit. Only tests import it.
package telemetrytest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

// Check validates every line of the log in the state directory dir against the
// envelope and the catalogue, fails t for each that does not fit and for bad
// lines, and returns the events in their order.
func Check(t testing.TB, dir string) []telemetry.Event {
	t.Helper()
	l := telemetry.NewLog(dir, telemetry.LogOptions{NoNotify: true})
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	var events []telemetry.Event
	var at telemetry.Cursor
	for {
		lines, next, err := l.ReadAfter(t.Context(), at, 0, 0)
		if err != nil {
			t.Fatalf("read events: %v", err)
		}
		for _, line := range lines {
			if err := telemetry.Validate(line.Data); err != nil {
				t.Errorf("%v\n\t%s", err, line.Data)
			}
			var e telemetry.Event
			if err := json.Unmarshal(line.Data, &e); err != nil {
				t.Fatalf("event %s: %v", line.Data, err)
			}
			events = append(events, e)
		}
		if next == at {
			break
		}
		at = next
	}
	if bad := l.Stats().Bad; bad.Total() != 0 {
		t.Errorf("bad lines in the event log: %+v", bad)
	}
	return events
}

// Types returns the events' types, after Check.
func Types(t testing.TB, dir string) []string {
	t.Helper()
	types := []string{}
	for _, e := range Check(t, dir) {
		types = append(types, e.EventType)
	}
	return types
}

// Recorder returns a recorder on the log of a new state directory, and that.
func Recorder(t testing.TB, scope telemetry.Scope, secrets ...string) (r *telemetry.Recorder, dir string) {
	t.Helper()
	dir = t.TempDir()
	l := telemetry.NewLog(dir, telemetry.LogOptions{NoNotify: true})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return telemetry.NewRecorder(l, telemetry.NewRedactor(secrets...), time.Now, scope), dir
}
