package forward_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func (s *sender) outbox() string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, "outbox.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	var st struct{ Outbox string }
	if err := json.Unmarshal(b, &st); err != nil {
		s.t.Fatal(err)
	}
	return st.Outbox
}

// TestCopy: a copied directory goes on from where it was, under a name of its own.
func TestCopy(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	s := newSender(t, rc.URL)
	want := s.emit("a1", 0, 3)
	s.flush()
	first := s.outbox()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(s.dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(to, 0o700); err != nil {
		t.Fatal(err)
	}
	c := *s
	c.dir = to
	c.open(telemetry.LogOptions{})
	want = append(want, s.emit("a1", 3, 1)...)
	s.flush()
	want = append(want, c.emit("a1", 30, 1)...) // at the very position
	equal(t, "sent of the copy", c.flush().Sent, 1)
	equal(t, "taken", rc.names(), want)
	if s.outbox() != first || c.outbox() == first {
		t.Errorf("ids %s, then %s, of the copy %s", first, s.outbox(), c.outbox())
	}
}

// TestLogChanges: what happens to the log below the cursor.
func TestLogChanges(t *testing.T) {
	t.Parallel()
	path := func(s *sender) string { return filepath.Join(s.dir, "events.jsonl") }
	must := func(s *sender, err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		change func(s *sender, rc *receiver)
		want   string // what arrives of 0 to 9, sent in twos, and what comes after
		lost   bool
	}{
		{"emptied", func(s *sender, _ *receiver) { must(s, os.Truncate(path(s), 0)) }, "0 1 2 3 4 5 6 7 8 9 100 101", false},
		{"removed", func(s *sender, _ *receiver) { must(s, os.Remove(path(s))) }, "0 1 2 3 4 5 6 7 8 9 100 101", false},
		{"removed with events.meta", func(s *sender, _ *receiver) {
			must(s, os.Remove(path(s)))
			must(s, os.Remove(filepath.Join(s.dir, "events.meta")))
		}, "0 1 2 3 4 5 6 7 8 9 100 101", false},
		{"cut at the end of a batch", func(s *sender, rc *receiver) { s.cut(rc, 7, 0) }, "0 1 2 3 4 5 6 7 8 9 100 101", false},
		{"cut within a batch, whose rest may come again", func(s *sender, rc *receiver) { s.cut(rc, 6, 0) }, "0 1 2 3 4 5 6 7 8 9 6 100 101", false},
		{"cut within a line", func(s *sender, rc *receiver) { s.cut(rc, 7, 20) }, "0 1 2 3 4 5 6 7 8 9 100 101", false},
		{"another in its place", func(s *sender, _ *receiver) {
			must(s, os.WriteFile(path(s), []byte(event("a1", "new", "")+"\n"), 0o600))
		}, "0 1 2 3 4 5 6 7 8 9 new 100 101", false},
		{"outbox.json is lost", func(s *sender, _ *receiver) { must(s, os.Remove(filepath.Join(s.dir, "outbox.json"))) }, "0 1 2 3 4 5 6 7 8 9 101", false},
		{"outbox.json makes no sense", func(s *sender, _ *receiver) {
			must(s, os.WriteFile(filepath.Join(s.dir, "outbox.json"), []byte("{}"), 0o600))
		}, "0 1 2 3 4 5 6 7 8 9 101", false},
		{"outbox.lock is lost", func(s *sender, _ *receiver) { must(s, os.Remove(filepath.Join(s.dir, "outbox.lock"))) }, "0 1 2 3 4 5 6 7 8 9 100 101", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rc := newReceiver(t)
			s := newSender(t, rc.URL)
			for i := 0; i < 10; i += 2 {
				s.emit("a1", i, 2)
				s.flush()
			}
			tt.change(s, rc)
			s.open(telemetry.LogOptions{})
			s.emit("a1", 100, 1)
			s.flush() // finds out
			s.emit("a1", 101, 1)
			s.flush()
			equal(t, "taken", strings.Join(rc.names(), " "), tt.want)
			equal(t, "pending", s.status().Pending.Events, 0)
		})
	}
}

// cut leaves the log up to the event of that number, and some bytes of the next.
func (s *sender) cut(rc *receiver, name, more int) {
	s.t.Helper()
	for _, e := range rc.took {
		if e.Command == fmt.Sprint(name) {
			var at int64
			if _, err := fmt.Sscanf(e.EventID[strings.IndexByte(e.EventID, '/')+1:], "%d", &at); err != nil {
				s.t.Fatal(err)
			}
			if err := os.Truncate(filepath.Join(s.dir, "events.jsonl"), at+int64(more)); err != nil {
				s.t.Fatal(err)
			}
			return
		}
	}
	s.t.Fatalf("no event %d", name)
}

// TestRotation: an outbox reads on through segments; what retention removes before it
// was sent is told.
func TestRotation(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	s := newSender(t, rc.URL)
	s.open(telemetry.LogOptions{RotateBytes: 4 << 10})
	want := s.emit("a1", 0, 100)
	equal(t, "sent", s.flush().Sent, 100)
	equal(t, "taken", rc.names(), want)
	equal(t, "lost", s.status().Lost.Bytes, 0)
	s.emit("a1", 100, 50)
	s.open(telemetry.LogOptions{RotateBytes: 4 << 10, KeepBytes: 4 << 10})
	s.emit("a1", 150, 50)
	before := s.status().Lost
	if before.Bytes == 0 || before.Events < 50 || before.Events > 100 {
		t.Errorf("lost %+v", before)
	}
	res := s.flush()
	equal(t, "lost, when nothing waits", s.status().Lost, before)
	got := rc.names()[100:]
	equal(t, "the newest", got[len(got)-1], "199")
	equal(t, "all that was there", res.Sent+before.Events, 100)
	seen := map[string]bool{}
	for _, n := range rc.names() {
		if seen[n] {
			t.Errorf("event %s came twice", n)
		}
		seen[n] = true
	}
}

// TestSpool: parts of a spool go once they are delivered, and not before, also those
// that hold events of other agents.
func TestSpool(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	s := newSender(t, rc.URL)
	s.opt.RemoteOnly = true
	s.open(telemetry.LogOptions{RotateBytes: 4 << 10})
	parts := func() int {
		names, err := fs.Glob(os.DirFS(s.dir), "events-*.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	want := s.emit("a1", 0, 100)
	all := parts()
	if all < 3 {
		t.Fatalf("%d parts", all)
	}
	rc.before = func(w http.ResponseWriter, _ *http.Request, n int, _ [][]byte) bool {
		if n == 1 {
			w.WriteHeader(500)
		}
		return n == 1
	}
	s.flush()
	equal(t, "parts while it is down", parts(), all)
	asked, keep := 0, errors.New("not yet")
	s.opt.BeforeRemoval = func(context.Context) error { asked++; return keep }
	s.now = s.now.Add(maxWait)
	s.flush()
	equal(t, "parts that somebody needs", parts(), all)
	s.emit("a1", 500, 1)
	want = append(want, "500")
	keep = nil
	s.now = s.now.Add(maxWait)
	before := asked
	s.flush()
	equal(t, "parts after", parts(), 0)
	if before == 0 || asked == before {
		t.Errorf("asked %d times, then %d", before, asked)
	}
	s.emit("a2", 100, 1)
	want = append(want, s.emit("a1", 101, 60)...)
	s.flush()
	if parts() == 0 {
		t.Error("an event of another agent was removed before it was sent")
	}
	s.opt.AgentID = "a2"
	want = append(want, "100")
	s.flush()
	equal(t, "parts after the other's", parts(), 0)
	s.opt.AgentID = "a1"
	want = append(want, s.emit("a1", 161, 60)...)
	s.flush()
	equal(t, "parts, though the other has not been here", parts(), 0)
	equal(t, "taken", rc.names(), want)
	equal(t, "lost", s.status().Lost.Bytes, 0)
}

// TestReadOnly: where nothing can be written nothing is sent, since nobody would know.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	rc := newReceiver(t)
	s := newSender(t, rc.URL)
	s.emit("a1", 0, 3)
	for _, name := range []string{"outbox.lock", "."} {
		if err := os.Chmod(filepath.Join(s.dir, name), 0o500); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(s.dir, 0o700) }) // for the removal
	if _, err := s.box().Flush(t.Context(), false); fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("%v", err)
	}
	equal(t, "requests", rc.count(), 0)
	equal(t, "pending", s.status().Pending.Events, 3)
}

// TestHostileState: a directory that came with a repository can't make this wait for
// ever, and a file that is none of ours is not written to.
func TestHostileState(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	s := newSender(t, rc.URL)
	s.emit("a1", 0, 1)
	s.flush()
	path := filepath.Join(s.dir, "outbox.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	far := strings.Replace(string(b), `"failures":0`, `"failures":9,"openUntil":"2999-01-01T00:00:00Z"`, 1)
	if far == string(b) {
		t.Fatalf("no failures in %s", b)
	}
	if err := os.WriteFile(path, []byte(far), 0o600); err != nil {
		t.Fatal(err)
	}
	s.emit("a1", 1, 1)
	equal(t, "sent", s.flush().Sent, 1)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"outbox-dead.jsonl", "outbox.lock"} {
		_ = os.Remove(filepath.Join(s.dir, name)) // it may not be there
		if err := os.Symlink(outside, filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
		rc.reject = func([]byte) string { return "no" }
		s.emit("a1", 2, 1)
		if res, err := s.box().Flush(t.Context(), true); err == nil && res.Failed == "" {
			t.Errorf("with a link as %s: %+v", name, res)
		}
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "x" {
		t.Errorf("outside: %q, %v", b, err)
	}
}
