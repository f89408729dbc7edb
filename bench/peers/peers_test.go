package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/bench/load"
)

// TestServers runs every server small: each client must get every event.
func TestServers(t *testing.T) {
	t.Parallel()
	servers := map[string]func(*http.ServeMux) func([]byte){
		"r3labs":     oneStream,
		"r3labs-per": streamPerClient,
		"ring":       func(mux *http.ServeMux) func([]byte) { return ringServer(mux, 4096, serveRing) },
		"ring-raw":   func(mux *http.ServeMux) func([]byte) { return ringServer(mux, 4096, serveRingRaw) },
	}
	for name, start := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := load.Defaults()
			c.File = filepath.Join(t.TempDir(), "events.jsonl")
			follow, err := openTail(c.File)
			if err != nil {
				t.Fatal(err)
			}
			mux := http.NewServeMux()
			ended := make(chan error, 1)
			publish := start(mux)
			go func() { ended <- follow.run(publish) }()
			t.Cleanup(func() {
				follow.file.Close() // ends the next read
				if follow.watch.Close() == nil {
					<-ended
				}
			})
			srv := httptest.NewServer(mux)
			t.Cleanup(srv.Close)
			t.Cleanup(srv.CloseClientConnections)
			c.URL, c.Clients, c.Events, c.Settle = srv.URL+"/events", 3, 3000, 10*time.Millisecond
			if r, err := load.Run(t.Context(), c); err != nil || !r.OK() || r.Frames != 9000 {
				t.Errorf("%v: %+v", err, r)
			}
		})
	}
}

// TestFrames: what a cursor reads is what was added, whatever the limit, over the
// border of segments.
func TestFrames(t *testing.T) {
	t.Parallel()
	f := newFrames()
	c, second := f.end(), f.end()
	line := append(bytes.Repeat([]byte("x"), 1<<20), '\n')
	for range 6 {
		f.add(line)
	}
	read := func(c cursor, limit int) (n int) {
		for {
			b, wake := f.next(&c, limit)
			if b == nil {
				select {
				case <-wake:
					t.Error("woken without an event")
				default:
				}
				return n
			}
			n += len(b)
		}
	}
	want := 6 * (len("id: 1\ndata: ") + len(line) + 1)
	if got := read(c, 1<<30); got != want {
		t.Errorf("read %d bytes, want %d", got, want)
	}
	if got := read(second, 1000); got != want {
		t.Errorf("in small steps %d bytes, want %d", got, want)
	}
}

func TestBacklog(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "events.jsonl")
	var all []byte
	for i := range 3000 {
		all = load.Envelope(all, int64(i+1), 1, 450)
	}
	for name, tt := range map[string]struct {
		content     []byte
		first, last int64
		n           int
	}{
		"empty":     {nil, 0, 0, 0},
		"few":       {all[:5*450], 1, 5, 5},
		"all":       {all, 2701, 3000, 300},
		"cut short": {all[:len(all)-10], 2700, 2999, 300},
	} {
		if err := os.WriteFile(file, tt.content, 0o600); err != nil {
			t.Fatal(err)
		}
		rec := httptest.NewRecorder()
		backlogHandler(file)(rec, httptest.NewRequest(http.MethodGet, "/events/backlog?limit=300", nil))
		var doc struct {
			Events []struct {
				Payload struct {
					N int64 `json:"n"`
				} `json:"payload"`
			} `json:"events"`
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &doc); err != nil || len(doc.Events) != tt.n {
			t.Errorf("%s: %d events, want %d (%v)", name, len(doc.Events), tt.n, err)
			continue
		}
		if n := tt.n; n > 0 && (doc.Events[0].Payload.N != tt.first || doc.Events[n-1].Payload.N != tt.last) {
			t.Errorf("%s: from %d to %d", name, doc.Events[0].Payload.N, doc.Events[n-1].Payload.N)
		}
	}
}
