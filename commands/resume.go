package commands

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// ResumeIn is the input of nft resume and v2 resume.
type ResumeIn struct {
	Tx      string `json:"tx" help:"id or hash of one transaction; without it all that are open"`
	Cancel  bool   `json:"cancel" help:"free the nonce of a stuck transaction: send nothing to yourself in its place"`
	Reprice bool   `json:"reprice" help:"send a stuck transaction again with a higher fee"`
}

// Check refuses what can't be meant.
func (in ResumeIn) Check() error {
	if in.Cancel && in.Reprice {
		return fault.New(fault.Usage, "--cancel and --reprice exclude each other").Hintf("choose one of them").WithSent(fault.SentNo)
	}
	return nil
}

func (in ResumeIn) mode() chain.ResumeMode {
	switch {
	case in.Cancel:
		return chain.ResumeCancel
	case in.Reprice:
		return chain.ResumeReprice
	}
	return chain.ResumeWatch
}

// ResumeOut is what became of the account's transactions without an outcome.
type ResumeOut struct {
	OK      bool           `json:"ok"` // nothing is open any more
	Settled []chain.OpenTx `json:"settled"`
	Open    []chain.OpenTx `json:"open"`
	NotSent []string       `json:"notSent,omitempty"` // why what is open was not sent again
	Hint    string         `json:"hint,omitempty"`    // what to do about what is open
}

// Failure makes resume exit 7 while an outcome is unknown.
func (o ResumeOut) Failure() error {
	if o.OK {
		return nil
	}
	return fault.New(fault.TxUnknown, "without an outcome yet: %s", counted(len(o.Open), "transaction")).
		Hintf("%s", o.Hint).WithSent(fault.SentMaybe)
}

// resumer is a command that finds out what became of transactions. All do the same,
// each for the account of its own key.
func resumer(spec Spec) Command {
	spec.Events, spec.Risk, spec.AI, spec.Human = settling(append(spec.Events, "v2.receipt.skipped")...), RiskHigh, Exposure{Class: AINever}, "to cancel or reprice"
	return define(spec, func(ctx context.Context, d *Deps, in ResumeIn) (ResumeOut, error) {
		out, err := d.resume(ctx, in, spec.Name, spec.Events[0])
		return out, inResumeWords(spec.Name, err)
	},
		func(p *Printer, out ResumeOut) {
			if len(out.Settled)+len(out.Open) == 0 {
				p.Line("Nothing is open.")
				return
			}
			printResumed(p, out)
		})
}

func printResumed(p *Printer, out ResumeOut) {
	rows := [][]string{}
	for _, tx := range append(append([]chain.OpenTx{}, out.Settled...), out.Open...) {
		rows = append(rows, []string{tx.Key, tx.State, fmt.Sprint(tx.Nonce), tx.Hash})
		for _, r := range tx.Replacements {
			rows = append(rows, []string{map[string]string{"cancel": "  its cancellation", "reprice": "  the same, repriced"}[r.Kind], r.State, fmt.Sprint(tx.Nonce), r.Hash})
		}
	}
	if len(rows) > 0 {
		p.Table([]string{"WHAT", "STATE", "NONCE", "TRANSACTION"}, rows)
	}
	for _, why := range out.NotSent {
		p.Line("Not sent again: %s", clean(why))
	}
	if len(out.Open) > 0 {
		p.Line("Still open: nothing else is sent from this account until they are mined.")
		p.Line("%s", out.Hint)
	}
}

// resumeHint is a hint of the transaction path, which names the first of the commands.
func resumeHint(command, hint string) string {
	return strings.ReplaceAll(hint, "ape-claw nft resume", "ape-claw "+command)
}

// inResumeWords puts the hint of an error into the words of the command that runs.
func inResumeWords(command string, err error) error {
	f := fault.From(err)
	if err == nil || f.Hint == "" {
		return err
	}
	mine := *f
	mine.Err, mine.Hint = err, resumeHint(command, f.Hint)
	return &mine
}

func (d *Deps) resume(ctx context.Context, in ResumeIn, command, event string) (ResumeOut, error) {
	pol, err := d.Policy()
	if err != nil {
		return ResumeOut{}, err
	}
	out, err := d.resumeOn(ctx, in, command, pol.ChainID)
	if err != nil {
		return ResumeOut{}, err
	}
	return out, d.resumed(ctx, event, pol.ChainID, out)
}

// resumed tells what a resume came to, also when it was interrupted: what it did is done.
func (d *Deps) resumed(ctx context.Context, event string, chainID int64, out ResumeOut) error {
	write, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := d.Record(write, telemetry.Draft{Type: event, Result: map[string]any{"settled": len(out.Settled), "open": len(out.Open)}})
	if err == nil && ctx.Err() == nil {
		d.receiptsOwed(ctx, chainID, out.Settled)
	}
	return err
}

// resumeOn resumes the account's transactions of one chain.
func (d *Deps) resumeOn(ctx context.Context, in ResumeIn, command string, chainID int64) (ResumeOut, error) {
	sender, err := d.senderOn(ctx, chainID, d.reconsider)
	if err != nil {
		return ResumeOut{}, err
	}
	ask := chain.ResumeIn{ChainID: chainID, Mode: in.mode(), Tx: in.Tx}
	if ask.Mode != chain.ResumeWatch {
		if err := d.agreeToReplace(ctx, sender, &ask); err != nil {
			return ResumeOut{}, policy.Blocked(ctx, d, "ape-claw "+command, false, inResumeWords(command, err))
		}
	}
	got, err := sender.Resume(ctx, ask)
	out := ResumeOut{OK: len(got.Open) == 0, Settled: got.Settled, Open: got.Open}
	if !out.OK {
		out.Hint = d.inProfile(resumeHint(command, "run it again later: ape-claw nft resume; a person may free the nonce: ape-claw nft resume --cancel, or send it with a higher fee: --reprice"))
	}
	for _, why := range got.Kept {
		out.NotSent = append(out.NotSent, resumeHint(command, why.Error()))
	}
	return out, err
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
	ape := func(w units.Wei) string { return w.Decimal(units.APEDecimals) + " " + d.symbolOf(r.ChainID) }
	facts := []string{
		"stuck:       " + r.Old.Hex() + " (" + r.Key + ")",
		fmt.Sprintf("in its place: to %s, value %s, chain %d, account %s", r.To.Hex(), ape(r.Value), r.ChainID, r.Account.Hex()),
		fmt.Sprintf("fee:         at most %s, of which %s is not reserved yet", ape(r.Fees.FeeCap), ape(r.Extra)),
		"whichever of the two the chain takes first counts: the stuck one may still be mined",
	}
	if r.Gap > 0 && in.Mode == chain.ResumeCancel {
		facts = append(facts[:1], fmt.Sprintf("nothing is sent: the node says that the account has to send %d other transactions before nonce %d is its turn", r.Gap, r.Nonce),
			setAside(r.Key),
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
	const grantFor = 2 * time.Minute // as for what is replaced
	in.Replacement = r
	in.Grant, err = policy.LoadFence(src).AuthorizeReplacement(asked, d.host.Now().Add(grantFor))
	return err
}

// setAside says what it means that a transaction is set aside, by what it is for.
func setAside(key string) string {
	if strings.HasPrefix(key, "v2.") || strings.HasPrefix(key, "bridge:") {
		return "it is set aside: it counts as spent for 24 h, and other transactions go on;"
	}
	return "it is set aside: it counts as spent for 24 h, its quote stays used, and other purchases go on;"
}
