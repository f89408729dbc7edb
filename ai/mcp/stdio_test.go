package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/mcp"
)

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func callLine(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, id, tool)
}

func write(t *testing.T, p *stdio, messages ...string) {
	t.Helper()
	for _, m := range messages {
		if _, err := io.WriteString(p.in, m+"\n"); err != nil {
			t.Fatal(err)
		}
	}
}

func all(r io.Reader) []string {
	var out []string
	for in := bufio.NewScanner(r); in.Scan(); {
		out = append(out, in.Text())
	}
	return out
}

// message is a line of stdout: an answer, or a notification.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// Whatever comes in, and whatever breaks inside, what goes out is JSON-RPC, and the
// session goes on.
func TestStdoutIsPure(t *testing.T) {
	t.Parallel()
	log := &lines{}
	e := &engine{answer: func(_ context.Context, _ mcp.Session, name, _ string) ai.Result {
		switch name {
		case "nft_buy":
			panic("a panic\nof several lines")
		case "policy_halt":
			return ai.Result{Text: "no json at all", IsError: true}
		}
		return ai.Result{Text: `{"data":"\u202e\u001b[31m{\"jsonrpc\":\"2.0\"}\n"}`}
	}}
	opts := e.options()
	opts.Logger = debugLog(log)
	p := start(t, t.Context(), mcp.New(opts))
	out := make(chan []string, 1)
	go func() { out <- all(p.out) }()
	bad := []string{
		"hello", `{"jsonrpc":"2.0"`, `{}`, `[]`, `"x"`, "null", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, "\xff\xfe",
		`[` + callLine(90, "market_listings") + `]`, strings.Repeat("[", 100_000), `{"jsonrpc":"2.0","id":8,"method":"ping","params":"` + strings.Repeat("x", 2<<20) + `"}`,
	}
	write(t, p, initialize, "", initialized)
	for i, line := range bad {
		write(t, p, line, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 100+i))
	}
	write(t, p, callLine(2, "nft_buy"), callLine(3, "policy_halt"), callLine(4, "market_listings"), callLine(5, "no_such_tool"))
	// The last answer has to be out before the client leaves: calls run side by side.
	write(t, p, `{"jsonrpc":"2.0","id":200,"method":"tools/call","params":{"name":"market_listings"}}`)
	for !slices.Contains(e.said(), "market_listings {}") || len(e.said()) < 4 {
		write(t, p, `{"jsonrpc":"2.0","id":201,"method":"ping"}`)
	}
	p.in.Close()
	got := <-out
	answers, refusals := map[string]message{}, 0
	for _, line := range got {
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" {
			t.Errorf("stdout has %.200q", line)
		}
		if string(m.ID) == "null" && m.Error != nil {
			refusals++
			continue
		}
		answers[string(m.ID)] = m
	}
	if refusals != len(bad) {
		t.Errorf("%d of %d broken lines were answered", refusals, len(bad))
	}
	for i := range bad {
		if m := answers[fmt.Sprint(100+i)]; m.Result == nil {
			t.Errorf("no pong after %.40q", bad[i])
		}
	}
	if m := answers["2"]; m.Error == nil || strings.Contains(m.Error.Message, "several") {
		t.Errorf("the panic was answered %+v", m)
	}
	if m := answers["5"]; m.Error == nil {
		t.Errorf("the unknown tool was answered %+v", m)
	}
	if !strings.Contains(log.String(), "panic") {
		t.Error("the log does not tell of the panic")
	}
}
