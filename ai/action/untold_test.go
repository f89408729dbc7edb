package action_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/telemetrytest"
)

// told is what the log has of actions: types and who did it, in their order.
func (w *world) told(t testing.TB) (out []string) {
	t.Helper()
	for _, e := range telemetrytest.Check(t, w.dir) {
		if e.TraceID != "trace_turn" {
			t.Errorf("%s is of trace %s", e.EventType, e.TraceID)
		}
		out = append(out, strings.TrimPrefix(e.EventType, "ai.")+" "+e.AgentID)
	}
	return out
}

// What the log has of a life, in its order.
var (
	proposedOnly = []string{"action.proposed conn:local"}
	refused      = append(slices.Clone(proposedOnly), "action.resolved operator")
	carriedOut   = append(slices.Clone(refused), "grant.created operator", "action.executed operator")
)

// sweep lets several processes look at once, when what is left is nobody's any longer.
func (w *world) sweep(t testing.TB) {
	t.Helper()
	w.set(func() {
		if w.now.IsZero() {
			w.now = time.Now()
		}
		w.now = w.now.Add(time.Minute)
	})
	var wg sync.WaitGroup
	for range 4 {
		s := w.service(t)
		wg.Go(func() {
			if _, err := s.List(t.Context(), action.Filter{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func (w *world) wantTold(t testing.TB, want []string) {
	t.Helper()
	if got := w.told(t); !slices.Equal(got, want) {
		t.Errorf("the log has\n%q, want\n%q", got, want)
	}
}

// untold is what rows say that the log may not have yet.
func (w *world) untold(t testing.TB) string {
	t.Helper()
	db, err := store.OpenState(t.Context(), w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // only read
	var out string
	if err := db.QueryRowContext(t.Context(), "SELECT ifnull(group_concat(untold, ''), '') FROM ai_actions").Scan(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A process that is killed between any two steps loses no event: whoever looks next
// tells what it did not, once, in order, and on behalf of the same.
func TestKilledUntold(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a binary")
	}
	t.Parallel()
	bin, err := crashing()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		do   string
		want []string // points
		end  []string
	}{
		{"propose", []string{"action.proposed.stored", "action.event.told"}, proposedOnly},
		{"reject", []string{"action.ended.stored", "action.event.told"}, refused},
		{"approve", []string{"action.approve.stored", "action.resolved.recorded", "action.grant.recorded", "action.outcome.stored", "action.event.told"}, carriedOut},
	} {
		prepared := func(t *testing.T) (*world, string) {
			if c.do != "propose" {
				w, _, id := shared(t)
				return w, id
			}
			w := newWorld(t)
			w.now = time.Time{}
			w.service(t) // the directory's own process may have looked before
			return w, ""
		}
		w, id := prepared(t)
		list := filepath.Join(w.dir, "points")
		if out, err := approving(t, bin, w.dir, id, approverDo+"="+c.do, "APE_CLAW_CRASH_LOG="+list).Output(); err != nil {
			t.Fatalf("%s, %v", out, err)
		}
		w.wantTold(t, c.end)
		if left := w.untold(t); left != "" {
			t.Errorf("untold: %q", left)
		}
		b, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		points := strings.Fields(string(b))
		for _, p := range c.want {
			if !slices.Contains(points, p) {
				t.Errorf("to %s does not pass %s, only %q", c.do, p, points)
			}
		}
		for i, point := range points {
			t.Run(fmt.Sprintf("%s, %d %s", c.do, i+1, point), func(t *testing.T) {
				w, id := prepared(t)
				if err := approving(t, bin, w.dir, id, approverDo+"="+c.do, fmt.Sprintf("APE_CLAW_CRASH_AT=#%d", i+1)).Run(); err == nil {
					t.Fatal("it was not killed")
				}
				w.sweep(t)
				all, err := w.service(t).List(t.Context(), action.Filter{})
				if err != nil || len(all) != 1 {
					t.Fatalf("%d actions, %v", len(all), err)
				}
				want := c.end
				if all[0].State == action.Proposed {
					want = proposedOnly
				}
				w.wantTold(t, want)
				w.sweep(t)
				w.wantTold(t, want)
				if left := w.untold(t); left != "" {
					t.Errorf("untold: %q", left)
				}
			})
		}
	}
}

// What a process has yet to tell is its own for a while; then one of those who look
// tells it, and its own process does not tell it again.
func TestToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.service(t)
	id := propose(t, s, w.proposal("nft_buy", "q_1"))
	_, run, err := s.Begin(t.Context(), id, challenge(t, s, id))
	if err != nil {
		t.Fatal(err)
	}
	w.set(func() { w.now = w.now.Add(10 * time.Second) })
	show(t, w.service(t), id)
	w.wantTold(t, proposedOnly) // it may live
	w.sweep(t)
	w.wantTold(t, carriedOut) // it was taken for dead
	if a, err := run(t.Context()); err != nil || a.State != action.Executed {
		t.Errorf("%s, %v", a.State, err)
	}
	w.wantTold(t, append(slices.Clone(carriedOut), "action.executed operator")) // and how it ended after all
}

// A process that decides about what another was killed over tells what that did not,
// before its own.
func TestToldBefore(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{false, true} {
		w := newWorld(t)
		s := w.service(t)
		id := propose(t, s, w.proposal("nft_buy", "q_1"))
		if !there {
			if err := os.Remove(filepath.Join(w.dir, "events.jsonl")); err != nil {
				t.Fatal(err)
			}
		}
		w.sql(t, "UPDATE ai_actions SET untold = 'ai.action.proposed'")
		if _, err := w.service(t).Reject(t.Context(), id, "operator", "no"); err != nil {
			t.Fatal(err)
		}
		w.wantTold(t, refused)
	}
}

// While the log can't be read it is not known what it has: nothing is told, and
// nothing lost.
func TestUnreadableLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.service(t)
	propose(t, s, w.proposal("nft_buy", "q_1"))
	w.sql(t, "UPDATE ai_actions SET untold = 'ai.action.proposed'")
	w.set(func() { w.logged = errors.New("no log") })
	w.sweep(t)
	w.wantTold(t, proposedOnly)
	if left := w.untold(t); left != "ai.action.proposed" {
		t.Errorf("untold: %q", left)
	}
	w.set(func() { w.logged = nil })
	w.sweep(t)
	w.wantTold(t, proposedOnly)
	if left := w.untold(t); left != "" {
		t.Errorf("untold: %q", left)
	}
}

// A row that something else wrote can name what it likes: of what is no event of it
// nothing is told, and it keeps no other row from being told.
func TestPlantedUntold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plant string
		want  []string
	}{
		"unknown type": {"untold = 'ai.kill.changed ; ai.grant.created'", proposedOnly},
		"trace":        {"untold = 'ai.action.resolved', trace_id = 'a' || char(10) || 'b'", proposedOnly},
		"document":     {"untold = 'ai.action.proposed', doc = '{'", proposedOnly},
		"outcome":      {"untold = 'ai.action.executed', outcome = '{', state = 'executed'", append(slices.Clone(proposedOnly), "action.executed operator")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := w.service(t)
			propose(t, s, w.proposal("nft_buy", "q_1"))
			w.sql(t, "UPDATE ai_actions SET "+c.plant)
			w.sweep(t)
			w.wantTold(t, c.want)
			if left := w.untold(t); left != "" {
				t.Errorf("untold: %q", left)
			}
			all, err := s.List(t.Context(), action.Filter{})
			if _, bad := json.Marshal(all); err != nil || bad != nil || len(all) != 1 {
				t.Errorf("%d actions, %v, %v", len(all), err, bad)
			}
		})
	}
}
