package fleet_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRemoteDown: a remote that is down for many commands, then answers 500, 429, 403,
// then accepts: it ends with each event once, in order, and no command failed.
func TestRemoteDown(t *testing.T) {
	t.Parallel()
	hub := newMachine(t, "hub")
	token := hub.register("agent-1")
	g := newGate(t, hub.serve(nil))
	m := newMachine(t, "sender")
	m.must(step(-1)...) // before there was a remote: it stays here
	m.reportsTo(g.url(), "agent-1", token)
	n := 0
	steps := func(many int) (slowest time.Duration) {
		t.Helper()
		for range many {
			slowest = max(slowest, m.must(step(n)...).took)
			n++
		}
		return slowest
	}
	slowest := steps(scale(30, 500))
	t.Logf("%d commands beside a remote that is down: the slowest took %s", n, slowest)
	if limit := 4 * time.Second; *full && slowest > limit {
		t.Errorf("a command took %s", slowest)
	}
	for _, status := range []int{500, 429, 403} {
		g.up(answers(status))
		before := g.asked.Load()
		if o := m.run(nil, "events", "flush", "--timeout", "3s"); o.exit == 0 {
			t.Errorf("a flush against %d: %s", status, o)
		}
		if g.asked.Load() == before {
			t.Errorf("a flush against %d asked nothing", status)
		}
		// Now it is paused: the next commands ask nothing.
		before = g.asked.Load()
		steps(2)
		if asked := g.asked.Load() - before; asked > 1 { // one, where the pause was over already
			t.Errorf("%d requests of 2 commands while %d pauses", asked, status)
		}
	}
	g.up(g.pass)
	m.flush()
	checkArrived(t, hub.state(), m)
	steps(1) // with its command, now that all is well
	checkArrived(t, hub.state(), m)
	all := readLog(t, hub.state())
	if last := string(all[len(all)-1].Payload); last != fmt.Sprintf(`{"n":%d}`, n-1) {
		t.Errorf("the last is %s, want %d: it did not go with its command", last, n-1)
	}
	if slices.ContainsFunc(all, func(e entry) bool { return string(e.Payload) == `{"n":-1}` }) {
		t.Error("what was recorded before there was a remote was sent")
	}
}

// TestRemoteHangs: a remote that takes requests and never answers costs the first
// command two seconds, and those that follow nothing: they do not even connect.
func TestRemoteHangs(t *testing.T) {
	t.Parallel()
	hub := newMachine(t, "hub")
	token := hub.register("agent-1")
	g := newGate(t, hub.serve(nil))
	g.up(hangs)
	m := newMachine(t, "sender")
	m.reportsTo(g.url(), "agent-1", token)
	first := m.must(step(0)...)
	t.Logf("the first command took %s", first.took)
	if first.took > scale(patience, 4*time.Second) {
		t.Errorf("the first command took %s", first.took)
	}
	if g.conns.Load() == 0 {
		t.Fatal("it never connected")
	}
	// The pause after the first failure is a second at most: some more failures, and it
	// is long enough for what follows.
	for i := range 6 {
		m.run(nil, "events", "flush", "--timeout", "200ms")
		if i == 5 {
			break
		}
	}
	before := g.conns.Load()
	const many = 5
	var slowest time.Duration
	for i := range many {
		slowest = max(slowest, m.must(step(i+1)...).took)
	}
	t.Logf("beside an open breaker the slowest took %s", slowest)
	if opened := g.conns.Load() - before; opened > 1 {
		t.Errorf("%d commands connected %d times while the breaker was open", many, opened)
	}
	g.up(g.pass)
	m.flush()
	checkArrived(t, hub.state(), m)
}

// TestDeadLetter: what the receiver refuses for good does not hold up what follows, and
// is kept where it can be seen.
func TestDeadLetter(t *testing.T) {
	t.Parallel()
	hub := newMachine(t, "hub")
	token := hub.register("agent-1")
	g := newGate(t, hub.serve(nil))
	m := newMachine(t, "sender")
	m.reportsTo(g.url(), "agent-1", token)
	m.must(step(0)...)
	// Another program's line, of a shape that no receiver takes.
	m.appendLines(`{"v":1,"ts":"2026-02-18T12:00:00.000Z","eventType":"my.own","agentId":"agent-1","sessionId":"s","traceId":"t","command":"c","dryRun":true,"chainId":33139,"payload":{},"result":{},"ok":"perhaps","error":null}`)
	m.must(step(1)...)
	g.up(g.pass)
	if o := m.run(nil, "events", "flush"); o.exit == 0 || !strings.Contains(o.text, `"refused":1`) {
		t.Errorf("a flush with an event that is refused: %s", o)
	}
	var sent []string
	for _, e := range readLog(t, hub.state()) {
		if e.EventID != "" {
			sent = append(sent, string(e.Payload))
		}
	}
	if !slices.Equal(sent, []string{`{"n":0}`, `{"n":1}`}) {
		t.Errorf("the receiver has %q", sent)
	}
	dead := m.run(nil, "events", "flush", "--dead")
	var doc map[string]any
	if json.Unmarshal(dead.out, &doc) != nil {
		t.Fatalf("flush --dead: %s", dead)
	}
	t.Logf("flush --dead: %s", dead)
}

// TestRemoteOnly: nothing stays here but what the remote has not taken yet.
func TestRemoteOnly(t *testing.T) {
	t.Parallel()
	hub := newMachine(t, "hub")
	token := hub.register("agent-1")
	g := newGate(t, hub.serve(nil))
	m := newMachine(t, "sender")
	m.reportsTo(g.url(), "agent-1", token)
	m.env = append(m.env, "APE_CLAW_TELEMETRY_REMOTE_ONLY=1")
	for i := range 3 {
		m.must(step(i)...)
	}
	if len(readLog(t, m.state())) != 0 {
		t.Error("the local log has events")
	}
	waiting := readLog(t, m.state()+"/outbox")
	if len(waiting) != 3 {
		t.Errorf("%d events wait", len(waiting))
	}
	g.up(g.pass)
	m.flush()
	m.must(step(3)...)
	var sent []string
	for _, e := range readLog(t, hub.state()) {
		if e.EventID != "" {
			sent = append(sent, string(e.Payload))
		}
	}
	if !slices.Equal(sent, []string{`{"n":0}`, `{"n":1}`, `{"n":2}`, `{"n":3}`}) {
		t.Errorf("the receiver has %q", sent)
	}
}
