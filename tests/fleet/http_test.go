package fleet_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// answer is what a server said to one request.
type answer struct {
	status int
	header http.Header
	body   string
	doc    map[string]any // nil when the body is no object
}

// str is a member of the answer as text, "" when there is none.
func (a answer) str(name string) string {
	s, _ := a.doc[name].(string)
	return s
}

func (a answer) num(name string) float64 {
	n, _ := a.doc[name].(float64)
	return n
}

// plain keeps nothing between requests, and follows no redirect.
var plain = &http.Transport{DisableKeepAlives: true}

// ask sends one request, with header names and values in turn.
func ask(t testing.TB, s *server, method, path, body string, header ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.url()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := plain.RoundTrip(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	_ = resp.Body.Close() // read to its end
	a := answer{status: resp.StatusCode, header: resp.Header, body: string(b)}
	if json.Unmarshal(b, &a.doc) != nil {
		a.doc = nil
	}
	return a
}

// frame is one event of a stream; id and event are "" where it has none.
type frame struct{ id, event, data string }

// stream reads /events.
type stream struct {
	t      testing.TB
	header http.Header
	frames chan frame // closed at the stream's end
	stop   context.CancelFunc
}

func follow(t testing.TB, s *server, query string, header ...string) *stream {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url()+"/events"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := plain.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		b, _ := io.ReadAll(io.LimitReader(resp.Body, 512)) // for the message
		t.Fatalf("/events%s: %s %s", query, resp.Status, b)
	}
	f := &stream{t: t, header: resp.Header, frames: make(chan frame, 1000), stop: stop}
	done := make(chan struct{})
	t.Cleanup(func() {
		stop()
		<-done
	})
	go func() {
		defer close(done)
		defer close(f.frames)
		defer func() { _ = resp.Body.Close() }() // only read
		var now frame
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			field, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimPrefix(value, " ")
			switch field {
			case "id":
				now.id = value
			case "event":
				now.event = value
			case "data":
				now.data += value
			case "":
				if lines.Text() != "" { // a comment
					continue
				}
				if now.data != "" && now.event != "cursor" { // which only says how far it is
					f.frames <- now
				}
				now = frame{}
			}
		}
	}()
	return f
}

// next is the next frame; the stream must not end before it.
func (f *stream) next() frame {
	f.t.Helper()
	var got frame
	until(f.t, "an event comes", func() bool {
		select {
		case fr, ok := <-f.frames:
			if !ok {
				f.t.Fatal("the stream ended")
			}
			got = fr
			return true
		default:
			return false
		}
	})
	return got
}

// ended waits for the stream's end.
func (f *stream) ended() {
	f.t.Helper()
	until(f.t, "the stream ends", func() bool {
		select {
		case _, ok := <-f.frames:
			return !ok
		default:
			return false
		}
	})
}
