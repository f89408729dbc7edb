package commands

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
)

// PolicySpendIn has no flags.
type PolicySpendIn struct{}

// PolicySpendOut is what counts against the daily caps now.
type PolicySpendOut struct {
	OK       bool        `json:"ok"`
	At       time.Time   `json:"at"`
	Caps     []SpendCap  `json:"caps"`
	Sums     []SpendSum  `json:"sums"` // by asset, subject and collection
	Items    []SpendItem `json:"items"`
	Open     []SpendOpen `json:"open"`
	Next     string      `json:"next,omitempty"` // what to run while something is open
	Warnings []string    `json:"warnings"`
}

// SpendCap is a daily cap and what is left of it. Amounts are whole tokens, exact;
// those in Wei base units.
type SpendCap struct {
	Name       string     `json:"name"`
	Setting    string     `json:"setting"`
	Currency   string     `json:"currency"`
	Subject    string     `json:"subject,omitempty"`
	Collection string     `json:"collection,omitempty"`
	Cap        string     `json:"cap"` // or "unlimited"
	Settled    string     `json:"settled"`
	Reserved   string     `json:"reserved"`
	Counts     string     `json:"counts"`
	CountsWei  units.Wei  `json:"countsWei"`
	Left       string     `json:"left,omitempty"`
	LeftWei    *units.Wei `json:"leftWei,omitempty"`
	// NextLeaves is the amount that leaves the window first, and when.
	NextLeaves   string     `json:"nextLeaves,omitempty"`
	NextLeavesAt *time.Time `json:"nextLeavesAt,omitempty"`
}

// SpendSum is what counts of one asset, on one subject's behalf, for one collection.
type SpendSum struct {
	ChainID     int64     `json:"chainId"`
	Currency    string    `json:"currency"`
	Subject     string    `json:"subject"`
	Collection  string    `json:"collection"`
	SettledWei  units.Wei `json:"settledWei"`
	ReservedWei units.Wei `json:"reservedWei"`
	Open        int       `json:"open"` // reservations without an outcome
	decimals    int
}

// SpendItem is one amount that counts.
type SpendItem struct {
	ID         string     `json:"id"`
	Kind       string     `json:"kind"`
	Ref        string     `json:"ref"`
	ChainID    int64      `json:"chainId"`
	Account    string     `json:"account"`
	Currency   string     `json:"currency"`
	Subject    string     `json:"subject"`
	Collection string     `json:"collection"`
	State      string     `json:"state"`
	Amount     string     `json:"amount"`
	AmountWei  units.Wei  `json:"amountWei"`
	Since      time.Time  `json:"since"`
	LeavesAt   *time.Time `json:"leavesAt"` // null while its outcome is unknown
}

// SpendOpen is a transaction without an outcome, which counts until it has one.
type SpendOpen struct {
	Key     string    `json:"key"`
	State   string    `json:"state"`
	ChainID int64     `json:"chainId"`
	Account string    `json:"account"`
	TxHash  string    `json:"txHash,omitempty"`
	Since   time.Time `json:"since"`
}

func newPolicySpend() Command {
	return define(Spec{Name: "policy spend", Short: "Show what counts against the daily caps, and what is left",
		Long: `Show the spend ledger of the home: what was spent in the last 24 hours and what may yet
be, by asset, subject and collection; each daily cap with what is left of it and when the
next amount leaves the window. A reservation without a known outcome counts however old it
is. A ledger that can't be summed is exit status 12, and then nothing is spent either.`,
		Events: []string{"policy.spend.read"}, Offline: true, Risk: RiskRead, Permission: "policy:read", AI: Exposure{Class: AITool, Grade: ai.GradeRead, Untrusted: true}},
		policySpend, printSpend)
}

func policySpend(ctx context.Context, d *Deps, _ PolicySpendIn) (PolicySpendOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return PolicySpendOut{}, err
	}
	pol, err := d.Policy()
	if err != nil {
		return PolicySpendOut{}, err
	}
	limits := pol.AllLimits("agent:" + cfg.Agent.Value)
	st := policy.Statement{Usage: policy.Usage{Now: d.host.Now().UTC()}}
	var open []chain.OpenTx
	if _, err := os.Stat(filepath.Join(cfg.Home, store.MoneyFile)); errors.Is(err, fs.ErrNotExist) {
		for _, l := range limits { // nothing was ever spent from here, and looking makes no file
			st.Uses = append(st.Uses, policy.LimitUse{Limit: l})
		}
	} else {
		ledger, err := d.ledger(ctx)
		if err != nil {
			return PolicySpendOut{}, err
		}
		if st, err = ledger.Statement(ctx, limits); err != nil {
			return PolicySpendOut{}, err
		}
		db, err := d.moneyDB(ctx)
		if err != nil {
			return PolicySpendOut{}, err
		}
		if open, err = chain.OpenTxs(ctx, db, d.host.Now); err != nil {
			return PolicySpendOut{}, err
		}
	}
	out := spendOut(pol, st)
	for _, tx := range open {
		out.Open = append(out.Open, SpendOpen{tx.Key, tx.State, tx.ChainID, tx.Account.Hex(), tx.Hash, tx.Created.UTC()})
	}
	if len(out.Open) > 0 {
		out.Next = d.cli() + " nft resume"
	}
	total := units.Wei{}
	if len(st.Uses) > 0 {
		total = st.Uses[0].Usage.Total
	}
	return out, d.Record(ctx, telemetry.Draft{Type: "policy.spend.read", Result: map[string]any{"items": len(out.Items), "open": len(out.Open), "spentWei": total.String()}})
}

// spendOut puts a statement into words and exact decimals.
func spendOut(pol *policy.Policy, st policy.Statement) PolicySpendOut {
	out := PolicySpendOut{OK: true, At: st.Usage.Now, Caps: []SpendCap{}, Sums: []SpendSum{}, Items: []SpendItem{}, Open: []SpendOpen{}, Warnings: []string{}}
	if w := st.Usage.ClockWarning(); w != "" {
		out.Warnings = append(out.Warnings, w)
	}
	symbols := map[policy.Asset]policy.Limit{}
	for _, u := range st.Uses {
		l := u.Limit
		symbols[l.Asset] = l
		c := SpendCap{Name: l.Name, Setting: l.Setting, Currency: l.Symbol, Subject: l.Subject, Collection: l.Collection, Cap: l.Cap.Decimal(l.Decimals),
			Settled: u.Usage.Settled.Decimal(l.Decimals), Reserved: u.Usage.Reserved.Decimal(l.Decimals), Counts: u.Usage.Total.Decimal(l.Decimals), CountsWei: u.Usage.Total}
		if left, ok := u.Left(); ok {
			c.Left, c.LeftWei = left.Decimal(l.Decimals), &left
		}
		if !u.NextAt.IsZero() {
			c.NextLeaves, c.NextLeavesAt = u.Next.Decimal(l.Decimals), &u.NextAt
		}
		out.Caps = append(out.Caps, c)
	}
	for _, it := range st.Items {
		known, ok := symbols[it.Asset]
		name, decimals := known.Symbol, known.Decimals
		switch {
		case !ok && it.Asset == policy.NativeOf(it.Asset.ChainID):
			name, decimals = "native", units.APEDecimals
		case !ok:
			name = it.Asset.Token // its places are not known here: base units
		}
		item := SpendItem{ID: it.ID, Kind: it.Kind, Ref: it.Ref, ChainID: it.Asset.ChainID, Account: it.Account, Currency: name, Subject: it.Subject,
			Collection: it.Collection, State: it.State, Amount: it.Amount.Decimal(decimals), AmountWei: it.Amount, Since: it.Since}
		if !it.Leaves.IsZero() {
			item.LeavesAt = &it.Leaves
		}
		out.Items = append(out.Items, item)
		out.add(item, decimals)
	}
	return out
}

// add counts an item in its sum. What the ledger summed fits, and so do its parts.
func (o *PolicySpendOut) add(it SpendItem, decimals int) {
	i := slices.IndexFunc(o.Sums, func(s SpendSum) bool {
		return s.ChainID == it.ChainID && s.Currency == it.Currency && s.Subject == it.Subject && s.Collection == it.Collection
	})
	if i < 0 {
		i = len(o.Sums)
		o.Sums = append(o.Sums, SpendSum{ChainID: it.ChainID, Currency: it.Currency, Subject: it.Subject, Collection: it.Collection, decimals: decimals})
	}
	s := &o.Sums[i]
	into := &s.SettledWei
	if it.LeavesAt == nil {
		into = &s.ReservedWei
		s.Open++
	}
	if sum, err := into.Add(it.AmountWei); err == nil {
		*into = sum
	}
}

func printSpend(p *Printer, out PolicySpendOut) {
	p.Head("Counted at %s over the 24 hours before", stampText(out.At))
	rows := make([][]string, 0, len(out.Caps))
	for _, c := range out.Caps {
		left, next := "no limit", "-"
		if c.LeftWei != nil {
			left = c.Left
		}
		if c.NextLeavesAt != nil {
			next = c.NextLeaves + " at " + stampText(*c.NextLeavesAt)
		}
		rows = append(rows, []string{c.Name, c.Currency, c.Settled, c.Reserved, c.Cap, left, next})
	}
	p.Table([]string{"CAP", "IN", "SPENT", "RESERVED", "LIMIT", "LEFT", "NEXT TO LEAVE"}, rows)
	if len(out.Sums) > 0 {
		p.Line("")
		rows = rows[:0]
		for _, s := range out.Sums {
			rows = append(rows, []string{orDash(s.Subject), orDash(s.Collection), s.Currency, s.SettledWei.Decimal(s.decimals), s.ReservedWei.Decimal(s.decimals)})
		}
		p.Table([]string{"WHOSE", "COLLECTION", "IN", "SPENT", "RESERVED"}, rows)
	}
	if len(out.Open) > 0 {
		p.Line("")
		rows = rows[:0]
		for _, o := range out.Open {
			rows = append(rows, []string{o.Key, o.State, orDash(o.TxHash), stampText(o.Since)})
		}
		p.Table([]string{"WITHOUT AN OUTCOME YET", "STATE", "TRANSACTION", "SINCE"}, rows)
		p.List(cyan, "Next", []string{out.Next})
	}
	p.List(yellow, "Warnings", out.Warnings)
}

func stampText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
