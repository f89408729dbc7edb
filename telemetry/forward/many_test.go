package forward_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestManyAgents: more agents than an outbox keeps apart use one directory, in turn and
// all at once: each one's events arrive, in order and once.
func TestManyAgents(t *testing.T) {
	t.Parallel()
	rc := newReceiver(t)
	s := newSender(t, rc.URL)
	const agents = 300
	want := map[string][]string{}
	emit := func(i, from, n int) {
		who := fmt.Sprintf("bot-%d", i)
		want[who] = append(want[who], s.emit(who, from, n)...)
	}
	send := func(i int) (string, error) {
		s.opt.AgentID = fmt.Sprintf("bot-%d", i)
		s.now = s.now.Add(time.Second)
		res, err := s.box().Flush(t.Context(), false)
		return res.Failed, err
	}
	for i := range agents { // one after another
		emit(i, i, 1)
		if failed, err := send(i); failed != "" || err != nil {
			t.Fatal(i, failed, err)
		}
	}
	sent := s.status().Sent
	if sent != agents {
		t.Errorf("sent are %d, want %d", sent, agents)
	}
	for i := range agents { // the last ones find no room until the first have sent
		emit(i, 1000+2*i, 2)
	}
	refused := 0
	for range 2 {
		for n := range agents {
			i := n / 2 // each of the first makes room for one of the last
			if n%2 == 1 {
				i = agents - 1 - i
			}
			failed, err := send(i)
			switch who := fmt.Sprintf("bot-%d", i); {
			case failed != "":
				t.Fatal(i, failed)
			case err != nil:
				refused++
			case !slices.Equal(rc.of(who), want[who]):
				t.Fatalf("%s sent all it had, and there came %q, want %q", who, rc.of(who), want[who])
			}
		}
	}
	if fi, err := os.Stat(filepath.Join(s.dir, "outbox.json")); err != nil || fi.Size() > 512<<10 {
		t.Errorf("outbox.json: %v, %v", fi.Size(), err)
	}
	t.Logf("%d were refused at first", refused)
	for who, names := range want {
		if got := rc.of(who); !slices.Equal(got, names) {
			t.Errorf("of %s came %q, want %q", who, got, names)
		}
	}
}

// of are the commands of what was taken of an agent.
func (rc *receiver) of(agent string) (out []string) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	for _, e := range rc.took {
		if e.AgentID == agent {
			out = append(out, e.Command)
		}
	}
	return out
}
