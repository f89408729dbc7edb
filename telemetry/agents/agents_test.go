package agents_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is a wall clock that a test moves.
type clock struct{ at atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.at.Store(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).UnixMilli())
	return c
}

func (c *clock) now() time.Time          { return time.UnixMilli(c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(d.Milliseconds()) }
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// open returns a Registry with a connection of its own, as another process has.
func open(t *testing.T, dir string, now func() time.Time) (*agents.Registry, *sql.DB) {
	t.Helper()
	db := must[*sql.DB](t)(store.OpenState(t.Context(), dir))
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return agents.New(func(context.Context, bool) (*sql.DB, error) { return db, nil }, now), db
}

func register(t *testing.T, r *agents.Registry, id string) string {
	t.Helper()
	_, token, err := r.Register(t.Context(), id, "")
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func verify(t *testing.T, r *agents.Registry, id, token string) agents.Proof {
	t.Helper()
	return must[agents.Proof](t)(r.Verify(t.Context(), id, token))
}

func refused(t *testing.T, r *agents.Registry, id, token string) {
	t.Helper()
	_, err := r.Verify(t.Context(), id, token)
	var e *fault.Error
	if !errors.As(err, &e) || e.Code != fault.Auth || e.Message != agents.Refused().Message || e.Hint != agents.Refused().Hint || e.Details != nil {
		t.Errorf("%.20q %.20q: %v, want the one refusal", id, token, err)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, _ := open(t, dir, newClock().now)
	a, token, err := r.Register(t.Context(), "bot-1", "  My agent ")
	if err != nil {
		t.Fatal(err)
	}
	if a.ID != "bot-1" || a.Name != "My agent" || !a.Enabled || a.Created.IsZero() {
		t.Errorf("registered %+v", a)
	}
	if !strings.HasPrefix(token, "claw_") || len(token) != len("claw_")+43 {
		t.Errorf("token of %d characters", len(token))
	}
	if other := register(t, r, "bot-2"); other == token {
		t.Error("two agents have one token")
	}
	if p := verify(t, r, "bot-1", token); p.AgentID != "bot-1" || !p.Expires.IsZero() {
		t.Errorf("proof %+v", p)
	}
	for _, tt := range [][2]string{
		{"bot-1", ""}, {"bot-1", token + "x"}, {"bot-1", token[:len(token)-1]}, {"bot-1", strings.ToLower(token)}, {"bot-2", token},
		{"bot-9", token}, {"", token}, {"__proto__", token}, {"BOT-1", token}, {"bot-1' OR 1=1 --", token}, {strings.Repeat("a", 1<<20), token},
	} {
		refused(t, r, tt[0], tt[1])
	}
	if _, _, err := r.Register(t.Context(), "bot-1", ""); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("registered twice: %v", err)
	}
	verify(t, r, "bot-1", token) // and the first token is the one that counts
	// Neither the file nor its log holds a token, in any part.
	names := must[[]string](t)(filepath.Glob(filepath.Join(dir, "*")))
	for _, name := range names {
		b := must[[]byte](t)(os.ReadFile(name))
		hash := sha256.Sum256([]byte(token))
		if bytes.Contains(b, []byte(token[5:25])) {
			t.Errorf("%s holds the token", filepath.Base(name))
		}
		if strings.HasSuffix(name, "-wal") && !bytes.Contains(b, hash[:]) {
			t.Errorf("%s does not hold its hash", filepath.Base(name))
		}
	}
}

func TestIDsAndNames(t *testing.T) {
	t.Parallel()
	r, _ := open(t, t.TempDir(), newClock().now)
	for _, id := range []string{"", "a", "A1", "-ab", "_ab", "a b", "__proto__", "a.b", "ab\n", "ä1", strings.Repeat("a", 65), "claw_abcdef", "sk-abcdef", "local-cli", "operator", "conn:main", "mcp:claude"} {
		if _, _, err := r.Register(t.Context(), id, ""); fault.CodeOf(err) != fault.Usage {
			t.Errorf("id %q: %v", id, err)
		}
	}
	// An id that is refused for what it means says so, not that it is misspelt.
	var f *fault.Error
	if _, _, err := r.Register(t.Context(), "local-cli", ""); !errors.As(err, &f) || !strings.Contains(f.Message, "no agent is named") {
		t.Errorf("the id of events without an agent: %v", err)
	}
	for _, id := range []string{"a1", "0-", "a_-b", strings.Repeat("a", 64)} {
		register(t, r, id)
	}
	for _, name := range []string{"a\nb", "\x1b[31mred", "\u202eab", "a\x00", "\xff", strings.Repeat("n", 101)} {
		if _, _, err := r.Register(t.Context(), "ok-id", name); fault.CodeOf(err) != fault.Usage {
			t.Errorf("name %q: %v", name, err)
		}
	}
	if _, _, err := r.Register(t.Context(), "ok-id", "Ünïcode <b> \"quoted\""); err != nil {
		t.Error(err)
	}
}

func TestRevokeAndRotate(t *testing.T) {
	t.Parallel()
	c := newClock()
	r, db := open(t, t.TempDir(), c.now)
	token, other := register(t, r, "bot-1"), register(t, r, "bot-2")
	proof := verify(t, r, "bot-1", token)
	cookie, session, err := r.OpenSession(t.Context(), proof)
	if err != nil {
		t.Fatal(err)
	}
	kept, _, err := r.OpenSession(t.Context(), verify(t, r, "bot-2", other))
	if err != nil {
		t.Fatal(err)
	}
	holds := func(p agents.Proof, want bool) {
		t.Helper()
		if got := must[bool](t)(r.Holds(t.Context(), p)); got != want {
			t.Errorf("holds: %t, want %t", got, want)
		}
	}
	holds(proof, true)
	holds(session, true)
	for range 2 {
		if a, err := r.Revoke(t.Context(), "bot-1"); err != nil || a.Enabled {
			t.Fatalf("revoked: %+v, %v", a, err)
		}
	}
	var kept1 int
	if err := db.QueryRow(`SELECT count(*) FROM sessions WHERE agent_id = 'bot-1'`).Scan(&kept1); err != nil || kept1 != 0 {
		t.Errorf("%d sessions of a revoked agent are kept, %v", kept1, err)
	}
	refused(t, r, "bot-1", token)
	holds(proof, false)
	holds(session, false)
	if _, err := r.Session(t.Context(), cookie); fault.CodeOf(err) != fault.Auth {
		t.Errorf("a session of a revoked agent: %v", err)
	}
	c.advance(time.Minute)
	a, next, err := r.Rotate(t.Context(), "bot-1")
	if err != nil || !a.Enabled || !a.Rotated.Equal(c.now()) || next == token {
		t.Fatalf("rotated: %+v, %v", a, err)
	}
	refused(t, r, "bot-1", token)
	again := verify(t, r, "bot-1", next)
	holds(again, true)
	holds(proof, false) // of the old token
	holds(session, false)
	if _, err := r.Session(t.Context(), cookie); fault.CodeOf(err) != fault.Auth {
		t.Errorf("a session of the old token: %v", err)
	}
	// A log-in that was under way while the token ended opens nothing.
	late, _, err := r.OpenSession(t.Context(), proof)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Session(t.Context(), late); fault.CodeOf(err) != fault.Auth {
		t.Errorf("a session of a proof that ended: %v", err)
	}
	// A rotation ends what the token before it proved, enabled or not.
	cookie, _, err = r.OpenSession(t.Context(), again)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Rotate(t.Context(), "bot-1"); err != nil {
		t.Fatal(err)
	}
	holds(again, false)
	if _, err := r.Session(t.Context(), cookie); fault.CodeOf(err) != fault.Auth {
		t.Errorf("a session of a token that was replaced: %v", err)
	}
	// The other agent has nothing to do with it.
	verify(t, r, "bot-2", other)
	must[agents.Proof](t)(r.Session(t.Context(), kept))
	for _, id := range []string{"bot-9", "no such"} {
		_, err := r.Revoke(t.Context(), id)
		_, _, err2 := r.Rotate(t.Context(), id)
		if err == nil || err2 == nil {
			t.Errorf("%q: %v, %v", id, err, err2)
		}
	}
	if n := must[int](t)(r.Enabled(t.Context())); n != 2 {
		t.Errorf("%d enabled", n)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	c, dir := newClock(), t.TempDir()
	r, db := open(t, dir, c.now)
	proof := verify(t, r, "bot-1", register(t, r, "bot-1"))
	cookie, p, err := r.OpenSession(t.Context(), proof)
	if err != nil {
		t.Fatal(err)
	}
	if len(cookie) != 43 || !p.Expires.Equal(c.now().Add(agents.SessionLife)) {
		t.Errorf("cookie of %d characters until %s", len(cookie), p.Expires)
	}
	// It is in the database, hashed: another process knows it too, as after a restart.
	r2, _ := open(t, dir, c.now)
	if got := must[agents.Proof](t)(r2.Session(t.Context(), cookie)); got.AgentID != "bot-1" || !got.Expires.Equal(p.Expires) {
		t.Errorf("proof %+v", got)
	}
	var clear int
	if err := db.QueryRow(`SELECT count(*) FROM sessions WHERE token_hash = ?`, cookie).Scan(&clear); err != nil || clear != 0 {
		t.Errorf("%d in the clear, %v", clear, err)
	}
	for _, bad := range []string{"", "x", cookie[:42], cookie + "=", "claw_" + cookie} {
		if _, err := r.Session(t.Context(), bad); fault.CodeOf(err) != fault.Auth {
			t.Errorf("cookie %q: %v", bad, err)
		}
	}
	c.advance(agents.SessionLife - time.Millisecond)
	must[agents.Proof](t)(r.Session(t.Context(), cookie)) // being used does not make it longer
	c.advance(time.Millisecond)
	if _, err := r.Session(t.Context(), cookie); fault.CodeOf(err) != fault.Auth {
		t.Errorf("an expired session: %v", err)
	}
	if must[bool](t)(r.Holds(t.Context(), p)) {
		t.Error("the proof of an expired session holds")
	}
	cookie, p, err = r.OpenSession(t.Context(), proof)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM sessions`).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d sessions are kept, %v: the expired one goes", n, err)
	}
	for range 2 {
		if err := r2.CloseSession(t.Context(), cookie); err != nil {
			t.Error(err)
		}
	}
	if must[bool](t)(r.Holds(t.Context(), p)) {
		t.Error("the proof of a session that was ended holds")
	}
}

func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	c := newClock()
	r, db := open(t, t.TempDir(), c.now)
	one, two := verify(t, r, "bot-1", register(t, r, "bot-1")), verify(t, r, "bot-2", register(t, r, "bot-2"))
	first, _, err := r.OpenSession(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := r.OpenSession(t.Context(), two)
	if err != nil {
		t.Fatal(err)
	}
	var last string
	for range 40 {
		c.advance(time.Second)
		if last, _, err = r.OpenSession(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM sessions WHERE agent_id = 'bot-1'`).Scan(&n); err != nil || n != 16 {
		t.Errorf("%d sessions of one agent, %v", n, err)
	}
	must[agents.Proof](t)(r.Session(t.Context(), last))
	must[agents.Proof](t)(r.Session(t.Context(), other))
	if _, err := r.Session(t.Context(), first); err == nil {
		t.Error("the oldest session is still there")
	}
}

// What another process does is noticed, and so is what this one does.
func TestChanges(t *testing.T) {
	t.Parallel()
	c, dir := newClock(), t.TempDir()
	r, _ := open(t, dir, c.now)
	r2, _ := open(t, dir, c.now)
	seen := must[int64](t)(r.Changes(t.Context()))
	changed := func(what string, want bool) {
		t.Helper()
		now := must[int64](t)(r.Changes(t.Context()))
		if (now != seen) != want {
			t.Errorf("%s: changed %t, want %t", what, now != seen, want)
		}
		seen = now
	}
	changed("nothing", false)
	token := register(t, r, "bot-1")
	changed("registered here", true)
	changed("nothing", false)
	register(t, r2, "bot-2")
	changed("registered there", true)
	cookie, _, err := r2.OpenSession(t.Context(), verify(t, r, "bot-1", token))
	if err != nil {
		t.Fatal(err)
	}
	changed("logged in there", true)
	if err := r.CloseSession(t.Context(), cookie); err != nil {
		t.Fatal(err)
	}
	changed("logged out here", true)
	if _, err := r2.Revoke(t.Context(), "bot-1"); err != nil {
		t.Fatal(err)
	}
	changed("revoked there", true)
	if _, _, err := r.Rotate(t.Context(), "bot-1"); err != nil {
		t.Fatal(err)
	}
	changed("rotated here", true)
	changed("nothing", false)
}

// Without a database there is nobody, and looking makes none.
func TestNoDatabase(t *testing.T) {
	t.Parallel()
	r := agents.New(func(_ context.Context, create bool) (*sql.DB, error) {
		if create {
			t.Error("a look asks for a new database")
		}
		return nil, nil
	}, time.Now)
	if list, err := r.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	refused(t, r, "bot-1", "claw_x")
	if _, err := r.Session(t.Context(), "x"); fault.CodeOf(err) != fault.Auth {
		t.Error(err)
	}
	if err := r.CloseSession(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	if _, err := r.Revoke(t.Context(), "bot-1"); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
	if n, err := r.Changes(t.Context()); n != 0 || err != nil {
		t.Error(n, err)
	}
}

// A database that fails is no refusal: who can't be checked is not told that the
// credentials are wrong.
func TestDatabaseThatFails(t *testing.T) {
	t.Parallel()
	r, db := open(t, t.TempDir(), time.Now)
	token := register(t, r, "bot-1")
	p := verify(t, r, "bot-1", token)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err1 := r.Verify(t.Context(), "bot-1", token)
	_, err2 := r.Session(t.Context(), "x")
	held, err3 := r.Holds(t.Context(), p)
	_, err4 := r.Changes(t.Context())
	for _, err := range []error{err1, err2, err3, err4} {
		if fault.CodeOf(err) != fault.StateUnusable {
			t.Errorf("%v, want state_unusable", err)
		}
	}
	if held {
		t.Error("a proof that can't be checked holds")
	}
}

func TestOneOfManyRegistrations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wins atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		r, _ := open(t, dir, time.Now)
		for range 5 {
			wg.Go(func() {
				if _, _, err := r.Register(t.Context(), "bot-1", ""); err == nil {
					wins.Add(1)
				} else if fault.CodeOf(err) != fault.Conflict {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if wins.Load() != 1 {
		t.Errorf("%d registrations of one id", wins.Load())
	}
}
