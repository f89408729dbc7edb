package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// StoryKind is the kind of the stories of this package's transactions.
const StoryKind = "bridge"

// transferEvent is Transfer(address,address,uint256) of ERC-20.
var transferEvent = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))

// story tells what became of one transaction of a transfer. It is all that another
// process needs to settle it.
type story struct {
	RequestID string    `json:"requestId"`
	RouteID   string    `json:"routeId"`
	Step      string    `json:"step"` // approve or deposit
	From      string    `json:"from"`
	To        string    `json:"to"`
	FromChain int64     `json:"fromChain"`
	ToChain   int64     `json:"toChain"`
	Token     string    `json:"token"`
	In        string    `json:"currencyIn"` // address, lower case
	Places    int       `json:"decimals"`
	Amount    units.Wei `json:"amount"`
	MinOut    units.Wei `json:"minAmountOut"` // of the route
	FeeBPS    units.BPS `json:"feeBps"`
	Account   string    `json:"account"`
	Contract  string    `json:"contract"` // what is called, lower case
	Spender   string    `json:"depository"`
	Subject   string    `json:"subject,omitempty"`   // on whose behalf
	Authority string    `json:"authority,omitempty"` // by whose leave
	Action    string    `json:"action,omitempty"`    // the id of the one that it carries out
	At        time.Time `json:"at"`                  // when it was confirmed
	Expires   time.Time `json:"expiresAt"`           // of the quote
}

var (
	_ chain.Story       = (*story)(nil)
	_ chain.Replaceable = (*story)(nil)
)

// Restore makes the story of an earlier process again from what it kept.
func Restore(kept json.RawMessage) (chain.Story, error) {
	t := &story{}
	if err := json.Unmarshal(kept, t); err != nil {
		return nil, fmt.Errorf("the story of a transfer can't be read: %w", err)
	}
	if !isHash(t.RequestID) || !isHash(t.RouteID) || t.Step != StepApprove && t.Step != StepDeposit || t.FromChain <= 0 || t.ToChain <= 0 ||
		!common.IsHexAddress(t.Account) || !common.IsHexAddress(t.Contract) || !common.IsHexAddress(t.In) || t.Amount.IsZero() {
		return nil, errors.New("the story of a transfer lacks its request, its step or its currency")
	}
	return t, nil
}

// StoryOf is what a story says of its transfer; ok is false when it is of another kind.
func StoryOf(s chain.Story) (requestID, actionID string, ok bool) {
	t, ok := s.(*story)
	if !ok {
		return "", "", false
	}
	return t.RequestID, t.Action, true
}

// Kind implements chain.Story.
func (t *story) Kind() string { return StoryKind }

// Context implements chain.Story.
func (t *story) Context() (json.RawMessage, error) { return json.Marshal(t) }

func (t *story) payload() map[string]any {
	out := map[string]any{"requestId": t.RequestID, "fromChain": t.FromChain, "toChain": t.ToChain, "amount": t.Amount.String(), "token": t.Token}
	if t.Action != "" {
		out["actionId"] = t.Action
	}
	return out
}

func (t *story) draft(event string, tx chain.TxInfo, result map[string]any) telemetry.Draft {
	all := map[string]any{"requestId": t.RequestID, "step": t.Step}
	maps.Copy(all, result)
	return telemetry.Draft{Type: event, ChainID: tx.ChainID, Payload: t.payload(), Result: all, Money: true}
}

// Submitted implements chain.Story.
func (t *story) Submitted(i chain.TxInfo) telemetry.Draft {
	return t.draft("bridge.execute.submitted", i, map[string]any{
		"txHash": i.Hash.Hex(), "nonce": i.Nonce, "to": lower(i.To), "valueWei": i.Value, "gasLimit": i.GasLimit, "maxFeeWei": i.FeeCap,
		"maxFeePerGasWei": i.MaxFee, "maxPriorityFeePerGasWei": i.MaxTip,
		"from": t.From, "recipient": t.Account, "minAmountOut": t.MinOut.String(), "feeBps": uint32(t.FeeBPS),
	})
}

// Confirmed implements chain.Story. That a deposit is in a block says nothing yet of
// what arrives; only that it left.
func (t *story) Confirmed(_ context.Context, i chain.TxInfo, r chain.Receipt) (telemetry.Draft, error) {
	if t.Step == StepDeposit && common.HexToAddress(t.In) != Native {
		if left := moved(r, common.HexToAddress(t.In), common.HexToAddress(t.Account), common.Address{}); left.Cmp(t.Amount) != 0 {
			return telemetry.Draft{}, fault.New(fault.TxUnknown, "the deposit was mined, and %s base units left the account instead of %s", left, t.Amount).WithSent(fault.SentYes)
		}
	}
	fee, err := r.Fee()
	if err != nil {
		return telemetry.Draft{}, err
	}
	return t.draft("bridge.tx.mined", i, map[string]any{"txHash": i.Hash.Hex(), "blockNumber": r.Block, "blockHash": r.BlockHash.Hex(), "gasUsed": r.GasUsed, "feeWei": fee}), nil
}

// moved sums what a token's own contract says that it moved in a transaction, from an
// account if one is named, and to one if one is.
func moved(r chain.Receipt, token, from, to common.Address) units.Wei {
	sum := new(big.Int)
	for _, l := range r.Logs {
		if l.Address != token || len(l.Topics) != 3 || l.Topics[0] != transferEvent || len(l.Data) != 32 ||
			from != Native && common.BytesToAddress(l.Topics[1][:]) != from || to != Native && common.BytesToAddress(l.Topics[2][:]) != to {
			continue
		}
		sum.Add(sum, new(big.Int).SetBytes(l.Data))
	}
	w, err := units.FromBig(sum)
	if err != nil { // more than there can be: nothing is believed
		return units.Wei{}
	}
	return w
}

// Reverted implements chain.Story.
func (t *story) Reverted(i chain.TxInfo, r chain.Receipt, reason string) telemetry.Draft {
	d := t.draft("bridge.execute.failed", i, map[string]any{"txHash": i.Hash.Hex(), "reason": "reverted", "from": t.From, "recipient": t.Account})
	d.Err = fmt.Sprintf("the %s of a transfer was mined in block %d and failed; only the fee is gone", t.Step, r.Block)
	if reason != "" {
		d.Err += ": " + reason
	}
	return d
}

// Unknown implements chain.Story.
func (t *story) Unknown(i chain.TxInfo, sent, why string) telemetry.Draft {
	d := t.draft("bridge.tx.unknown", i, map[string]any{"txHash": i.Hash.Hex(), "nonce": i.Nonce, "sent": sent, "reason": why})
	d.Err = "the " + t.Step + " of a transfer was sent and its outcome is not known: " + why
	return d
}

// Replacing implements chain.Replaceable.
func (t *story) Replacing(tx, by chain.TxInfo, kind string) telemetry.Draft {
	return t.draft("bridge.tx.replacing", tx, map[string]any{
		"txHash": by.Hash.Hex(), "replaces": tx.Hash.Hex(), "kind": kind, "nonce": by.Nonce, "to": lower(by.To),
		"valueWei": by.Value, "gasLimit": by.GasLimit, "maxFeeWei": by.FeeCap, "maxFeePerGasWei": by.MaxFee, "maxPriorityFeePerGasWei": by.MaxTip,
	})
}

// Cancelled implements chain.Replaceable.
func (t *story) Cancelled(tx, by chain.TxInfo, r chain.Receipt) telemetry.Draft {
	result := map[string]any{"txHash": by.Hash.Hex(), "cancels": tx.Hash.Hex(), "nonce": by.Nonce, "blockNumber": r.Block, "blockHash": r.BlockHash.Hex(), "gasUsed": r.GasUsed}
	if fee, err := r.Fee(); err == nil {
		result["feeWei"] = fee
	}
	return t.draft("bridge.tx.cancelled", tx, result)
}

// Replaced implements chain.Replaceable.
func (t *story) Replaced(tx chain.TxInfo, why string) telemetry.Draft {
	d := t.draft("bridge.tx.replaced", tx, map[string]any{"txHash": tx.Hash.Hex(), "nonce": tx.Nonce, "reason": why})
	d.Err = "the " + t.Step + " of a transfer was sent, is not known to have succeeded, and counts as spent: " + why
	return d
}
