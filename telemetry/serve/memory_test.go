package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// padded returns events of about size bytes, every third of type x.third.
func padded(n, size int) (all, third []string) {
	pad := strings.Repeat("x", size)
	for i := range n {
		kind := "a.b"
		if i%3 == 0 {
			kind = "x.third"
		}
		line := fmt.Sprintf(`{"eventType":%q,"n":%d,"pad":%q}`, kind, i, pad)
		if all = append(all, line); i%3 == 0 {
			third = append(third, line)
		}
	}
	return all, third
}

// A client that asks for many events and takes none must cost no more than one
// batch, so the events are found by place and read from the file on the way.
func TestALargeBacklogIsNotHeldInMemory(t *testing.T) {
	t.Parallel()
	all, third := padded(400, 8000)
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"?backlog=250", all[150:]},
		{"?backlog=1000", all},
		{"?backlog=400", all},
		{"?backlog=399", all[1:]},
		{"?backlog=50&type=x.third", third[len(third)-50:]},
		{"?backlog=900&type=x.*", third},
	} {
		t.Run(tt.query, func(t *testing.T) {
			t.Parallel()
			log := newMemLog("aa")
			log.add(all...)
			s := start(t, serve.Options{Log: log, RingBytes: 1})
			st := s.stream(tt.query)
			st.want(tt.want...)
			log.mu.Lock()
			held := log.held
			log.mu.Unlock()
			if held > 300<<10 {
				t.Errorf("%d bytes were taken from the log at once", held)
			}
			line := strings.Replace(third[0], `"n":0`, `"n":-1`, 1)
			log.add(line)
			st.want(line)
		})
	}
}

func TestALargeBacklogOfARealLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all, third := padded(200, 8000)
	writer := openLog(t, dir)
	appendAll(t, writer, all...)
	s := start(t, serve.Options{Log: openLog(t, dir)})
	s.stream("?backlog=100").want(all[100:]...)
	s.stream("?backlog=1000").want(all...)
	s.stream("?backlog=40&type=x.third").want(third[len(third)-40:]...)
	// A log that looks back no further than so: fewer events, and none twice.
	near := telemetry.NewLog(dir, telemetry.LogOptions{MaxBack: 600 << 10})
	t.Cleanup(func() { _ = near.Close() })
	resp, body := start(t, serve.Options{Log: near}).get("/events/backlog?limit=150")
	var b struct {
		Events    []json.RawMessage
		Cursor    string
		Truncated bool
	}
	if err := json.Unmarshal([]byte(body), &b); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp.StatusCode, err)
	}
	n := len(b.Events)
	if !b.Truncated || n < 50 || n > 149 || string(b.Events[0]) != all[200-n] || string(b.Events[n-1]) != all[199] {
		t.Errorf("%d events, truncated %v", n, b.Truncated)
	}
}

func TestABacklogAnswerIsBounded(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	all, third := padded(200, 200_000) // 40 MB
	log.add(all...)
	s := start(t, serve.Options{Log: log, RingBytes: 1})
	for _, tt := range []struct {
		query string
		cut   bool
		want  []string // its end
	}{
		{"?limit=20", false, all[180:]},
		{"?limit=190", true, all[120:]},
		{"?limit=1000&type=x.third", true, third[len(third)-50:]}, // those that are near enough
	} {
		resp, body := s.get("/events/backlog" + tt.query)
		var b struct {
			Events    []json.RawMessage
			Cursor    string
			Truncated bool
		}
		if err := json.Unmarshal([]byte(body), &b); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp.StatusCode, err)
		}
		if len(body) > 17<<20 || b.Truncated != tt.cut || b.Cursor != log.lines[199].At.String() {
			t.Errorf("%s: %d bytes to %s, truncated %v", tt.query, len(body), b.Cursor, b.Truncated)
		}
		if len(b.Events) < len(tt.want) || !tt.cut && len(b.Events) != len(tt.want) {
			t.Fatalf("%s: %d events", tt.query, len(b.Events))
		}
		for i, e := range b.Events[len(b.Events)-len(tt.want):] {
			if string(e) != tt.want[i] {
				t.Fatalf("%s: event %d is %.60s", tt.query, i, e)
			}
		}
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	if log.held > 4<<20 {
		t.Errorf("%d bytes were taken from the log at once", log.held)
	}
}

func TestHeadReadsNothing(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	log.add(events("a.b", 0, 9)...)
	s := start(t, serve.Options{Log: log})
	for path, kind := range map[string]string{"/events?backlog=1000": "text/event-stream", "/events/backlog?limit=1000": "application/json; charset=utf-8"} {
		resp, _ := s.do(http.MethodHead, path, "")
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != kind {
			t.Errorf("%s: %d %q", path, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	if log.tails != 0 {
		t.Errorf("the log was looked through %d times", log.tails)
	}
}

// What a filter remembers of a block must not keep the block in memory.
func TestViewsForgetWhatTheRingDropped(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log, RingBytes: 32 << 10})
	var streams []*stream
	for i := range 3 {
		streams = append(streams, s.stream(fmt.Sprintf("?type=a.b&type=none.n%d", i)))
	}
	remembered := 0
	for n := range 40 {
		line := fmt.Sprintf(`{"eventType":"a.b","n":%d,"pad":%q}`, n, strings.Repeat("x", 6000))
		log.add(line)
		for _, st := range streams {
			st.want(line)
		}
		all, _ := s.MemoBlocks()
		remembered = max(remembered, all)
	}
	log.add(`{"eventType":"last.one"}`)
	s.stream("?after=" + log.lines[39].At.String()).want(`{"eventType":"last.one"}`) // the ring has moved on
	if remembered == 0 {
		t.Error("no view remembers anything: this test shows nothing")
	}
	deadline := time.Now().Add(patience / 10)
	for { // they forget just after the clients were woken
		all, stale := s.MemoBlocks()
		if stale == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d remembered blocks are in no ring", stale, all)
		}
	}
}
