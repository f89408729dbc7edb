package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ape-claw/ape-claw/tests/mcp/fakes"
)

// shopper is a model that lists, quotes, simulates, proposes and looks what became
// of it.
func shopper() *fakes.Model {
	by := func(n int, field, form string) func([]string) (string, error) {
		return func(results []string) (string, error) {
			v, err := within(clientText(results[n]), field)
			return fmt.Sprintf(form, v), err
		}
	}
	return &fakes.Model{Server: "apeclaw", Steps: []fakes.Step{
		{Tool: "market_listings", Args: fakes.Fixed(`{"collection":"demo-apes","limit":1}`)},
		{Tool: "nft_quote", Args: func(r []string) (string, error) { return quoteArgs(clientText(r[0]), 0) }},
		{Tool: "nft_simulate", Args: by(1, "quoteId", `{"quote":%q}`)},
		{Tool: "nft_buy", Args: by(1, "quoteId", `{"quote":%q}`)},
		{Tool: "action_status", Args: by(3, "actionId", `{"actionId":%q}`)},
	}}
}

// clientText is a result as a client gave it to its model: some put words of their
// own in front.
func clientText(s string) string {
	if i := strings.Index(s, "{"); i > 0 {
		return s[i:]
	}
	return s
}

// client is the path of a real client that was fetched, or skips.
func client(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skip(variable + " names no binary: make test-clients fetches it")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %s", variable, bytes.TrimSpace(version))
	return path
}

// entry is what ai mcp-config tells a client of this world to start.
func (w *world) entry(client string) (command string, args []string) {
	w.t.Helper()
	var out struct{ Text string }
	w.run(&out, "ai", "mcp-config", "--client", client)
	var doc struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(out.Text), &doc); err != nil {
		w.t.Fatalf("%v: %s", err, out.Text)
	}
	return doc.Servers["apeclaw"].Command, doc.Servers["apeclaw"].Args
}

// judge holds what a client did against what it was to do.
func (w *world) judge(m *fakes.Model, agent, said string, declared func(tool string) bool) {
	w.t.Helper()
	for _, err := range m.Failed() {
		w.t.Error(err)
	}
	withOurs := 0
	for _, a := range m.Asked() {
		ours := slices.ContainsFunc(a.Tools, func(name string) bool { return strings.Contains(name, "nft_buy") })
		if !ours {
			continue
		}
		withOurs++
		for _, name := range a.Tools {
			if !declared(name) {
				w.t.Errorf("the client declares %s to its model too", name)
			}
		}
	}
	if withOurs != len(m.Steps)+1 {
		w.t.Errorf("the model was asked %d times with our tools, want %d: %+v", withOurs, len(m.Steps)+1, m.Asked())
	}
	if !strings.Contains(said, fakes.Last) || !strings.Contains(said, "proposed") {
		w.t.Errorf("the last words: %s", said)
	}
	var events struct {
		Events []struct {
			AgentID string
			Payload struct{ Tool string }
			Result  struct{ Outcome, ActionID string }
		}
	}
	w.run(&events, "events", "query", "--type", "ai.mcp.called")
	var tools []string
	action := ""
	for _, e := range events.Events {
		tools = append(tools, e.Payload.Tool)
		if !strings.HasPrefix(e.AgentID, "mcp:"+agent) {
			w.t.Errorf("agent %s", e.AgentID)
		}
		if e.Result.Outcome == "proposed" {
			action = e.Result.ActionID
		}
	}
	slices.Sort(tools)
	if want := []string{"action_status", "market_listings", "nft_buy", "nft_quote", "nft_simulate"}; !slices.Equal(tools, want) || action == "" {
		w.t.Errorf("calls %q, want %q; action %q", tools, want, action)
	}
	var list struct {
		Actions []struct{ ID, State string }
	}
	w.run(&list, "ai", "actions", "list")
	if len(list.Actions) != 1 || list.Actions[0].ID != action || list.Actions[0].State != "proposed" {
		w.t.Errorf("actions %+v, want the one that waits: %s", list.Actions, action)
	}
}

// start runs a client to its end in an empty directory with nothing else in its
// environment.
func (w *world) start(path string, env []string, stdin string, args ...string) (stdout string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Stdin = w.t.TempDir(), strings.NewReader(stdin)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.t.TempDir(), "TMPDIR=" + w.t.TempDir()}, env...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("%s: %v\n%s\n%s", filepath.Base(path), err, tail(out.String()), tail(complaint.String()))
	}
	return out.String()
}

func tail(s string) string { return s[max(0, len(s)-3000):] }

func playing(t *testing.T, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestClaudeCode(t *testing.T) {
	path := client(t, "APE_CLAW_TEST_CLAUDE")
	w, m := practice(t), shopper()
	command, args := w.entry("claude")
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"apeclaw": map[string]any{"type": "stdio", "command": command, "args": args}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	out := w.start(path, []string{"ANTHROPIC_BASE_URL=" + playing(t, m.Anthropic()), "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_MAX_RETRIES=0", "ENABLE_TOOL_SEARCH=false"}, "Buy the cheapest ape.\n",
		"-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages", "--model", "fake-model", "--tools", "", "--strict-mcp-config",
		"--mcp-config", file, "--allowedTools", "mcp__apeclaw", "--permission-prompts", "none", "--setting-sources", "", "--disable-slash-commands", "--max-turns", "12", "--no-session-persistence")
	var last struct {
		Type    string
		IsError bool `json:"is_error"`
		Result  string
	}
	for line := range strings.Lines(out) {
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
	}
	if last.Type != "result" || last.IsError {
		t.Errorf("it ended with %+v", last)
	}
	w.judge(m, "claude-code", last.Result, func(tool string) bool { return strings.HasPrefix(tool, "mcp__apeclaw__") })
}

// Claude Code finds the core skill where skill install wrote it, tells its model of it
// by its description, and reads it when the model asks for it.
func TestClaudeCodeReadsTheSkill(t *testing.T) {
	path := client(t, "APE_CLAW_TEST_CLAUDE")
	w, home := practice(t), t.TempDir()
	var installed struct{ SkillPath string }
	w.run(&installed, "skill", "install", "--skills-dir", filepath.Join(home, ".claude", "skills"))
	m := &fakes.Model{Steps: []fakes.Step{{Tool: "Skill", Args: fakes.Fixed(`{"skill":"ape-claw"}`)}}}
	var mu sync.Mutex
	var asked []string
	model := m.Anthropic()
	url := playing(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		asked = append(asked, string(body))
		mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		model.ServeHTTP(rw, r)
	}))
	out := w.start(path, []string{"HOME=" + home, "ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_MAX_RETRIES=0"}, "Buy the cheapest ape.\n", "-p", "--output-format", "stream-json", "--verbose", "--model", "fake-model", "--tools", "Skill", "--allowedTools", "Skill",
		"--strict-mcp-config", "--setting-sources", "user", "--max-turns", "4", "--no-session-persistence")
	mu.Lock()
	defer mu.Unlock()
	in := func(text string) (n int) {
		for _, body := range asked {
			if strings.Contains(body, text) {
				n++
			}
		}
		return n
	}
	if in("the command-line toolkit for ApeChain") == 0 {
		t.Errorf("the model was not told of the skill in %d requests\n%s", len(asked), tail(out))
	}
	if in("Nothing is signed without") == 0 || in("ape-claw nft simulate --quote QUOTE_ID") == 0 {
		t.Errorf("the model did not get the skill in %d requests\n%s", len(asked), tail(out))
	}
	for _, err := range m.Failed() {
		t.Error(err)
	}
}

func TestCodex(t *testing.T) {
	path := client(t, "APE_CLAW_TEST_CODEX")
	w, m := practice(t), shopper()
	command, args := w.entry("generic")
	list, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	out := w.start(path, []string{"CODEX_HOME=" + t.TempDir(), "FAKE_KEY=none"}, "Buy the cheapest ape.\n",
		"exec", "--json", "-s", "read-only", "--skip-git-repo-check", "--ephemeral", "--ignore-user-config", "-C", t.TempDir(), "-m", "fake-model",
		"--disable", "shell_tool", "--disable", "unified_exec", "--disable", "multi_agent", "--disable", "goals", "-c", `web_search="disabled"`,
		"-c", `model_provider="fake"`, "-c", fmt.Sprintf(`model_providers.fake={name="fake",base_url=%q,env_key="FAKE_KEY",wire_api="responses"}`, playing(t, m.OpenAI())+"/v1"),
		"-c", fmt.Sprintf(`mcp_servers.apeclaw={command=%q,args=%s,default_tools_approval_mode="approve"}`, command, list), "-")
	said := ""
	for line := range strings.Lines(out) {
		var e struct {
			Type string
			Item struct{ Type, Text string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Type == "turn.failed" {
			t.Error(line)
		}
		if e.Item.Type == "agent_message" {
			said = e.Item.Text
		}
	}
	w.judge(m, "codex", said, func(tool string) bool {
		own := []string{"request_user_input", "view_image", "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource", "update_plan"}
		return strings.HasPrefix(tool, "mcp__apeclaw") || slices.Contains(own, tool)
	})
}
