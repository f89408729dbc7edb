package main

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai/operator"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/tests/pty"
)

// humanElsewhere are the commands whose question is no yes.
func humanElsewhere() []string {
	names := []string{"ai auth init", "ai actions approve"} // TestAuthInit, TestApproveAtTheTerminal
	for _, c := range passphraseCases() {
		names = append(names, c.command)
	}
	return append(names, walletElsewhere()...)
}

const (
	thePassphrase = "four plain words here"
	aKey          = "canary-k3y-of-4-provider-wxyz"
)

// passphraseCase is a command line that the passphrase alone lets change anything,
// once there is one.
type passphraseCase struct {
	command string
	args    []string
	after   [][2]string // what is asked after the passphrase, and typed
	shows   string      // what must stand on the terminal before it is asked for
}

func passphraseCases() map[string]passphraseCase {
	set := func(args ...string) []string { return append([]string{"ai", "connections", "set", "main"}, args...) }
	return map[string]passphraseCase{
		"add": {"ai connections add", []string{"ai", "connections", "add", "--preset", "openai", "--name", "New"},
			[][2]string{{"key: ", aKey}}, "A new connection new to https://api.openai.com/v1"},
		"add, a variable": {"ai connections add", []string{"ai", "connections", "add", "--preset", "openai", "--name", "new", "--key-env", "SOME_KEY"},
			nil, "A new connection new to https://api.openai.com/v1"},
		"add, elsewhere": {"ai connections add", []string{"ai", "connections", "add", "--preset", "ollama", "--name", "new", "--base-url", "https://evil.example"},
			nil, "A new connection new to https://evil.example"},
		"a key":         {"ai connections set", set("--ask-key"), [][2]string{{"key: ", aKey}}, "Connection main at https://api.groq.com/openai/v1"},
		"a variable":    {"ai connections set", set("--key-env", "OTHER_KEY"), nil, "Connection main at https://api.groq.com/openai/v1"},
		"no variable":   {"ai connections set", set("--key-env="), nil, "Connection main"},
		"forget":        {"ai connections set", set("--forget-key", "--model", "m"), nil, "Connection main"},
		"an address":    {"ai connections set", set("--base-url", "https://evil.example"), nil, "It was at https://api.groq.com/openai/v1: the key it had is forgotten."},
		"remove":        {"ai connections remove", []string{"ai", "connections", "remove", "main"}, nil, "Connection main and its key are forgotten."},
		"an MCP client": {"ai mcp token new", []string{"ai", "mcp", "token", "new", "--name", "laptop"}, nil, "A token for the MCP client laptop"},
	}
}

// withPassphrase is a world with a connection, and then a passphrase that costs
// little to try.
func withPassphrase(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.run("ai", "connections", "add", "--preset", "groq", "--name", "main", "--key-env", "GROQ_API_KEY")
	home := filepath.Join(w.dir, "user", ".ape-claw")
	db, err := store.OpenAI(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	op := operator.New(operator.Options{Home: home, Now: time.Now, Cost: operator.Cost{Time: 1, Memory: 64, Threads: 1},
		DB: func(context.Context) (*sql.DB, error) { return db, nil }})
	if err := op.Init(t.Context(), "", thePassphrase); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return w
}

// holds is what of the home the passphrase guards, as it is shown.
func (w *world) holds() string {
	w.t.Helper()
	return w.run("ai", "connections", "list", "--json") + w.run("ai", "mcp", "token", "list", "--json")
}

// The passphrase, typed at the terminal, and nothing else.
func TestPassphraseOnly(t *testing.T) {
	t.Parallel()
	for name, c := range passphraseCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for end, typed := range map[string]struct {
				keys  string
				exit  int
				code  string
				stdin string
			}{
				"right":                 {thePassphrase + "\r", 0, "", ""},
				"wrong":                 {"five plain words here\r", 4, "reauth_required", ""},
				"yes":                   {"yes\r", 4, "reauth_required", ""},
				"enter":                 {"\r", 4, "reauth_required", ""},
				"end":                   {pty.CtrlD, 4, "approval_required", ""},
				"interrupt":             {pty.CtrlC, 130, "canceled", ""},
				"through the other end": {"no\r", 4, "reauth_required", strings.Repeat(thePassphrase+"\n", 5)},
			} {
				if end != "right" && end != "wrong" && name != "add" && name != "an address" {
					continue // the others ask by the same function
				}
				t.Run(end, func(t *testing.T) {
					t.Parallel()
					w := withPassphrase(t)
					before := w.holds()
					options := []pty.Option{pty.Apart()}
					if typed.stdin != "" {
						options = append(options, pty.Stdin(typed.stdin))
					}
					s := w.at(append(append([]string(nil), c.args...), "--json"), options...)
					s.Expect(c.shows)
					s.Expect("passphrase, to ")
					if s.Echo() {
						t.Error("the passphrase would be echoed")
					}
					s.Type(typed.keys)
					if typed.exit == 0 {
						for _, a := range c.after {
							s.Expect(a[0])
							if s.Echo() {
								t.Errorf("%q would be echoed", a[0])
							}
							s.Send(a[1])
						}
					}
					exit := s.Wait()
					if exit != typed.exit || (typed.code != "" && !strings.Contains(s.Stdout(), `"code":"`+typed.code+`"`)) {
						t.Errorf("exit status %d, want %d %s:\n%s%s", exit, typed.exit, typed.code, s.Stdout(), s.Screen())
					}
					if changed := before != w.holds(); changed != (typed.exit == 0) {
						t.Errorf("something changed: %v", changed)
					}
					for _, secret := range []string{thePassphrase, aKey} {
						if strings.Contains(s.Screen()+s.Stdout()+s.Stderr(), secret) {
							t.Error("a secret was shown")
						}
						w.nowhere(secret)
					}
				})
			}
			t.Run("no terminal", func(t *testing.T) {
				t.Parallel()
				w := withPassphrase(t)
				before := w.holds()
				env := w.env
				w.env = append(env, "APE_CLAW_PASSPHRASE="+thePassphrase, "CI=true")
				w.refused(c.args, "tty_required")
				w.env = append(env, "APE_CLAW_AI_CHILD=1")
				w.refused(c.args, "self_approval_forbidden")
				s := w.at(append(append([]string(nil), c.args...), "--json"), pty.Apart()) // with a terminal, too
				if s.Wait() != 4 || !strings.Contains(s.Stdout(), `"code":"self_approval_forbidden"`) {
					t.Errorf("as a model's child: %s", s.Stdout())
				}
				w.env = env
				if before != w.holds() {
					t.Error("something changed")
				}
			})
		})
	}
}

// refused runs a command without a terminal, its standard input full of answers.
func (w *world) refused(args []string, code string) {
	w.t.Helper()
	s := w.at(append(append([]string(nil), args...), "--json"), pty.NoTerminal(), pty.Stdin(strings.Repeat(thePassphrase+"\n", 5)))
	if exit := s.Wait(); exit != 4 || !strings.Contains(s.Stdout(), `"code":"`+code+`"`) || !strings.Contains(s.Stdout(), `"sent":"no"`) {
		w.t.Errorf("exit status %d, want 4 %s:\n%s", exit, code, s.Stdout())
	}
}

func TestAuthInit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.refused([]string{"ai", "auth", "init"}, "approval_required")
	type step struct{ ask, typed string }
	const next = "another few words"
	for _, tt := range []struct {
		name  string
		steps []step
		exit  int
		code  string
	}{
		{"two that differ", []step{{"new passphrase: ", thePassphrase}, {"new passphrase again: ", thePassphrase + "x"}}, 3, "confirmation_mismatch"},
		{"too short", []step{{"new passphrase: ", "short"}}, 64, "usage"},
		{"first", []step{{"new passphrase: ", thePassphrase}, {"new passphrase again: ", thePassphrase}}, 0, `"change":"initialized"`},
		{"a wrong old one", []step{{"passphrase so far: ", next}}, 4, "reauth_required"},
		{"change", []step{{"passphrase so far: ", thePassphrase}, {"new passphrase: ", next}, {"new passphrase again: ", next}}, 0, `"change":"changed"`},
		{"the one before", []step{{"passphrase so far: ", thePassphrase}}, 4, "reauth_required"},
	} {
		s := w.at([]string{"ai", "auth", "init", "--json"}, pty.Apart())
		for _, st := range tt.steps {
			s.Expect(st.ask)
			if s.Echo() {
				t.Errorf("%s: it would be echoed", tt.name)
			}
			s.Send(st.typed)
		}
		if exit := s.Wait(); exit != tt.exit || !strings.Contains(s.Stdout(), tt.code) {
			t.Fatalf("%s: exit status %d, want %d %s:\n%s", tt.name, exit, tt.exit, tt.code, s.Stdout())
		}
		for _, secret := range []string{thePassphrase, next} {
			if strings.Contains(s.Screen()+s.Stdout()+s.Stderr(), secret) {
				t.Errorf("%s: a passphrase was shown", tt.name)
			}
			w.nowhere(secret)
		}
	}
	w.run("ai", "connections", "add", "--preset", "ollama", "--name", "x", "--help")
	// Wrong ones lock it, over processes: one was wrong above.
	for i := range operator.MaxWrong - 1 {
		s := w.at([]string{"ai", "connections", "add", "--preset", "ollama", "--name", "x", "--json"}, pty.Apart())
		s.Expect("passphrase, to ")
		s.Send("wrong again")
		want := "reauth_required"
		if i == operator.MaxWrong-2 {
			want = "locked_out"
		}
		if s.Wait(); !strings.Contains(s.Stdout(), `"code":"`+want+`"`) {
			t.Errorf("%d: %s", i, s.Stdout())
		}
	}
	s := w.at([]string{"ai", "auth", "init"})
	s.Expect("passphrase so far: ")
	s.Send(next)
	if exit := s.Wait(); exit != 4 || !strings.Contains(s.Screen(), "none is taken for") {
		t.Errorf("%d %s", exit, s.Screen())
	}
}
