package fleet_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestLoop: two servers that forward to each other, as one agent: under another's name
// nothing would go back anyway. What happens at one is at the other once, and never
// comes back.
func TestLoop(t *testing.T) {
	t.Parallel()
	a, b := newMachine(t, "a"), newMachine(t, "b")
	tokenA, tokenB := b.register("agent-1"), a.register("agent-1") // before there is a remote
	sa, sb := a.serve(nil), b.serve(nil)
	sa.kill()
	sb.kill()
	a.reportsTo(sb.url(), "agent-1", tokenA)
	b.reportsTo(sa.url(), "agent-1", tokenB)
	sa.start()
	sb.start()
	others := func(m *machine) (own, foreign int) {
		for _, e := range readLog(t, m.state()) {
			if e.EventID != "" {
				foreign++
			} else if e.EventType == "fleet.step" {
				own++
			}
		}
		return own, foreign
	}
	const each = 5
	for i := range each {
		a.must(step(i)...)
		b.must(step(100 + i)...)
	}
	until(t, "both have the other's events", func() bool {
		_, fa := others(a)
		_, fb := others(b)
		return fa >= each && fb >= each
	})
	// Whatever a loop sends on would be before what is recorded now.
	a.must(step(each)...)
	b.must(step(100 + each)...)
	a.flush()
	b.flush()
	a.flush()
	checkArrived(t, b.state(), a)
	checkArrived(t, a.state(), b)
	if own, foreign := others(a); own != each+1 || foreign != each+1 {
		t.Errorf("a has %d events of its own and %d of b's, want %d of each", own, foreign, each+1)
	}
}

// TestManyIntoOne: machines of different agents, and two of the same, report at once;
// the receiver has each machine's events once, in its order, under its agent.
func TestManyIntoOne(t *testing.T) {
	t.Parallel()
	hub := newMachine(t, "hub")
	one, two := hub.register("agent-1"), hub.register("agent-2")
	s := hub.serve(nil)
	var all []*machine
	for _, name := range []string{"one", "two", "second of two"} {
		m := newMachine(t, name)
		agent, token := "agent-2", two
		if name == "one" {
			agent, token = "agent-1", one
		}
		m.reportsTo(s.url(), agent, token)
		all = append(all, m)
	}
	seen := follow(t, s, "?type=fleet.*")
	n := scale(5, 40)
	var wg sync.WaitGroup
	for _, m := range all {
		wg.Go(func() {
			for i := range n {
				m.run(nil, step(i)...)
			}
			m.run(nil, "events", "flush")
		})
	}
	wg.Wait()
	for _, m := range all {
		m.flush()
	}
	checkArrived(t, hub.state(), all...)
	for i := range len(all) * n { // and on the hub's stream
		if fr := seen.next(); !strings.Contains(fr.data, `"agentId":"agent-`) {
			t.Errorf("event %d on the stream: %+v", i, fr)
		}
	}
}

// TestCopy: a state directory that was copied goes on as a machine of its own. Nothing
// of either is lost or taken for the other's.
func TestCopy(t *testing.T) {
	t.Parallel()
	hub := newMachine(t, "hub")
	token := hub.register("agent-1")
	s := hub.serve(nil)
	m, twin := newMachine(t, "first"), newMachine(t, "copy")
	m.reportsTo(s.url(), "agent-1", token)
	twin.env = m.env
	m.must(step(0)...)
	m.flush()
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", m.state(), twin.state()).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	before := len(readLog(t, m.state()))
	for i := range 3 {
		m.must(step(10 + i)...)
		twin.must(step(20 + i)...)
	}
	m.flush()
	twin.flush()
	if a, b := readOutbox(t, m.state()), readOutbox(t, twin.state()); a.ID == b.ID {
		t.Errorf("both are outbox %s", a.ID)
	}
	checkArrived(t, keepOnly(t, hub.state(), readOutbox(t, m.state()).ID), m)
	var got []string
	for _, e := range readLog(t, hub.state()) {
		if strings.HasPrefix(e.EventID, readOutbox(t, twin.state()).ID+"/") {
			got = append(got, string(e.Payload))
		}
	}
	if want := `{"n":20} {"n":21} {"n":22}`; strings.Join(got, " ") != want || len(readLog(t, twin.state())) != before+3 {
		t.Errorf("of the copy came %q, want %s", got, want)
	}
}

// keepOnly is a directory with the lines of a log that came from one outbox.
func keepOnly(t *testing.T, state, box string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(state, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var keep []string
	for line := range strings.Lines(string(b)) {
		if strings.Contains(line, `"eventId":"`+box+"/") {
			keep = append(keep, line)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(strings.Join(keep, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
