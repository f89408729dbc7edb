package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// offline is a transport that fails every test that uses it.
type offline struct{ t *testing.T }

func (o offline) RoundTrip(r *http.Request) (*http.Response, error) {
	o.t.Errorf("%s %s was asked", r.Method, r.URL)
	return nil, http.ErrServerClosed
}

// In CI there is a file, an empty home, and no network.
func TestMarketDataFromAFile(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../market/testdata/market.json")
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "home")
	file := filepath.Join(t.TempDir(), "ci.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (int, map[string]any) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		env := map[string]string{"HOME": t.TempDir(), "APE_CLAW_HOME": home, "APE_CLAW_STATE_DIR": t.TempDir()}
		exit := Run(context.Background(), append(args, "--json"), Host{Stdout: &stdout, Stderr: &stderr, Transport: offline{t},
			Env: func(k string) (string, bool) { v, ok := env[k]; return v, ok },
			Now: func() time.Time { return time.Unix(1796040000, 0) }})
		var doc map[string]any
		if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
			t.Fatalf("%v: %s %s", err, &stdout, &stderr)
		}
		return exit, doc
	}
	exit, doc := run("market", "listings", "--collection", "demo-apes", "--data-source", "file:"+file, "--max-price", "12.5")
	if exit != 0 || doc["count"] != 1.0 || doc["pages"] != 1.0 || len(doc["skippedReasons"].([]any)) == 0 {
		t.Errorf("exit %d: %v", exit, doc)
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	list := `[{"name":"Demo Apes","slug":"apes","marketSlug":"demo-apes","contractAddress":"0x8464135c8f25da09e49bc8782676a84730c318bc"}]`
	for name, text := range map[string]string{"allowlist.json": list, "policy.json": `{"market":{"dataSource":"file"}}`, "market.json": string(data)} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The policy asks for a file, and the home has it.
	exit, doc = run("market", "listings", "--collection", "apes")
	if exit != 0 || doc["collection"] != "apes" || doc["count"] == 0.0 {
		t.Errorf("exit %d: %v", exit, doc)
	}
	list = strings.Replace(list, "18bc", "1234", 1)
	if err := os.WriteFile(filepath.Join(home, "allowlist.json"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	if exit, doc = run("market", "listings", "--collection", "apes"); exit != 3 || doc["code"] != "collection_not_allowed" {
		t.Errorf("exit %d: %v", exit, doc)
	}
	if err := os.WriteFile(filepath.Join(home, "market.json"), []byte("{\n\"listings\": [}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if exit, doc = run("market", "listings", "--collection", "apes"); exit != 64 || !strings.Contains(doc["error"].(string), "line 2") {
		t.Errorf("exit %d: %v", exit, doc)
	}
}
