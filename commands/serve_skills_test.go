package commands

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// poster asks a server as an agent that it registers.
func (w *servedWorld) poster(id string) func(method, path, body string) (int, map[string]any) {
	w.t.Helper()
	_, token, err := w.d.registry().Register(w.t.Context(), id, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return func(method, path, body string) (int, map[string]any) {
		w.t.Helper()
		r, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
		if err != nil {
			w.t.Fatal(err)
		}
		r.Header.Set("X-Agent-Id", id)
		r.Header.Set("X-Agent-Token", token)
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		if err != nil {
			w.t.Fatal(err)
		}
		defer resp.Body.Close() //nolint:errcheck // only read
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			w.t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(b, &doc); err != nil {
			w.t.Fatalf("%s %s: %v: %s", method, path, err, b)
		}
		return resp.StatusCode, doc
	}
}

// The routes of the original, its statuses, and what it got wrong.
func TestSkillRoutes(t *testing.T) {
	t.Parallel()
	w := startServed(t)
	mara, eve := w.poster("mara"), w.poster("eve")
	big := `{"name":"Big","version":"1","description":"` + strings.Repeat("a", 300<<10) + `"}`
	ask := mara
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               map[string]string // a JSON path, and how its value begins
	}{
		{"GET", "/api/skills/search", "", 200, map[string]string{"ok": "true", "total": "3", "page": "1", "limit": "50", "pages": "1", "results.0.slug": "ape-claw", "results.0.vettedOk": "true", "results.0.source": "seed"}},
		{"GET", "/api/skills/search?q=&source=&limit=1&page=2", "", 200, map[string]string{"pages": "3", "results.0.slug": "ape-claw-autobuy"}},
		{"GET", "/api/skills/search?q=bridge&vetted=true&source=seed", "", 200, map[string]string{"total": "2"}},
		{"GET", "/api/skills/search?limit=201", "", 400, map[string]string{"code": "usage"}},
		{"GET", "/api/skills/search?limit=x", "", 400, nil},
		{"GET", "/api/skills/search?sorce=seed", "", 400, nil},
		{"GET", "/api/skills/get", "", 400, map[string]string{"code": "usage"}},
		{"GET", "/api/skills/get?slug=none", "", 404, map[string]string{"code": "not_found"}},
		{"GET", "/api/skills/get?slug=ape-claw", "", 200, map[string]string{"skill.slug": "ape-claw", "card.slug": "ape-claw"}},
		{"GET", "/api/skills/get?slug=ape-claw-bridge", "", 200, map[string]string{"card.inputs_schema.properties.token.type": "string"}},
		{"GET", "/api/skills/get?slug=ape-claw&x=1", "", 400, nil},
		{"GET", "/api/skills/stats", "", 200, map[string]string{"total": "3", "seed": "3", "imported": "0", "user": "0", "vetted": "3", "onchain": "0"}},
		{"GET", "/api/skillcards/user/auth-check", "", 200, map[string]string{"ok": "true", "agentId": "mara"}},
		{"POST", "/api/skillcards/user/add", `{"version":"1.0.0"}`, 400, nil},
		{"POST", "/api/skillcards/user/add", `{"name":"My Skill","version":"v1"}`, 400, map[string]string{"error": "the card: the skill card: /version should be"}},
		{"POST", "/api/skillcards/user/add", `{"name":"My Skill","version":"1.0.0","riskTier":9,"description":"Does it."}`, 200, map[string]string{"ok": "true", "fileName": "my-skill.v1.0.0.json", "skill.riskTier": "3", "replaced": "false", "skill.addedBy": "mara"}},
		{"POST", "/api/skillcards/user/add", `{"name":"My Skill","version":"1.0.0","description":"Does it again."}`, 200, map[string]string{"replaced": "true", "skill.riskTier": "2"}},
		{"POST", "/api/skillcards/user/add", `{"card":{"slug":"other","name":"Other","version":"1","constraints":{"riskTier":1}}}`, 200, map[string]string{"fileName": "other.v1.json"}},
		{"POST", "/api/skillcards/user/add", `{"name":"My Skill","version":"1.0.0","evil":1}`, 400, map[string]string{"error": "the card: the skill card: /evil is no key"}},
		{"POST", "/api/skillcards/user/add", `{"slug":"../../.bashrc","name":"My Skill","version":"1.0.0"}`, 400, nil},
		{"POST", "/api/skillcards/user/add", `{"name":"Ape Claw","version":"9.9.9"}`, 400, map[string]string{"error": "the card ape-claw is refused"}},
		{"POST", "/api/skillcards/user/add", `[]`, 400, nil},
		{"POST", "/api/skillcards/user/add", big, 400, nil},
		{"GET", "/api/skillcards/user", "", 200, map[string]string{"ok": "true", "count": "2", "cards.0.slug": "my-skill"}},
		{"GET", "/skillcards/user/my-skill.v1.0.0.json", "", 200, map[string]string{"slug": "my-skill", "description": "Does it again."}},
		{"GET", "/skillcards/user/none.v1.json", "", 404, nil},
		{"GET", "/skillcards/user/..%2f..%2fauth.json", "", 404, nil},
		{"POST", "/api/skillcards/user/delete", `{"fileName":"../auth.json"}`, 400, nil},
		{"POST", "/api/skillcards/user/delete", `{"fileName":"a\\b.json"}`, 400, nil},
		{"POST", "/api/skillcards/user/delete", `{"fileName":"none.v1.json"}`, 404, nil},
		{"POST", "/api/skillcards/user/mark-onchain", `{"fileName":"x/y.json","skillId":1,"txHash":"0x"}`, 400, nil},
		{"POST", "/api/skillcards/user/mark-onchain", `{"fileName":"my-skill.v1.0.0.json","skillId":0}`, 400, nil},
		{"POST", "/api/skillcards/user/mark-onchain", `{"fileName":"my-skill.v1.0.0.json","skillId":1,"txHash":"0x12"}`, 400, nil},
		{"POST", "/api/skillcards/user/mark-onchain", `{"fileName":"none.v1.json","skillId":1}`, 404, nil},
	} {
		status, doc := ask(tt.method, tt.path, tt.body)
		if status != tt.status {
			t.Errorf("%s %s %.60s: %d %v", tt.method, tt.path, tt.body, status, doc)
			continue
		}
		for path, want := range tt.want {
			if got := at(doc, path); !strings.HasPrefix(got, want) {
				t.Errorf("%s %s %.60s: %s is %s, want %s", tt.method, tt.path, tt.body, path, got, want)
			}
		}
	}
	// What is of one agent, another changes not.
	for _, route := range []string{"delete", "mark-onchain"} {
		if status, doc := eve("POST", "/api/skillcards/user/"+route, `{"fileName":"my-skill.v1.0.0.json","skillId":1}`); status == 200 {
			t.Errorf("%s: %v", route, doc)
		}
	}
	if status, doc := eve("POST", "/api/skillcards/user/add", `{"name":"My Skill","version":"1.0.0"}`); status != 409 {
		t.Errorf("%d %v", status, doc)
	}
	// Nobody without credentials changes anything.
	for _, route := range []string{"GET /api/skillcards/user/auth-check", "POST /api/skillcards/user/add", "POST /api/skillcards/user/delete", "POST /api/skillcards/user/mark-onchain"} {
		method, path, _ := strings.Cut(route, " ")
		r, err := http.NewRequestWithContext(t.Context(), method, w.url+path, strings.NewReader(`{"name":"My Skill","version":"1.0.0"}`))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %d", route, resp.StatusCode)
		}
	}
	if status, doc := mara("POST", "/api/skillcards/user/delete", `{"fileName":"my-skill.v1.0.0.json"}`); status != 200 || at(doc, "deleted") != "my-skill.v1.0.0.json" {
		t.Errorf("%d %v", status, doc)
	}
}

// at is a value of a document by its path.
func at(doc any, path string) string {
	for _, key := range strings.Split(path, ".") {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[key]
		case []any:
			var n int
			if _, err := fmt.Sscan(key, &n); err != nil || n >= len(v) {
				return ""
			}
			doc = v[n]
		default:
			return ""
		}
	}
	return fmt.Sprint(doc)
}
