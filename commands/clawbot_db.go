package commands

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// registry is the agents of the state directory. What only looks makes no file.
func (d *Deps) registry() *agents.Registry {
	return agents.New(d.agentsDB(), d.host.Now)
}

// agentsDB opens the state database, and hands it out for as long as it is the
// file in the state directory. One that was replaced, by a backup or by hand,
// still answers under its old name in memory: who was revoked since would get in.
func (d *Deps) agentsDB() agents.Opener {
	var mu sync.Mutex
	var opened os.FileInfo // guarded by mu
	return func(ctx context.Context, create bool) (*sql.DB, error) {
		cfg, err := d.Config()
		if err != nil {
			return nil, err
		}
		path := filepath.Join(cfg.StateDir, store.StateFile)
		mu.Lock()
		defer mu.Unlock()
		is, err := os.Lstat(path)
		if !create && os.IsNotExist(err) {
			return nil, nil
		}
		if opened != nil && (err != nil || !os.SameFile(opened, is)) {
			return nil, fault.New(fault.StateUnusable, "%s was replaced while it was open", store.StateFile).
				Hintf("stop this ape-claw and start it again")
		}
		db, err := d.stateDB(ctx)
		if err == nil && opened == nil {
			opened, err = os.Lstat(path)
		}
		return db, err
	}
}
