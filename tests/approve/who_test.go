package approve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/tests/program"
	"github.com/ape-claw/ape-claw/tests/pty"
)

// TestWhoApproves tries it as everybody else: what a model runs, what has no
// terminal, an agent, an MCP client, another site's page, a log-in without the
// passphrase; and as the right person with another account, profile, policy or state
// directory.
func TestWhoApproves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, program.Plain.For(t), 2)
	b := w.client("asks").propose(0)
	server := w.serve()
	at := server.person()
	_, conf := at.challenge(b.id)
	path := "/api/ai/actions/" + b.id

	// Without a person.
	wantExit(t, "beneath a model", w.refused(b.id, "APE_CLAW_AI_CHILD=1"), 4, "self_approval_forbidden")
	wantExit(t, "beneath a model, said to be none", w.refused(b.id, "APE_CLAW_AI_CHILD="), 4, "self_approval_forbidden")
	wantExit(t, "without a terminal", w.run("ai", "actions", "approve", b.id), 4, "tty_required")
	piped := pty.Start(t, w.bin, []string{"ai", "actions", "approve", b.id, "--json"}, w.env(), pty.Dir(w.wd()), pty.NoTerminal(),
		pty.Stdin(strings.Repeat("yes\n", 9)+passphrase+"\n"))
	if code := piped.Wait(); code != 4 || !strings.Contains(piped.Stdout(), `"tty_required"`) {
		t.Errorf("from a pipe: exit %d %s", code, piped.Stdout())
	}
	if o := w.runAs([]string{"APE_CLAW_AI_CHILD=1"}, "ai", "actions", "reject", b.id, "--reason", "x"); o.Code != "self_approval_forbidden" {
		t.Errorf("rejected beneath a model: %s", o)
	}

	// Over HTTP.
	bot := w.must("clawbot", "register", "--agent-id", "bot-1")
	var made struct{ Token string }
	decode(t, bot.text, &made)
	var mcp struct{ Token string }
	minted := pty.Start(t, w.bin, []string{"ai", "mcp", "token", "new", "--name", "suite", "--json"}, w.env(), pty.Dir(w.wd()), pty.Apart())
	minted.Expect("passphrase, to ")
	minted.Expect(": ")
	minted.Send(passphrase)
	if code := minted.Wait(); code != 0 {
		t.Fatalf("a token: exit %d %s %s", code, minted.Screen(), minted.Stdout())
	}
	decode(t, minted.Stdout(), &mcp)
	token, err := os.ReadFile(filepath.Join(w.home(), "operator.token"))
	if err != nil {
		t.Fatal(err)
	}
	operator := strings.TrimSpace(string(token))
	unproved := server.login()
	child := w.serve("APE_CLAW_AI_CHILD=1")
	for _, tt := range []struct {
		name   string
		to     *page
		header []string
		status int
		code   string
	}{
		{"nobody", server, nil, 401, "auth"},
		{"an agent", server, []string{"X-Agent-Id", "bot-1", "X-Agent-Token", made.Token}, 403, "permission_denied"},
		{"an agent as the operator", server, []string{"X-Agent-Id", "operator", "X-Agent-Token", made.Token}, 403, "auth"},
		{"an MCP client", server, []string{"Authorization", "Bearer " + mcp.Token}, 401, "auth"},
		{"an MCP client as the operator", server, []string{"X-Agent-Id", "operator", "X-Agent-Token", mcp.Token}, 403, "auth"},
		{"the operator's token alone", server, []string{"X-Agent-Id", "operator", "X-Agent-Token", operator}, 401, "reauth_required"},
		{"a log-in without the passphrase", server, []string{"Cookie", unproved.cookie, "Origin", server.url}, 401, "reauth_required"},
		{"a made-up cookie", server, []string{"Cookie", "ape_claw_session=op." + strings.Repeat("a", 43), "Origin", server.url}, 401, "auth"},
		{"another site", server, []string{"Cookie", at.cookie, "Origin", "https://evil.example"}, 403, ""},
		{"another site, by the browser's word", server, []string{"Cookie", at.cookie, "Sec-Fetch-Site", "cross-site"}, 403, ""},
		{"another port of this machine", server, []string{"Cookie", at.cookie, "Origin", "http://127.0.0.1:1"}, 403, ""},
		{"a server beneath a model", child, []string{"Cookie", at.cookie, "Origin", child.url}, 403, "self_approval_forbidden"},
	} {
		for _, way := range []string{"/challenge", "/approve"} {
			var body any = conf
			if way == "/challenge" {
				body = map[string]any{}
			}
			a := tt.to.ask("POST", path+way, body, tt.header...)
			if a.status != tt.status || tt.code != "" && a.Code != tt.code {
				t.Errorf("%s%s: %d %s, want %d %s", tt.name, way, a.status, a.text, tt.status, tt.code)
			}
		}
	}
	child.stop()
	if a := at.ask("GET", path+"/approve", nil, "Cookie", at.cookie); a.status != 405 {
		t.Errorf("by GET: %d %s", a.status, a.text)
	}
	w.nothing(t, b)

	// The right person, with something else.
	narrower := filepath.Join(w.dir, "narrower.json")
	if err := os.WriteFile(narrower, []byte(`{"execution":{"dailySpendCap":100}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	setPassphrase(t, w.base()) // of the other profile, whose home it is
	var was map[string]any
	account := func(address, key any) {
		edit(client{world: w}, "current.json", func(doc map[string]any) {
			was = map[string]any{"buyer": doc["buyer"], "buyerKey": doc["buyerKey"]}
			doc["buyer"], doc["buyerKey"] = address, key
		})
	}
	for name, more := range map[string][]string{
		"another account": nil,
		"another policy":  {"APE_CLAW_POLICY=" + narrower},
		"another profile": {"APE_CLAW_PROFILE=apechain", "APE_CLAW_RPC_URL=" + w.RPCURL(), "APE_CLAW_PRIVATE_KEY=" + w.Demo().Faucet.Reveal()},
	} {
		if name == "another account" {
			account(w.Demo().Faucet.Address().Hex(), w.Demo().Faucet.Reveal())
		}
		wantExit(t, name, w.refused(b.id, more...), 3, "action_stale")
		p := w.serve(more...)
		if name == "another profile" {
			p.home = w.base()
		}
		with := p.person()
		card, _ := with.challenge(b.id)
		wantAnswer(t, name+", the card", card, 409, "action_stale")
		wantAnswer(t, name, with.approve(b.id, conf), 409, "action_stale")
		p.stop()
		if name == "another account" {
			account(was["buyer"], was["buyerKey"])
		}
	}
	copied := filepath.Join(w.dir, "copied")
	if err := os.CopyFS(copied, os.DirFS(w.wd())); err != nil {
		t.Fatal(err)
	}
	wantExit(t, "a copied state directory", w.sitIn(copied, b.id).end(), 3, "action_stale")
	p := w.serveIn(copied)
	card, _ := p.person().challenge(b.id)
	wantAnswer(t, "a copied state directory", card, 409, "action_stale")
	p.stop()
	empty := filepath.Join(w.dir, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	wantExit(t, "an empty state directory", w.sitIn(empty, b.id).end(), 11, "not_found")
	w.nothing(t, b)
	// And it is still there for the right one.
	if a := at.approve(b.id, conf); a.status != 202 {
		t.Errorf("%d %s", a.status, a.text)
	}
	until(t, "it is carried out", func() bool { return w.action(b.id).State == "executed" })
	w.once(t, b)
}
