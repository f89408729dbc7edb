package approve_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/ape-claw/ape-claw/tests/program"
)

// TestApproveOnce: six people at terminals and thirty-two at two servers, each with
// a log-in, a passphrase and a challenge of their own, approve one action at once.
func TestApproveOnce(t *testing.T) {
	t.Parallel()
	for round := range scale(1, 5) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			w := newWorld(t, program.Plain.For(t), 2)
			w.talks(0)
			w.chat("buy one")
			b := w.proposed(w.list[0].TokenID)
			// Six processes, up to the last question.
			var people []person
			for range 6 {
				p := w.sit(b.id)
				p.steps(answers{})
				people = append(people, p)
			}
			type hand struct {
				browser
				confirmation
			}
			var hands []hand
			for range 2 {
				server := w.serve()
				for range 16 {
					at := server.person()
					card, c := at.challenge(b.id)
					if card.status != 200 || c.Challenge == "" {
						t.Fatalf("challenge: %d %s", card.status, card.text)
					}
					hands = append(hands, hand{at, c})
				}
			}
			begin, said := make(chan struct{}), make([]answer, len(hands))
			var wg sync.WaitGroup
			for i, h := range hands {
				wg.Go(func() {
					<-begin
					said[i] = h.approve(b.id, h.confirmation)
				})
			}
			// In one round the terminals have a head start: a passphrase takes its time.
			if round%2 == 1 {
				for _, p := range people {
					p.Send(passphrase)
				}
			}
			close(begin)
			if round%2 == 0 {
				for _, p := range people {
					p.Send(passphrase)
				}
			}
			wg.Wait()
			codes := map[string]int{}
			for _, a := range said {
				switch {
				case a.status == 202:
					codes["approved"]++
				case a.status == 409 && a.Code == "action_not_pending":
					codes[a.Code]++
				default:
					t.Errorf("over HTTP: %d %s", a.status, a.text)
				}
			}
			for _, p := range people {
				o := p.end()
				switch {
				case o.exit == 0:
					codes["approved"]++
				case o.exit == 10 && o.Code == "action_not_pending", o.exit == 4 && o.Code == "locked_out":
					// Tries at the same time count before they are made: of six right ones
					// at once the sixth may find the lock that the fifth would be.
					codes[o.Code]++
				default:
					t.Errorf("at a terminal: %s", o)
				}
			}
			if codes["approved"] != 1 {
				t.Errorf("approved %d times: %v", codes["approved"], codes)
			}
			until(t, "the execution ends", func() bool { return w.action(b.id).State != "executing" })
			if a := w.action(b.id); a.State != "executed" || a.Outcome.Outcome != "" || a.Outcome.Reconciled {
				t.Errorf("%+v", a)
			}
			until(t, "the model is told", func() bool { return w.callbacks() > 0 })
			w.once(t, b)
			for _, kind := range []string{"ai.action.resolved", "ai.action.executed"} {
				if e := w.events(kind, b.id); len(e) != 1 || !e[0].OK {
					t.Errorf("%s: %v", kind, e)
				}
			}
			if n := w.callbacks(); n != 1 {
				t.Errorf("the model was called %d times", n)
			}
			kinds := w.rows(w.stateDB(), `SELECT kind FROM ai_audit WHERE json_extract(doc, '$.actionId') = ? ORDER BY seq`, b.id)
			if want := []string{"action.propose", "action.approve", "grant.create", "grant.use", "action.execute"}; !slices.Equal(kinds, want) {
				t.Errorf("audit %q, want %q", kinds, want)
			}
			t.Logf("%d at once: %v", len(people)+len(hands), codes)
		})
	}
}

// scale picks a size of a scenario.
func scale[T any](short, long T) T {
	if *full {
		return long
	}
	return short
}
