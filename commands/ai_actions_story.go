package commands

import (
	"cmp"
	"encoding/json"

	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
)

// settlingTypes are the events that say how a command ended.
func settlingTypes(command string) []string {
	switch command {
	case "nft buy":
		return []string{"nft.buy.confirmed", "nft.buy.reverted", "nft.buy.cancelled"}
	case "nft autobuy":
		return []string{"nft.autobuy.executed", "nft.autobuy.partial", "nft.autobuy.failed"}
	case "bridge execute":
		return []string{"bridge.tx.mined", "bridge.execute.failed", "bridge.tx.cancelled"}
	case "policy halt":
		return []string{"policy.halted"}
	}
	if done := v2.EventOf(command); done != "" {
		return []string{done, "v2.tx.reverted", "v2.tx.cancelled"}
	}
	return nil
}

// settlement is what one event says of an action, if it is about it.
func settlement(line []byte, a action.Action) (action.Settled, bool) {
	var e telemetry.Event
	var about struct {
		QuoteID  string `json:"quoteId"`
		PlanID   string `json:"planId"`
		ActionID string `json:"actionId"`
	}
	var result struct {
		TxHash   string   `json:"txHash"`
		Tx       string   `json:"tx"` // as some types name it
		Step     string   `json:"step"`
		TxHashes []string `json:"txHashes"`
		Errors   []struct {
			Code fault.Code `json:"code"`
			Sent string     `json:"sent"`
		} `json:"errors"`
	}
	if json.Unmarshal(line, &e) != nil || json.Unmarshal(e.Payload, &about) != nil {
		return action.Settled{}, false
	}
	if e.EventID != "" {
		return action.Settled{}, false // another told it: nothing of this home's is settled by that
	}
	// A result of another shape tells nothing more than its event's type.
	_ = json.Unmarshal(e.Result, &result)
	if at, ok := telemetry.TimeOf(line); !ok || at.Before(a.ResolvedAt.Add(-clockSlack)) {
		return action.Settled{}, false // of an earlier try within the same trace
	}
	if done := v2.EventOf(a.Command); done != "" {
		s, ok := action.Settled{TxHash: cmp.Or(result.TxHash, result.Tx)}, about.ActionID == a.ID
		switch e.EventType {
		case done:
			s.State = action.Executed
		case "v2.tx.reverted":
			s.State, s.Code, s.Message = action.Failed, string(fault.TxReverted), "the transaction was mined and failed"
		case "v2.tx.cancelled":
			s.State, s.Code, s.Message = action.Failed, string(fault.Canceled), "the transaction was cancelled on chain"
		default:
			return action.Settled{}, false
		}
		return s, ok
	}
	if a.Command == "bridge execute" {
		s, ok := action.Settled{TxHash: result.TxHash}, about.ActionID == a.ID
		switch {
		case e.EventType == "bridge.tx.mined" && result.Step == bridge.StepDeposit:
			s.State = action.Executed
		case e.EventType == "bridge.execute.failed" && result.Step != "":
			s.State, s.Code, s.Message = action.Failed, string(fault.TxReverted), "the transaction was mined and failed"
		case e.EventType == "bridge.tx.cancelled":
			s.State, s.Code, s.Message = action.Failed, string(fault.Canceled), "the transaction was cancelled on chain"
		default:
			return action.Settled{}, false
		}
		return s, ok
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
