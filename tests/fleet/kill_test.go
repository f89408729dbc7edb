package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// appendLines writes lines into the machine's log as another program does.
func (m *machine) appendLines(lines ...string) {
	m.t.Helper()
	f, err := os.OpenFile(filepath.Join(m.state(), "events.jsonl"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		m.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		m.t.Fatal(err)
	}
}

// many are so many events of an agent, numbered from first.
func many(agent string, first, n int) (lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf(`{"v":1,"ts":"2026-02-18T12:00:00.000Z","eventType":"my.own","agentId":%q,"sessionId":"s","traceId":"t-%d","command":"another program","dryRun":true,"chainId":33139,"payload":{"n":%d},"result":{},"ok":true,"error":null}`,
			agent, first+i, first+i))
	}
	return lines
}

// TestKillSender: whatever sends is killed after each of its steps, and at random: the
// receiver ends with each event once.
func TestKillSender(t *testing.T) {
	t.Parallel()
	hub := newMachine(t, "hub")
	token := hub.register("agent-1")
	s := hub.serve(nil)
	m := newMachine(t, "sender")
	m.reportsTo(s.url(), "agent-1", token)
	m.must(step(0)...)
	points := filepath.Join(m.dir, "points")
	m.appendLines(many("agent-1", 0, 450)...) // three requests
	if o := m.run([]string{"APE_CLAW_CRASH_LOG=" + points}, "events", "flush"); o.exit != 0 {
		t.Fatal(o)
	}
	text, err := os.ReadFile(points)
	if err != nil {
		t.Fatalf("a flush passes no crash point: %v", err)
	}
	all := strings.Fields(string(text))
	t.Logf("%d crash points: %s", len(all), strings.Join(all, ", "))
	for _, name := range []string{"forward.post", "forward.answered", "forward.saved"} {
		if !slices.Contains(all, name) {
			t.Fatalf("a flush does not pass %q, only %q", name, all)
		}
	}
	for i, name := range all {
		if !*full && i >= 6 {
			break
		}
		m.appendLines(many("agent-1", 1000*(i+1), 450)...)
		if o := m.run([]string{fmt.Sprintf("APE_CLAW_CRASH_AT=#%d", i+1)}, "events", "flush"); !o.killed {
			t.Errorf("it was not killed at %d, %s: %s", i+1, name, o)
		}
		if i%2 == 0 { // else the next flush makes up for this one too
			m.flush()
			checkArrived(t, hub.state(), m)
		}
		if t.Failed() {
			t.Fatalf("killed at %d, %s", i+1, name)
		}
	}
	rnd := random(t)
	for i := range scale(10, 150) {
		if rnd.IntN(2) == 0 {
			m.runKilled(time.Duration(rnd.IntN(120))*time.Millisecond, step(i)...)
		} else {
			m.appendLines(many("agent-1", 100_000+1000*i, 1+rnd.IntN(450))...)
			m.runKilled(time.Duration(rnd.IntN(120))*time.Millisecond, "events", "flush")
		}
	}
	m.flush()
	checkArrived(t, hub.state(), m)
}

// TestKillReceiverBetween: the receiver is killed when it has written what came in, and
// has not answered: the sender sends it again, and it is there once.
func TestKillReceiverBetween(t *testing.T) {
	t.Parallel()
	hub := newMachine(t, "hub")
	token := hub.register("agent-1")
	s := hub.serve(nil)
	m := newMachine(t, "sender")
	m.reportsTo(s.url(), "agent-1", token)
	m.must(step(0)...)
	for i := range scale(1, 5) {
		for j, point := range []string{"ingest.appended", "ingest.appended#2", "ingest.settled", "ingest.settled#3"} {
			s.kill()
			s.more = []string{"APE_CLAW_CRASH_AT=" + point}
			s.start()
			had := len(readLog(t, hub.state()))
			m.appendLines(many("agent-1", 100_000*i+10_000*(j+1), 700)...) // four requests
			if o := m.run(nil, "events", "flush"); o.exit == 0 {
				t.Fatalf("the receiver was to be killed at %s: %s", point, o)
			}
			<-s.exited
			if now := len(readLog(t, hub.state())); now == had {
				t.Errorf("killed at %s, it had nothing written", point)
			}
			s.more = nil
			s.start()
			m.flush()
			checkArrived(t, hub.state(), m)
		}
	}
}

// TestKillReceiver: the receiver is killed while events come in, again and again: none
// is lost, and none is there twice.
func TestKillReceiver(t *testing.T) {
	t.Parallel()
	hub := newMachine(t, "hub")
	token := hub.register("agent-1")
	s := hub.serve(nil)
	m := newMachine(t, "sender")
	m.reportsTo(s.url(), "agent-1", token)
	m.must(step(0)...)
	rnd := random(t)
	for i := range scale(5, 60) {
		m.appendLines(many("agent-1", 10_000*(i+1), 1500)...)
		ended := make(chan outcome, 1)
		go func() { ended <- m.run(nil, "events", "flush", "--timeout", "1s") }()
		after(t, time.Duration(20+rnd.IntN(150))*time.Millisecond)
		s.kill()
		s.start()
		<-ended // well, or not: the next makes up for it
	}
	m.flush()
	checkArrived(t, hub.state(), m)
}

// TestKillBoth: sender, receiver and the disk's last moments at once.
func TestKillBoth(t *testing.T) {
	t.Parallel()
	hub := newMachine(t, "hub")
	token := hub.register("agent-1")
	s := hub.serve(nil)
	m := newMachine(t, "sender")
	m.reportsTo(s.url(), "agent-1", token)
	m.must(step(0)...)
	rnd := random(t)
	for i := range scale(4, 60) {
		m.appendLines(many("agent-1", 10_000*(i+1), 700)...)
		ended := make(chan struct{})
		kill := time.Duration(20+rnd.IntN(200)) * time.Millisecond
		go func() {
			defer close(ended)
			m.runKilled(kill, "events", "flush")
		}()
		after(t, time.Duration(20+rnd.IntN(200))*time.Millisecond)
		s.kill()
		<-ended
		s.start()
	}
	m.flush()
	checkArrived(t, hub.state(), m)
}
