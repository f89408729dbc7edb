package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/tests/pty"
)

const passphrase = "correct horse battery staple"

// client is an MCP client with the program as its server.
type client struct {
	w   *world
	in  io.Writer
	out *bufio.Scanner
	id  int
}

// asClient connects to the program over stdin and stdout.
func (w *world) asClient() *client {
	w.t.Helper()
	cmd := w.command("mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	c := &client{w: w, in: in, out: bufio.NewScanner(out)}
	c.out.Buffer(nil, 1<<20)
	c.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "claude", "version": "1"}})
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

func (c *client) send(v any) {
	c.w.t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		_, err = c.in.Write(append(b, '\n'))
	}
	if err != nil {
		c.w.t.Fatal(err)
	}
}

func (c *client) ask(method string, params any) json.RawMessage {
	c.w.t.Helper()
	c.id++
	c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	for c.out.Scan() {
		var answer struct {
			ID     int
			Result json.RawMessage
		}
		if json.Unmarshal(c.out.Bytes(), &answer) == nil && answer.ID == c.id {
			return answer.Result
		}
	}
	c.w.t.Fatalf("no answer to %s: %v", method, c.out.Err())
	return nil
}

// call calls a tool and returns its text.
func (c *client) call(tool string, args any) (doc map[string]any) {
	c.w.t.Helper()
	var result struct{ Content []struct{ Text string } }
	raw := c.ask("tools/call", map[string]any{"name": tool, "arguments": args})
	if err := json.Unmarshal(raw, &result); err != nil || len(result.Content) == 0 {
		c.w.t.Fatalf("%s: %s, %v", tool, raw, err)
	}
	if err := json.Unmarshal([]byte(result.Content[0].Text), &doc); err != nil {
		c.w.t.Fatalf("%s: %s, %v", tool, result.Content[0].Text, err)
	}
	return doc
}

// proposed has a model propose to buy with a quote.
func (c *client) proposed(quote, summary string) (id string) {
	c.w.t.Helper()
	doc := c.call("request_action", map[string]any{"tool": "nft_buy", "args": map[string]string{"quote": quote}, "summary": summary, "permissions": []string{"nft:buy"}})
	id, ok := doc["actionId"].(string)
	if !ok {
		c.w.t.Fatalf("not proposed: %v", doc)
	}
	return id
}

// typing answers questions at the terminal in their order.
func typing(s *pty.Session, answers ...[2]string) {
	for _, a := range answers {
		s.Expect(a[0])
		s.Send(a[1])
	}
}

// A model proposes over MCP, a person approves at the terminal, and nothing else
// does: the whole way, with everything real but the chain and the marketplace.
func TestApproveAtTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.inSandbox()
	quote, other := w.simulated(0), w.simulated(1)
	c := w.asClient()
	id := c.proposed(quote, "Buy it for 1 APE. Approved by the operator.")
	args := []string{"ai", "actions", "approve", id, "--json"}
	ends := func(s *pty.Session, exit int, code string) map[string]any {
		t.Helper()
		got := s.Wait()
		var doc map[string]any
		err := json.Unmarshal([]byte(s.Stdout()), &doc)
		if said, _ := doc["code"].(string); err != nil || got != exit || said != code {
			t.Fatalf("exit status %d, want %d %s, %v\n%s\n%s\n%s", got, exit, code, err, s.Stdout(), s.Stderr(), s.Screen())
		}
		return doc
	}
	// Without a passphrase nobody approves what moves money; a model's child never does.
	ends(w.at(args, pty.Apart()), 4, "reauth_required")
	init := w.at([]string{"ai", "auth", "init"})
	typing(init, [2]string{"new passphrase: ", passphrase}, [2]string{"new passphrase again: ", passphrase})
	if init.Wait() != 0 {
		t.Fatal(init.Screen())
	}
	ends(w.at(args, pty.NoTerminal(), pty.Stdin(strings.Repeat("yes\n", 9))), 4, "tty_required")
	env := w.env
	w.env = append(env[:len(env):len(env)], "APE_CLAW_AI_CHILD=1")
	ends(w.at(args, pty.Apart()), 4, "self_approval_forbidden")
	w.env = env

	shown, _ := w.doc("ai", "actions", "show", id)
	facts := map[string]string{}
	for name, v := range shown["identifiers"].(map[string]any) {
		facts[name] = v.(string)
	}
	phrase := shown["phrase"].(string)
	steps := [][2]string{
		{"contradict the facts above. Only the facts will happen. Go on? Type yes: ", "yes"},
		{"Have you read this? Type yes: ", "yes"},
		{"retype the collection (" + facts["collection"] + "): ", facts["collection"]},
		{"retype the price (" + facts["priceApe"] + "): ", facts["priceApe"]},
		{"retype the token id (" + facts["tokenId"] + "): ", facts["tokenId"]},
		{"Step 3 of 3: type " + phrase + " to approve: ", phrase},
		{"passphrase, to approve " + id + ": ", passphrase},
	}
	for i, wrong := range []struct {
		exit int
		code string
	}{{4, "approval_required"}, {4, "approval_required"}, {3, "confirmation_mismatch"}, {3, "confirmation_mismatch"}, {3, "confirmation_mismatch"},
		{3, "confirmation_mismatch"}, {4, "reauth_required"}} {
		s := w.at(args, pty.Apart())
		typing(s, steps[:i]...)
		s.Expect(steps[i][0])
		if i == len(steps)-1 && s.Echo() {
			t.Error("the passphrase would be echoed")
		}
		s.Send("no")
		ends(s, wrong.exit, wrong.code)
	}
	stopped := w.at(args, pty.Apart())
	typing(stopped, steps[:3]...)
	stopped.Expect(steps[3][0])
	stopped.Type(pty.CtrlC)
	ends(stopped, 130, "canceled")
	if got := strings.Join(w.purchases(), " "); strings.Contains(got, "submitted") {
		t.Fatalf("bought: %s", got)
	}

	last := w.at(args, pty.Apart(), pty.Stdin(strings.Repeat("no\n", 9)))
	typing(last, steps...)
	doc := ends(last, 0, "")
	screen := last.Screen()
	for _, want := range []string{"demo-apes", facts["tokenId"], "seller gets", "gas at most", "daily cap", "mcp:claude",
		"model says (only words): Buy it for 1 APE. Approved by the operator.", "critical: none of the claim's amounts is what this costs", "only what you type here approves"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q was not shown:\n%s", want, screen)
		}
	}
	if strings.Index(screen, "model says") < strings.Index(screen, "seller gets") {
		t.Error("the model's words stand above the facts")
	}
	if a := doc["action"].(map[string]any); a["state"] != "executed" || fmt.Sprint(a["outcome"].(map[string]any)["txHash"]) == "" {
		t.Errorf("%v", doc)
	}
	if got := strings.Join(w.purchases(), " "); !strings.HasSuffix(got, "submitted confirmed") {
		t.Errorf("purchases %s", got)
	}
	if st := c.call("action_status", map[string]string{"actionId": id})["data"].(map[string]any); st["state"] != "executed" {
		t.Errorf("the model is told %v", st)
	}
	ends(w.at(args, pty.Apart()), 10, "action_not_pending")
	if _, exit := w.doc("ai", "actions", "reject", id); exit != 10 {
		t.Errorf("rejected after it was executed: %d", exit)
	}

	// What is no longer so, or was said no to.
	second := c.proposed(other, "Buy it.")
	w.home("sandbox/policy.json", `{"nftBuy":{"maxPricePerTx":90,"currencyAllowlist":["APE"]},"execution":{"dailySpendCap":500}}`)
	ends(w.at([]string{"ai", "actions", "approve", second, "--json"}, pty.Apart()), 3, "action_stale")
	if r, exit := w.doc("ai", "actions", "reject", second, "--reason", "too dear"); exit != 0 {
		t.Errorf("%d %v", exit, r)
	}
	if st := fmt.Sprint(c.call("action_status", map[string]string{"actionId": second})); !strings.Contains(st, "too dear") || !strings.Contains(st, "rejected") {
		t.Errorf("the model is told %v", st)
	}
	list, _ := w.doc("ai", "actions", "list")
	if list["count"] != 2.0 || list["open"] != 0.0 {
		t.Errorf("%v", list)
	}
	if w.run("ai", "actions", "list") == "" || w.run("ai", "actions", "show", id) == "" {
		t.Error("nothing for people")
	}
	watch := w.at([]string{"ai", "actions", "watch"})
	third := c.proposed(w.simulated(2), "Buy it.")
	watch.Expect(third)
	watch.Type(pty.CtrlC)
	if exit := watch.Wait(); exit != 0 {
		t.Errorf("watch: %d", exit)
	}
}
