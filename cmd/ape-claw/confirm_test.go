package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/tests/pty"
)

// TestConfirmsAtTheTerminal: a purchase is shown and asked for at the terminal,
// whatever standard input and output are; nothing but the phrase, typed there,
// signs it; and nobody is held up while a person thinks.
func TestConfirmsAtTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	quote, other := w.simulated(0), w.simulated(1)
	dry, exit := w.doc("nft", "buy", "--quote", quote)
	if exit != 0 {
		t.Fatalf("%d %v", exit, dry)
	}
	phrase, token := dry["confirmPhrase"].(string), dry["quote"].(map[string]any)["tokenId"].(string)
	args := []string{"nft", "buy", "--quote", quote, "--execute", "--json"}
	asked := func(options ...pty.Option) *pty.Session {
		t.Helper()
		session := w.at(args, append(options, pty.Apart())...)
		session.Expect("Type " + phrase + " to confirm: ")
		return session
	}

	first := asked()
	action := dry["action"].(map[string]any)
	for _, want := range []string{"demo-apes", token, action["contract"].(string), action["seller"].(string), action["buyer"].(string),
		"gas at most", "in all at most", "at least after", "daily cap", "the sandbox (chain 7733139)", "seller gets", "order ends"} {
		if !strings.Contains(first.Screen(), want) {
			t.Errorf("%q was not shown:\n%s", want, first.Screen())
		}
	}
	// While it stands there, another run of the same account buys something else.
	otherDry, _ := w.doc("nft", "buy", "--quote", other)
	if doc, exit := w.doc("nft", "buy", "--quote", other, "--execute", "--confirm", otherDry["confirmPhrase"].(string)); exit != 0 {
		t.Errorf("held up: %d %v", exit, doc)
	}
	first.Send(strings.ToLower(phrase))
	ends := func(session *pty.Session, exit int, code string) {
		t.Helper()
		got := session.Wait()
		var doc struct{ Code, Sent string }
		if err := json.Unmarshal([]byte(session.Stdout()), &doc); err != nil || got != exit || doc.Code != code || doc.Sent != "no" && code != "" {
			t.Errorf("exit status %d, %+v, %v, want %d %s\n%s%s", got, doc, err, exit, code, session.Stdout(), session.Stderr())
		}
	}
	ends(first, 3, "confirmation_mismatch")

	piped := asked(pty.Stdin(phrase + "\n")) // a pipe is no person
	piped.Type(pty.CtrlD)
	ends(piped, 130, "canceled")
	stopped := asked()
	stopped.Type(pty.CtrlC)
	ends(stopped, 130, "canceled")
	ends(w.at(args, pty.NoTerminal(), pty.Stdin(phrase+"\n")), 3, "confirmation_mismatch")
	if got := strings.Join(w.purchases(), " "); got != "dry_run dry_run submitted confirmed" {
		t.Fatalf("purchases %s", got)
	}

	last := asked()
	last.Send(phrase)
	ends(last, 0, "")
	if got := strings.Join(w.purchases(), " "); got != "dry_run dry_run submitted confirmed submitted confirmed" {
		t.Errorf("purchases %s", got)
	}
	if s.Demo() == nil || !strings.Contains(last.Stdout(), `"txHash"`) {
		t.Errorf("%s", last.Stdout())
	}
}
