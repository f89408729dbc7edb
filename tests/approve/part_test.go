package approve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/tests/program"
)

// TestPartOfAPlan approves a plan of two tokens of which one is gone by then: what
// was done is a part, for the exit status, the person and the model, and no plain
// success.
func TestPartOfAPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, program.Plain.For(t), 4)
	c := w.client("plans")
	id, _ := c.call("nft_autobuy", `{"count":2,"maxPrice":"1","budget":"2"}`)["actionId"].(string)
	plan := w.rows(w.stateDB(), `SELECT json_extract(f.value, '$.value') FROM ai_actions a, json_each(a.doc, '$.facts') f WHERE a.id = ? AND json_extract(f.value, '$.name') = 'token2'`, id)
	if len(plan) != 1 {
		t.Fatalf("no second token in the facts: %q", plan)
	}
	gone := false
	for _, o := range w.Demo().Orders {
		if strings.HasPrefix(plan[0], fmt.Sprintf("%s #%s for ", o.Slug, o.TokenID)) {
			gone = true
			if err := w.Cancel(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !gone {
		t.Fatalf("no order of %s", plan[0])
	}
	p := w.sit(id)
	p.Expect("Type yes: ")
	p.Send("yes")
	for range 3 {
		p.Expect("Step 2 of 3: retype the ")
		asked := p.Expect("): ")
		p.Send(strings.TrimSuffix(asked[strings.LastIndex(asked, "(")+1:], "): "))
	}
	p.Expect("Step 3 of 3: type ")
	p.Send(strings.TrimSuffix(p.Expect(" to approve: "), " to approve: "))
	p.Expect("passphrase, to approve ")
	p.Expect(": ")
	p.Send(passphrase)
	o := p.end()
	if o.exit != 9 || o.OK || o.Code != "partial" || o.Sent != "yes" || o.Action.State != "executed" || o.Action.Outcome.Outcome != "partial" || o.Action.Outcome.Code != "partial" {
		t.Error(o)
	}
	if q := w.books(); len(q) != 1 {
		t.Errorf("bought %v", q)
	}
	s := c.status(id)
	if s["state"] != "executed" || s["outcome"] != "partial" || s["code"] != "partial" || !strings.Contains(fmt.Sprint(s["note"]), "only some of it") {
		t.Errorf("the model sees %v", s)
	}
	if e := w.events("ai.action.executed", id); len(e) != 1 || e[0].OK || e[0].Result["outcome"] != "partial" {
		t.Errorf("events %v", e)
	}
	wantExit(t, "once more", w.refused(id), 10, "action_not_pending")
}

// TestKnownLater kills an execution that the chain carries out all the same, and lets
// the model hear of it before that is known: it is told that nobody knows, and once
// it is known, that. It is called for neither.
func TestKnownLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, program.Crashing.For(t), 2)
	m := w.talks(0)
	w.chat("buy one")
	b := w.proposed(w.list[0].TokenID)
	p := w.sit(b.id, "APE_CLAW_CRASH_AT=chain: persisted")
	p.steps(answers{})
	p.Send(passphrase)
	if o := p.end(); !o.killed {
		t.Fatal(o)
	}
	w.sql(w.stateDB(), `UPDATE ai_actions SET beat_at = beat_at - 60000 WHERE id = ?`, b.id)
	room := w.rows(w.stateDB(), `SELECT room_id FROM ai_actions WHERE id = ?`, b.id)[0]
	told := func() string {
		asked := len(m.Requests())
		w.chat("--conversation", room, "and?")
		text := ""
		for _, r := range m.Requests()[asked:] {
			text += string(r.Body)
		}
		return text
	}
	if text := told(); !strings.Contains(text, `\"outcome\":\"unknown\"`) {
		t.Errorf("the model is not told that nobody knows: %s", text)
	}
	w.resumed()
	if a := w.action(b.id); a.State != "executed" || !a.Outcome.Reconciled {
		t.Errorf("%+v", a)
	}
	if text := told(); !strings.Contains(text, `\"state\":\"executed\"`) || !strings.Contains(text, `\"reconciled\":true`) {
		t.Errorf("the model is not told what became known: %s", text)
	}
	told()
	if n := w.count(w.stateDB(), `SELECT count(*) FROM ai_messages WHERE blocks LIKE '%action.result%'`); n != 2 {
		t.Errorf("the model is told %d times", n)
	}
	if n := w.callbacks(); n != 0 {
		t.Errorf("the model was called %d times", n)
	}
	w.once(t, b)
}
