package commands

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const bridgePrefix = "bridge:"

// BridgeResumeOut adds the transfers to what resume tells of transactions.
type BridgeResumeOut struct {
	ResumeOut
	Transfers []bridge.StatusOut `json:"transfers"` // that were under way
}

// Failure makes resume exit 7 while an outcome is unknown.
func (o BridgeResumeOut) Failure() error { return o.ResumeOut.Failure() }

func newBridgeResume() Command {
	const name = "bridge resume"
	return define(Spec{Name: name, Short: "Find out what became of transfers whose outcome is unknown",
		Long: `Ask the nodes for the receipts of this account's transactions that were sent, or may have
been, on every chain that a transfer left from, and settle what they tell: journal, spend
ledger and events. Then ask about every transfer that is under way, as bridge status does.
A transfer whose deposit was never sent is a quote again: bridge execute goes on with it.

What no node knows is handed to the node again, the same signed bytes, while its quote is
alive, policy allows it and nothing is halted. --cancel and --reprice are those of nft
resume, for the transaction that --tx names. Exit status 7 means that a transaction is
still open: run it again later.`,
		Example: "  ape-claw bridge resume\n  ape-claw bridge resume --reprice --tx 0x…",
		Events:  settling("bridge.resume.ran", "bridge.execute.confirmed", "bridge.execute.refunded", "v2.receipt.skipped"), Risk: RiskHigh, Permission: "bridge:resume", AI: Exposure{Class: AINever}, Human: "to cancel or reprice"},
		func(ctx context.Context, d *Deps, in ResumeIn) (BridgeResumeOut, error) {
			out, err := d.bridgeResume(ctx, in, name)
			return out, inResumeWords(name, err)
		},
		func(p *Printer, out BridgeResumeOut) {
			if len(out.Settled)+len(out.Open)+len(out.Transfers) == 0 {
				p.Line("Nothing is open.")
				return
			}
			printResumed(p, out.ResumeOut)
			var rows [][]string
			for _, t := range out.Transfers {
				rows = append(rows, []string{t.RequestID, t.Status, clean(t.Message), clean(t.Warning)})
			}
			if len(rows) > 0 {
				p.Table([]string{"TRANSFER", "STATE", "", ""}, rows)
			}
		})
}

func (d *Deps) bridgeResume(ctx context.Context, in ResumeIn, name string) (BridgeResumeOut, error) {
	pol, err := d.Policy()
	if err != nil {
		return BridgeResumeOut{}, err
	}
	chains, err := d.bridgeChains(ctx, in.Tx)
	if err != nil {
		return BridgeResumeOut{}, err
	}
	all := BridgeResumeOut{ResumeOut: ResumeOut{OK: true, Settled: []chain.OpenTx{}, Open: []chain.OpenTx{}}, Transfers: []bridge.StatusOut{}}
	for _, id := range chains {
		out, err := d.resumeOn(ctx, in, name, id)
		if err != nil {
			return BridgeResumeOut{}, err
		}
		all.OK = all.OK && out.OK
		all.Settled, all.Open, all.NotSent = append(all.Settled, out.Settled...), append(all.Open, out.Open...), append(all.NotSent, out.NotSent...)
		if out.Hint != "" {
			all.Hint = out.Hint
		}
	}
	s, err := d.bridge(false)
	if err != nil {
		return all, err
	}
	transfers, err := s.SettleAll(ctx)
	for _, t := range transfers {
		all.Transfers = append(all.Transfers, d.bridgeStatus(t))
	}
	if err != nil { // each says so itself
		d.warn("%s", fault.From(err).Message)
	}
	return all, d.resumed(ctx, "bridge.resume.ran", pol.ChainID, all.ResumeOut)
}

// bridgeChains are the chains that transfers of the account left from, where something
// may be open, or the one of a transaction that was named.
func (d *Deps) bridgeChains(ctx context.Context, tx string) ([]int64, error) {
	if none, err := d.sentNothing(); err != nil || none {
		if err == nil && tx != "" {
			err = fault.New(fault.NotFound, "no transaction %q was sent from here", shownArg(tx)).WithSent(fault.SentNo)
		}
		return nil, err
	}
	db, err := d.moneyDB(ctx)
	if err != nil {
		return nil, err
	}
	open, err := chain.OpenTxs(ctx, db, d.host.Now)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, t := range open {
		named := tx == "" || t.ID == tx || strings.EqualFold(t.Hash, tx) || slices.ContainsFunc(t.Replacements, func(r chain.ReplacementTx) bool { return strings.EqualFold(r.Hash, tx) })
		if strings.HasPrefix(t.Key, bridgePrefix) && named && !slices.Contains(ids, t.ChainID) {
			ids = append(ids, t.ChainID)
		}
	}
	if tx != "" && len(ids) == 0 {
		return nil, errors.Join(fault.New(fault.NotFound, "no open transaction %q of a transfer", shownArg(tx)).Hintf("leave out --tx: ape-claw bridge resume").WithSent(fault.SentNo))
	}
	return ids, nil
}

// symbolOf is what a chain's own currency is called, for people.
func (d *Deps) symbolOf(chainID int64) string {
	p, err := d.Policy()
	if err != nil {
		return "APE"
	}
	for _, place := range d.bridgePlaces(p) {
		if place.ID == chainID {
			return place.Symbol
		}
	}
	return p.NativeToken
}
