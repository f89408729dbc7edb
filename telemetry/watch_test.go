package telemetry_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

// TestWatch follows a log from before its directory exists, over its removal
// and its return: no line may be missed, by notification or by polling.
func TestWatch(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]telemetry.LogOptions{
		"notified": {PollInterval: time.Hour, FastPoll: 5 * time.Millisecond},
		"polling":  {NoNotify: true, FastPoll: 5 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "deep", "state")
			l := telemetry.NewLog(dir, opt)
			ctx, cancel := context.WithCancel(t.Context())
			changed, err := l.Watch(ctx)
			if err != nil {
				t.Fatal(err)
			}
			w := newLog(t, dir)
			at := telemetry.Cursor{}
			expect := func(text string) {
				t.Helper()
				for {
					lines, next, err := l.ReadAfter(t.Context(), at, 0, 0)
					if err != nil {
						at = telemetry.Cursor{} // replaced
						continue
					}
					at = next
					for _, line := range lines {
						if string(line.Data) == text {
							return
						}
					}
					select {
					case <-changed:
					case <-time.After(20 * time.Second):
						t.Fatalf("no news of %s", text)
					}
				}
			}
			for i := range 5 {
				appendLine(t, w, line("first %d", i))
				expect(string(line("first %d", i)))
			}
			foreign(t, dir, `{"foreign":`)
			foreign(t, dir, "1}\n")
			expect(`{"foreign":1}`)
			if err := os.Remove(logPath(dir)); err != nil {
				t.Fatal(err)
			}
			appendLine(t, w, line("after removal"))
			expect(string(line("after removal")))
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			appendLine(t, w, line("in a new directory"))
			expect(string(line("in a new directory")))
			appendLine(t, w, line("and on"))
			expect(string(line("and on")))
			cancel()
			for range changed { // closed when the context has ended
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWatchCoalesces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLog(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	changed, err := l.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 { // nobody takes the values meanwhile, and nothing blocks
		appendLine(t, l, line("%d", i))
	}
	<-changed
	cancel()
	n := 0
	for range changed {
		n++
	}
	if n > 2 {
		t.Errorf("%d more values for a thousand changes", n)
	}
	if _, err := l.Watch(ctx); err == nil {
		t.Error("a watch with an ended context")
	}
}
