package approve_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/tests/program"
)

// TestConfirmations gives everything but one thing of what a high grade takes, or
// what belongs to another action or log-in: nothing is approved, and a challenge is
// good for one try.
func TestConfirmations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, program.Plain.For(t), 3)
	c := w.client("confirms")
	b, other := c.propose(0), c.propose(1)
	pages := []*page{w.serve(), w.serve()}
	mine, theirs := pages[0].person(), pages[0].person()
	for _, tt := range []struct {
		name   string
		change func(conf *confirmation)
	}{
		{"no challenge", func(conf *confirmation) { conf.Challenge = "" }},
		{"a made-up challenge", func(conf *confirmation) { conf.Challenge = "chal_" + strings.Repeat("a", 20) }},
		{"another action's challenge", func(conf *confirmation) {
			_, o := mine.challenge(other.id)
			conf.Challenge = o.Challenge
		}},
		{"another log-in's challenge", func(conf *confirmation) {
			_, o := theirs.challenge(b.id)
			conf.Challenge = o.Challenge
		}},
		{"a challenge that was replaced", func(conf *confirmation) { mine.challenge(b.id) }},
		{"a challenge that is over", func(conf *confirmation) {
			w.sql(w.stateDB(), `UPDATE ai_challenges SET expires_at = 1 WHERE id = ?`, conf.Challenge)
		}},
		{"a challenge that was used", func(conf *confirmation) {
			wrong := *conf
			wrong.Phrase = "yes"
			wantAnswer(t, "the try before", mine.approve(b.id, wrong), 403, "confirmation_mismatch")
		}},
		{"the card of other facts", func(conf *confirmation) { conf.FactsHash = strings.Repeat("0", 64) }},
		{"without acknowledging", func(conf *confirmation) { conf.Acknowledged = false }},
		{"an identifier less", func(conf *confirmation) { delete(conf.Identifiers, "tokenId") }},
		{"a wrong identifier", func(conf *confirmation) { conf.Identifiers["priceApe"] = "0.1" }},
		{"another way to write it", func(conf *confirmation) { conf.Identifiers["priceApe"] = "1.0" }},
		{"one that looks the same", func(conf *confirmation) { conf.Identifiers["collection"] = "demo-\u0430pes" }}, // a Cyrillic а
		{"one with something unseen", func(conf *confirmation) { conf.Identifiers["collection"] = "demo-apes\u200b" }},
		{"another hyphen", func(conf *confirmation) { conf.Identifiers["collection"] = "demo\u2010apes" }},
		{"full-width digits", func(conf *confirmation) { conf.Identifiers["priceApe"] = "\uff11" }},
		{"a space beside", func(conf *confirmation) { conf.Identifiers["collection"] = " demo-apes" }},
		{"no phrase", func(conf *confirmation) { conf.Phrase = "" }},
		{"the phrase in small", func(conf *confirmation) { conf.Phrase = strings.ToLower(conf.Phrase) }},
		{"another's phrase", func(conf *confirmation) {
			card, _ := mine.challenge(other.id)
			conf.Phrase = card.Action.Phrase
		}},
	} {
		card, conf := mine.challenge(b.id)
		if card.status != 200 {
			t.Fatalf("%s: %d %s", tt.name, card.status, card.text)
		}
		conf.Identifiers = maps.Clone(conf.Identifiers)
		tt.change(&conf)
		wantAnswer(t, tt.name, mine.approve(b.id, conf), 403, "confirmation_mismatch")
	}
	// What was refused once is refused again, whatever is right in it by now; and a
	// challenge of one server counts at the other, as the log-in does.
	_, conf := mine.challenge(b.id)
	mine.page = pages[1]
	wrong := conf
	wrong.Phrase = "no"
	wantAnswer(t, "wrong, at another server", mine.approve(b.id, wrong), 403, "confirmation_mismatch")
	wantAnswer(t, "replayed, with all of it right", mine.approve(b.id, conf), 403, "confirmation_mismatch")

	for name, a := range map[string]answers{
		"not read":             {read: "y"},
		"a wrong identifier":   {collection: "demo-ape"},
		"looks the same":       {collection: "demo-\u0430pes"},
		"a wrong phrase":       {phrase: "BUY demo-apes"},
		"the phrase in small":  {phrase: "buy demo-apes #1 1 ape"},
		"nothing for a phrase": {phrase: " "},
	} {
		p := w.sit(b.id)
		p.steps(a)
		o := p.end()
		if name == "not read" && o.Code == "approval_required" {
			continue // no is an answer
		}
		wantExit(t, "at a terminal, "+name, o, 3, "confirmation_mismatch")
	}
	// The challenge of a terminal is its own too.
	for name, change := range map[string]string{
		"used":         `used_at = 1`,
		"over":         `expires_at = 1`,
		"another's":    `session = 'tty_other'`,
		"of no card":   `facts_hash = 'x'`,
		"of an action": `action_id = '` + other.id + `'`,
	} {
		p := w.sit(b.id)
		p.steps(answers{})
		w.sql(w.stateDB(), `UPDATE ai_challenges SET `+change+` WHERE session LIKE 'tty_%' AND used_at IS NULL AND action_id = ?`, b.id)
		p.Send(passphrase)
		wantExit(t, "at a terminal, a challenge "+name, p.end(), 3, "confirmation_mismatch")
	}
	w.nothing(t, b)
	// All of it right, and it is bought: what was refused above was for its one fault.
	if o := w.approve(b.id); o.exit != 0 || o.Action.State != "executed" {
		t.Fatal(o)
	}
	w.once(t, b)
	wantAnswer(t, "replayed, after it", mine.approve(b.id, conf), 409, "action_not_pending")
	if s := c.status(b.id); s["state"] != "executed" {
		t.Errorf("the model sees %v", s)
	}
}

// TestFivePassphrases: five wrong ones in a row, at terminals and over HTTP, lock it
// for all of them, and the right one with them.
func TestFivePassphrases(t *testing.T) {
	t.Parallel()
	w := newWorld(t, program.Plain.For(t), 2)
	b := w.client("locks").propose(0)
	at := w.serve().person()
	fresh := at.login()
	_, conf := at.challenge(b.id)
	tries := 0
	wrong := func(terminal bool) {
		tries++
		exit, code, status := 4, "reauth_required", 401
		if tries == 5 {
			code, status = "locked_out", 429
		}
		if terminal {
			p := w.sit(b.id)
			p.steps(answers{})
			p.Send("another one entirely")
			wantExit(t, "a wrong one", p.end(), exit, code)
			return
		}
		wantAnswer(t, "a wrong one", fresh.post("/api/ai/auth/reauth", map[string]string{"passphrase": "another one entirely"}), status, code)
	}
	for _, terminal := range []bool{true, false, true, false, true} {
		wrong(terminal)
	}
	wantAnswer(t, "the right one, over HTTP", fresh.post("/api/ai/auth/reauth", map[string]string{"passphrase": passphrase}), 429, "locked_out")
	p := w.sit(b.id)
	p.steps(answers{})
	p.Send(passphrase)
	wantExit(t, "the right one, at a terminal", p.end(), 4, "locked_out")
	w.nothing(t, b)
	// A log-in that was given it before the lock is not locked out of what it has.
	if a := at.approve(b.id, conf); a.status != 202 && a.Code != "confirmation_mismatch" {
		t.Errorf("%d %s", a.status, a.text)
	}
}
