package approve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/tests/program"
)

// The ways to approve.
const (
	atTerminal = "at a terminal"
	overHTTP   = "over HTTP"
)

// steps are the crash points that an approved purchase passes in the process that
// carries it out, each as APE_CLAW_CRASH_AT names it.
func steps(t *testing.T, how string) []string {
	t.Helper()
	w := newWorld(t, program.Crashing.For(t), 2)
	w.talks(0)
	w.chat("buy one")
	b := w.proposed(w.list[0].TokenID)
	log := "APE_CLAW_CRASH_LOG=" + filepath.Join(w.dir, "points")
	switch how {
	case atTerminal:
		if o := w.approve(b.id, log); o.exit != 0 || o.Action.State != "executed" || o.Action.Outcome.TxHash == "" {
			t.Fatal(o)
		}
	case overHTTP:
		p := w.serve(log)
		at := p.person()
		_, c := at.challenge(b.id)
		if a := at.approve(b.id, c); a.status != 202 || a.Action.State != "executing" {
			t.Fatalf("approve: %d %s", a.status, a.text)
		}
		until(t, "the model is told", func() bool { return w.callbacks() == 1 })
		until(t, "its turn ends", func() bool { return w.count(w.stateDB(), `SELECT count(*) FROM ai_turns WHERE state = 'running'`) == 0 })
		p.stop()
	}
	w.once(t, b)
	if n := w.callbacks(); n != 1 {
		t.Errorf("the model was called %d times", n)
	}
	text, err := os.ReadFile(filepath.Join(w.dir, "points"))
	if err != nil {
		t.Fatalf("no crash points were passed; is the binary built with -tags crashpoints? %v", err)
	}
	var out []string
	seen := map[string]int{}
	for name := range strings.Lines(string(text)) {
		name = strings.TrimSuffix(name, "\n")
		seen[name]++
		out = append(out, fmt.Sprintf("%s#%d", name, seen[name]))
	}
	for _, want := range []string{"action.approve.previewed", "action.approve.confirmed", "action.approve.swapped", "action.approve.stored", "action.resolved.recorded",
		"action.grant.recorded", "action.grant.used", "chain: intended", "chain: persisted", "chain: broadcast", "chain: mined", "chain: settled",
		"action.execute.returned", "action.outcome.stored", "action.executed.recorded"} {
		if !slices.Contains(out, want+"#1") {
			t.Fatalf("%s, a purchase does not pass %q, only %q", how, want, out)
		}
	}
	return out
}

// TestCrashMatrix kills whatever carries an action out after each of its steps.
// Before the action was anybody's it waits on; after that it ends as executed once,
// or as failed with an outcome that nobody knows, and what the chain has decides
// which. It is approved no second time.
func TestCrashMatrix(t *testing.T) {
	t.Parallel()
	type cell struct {
		point, how string
		wait       bool // for as long as it really takes to be found
	}
	var cells []cell
	for _, how := range []string{atTerminal, overHTTP} {
		if !*full && how == overHTTP {
			continue
		}
		points := steps(t, how)
		t.Logf("%s, %d crash points: %s", how, len(points), strings.Join(points, ", "))
		for i, p := range points {
			cells = append(cells, cell{p, how, i == 0})
		}
	}
	if !*full {
		cells = []cell{{"action.approve.swapped#1", atTerminal, false}, {"action.approve.stored#1", atTerminal, false}, {"action.grant.used#1", atTerminal, true}, {"chain: persisted#1", overHTTP, false},
			{"chain: settled#1", atTerminal, false}, {"action.outcome.stored#1", overHTTP, false}}
	}
	for i, c := range cells {
		t.Run(fmt.Sprintf("%d/%s, %s", i, c.point, c.how), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, program.Crashing.For(t), 2)
			m := w.talks(0)
			w.chat("buy one")
			b := w.proposed(w.list[0].TokenID)
			kill := "APE_CLAW_CRASH_AT=" + c.point
			switch c.how {
			case atTerminal:
				p := w.sit(b.id, kill)
				if c.point != "nft: simulation saved#1" { // that is while the card is computed
					p.steps(answers{})
					p.Send(passphrase)
				}
				if o := p.end(); !o.killed {
					t.Fatalf("it was not killed\n%s", o)
				}
			case overHTTP:
				p := w.serve(kill)
				at := p.person()
				if card, conf := at.challenge(b.id); card.status == 200 { // it may have been killed by then
					at.approve(b.id, conf)
				}
				p.dead()
			}
			// What the dead process left: not a row says that it is known.
			left := w.rows(w.stateDB(), `SELECT state FROM ai_actions WHERE id = ?`, b.id)[0]
			if left == "proposed" {
				// Nothing was won: it can be approved, and once.
				w.nothing(t, b)
				if o := w.approve(b.id); o.exit != 0 || o.Action.State != "executed" {
					t.Fatal(o)
				}
				w.once(t, b)
				w.over(t, b, 1)
				w.told(t, b)
				return
			}
			if left == "executing" && !c.wait {
				w.sql(w.stateDB(), `UPDATE ai_actions SET beat_at = beat_at - 60000 WHERE id = ?`, b.id) // time goes by
			}
			server := w.serve() // which looks after what others left
			until(t, "the action ends", func() bool {
				return w.rows(w.stateDB(), `SELECT state FROM ai_actions WHERE id = ?`, b.id)[0] != "executing"
			})
			first := w.action(b.id)
			if left == "executing" && (first.Outcome.Outcome == "" && !first.Outcome.Reconciled || first.State == "executed" && !first.Outcome.Reconciled) {
				t.Errorf("found as %+v", first)
			}
			w.resumed()
			server.stop()
			a := w.action(b.id)
			until(t, "what the dead process did not tell is told", func() bool {
				w.action(b.id) // a look tells it, once it is old enough
				return w.count(w.stateDB(), `SELECT count(*) FROM ai_actions WHERE untold <> ''`) == 0
			})
			w.told(t, b)
			bought := w.books()
			switch {
			case a.State == "executed" && bought[b.quote] != "" && a.Outcome.Outcome == "" && strings.EqualFold(a.Outcome.TxHash, bought[b.quote]) && len(bought) == 1:
				if a.Outcome.Reconciled != (left == "executing") {
					t.Errorf("left as %s, and %+v", left, a)
				}
				w.once(t, b)
			case a.State == "failed" && len(bought) == 0 && a.Outcome.Outcome == "unknown" && a.Outcome.Code == "interrupted":
			default:
				t.Errorf("%+v, and on the chain %v", a, bought)
			}
			w.over(t, b, -1)
			// The model hears of it in its next turn, once, and as it is.
			asked := len(m.Requests())
			room := w.rows(w.stateDB(), `SELECT room_id FROM ai_actions WHERE id = ?`, b.id)[0]
			w.chat("--conversation", room, "and?")
			told := ""
			for _, r := range m.Requests()[asked:] {
				told += string(r.Body)
			}
			want := `\"state\":\"` + a.State + `\"`
			if !strings.Contains(told, want) || a.State == "failed" && !strings.Contains(told, `\"outcome\":\"unknown\"`) {
				t.Errorf("the model is not told %s: %s", want, told)
			}
			if n := w.callbacks(); n > 1 {
				t.Errorf("the model was called %d times", n)
			}
			t.Logf("left %s; %s %s, reconciled %t, %d callbacks", left, a.State, a.Outcome.Outcome, a.Outcome.Reconciled, w.callbacks())
		})
	}
}

// told: the log has the proposal, the decision, the permit and each end of an action
// once, in this order. An end that nobody knew has a second one when it was found out.
func (w *world) told(t *testing.T, p purchase) {
	t.Helper()
	var ends []string
	for _, e := range w.events("ai.action.executed", p.id) {
		ends = append(ends, fmt.Sprint(e.Result["state"], e.Result["outcome"], e.Result["reconciled"]))
	}
	a := w.action(p.id)
	want := 1
	if len(ends) == 2 && a.Outcome.Reconciled {
		want = 2 // the first was of an outcome that was unknown
	}
	if slices.Sort(ends); len(ends) != want || len(slices.Compact(ends)) != want {
		t.Errorf("ends in the log: %q of %+v", ends, a)
	}
	for _, kind := range []string{"ai.action.proposed", "ai.action.resolved"} {
		if e := w.events(kind, p.id); len(e) != 1 || e[0].TraceID != a.TraceID {
			t.Errorf("%s: %+v", kind, e)
		}
	}
	if got := w.order(p.id); !slices.Equal(got[:min(4, len(got))], []string{"ai.action.proposed", "ai.action.resolved", "ai.grant.created", "ai.action.executed"}) {
		t.Errorf("in the log as %q", got)
	}
}

// resumed runs nft resume until nothing is open.
func (w *world) resumed() {
	w.t.Helper()
	until(w.t, "nft resume settles everything", func() bool {
		o := w.run("nft", "resume")
		if o.exit != 0 && o.exit != 7 && o.exit != 10 {
			w.t.Fatal(o)
		}
		return o.exit == 0
	})
}

// over: a second approval is refused, at a terminal and over HTTP, and changes
// nothing.
func (w *world) over(t *testing.T, b purchase, callbacks int) {
	t.Helper()
	before := w.rows(w.stateDB(), `SELECT state, version, outcome FROM ai_actions`)
	if o := w.refused(b.id); o.exit != 10 || o.Code != "action_not_pending" {
		t.Errorf("a second approval: %s", o)
	}
	p := w.serve()
	at := p.person()
	if card, _ := at.challenge(b.id); card.status != 409 || card.Code != "action_not_pending" {
		t.Errorf("a second challenge: %d %s", card.status, card.text)
	}
	if a := at.approve(b.id, confirmation{}); a.status != 409 || a.Code != "action_not_pending" {
		t.Errorf("a second approval: %d %s", a.status, a.text)
	}
	p.stop()
	if after := w.rows(w.stateDB(), `SELECT state, version, outcome FROM ai_actions`); !slices.Equal(before, after) {
		t.Errorf("it was %q, and is %q", before, after)
	}
	if n := w.callbacks(); callbacks >= 0 && n != callbacks {
		t.Errorf("the model was called %d times, want %d", n, callbacks)
	}
}
