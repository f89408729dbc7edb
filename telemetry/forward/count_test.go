package forward_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/forward"
)

// same compares what an outbox that has counted before says with what a new one does.
func (s *sender) same(box *forward.Outbox, when string) {
	s.t.Helper()
	st, err := box.Status(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	fresh := s.status()
	equal(s.t, when+": pending", st.Pending, fresh.Pending)
	equal(s.t, when+": dead", st.Dead, fresh.Dead)
	equal(s.t, when+": others", st.Others, fresh.Others)
	equal(s.t, when+": lost bytes", st.Lost.Bytes, fresh.Lost.Bytes)
}

// TestCountAgain: a page that asks all the time is told what a new count would find,
// whatever happens in between.
func TestCountAgain(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	down := true
	rc.before = func(w http.ResponseWriter, _ *http.Request, _ int, _ [][]byte) bool {
		if down {
			w.WriteHeader(500)
		}
		return down
	}
	s := newSender(t, rc.URL)
	s.open(telemetry.LogOptions{RotateBytes: 4 << 10})
	box := s.box()
	s.same(box, "before anything")
	s.emit("a1", 0, 20)
	s.same(box, "events came")
	s.emit("a2", 20, 20)
	s.emit("local-cli", 40, 5)
	s.same(box, "of others too")
	s.flush()
	s.same(box, "an attempt failed")
	s.now, down = s.now.Add(maxWait), false
	s.flush()
	s.same(box, "sent")
	rc.reject = func(line []byte) string {
		if bytes.Contains(line, []byte(`"command":"bad"`)) {
			return "no"
		}
		return ""
	}
	for range 3 {
		s.line(event("a1", "bad", ""))
		s.emit("a1", 46, 1)
		s.flush()
		s.same(box, "one was refused")
	}
	equal(t, "dead", s.status().Dead, 3)
	rc.reject = nil
	if _, _, err := s.box().Revive(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.same(box, "they were taken after all")
	s.emit("a3", 50, 3)
	s.emit("a1", 60, 7)
	s.emit("a2", 70, 7)
	s.same(box, "more came")
	s.opt.AgentID = "a2"
	s.flush()
	s.opt.AgentID = "a1"
	s.same(box, "another's were sent")
	s.flush()
	s.same(box, "and ours")
	s.emit("a1", 100, 40)
	s.same(box, "before retention")
	s.open(telemetry.LogOptions{RotateBytes: 4 << 10, KeepBytes: 4 << 10})
	s.emit("a1", 140, 40)
	s.same(box, "after retention")
	s.emit("a1", 180, 40)
	s.same(box, "after more retention")
	s.flush()
	s.same(box, "what is left was sent")
	s.emit("a1", 220, 3)
	if err := os.Truncate(filepath.Join(s.dir, "events.jsonl"), 0); err != nil {
		t.Fatal(err)
	}
	s.emit("a1", 230, 2)
	s.same(box, "in a log that was emptied")
	s.flush()
	s.same(box, "and sent")
}

// TestCountReadsOnce: what was counted is not read again.
func TestCountReadsOnce(t *testing.T) {
	rc := newReceiver(t)
	s := newSender(t, rc.URL)
	s.emit("a1", 0, 300)
	box := s.box()
	allocs := func() float64 {
		return testing.AllocsPerRun(3, func() {
			if _, err := box.Status(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	_ = allocs()
	few := allocs()
	s.emit("a1", 300, 3000)
	_ = allocs()
	if many := allocs(); many > 2*few+100 {
		t.Errorf("%.0f allocations with ten times the events, %.0f before", many, few)
	}
}
