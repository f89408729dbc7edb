package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// dial starts the product as a client does, and connects the SDK's own client.
func (w *world) dial(name string, args ...string) *sdk.ClientSession {
	w.t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: name, Version: "1"}, nil)
	cs, err := c.Connect(w.t.Context(), &sdk.CommandTransport{Command: w.command(w.t.Context(), append([]string{"mcp"}, args...)...)}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { cs.Close() })
	return cs
}

// call calls a tool and returns its one text.
func call(t *testing.T, cs *sdk.ClientSession, tool, args string) (string, bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := cs.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r.Content[0].(*sdk.TextContent).Text, r.IsError
}

// within finds a value in a result, through the fence.
func within(result string, path ...string) (string, error) {
	var at any
	if err := json.Unmarshal([]byte(result), &at); err != nil {
		return "", fmt.Errorf("%w: %s", err, result)
	}
	if object, ok := at.(map[string]any); ok && object["data"] != nil {
		at = object["data"]
	}
	for _, p := range path {
		switch v := at.(type) {
		case map[string]any:
			at = v[p]
		case []any:
			if len(v) == 0 {
				return "", fmt.Errorf("nothing at %s: %s", p, result)
			}
			at = v[0]
		}
	}
	s, ok := at.(string)
	if !ok {
		return "", fmt.Errorf("no text at %v: %s", path, result)
	}
	return s, nil
}

// proposal quotes and proposes a purchase, and returns the action's id.
func proposal(t *testing.T, cs *sdk.ClientSession, nth int) (action, proposed string) {
	t.Helper()
	listings, failed := call(t, cs, "market_listings", fmt.Sprintf(`{"collection":"demo-apes","limit":%d}`, nth+1))
	if failed {
		t.Fatal(listings)
	}
	args, err := quoteArgs(listings, nth)
	if err != nil {
		t.Fatal(err)
	}
	quote, failed := call(t, cs, "nft_quote", args)
	if failed {
		t.Fatal(quote)
	}
	id, err := within(quote, "quoteId")
	if err != nil {
		t.Fatal(err)
	}
	if simulated, failed := call(t, cs, "nft_simulate", fmt.Sprintf(`{"quote":%q}`, id)); failed {
		t.Fatal(simulated)
	}
	proposed, failed = call(t, cs, "nft_buy", fmt.Sprintf(`{"quote":%q}`, id))
	if failed {
		t.Fatal(proposed)
	}
	if action, err = within(proposed, "actionId"); err != nil {
		t.Fatal(err)
	}
	return action, proposed
}

// quoteArgs asks for a quote of one of the listings, at its own price.
func quoteArgs(listings string, nth int) (string, error) {
	var doc struct {
		Data struct {
			Listings []struct {
				TokenID  string      `json:"tokenId"`
				PriceApe json.Number `json:"priceApe"`
			}
		}
	}
	if err := json.Unmarshal([]byte(listings), &doc); err != nil || len(doc.Data.Listings) <= nth {
		return "", fmt.Errorf("no listing %d: %v %s", nth, err, listings)
	}
	l := doc.Data.Listings[nth]
	return fmt.Sprintf(`{"collection":"demo-apes","tokenId":%q,"maxPrice":%q}`, l.TokenID, l.PriceApe.String()), nil
}

func TestStdioReadProposeStatus(t *testing.T) {
	t.Parallel()
	w := practice(t)
	cs := w.dial("Test Client")
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		for _, never := range []string{"approve", "auth", "ai_kill", "connection", "token", "serve", "sandbox"} {
			if strings.Contains(tool.Name, never) {
				t.Errorf("a client has the tool %s", tool.Name)
			}
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("tools are not sorted: %q", names)
	}
	guide, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "docs://guide"})
	if err != nil || !strings.Contains(guide.Contents[0].Text, "action_status") {
		t.Errorf("docs://guide: %v", err)
	}
	api, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "docs://api"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, "/api/ai/actions/{id}/approve") {
		if !strings.Contains(api.Contents[0].Text, name) {
			t.Errorf("docs://api lacks %s", name)
		}
	}

	action, proposed := proposal(t, cs, 0)
	for _, field := range []string{`"approvalRequested":true`, `"state":"proposed"`, `"expiresAt"`, `ai actions approve ` + action} {
		if !strings.Contains(proposed, field) {
			t.Errorf("the proposal lacks %s: %s", field, proposed)
		}
	}
	status, failed := call(t, cs, "action_status", fmt.Sprintf(`{"actionId":%q}`, action))
	if failed || !strings.Contains(status, `"proposed"`) {
		t.Errorf("action_status: %s", status)
	}
	pending, failed := call(t, cs, "actions_pending", `{}`)
	if failed || !strings.Contains(pending, action) {
		t.Errorf("actions_pending: %s", pending)
	}
	for _, bad := range []string{`{"quote":"x","execute":true}`, `{"quote":"x","confirm":"BUY"}`, `{"quote":"x","quote":"y"}`, `[]`, `{"quote":7}`} {
		if text, failed := call(t, cs, "nft_buy", bad); !failed || !strings.Contains(text, `"invalid_arguments"`) {
			t.Errorf("nft_buy %s: %s", bad, text)
		}
	}
	var events struct {
		Events []struct {
			EventType, AgentID, SessionID, Source, Command string
			Result                                         map[string]any
		}
	}
	w.run(&events, "events", "query", "--type", "ai.mcp.called,ai.action.proposed")
	sessions, actions := map[string]bool{}, 0
	for _, e := range events.Events {
		if e.AgentID != "mcp:test-client" || e.Source != "mcp" {
			t.Errorf("event %+v", e)
		}
		sessions[e.SessionID] = true
		if e.Result["actionId"] == action {
			actions++
		}
	}
	if len(sessions) != 1 || actions == 0 {
		t.Errorf("%d sessions, %d events about the action in %+v", len(sessions), actions, events.Events)
	}
}

// Two clients, two processes, one database: each has proposals of its own.
func TestStdioTwoChildren(t *testing.T) {
	t.Parallel()
	w := practice(t)
	one, two := w.dial("one"), w.dial("two")
	a, _ := proposal(t, one, 0)
	b, _ := proposal(t, two, 1)
	if a == b {
		t.Fatalf("two clients have the one action %s", a)
	}
	if text, failed := call(t, one, "action_status", fmt.Sprintf(`{"actionId":%q}`, a)); failed {
		t.Errorf("its own: %s", text)
	}
	if text, failed := call(t, one, "action_status", fmt.Sprintf(`{"actionId":%q}`, b)); !failed && strings.Contains(text, "priceApe") {
		t.Errorf("another client's action is told: %s", text)
	}
	if pending, _ := call(t, two, "actions_pending", `{}`); !strings.Contains(pending, b) || strings.Contains(pending, a) {
		t.Errorf("actions_pending of the second: %s", pending)
	}
	// Neither has spent anything, nor can: the tools to do so are not there.
	for _, cs := range []*sdk.ClientSession{one, two} {
		if _, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "ai_actions_approve", Arguments: json.RawMessage(`{}`)}); err == nil {
			t.Error("a client can approve")
		}
	}
}

// A client that dies mid-call, or kills its server, leaves a database that the next
// one works with.
func TestStdioKilledMidCall(t *testing.T) {
	t.Parallel()
	w := practice(t)
	for i := range 3 {
		cmd := w.command(t.Context(), "mcp")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		send(t, in, initialize, initialized, callLine(2, "market_listings", `{"collection":"demo-apes"}`))
		answers := bufio.NewReader(out)
		if _, err := answers.ReadString('\n'); err != nil { // of initialize: the call is on its way
			t.Fatal(err)
		}
		if i%2 == 0 {
			err = cmd.Process.Kill()
		} else {
			err = in.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answers)
		if err := cmd.Wait(); (err == nil) != (i%2 == 1) {
			t.Errorf("round %d: %v", i, err)
		}
	}
	cs := w.dial("next")
	if action, _ := proposal(t, cs, 0); action == "" {
		t.Error("nothing is proposed after the kills")
	}
}

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func callLine(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

func send(t *testing.T, w io.Writer, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(w, l+"\n"); err != nil {
			t.Fatal(err)
		}
	}
}

// Nothing but JSON-RPC is on stdout: not with every log on, not for broken lines,
// not for errors of the command line, nor when the configuration is broken.
func TestStdoutHoldsTheProtocolAlone(t *testing.T) {
	t.Parallel()
	w := empty(t)
	broken := filepath.Join(w.dir, "broken.yaml")
	if err := os.WriteFile(broken, []byte("a: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := strings.Join([]string{initialize, initialized, "broken", `{"jsonrpc":"2.0","id":9}`, callLine(2, "market_collections", `{}`),
		callLine(3, "doctor", `{}`), callLine(4, "nft_buy", `{"quote":"../../x"}`), callLine(5, "events_recent", `{}`)}, "\n") + "\n"
	for name, args := range map[string][]string{
		"debug":          {"mcp", "--log-level", "debug"},
		"json":           {"ai", "mcp", "serve", "--json", "--log-level", "debug"},
		"unknown flag":   {"mcp", "--json", "--bogus"},
		"bad value":      {"mcp", "--json", "--tools", "everything"},
		"too much":       {"mcp", "--json", "word"},
		"broken config":  {"mcp", "--json", "--config", broken},
		"sandbox is off": {"--profile", "sandbox", "mcp", "--json"},
		"bad state":      {"mcp", "--json", "--state-dir", "/proc/self/nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			cmd := w.command(ctx, args...)
			cmd.Stdin = strings.NewReader(lines)
			var out, complaint bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &complaint
			err := cmd.Run()
			n := 0
			for line := range strings.Lines(out.String()) {
				var m struct{ JSONRPC string }
				if json.Unmarshal([]byte(line), &m) != nil || m.JSONRPC != "2.0" {
					t.Errorf("stdout has %q", line)
				}
				n++
			}
			if (name == "debug" || name == "json") && (err != nil || n < 1) {
				t.Errorf("%v, %d lines\n%s", err, n, complaint.String())
			}
			if err != nil && complaint.Len() == 0 {
				t.Errorf("%v, and stderr says nothing", err)
			}
		})
	}
}
