package telemetry_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

// TestWatchFollowsTheName: when another directory takes the name, notifications
// come from that one. Polls alone would take four times as long as is allowed.
func TestWatchFollowsTheName(t *testing.T) {
	t.Parallel()
	const poll, lines, allowed = 400 * time.Millisecond, 20, 2 * time.Second
	for name, c := range map[string]struct {
		link bool
		swap func(parent, path string) error // path is parent/state
	}{
		"removed": {false, func(_, path string) error { return os.RemoveAll(path) }},
		"renamed": {false, func(_, path string) error { return os.Rename(path, path+".old") }},
		"parent renamed": {false, func(parent, path string) error {
			return errors.Join(os.Rename(parent, parent+".old"), os.MkdirAll(path, 0o700))
		}},
		"parent renamed, nothing yet in its place": {false, func(parent, _ string) error { return os.Rename(parent, parent+".old") }},
		"link swapped": {true, func(_, path string) error {
			return errors.Join(os.Mkdir(path+".b", 0o700), os.Symlink(path+".b", path+".link"), os.Rename(path+".link", path))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := filepath.Join(t.TempDir(), "parent")
			path := filepath.Join(parent, "state")
			if err := os.Mkdir(parent, 0o700); err != nil {
				t.Fatal(err)
			}
			if c.link {
				if err := errors.Join(os.Mkdir(path+".a", 0o700), os.Symlink(path+".a", path)); err != nil {
					t.Fatal(err)
				}
			}
			l := telemetry.NewLog(path, telemetry.LogOptions{PollInterval: poll, FastPoll: 5 * time.Millisecond})
			ctx, cancel := context.WithCancel(t.Context())
			w := newLog(t, path)
			appendLine(t, w, line("before"))
			changed, err := l.Watch(ctx)
			if err != nil {
				t.Fatal(err)
			}
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
			appendLine(t, w, line("still before"))
			expect(string(line("still before")))
			if err := c.swap(parent, path); err != nil {
				t.Fatal(err)
			}
			appendLine(t, w, line("after"))
			expect(string(line("after"))) // a poll may have found it
			start := time.Now()
			for i := range lines {
				appendLine(t, w, line("%d", i))
				expect(string(line("%d", i)))
			}
			if took := time.Since(start); took > allowed {
				t.Errorf("%d lines took %s", lines, took)
			}
			cancel()
			for range news { // closed when the watch has ended
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
