package forward_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const maxWait = 15 * time.Minute

// TestDead: what the receiver refuses for good is kept with its reason, and holds
// nothing up.
func TestDead(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	rc.reject = func(line []byte) string {
		if bytes.Contains(line, []byte(`"command":"3"`)) {
			return "it is bad\x1b[2J"
		}
		return ""
	}
	s := newSender(t, rc.URL)
	s.emit("a1", 0, 6)
	res := s.flush()
	equal(t, "sent and dead", []int64{res.Sent, res.Dead}, []int64{5, 1})
	letters, err := s.box().Dead()
	if err != nil || len(letters) != 1 {
		t.Fatal(letters, err)
	}
	l := letters[0]
	if l.Reason != "it is bad [2J" || l.Status != 200 || l.Code != "usage" || l.AgentID != "a1" || !strings.Contains(l.Line, `"command":"3"`) {
		t.Errorf("letter %+v", l)
	}
	// Still refused: it stays, once.
	res, left, err := s.box().Revive(t.Context())
	if err != nil || res.Dead != 1 || len(left) != 1 || left[0].EventID != l.EventID {
		t.Errorf("%+v, %+v, %v", res, left, err)
	}
	equal(t, "letters", s.status().Dead, 1)
	// Taken, and the answer is lost: it comes again under the same id.
	rc.reject = nil
	rc.after = func(http.ResponseWriter, *http.Request, int) bool { panic(http.ErrAbortHandler) }
	if res, _, err = s.box().Revive(t.Context()); err != nil || res.Failed == "" {
		t.Errorf("%+v, %v", res, err)
	}
	equal(t, "letters", s.status().Dead, 1)
	rc.after = nil
	if res, left, err = s.box().Revive(t.Context()); err != nil || res.Duplicates != 1 || len(left) != 0 {
		t.Errorf("%+v, %+v, %v", res, left, err)
	}
	equal(t, "letters", s.status().Dead, 0)
	equal(t, "taken", rc.names(), []string{"0", "1", "2", "4", "5", "3"})
}

// TestHalving: a request that is refused as a whole is taken apart until the one that
// it is about is found.
func TestHalving(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	rc.before = func(w http.ResponseWriter, _ *http.Request, _ int, lines [][]byte) bool {
		if bytes.Contains(bytes.Join(lines, nil), []byte(`"command":"77"`)) {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return true
		}
		return false
	}
	s := newSender(t, rc.URL)
	want := s.emit("a1", 0, 100)
	res := s.flush()
	equal(t, "sent and dead", []int64{res.Sent, res.Dead}, []int64{99, 1})
	equal(t, "taken", rc.names(), append(want[:77:77], want[78:]...))
	if n := rc.count(); n > 20 {
		t.Errorf("%d requests", n)
	}
}

// TestRefusesAll: a server that wants nothing is broken, and its refusals don't bury
// what waits.
func TestRefusesAll(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	rc.before = func(w http.ResponseWriter, _ *http.Request, _ int, _ [][]byte) bool {
		w.WriteHeader(http.StatusBadRequest)
		return true
	}
	s := newSender(t, rc.URL)
	s.emit("a1", 0, 100)
	res := s.flush()
	if res.Dead > 10 || !strings.Contains(res.Failed, "every event") {
		t.Errorf("%+v", res)
	}
	equal(t, "pending and dead", s.status().Pending.Events+s.status().Dead, 100)
}

// TestNoGzip: where 415 is about the packing, the same goes out plain.
func TestNoGzip(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	rc.before = func(w http.ResponseWriter, r *http.Request, _ int, _ [][]byte) bool {
		if r.Header.Get("Content-Encoding") != "" {
			w.WriteHeader(http.StatusUnsupportedMediaType)
			return true
		}
		return false
	}
	s := newSender(t, rc.URL)
	want := s.emit("a1", 0, 3)
	s.flush()
	equal(t, "taken", rc.names(), want)
}

// TestTornDead: who was killed while burying leaves half a line, and the event is
// buried again, once.
func TestTornDead(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	rc.reject = func([]byte) string { return "no" }
	s := newSender(t, rc.URL)
	s.emit("a1", 0, 1)
	state, err := os.ReadFile(filepath.Join(s.dir, "outbox.json"))
	if err != nil {
		t.Fatal(err)
	}
	s.flush()
	path := filepath.Join(s.dir, "outbox-dead.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, left := range map[string][]byte{"all of it": whole, "half of it": whole[:len(whole)/3], "none of it": nil} {
		if err := os.WriteFile(path, left, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.dir, "outbox.json"), state, 0o600); err != nil { // as before
			t.Fatal(err)
		}
		s.flush()
		equal(t, "letters after "+name, s.status().Dead, 1)
	}
}

// TestRedaction: what programs that know of no redactor wrote into the log leaves
// this machine without its secrets.
func TestRedaction(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	s := newSender(t, rc.URL)
	s.emit("a1", 0, 1)
	if err := appendRaw(s.dir, event("a1", "1", `,"x":{"privateKey":"0x0123456789abcdef"}`)+"\n"); err != nil {
		t.Fatal(err)
	}
	var sent []byte
	rc.before = func(_ http.ResponseWriter, _ *http.Request, _ int, lines [][]byte) bool {
		sent = bytes.Join(lines, nil)
		return false
	}
	s.flush()
	if len(rc.names()) != 2 || bytes.Contains(sent, []byte("0123456789abcdef")) {
		t.Errorf("sent %s", sent)
	}
}
