package commands

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func marketCommands() []Command {
	return []Command{newMarketCollections(), newMarketListings()}
}

// dataSource is where listings come from: the setting, else the policy's.
func (d *Deps) dataSource(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	c, err := d.Config()
	if err != nil {
		return "", err
	}
	if c.DataSource.Value != "" {
		return c.DataSource.Value, nil
	}
	p, err := d.Policy()
	if err != nil {
		return "", err
	}
	return p.Market.DataSource, nil
}

// dataSourceName is dataSource for doctor: its kind, never a path.
func (d *Deps) dataSourceName() string {
	s, err := d.dataSource("")
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(s, ":")
	return name
}

// market opens the marketplace of the profile, or the source that a flag names.
func (d *Deps) market(flag string) (market.Source, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	rules := market.ApeChain(d.host.Now)
	source, err := d.dataSource(flag)
	if err != nil {
		return nil, err
	}
	path, err := market.ParseDataSource(source, filepath.Join(cfg.Home, market.DefaultFile))
	if err != nil {
		return nil, err
	}
	slugs, err := d.marketSlugs()
	if err != nil {
		return nil, err
	}
	if path != "" {
		f, err := market.OpenFile(path, rules)
		if err != nil {
			return nil, err
		}
		return f.WithSlugs(slugs), nil
	}
	opt := market.Options{Rules: rules, BaseURL: cfg.MarketURL.Value, Transport: d.transport(), Rand: rand.Int64N, Pacer: d.marketPacer(cfg), Slugs: slugs, Waiting: d.marketWaits}
	if cfg.MarketProxy.Value == "" {
		opt.APIKey = market.Key(d.marketKey(cfg).Reveal())
		return market.New(opt)
	}
	if cfg.Agent.Source == FromDefault || !cfg.AgentToken.Set() {
		return nil, fault.New(fault.Auth, "the server that %s names asks the marketplace for agents alone, and no agent's id and token are set", marketProxyOption().named(cfg.MarketProxy.Source)).
			Hintf("export APE_CLAW_AGENT_ID=my-agent-1 APE_CLAW_AGENT_TOKEN=…, or ape-claw auth set --agent-id my-agent-1 --agent-token …")
	}
	opt.BaseURL, opt.Agent = cfg.MarketProxy.Value, &market.Agent{ID: cfg.Agent.Value, Token: market.Key(cfg.AgentToken.Reveal())}
	return market.New(opt)
}

// marketKey is the key that the marketplace is asked with.
func (d *Deps) marketKey(cfg *Config) Secret {
	key := cfg.OpenSeaKey
	if key.Source == FromProfile && cfg.MarketURL.Source != FromDefault {
		// The saved key is OpenSea's: no variable or config file may name another
		// host for it.
		key = Secret{}
		d.warn("the saved OpenSea key is sent to OpenSea only, not to the marketplace that %s names", cfg.MarketURL.Source)
	}
	return key
}

// paceFile is what the processes of a home know of the marketplace's rate limit.
const paceFile = "market-pace.json"

// marketPacer is one for all clients of this run, and, beside the sandbox, of all
// runs of the home: limits are counted by API key.
func (d *Deps) marketPacer(cfg *Config) *market.Pacer {
	if d.parent != nil {
		return d.parent.marketPacer(cfg)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pacer == nil {
		file := filepath.Join(cfg.Home, paceFile)
		if cfg.IsSandbox() {
			file = ""
		}
		d.pacer = market.NewPacer(d.host.Now, rand.Int64N, file)
	}
	return d.pacer
}

// marketWaits tells a person why nothing seems to happen.
func (d *Deps) marketWaits(wait time.Duration) {
	if d.host.StderrTTY {
		// A notice that can't be printed has no other place to go.
		_, _ = fmt.Fprintf(d.host.Stderr, "ape-claw: waiting %s for the marketplace's rate limit\n", wait.Round(time.Second))
	}
}

// marketSlugs are the marketplace's slugs of collections that it calls otherwise
// than the allowlist does.
func (d *Deps) marketSlugs() (map[string]string, error) {
	list, err := d.Allowlist()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, e := range list.Entries() {
		if e.MarketSlug != "" {
			out[e.Slug] = e.MarketSlug
		}
	}
	return out, nil
}

func newMarketCollections() Command {
	return define(Spec{Name: "market collections", Short: "List the collections of the allowlist",
		Example: "  ape-claw market collections --recommended",
		Events:  []string{market.EventCollectionsRead}, Offline: true, Risk: RiskRead, Permission: "market:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in market.CollectionsIn) (market.CollectionsOut, error) {
			list, err := d.Allowlist()
			if err != nil {
				return market.CollectionsOut{}, err
			}
			return market.Collections(ctx, list, d, in)
		},
		func(p *Printer, out market.CollectionsOut) {
			rows := make([][]string, 0, len(out.Collections))
			for _, c := range out.Collections {
				rows = append(rows, []string{c.Name, c.Slug, c.ContractAddress, yesNo(c.Enabled)})
			}
			p.Table([]string{"NAME", "SLUG", "CONTRACT", "ENABLED"}, rows)
		})
}

// MarketListingsIn adds the source to the operation's input.
type MarketListingsIn struct {
	market.ListingsIn
	DataSource string `json:"dataSource" ai:"operator" help:"opensea, or file:PATH" complete:"files"`
}

func newMarketListings() Command {
	return define(Spec{Name: "market listings", Short: "Show live listings of a collection, cheapest first",
		Example: "  ape-claw market listings --collection gs-on-ape --max-price 50",
		Events:  []string{market.EventListingsRead, market.EventListingsFailed}, Risk: RiskRead, Permission: "market:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		func(ctx context.Context, d *Deps, in MarketListingsIn) (market.ListingsOut, error) {
			src, err := d.market(in.DataSource)
			if err != nil {
				return market.ListingsOut{}, err
			}
			list, err := d.Allowlist()
			if err != nil {
				return market.ListingsOut{}, err
			}
			return market.Listings(ctx, src, list, d, in.ListingsIn)
		},
		func(p *Printer, out market.ListingsOut) {
			if out.Count == 0 {
				p.Line("No listing of %s fits.", clean(out.Collection))
			}
			rows := make([][]string, 0, len(out.Listings))
			for _, l := range out.Listings {
				rows = append(rows, []string{"#" + l.TokenID, l.PriceApe.String() + " " + l.Currency, l.ExpiresAt.UTC().Format("2006-01-02 15:04"), l.Seller})
			}
			if len(rows) > 0 {
				p.Table([]string{"TOKEN", "PRICE", "EXPIRES (UTC)", "SELLER"}, rows)
			}
			p.Line("Read %s on %s.%s", counted(out.Read, "listing"), counted(out.Pages, "page"), more(out))
			for i, r := range out.SkippedReasons {
				if i == 5 {
					p.Line("… and %d other reasons: --json lists them", len(out.SkippedReasons)-i)
					break
				}
				p.Line("Set aside: %d: %s", r.Count, clean(r.Reason))
			}
		})
}

// more says what was not read.
func more(out market.ListingsOut) string {
	switch {
	case out.Stopped != "":
		return " Stopped " + out.Stopped + ": the marketplace has more."
	case out.More:
		return " There are more: --limit shows them."
	}
	return ""
}
