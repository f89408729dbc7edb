package commands

import (
	"context"
	"fmt"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// NFTResumeIn has no flags.
type NFTResumeIn struct{}

// NFTResumeOut is what became of the account's transactions without an outcome.
type NFTResumeOut struct {
	OK      bool           `json:"ok"` // nothing is open any more
	Settled []chain.OpenTx `json:"settled"`
	Open    []chain.OpenTx `json:"open"`
}

// Failure makes resume exit 7 while an outcome is unknown.
func (o NFTResumeOut) Failure() error {
	if o.OK {
		return nil
	}
	return fault.New(fault.TxUnknown, "without an outcome yet: %s", counted(len(o.Open), "transaction")).
		Hintf("run it again later: ape-claw nft resume")
}

func newNFTResume() Command {
	return define(Spec{Name: "nft resume", Short: "Find out what became of transactions whose outcome is unknown",
		Long: `Ask the node for the receipts of this account's transactions that were sent, or may have
been, and settle what it tells: journal, spend ledger and events. It signs and sends
nothing. Exit status 7 means that something is still open: run it again later.`,
		Events: []string{"nft.resume.ran"}, Risk: RiskWrite, Permission: "nft:resume"},
		nftResume,
		func(p *Printer, out NFTResumeOut) {
			if len(out.Settled)+len(out.Open) == 0 {
				p.Line("Nothing is open.")
				return
			}
			rows := make([][]string, 0, len(out.Settled)+len(out.Open))
			for _, tx := range append(out.Settled, out.Open...) {
				rows = append(rows, []string{tx.Key, tx.State, fmt.Sprint(tx.Nonce), tx.Hash})
			}
			p.Table([]string{"WHAT", "STATE", "NONCE", "TRANSACTION"}, rows)
			if len(out.Open) > 0 {
				p.Line("Still open: nothing else is sent from this account until they are mined. Run it again later.")
			}
		})
}

func nftResume(ctx context.Context, d *Deps, _ NFTResumeIn) (NFTResumeOut, error) {
	pol, err := d.Policy()
	if err != nil {
		return NFTResumeOut{}, err
	}
	sender, err := d.sender(ctx)
	if err != nil {
		return NFTResumeOut{}, err
	}
	db, err := d.moneyDB(ctx)
	if err != nil {
		return NFTResumeOut{}, err
	}
	before, err := chain.OpenTxs(ctx, db, d.host.Now)
	if err != nil {
		return NFTResumeOut{}, err
	}
	out := NFTResumeOut{Settled: []chain.OpenTx{}}
	if out.Open, err = sender.Recover(ctx, pol.ChainID); err != nil {
		return NFTResumeOut{}, err
	}
	open := map[string]bool{}
	for _, tx := range out.Open {
		open[tx.ID] = true
	}
	for _, tx := range before {
		if tx.ChainID != pol.ChainID || tx.Account != sender.Address() || open[tx.ID] {
			continue
		}
		// Without a live row it was never signed, and its key is free again.
		now, ok, err := chain.FindTx(ctx, db, d.host.Now, tx.Key)
		if err != nil {
			return NFTResumeOut{}, err
		}
		if ok {
			tx = now
		} else {
			tx.State = chain.StateAbandoned
		}
		out.Settled = append(out.Settled, tx)
	}
	out.OK = len(out.Open) == 0
	return out, d.Record(ctx, telemetry.Draft{Type: "nft.resume.ran", Result: map[string]any{"settled": len(out.Settled), "open": len(out.Open)}})
}
