package commands

import (
	"context"
	"fmt"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// NFTResumeIn is the input of nft resume.
type NFTResumeIn struct {
	Tx      string `json:"tx" help:"id or hash of one transaction; without it all that are open"`
	Cancel  bool   `json:"cancel" help:"free the nonce of a stuck transaction: send nothing to yourself in its place"`
	Reprice bool   `json:"reprice" help:"send a stuck transaction again with a higher fee"`
}

// Check refuses what can't be meant.
func (in NFTResumeIn) Check() error {
	if in.Cancel && in.Reprice {
		return fault.New(fault.Usage, "--cancel and --reprice exclude each other").Hintf("choose one of them").WithSent(fault.SentNo)
	}
	return nil
}

func (in NFTResumeIn) mode() chain.ResumeMode {
	switch {
	case in.Cancel:
		return chain.ResumeCancel
	case in.Reprice:
		return chain.ResumeReprice
	}
	return chain.ResumeWatch
}

// NFTResumeOut is what became of the account's transactions without an outcome.
type NFTResumeOut struct {
	OK      bool           `json:"ok"` // nothing is open any more
	Settled []chain.OpenTx `json:"settled"`
	Open    []chain.OpenTx `json:"open"`
	NotSent []string       `json:"notSent,omitempty"` // why what is open was not sent again
	Hint    string         `json:"hint,omitempty"`    // what to do about what is open
}

// Failure makes resume exit 7 while an outcome is unknown.
func (o NFTResumeOut) Failure() error {
	if o.OK {
		return nil
	}
	return fault.New(fault.TxUnknown, "without an outcome yet: %s", counted(len(o.Open), "transaction")).
		Hintf("%s", o.Hint).WithSent(fault.SentMaybe)
}

func newNFTResume() Command {
	return define(Spec{Name: "nft resume", Short: "Find out what became of transactions whose outcome is unknown",
		Long: `Ask the node for the receipts of this account's transactions that were sent, or may have
been, and settle what it tells: journal, spend ledger and events. Outcomes of the last
hour are held against the chain again, since a reorganisation may have taken them back.

What no node knows is handed to the node again, the same signed bytes, while its quote
is alive, policy allows it and nothing is halted. Otherwise nothing is sent, and its
nonce stays taken: then a person may free it, at a terminal. --cancel sends nothing to
the own address with the same nonce; --reprice sends the same transaction with a higher
fee. The chain takes one of them, and each is looked for. Where its nonce is ahead of
what the account has sent, nothing can take its place: --cancel then sets it aside, as
spent, so that the account goes on. Exit status 7 means that
something is still open: run it again later.`,
		Example: "  ape-claw nft resume\n  ape-claw nft resume --cancel --tx 0x…",
		Events: []string{"nft.resume.ran", "nft.buy.submitted", "nft.buy.confirmed", "nft.buy.reverted", "nft.buy.unknown", "nft.buy.replacing",
			"nft.buy.cancelled", "nft.buy.replaced", "policy.blocked"},
		Risk: RiskHigh, Permission: "nft:resume", AI: Exposure{Class: AINever}, Human: "to cancel or reprice"},
		nftResume,
		func(p *Printer, out NFTResumeOut) {
			if len(out.Settled)+len(out.Open) == 0 {
				p.Line("Nothing is open.")
				return
			}
			rows := [][]string{}
			for _, tx := range append(append([]chain.OpenTx{}, out.Settled...), out.Open...) {
				rows = append(rows, []string{tx.Key, tx.State, fmt.Sprint(tx.Nonce), tx.Hash})
				for _, r := range tx.Replacements {
					rows = append(rows, []string{map[string]string{"cancel": "  its cancellation", "reprice": "  the same, repriced"}[r.Kind], r.State, fmt.Sprint(tx.Nonce), r.Hash})
				}
			}
			p.Table([]string{"WHAT", "STATE", "NONCE", "TRANSACTION"}, rows)
			for _, why := range out.NotSent {
				p.Line("Not sent again: %s", clean(why))
			}
			if len(out.Open) > 0 {
				p.Line("Still open: nothing else is sent from this account until they are mined.")
				p.Line("%s", out.Hint)
			}
		})
}

func nftResume(ctx context.Context, d *Deps, in NFTResumeIn) (NFTResumeOut, error) {
	pol, err := d.Policy()
	if err != nil {
		return NFTResumeOut{}, err
	}
	sender, err := d.sender(ctx)
	if err != nil {
		return NFTResumeOut{}, err
	}
	ask := chain.ResumeIn{ChainID: pol.ChainID, Mode: in.mode(), Tx: in.Tx}
	if ask.Mode != chain.ResumeWatch {
		if err := d.agreeToReplace(ctx, sender, &ask); err != nil {
			return NFTResumeOut{}, policy.Blocked(ctx, d, "ape-claw nft resume", false, err)
		}
	}
	got, err := sender.Resume(ctx, ask)
	out := NFTResumeOut{OK: len(got.Open) == 0, Settled: got.Settled, Open: got.Open}
	if !out.OK {
		out.Hint = d.inProfile("run it again later: ape-claw nft resume; a person may free the nonce: ape-claw nft resume --cancel, or send it with a higher fee: --reprice")
	}
	for _, why := range got.Kept {
		out.NotSent = append(out.NotSent, why.Error())
	}
	if err != nil {
		return NFTResumeOut{}, err
	}
	// Also when it was interrupted: what it did is done.
	write, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return out, d.Record(write, telemetry.Draft{Type: "nft.resume.ran", Result: map[string]any{"settled": len(out.Settled), "open": len(out.Open)}})
}

// agreeToReplace works out the terms of a replacement, has a person agree to them
// at the terminal, and policy allow them.
func (d *Deps) agreeToReplace(ctx context.Context, sender *chain.Sender, in *chain.ResumeIn) error {
	if _, err := sender.Recover(ctx, in.ChainID); err != nil {
		return err
	}
	r, err := sender.PrepareReplacement(ctx, in.ChainID, in.Mode, in.Tx)
	if err != nil {
		return err
	}
	act := "cancel the transaction with nonce %d"
	if in.Mode == chain.ResumeReprice {
		act = "send the transaction with nonce %d again with a higher fee"
	}
	ape := func(w units.Wei) string { return w.Decimal(units.APEDecimals) + " APE" }
	facts := []string{
		"stuck:       " + r.Old.Hex() + " (" + r.Key + ")",
		fmt.Sprintf("in its place: to %s, value %s, chain %d, account %s", r.To.Hex(), ape(r.Value), r.ChainID, r.Account.Hex()),
		fmt.Sprintf("fee:         at most %s, of which %s is not reserved yet", ape(r.Fees.FeeCap), ape(r.Extra)),
		"whichever of the two the chain takes first counts: the stuck one may still be mined",
	}
	if r.Gap > 0 && in.Mode == chain.ResumeCancel {
		facts = append(facts[:1], fmt.Sprintf("nothing is sent: the node says that the account has to send %d other transactions before nonce %d is its turn", r.Gap, r.Nonce),
			"it is set aside: it counts as spent for 24 h, its quote stays used, and other purchases go on;",
			"it was signed, and may still be mined once the account gets to its nonce")
	}
	if err := d.needTerminal(ctx, fmt.Sprintf(act, r.Nonce), facts...); err != nil {
		return err
	}
	src, err := d.sources()
	if err != nil {
		return err
	}
	ledger, err := d.ledger(ctx)
	if err != nil {
		return err
	}
	asked, err := r.Policy(ctx, ledger)
	if err != nil {
		return err
	}
	const grantFor = 2 * time.Minute // as a purchase's
	in.Replacement = r
	in.Grant, err = policy.LoadFence(src).AuthorizeReplacement(asked, d.host.Now().Add(grantFor))
	return err
}

// reconsider is nft's word on sending the same bytes again.
func (d *Deps) reconsider(ctx context.Context, story chain.Story, tx policy.Tx) error {
	s, err := d.nft("")
	if err != nil {
		return err
	}
	return s.Reconsider(ctx, story, tx)
}

// reprice is nft's word on sending the same with a higher fee.
func (d *Deps) reprice(ctx context.Context, story chain.Story, tx policy.Tx) error {
	s, err := d.nft("")
	if err != nil {
		return err
	}
	return s.Reprice(ctx, story, tx)
}
