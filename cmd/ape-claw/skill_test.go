package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// card writes a card and returns its path.
func (w *world) card(name string, fields map[string]any) string {
	w.t.Helper()
	doc := map[string]any{"slug": "floor-watcher", "name": "Floor watcher", "version": "1.0.0", "description": "Watches the floor.", "constraints": map[string]any{"riskTier": 1}}
	for k, v := range fields {
		doc[k] = v
	}
	b, err := json.Marshal(doc)
	if err != nil {
		w.t.Fatal(err)
	}
	path := filepath.Join(w.dir, name+".json")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// A skill comes from another machine's serve whole, and what a hostile server answers
// leaves nothing.
func TestSkillFromElsewhere(t *testing.T) {
	t.Parallel()
	there, here := newWorld(t), newWorld(t)
	file := there.card("card", map[string]any{"inputs_schema": map[string]any{"type": "object", "properties": map[string]any{"token": map[string]any{"type": "string"}, "password": map[string]any{}}}})
	if doc, exit := there.doc("skill", "add", file); exit != 0 {
		t.Fatalf("exit %d, %v", exit, doc)
	}
	hash, _ := there.doc("skill", "hash", file)
	url, kill := there.serve()
	defer kill()
	doc, exit := here.doc("skill", "install", "floor-watcher", "--api", url, "--allow-custom-api", "--allow-unvetted", "--skills-dir", "skills")
	if exit != 0 || doc["contentHash"] != hash["contentHash"] {
		t.Fatalf("exit %d, %v; want the hash %v", exit, doc, hash)
	}
	if doc, exit := here.doc("skill", "install", url+"/skillcards/user/floor-watcher.v1.0.0.json", "--allow-unvetted", "--skills-dir", "again"); exit != 0 || doc["contentHash"] != hash["contentHash"] {
		t.Errorf("exit %d, %v", exit, doc)
	}
	whole := `{"slug":"other","name":"Other","version":"1"}`
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		exit   int
		says   string
	}{
		"another skill": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"card":`+whole+`}`) }, 6, "sent the card of other"},
		"a page":        {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, 6, "holds no card"},
		"no card": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"card":{"slug":"../x","name":"X","version":"1"}}`)
		}, 64, "/slug should be"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, url, http.StatusFound) }, 6, "redirects to another address"},
		"an error":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }, 6, "status 418"},
		"not found":  {http.NotFound, 11, "has no such skill"},
		"5 MB":       {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte(" "), 5<<20)) }, 6, "longer than a card may be"},
	} {
		srv := httptest.NewServer(c.answer)
		doc, exit := here.doc("skill", "install", "nowhere-else", "--api", srv.URL, "--allow-custom-api", "--allow-unvetted", "--skills-dir", "none")
		if exit != c.exit || !strings.Contains(fmt.Sprint(doc["error"]), c.says) {
			t.Errorf("%s: exit %d, %v", name, exit, doc)
		}
		srv.Close()
	}
	if _, err := os.Lstat(filepath.Join(here.dir, "none")); err == nil {
		t.Error("something was installed")
	}
}

// A card that names its token is held against the chain, by who installs it and by a
// serve that is told it is there.
func TestSkillOnChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.inSandbox()
	do := func(want int, args ...string) map[string]any {
		t.Helper()
		doc, exit := w.doc(args...)
		if exit != want {
			t.Fatalf("%v: exit %d, %v", args, exit, doc)
		}
		return doc
	}
	do(0, "v2", "deploy", "--execute", "--autonomous")
	minted := do(0, "skill", "mint", "--file", w.card("first", nil), "--execute", "--autonomous")
	id := fmt.Sprint(minted["skillId"])
	named := map[string]any{"version": "1.1.0", "provenance": map[string]any{"skillId": id, "chainId": 7733139}}
	card := w.card("named", named)
	refused := func(want int, says string, args ...string) {
		t.Helper()
		if doc := do(want, append([]string{"skill", "install", card, "--allow-unvetted", "--allow-high-risk", "--force", "--skills-dir", "none"}, args...)...); !strings.Contains(fmt.Sprint(doc["error"]), says) {
			t.Errorf("%v", doc)
		}
	}
	refused(3, "version 1.1.0 was not published")
	do(0, "v2", "skill", "publish", "--skill-id", id, "--file", card, "--execute", "--autonomous")
	if doc := do(0, "skill", "install", card, "--allow-unvetted", "--skills-dir", "skills"); fmt.Sprint(doc["onChain"]) != fmt.Sprintf("map[chainId:7.733139e+06 checked:true skillId:%s]", id) {
		t.Errorf("%v", doc["onChain"])
	}
	url, kill := w.serve()
	defer kill()
	token := fmt.Sprint(do(0, "clawbot", "register", "--agent-id", "mara")["token"])
	post := func(route, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/skillcards/user/"+route, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Agent-Id", "mara")
		r.Header.Set("X-Agent-Token", token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close() //nolint:errcheck // only read
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	body, err := os.ReadFile(card)
	if err != nil {
		t.Fatal(err)
	}
	if status, said := post("add", string(body)); status != 200 {
		t.Fatalf("%d %s", status, said)
	}
	mark := `{"fileName":"floor-watcher.v1.1.0.json","skillId":` + id + `,"txHash":"0x` + strings.Repeat("11", 32) + `"}`
	if status, said := post("mark-onchain", strings.Replace(mark, `"skillId":`+id, `"skillId":99`, 1)); status != 404 {
		t.Errorf("of no skill: %d %s", status, said)
	}
	if status, said := post("mark-onchain", mark); status != 200 || !strings.Contains(said, `"chainId":7733139`) {
		t.Errorf("%d %s", status, said)
	}
	if doc := do(0, "skill", "show", "floor-watcher"); doc["skill"].(map[string]any)["onChain"] == nil {
		t.Errorf("%v", doc["skill"])
	}
	// The same version of another content.
	named["description"] = "Watches the floor, and sends your APE away."
	card = w.card("named", named)
	refused(3, "version 1.1.0 was published of another card")
	refused(3, "version 1.1.0 was published of another card", "--allow-unchecked")
	if body, err = os.ReadFile(card); err != nil {
		t.Fatal(err)
	}
	if status, said := post("add", string(body)); status != 200 || !strings.Contains(said, `"replaced":true`) {
		t.Fatalf("%d %s", status, said)
	}
	if status, said := post("mark-onchain", mark); status != 403 {
		t.Errorf("%d %s", status, said)
	}
	// Another chain, and one that can't be asked.
	named["provenance"] = map[string]any{"skillId": id, "chainId": 33139}
	card = w.card("named", named)
	refused(6, "names a skill on chain 33139, and this is chain 7733139")
	w.env = append(w.env, "APE_CLAW_PROFILE=apechain")
	refused(6, "", "--rpc", "http://127.0.0.1:1")
	doc := do(0, "skill", "install", card, "--allow-unvetted", "--allow-unchecked", "--skills-dir", "unchecked", "--rpc", "http://127.0.0.1:1")
	if fmt.Sprint(doc["onChain"]) != fmt.Sprintf("map[chainId:33139 checked:false skillId:%s]", id) {
		t.Errorf("%v", doc["onChain"])
	}
}
