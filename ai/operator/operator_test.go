package operator_test

import (
	"bytes"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/operator"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestLookingMakesNothing(t *testing.T) {
	t.Parallel()
	home, c := newHome(t)
	p := newOperator(t, home, c)
	if made, err := p.Initialized(t.Context()); made || err != nil {
		t.Error(made, err)
	}
	code(t, p.Prove(t.Context(), pass), fault.ReauthRequired)
	code(t, p.VerifyToken(t.Context(), ""), fault.Auth)
	_, err := p.Session(t.Context(), "x")
	code(t, err, fault.Auth)
	must(t, p.CloseSession(t.Context(), "x"))
	_, _, err = p.VerifyMCPToken(t.Context(), "claw_mcp_x")
	code(t, err, fault.Auth)
	_, err = p.RevokeMCPToken(t.Context(), "x")
	code(t, err, fault.NotFound)
	if list, err := p.MCPTokens(t.Context()); list == nil || len(list) != 0 || err != nil {
		t.Error(list, err)
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("something was made")
	}
}

func TestPassphrase(t *testing.T) {
	t.Parallel()
	home, c := newHome(t)
	p, other := newOperator(t, home, c), newOperator(t, home, c)
	for _, bad := range []string{"", "short", " eight and more", "eight and more ", "with\x00control", "tab\tinside", "\xff\xfe not text at all", strings.Repeat("x", 1025)} {
		code(t, p.Init(t.Context(), "", bad), fault.Usage)
	}
	must(t, p.Init(t.Context(), "", pass))
	if made, err := other.Initialized(t.Context()); !made || err != nil {
		t.Error(made, err)
	}
	must(t, other.Prove(t.Context(), pass))
	code(t, other.Prove(t.Context(), pass+"x"), fault.ReauthRequired)
	code(t, other.Prove(t.Context(), strings.Repeat(pass, 100)), fault.ReauthRequired)
	// A change needs the old one, and ends what it had opened.
	_, s, err := p.OpenSession(t.Context())
	must(t, err)
	code(t, p.Init(t.Context(), "", "another passphrase"), fault.ReauthRequired)
	must(t, p.Prove(t.Context(), pass))
	must(t, p.Init(t.Context(), pass, "another passphrase"))
	code(t, other.Prove(t.Context(), pass), fault.ReauthRequired)
	must(t, other.Prove(t.Context(), "another passphrase"))
	_, err = p.SessionByID(t.Context(), s.ID)
	code(t, err, fault.Auth)
	holds(t, home, pass, "another passphrase")
}

// holds fails the test if a file of the home holds one of the texts.
func holds(t *testing.T, home string, texts ...string) {
	t.Helper()
	must(t, filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, text := range texts {
			if bytes.Contains(b, []byte(text)) {
				t.Errorf("%s holds a secret", filepath.Base(path))
			}
		}
		return err
	}))
}

// Of two first passphrases one is set; of two changes at once, one is.
func TestInitOnce(t *testing.T) {
	t.Parallel()
	home, c := newHome(t)
	var won atomic.Int64
	var wg sync.WaitGroup
	for range 6 {
		p := newOperator(t, home, c)
		wg.Go(func() {
			if err := p.Init(t.Context(), "", pass); err == nil {
				won.Add(1)
			} else if is := fault.CodeOf(err); is != fault.Conflict && is != fault.ReauthRequired && is != fault.LockedOut {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d first passphrases were set", won.Load())
	}
}

// Wrong tries count across processes and restarts, and end by the clock alone.
func TestLock(t *testing.T) {
	t.Parallel()
	home, c := newHome(t)
	must(t, newOperator(t, home, c).Init(t.Context(), "", pass))
	wrong := func(want fault.Code) {
		t.Helper()
		code(t, newOperator(t, home, c).Prove(t.Context(), "not the passphrase"), want)
	}
	for range operator.MaxWrong - 1 {
		wrong(fault.ReauthRequired)
	}
	must(t, newOperator(t, home, c).Prove(t.Context(), pass)) // which begins anew
	for range operator.MaxWrong - 1 {
		wrong(fault.ReauthRequired)
	}
	wrong(fault.LockedOut)
	code(t, newOperator(t, home, c).Prove(t.Context(), pass), fault.LockedOut)
	code(t, newOperator(t, home, c).Init(t.Context(), pass, "another passphrase"), fault.LockedOut)
	c.pass(operator.LockTime - time.Second)
	err := newOperator(t, home, c).Prove(t.Context(), pass)
	code(t, err, fault.LockedOut)
	if fault.From(err).Details["retryAfterSeconds"] != 1 {
		t.Errorf("%v", fault.From(err).Details)
	}
	c.pass(time.Second)
	wrong(fault.ReauthRequired) // the count begins anew, too
	must(t, newOperator(t, home, c).Prove(t.Context(), pass))
}

// Tries at the same time are no more than tries one after the other.
func TestLockHoldsForTriesAtOnce(t *testing.T) {
	t.Parallel()
	home, c := newHome(t)
	must(t, newOperator(t, home, c).Init(t.Context(), "", pass))
	var tried atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		p := newOperator(t, home, c)
		wg.Go(func() {
			switch err := p.Prove(t.Context(), "not the passphrase"); fault.CodeOf(err) {
			case fault.ReauthRequired:
				tried.Add(1)
			case fault.LockedOut:
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if tried.Load() != operator.MaxWrong-1 {
		t.Errorf("%d wrong ones were told so before the lock, want %d", tried.Load(), operator.MaxWrong-1)
	}
}

// What stands in the row is not believed to be small.
func TestStoredCost(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{`{"kind":"argon2id","cost":{"time":1,"memory":4294967295,"threads":1},"salt":"AAAA","hash":"` + strings.Repeat("A", 43) + `="}`,
		`{"kind":"md5","cost":{"time":1,"memory":64,"threads":1},"salt":"AAAA","hash":"` + strings.Repeat("A", 43) + `="}`, `{`, `{}`,
		`{"kind":"argon2id","cost":{"time":1,"memory":64,"threads":1},"salt":"AAAA","hash":""}`} {
		home, c := newHome(t)
		p := newOperator(t, home, c)
		must(t, p.Init(t.Context(), "", pass))
		db, err := sql.Open("sqlite", filepath.Join(home, store.AIFile))
		must(t, err)
		_, err = db.Exec(`UPDATE operator SET doc = ?`, doc)
		must(t, err)
		must(t, db.Close())
		code(t, p.Prove(t.Context(), pass), fault.StateUnusable)
		code(t, p.Prove(t.Context(), ""), fault.StateUnusable)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	home, c := newHome(t)
	p, other := newOperator(t, home, c), newOperator(t, home, c)
	cookie, s, err := p.OpenSession(t.Context())
	must(t, err)
	if got, err := other.Session(t.Context(), cookie); err != nil || got != s {
		t.Errorf("%+v %v, want %+v", got, err, s)
	}
	// The id is no cookie.
	_, err = other.Session(t.Context(), s.ID)
	code(t, err, fault.Auth)
	code(t, p.Reprove(t.Context(), cookie, pass), fault.ReauthRequired)
	must(t, p.Init(t.Context(), "", pass)) // which ends all
	code(t, p.Reprove(t.Context(), cookie, pass), fault.Auth)
	cookie, _, err = p.OpenSession(t.Context())
	must(t, err)
	proved := func() bool {
		t.Helper()
		until, err := other.Proved(t.Context(), cookie)
		must(t, err)
		return c.time().Before(until)
	}
	if proved() {
		t.Error("a log-in alone proves nothing")
	}
	code(t, p.Reprove(t.Context(), cookie, "not the passphrase"), fault.ReauthRequired)
	if proved() {
		t.Error("a wrong passphrase proves nothing")
	}
	must(t, p.Reprove(t.Context(), cookie, pass))
	second, _, err := p.OpenSession(t.Context())
	must(t, err)
	if until, err := p.Proved(t.Context(), second); err != nil || !until.IsZero() {
		t.Error("another session's proof counts", until, err)
	}
	c.pass(operator.ProvedFor - time.Millisecond)
	if !proved() {
		t.Error("it ended early")
	}
	c.pass(time.Millisecond)
	if proved() {
		t.Error("it did not end")
	}
	c.pass(-time.Hour)
	if proved() {
		t.Error("a clock that was set back proves")
	}
	c.pass(time.Hour)
	must(t, p.CloseSession(t.Context(), cookie))
	_, err = other.Session(t.Context(), cookie)
	code(t, err, fault.Auth)
	c.pass(operator.SessionLife)
	_, err = other.Session(t.Context(), second)
	code(t, err, fault.Auth)
	holds(t, home, cookie, second)
}

// Old sessions make room; the table does not grow without end.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	home, c := newHome(t)
	p := newOperator(t, home, c)
	first, _, err := p.OpenSession(t.Context())
	must(t, err)
	for range 64 {
		c.pass(time.Second)
		_, _, err := p.OpenSession(t.Context())
		must(t, err)
	}
	_, err = p.Session(t.Context(), first)
	code(t, err, fault.Auth)
}

func TestToken(t *testing.T) {
	t.Parallel()
	home, c := newHome(t)
	var wg sync.WaitGroup
	tokens := make([]string, 8)
	for i := range tokens {
		p := newOperator(t, home, c)
		wg.Go(func() {
			var err error
			if tokens[i], err = p.Token(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	p := newOperator(t, home, c)
	for _, token := range tokens {
		if token != tokens[0] || !strings.HasPrefix(token, "claw_op_") || len(token) < 50 {
			t.Fatalf("tokens differ, or are short")
		}
	}
	must(t, p.VerifyToken(t.Context(), tokens[0]))
	for _, bad := range []string{"", tokens[0] + "x", tokens[0][:20], " " + tokens[0], strings.ToUpper(tokens[0])} {
		code(t, p.VerifyToken(t.Context(), bad), fault.Auth)
	}
	path := p.TokenPath()
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", fi.Mode(), err)
	}
	must(t, os.Chmod(path, 0o604))
	code(t, p.VerifyToken(t.Context(), tokens[0]), fault.StateUnusable)
	_, err := p.Token(t.Context())
	code(t, err, fault.StateUnusable)
	must(t, os.Chmod(path, 0o600))
	for _, text := range []string{"", "\n", "claw_op_", "anything"} {
		must(t, os.WriteFile(path, []byte(text), 0o600))
		code(t, p.VerifyToken(t.Context(), strings.TrimSpace(text)), fault.StateUnusable)
	}
	must(t, os.Remove(path))
	code(t, p.VerifyToken(t.Context(), tokens[0]), fault.Auth)
	if next, err := p.Token(t.Context()); err != nil || next == tokens[0] {
		t.Error("a removed token came back", err)
	}
}

func TestMCPTokens(t *testing.T) {
	t.Parallel()
	home, c := newHome(t)
	p, other := newOperator(t, home, c), newOperator(t, home, c)
	for _, name := range []string{"", "Two Words", "a:b", "\u202ex", "sk-abc", strings.Repeat("x", 33)} {
		_, _, err := p.NewMCPToken(t.Context(), name, ai.Preset{Name: ai.PresetAll})
		code(t, err, fault.Usage)
	}
	for _, tools := range []ai.Preset{{}, {Name: "every"}, {Name: ai.PresetCustom}, {Name: ai.PresetAll, Enabled: []string{"x"}}, {Name: ai.PresetCustom, Enabled: []string{"A b"}}} {
		_, _, err := p.NewMCPToken(t.Context(), "laptop", tools)
		code(t, err, fault.Usage)
	}
	tok, secret, err := p.NewMCPToken(t.Context(), "laptop", ai.Preset{Name: ai.PresetReadOnly})
	must(t, err)
	if !strings.HasPrefix(secret, "claw_mcp_") || len(secret) < 50 || tok.Name != "laptop" {
		t.Errorf("%+v", tok)
	}
	if client, tools, err := other.VerifyMCPToken(t.Context(), secret); client != "laptop" || tools.Name != ai.PresetReadOnly || err != nil {
		t.Error(client, tools, err)
	}
	_, _, err = p.NewMCPToken(t.Context(), "laptop", ai.Preset{Name: ai.PresetAll})
	code(t, err, fault.NameTaken)
	for _, bad := range []string{"", secret + "x", strings.ToLower(secret) + "", tok.ID} {
		client, tools, err := p.VerifyMCPToken(t.Context(), bad)
		code(t, err, fault.Auth)
		if client != "" || tools.Name != ai.PresetNone {
			t.Error(client, tools)
		}
	}
	// An MCP token is no operator's, and the operator's is no MCP client's.
	op, err := p.Token(t.Context())
	must(t, err)
	code(t, p.VerifyToken(t.Context(), secret), fault.Auth)
	_, _, err = p.VerifyMCPToken(t.Context(), op)
	code(t, err, fault.Auth)
	for range 2 {
		if got, err := other.RevokeMCPToken(t.Context(), "laptop"); err != nil || got.Revoked.IsZero() {
			t.Error(got, err)
		}
	}
	_, _, err = p.VerifyMCPToken(t.Context(), secret)
	code(t, err, fault.Auth)
	_, next, err := p.NewMCPToken(t.Context(), "laptop", ai.Preset{Name: ai.PresetAll})
	must(t, err)
	_, _, err = p.VerifyMCPToken(t.Context(), secret)
	code(t, err, fault.Auth)
	if _, tools, err := p.VerifyMCPToken(t.Context(), next); err != nil || tools.Name != ai.PresetAll {
		t.Error(tools, err)
	}
	if list, err := p.MCPTokens(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%+v %v", list, err)
	}
	holds(t, home, secret, next)
}
