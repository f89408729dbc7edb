package serve_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// inBubble runs a server without a network, on a clock that jumps.
func inBubble(t *testing.T, opt serve.Options, fn func(t *testing.T, log *memLog, p *pipes, client *http.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		log, p := newMemLog("aa"), newPipes()
		opt.Log, opt.Listener, opt.Insecure, opt.Now = log, p, true, time.Now
		s := must[*serve.Server](t)(serve.New(opt))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.Serve(ctx) }()
		transport := &http.Transport{DialContext: p.dial}
		defer func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
			transport.CloseIdleConnections()
		}()
		fn(t, log, p, &http.Client{Transport: transport})
	})
}

func TestHeartbeats(t *testing.T) {
	t.Parallel()
	inBubble(t, serve.Options{}, func(t *testing.T, log *memLog, _ *pipes, client *http.Client) {
		log.add(events("a.b", 0, 2)...)
		plain := openStream(t, client, "http://localhost/events")
		filtered := openStream(t, client, "http://localhost/events?type=nft.*")
		defer plain.close()
		defer filtered.close()
		time.Sleep(time.Second)
		log.add(events("a.b", 2, 5)...) // none of them passes the filter
		end := log.lines[4].At.String()
		time.Sleep(45 * time.Second)
		synctest.Wait()
		count := func(st *stream) (comments int, cursors []frame) {
			for len(st.frames) > 0 {
				f := <-st.frames
				if f.comment != "" {
					comments++
				}
				if f.name == "cursor" {
					cursors = append(cursors, f)
				}
			}
			return comments, cursors
		}
		comments, cursors := count(plain)
		if comments != 3 || len(cursors) != 0 {
			t.Errorf("an unfiltered stream got %d comments and %d cursors in 46 s, want 3 and 0", comments, len(cursors))
		}
		comments, cursors = count(filtered)
		if comments != 3 || len(cursors) != 3 {
			t.Fatalf("a filtered stream got %d comments and %d cursors in 46 s, want 3 and 3", comments, len(cursors))
		}
		if f := cursors[2]; f.id != end || f.data != "{}" {
			t.Errorf("cursor %+v, want id %s and {}", f, end)
		}
	})
}

func TestAClientThatTakesNothingIsGoneAfterFiveMinutes(t *testing.T) {
	t.Parallel()
	inBubble(t, serve.Options{Heartbeat: time.Hour}, func(t *testing.T, log *memLog, p *pipes, _ *http.Client) {
		dead := must[net.Conn](t)(p.dial(t.Context(), "", ""))
		defer dead.Close()
		fmt.Fprintf(dead, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
		head := make([]byte, 4096)
		must[int](t)(dead.Read(head)) // the answer's head; then nothing more
		began := time.Now()
		log.add(events("a.b", 0, 3)...)
		open := func() bool {
			var one [1]byte
			_ = dead.SetReadDeadline(time.Now().Add(time.Nanosecond)) // net.Pipe has deadlines
			_, err := dead.Read(one[:0])
			return err == nil
		}
		time.Sleep(4*time.Minute + 59*time.Second)
		synctest.Wait()
		if !open() {
			t.Fatalf("cut off after %v", time.Since(began))
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		_ = dead.SetReadDeadline(time.Time{})
		// The server hung up: whatever was under way ends in an error.
		for {
			if _, err := dead.Read(head); err != nil {
				break
			}
		}
		if since := time.Since(began); since > 5*time.Minute+3*time.Second {
			t.Errorf("cut off after %v", since)
		}
	})
}

func TestASlowReaderIsNotGone(t *testing.T) {
	t.Parallel()
	inBubble(t, serve.Options{Heartbeat: time.Hour}, func(t *testing.T, log *memLog, p *pipes, _ *http.Client) {
		slow := must[net.Conn](t)(p.dial(t.Context(), "", ""))
		defer slow.Close()
		fmt.Fprintf(slow, "GET /events?after=0-0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
		line := fmt.Sprintf(`{"pad":%q}`, strings.Repeat("x", 200<<10))
		log.add(line)
		// 4 KiB every minute: 50 minutes for one event.
		got := 0
		buf := make([]byte, 4<<10)
		for got < len(line) {
			n, err := slow.Read(buf)
			if err != nil {
				t.Fatalf("cut off after %d bytes: %v", got, err)
			}
			got += n
			time.Sleep(time.Minute)
		}
	})
}
