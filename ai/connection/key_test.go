package connection_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ape-claw/ape-claw/ai/connection"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestKeyGoesToItsAddressAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.add("Main")
	if c.Name != "main" || c.Status != connection.Active || !c.Key.Has || c.Key.Hint != "wxyz" || !c.Default {
		t.Fatalf("%+v", c)
	}
	if _, _, err := w.s.Open(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if o := w.dialed[0]; o.Key != canary || o.BaseURL != "https://api.openai.com/v1" {
		t.Errorf("dialed %s", o.BaseURL)
	}
	if len(w.loaded) == 0 || w.loaded[len(w.loaded)-1] != canary {
		t.Error("the redactor did not hear of the key before it was used")
	}
	// The same address, written otherwise, is no change.
	if c, err := w.s.Set(t.Context(), "MAIN", connection.Change{BaseURL: ptr("https://API.openai.com/v1/")}); err != nil || !c.Key.Has {
		t.Fatalf("%+v %v", c.Key, err)
	}
	if c, err := w.s.Set(t.Context(), "main", connection.Change{BaseURL: ptr("https://elsewhere.example/v1")}); err != nil || c.Key.Has || c.Key.Hint != "" || c.Status != connection.ReauthRequired {
		t.Fatalf("%+v %v", c, err)
	}
	_, _, err := w.s.Open(t.Context(), "main")
	code(t, err, fault.ProviderAuth)
	if len(w.dialed) != 1 {
		t.Error("something was sent to the new address")
	}
}

func TestVariableBeforeStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c, err := w.s.Add(t.Context(), connection.AddIn{Name: "a", Service: "groq", KeyEnv: "GROQ_API_KEY"})
	if err != nil || c.Key.Has || c.Status != connection.ReauthRequired || c.Key.Env != "GROQ_API_KEY" {
		t.Fatalf("%+v %v", c, err)
	}
	_, _, err = w.s.Open(t.Context(), "a")
	code(t, err, fault.ProviderAuth)
	if _, err := os.Stat(filepath.Join(w.home, connection.KeyFile)); err == nil {
		t.Error("a key file was made for nothing")
	}
	if _, err := w.s.SetSecret(t.Context(), "a", canary); err != nil {
		t.Fatal(err)
	}
	w.env["GROQ_API_KEY"] = "the-key-in-the-environment"
	for range 2 {
		if _, _, err := w.s.Open(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		delete(w.env, "GROQ_API_KEY")
	}
	if w.dialed[0].Key != "the-key-in-the-environment" || w.dialed[1].Key != canary {
		t.Errorf("dialed with %d keys in the wrong order", len(w.dialed))
	}
	// A new address forgets the variable too: it would send that key there.
	if c, err := w.s.Set(t.Context(), "a", connection.Change{BaseURL: ptr("https://elsewhere.example")}); err != nil || c.Key != (connection.Key{}) {
		t.Errorf("%+v %v", c.Key, err)
	}
}

// Whatever becomes of the files, a key is not used, and the error says what to do.
func TestKeyFile(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil func(t *testing.T, w *world, path string)
		want  string
	}{
		"loose":   {func(t *testing.T, _ *world, path string) { must(t, os.Chmod(path, 0o640)) }, "can be read by others (mode 0640)"},
		"missing": {func(t *testing.T, _ *world, path string) { must(t, os.Remove(path)) }, "ai.key is missing"},
		"short":   {func(t *testing.T, _ *world, path string) { must(t, os.WriteFile(path, []byte("short"), 0o600)) }, "does not hold 32 bytes"},
		"long": {func(t *testing.T, _ *world, path string) {
			must(t, os.WriteFile(path, bytes.Repeat([]byte("x"), 33), 0o600))
		}, "does not hold 32 bytes"},
		"another": {func(t *testing.T, _ *world, path string) {
			must(t, os.WriteFile(path, bytes.Repeat([]byte("x"), 32), 0o600))
		}, "sealed under another ai.key"},
		"a link": {func(t *testing.T, _ *world, path string) {
			must(t, os.Rename(path, path+".real"))
			must(t, os.Symlink(path+".real", path))
		}, "a symbolic link"},
		"two names": {func(t *testing.T, _ *world, path string) { must(t, os.Link(path, path+".more")) }, "other names"},
		"another connection's value": {func(t *testing.T, w *world, _ string) {
			w.add("other")
			mustExec(t, w, `UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE name = 'connection:' || (SELECT id FROM connections WHERE name = 'other'))`)
		}, "does not open"},
		"another address in the row": {func(t *testing.T, w *world, _ string) {
			mustExec(t, w, `UPDATE connections SET doc = replace(doc, 'api.openai.com', 'evil.example')`)
		}, "does not open"},
		"one bit": {func(t *testing.T, w *world, _ string) {
			mustExec(t, w, `UPDATE secrets SET sealed = CAST(substr(sealed, 1, length(sealed) - 1) || x'00' AS BLOB)`)
		}, "does not open"},
		"cut": {func(t *testing.T, w *world, _ string) { mustExec(t, w, `UPDATE secrets SET sealed = x'01'`) }, "unknown form"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.add("main")
			if err := w.s.CheckKeys(t.Context()); err != nil {
				t.Fatal(err)
			}
			tt.spoil(t, w, filepath.Join(w.home, connection.KeyFile))
			_, _, err := w.s.Open(t.Context(), "main")
			code(t, err, fault.StateUnusable)
			if err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if fault.From(err).Hint == "" {
				t.Error("no hint")
			}
			if err := w.s.CheckKeys(t.Context()); err == nil {
				t.Error("CheckKeys sees nothing")
			}
			if len(w.dialed) != 0 {
				t.Error("the provider was asked")
			}
			// Looking works, and removing.
			if _, err := w.s.List(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := w.s.Remove(t.Context(), "main"); err != nil {
				t.Error(err)
			}
		})
	}
}

func mustExec(t *testing.T, w *world, q string) {
	t.Helper()
	_, err := w.db.Exec(q)
	must(t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What is stored, told and printed holds nothing of the key but its last 4.
func TestKeyIsNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.add("main")
	w.fail = fault.New(fault.ProviderAuth, "no")
	_, err := w.s.Verify(t.Context(), "main")
	code(t, err, fault.ProviderAuth)
	if _, err := w.s.SetSecret(t.Context(), "main", canary+"\x00"); err == nil || strings.Contains(fmt.Sprintf("%+v", err), canary) {
		t.Errorf("%v", err)
	}
	secret := connection.Secret(canary)
	text, err := json.Marshal(map[string]any{"s": secret, "c": c, "in": connection.AddIn{Key: secret}})
	must(t, err)
	shown := string(text) + fmt.Sprintf("%v %+v %#v %s %q", secret, connection.AddIn{Key: secret}, connection.AddIn{Key: secret}, secret, secret) + fmt.Sprint(w.events)
	if strings.Contains(shown, canary[:12]) {
		t.Errorf("the key was shown: %s", shown)
	}
	must(t, filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(canary[:12])) {
			t.Errorf("%s holds the key", filepath.Base(path))
		}
		fi, statErr := d.Info()
		if statErr != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", filepath.Base(path), fi.Mode(), statErr)
		}
		return err
	}))
}

// The key file is made once, whoever comes first.
func TestOneKeyFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.s.Add(t.Context(), connection.AddIn{Name: "a", Service: "ollama"}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, err := w.s.Add(t.Context(), connection.AddIn{Name: fmt.Sprintf("c%d", i), Service: "openai", Key: canary}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := w.s.CheckKeys(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRefusedKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, in := range map[string]connection.AddIn{
		"the wallet's":         {Key: "the-wallets-own-key"},
		"two lines":            {Key: "a\nb"},
		"a space":              {Key: "a b"},
		"too long":             {Key: connection.Secret(strings.Repeat("x", 5000))},
		"our variable":         {KeyEnv: "APE_CLAW_PRIVATE_KEY"},
		"our other variable":   {KeyEnv: "OPENSEA_API_KEY"},
		"a wallet's variable":  {KeyEnv: "ETH_PRIVATE_KEY"},
		"a mnemonic":           {KeyEnv: "MNEMONIC"},
		"the key for its name": {KeyEnv: "gsk_abcdefghijkl"},
		"lower case":           {KeyEnv: "openai_api_key"},
	} {
		in.Name, in.Service = "x", "openai"
		_, err := w.s.Add(t.Context(), in)
		code(t, err, fault.Usage)
		if err != nil && strings.Contains(err.Error(), "gsk_") {
			t.Errorf("%s: the key is shown: %v", name, err)
		}
	}
	if _, err := os.Stat(w.home); err == nil {
		t.Error("what was refused left something behind")
	}
	// Under an innocent name, by its value.
	w.env["SOME_KEY"] = "the-wallets-own-key"
	if _, err := w.s.Add(t.Context(), connection.AddIn{Name: "x", Service: "openai", KeyEnv: "SOME_KEY"}); err != nil {
		t.Fatal(err)
	}
	_, _, err := w.s.Open(t.Context(), "x")
	code(t, err, fault.Usage)
	if len(w.dialed) != 0 {
		t.Error("the wallet's key was sent")
	}
}
