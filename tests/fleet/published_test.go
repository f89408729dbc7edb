package fleet_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// published are the code blocks of the published documentation.
func published(t *testing.T) (blocks []string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "published.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```[a-z]*\n(.*?)```").FindAllStringSubmatch(string(b), -1) {
		blocks = append(blocks, m[1])
	}
	if len(blocks) != 5 {
		t.Fatalf("%d code blocks", len(blocks))
	}
	return blocks
}

// here puts this test's server and token in the place of the published ones.
func here(text string, s *server, token string) string {
	_, port, _ := strings.Cut(s.addr, ":")
	return strings.NewReplacer("localhost:8787", "localhost:"+port, "https://apeclaw.ai", s.url(), "token_...", token).Replace(text)
}

// shell runs a script as a reader pastes it.
func shell(t *testing.T, m *machine, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e")
	cmd.Dir, cmd.Stdin = m.dir, strings.NewReader(script)
	cmd.Env = append([]string{"HOME=" + m.user(), "APE_CLAW_HOME=" + m.home(), "PATH=" + os.Getenv("PATH")}, m.env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s\n%v %s", script, err, out)
	}
	return string(out)
}

// TestPublishedLines: what the published documentation tells people to type works as
// it stands there, with a registered agent: by curl where that is, else by the same
// bytes.
func TestPublishedLines(t *testing.T) {
	t.Parallel()
	blocks := published(t)
	hub := newMachine(t, "hub")
	token := hub.register("agent-123")
	s := hub.serve(nil)
	get, post, exports, wire := here(blocks[0], s, token), here(blocks[1], s, token), here(blocks[2], s, token), blocks[3]
	posted := func() string {
		_, body, _ := strings.Cut(post, "-d '")
		return ask(t, s, "POST", "/api/events", strings.TrimSuffix(strings.TrimSpace(body), "'"), append(as("agent-123", token), "Content-Type", "application/json")...).body
	}
	backlog := func() string { return ask(t, s, "GET", "/events/backlog", "").body }
	if _, err := exec.LookPath("curl"); err == nil {
		posted = func() string { return shell(t, hub, post) }
		backlog = func() string { return shell(t, hub, get) }
	}
	live := follow(t, s, "")
	var taken struct {
		OK      bool
		EventID string
	}
	if text := posted(); json.Unmarshal([]byte(text), &taken) != nil || !taken.OK || taken.EventID == "" {
		t.Errorf("the published POST: %s", text)
	}
	var doc struct{ Events []entry }
	if text := backlog(); json.Unmarshal([]byte(text), &doc) != nil || len(doc.Events) != 2 {
		t.Fatalf("the published GET: %s", text)
	}
	e := doc.Events[1]
	if e.EventType != "nft.buy.confirmed" || e.AgentID != "agent-123" || e.TraceID != "trace-123" || e.DryRun || !e.OK || compact(e.Payload) != `{"quoteId":"quote-123"}` || compact(e.Result) != `{"txHash":"0x..."}` {
		t.Errorf("the published POST is kept as %s", e.says())
	}
	if fr := live.next(); !strings.Contains(fr.data, `"traceId":"trace-123"`) {
		t.Errorf("it comes on the stream as %+v", fr)
	}
	// The frames of the stream, sent as they are, come back as they are.
	for line := range strings.Lines(wire) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok {
			continue
		}
		if a := ask(t, s, "POST", "/api/events", data, append(as("agent-123", token), "Content-Type", "application/json")...); a.status != 200 {
			t.Errorf("%s: %d %s", data, a.status, a.body)
		}
		got := live.next().data
		if !strings.HasPrefix(got, strings.TrimSuffix(data, "}")) {
			t.Errorf("sent\n%s\ncame as\n%s", data, got)
		}
	}
	// Another machine, with the published variables.
	m := newMachine(t, "reader")
	for line := range strings.Lines(exports) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		m.env = append(m.env, name+"="+strings.Trim(value, `"`))
	}
	m.must(step(1)...)
	m.flush()
	if fr := live.next(); !strings.Contains(fr.data, `"eventType":"fleet.step"`) || !strings.Contains(fr.data, `"agentId":"agent-123"`) {
		t.Errorf("of the other machine came %+v", fr)
	}
	checkArrived(t, keepOnly(t, hub.state(), readOutbox(t, m.state()).ID), m)
}

func compact(doc []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, doc) != nil {
		return string(doc)
	}
	return b.String()
}
