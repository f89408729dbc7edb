package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// States of a transfer.
const (
	StatusQuoted    = "quoted"    // nothing left
	StatusPending   = "pending"   // something left, or may have, and where it is is not known
	StatusCompleted = "completed" // it arrived, at least the promised amount
	StatusRefunded  = "refunded"  // it came back
	StatusFailed    = "failed"    // it neither arrived nor came back
)

// Outcome is what the bridge claims of a transfer.
type Outcome int

// What a claim may be. A word that is not known is no end.
const (
	UnderWay Outcome = iota
	SaysArrived
	SaysRefunded // or that it will be: only the chain tells
	SaysFailed
)

// Claim is the bridge's answer about a transfer. It ends nothing by itself.
type Claim struct {
	Word    string // the bridge's own, for people
	Outcome Outcome
	Reason  string   // for people
	InTx    []string // on the chain that the funds left: hashes, lower case
	OutTx   []string // on the other one, or of the refund

	from, to int64 // 0: not said
}

// maxTxs is more transactions than a transfer has.
const maxTxs = 16

// parseClaim reads a status. An answer that is about another request is no answer.
func parseClaim(b []byte, id string) (Claim, error) {
	var w struct {
		Status      string         `json:"status"`
		RequestID   string         `json:"requestId"`
		Details     string         `json:"details"`
		In          []string       `json:"inTxHashes"`
		Out         []string       `json:"txHashes"`
		Origin      market.Integer `json:"originChainId"`
		Destination market.Integer `json:"destinationChainId"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return Claim{}, errors.New("it is not the JSON that was asked for")
	}
	if w.Status == "" {
		return Claim{}, errors.New("it has no status")
	}
	if w.RequestID != "" && !strings.EqualFold(w.RequestID, id) {
		return Claim{}, fmt.Errorf("it is about request %s", quoted(w.RequestID))
	}
	c := Claim{Word: fault.Excerpt(w.Status, 40), Reason: fault.Excerpt(w.Details, maxSaid)}
	switch w.Status {
	case "success":
		c.Outcome = SaysArrived
	case "refund":
		c.Outcome = SaysRefunded
	case "failure":
		c.Outcome = SaysFailed
	}
	c.from, _ = chainID(w.Origin)
	c.to, _ = chainID(w.Destination)
	for _, list := range []struct {
		from []string
		into *[]string
	}{{w.In, &c.InTx}, {w.Out, &c.OutTx}} {
		for _, h := range list.from[:min(len(list.from), maxTxs)] {
			if h = strings.ToLower(h); isHash(h) && !slices.Contains(*list.into, h) {
				*list.into = append(*list.into, h)
			}
		}
	}
	return c, nil
}

// About refuses a claim that is about another transfer than the one between these
// chains that our deposit began.
func (c Claim) About(from, to int64, deposit string) error {
	switch {
	case c.from != 0 && c.from != from, c.to != 0 && c.to != to:
		return fault.New(fault.Upstream, "the bridge answered about a transfer between other chains").WithSent(fault.SentYes)
	case deposit != "" && len(c.InTx) > 0 && !slices.Contains(c.InTx, strings.ToLower(deposit)):
		return fault.New(fault.Upstream, "the bridge answered about a transfer that another deposit began").WithSent(fault.SentYes)
	}
	return nil
}

// Seen is what we saw ourselves on a chain. The zero value is nothing.
type Seen struct {
	Arrived  *units.Wei // by which the account's balance on the other chain rose
	Refunded *units.Wei // by which the one on this chain rose again
	Reverted bool       // our deposit was mined and failed: nothing left
}

// Next is what a transfer becomes: an end only when the chain shows it. warning says
// why a claimed end is none.
func Next(status string, minOut units.Wei, c Claim, seen Seen) (next, warning string) {
	arrived := seen.Arrived != nil && !seen.Arrived.IsZero()
	refunded := seen.Refunded != nil && !seen.Refunded.IsZero()
	switch {
	case status == StatusCompleted || status == StatusRefunded:
		return status, ""
	case seen.Reverted && status != StatusFailed:
		return StatusFailed, ""
	case status == StatusQuoted:
		return status, "" // nothing left: there is nothing to end
	case c.Outcome == SaysArrived && arrived && seen.Arrived.Cmp(minOut) >= 0:
		return StatusCompleted, ""
	case c.Outcome == SaysArrived && arrived:
		return StatusFailed, fmt.Sprintf("the bridge says that the funds arrived, and %s base units of at least %s did", seen.Arrived, minOut)
	case c.Outcome == SaysArrived:
		return status, "the bridge says that the funds arrived, and the other chain does not show them"
	case c.Outcome == SaysRefunded && refunded:
		return StatusRefunded, ""
	case c.Outcome == SaysRefunded:
		return status, "the bridge says that it refunds, and the chain does not show it yet"
	case c.Outcome == SaysFailed && refunded:
		return StatusRefunded, ""
	case c.Outcome == SaysFailed:
		return StatusFailed, "the bridge gave up, and no refund is seen"
	}
	return status, ""
}
