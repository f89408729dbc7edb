package serve_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// A stream ends with what its caller proved, whatever ends that and wherever.
func TestStreamEndsWithItsCredentials(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, s *server, there *agents.Registry, cookie string){
		"revoked": func(t *testing.T, _ *server, there *agents.Registry, _ string) {
			must[agents.Agent](t)(there.Revoke(t.Context(), "bot-1"))
		},
		"rotated": func(t *testing.T, _ *server, there *agents.Registry, _ string) {
			if _, _, err := there.Rotate(t.Context(), "bot-1"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			registry, there := newRegistry(t, dir), newRegistry(t, dir)
			token, other := register(t, registry, "bot-1"), register(t, registry, "bot-2")
			log := newMemLog("aa")
			s := start(t, serve.Options{Log: log, Auth: registry, RequireAuth: true})
			_, c := s.login("bot-1", token)
			cookie := c.Name + "=" + c.Value
			streams := []*stream{s.stream("", creds("bot-1", token)...), s.stream("", creds("bot-1", token)...), s.stream("?type=a.*", "Cookie", cookie)}
			kept := s.stream("", creds("bot-2", other)...)
			log.add(event("a.b", 1))
			for _, st := range append(streams, kept) {
				st.want(event("a.b", 1))
			}
			end(t, s, there, cookie)
			for _, st := range streams {
				st.ended()
			}
			log.add(event("a.b", 2))
			kept.want(event("a.b", 2))
			if resp, _ := s.get("/events", creds("bot-1", token)...); resp.StatusCode != 403 {
				t.Errorf("it comes back: %d", resp.StatusCode)
			}
		})
	}
}

// A log-out ends the streams of that browser, and no other's.
func TestStreamEndsWithItsSession(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log, Auth: registry, RequireAuth: true})
	_, here := s.login("bot-1", token)
	_, there := s.login("bot-1", token)
	mine, other := s.stream("", "Cookie", here.Name+"="+here.Value), s.stream("", "Cookie", there.Name+"="+there.Value)
	if resp, body := s.do("DELETE", "/api/session", "", "Cookie", here.Name+"="+here.Value, "Origin", s.url); resp.StatusCode != 200 {
		t.Fatal(body)
	}
	mine.ended()
	log.add(event("a.b", 1))
	other.want(event("a.b", 1))
}

// A client that does not read keeps its stream inside a write. It ends all the
// same: its place is free again.
func TestStalledStreamEndsWithItsCredentials(t *testing.T) {
	t.Parallel()
	registry, token := oneAgent(t)
	other := register(t, registry, "bot-2")
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log, Auth: registry, RequireAuth: true, MaxClients: 1})
	conn := must[net.Conn](t)(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))
	defer conn.Close()
	fmt.Fprintf(conn, "GET /events?after=0-0 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Agent-Id: bot-1\r\nX-Agent-Token: %s\r\n\r\n", token)
	must[int](t)(io.ReadFull(conn, make([]byte, 64)))
	// More than the kernel keeps for the connection.
	for n := range 40 {
		log.add(`{"n":"` + fmt.Sprint(n) + strings.Repeat("x", 1<<20-40) + `"}`)
	}
	must[agents.Agent](t)(registry.Revoke(t.Context(), "bot-1"))
	deadline := time.After(patience)
	for {
		resp, _ := s.do("HEAD", "/events", "", creds("bot-2", other)...)
		if resp.StatusCode == 200 {
			return
		}
		select {
		case <-deadline:
			t.Fatal("the stalled stream keeps its place")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// moody is an Authenticator that lets everybody in until it is told not to.
type moody struct {
	serve.Authenticator
	life     time.Duration // of a proof; 0: without end
	fails    atomic.Bool
	gone     atomic.Bool
	question atomic.Int64
	changes  atomic.Int64
}

func (m *moody) Verify(context.Context, string, string) (agents.Proof, error) {
	p := agents.Proof{AgentID: "bot-1"}
	if m.life > 0 {
		p.Expires = time.Now().Add(m.life)
	}
	return p, nil
}

func (m *moody) Holds(context.Context, agents.Proof) (bool, error) {
	m.question.Add(1)
	if m.fails.Load() {
		return true, errors.New("can't tell")
	}
	return !m.gone.Load(), nil
}

func (m *moody) Changes(context.Context) (int64, error) { return m.changes.Load(), nil }

func TestStreamEndsWhenItsProofExpires(t *testing.T) {
	t.Parallel()
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: &moody{life: 50 * time.Millisecond}, RequireAuth: true})
	s.stream("", creds("bot-1", "x")...).ended()
}

// Where it can't be found out whether credentials still hold, they do not.
func TestStreamEndsWhenItsProofCanNotBeChecked(t *testing.T) {
	t.Parallel()
	m := &moody{}
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: m, RequireAuth: true})
	st := s.stream("", creds("bot-1", "x")...)
	m.fails.Store(true)
	m.changes.Add(1)
	st.ended()
}

// A change that is not noticed (the count of a connection that was opened anew)
// costs a few seconds, not the guard.
func TestProofsAreCheckedNowAndThen(t *testing.T) {
	t.Parallel()
	m := &moody{}
	s := start(t, serve.Options{Log: newMemLog("aa"), Auth: m, RequireAuth: true})
	st := s.stream("", creds("bot-1", "x")...)
	for deadline := time.After(patience); m.question.Load() == 0; { // the look that a new stream causes
		select {
		case <-deadline:
			t.Fatal("a new stream is not looked at")
		case <-time.After(10 * time.Millisecond):
		}
	}
	m.gone.Store(true)
	st.ended()
}
