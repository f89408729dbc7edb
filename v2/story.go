package v2

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// kindPrefix begins the kind of every story of this package.
const kindPrefix = "v2."

// IsStory reports whether a story's kind is one that Restore knows.
func IsStory(kind string) bool {
	name, ok := strings.CutPrefix(kind, kindPrefix)
	_, known := ops()[name]
	return ok && known
}

// story tells what became of a write. It is all that another process needs to
// settle it.
type story struct {
	Op        string          `json:"op"`
	Command   string          `json:"command"`
	What      string          `json:"what"`
	Contract  Located         `json:"contract"`
	Account   common.Address  `json:"account"`
	Payload   map[string]any  `json:"payload,omitempty"` // of the event that tells of success
	Keep      json.RawMessage `json:"keep,omitempty"`
	Subject   string          `json:"subject,omitempty"`   // on whose behalf
	Authority string          `json:"authority,omitempty"` // by whose leave
	TraceID   string          `json:"traceId,omitempty"`
	Action    string          `json:"action,omitempty"` // the id of the one that it carries out
	At        time.Time       `json:"at"`               // when it was confirmed

	chain  Chain
	result map[string]any // of the event that told of success, in the process that waited
}

var (
	_ chain.Story        = (*story)(nil)
	_ chain.Replaceable  = (*story)(nil)
	_ chain.RevertReader = (*story)(nil)
)

// Restore makes the story of an earlier process again from what it kept.
func Restore(c Chain, kind string, kept json.RawMessage) (chain.Story, error) {
	t := &story{chain: c}
	d := json.NewDecoder(strings.NewReader(string(kept)))
	d.UseNumber() // ids are exact
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("the story of a v2 transaction can't be read: %w", err)
	}
	if kind != t.Kind() || !IsStory(kind) || t.Account == (common.Address{}) || !common.IsHexAddress(t.Contract.Address) {
		return nil, errors.New("the story of a v2 transaction lacks its kind, its account or its contract")
	}
	return t, nil
}

// Kind implements chain.Story.
func (t *story) Kind() string { return kindPrefix + t.Op }

// Context implements chain.Story.
func (t *story) Context() (json.RawMessage, error) { return json.Marshal(t) }

// ReasonOf implements chain.RevertReader.
func (t *story) ReasonOf(data []byte) string {
	_, sentence := Explain(data)
	return sentence
}

func (t *story) draft(event string, tx chain.TxInfo, result map[string]any) telemetry.Draft {
	return telemetry.Draft{Type: "v2.tx." + event, ChainID: tx.ChainID, Payload: t.payload(callPayload(t.Op, t.Contract, tx.Value)), Result: result, Money: true}
}

// payload adds to an event's payload which action it is of.
func (t *story) payload(of map[string]any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, of)
	if t.Action != "" {
		out["actionId"] = t.Action
	}
	return out
}

// Submitted implements chain.Story.
func (t *story) Submitted(i chain.TxInfo) telemetry.Draft {
	return t.draft("submitted", i, map[string]any{
		"txHash": i.Hash.Hex(), "nonce": i.Nonce, "from": lower(i.From), "to": lower(i.To),
		"valueWei": i.Value, "gasLimit": i.GasLimit, "maxFeeWei": i.FeeCap, "maxFeePerGasWei": i.MaxFee, "maxPriorityFeePerGasWei": i.MaxTip,
	})
}

// Confirmed implements chain.Story: the op reads from the receipt what came of it.
func (t *story) Confirmed(ctx context.Context, i chain.TxInfo, r chain.Receipt) (telemetry.Draft, error) {
	o := ops()[t.Op]
	result, err := o.confirm(ctx, t.chain, mined{Keep: t.Keep, TraceID: t.TraceID, Contract: t.Contract, Tx: i, Receipt: r})
	if err != nil {
		if fault.CodeOf(err) == fault.Internal { // what an op says of a receipt is no fault of ours
			err = fault.Wrap(err, fault.TxUnknown, "%s", err)
		}
		return telemetry.Draft{}, err
	}
	fee, err := r.Fee()
	if err != nil {
		return telemetry.Draft{}, err
	}
	all := map[string]any{"blockNumber": r.Block, "blockHash": r.BlockHash.Hex(), "gasUsed": r.GasUsed, "feeWei": fee,
		"contract": string(t.Contract.Name), "address": t.Contract.Address}
	if _, ok := result["tx"]; !ok { // the name that some types have for it
		all["txHash"] = i.Hash.Hex()
	}
	maps.Copy(all, result)
	t.result = all
	return telemetry.Draft{Type: o.event, ChainID: i.ChainID, Payload: t.payload(t.Payload), Result: all, Money: true}, nil
}

// Reverted implements chain.Story.
func (t *story) Reverted(i chain.TxInfo, r chain.Receipt, reason string) telemetry.Draft {
	result := map[string]any{"txHash": i.Hash.Hex(), "blockNumber": r.Block, "blockHash": r.BlockHash.Hex(), "gasUsed": r.GasUsed, "reason": reason}
	if fee, err := r.Fee(); err == nil {
		result["feeWei"] = fee
	}
	d := t.draft("reverted", i, result)
	d.Err = "the transaction to " + t.What + " was mined and failed"
	if reason != "" {
		d.Err += ": " + reason
	}
	return d
}

// Unknown implements chain.Story.
func (t *story) Unknown(i chain.TxInfo, sent, why string) telemetry.Draft {
	d := t.draft("unknown", i, map[string]any{"txHash": i.Hash.Hex(), "nonce": i.Nonce, "sent": sent, "reason": why})
	d.Err = "the transaction to " + t.What + " was sent and its outcome is not known: " + why
	return d
}

// Replacing implements chain.Replaceable.
func (t *story) Replacing(tx, by chain.TxInfo, kind string) telemetry.Draft {
	return t.draft("replacing", tx, map[string]any{
		"txHash": by.Hash.Hex(), "replaces": tx.Hash.Hex(), "kind": kind, "nonce": by.Nonce, "from": lower(by.From), "to": lower(by.To),
		"valueWei": by.Value, "gasLimit": by.GasLimit, "maxFeeWei": by.FeeCap, "maxFeePerGasWei": by.MaxFee, "maxPriorityFeePerGasWei": by.MaxTip,
	})
}

// Cancelled implements chain.Replaceable.
func (t *story) Cancelled(tx, by chain.TxInfo, r chain.Receipt) telemetry.Draft {
	result := map[string]any{"txHash": by.Hash.Hex(), "cancels": tx.Hash.Hex(), "nonce": by.Nonce, "blockNumber": r.Block, "blockHash": r.BlockHash.Hex(), "gasUsed": r.GasUsed}
	if fee, err := r.Fee(); err == nil {
		result["feeWei"] = fee
	}
	return t.draft("cancelled", tx, result)
}

// Replaced implements chain.Replaceable.
func (t *story) Replaced(tx chain.TxInfo, why string) telemetry.Draft {
	d := t.draft("replaced", tx, map[string]any{"txHash": tx.Hash.Hex(), "nonce": tx.Nonce, "reason": why})
	d.Err = "the transaction to " + t.What + " was sent, is not known to have succeeded, and counts as spent: " + why
	return d
}
