package nft

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// AutobuyOut is the result of nft autobuy: a plan, or what was bought of it.
type AutobuyOut struct {
	OK            bool           `json:"ok"`
	Error         string         `json:"error,omitempty"` // when only a part was bought, with code, hint and sent
	Code          fault.Code     `json:"code,omitempty"`
	Hint          string         `json:"hint,omitempty"`
	Sent          string         `json:"sent,omitempty"`
	DryRun        bool           `json:"dryRun"`
	Message       string         `json:"message"`
	PlanID        string         `json:"planId,omitempty"` // none when nothing was chosen
	ChainID       int64          `json:"chainId"`
	ExpiresAt     *time.Time     `json:"expiresAt,omitempty"`
	Constraints   Constraints    `json:"constraints"`
	Planned       []PlanItem     `json:"planned"` // cheapest first, with what became of each
	SelectedCount int            `json:"selectedCount"`
	TotalApe      json.Number    `json:"totalApe"` // of all prices
	TotalWei      units.Wei      `json:"totalWei"`
	FeesApe       json.Number    `json:"feesApe"` // the parts of it that the sellers don't get
	FeesWei       units.Wei      `json:"feesWei"`
	Skipped       []PlanSkip     `json:"skipped"` // some of each reason
	SkippedCount  int            `json:"skippedCount"`
	SkippedBy     map[string]int `json:"skippedBy,omitempty"` // how many for each code
	Scanned       []Scanned      `json:"scanned"`             // the collections that were looked at
	Caps          []PlanCap      `json:"caps"`
	WouldBlock    []policy.Gate  `json:"wouldBlock,omitzero"`     // of a dry run: the gates that would refuse --execute
	ConfirmPhrase string         `json:"confirmPhrase,omitempty"` // of a dry run
	Executed      int            `json:"executed"`                // bought by this run
	Already       int            `json:"already,omitempty"`       // bought by another run of the plan
	Failed        int            `json:"failed"`                  // not bought, also those that were not tried
	SpentApe      json.Number    `json:"spentApe,omitempty"`      // by this run, without gas
	SpentWei      *units.Wei     `json:"spentWei,omitempty"`
	GasApe        json.Number    `json:"gasApe,omitempty"`
	GasWei        *units.Wei     `json:"gasWei,omitempty"`
	TxHashes      []string       `json:"txHashes,omitempty"`
	Next          string         `json:"next,omitempty"`
	Buyer         string         `json:"-"` // of a plan that a person is asked about
	BalanceWei    *units.Wei     `json:"-"` // nil: no node says
}

// Failure makes a plan that was bought in part exit as such.
func (o AutobuyOut) Failure() error {
	if o.OK {
		return nil
	}
	return fault.New(o.Code, "%s", o.Error).Hintf("%s", o.Hint).WithSent(o.Sent)
}

// PlanItem is a purchase of a plan.
type PlanItem struct {
	Quote
	Result  string      `json:"result"`
	Code    fault.Code  `json:"code,omitempty"` // why it was not bought, or would not be
	Reason  string      `json:"reason,omitempty"`
	PaidApe json.Number `json:"paidApe,omitempty"` // without gas
	PaidWei *units.Wei  `json:"paidWei,omitempty"`
}

// What became of a purchase of a plan.
const (
	ResultPlanned  = "planned"   // nothing was tried yet
	ResultBought   = "bought"    // by this run
	ResultAlready  = "already"   // by another run
	ResultFailed   = "failed"    // it was tried, and nothing was bought
	ResultUnknown  = "unknown"   // it was sent, or may have been
	ResultNotTried = "not_tried" // the run had ended before
)

// PlanCap is a daily cap of policy beside what the plan pays. Gas comes on top.
type PlanCap struct {
	Name       string     `json:"name"`
	LimitWei   *units.Wei `json:"limitWei,omitempty"` // none: unlimited
	UsedWei    units.Wei  `json:"usedWei"`
	PlannedWei units.Wei  `json:"plannedWei"`
	LeftWei    *units.Wei `json:"leftWei,omitempty"` // after the plan
}

// show fills in what the plan is.
func (o *AutobuyOut) show(p Plan, caps []PlanCap) {
	o.PlanID, o.ChainID, o.Constraints, o.ExpiresAt, o.SelectedCount = p.PlanID, p.ChainID, p.Constraints, &p.ExpiresAt, len(p.Items)
	o.TotalWei = p.Total()
	for _, q := range p.Items {
		o.Planned = append(o.Planned, PlanItem{Quote: q, Result: ResultPlanned})
		for _, fee := range q.Fees {
			if sum, err := o.FeesWei.Add(fee.AmountWei); err == nil {
				o.FeesWei = sum
			}
		}
	}
	o.TotalApe, o.FeesApe = o.TotalWei.JSON(units.APEDecimals), o.FeesWei.JSON(units.APEDecimals)
	o.Caps = caps
}

// say puts the plan into words, with the command that comes next.
func (s *Service) say(o *AutobuyOut, p Plan, in AutobuyIn) {
	c := o.Constraints
	if len(p.Items) == 0 {
		o.Message = fmt.Sprintf("no listing fits: looked at %s for a price of %s to %s %s", counted(len(o.Scanned), "collection"), c.MinPrice, c.MaxPrice, c.Currency)
		return
	}
	o.Message = fmt.Sprintf("%s for %s %s and gas", counted(len(p.Items), "token"), o.TotalApe, c.Currency)
	if !o.DryRun {
		return
	}
	o.ConfirmPhrase = p.Phrase()
	o.Next = s.planCommand(p, fmt.Sprintf("--confirm %q", p.Phrase()))
	if in.Autonomous {
		o.Next = s.planCommand(p, "--autonomous")
	}
	o.Message = "dry run: would buy " + o.Message + "; nothing was signed"
	if len(o.WouldBlock) > 0 {
		o.Message = fmt.Sprintf("dry run: --execute would be refused: %s; nothing was signed", o.WouldBlock[0].Reason)
		o.Next = ""
	}
}

// planCommand is the command that buys a plan.
func (s *Service) planCommand(p Plan, consent string) string {
	return fmt.Sprintf("%s %s --plan %s --execute %s", s.d.CLI, cmdAutobuy, p.PlanID, consent)
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// asked is the payload of the events of a plan.
func (o AutobuyOut) asked() map[string]any {
	c := o.Constraints
	m := map[string]any{"count": c.Count, "minPrice": c.MinPrice, "maxPrice": c.MaxPrice, "collections": c.Collections}
	if c.Collections == nil {
		m["collections"] = []string{}
	}
	if c.BudgetWei != nil {
		m["budget"] = c.Budget
	}
	if o.PlanID != "" {
		m["planId"] = o.PlanID
	}
	return m
}

// maxInEvent is how many skipped listings an event shows.
const maxInEvent = 20

// planned tells of the plan.
func (s *Service) planned(ctx context.Context, o AutobuyOut) error {
	items := make([]map[string]any, 0, len(o.Planned))
	for _, it := range o.Planned {
		items = append(items, map[string]any{"quoteId": it.QuoteID, "collection": it.Collection, "tokenId": it.TokenID,
			"priceApe": it.PriceApe, "priceWei": it.PriceWei, "orderHash": it.OrderHash, "result": it.Result})
	}
	codes := []string{}
	for _, g := range o.WouldBlock {
		codes = append(codes, string(g.Code))
	}
	return s.d.Recorder.Record(ctx, telemetry.Draft{
		Type: "nft.autobuy.planned", DryRun: o.DryRun, ChainID: o.ChainID, Payload: o.asked(),
		Result: map[string]any{
			"planned": items, "selectedCount": o.SelectedCount, "skipped": o.Skipped[:min(len(o.Skipped), maxInEvent)], "skippedCount": o.SkippedCount,
			"totalApe": o.TotalApe, "totalWei": o.TotalWei, "wouldBlock": codes,
		},
	})
}
