package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ape-claw/ape-claw/tests/pty"
)

// answers writes a script of a model and returns the connection that plays it.
func (w *world) answers(name, script string) string {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(script), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return "scripted:" + name
}

// chatLines sends a message with --json and returns the lines of the stream.
func (w *world) chatLines(args ...string) (lines []map[string]any, exit int) {
	w.t.Helper()
	cmd := w.command(append([]string{"ai", "chat", "--json"}, args...)...)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	exit = status(cmd.Run())
	for line := range strings.Lines(stdout.String()) {
		var doc map[string]any
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			w.t.Fatalf("%q is no JSON: %v", line, err)
		}
		lines = append(lines, doc)
	}
	if len(lines) == 0 || lines[len(lines)-1]["type"] != "result" {
		w.t.Fatalf("the last line is no result:\n%s", &stdout)
	}
	return lines, exit
}

// What a provider does wrong ends a turn in a clear state, through the real client:
// a tool runs once or not at all, and the conversation goes on.
func TestChatThroughFaults(t *testing.T) {
	t.Parallel()
	const one = `{"tool":"version"}`
	var eleven string
	for i := range 11 {
		eleven += fmt.Sprintf(`,{"tool":"nothing_%d"}`, i)
	}
	eleven = eleven[1:]
	tests := map[string]struct {
		script string
		exit   int
		code   string
		run    int
	}{
		"calls without index":  {`{"steps":[{"fault":"no_index","call":[` + one + `,{"tool":"quickstart"}]},{"say":"ok"}]}`, 0, "", 2},
		"null content":         {`{"steps":[{"fault":"null_content","call":[` + one + `]},{"say":"ok"}]}`, 0, "", 1},
		"broken arguments":     {`{"steps":[{"fault":"broken_args","call":[{"tool":"nft_quote","args":{"collection":"demo-apes","maxPrice":"5"}}]},{"say":"ok"}]}`, 0, "", 1},
		"two calls, one wrong": {`{"steps":[{"call":[` + one + `,{"tool":"wallet_export"}]},{"say":"ok"}]}`, 0, "", 2},
		"eleven calls":         {`{"steps":[{"call":[` + eleven + `]},{"say":"ok"}]}`, 0, "", 11},
		"without end":          {`{"loop":true,"steps":[{"call":[` + one + `]}]}`, 0, "", 3},
		"quota":                {`{"steps":[{"fault":"quota"}]}`, 6, "provider_error", 0},
		"no choices":           {`{"steps":[{"fault":"no_choices"}]}`, 6, "provider_error", 0},
		"empty":                {`{"steps":[{"fault":"empty"}]}`, 6, "provider_error", 0},
		"cut":                  {`{"steps":[{"fault":"cut","say":"half of what I wanted to say"}]}`, 6, "provider_error", 0},
		"cut in a call":        {`{"loop":true,"steps":[{"fault":"cut","call":[` + one + `]}]}`, 6, "provider_error", 0},
		"key refused":          {`{"steps":[{"fault":"401"}]}`, 5, "provider_auth", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			lines, exit := w.chatLines("--connection", w.answers("a.json", tt.script), "go")
			last := lines[len(lines)-1]
			code, _ := last["code"].(string)
			if exit != tt.exit || code != tt.code || last["ok"] != (tt.exit == 0) {
				t.Errorf("exit %d, %v", exit, last)
			}
			ran := map[string]int{}
			for _, l := range lines {
				if l["type"] == "tool" && l["state"] == "done" {
					ran[l["callId"].(string)]++
				}
			}
			total := 0
			for id, n := range ran {
				if total += n; n != 1 {
					t.Errorf("%s ran %d times", id, n)
				}
			}
			if total != tt.run {
				t.Errorf("%d calls, want %d: %v", total, tt.run, lines)
			}
			lines, exit = w.chatLines("--connection", w.answers("b.json", `{"loop":true,"steps":[{"say":"here I am"}]}`), "--conversation", "last", "and on")
			if last := lines[len(lines)-1]; exit != 0 || last["text"] != "here I am" {
				t.Errorf("going on: exit %d, %v", exit, last)
			}
		})
	}
}

// A model behind a dead port, and one that nobody connected.
func TestChatDeadPort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if lines, exit := w.chatLines("hello"); exit != 5 || lines[0]["code"] != "no_connection" {
		t.Errorf("exit %d, %v", exit, lines)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "state", "ape-claw.db")); err == nil {
		t.Error("a conversation was kept of nothing")
	}
	w.run("ai", "connections", "add", "--preset", "other", "--base-url", "http://127.0.0.1:1/v1", "--name", "dead", "--model", "m")
	lines, exit := w.chatLines("hello")
	last := lines[len(lines)-1]
	if exit != 6 || last["code"] != "provider_error" || last["state"] != "failed" {
		t.Errorf("exit %d, %v", exit, last)
	}
	if shown := w.run("ai", "conversations", "show", "last"); !strings.Contains(shown, "> hello") || !strings.Contains(shown, "(provider_error)") {
		t.Errorf("the conversation shows\n%s", shown)
	}
}

// talkTo starts a conversation at a terminal.
func (w *world) talkTo(conn string, args ...string) *pty.Session {
	w.t.Helper()
	return w.at(append([]string{"ai", "chat", "--connection", conn}, args...))
}

// Lines are edited and brought back, Ctrl-C empties a line, Ctrl-D leaves, and what a
// model writes steers no terminal.
func TestTalk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env = append(w.env, "NO_COLOR=1")
	s := w.talkTo(w.answers("a.json", `{"steps":[{"say":"First \u001b[2J\u202eanswer."},{"say":"Second."},{"say":"Third."},{"call":[{"tool":"version"}]},{"say":"/quit"}]}`))
	s.Expect("> ")
	s.Type("helo\x1b[Dl\r") // an arrow key, and a letter in between
	if got := s.Expect("answer."); strings.Contains(got, "\x1b[2J") || strings.Contains(got, "\u202e") || !strings.Contains(got, "\ufffd[2J\ufffdanswer.") {
		t.Errorf("the terminal was given %q", got)
	}
	s.Expect("> ")
	s.Type("\x1b[A\r") // the line before
	s.Expect("hello")
	s.Expect("Second.")
	s.Expect("> ")
	s.Type("/quit" + pty.CtrlC + "never mind\r")
	s.Expect("Third.")
	s.Expect("> ")
	s.Type("\x1b[200~two\rlines\x1b[201~") // a paste sends nothing
	s.Expect("two␤lines")
	s.Send("")
	s.Expect("· version ok, ")
	s.Expect("/quit") // of the model: text
	s.Expect("> ")
	s.Send("/help")
	s.Expect("/approve <actionId>")
	s.Expect("> ")
	s.Send("/nothing")
	s.Expect("there is no command /nothing")
	s.Expect("> ")
	s.Type(pty.CtrlD)
	s.Expect("goes on with this conversation")
	if code := s.Wait(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	doc, _ := w.doc("ai", "conversations", "show", "last")
	if said := fmt.Sprint(doc); !strings.Contains(said, "two\nlines") || !strings.Contains(said, "never mind") {
		t.Errorf("kept: %s", said)
	}
}

// Ctrl-C and /stop end an answer, not the program, and what was said stays.
func TestTalkStops(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]string{"Ctrl-C": pty.CtrlC, "/stop": "/stop\r"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.env = append(w.env, "NO_COLOR=1")
			s := w.talkTo(w.answers("a.json", `{"steps":[{"fault":"idle","say":"I begin, and never come to an end"}],"otherwise":{"say":"Back again."}}`))
			s.Expect("> ")
			s.Send("talk")
			s.Expect("I ")
			s.Type(keys)
			s.Expect("stopped")
			s.Expect("> ")
			s.Send("and now?")
			s.Expect("Back again.")
			s.Expect("> ")
			s.Type(pty.CtrlD)
			if code := s.Wait(); code != 0 {
				t.Errorf("exit status %d", code)
			}
			doc, _ := w.doc("ai", "conversations", "show", "last")
			if m := doc["messages"].([]any)[1].(map[string]any); m["status"] != "cancelled" || !strings.Contains(fmt.Sprint(m["blocks"]), "I ") {
				t.Errorf("kept: %v", m)
			}
		})
	}
}

// A program that was killed in an answer leaves a conversation that goes on: its turn
// is told as interrupted, once.
func TestTalkAfterKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env = append(w.env, "NO_COLOR=1")
	s := w.talkTo(w.answers("a.json", `{"steps":[{"call":[{"tool":"version"}]},{"fault":"idle","say":"I begin, and never come to an end"}]}`))
	s.Expect("> ")
	s.Send("talk")
	s.Expect("I ")
	if err := syscall.Kill(s.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.Wait()
	s = w.talkTo(w.answers("b.json", `{"steps":[{"when":{"user":"still"},"say":"Here I am."}]}`), "--conversation", "last")
	s.Expect("> talk")
	s.Expect("· version")
	s.Expect("> ")
	s.Send("still there?")
	s.Expect("Here I am.")
	s.Expect("> ")
	s.Send("/quit")
	if code := s.Wait(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	doc, _ := w.doc("ai", "conversations", "show", "last")
	if said := fmt.Sprint(doc); strings.Count(said, "ask again") != 2 || strings.Count(said, "tool_result") != 1 { // the block and its error
		t.Errorf("kept: %s", said)
	}
}
