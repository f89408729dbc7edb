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
			news := make(chan string)
			go follow(ctx, l, changed, news)
			expect := func(text string) {
				t.Helper()
				late := time.After(20 * time.Second)
				for {
					select {
					case got := <-news:
						if got == text {
							return
						}
					case <-late:
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
			for range news { // closed when the watch has ended
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// follow sends every line, and reads only when it was told to.
func follow(ctx context.Context, l *telemetry.Log, changed <-chan struct{}, news chan<- string) {
	defer close(news)
	at := telemetry.Cursor{}
	for range changed {
		for {
			lines, next, err := l.ReadAfter(ctx, at, 0, 0)
			if err != nil && ctx.Err() == nil {
				at = telemetry.Cursor{} // the log was replaced
				continue
			}
			for _, line := range lines {
				select {
				case news <- string(line.Data):
				case <-ctx.Done():
				}
			}
			if err != nil || next == at {
				break
			}
			at = next
		}
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
