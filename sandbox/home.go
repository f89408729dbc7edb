package sandbox

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// chainDir is the chain's folder in a data directory.
const chainDir = devchain.Dir

// policyFile is the policy a sandbox home starts with. People may change it:
// it is written only where none is.
//
//go:embed policy.json
var policyFile []byte

// profileHome is the home of the sandbox profile; "" when there is none.
func (w *World) profileHome() string {
	switch {
	case w.opt.Home == "":
		return ""
	case w.opt.DataDir != "":
		return w.opt.DataDir
	}
	return filepath.Join(w.opt.Home, "sandbox")
}

// claim makes this sandbox the only one of its home.
func (w *World) claim() error {
	if w.opt.Home == "" {
		return nil
	}
	l, ok, err := store.TryLock(lockPath(w.opt.Home))
	if err != nil {
		return err
	}
	if !ok {
		return w.taken()
	}
	w.lock = l
	// What a killed sandbox left behind must not be taken for this one.
	return remove(currentPath(w.opt.Home))
}

// taken says which sandbox has the home.
func (w *World) taken() error {
	e := fault.New(fault.Conflict, "a sandbox is running for %s already", store.Display(w.opt.Home)).
		Hintf("use it, or stop it: ape-claw sandbox down")
	if c, err := read(w.opt.Home); err == nil && c != nil {
		e.Message += fmt.Sprintf(": pid %d at %s", c.PID, c.MarketURL)
		e = e.With("pid", c.PID).With("marketUrl", c.MarketURL)
	}
	return e
}

// prepareHome writes what a sandbox home needs where it is missing, and drops
// ledger and journal when the chain they are about is gone.
func (w *World) prepareHome() error {
	home := w.profileHome()
	if home == "" {
		return nil
	}
	if err := store.EnsureDir(home); err != nil {
		return err
	}
	_, err := os.Stat(filepath.Join(w.opt.DataDir, chainDir))
	if w.opt.DataDir == "" || errors.Is(err, fs.ErrNotExist) {
		if err := forget(home); err != nil {
			return err
		}
	}
	list, err := w.allowlist()
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"policy.json": policyFile, "allowlist.json": list} {
		path := filepath.Join(home, name)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := store.WriteFile(path, text); err != nil {
			return err
		}
	}
	return nil
}

// allowlist lists the demo collections, one a line.
func (w *World) allowlist() ([]byte, error) {
	type entry struct {
		Name    string `json:"name"`
		Slug    string `json:"slug"`
		Address string `json:"contractAddress"`
		Enabled bool   `json:"enabled"`
	}
	var b bytes.Buffer
	b.WriteString("[\n")
	for i, c := range w.demo.Collections {
		line, err := json.Marshal(entry{c.Name, c.Slug, lower(c.Address), true})
		if err != nil {
			return nil, fmt.Errorf("allowlist: %w", err)
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString("  ")
		b.Write(line)
	}
	b.WriteString("\n]\n")
	return b.Bytes(), nil
}

// forget deletes the profile's spend ledger and transaction journal. They tell
// of a chain that no longer exists: on a fresh one the same nonces come again.
func forget(home string) error {
	if home == "" {
		return nil
	}
	for _, name := range []string{"money.db", "money.db-wal", "money.db-shm"} {
		if err := remove(filepath.Join(home, name)); err != nil {
			return err
		}
	}
	return nil
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.StateUnusable, "can't delete %s", store.Display(path))
	}
	return nil
}

// describe says how this sandbox is reached.
func (w *World) describe() *Current {
	base := "http://" + w.listener.Addr().String()
	return &Current{
		PID: os.Getpid(), Instance: store.NewID("sandbox_"), Home: w.profileHome(),
		RPCURL: base + "/rpc", MarketURL: base, ChainID: w.demo.Options.ChainID,
		EthereumRPCURL: base + "/rpc/ethereum", EthereumChainID: devchain.EthereumChainID, RelayURL: base + "/relay",
		Seed: w.demo.Options.Seed, DataDir: w.opt.DataDir, Started: w.opt.Now().UTC(),
		Buyer: w.demo.Buyer.Address().Hex(), BuyerKey: w.demo.Buyer.Reveal(),
		MarketKey: "sandbox", token: store.NewID(""),
	}
}

// announce tells others of this sandbox; retract takes that back.
func (w *World) announce() error {
	if w.opt.Home == "" {
		return nil
	}
	return w.current.write(w.opt.Home)
}

func (w *World) retract() {
	if w.opt.Home == "" {
		return
	}
	if err := remove(currentPath(w.opt.Home)); err != nil {
		w.opt.Logger.Error("stop", "err", err)
	}
}

// release gives the home back.
func (w *World) release() error {
	if w.lock == nil {
		return nil
	}
	l := w.lock
	w.lock = nil
	return l.Unlock()
}
