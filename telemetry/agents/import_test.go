package agents_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// A clawbots.json as the published server writes it, with what goes wrong in one.
func TestImport(t *testing.T) {
	t.Parallel()
	const token = "claw_0123456789abcdef0123456789abcdef"
	c := newClock()
	r, _ := open(t, t.TempDir(), c.now)
	own := register(t, r, "here-1")
	data := must[[]byte](t)(os.ReadFile("testdata/clawbots.json"))
	file := must[agents.Clawbots](t)(agents.ParseClawbots(data, c.now()))
	var skipped []string
	for _, s := range file.Skipped {
		skipped = append(skipped, s.AgentID)
	}
	if want := []string{"My Agent", "__proto__", "no-hash", "no-object", "operator"}; !slices.Equal(skipped, want) || !file.SharedKey {
		t.Errorf("skipped %v, want %v; shared key %t", skipped, want, file.SharedKey)
	}
	ids := func(list []agents.Agent) (out []string) {
		for _, a := range list {
			out = append(out, a.ID)
		}
		return out
	}
	want := []string{"odd-name", "off-1", "the-clawllector"}
	if would := ids(must[[]agents.Agent](t)(r.Import(t.Context(), file.Agents, true))); !slices.Equal(would, want) {
		t.Errorf("would add %v", would)
	}
	refused(t, r, "the-clawllector", token)
	if added := ids(must[[]agents.Agent](t)(r.Import(t.Context(), file.Agents, false))); !slices.Equal(added, want) {
		t.Errorf("added %v", added)
	}
	if again := must[[]agents.Agent](t)(r.Import(t.Context(), file.Agents, false)); len(again) != 0 {
		t.Errorf("added again: %v", again)
	}
	verify(t, r, "the-clawllector", token)
	verify(t, r, "here-1", own)
	for _, id := range []string{"here-1", "off-1", "odd-name", "My Agent", "__proto__", "operator"} {
		refused(t, r, id, token)
	}
	a := must[agents.Agent](t)(r.Get(t.Context(), "the-clawllector"))
	if a.Name != "The Clawllector" || a.Created.Format("2006-01-02") != "2026-02-18" || !a.Enabled {
		t.Errorf("%+v", a)
	}
	if a := must[agents.Agent](t)(r.Get(t.Context(), "odd-name")); a.Name != "odd-name" || !a.Created.Equal(c.now()) || a.Enabled {
		t.Errorf("%+v", a)
	}
}

func TestImportOfSomethingElse(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "null", "[]", "{}", `{"agents":[]}`, `{"agents":null}`, "\xff"} {
		if _, err := agents.ParseClawbots([]byte(data), newClock().now()); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%q: %v", data, err)
		}
	}
	// A dry run makes no database.
	r := agents.New(func(_ context.Context, create bool) (*sql.DB, error) {
		if create {
			t.Error("a dry run asks for a new database")
		}
		return nil, nil
	}, newClock().now)
	if added, err := r.Import(t.Context(), make([]agents.Imported, 1), true); err != nil || len(added) != 1 {
		t.Errorf("%v, %v", added, err)
	}
}

// There can be so many agents, however they come, and an invite outlives a refusal.
func TestAgentsAreBounded(t *testing.T) {
	t.Parallel()
	c := newClock()
	r, db := open(t, t.TempDir(), c.now)
	some := func(from, n int) []agents.Imported {
		entries := make([]string, n)
		for i := range entries {
			entries[i] = fmt.Sprintf(`"bot-%d":{"tokenHash":"%064d","enabled":true}`, from+i, from+i)
		}
		return must[agents.Clawbots](t)(agents.ParseClawbots([]byte(`{"agents":{`+strings.Join(entries, ",")+`}}`), c.now())).Agents
	}
	if added := must[[]agents.Agent](t)(r.Import(t.Context(), some(0, 9_999), false)); len(added) != 9_999 {
		t.Fatalf("%d were added", len(added))
	}
	secret := invite(t, r, agents.InviteTerms{Uses: 2})
	if _, err := r.Import(t.Context(), some(9_990, 20), false); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("too many by a file: %v", err)
	}
	if _, _, err := r.RegisterInvited(t.Context(), "last-1", "", secret); err != nil {
		t.Errorf("the last: %v", err)
	}
	if _, _, err := r.RegisterInvited(t.Context(), "more-1", "", secret); fault.CodeOf(err) != fault.Conflict || usesLeft(t, db) != 1 {
		t.Errorf("one more by invite: %v, %d uses are left", err, usesLeft(t, db))
	}
	if _, _, err := r.Register(t.Context(), "more-1", ""); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("one more: %v", err)
	}
	if a, err := r.Get(t.Context(), "bot-77"); err != nil || a.ID != "bot-77" {
		t.Errorf("%+v, %v", a, err)
	}
	for _, id := range []string{"", "more-1"} {
		if a, err := r.Get(t.Context(), id); err == nil {
			t.Errorf("%q is %+v", id, a)
		}
	}
}
