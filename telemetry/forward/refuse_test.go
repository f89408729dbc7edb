package forward_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestRefusesAllAlways: a receiver that wants nothing buries no more than a few events,
// however many commands come along with one event each, and whichever way it says so.
// What is left arrives when it has recovered.
func TestRefusesAllAlways(t *testing.T) {
	t.Parallel()
	lines := func(n int) any {
		var out []map[string]any
		for i := range n {
			out = append(out, map[string]any{"line": i + 1, "status": "rejected", "code": "usage", "error": "no such thing"})
		}
		return map[string]any{"ok": false, "results": out}
	}
	for name, refuse := range map[string]func(w http.ResponseWriter, n int){
		"as a whole": func(w http.ResponseWriter, _ int) { answer(w, 422, map[string]any{"error": "no such thing"}) },
		"by line":    func(w http.ResponseWriter, n int) { answer(w, 400, lines(n)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rc := newReceiver(t)
			broken := true
			rc.before = func(w http.ResponseWriter, _ *http.Request, _ int, sent [][]byte) bool {
				if broken {
					refuse(w, len(sent))
				}
				return broken
			}
			s := newSender(t, rc.URL)
			dead, said := int64(0), ""
			for i := range 40 {
				s.emit("a1", i, 1)
				res := s.flush()
				dead += res.Dead
				if res.Failed != "" {
					said = res.Failed
				}
				s.now = s.now.Add(time.Hour)
			}
			if dead != 8 || !strings.Contains(said, "every event") || !strings.Contains(said, "no such thing") {
				t.Errorf("%d dead, said %q", dead, said)
			}
			// Somebody who looks on is told of the next ones.
			if res, err := s.box().Flush(t.Context(), true); err != nil || res.Failed == "" || res.Dead > 8 {
				t.Errorf("by hand: %+v, %v", res, err)
			}
			broken = false
			s.now = s.now.Add(time.Hour)
			s.flush()
			if _, _, err := s.box().Revive(t.Context()); err != nil {
				t.Error(err)
			}
			equal(t, "taken in the end", len(rc.names()), 40)
			equal(t, "waiting", s.status().Pending.Events+s.status().Dead, 0)
			broken = true // it counts anew
			s.emit("a1", 40, 1)
			equal(t, "dead after it has recovered", s.flush().Dead, 1)
		})
	}
}

// TestRefusesRubbish: lines of other programs that no server takes hold nothing up, however
// many they are.
func TestRefusesRubbish(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	rc.reject = func(line []byte) string {
		if bytes.Contains(line, []byte(`"chainId":"x"`)) {
			return "chainId is not a whole number"
		}
		return ""
	}
	s := newSender(t, rc.URL)
	for range 450 {
		if err := appendRaw(s.dir, `{"eventType":"my.bad","agentId":"a1","chainId":"x"}`+"\n"); err != nil {
			if len(rc.names()) > 0 {
				t.Fatal(err)
			}
			s.emit("a1", 0, 1) // the log is made by its first event
		}
	}
	want := append([]string{"0"}, s.emit("a1", 1, 1)...)
	s.flush()
	equal(t, "taken", rc.names(), want)
	if st := s.status(); st.Pending.Events != 0 || st.Dead < 449 {
		t.Errorf("status %+v", st)
	}
}

// TestNoGzipUnsaid: who can't read gzip may only say that it can't read that.
func TestNoGzipUnsaid(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 415, 422} {
		rc := newReceiver(t)
		rc.before = func(w http.ResponseWriter, r *http.Request, _ int, _ [][]byte) bool {
			if r.Header.Get("Content-Encoding") == "gzip" {
				w.WriteHeader(status)
				return true
			}
			return false
		}
		s := newSender(t, rc.URL)
		want := s.emit("a1", 0, 450)
		equal(t, "dead", s.flush().Dead, 0)
		equal(t, "taken", rc.names(), want)
		equal(t, "requests", rc.count(), 4) // the second batch and the third go plain at once
	}
}

// TestRetryAfter: however it is said, a pause has a bound, and none is no reason to hurry.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]time.Duration{
		"": time.Second, "-5": time.Second, "0": time.Second, "soon": time.Second, "1e9": time.Second, "90": 90 * time.Second,
		"1000000000000": maxWait, "99999999999999999999999": maxWait, "18446744073709551615": maxWait,
		"Thu, 01 Jan 1970 00:00:00 GMT": time.Second, "Fri, 31 Dec 9999 23:59:59 GMT": maxWait,
	} {
		rc := newReceiver(t)
		rc.before = func(w http.ResponseWriter, _ *http.Request, _ int, _ [][]byte) bool {
			w.Header().Set("Retry-After", said)
			w.WriteHeader(429)
			return true
		}
		s := newSender(t, rc.URL)
		s.emit("a1", 0, 1)
		if res := s.flush(); res.Until.Sub(s.now) != want {
			t.Errorf("Retry-After: %q pauses for %s, want %s", said, res.Until.Sub(s.now), want)
		}
	}
}
