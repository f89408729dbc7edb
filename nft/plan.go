package nft

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// planPrefix begins the id of a plan.
const planPrefix = "p_"

// Plan is purchases that were chosen together. It is never changed: its id is made
// from its content, so whoever agreed to an id agreed to these quotes. What became
// of each is in the journal, under the quote's own key.
type Plan struct {
	PlanID      string      `json:"-"`
	Constraints Constraints `json:"constraints"`
	ChainID     int64       `json:"chainId"`
	PolicyHash  string      `json:"policyHash"` // of the policy it was made under
	Items       []Quote     `json:"items"`      // cheapest first
	CreatedAt   time.Time   `json:"createdAt"`
	ExpiresAt   time.Time   `json:"expiresAt"`
	TraceID     string      `json:"traceId,omitempty"`
}

// Constraints are what the caller asked for.
type Constraints struct {
	Count       int         `json:"count"`
	MinPrice    json.Number `json:"minPrice"` // exact decimals
	MinPriceWei units.Wei   `json:"minPriceWei"`
	MaxPrice    json.Number `json:"maxPrice"`
	MaxPriceWei units.Wei   `json:"maxPriceWei"`
	Budget      json.Number `json:"budget,omitempty"` // of all prices together, without gas
	BudgetWei   *units.Wei  `json:"budgetWei,omitempty"`
	Scan        int         `json:"scan"`
	Collections []string    `json:"collections"` // slugs on the allowlist
	Currency    string      `json:"currency"`
}

// Total is what the plan pays in all, without gas.
func (p Plan) Total() units.Wei {
	sum, _ := total(p.Items) // a saved plan has a sum: flaw checks it
	return sum
}

func total(items []Quote) (sum units.Wei, err error) {
	for _, q := range items {
		if sum, err = sum.Add(q.PriceWei); err != nil {
			return units.Wei{}, err
		}
	}
	return sum, nil
}

// Phrase is what a person types to confirm the plan.
func (p Plan) Phrase() string {
	return fmt.Sprintf("AUTOBUY %s %d %s %s", p.PlanID, len(p.Items), p.Total().Decimal(units.APEDecimals), p.Constraints.Currency)
}

// planStore is the table plans of ape-claw.db.
type planStore struct{ db *sql.DB }

// add saves a plan with its quotes, all or nothing, and gives it its id.
func (t planStore) add(ctx context.Context, p Plan) (_ Plan, err error) {
	doc, err := json.Marshal(p)
	if err != nil {
		return p, err
	}
	p.PlanID = store.ContentID(planPrefix, doc)
	tx, err := t.db.BeginTx(ctx, nil)
	if err != nil {
		return p, store.DBFault(err, store.StateFile)
	}
	defer func() {
		if err != nil {
			err = store.DBFault(errors.Join(err, tx.Rollback()), store.StateFile)
		}
	}()
	for _, q := range p.Items {
		quote, err := json.Marshal(q)
		if err != nil {
			return p, err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO quotes (id, created_at, expires_at, status, doc) VALUES (?, ?, ?, ?, ?)`,
			q.QuoteID, q.CreatedAt.UnixMilli(), q.ExpiresAt.UnixMilli(), q.Status, string(quote)); err != nil {
			return p, err
		}
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO plans (id, created_at, expires_at, doc) VALUES (?, ?, ?, ?)`,
		p.PlanID, p.CreatedAt.UnixMilli(), p.ExpiresAt.UnixMilli(), string(doc)); err != nil {
		return p, err
	}
	return p, tx.Commit()
}

func (t planStore) load(ctx context.Context, id string) (Plan, error) {
	var doc string
	err := t.db.QueryRowContext(ctx, `SELECT doc FROM plans WHERE id = ?`, id).Scan(&doc)
	if errors.Is(err, sql.ErrNoRows) {
		return Plan{}, fault.New(fault.NotFound, "unknown plan %s", shown(id)).
			Hintf("make one: ape-claw nft autobuy --max-price …").WithSent(fault.SentNo)
	}
	if err != nil {
		return Plan{}, store.DBFault(err, store.StateFile)
	}
	return decodePlan(id, doc)
}

// recent returns the newest plans that can be read, at most limit.
func (t planStore) recent(ctx context.Context, limit int) (out []Plan, err error) {
	rows, err := t.db.QueryContext(ctx, `SELECT id, doc FROM plans ORDER BY created_at DESC, id LIMIT ?`, limit)
	if err != nil {
		return nil, store.DBFault(err, store.StateFile)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id, doc string
		if err := rows.Scan(&id, &doc); err != nil {
			return nil, store.DBFault(err, store.StateFile)
		}
		if p, err := decodePlan(id, doc); err == nil {
			out = append(out, p)
		}
	}
	return out, store.DBFault(rows.Err(), store.StateFile)
}

// TraceOfPlan is TraceOf for a plan.
func TraceOfPlan(ctx context.Context, db *sql.DB, planID string) string {
	p, err := planStore{db}.load(ctx, planID)
	if err != nil {
		return ""
	}
	return p.TraceID
}

// decodePlan reads a saved plan. Others may write to the state directory; the id
// says what was saved under it, and the rest is believed only as far as a run of
// ours could have written it.
func decodePlan(id, doc string) (Plan, error) {
	if store.ContentID(planPrefix, []byte(doc)) != id {
		return Plan{}, fault.New(fault.StateUnusable, "plan %s in %s was altered: its content is not what the id was made from", shown(id), store.StateFile).
			Hintf("plan again: ape-claw nft autobuy; then find out who else writes to the state directory").WithSent(fault.SentNo)
	}
	p := Plan{PlanID: id}
	if err := json.Unmarshal([]byte(doc), &p); err != nil {
		return Plan{}, fault.Wrap(err, fault.StateUnusable, "plan %s in %s can't be read", shown(id), store.StateFile).
			Hintf("plan again: ape-claw nft autobuy").WithSent(fault.SentNo)
	}
	if field := p.flaw(); field != "" {
		return Plan{}, fault.New(fault.StateUnusable, "plan %s in %s is none that was made here: its %s", shown(id), store.StateFile, field).
			Hintf("plan again: ape-claw nft autobuy; then find out who else writes to the state directory").WithSent(fault.SentNo).With("field", field)
	}
	for i := range p.Items {
		p.Items[i].CollectionName, p.Items[i].Source = cleaned(p.Items[i].CollectionName), cleaned(p.Items[i].Source)
	}
	return p, nil
}

// flaw names the first field that no run of ours writes so; "" is none.
func (p Plan) flaw() string {
	c := p.Constraints
	sum, err := total(p.Items)
	for _, f := range []struct {
		name string
		ok   bool
	}{
		{"items", len(p.Items) > 0 && len(p.Items) <= c.Count && c.Count <= maxCount && err == nil},
		{"minPrice", isDecimal(c.MinPrice, c.MinPriceWei)},
		{"maxPrice", isDecimal(c.MaxPrice, c.MaxPriceWei)},
		{"budget", c.BudgetWei == nil && c.Budget == "" || c.BudgetWei != nil && isDecimal(c.Budget, *c.BudgetWei) && sum.Cmp(*c.BudgetWei) <= 0},
		{"currency", isSymbol(c.Currency)},
		{"chainId", p.ChainID > 0},
		{"expiresAt", !p.CreatedAt.IsZero() && p.ExpiresAt.After(p.CreatedAt) && !p.ExpiresAt.After(p.CreatedAt.Add(QuoteTTL))},
		{"traceId", telemetry.CheckID("trace id", p.TraceID) == nil},
	} {
		if !f.ok {
			return f.name
		}
	}
	tokens := map[string]bool{}
	for i, q := range p.Items {
		at := fmt.Sprintf("items[%d].", i)
		field, _ := q.flaw()
		switch {
		case field != "":
			return at + field
		case q.Status != StatusQuoted:
			return at + "status"
		case q.ChainID != p.ChainID:
			return at + "chainId"
		case q.Currency != c.Currency:
			return at + "currency"
		case q.PriceWei.Cmp(c.MinPriceWei) < 0 || q.PriceWei.Cmp(c.MaxPriceWei) > 0:
			return at + "priceWei"
		case tokens[tokenOf(q)]:
			return at + "tokenId"
		}
		tokens[tokenOf(q)] = true
	}
	return ""
}

// tokenOf identifies the token that a quote buys.
func tokenOf(q Quote) string { return q.ContractAddress + "/" + q.TokenID }

// agrees refuses a saved quote that buys another thing than the plan's, or for
// more. A cheaper order of the same token may have taken its place.
func agrees(planned, saved Quote) error {
	switch {
	case tokenOf(planned) != tokenOf(saved):
		return altered(saved.QuoteID, "tokenId", saved.Collection+" #"+saved.TokenID)
	case planned.ChainID != saved.ChainID || planned.Currency != saved.Currency:
		return altered(saved.QuoteID, "currency", saved.Currency)
	case saved.PriceWei.Cmp(planned.PriceWei) > 0:
		return altered(saved.QuoteID, "priceWei", saved.PriceWei.String())
	}
	return nil
}

// Plans returns the newest plans that are not over. It records no event: shell
// completion asks it.
func (s *Service) Plans(ctx context.Context) ([]Plan, error) {
	db, err := s.d.State(ctx)
	if err != nil {
		return nil, err
	}
	all, err := planStore{db}.recent(ctx, 20)
	return slices.DeleteFunc(all, func(p Plan) bool { return !s.now().Before(p.ExpiresAt) }), err
}
