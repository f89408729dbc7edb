package sandbox_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestHomeAndCurrent(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := start(t, sandbox.Options{Home: home})
	c, err := sandbox.Load(home)
	if err != nil {
		t.Fatal(err)
	}
	if c.PID != os.Getpid() || c.RPCURL != w.RPCURL() || c.MarketURL != w.MarketURL() || c.ChainID != 7733139 ||
		c.Home != filepath.Join(home, "sandbox") || c.BuyerKey != w.Buyer().Reveal() || c.MarketKey == "" ||
		c.Seed != demo.DefaultSeed || time.Since(c.Started) > time.Minute {
		t.Errorf("current.json says %+v", c)
	}
	for _, name := range []string{"current.json", "policy.json", "allowlist.json", "lock"} {
		fi, err := os.Stat(filepath.Join(home, "sandbox", name))
		if err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, fi, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := sandbox.Load(home); fault.CodeOf(err) != fault.Upstream || fault.From(err).Hint != "ape-claw sandbox up --detach" {
		t.Errorf("after Close: %v", err)
	}
	if _, err := rpc(t, c.RPCURL, "eth_chainId"); err == nil {
		t.Error("it still answers after Close")
	}
}

func TestCurrentShowsNoSecrets(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Home: t.TempDir()})
	c := w.Current()
	j, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "a", c, "b", &c)
	for _, shown := range []string{string(j), log.String(), fmt.Sprintf("%v %+v %#v %s", c, c, c, &c)} {
		if strings.Contains(shown, c.BuyerKey) {
			t.Errorf("the buyer's key is in %s", shown)
		}
	}
}

func TestPolicyAcceptsTheFiles(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := start(t, sandbox.Options{Home: home})
	src := policy.Sources{Home: w.Current().Home, Sandbox: true}
	p, err := policy.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	if p.ChainID != w.ChainID() || p.NFTBuy.MaxPricePerTx.Max.Cmp(ape(t, "100")) != 0 {
		t.Errorf("policy: chain %d, at most %v", p.ChainID, p.NFTBuy.MaxPricePerTx)
	}
	list, err := policy.LoadAllowlist(src)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range w.Demo().Collections {
		e, err := list.Resolve(c.Slug)
		if err != nil || !strings.EqualFold(e.ContractAddress, c.Address.Hex()) {
			t.Errorf("%s resolves to %+v, %v", c.Slug, e, err)
		}
	}
}

func TestPeoplesPolicyStays(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := filepath.Join(home, "sandbox", "policy.json")
	if err := store.EnsureDir(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteFile(path, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	start(t, sandbox.Options{Home: home})
	if b, err := os.ReadFile(path); err != nil || string(b) != "{}" {
		t.Errorf("policy.json is %q now, %v", b, err)
	}
}
