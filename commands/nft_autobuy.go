package commands

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/store"
)

// NFTAutobuyIn adds the source to the operation's input.
type NFTAutobuyIn struct {
	nft.AutobuyIn
	DataSource string `json:"dataSource" ai:"operator" help:"opensea, or file:PATH" complete:"files"`
}

func newNFTAutobuy() Command {
	return define(Spec{Name: "nft autobuy", Aliases: []string{"autobuy"}, Short: "Plan the cheapest purchases, and with --execute make them",
		Long: `Look at the listings of several collections, choose the cheapest that fit price, count
and budget and that policy would let be bought, and save them as a plan. A dry run ends
there. A plan lives ten minutes; --plan buys what is on it and nothing else, and run
again it buys what is left. --execute without --plan plans and buys at once, with
--autonomous or a person at a terminal.

Each purchase is simulated and passes every gate of nft buy. The run ends at the first
refusal of policy; a token that is gone, a failed transaction or a marketplace that does
not answer costs only its own purchase. Exit status 9 means that a part was bought: the
result lists each purchase. --budget counts prices; the policy's caps count gas too.`,
		Example: `  ape-claw nft autobuy --max-price 5 --count 3
  ape-claw nft autobuy --collections gs-on-ape,pixel-apes --max-price 5 --count 10 --budget 30
  ape-claw nft autobuy --plan p_… --execute --confirm 'AUTOBUY p_… 3 12.5 APE'
  ape-claw nft autobuy --max-price 5 --count 3 --execute --autonomous`,
		Events: settling("nft.autobuy.planned", "nft.autobuy.executed", "nft.autobuy.partial", "nft.autobuy.failed", "nft.simulation.passed", "nft.simulation.failed",
			"nft.buy.retry", "v2.receipt.skipped"),
		Risk: RiskHigh, Permission: "nft:autobuy", AI: Exposure{Class: AITool, Grade: ai.GradeHigh, Identifiers: []string{"count", "maxPrice", "budget"}, Untrusted: true, About: aboutAutobuy}},
		func(ctx context.Context, d *Deps, in NFTAutobuyIn) (nft.AutobuyOut, error) {
			if in.Plan != "" {
				d.joinTraceOf(ctx, func(db *sql.DB) string { return nft.TraceOfPlan(ctx, db, in.Plan) })
			}
			s, err := d.nftAsking(in.DataSource, in.Execute && !in.Autonomous && in.Confirm == "")
			if err != nil {
				return nft.AutobuyOut{}, err
			}
			return s.Autobuy(ctx, in.AutobuyIn)
		},
		printAutobuy)
}

// joinTraceOf puts this run into a trace that is found in the state database,
// unless the caller named one.
func (d *Deps) joinTraceOf(ctx context.Context, find func(db *sql.DB) string) {
	cfg, err := d.Config()
	if err != nil || cfg.TraceID.Source != FromDefault {
		return
	}
	db, err := d.stateDB(ctx)
	if err != nil {
		return // the operation meets the same error and reports it
	}
	trace := find(db)
	if !validID(trace) {
		return
	}
	cfg.TraceID.Value = trace
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rec = nil // nothing is recorded yet; the next one has the trace
}

// progress tells a person what goes on, who reads no document.
func (d *Deps) progress(format string, args ...any) {
	if !d.wantJSON {
		d.say("ape-claw: %s\n", clean(fmt.Sprintf(format, args...)))
	}
}

// planAsker is asker for a plan.
func (d *Deps) planAsker(wanted bool) func(context.Context, nft.AutobuyOut) (string, error) {
	if d.asker(wanted) == nil {
		return nil
	}
	return func(ctx context.Context, o nft.AutobuyOut) (string, error) {
		return d.askPhrase(ctx, o.ConfirmPhrase, func(p *Printer) { printPlanAsked(p, o) })
	}
}

// printPlanAsked shows a plan as a person confirms it: whose tokens they are, who
// gets what, and what the buyer has.
func printPlanAsked(p *Printer, o nft.AutobuyOut) {
	printAutobuy(p, o)
	for _, it := range o.Planned {
		p.Line("  %s #%s is of %s, from %s", clean(it.Collection), clean(it.TokenID), common.HexToAddress(it.ContractAddress).Hex(), common.HexToAddress(it.Seller).Hex())
	}
	amount := func(w units.Wei) string { return w.Decimal(units.APEDecimals) + " " + o.Constraints.Currency }
	balance, after := "", ""
	if o.BalanceWei != nil {
		balance, after = amount(*o.BalanceWei), "the plan costs more than that"
		if left, err := o.BalanceWei.Sub(o.TotalWei); err == nil {
			after = amount(left) + ", less gas"
		}
	}
	p.KV("others than the sellers get", amount(o.FeesWei), "tokens go to", o.Buyer, "balance", balance, "balance after", after)
}

func printAutobuy(p *Printer, out nft.AutobuyOut) {
	p.Head("%s", clean(out.Message))
	rows := make([][]string, 0, len(out.Planned))
	for _, it := range out.Planned {
		result := it.Result
		if it.Code != "" {
			result += ": " + string(it.Code)
		}
		rows = append(rows, []string{it.Collection + " #" + it.TokenID, it.PriceApe.String() + " " + it.Currency, result, it.TxHash})
	}
	if len(rows) > 0 {
		p.Table([]string{"TOKEN", "PRICE", "RESULT", "TRANSACTION"}, rows)
	}
	for _, it := range out.Planned {
		if it.Reason != "" {
			p.Line("  %s %s #%s: %s", p.style(yellow, it.Result), clean(it.Collection), it.TokenID, clean(it.Reason))
		}
	}
	for _, c := range out.Scanned {
		switch {
		case c.SetAside > 0 && len(out.Planned) == 0:
			p.Line("  %s: %s set aside, such as one because %s", clean(c.Collection), counted(c.SetAside, "listing"), clean(c.Example))
		case c.Error != "":
			p.Line("  %s %s: %s", p.style(yellow, "not read"), clean(c.Collection), clean(c.Error))
		}
	}
	if out.PlanID != "" {
		left := ""
		for _, c := range out.Caps {
			if c.LeftWei != nil {
				left = c.LeftWei.Decimal(units.APEDecimals) + " left of " + c.Name
				break
			}
		}
		expires := ""
		if out.ExpiresAt != nil {
			expires = out.ExpiresAt.UTC().Format("15:04:05 UTC")
		}
		p.KV("plan", out.PlanID, "total", out.TotalApe.String()+" "+out.Constraints.Currency, "expires", expires, "after it", left)
	}
	printSkipped(p, out)
	for _, g := range out.WouldBlock {
		p.Line("  %s %s: %s", p.style(yellow, "would refuse"), g.Name, clean(g.Reason))
	}
	if out.Hint != "" {
		p.List(cyan, "Next", []string{out.Hint})
	}
	if out.Next != "" {
		p.List(cyan, "Next", []string{out.Next})
	}
}

// printSkipped tells why listings were left out, one example of each reason.
func printSkipped(p *Printer, out nft.AutobuyOut) {
	told := map[string]bool{}
	for _, k := range out.Skipped {
		if told[k.Code] {
			continue
		}
		told[k.Code] = true
		p.Line("  skipped %s: %s, such as %s #%s: %s", counted(out.SkippedBy[k.Code], "listing"), k.Code, clean(k.Collection), k.TokenID, clean(k.Reason))
	}
}

// completePlans offers the plans that can still be bought.
func (d *Deps) completePlans(ctx context.Context) []string {
	cfg, err := d.Config()
	if err != nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(cfg.StateDir, store.StateFile)); err != nil {
		return nil // nothing was planned here, and a key press makes no file
	}
	s, err := d.nft("")
	if err != nil {
		return nil
	}
	plans, err := s.Plans(ctx)
	if err != nil {
		return nil
	}
	var out []string
	for _, p := range plans {
		out = append(out, p.PlanID+"\t"+counted(len(p.Items), "token")+" for "+p.Total().Decimal(units.APEDecimals)+" "+p.Constraints.Currency)
	}
	return out
}
