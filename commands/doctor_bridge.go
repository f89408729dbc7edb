package commands

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/store"
)

// bridge tells between which chains funds can move, and whether some are on their way.
func (r *checkup) bridge(ctx context.Context, cfg *Config) {
	out := &r.out.Bridge
	out.RelayAPIKeyProvided, out.Chains = cfg.RelayKey.Set(), []string{}
	if r.pol != nil {
		for _, p := range r.d.bridgePlaces(r.pol) {
			own := p.ID == r.pol.ChainID || cfg.Sandbox != nil && p.ID == cfg.Sandbox.EthereumChainID
			if own || cfg.Nodes[p.ID].Value != "" {
				out.Chains = append(out.Chains, p.Name)
			}
		}
		slices.Sort(out.Chains)
	}
	if _, err := os.Stat(filepath.Join(cfg.StateDir, store.StateFile)); err != nil {
		return // nothing was quoted here, and looking makes no file
	}
	db, err := r.d.stateDB(ctx)
	if err != nil {
		return // told elsewhere
	}
	pending, err := (bridge.Store{DB: db}).Pending(ctx)
	if err != nil {
		r.warn("%s", sentence(err))
		return
	}
	if out.Pending = len(pending); out.Pending > 0 {
		r.warn("%s without an end", counted(out.Pending, "transfer"))
		r.next(r.d.cli() + " bridge resume")
	}
}
