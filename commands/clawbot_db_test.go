package commands

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Who was revoked in the database that stands there now does not get in by the
// one that a running process still holds.
func TestReplacedDatabaseProvesNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, store.StateFile)
	running := func() *Deps {
		d := newDeps(Host{Now: time.Now, Env: func(string) (string, bool) { return "", false }})
		d.Config = func() (*Config, error) { return &Config{StateDir: dir}, nil }
		t.Cleanup(func() {
			for _, c := range d.closers {
				if err := c(); err != nil {
					t.Error(err)
				}
			}
		})
		return d
	}
	r := running().registry()
	if n, err := r.Enabled(t.Context()); n != 0 || err != nil {
		t.Fatalf("%d agents, %v", n, err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Fatalf("looking made a database: %v", err)
	}
	_, token, err := r.Register(t.Context(), "bot-1", "")
	if err != nil {
		t.Fatal(err)
	}
	proof, err := r.Verify(t.Context(), "bot-1", token)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Verify(t.Context(), "bot-1", token); fault.CodeOf(err) != fault.Auth {
		t.Errorf("without a database: %v", err)
	}
	if _, _, err := running().registry().Register(t.Context(), "bot-2", ""); err != nil { // makes a new one
		t.Fatal(err)
	}
	if _, err := r.Verify(t.Context(), "bot-1", token); fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("a token of the old one: %v", err)
	}
	if holds, err := r.Holds(t.Context(), proof); holds || fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("a stream of the old one goes on: %t, %v", holds, err)
	}
	if _, _, err := r.Register(t.Context(), "bot-3", ""); fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("it goes into the old one: %v", err)
	}
}
