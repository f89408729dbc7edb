package approve_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/ape-claw/ape-claw/tests/program"
)

// next waits for who writes a step into the pipe, and returns what it wrote.
func next(pipe string) (string, error) {
	f, err := os.Open(pipe)
	if err != nil {
		return "", err
	}
	buf := make([]byte, 4096)
	n, err := f.Read(buf)
	if errors.Is(err, io.EOF) {
		err = nil // it is still closing what it wrote before
	}
	return string(buf[:n]), errors.Join(err, f.Close())
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.NewDecoder(strings.NewReader(text)).Decode(into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// TestStoppedInBetween turns the kill switch, or halts spending, when an action was
// approved and nothing is executed yet, or when it is being executed and nothing is
// signed: it ends as failed, nothing was sent, and the permit is of no use any more.
func TestStoppedInBetween(t *testing.T) {
	t.Parallel()
	type cell struct {
		after string // the last step that it takes before
		line  string
	}
	cells := []cell{{"action.approve.swapped", "ai: enough"}, {"action.grant.recorded", "policy: enough"}}
	if *full {
		cells = append(cells, cell{"action.approve.swapped", "policy: enough"}, cell{"action.approve.stored", "ai: enough"},
			cell{"action.resolved.recorded", "ai: enough"}, cell{"action.grant.used", "ai: enough"}, cell{"action.grant.used", "policy: enough"})
	}
	for _, tt := range cells {
		t.Run(tt.after+", "+tt.line, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, program.Crashing.For(t), 2)
			c := w.client("stops")
			b := c.propose(0)
			// Each step that it takes it writes into a pipe, and it takes none before
			// somebody reads.
			pipe := filepath.Join(w.dir, "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			p := w.sit(b.id, "APE_CLAW_CRASH_LOG="+pipe)
			var over atomic.Bool
			done := make(chan error, 1)
			go func() {
				said, stopped := "", false
				for !over.Load() {
					took, err := next(pipe)
					if said += took; err == nil && !stopped && strings.Contains(said, tt.after+"\n") {
						stopped, err = true, os.WriteFile(filepath.Join(w.home(), "HALT"), []byte(tt.line+"\n"), 0o600)
					}
					if err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
			p.steps(answers{}) // on the way to the questions are steps too
			p.Send(passphrase)
			o := p.end()
			over.Store(true)
			until(t, "nobody reads any more", func() bool {
				// Who waits for a writer is let go by one.
				if f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
					_ = f.Close() // nothing was written
				}
				select {
				case err := <-done:
					if err != nil {
						t.Error(err)
					}
					return true
				default:
					return false
				}
			})
			a := o.Action
			if o.exit != 3 || o.Sent != "no" || a.State != "failed" || a.Outcome.Code != "policy_blocked" || a.Outcome.Outcome != "" ||
				a.Outcome.Cause != "killed" && a.Outcome.Cause != "halted" {
				t.Error(o)
			}
			unhalt(c)
			if q := w.books(); len(q) != 0 || w.owned(b.token) {
				t.Errorf("bought %v", q)
			}
			if s := c.status(b.id); s["state"] != "failed" || s["code"] != "policy_blocked" {
				t.Errorf("the model sees %v", s)
			}
			wantExit(t, "once more", w.refused(b.id), 10, "action_not_pending")
			if e := w.events("ai.action.executed", b.id); len(e) != 1 || e[0].OK {
				t.Errorf("events %v", e)
			}
		})
	}
}
