package agents_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func invite(t *testing.T, r *agents.Registry, terms agents.InviteTerms) string {
	t.Helper()
	_, secret, err := r.Invite(t.Context(), terms)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func usesLeft(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	if err := db.QueryRow(`SELECT coalesce(sum(uses_left), 0) FROM invites`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestInviteTermsAreClamped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want agents.InviteTerms }{
		{agents.InviteTerms{}, agents.InviteTerms{TTL: 24 * time.Hour, Uses: 1}},
		{agents.InviteTerms{TTL: time.Second, Uses: -3}, agents.InviteTerms{TTL: time.Minute, Uses: 1}},
		{agents.InviteTerms{TTL: -time.Hour, Uses: 6}, agents.InviteTerms{TTL: time.Minute, Uses: 5}},
		{agents.InviteTerms{TTL: 1 << 62, Uses: 1 << 40}, agents.InviteTerms{TTL: 7 * 24 * time.Hour, Uses: 5}},
		{agents.InviteTerms{TTL: 2 * time.Hour, Uses: 3}, agents.InviteTerms{TTL: 2 * time.Hour, Uses: 3}},
	} {
		if got := tt.in.Clamped(); got != tt.want {
			t.Errorf("%+v became %+v, want %+v", tt.in, got, tt.want)
		}
	}
}

// An invite is used up by registrations that succeed, and by nothing else.
func TestInviteIsUsedUpBySuccessOnly(t *testing.T) {
	t.Parallel()
	c, dir := newClock(), t.TempDir()
	r, db := open(t, dir, c.now)
	secret := invite(t, r, agents.InviteTerms{Uses: 2})
	if !agents.IsInvite(secret) || len(secret) != len("inv_")+43 {
		t.Errorf("an invite of %d characters", len(secret))
	}
	register(t, r, "taken-1")
	for id, want := range map[string]fault.Code{"taken-1": fault.Conflict, "BAD": fault.Usage, "__proto__": fault.Usage, "operator": fault.Usage, "local-cli": fault.Usage} {
		if _, _, err := r.RegisterInvited(t.Context(), id, "", secret); fault.CodeOf(err) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, _, err := r.RegisterInvited(t.Context(), "bot-1", "a\nb", secret); fault.CodeOf(err) != fault.Usage {
		t.Errorf("a bad name: %v", err)
	}
	if n := usesLeft(t, db); n != 2 {
		t.Fatalf("%d uses are left after failures", n)
	}
	for _, id := range []string{"bot-1", "bot-2"} {
		_, token, err := r.RegisterInvited(t.Context(), id, "", secret)
		if err != nil {
			t.Fatal(err)
		}
		verify(t, r, id, token)
	}
	refuses := func(what, secret string) {
		t.Helper()
		_, _, err := r.RegisterInvited(t.Context(), "bot-9", "", secret)
		var f *fault.Error
		if want := agents.InviteRefused(); !errors.As(err, &f) || f.Code != fault.Auth || f.Message != want.Message || f.Hint != want.Hint {
			t.Errorf("%s: %v, want the one refusal", what, err)
		}
	}
	refuses("used up", secret)
	short := invite(t, r, agents.InviteTerms{TTL: time.Minute})
	c.advance(time.Minute)
	refuses("expired", short)
	for _, bad := range []string{"", "inv_", "x", short + "x", strings.ToLower(short), strings.Repeat("a", 1<<20), "' OR 1=1 --"} {
		refuses(fmt.Sprintf("unknown %.20q", bad), bad)
	}
	if list := must[[]agents.Agent](t)(r.List(t.Context())); len(list) != 3 {
		t.Errorf("%d agents", len(list))
	}
	// What is over goes with the next one.
	invite(t, r, agents.InviteTerms{})
	var rows int
	if err := db.QueryRow(`SELECT count(*) FROM invites`).Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d invites are kept, %v", rows, err)
	}
	for _, name := range must[[]string](t)(filepath.Glob(filepath.Join(dir, "*"))) {
		if b := must[[]byte](t)(os.ReadFile(name)); bytes.Contains(b, []byte(secret[4:24])) {
			t.Errorf("%s holds an invite", filepath.Base(name))
		}
	}
}

func TestInvitesAreBounded(t *testing.T) {
	t.Parallel()
	c := newClock()
	r, db := open(t, t.TempDir(), c.now)
	if _, err := db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 1024)
		INSERT INTO invites SELECT randomblob(32), 1, ?, ? FROM n`, c.now().UnixMilli(), c.now().Add(time.Hour).UnixMilli()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Invite(t.Context(), agents.InviteTerms{}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("one more: %v", err)
	}
	c.advance(time.Hour)
	invite(t, r, agents.InviteTerms{})
}

// Twenty that redeem a one-use invite at once, each with a connection of its own.
func TestParallelRedeems(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, db := open(t, dir, time.Now)
	secret := invite(t, r, agents.InviteTerms{})
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		own, _ := open(t, dir, time.Now)
		wg.Go(func() { _, _, errs[i] = own.RegisterInvited(t.Context(), fmt.Sprintf("bot-%d", i), "", secret) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if fault.CodeOf(err) != fault.Auth {
			t.Error(err)
		}
	}
	if list := must[[]agents.Agent](t)(r.List(t.Context())); won != 1 || len(list) != 1 || usesLeft(t, db) != 0 {
		t.Errorf("%d have won, %d agents", won, len(list))
	}
}

const redeemDir, redeemID, redeemSecret = "AGENTS_TEST_DIR", "AGENTS_TEST_ID", "AGENTS_TEST_INVITE"

// TestRedeemProcess is one process of TestParallelProcesses.
func TestRedeemProcess(t *testing.T) {
	dir := os.Getenv(redeemDir)
	if dir == "" {
		t.Skip("it is started by TestParallelProcesses")
	}
	r, _ := open(t, dir, time.Now)
	_, _, err := r.RegisterInvited(t.Context(), os.Getenv(redeemID), "", os.Getenv(redeemSecret))
	fmt.Printf("redeem:%v:\n", fault.CodeOf(err))
}

// And twenty processes.
func TestParallelProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, _ := open(t, dir, time.Now)
	secret := invite(t, r, agents.InviteTerms{})
	var wg sync.WaitGroup
	outs := make([]string, 20)
	for i := range outs {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRedeemProcess$", "-test.v")
		cmd.Env = append(os.Environ(), redeemDir+"="+dir, redeemID+"="+fmt.Sprintf("bot-%d", i), redeemSecret+"="+secret)
		wg.Go(func() {
			out, err := cmd.CombinedOutput()
			outs[i] = string(out)
			if err != nil {
				outs[i] += err.Error()
			}
		})
	}
	wg.Wait()
	won, lost := 0, 0
	for _, out := range outs {
		switch {
		case strings.Contains(out, "redeem::"):
			won++
		case strings.Contains(out, "redeem:auth:"):
			lost++
		default:
			t.Error(out)
		}
	}
	if list := must[[]agents.Agent](t)(r.List(t.Context())); won != 1 || lost != 19 || len(list) != 1 {
		t.Errorf("%d have won, %d lost, %d agents", won, lost, len(list))
	}
}
