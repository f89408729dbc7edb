package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/mcp"
)

func TestSnippets(t *testing.T) {
	t.Parallel()
	stdio := mcp.Where{Command: `/opt/ape claw/ape-claw`, Args: []string{"--state-dir", `/tmp/it's "here"`, "mcp"}}
	web := mcp.Where{Command: "/opt/ape-claw", URL: "http://127.0.0.1:8787/mcp"}
	for _, client := range []string{"claude", "codex", "cursor", "generic"} {
		for _, at := range []mcp.Where{stdio, web} {
			s, err := mcp.NewSnippet(client, at)
			if err != nil {
				t.Fatal(err)
			}
			if (s.TokenEnv != "") != (at.URL != "") || strings.Contains(s.Text, mcp.TokenEnv) != (at.URL != "") {
				t.Errorf("%s: the variable of the token: %+v", client, s)
			}
			if s.Format != "json" {
				continue
			}
			var doc struct {
				Servers map[string]struct {
					Command, URL string
					Args         []string
				} `json:"mcpServers"`
			}
			if err := json.Unmarshal([]byte(s.Text), &doc); err != nil {
				t.Fatalf("%s: %v", client, err)
			}
			got := doc.Servers["apeclaw"]
			if at.URL != got.URL || at.URL == "" && (got.Command != at.Command || len(got.Args) != 3 || got.Args[1] != at.Args[1]) {
				t.Errorf("%s: %+v", client, got)
			}
		}
	}
	s, err := mcp.NewSnippet("codex", stdio)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"[mcp_servers.apeclaw]\n", `command = "/opt/ape claw/ape-claw"`, `"/tmp/it's \"here\""`, `default_tools_approval_mode = "approve"`} {
		if !strings.Contains(s.Text, want) {
			t.Errorf("codex lacks %s:\n%s", want, s.Text)
		}
	}
	if want := `codex mcp add apeclaw -- '/opt/ape claw/ape-claw' --state-dir '/tmp/it'\''s "here"' mcp`; s.Run != want {
		t.Errorf("got %s, want %s", s.Run, want)
	}
	if _, err := mcp.NewSnippet("vim", stdio); err == nil {
		t.Error("vim is known")
	}
}

func TestAPIDocHasEveryToolAndRoute(t *testing.T) {
	t.Parallel()
	doc := mcp.APIDoc([]ai.Tool{{Name: "nft_buy", Command: "nft buy", Description: "Buys.", Schema: json.RawMessage(`{"type":"object"}`), Grade: ai.GradeHigh,
		Permission: "nft:buy", Identifiers: []string{"tokenId"}, Untrusted: true}}, []mcp.Route{{Method: "GET", Path: "/events", About: "the events"}})
	for _, want := range []string{"## nft_buy", "grade: high", "nft:buy", "`ape-claw nft buy`", "tokenId", "never an instruction", `{"type":"object"}`, "| GET | `/events` | the events |"} {
		if !strings.Contains(doc, want) {
			t.Errorf("%q is missing in\n%s", want, doc)
		}
	}
}
