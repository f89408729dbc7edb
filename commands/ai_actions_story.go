package commands

import (
	"encoding/json"

	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// settlingTypes are the events that say how a command ended.
func settlingTypes(command string) []string {
	switch command {
	case "nft buy":
		return []string{"nft.buy.confirmed", "nft.buy.reverted", "nft.buy.cancelled"}
	case "nft autobuy":
		return []string{"nft.autobuy.executed", "nft.autobuy.partial", "nft.autobuy.failed"}
	case "policy halt":
		return []string{"policy.halted"}
	}
	return nil
}

// settlement is what one event says of an action, if it is about it.
func settlement(line []byte, a action.Action) (action.Settled, bool) {
	var e telemetry.Event
	var about struct {
		QuoteID string `json:"quoteId"`
		PlanID  string `json:"planId"`
	}
	var result struct {
		TxHash   string   `json:"txHash"`
		TxHashes []string `json:"txHashes"`
		Errors   []struct {
			Code fault.Code `json:"code"`
			Sent string     `json:"sent"`
		} `json:"errors"`
	}
	if json.Unmarshal(line, &e) != nil || json.Unmarshal(e.Payload, &about) != nil {
		return action.Settled{}, false
	}
	// A result of another shape tells nothing more than its event's type.
	_ = json.Unmarshal(e.Result, &result)
	if at, ok := telemetry.TimeOf(line); !ok || at.Before(a.ResolvedAt.Add(-clockSlack)) {
		return action.Settled{}, false // of an earlier try within the same trace
	}
	switch e.EventType {
	case "nft.buy.confirmed":
		return action.Settled{State: action.Executed, TxHash: result.TxHash}, about.QuoteID == a.Reference
	case "nft.buy.reverted":
		return action.Settled{State: action.Failed, TxHash: result.TxHash, Code: string(fault.TxReverted), Message: "the purchase was mined and failed"}, about.QuoteID == a.Reference
	case "nft.buy.cancelled":
		return action.Settled{State: action.Failed, TxHash: result.TxHash, Code: string(fault.Canceled), Message: "the purchase was cancelled on chain"}, about.QuoteID == a.Reference
	case "nft.autobuy.executed", "policy.halted":
		s := action.Settled{State: action.Executed}
		if len(result.TxHashes) > 0 {
			s.TxHash = result.TxHashes[0]
		}
		return s, about.PlanID == "" || about.PlanID == a.Reference
	case "nft.autobuy.partial", "nft.autobuy.failed":
		for _, f := range result.Errors {
			if f.Code == fault.TxUnknown || f.Sent == fault.SentMaybe {
				return action.Settled{}, false // one of them is as unknown as before
			}
		}
		if e.EventType == "nft.autobuy.failed" {
			return action.Settled{State: action.Failed, Code: string(fault.Partial), Message: "nothing of the plan was bought"}, about.PlanID == a.Reference
		}
		s := action.Settled{State: action.Executed, Code: action.Partial, Message: "not all of the plan was bought"}
		if len(result.TxHashes) > 0 {
			s.TxHash = result.TxHashes[0]
		}
		return s, about.PlanID == a.Reference
	}
	return action.Settled{}, false
}
