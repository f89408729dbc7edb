package commands

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
)

func nftCommands() []Command {
	return []Command{newNFTQuote(), newNFTSimulate(), newNFTBuy(), newNFTAutobuy(), newNFTResume(), newNFTQuotesList(), newNFTQuotesShow()}
}

// nft builds the operations over this run's dependencies.
func (d *Deps) nft(dataSource string) (*nft.Service, error) { return d.nftAsking(dataSource, false) }

// nftAsking is nft for a command that, if so wanted, a person at the terminal confirms.
func (d *Deps) nftAsking(dataSource string, ask bool) (*nft.Service, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	return nft.New(nft.Deps{
		Now: d.host.Now, Recorder: d, Subject: "agent:" + cfg.Agent.Value, CLI: cfg.cli(), Warn: d.warn, TraceID: cfg.TraceID.Value, Ask: d.asker(ask),
		AskPlan: d.planAsker(ask), Progress: d.progress, AfterConfirmed: d.receiptOf,
		Fence: func(context.Context) (policy.Fence, error) {
			src, err := d.sources()
			if err != nil {
				return policy.Fence{}, err
			}
			return policy.LoadFence(src), nil
		},
		State:  d.stateDB,
		Market: func(context.Context) (nft.Market, error) { return d.market(dataSource) },
		Chain:  func(ctx context.Context) (nft.Chain, error) { return d.client(ctx) },
		Buyer:  d.buyer,
		Sender: func(ctx context.Context) (nft.Sender, error) { return d.sender(ctx) },
		Ledger: func(ctx context.Context) (nft.Ledger, error) { return d.ledger(ctx) },
		Journal: func(ctx context.Context, key string) (chain.OpenTx, bool, error) {
			if _, err := os.Stat(filepath.Join(cfg.Home, store.MoneyFile)); errors.Is(err, fs.ErrNotExist) {
				return chain.OpenTx{}, false, nil // nothing was ever sent from here, and looking makes no file
			}
			db, err := d.moneyDB(ctx)
			if err != nil {
				return chain.OpenTx{}, false, err
			}
			return chain.FindTx(ctx, db, d.host.Now, key)
		},
	}), nil
}

// joinTrace puts this run into the trace of a quote, so that quote, simulation
// and purchase are one story, unless the caller named a trace.
func (d *Deps) joinTrace(ctx context.Context, quoteID string) {
	d.joinTraceOf(ctx, func(db *sql.DB) string { return nft.TraceOf(ctx, db, quoteID) })
}

// NFTQuoteIn adds the source to the operation's input.
type NFTQuoteIn struct {
	nft.QuoteIn
	DataSource string `json:"dataSource" ai:"operator" help:"opensea, or file:PATH" complete:"files"`
}

func newNFTQuote() Command {
	return define(Spec{Name: "nft quote", Aliases: []string{"nft quote-buy"}, Short: "Price one token; sends nothing and needs no key",
		Long: `Find the best live listing of one token at or below a price and save it as a quote,
which lives ten minutes. What is bought later is held against it.`,
		Example: "  ape-claw nft quote --collection gs-on-ape --token-id 42 --max-price 12.5",
		Events:  []string{"nft.quote.created", "nft.quote.failed", "policy.blocked"}, Risk: RiskWrite, Permission: "nft:quote", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in NFTQuoteIn) (nft.QuoteOut, error) {
			s, err := d.nft(in.DataSource)
			if err != nil {
				return nft.QuoteOut{}, err
			}
			return s.Quote(ctx, in.QuoteIn)
		},
		func(p *Printer, out nft.QuoteOut) {
			p.Head("%s #%s for %s %s", clean(out.CollectionName), out.TokenID, out.PriceApe, out.Currency)
			p.KV("quote", out.QuoteID, "contract", out.ContractAddress, "seller", out.Seller, "expires", out.ExpiresAt.UTC().Format("15:04:05 UTC"))
			p.List(cyan, "Next", []string{out.Next})
		})
}

func newNFTSimulate() Command {
	return define(Spec{Name: "nft simulate", Short: "Run a quote's purchase against the chain without signing it",
		Long: `Ask the marketplace for the exact transaction, check that it buys what was quoted and
nothing else, and run it on the chain as the buyer would send it. With --from no key is
needed, and the address is taken to have the funds.`,
		Example: "  ape-claw nft simulate --quote q_…",
		Events:  []string{"nft.simulation.passed", "nft.simulation.failed", "policy.blocked"}, Risk: RiskWrite, Permission: "nft:simulate", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true, About: aboutSimulate}},
		func(ctx context.Context, d *Deps, in nft.SimulateIn) (nft.SimulateOut, error) {
			d.joinTrace(ctx, in.Quote)
			s, err := d.nft("")
			if err != nil {
				return nft.SimulateOut{}, err
			}
			return s.Simulate(ctx, in)
		},
		func(p *Printer, out nft.SimulateOut) {
			p.Head("%s: the purchase would succeed at block %d", p.style(green, "passed"), out.BlockNumber)
			p.KV("buyer", out.From, "price", out.PriceApe.String()+" APE", "gas limit", fmt.Sprintf("%d", out.Gas), "fee at most", out.FeeApe.String()+" APE")
			p.List(cyan, "Next", []string{out.Next})
		})
}

func newNFTBuy() Command {
	return define(Spec{Name: "nft buy", Short: "Buy a quote: a dry run, and with --execute for real",
		Long: `Tell what buying a quote would do and which gates would refuse it; with --execute pass
every gate, sign, send, and wait until the token is the buyer's. At a terminal it shows
what it read from the transaction that it would sign, and asks for the phrase; elsewhere
--confirm gives the phrase, as the dry run shows it; --autonomous stands in for it where
policy allows. When the quoted order is gone, up to three others of the same token, at
or below the confirmed price, are tried in its place.`,
		Example: "  ape-claw nft buy --quote q_…\n  ape-claw nft buy --quote q_… --execute --confirm 'BUY gs-on-ape #42 12.5 APE'",
		Events:  settling("nft.buy.dry_run", "nft.buy.retry", "v2.receipt.skipped"),
		Risk:    RiskHigh, Permission: "nft:buy", AI: Exposure{Class: AITool, Grade: ai.GradeHigh, Identifiers: []string{"collection", "tokenId", "priceApe"}, Untrusted: true, About: aboutBuy}},
		func(ctx context.Context, d *Deps, in nft.BuyIn) (nft.BuyOut, error) {
			d.joinTrace(ctx, in.Quote)
			s, err := d.nftAsking("", in.Execute && in.Confirm == "" && !in.Autonomous)
			if err != nil {
				return nft.BuyOut{}, err
			}
			return s.Buy(ctx, in)
		},
		printBuy)
}

func printBuy(p *Printer, out nft.BuyOut) {
	switch {
	case len(out.WouldBlock) > 0:
		p.Head("Dry run: --execute would be refused; nothing was signed")
	default:
		p.Head("%s", clean(out.Message))
	}
	if !out.DryRun {
		for _, r := range out.Retries {
			p.Line("  the order %s was gone; tried that of %s for %s APE", r.OldOrder, r.Seller, r.PriceApe)
		}
		p.KV("transaction", out.TxHash, "block", fmt.Sprintf("%d", out.BlockNumber), "owner", out.Owner, "seller", out.Seller, "price", out.PriceApe.String()+" APE", "fee", out.FeeApe.String()+" APE")
		return
	}
	if a := out.Action; a != nil {
		p.KV("contract", a.Contract, "from", a.Seller, "network", fmt.Sprintf("%s (chain %d)", a.Network, a.ChainID))
		p.KV(actionMoney(*a)...)
		printCaps(p, *a)
	}
	for _, g := range out.WouldBlock {
		p.Line("  %s %s: %s", p.style(yellow, "would refuse"), g.Name, clean(g.Reason))
		if g.Change != "" {
			p.Line("    %s", clean(g.Change))
		}
	}
	if out.Next != "" {
		p.List(cyan, "Next", []string{out.Next})
	}
}

// quoteList is the list of quotes for output and completion.
func (d *Deps) quoteList(ctx context.Context, in nft.QuotesListIn) (nft.QuotesListOut, error) {
	s, err := d.nft("")
	if err != nil {
		return nft.QuotesListOut{}, err
	}
	return s.QuotesList(ctx, in)
}

func newNFTQuotesList() Command {
	return define(Spec{Name: "nft quotes list", Short: "List saved quotes, newest first",
		Events: []string{"nft.quotes.read"}, Risk: RiskRead, Permission: "nft:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in nft.QuotesListIn) (nft.QuotesListOut, error) {
			out, err := d.quoteList(ctx, in)
			if err != nil {
				return out, err
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "nft.quotes.read", Result: map[string]any{"count": out.Count}})
		},
		func(p *Printer, out nft.QuotesListOut) {
			if out.Count+len(out.Unreadable) == 0 {
				p.Line("No quotes.")
				return
			}
			rows := make([][]string, 0, out.Count)
			for _, q := range out.Quotes {
				rows = append(rows, []string{q.QuoteID, q.Collection + " #" + q.TokenID, q.PriceApe.String() + " " + q.Currency, q.State(), q.ExpiresAt.UTC().Format("2006-01-02 15:04:05")})
			}
			for _, q := range out.Unreadable {
				rows = append(rows, []string{q.QuoteID, "", "", "unreadable", ""})
			}
			p.Table([]string{"QUOTE", "TOKEN", "PRICE", "STATE", "EXPIRES (UTC)"}, rows)
			for _, q := range out.Unreadable {
				p.Line("%s", clean(q.Reason))
			}
		})
}

// NFTQuotesShowOut is one quote.
type NFTQuotesShowOut struct {
	OK    bool          `json:"ok"`
	Quote nft.QuoteView `json:"quote"`
}

func newNFTQuotesShow() Command {
	return define(Spec{Name: "nft quotes show", Short: "Show one quote with its last simulation",
		Events: []string{"nft.quote.read"}, Risk: RiskRead, Permission: "nft:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in nft.QuotesShowIn) (NFTQuotesShowOut, error) {
			d.joinTrace(ctx, in.Quote)
			s, err := d.nft("")
			if err != nil {
				return NFTQuotesShowOut{}, err
			}
			v, err := s.QuotesShow(ctx, in)
			if err != nil {
				return NFTQuotesShowOut{}, err
			}
			return NFTQuotesShowOut{true, v}, d.Record(ctx, telemetry.Draft{Type: "nft.quote.read", ChainID: v.ChainID,
				Payload: map[string]any{"quoteId": v.QuoteID}, Result: map[string]any{"quoteId": v.QuoteID, "status": v.State()}})
		},
		func(p *Printer, out NFTQuotesShowOut) {
			q := out.Quote
			p.Head("%s #%s for %s %s: %s", clean(q.CollectionName), q.TokenID, q.PriceApe, q.Currency, q.State())
			simulated := "no"
			if q.Simulation != nil {
				simulated = q.Simulation.At.UTC().Format("15:04:05 UTC") + " " + map[bool]string{true: "passed", false: "failed: "}[q.Simulation.OK] + q.Simulation.Reason
			}
			p.KV("quote", q.QuoteID, "order", q.OrderHash, "contract", q.ContractAddress, "seller", q.Seller,
				"expires", q.ExpiresAt.UTC().Format("2006-01-02 15:04:05 UTC"), "simulated", simulated, "transaction", q.TxHash)
		})
}
