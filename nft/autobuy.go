package nft

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// AutobuyIn is the input of nft autobuy.
type AutobuyIn struct {
	MaxPrice    string   `json:"maxPrice" ai:"expose" kind:"decimal" help:"the most that one token may cost, in whole APE: 12.5 (needed, unless --plan is given)"`
	Count       int      `json:"count" ai:"expose" max:"500" help:"how many tokens at most; 1 if not given" min:"1"`
	MinPrice    string   `json:"minPrice" ai:"expose" kind:"decimal" help:"the least that a token may cost, in whole APE; 0 if not given"`
	Budget      string   `json:"budget" ai:"expose" kind:"decimal" help:"the most that all prices together may come to, in whole APE; gas is not in it, the policy's caps count both"`
	Scan        int      `json:"scan" ai:"expose" max:"1000" help:"how many of the cheapest listings of each collection to look at; 10 or 4 for each token if not given, whichever is more" min:"1"`
	Collections []string `json:"collections" ai:"expose" maxlen:"100" help:"collections on the allowlist, with commas between: slugs, names or contract addresses" complete:"collectionList"`
	All         bool     `json:"all" ai:"expose" help:"every collection of the allowlist that may be bought; so it is without --collections"`
	Currency    string   `json:"currency" ai:"operator" help:"currency to pay in: only the chain's own, APE"`
	Plan        string   `json:"plan" ai:"expose" kind:"id" help:"id of a saved plan: buy what is on it and nothing else" complete:"plans"`
	Execute     bool     `json:"execute" ai:"engine" help:"sign and send; without it nothing is bought"`
	Confirm     string   `json:"confirm" ai:"engine" help:"the phrase that the dry run shows, for --plan"`
	Autonomous  bool     `json:"autonomous" ai:"operator" help:"stand in for the phrase, where policy allows it"`
	// Exact: only the orders on the plan, as BuyIn.Order. No flag sets it.
	Exact bool `json:"-"`
}

// Bounds of the input.
const (
	maxCount     = 500
	leastScan    = 10
	scanPerToken = 4
)

// cmdAutobuy is the name of the command.
const cmdAutobuy = "nft autobuy"

// Check reports what is wrong with the input alone.
func (in AutobuyIn) Check() error {
	if in.Confirm != "" && !in.Execute {
		return fault.New(fault.Usage, "--confirm is given without --execute").Hintf("a dry run needs no phrase: leave --confirm out, or add --execute")
	}
	if in.Plan == "" {
		if in.Confirm != "" {
			return fault.New(fault.Usage, "--confirm is given without --plan: the phrase names a saved plan").
				Hintf("a dry run saves a plan and shows its phrase; then: --plan p_… --execute --confirm 'AUTOBUY p_… …'")
		}
		_, err := in.parse()
		return err
	}
	var both []string
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"--max-price", in.MaxPrice != ""}, {"--min-price", in.MinPrice != ""}, {"--count", in.Count != 0}, {"--budget", in.Budget != ""},
		{"--scan", in.Scan != 0}, {"--collections", len(in.Collections) > 0}, {"--all", in.All}, {"--currency", in.Currency != ""},
	} {
		if f.given {
			both = append(both, f.name)
		}
	}
	if len(both) > 0 {
		return fault.New(fault.Usage, "--plan is given together with %s: a saved plan has its own", strings.Join(both, ", ")).
			Hintf("leave them out to buy the plan, or leave --plan out to make a new one")
	}
	return nil
}

// parse checks what the caller typed. Collections are still as they were typed.
func (in AutobuyIn) parse() (c Constraints, err error) {
	if in.MaxPrice == "" {
		return c, fault.New(fault.Usage, "Required: --max-price").Hintf("ape-claw nft autobuy --help").With("missing", []string{"--max-price"})
	}
	amount := func(flag, text string, zero bool) (units.Wei, json.Number, error) {
		w, err := units.Parse(text, units.APEDecimals)
		if err != nil {
			return w, "", fault.New(fault.Usage, "%s: %s", flag, err).Hintf("give whole APE as a plain decimal: %s 12.5", flag)
		}
		if w.IsZero() && !zero {
			return w, "", fault.New(fault.Usage, "%s is 0, expected more", flag).Hintf("give whole APE as a plain decimal: %s 12.5", flag)
		}
		return w, w.JSON(units.APEDecimals), nil
	}
	if c.MaxPriceWei, c.MaxPrice, err = amount("--max-price", in.MaxPrice, false); err != nil {
		return c, err
	}
	if c.MinPriceWei, c.MinPrice, err = amount("--min-price", cmp.Or(in.MinPrice, "0"), true); err != nil {
		return c, err
	}
	if c.MinPriceWei.Cmp(c.MaxPriceWei) > 0 {
		return c, fault.New(fault.Usage, "--min-price %s is over --max-price %s", c.MinPrice, c.MaxPrice).Hintf("nothing costs both: lower --min-price")
	}
	if in.Budget != "" {
		budget, text, err := amount("--budget", in.Budget, false)
		if err != nil {
			return c, err
		}
		if budget.Cmp(c.MinPriceWei) < 0 {
			return c, fault.New(fault.Usage, "--budget %s is under --min-price %s", text, c.MinPrice).Hintf("it does not pay for one token: raise --budget")
		}
		c.BudgetWei, c.Budget = &budget, text
	}
	c.Count = cmp.Or(in.Count, 1)
	if c.Count < 1 || c.Count > maxCount {
		return c, fault.New(fault.Usage, "--count %d is not between 1 and %d", in.Count, maxCount)
	}
	c.Scan = cmp.Or(in.Scan, min(max(leastScan, scanPerToken*c.Count), market.MaxLimit))
	if c.Scan < 1 || c.Scan > market.MaxLimit {
		return c, fault.New(fault.Usage, "--scan %d is not between 1 and %d", in.Scan, market.MaxLimit)
	}
	if in.All && len(in.Collections) > 0 {
		return c, fault.New(fault.Usage, "--all and --collections are both given").Hintf("give one of them")
	}
	c.Currency = in.Currency
	return c, nil
}

// Autobuy chooses the cheapest tokens that fit and saves them as a plan; with
// in.Execute it buys them, and with in.Plan what a saved plan holds. It returns
// nil for a dry run and for a run that bought all or a part of the plan: a part
// has OK false, and Failure tells it.
func (s *Service) Autobuy(ctx context.Context, in AutobuyIn) (AutobuyOut, error) {
	if err := in.Check(); err != nil {
		return AutobuyOut{}, err
	}
	if in.Plan != "" {
		return s.autobuyPlan(ctx, in)
	}
	c, err := in.parse()
	if err != nil {
		return AutobuyOut{}, err
	}
	if in.Execute && !in.Autonomous && !s.canAsk() {
		return AutobuyOut{}, fault.New(fault.Usage, "--execute is given without --autonomous, and there is no person at a terminal to ask").
			Hintf("leave --execute out: the dry run saves a plan, which --plan p_… --execute --confirm '…' buys; or give --autonomous, where policy allows it")
	}
	f, entries, err := s.shops(ctx, in, &c)
	if err != nil {
		return AutobuyOut{}, s.blocked(ctx, cmdAutobuy, !in.Execute, err)
	}
	found, scanned, err := s.scan(ctx, entries, c)
	if err != nil { // of another contract under the name, among others, policy has something to say
		return AutobuyOut{}, s.blocked(ctx, cmdAutobuy, !in.Execute, err)
	}
	ch := s.choose(ctx, f, found, c)
	out := AutobuyOut{
		OK: true, DryRun: !in.Execute, ChainID: f.Policy.ChainID, Constraints: c, Planned: []PlanItem{}, Scanned: scanned,
		Skipped: ch.skipped.kept, SkippedCount: ch.skipped.count, SkippedBy: ch.skipped.by, Caps: []PlanCap{}, TotalApe: "0", FeesApe: "0",
	}
	p := Plan{Constraints: c, ChainID: f.Policy.ChainID, Items: ch.items}
	if len(p.Items) > 0 {
		if p, err = s.savePlan(ctx, f, p); err != nil {
			return AutobuyOut{}, err
		}
		out.show(p, ch.caps)
	}
	if !in.Execute {
		out.WouldBlock = s.foretell(f, p, in, ch.global)
	}
	s.say(&out, p, in)
	if err := s.planned(ctx, out); err != nil {
		return AutobuyOut{}, err
	}
	if !in.Execute || len(p.Items) == 0 {
		return out, nil
	}
	return s.carryOut(ctx, p, in, out)
}

// shops reads the fence and finds the collections to look at. For --execute it
// asks at once the gates that no choice of listings changes.
func (s *Service) shops(ctx context.Context, in AutobuyIn, c *Constraints) (policy.Fence, []policy.Entry, error) {
	stage := policy.DryRun
	if in.Execute {
		stage = policy.Execute
	}
	f, err := s.fence(ctx, stage)
	if err != nil {
		return f, nil, err
	}
	if c.Currency == "" {
		c.Currency = f.Policy.NativeToken
	}
	if c.Currency != f.Policy.NativeToken {
		return f, nil, fault.New(fault.CurrencyNotAllowed, "paying in \"%s\" is not supported: only the native %s is", shown(c.Currency), f.Policy.NativeToken).
			Hintf("leave --currency out").WithSent(fault.SentNo).With("gate", policy.GateCurrency)
	}
	if in.Execute {
		for _, g := range s.standing(f, c.Currency) {
			return f, nil, g.Fault()
		}
	}
	entries, err := chosenEntries(f.Allowlist, in.Collections)
	for _, e := range entries {
		c.Collections = append(c.Collections, e.Slug)
	}
	return f, entries, err
}

// standing returns the refusals that no choice of listings changes.
func (s *Service) standing(f policy.Fence, currency string) []policy.Gate {
	p := policy.Purchase{Asset: policy.NativeOf(f.Policy.ChainID), Currency: currency, Decimals: units.APEDecimals, Now: s.now(), Subject: s.d.Subject}
	return slices.DeleteFunc(policy.Decide(policy.DryRun, f, p).WouldBlock(), func(g policy.Gate) bool { return !isStanding(g) })
}

func isStanding(g policy.Gate) bool {
	return slices.Contains([]string{policy.GateHalt, policy.GatePolicy, policy.GateWindow, policy.GateCurrency}, g.Name)
}

// chosenEntries resolves the collections that were named, each once; without any,
// those of the allowlist that may be bought.
func chosenEntries(list *policy.Allowlist, names []string) ([]policy.Entry, error) {
	var out []policy.Entry
	add := func(e policy.Entry) {
		if !slices.ContainsFunc(out, func(o policy.Entry) bool { return o.ContractAddress == e.ContractAddress }) {
			out = append(out, e)
		}
	}
	for _, name := range names {
		e, err := list.Resolve(name)
		if err != nil {
			return nil, err
		}
		add(e)
	}
	if len(names) > 0 {
		return out, nil
	}
	for _, e := range list.Entries() {
		if e.Enabled && e.ContractAddress != "" {
			add(e)
		}
	}
	if len(out) == 0 {
		return nil, fault.New(fault.NotFound, "no collection to look at: the allowlist has none that may be bought").
			Hintf("see it: ape-claw allowlist list").WithSent(fault.SentNo)
	}
	return out, nil
}

// savePlan saves the plan and its quotes.
func (s *Service) savePlan(ctx context.Context, f policy.Fence, p Plan) (Plan, error) {
	db, err := s.d.State(ctx)
	if err != nil {
		return p, err
	}
	p.CreatedAt, p.PolicyHash, p.TraceID = s.now(), f.Policy.Hash(), s.d.TraceID
	p.ExpiresAt = p.CreatedAt.Add(QuoteTTL)
	return planStore{db}.add(ctx, p)
}

// foretell lists the gates that would refuse --execute of the plan as a whole.
func (s *Service) foretell(f policy.Fence, p Plan, in AutobuyIn, more []policy.Gate) []policy.Gate {
	out := s.standing(f, p.Constraints.Currency)
	if in.Autonomous {
		ask := policy.Purchase{Asset: policy.NativeOf(f.Policy.ChainID), Autonomous: true, Now: s.now(), Subject: s.d.Subject}
		for _, g := range policy.Decide(policy.Execute, f, ask).WouldBlock() {
			if g.Name == policy.GatePhrase {
				out = append(out, g)
			}
		}
	}
	for _, g := range more {
		if !slices.ContainsFunc(out, func(o policy.Gate) bool { return o.Name == g.Name }) {
			out = append(out, g)
		}
	}
	return out
}
