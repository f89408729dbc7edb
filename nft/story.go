package nft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// StoryKind is the kind of the stories of purchases, for chain.SenderOptions.Restore.
const StoryKind = "nft.buy"

// story tells what became of a purchase. It is all that another process needs
// to settle it, so it holds no more than the quote does.
type story struct {
	Quote     Quote          `json:"quote"` // as the order that is filled has it
	Buyer     common.Address `json:"buyer"`
	Subject   string         `json:"subject,omitempty"`   // on whose behalf
	Authority string         `json:"authority,omitempty"` // by whose leave
	Replaces  string         `json:"replaces,omitempty"`  // the quoted order, when another one is filled in its place
	chain     Chain
}

func newStory(q Quote, buyer common.Address, c Chain) *story {
	return &story{Quote: q, Buyer: buyer, chain: c}
}

// A story knows better than a receipt.
var _ chain.Contradicter = (*story)(nil)

// Restore makes the story of an earlier process again from what it kept.
func Restore(c Chain, kept json.RawMessage) (chain.Story, error) {
	t := &story{chain: c}
	if err := json.Unmarshal(kept, t); err != nil {
		return nil, fmt.Errorf("the story of a purchase can't be read: %w", err)
	}
	if t.Quote.QuoteID == "" || t.Buyer == (common.Address{}) {
		return nil, errors.New("the story of a purchase lacks its quote or its buyer")
	}
	return t, nil
}

// Kind implements chain.Story.
func (t *story) Kind() string { return StoryKind }

// Context implements chain.Story.
func (t *story) Context() (json.RawMessage, error) { return json.Marshal(t) }

func (t *story) draft(event string, result map[string]any) telemetry.Draft {
	if t.Replaces != "" {
		result["quotedOrderHash"] = t.Replaces
	}
	return telemetry.Draft{Type: "nft.buy." + event, ChainID: t.Quote.ChainID, Payload: payload(t.Quote), Result: result, Money: true}
}

// Submitted implements chain.Story.
func (t *story) Submitted(i chain.TxInfo) telemetry.Draft {
	return t.draft("submitted", map[string]any{
		"txHash": i.Hash.Hex(), "nonce": i.Nonce, "from": lower(i.From), "to": lower(i.To),
		"valueWei": i.Value, "gasLimit": i.GasLimit, "maxFeeWei": i.FeeCap, "maxFeePerGasWei": i.MaxFee, "maxPriorityFeePerGasWei": i.MaxTip,
		"priceApe": t.Quote.PriceApe, "priceWei": t.Quote.PriceWei, "orderHash": t.Quote.OrderHash,
	})
}

// Confirmed implements chain.Story: the receipt has to show the quoted order
// filled for the buyer by the protocol, and the token moved to the buyer; and
// the token's contract has to say that the buyer owns it.
func (t *story) Confirmed(ctx context.Context, i chain.TxInfo, r chain.Receipt) (telemetry.Draft, error) {
	want, err := t.want()
	if err != nil {
		return telemetry.Draft{}, err
	}
	if err := seaport.Bought(r.Logs, want); err != nil {
		return telemetry.Draft{}, fault.Wrap(err, fault.TxUnknown, "%s", err)
	}
	owner, err := t.owner(ctx, want, r.Block)
	if err != nil {
		return telemetry.Draft{}, err
	}
	if owner != t.Buyer {
		return telemetry.Draft{}, fault.New(fault.TxUnknown, "the token's contract says that %s owns token %s, not the buyer %s", owner.Hex(), want.TokenID, t.Buyer.Hex())
	}
	fee, err := r.Fee()
	if err != nil {
		return telemetry.Draft{}, err
	}
	return t.draft("confirmed", map[string]any{
		"txHash": i.Hash.Hex(), "blockNumber": r.Block, "owner": lower(t.Buyer), "gasUsed": r.GasUsed,
		"feeWei": fee, "blockHash": r.BlockHash.Hex(), "priceApe": i.Value.JSON(units.APEDecimals), "priceWei": i.Value, "orderHash": t.Quote.OrderHash,
	}), nil
}

// want is what a receipt has to show.
func (t *story) want() (seaport.Want, error) {
	id, ok := new(big.Int).SetString(t.Quote.TokenID, 10)
	if !ok {
		return seaport.Want{}, fmt.Errorf("token id %q", t.Quote.TokenID)
	}
	return seaport.Want{
		Protocol: common.HexToAddress(t.Quote.ProtocolAddress), Buyer: t.Buyer, Token: common.HexToAddress(t.Quote.ContractAddress),
		TokenID: id, OrderHash: common.HexToHash(t.Quote.OrderHash),
	}, nil
}

// Contradicts implements chain.Contradicter: a purchase that failed leaves the
// token with another than the buyer. The receipt's block is asked too, since the
// token may have been sold on, and the latest since that block is the node's word
// only. Of a token without an owner nothing follows.
func (t *story) Contradicts(ctx context.Context, _ chain.TxInfo, r chain.Receipt) (string, error) {
	want, err := t.want()
	if err != nil {
		return "", err
	}
	for _, at := range []func() (common.Address, error){
		func() (common.Address, error) { return t.owner(ctx, want, r.Block) },
		func() (common.Address, error) { return ownerAt(ctx, t.chain, want, nil) },
	} {
		owner, err := at()
		var revert *chain.RevertError
		switch {
		case errors.As(err, &revert):
		case err != nil:
			return "", err
		case owner == t.Buyer:
			return fmt.Sprintf("the buyer %s owns token %s", t.Buyer.Hex(), want.TokenID), nil
		}
	}
	return "", nil
}

// owner asks at the receipt's own block, so that a later sale does not matter;
// a node that has dropped that state is asked for the latest.
func (t *story) owner(ctx context.Context, want seaport.Want, block uint64) (common.Address, error) {
	owner, err := ownerAt(ctx, t.chain, want, new(big.Int).SetUint64(block))
	var node *chain.NodeError
	if errors.As(err, &node) && node.Class == chain.ClassOther {
		return ownerAt(ctx, t.chain, want, nil)
	}
	return owner, err
}

// Reverted implements chain.Story.
func (t *story) Reverted(i chain.TxInfo, r chain.Receipt, reason string) telemetry.Draft {
	d := t.draft("reverted", map[string]any{"txHash": i.Hash.Hex(), "blockNumber": r.Block, "gasUsed": r.GasUsed, "reason": reason})
	d.Err = "the purchase was mined and failed"
	if reason != "" {
		d.Err += ": " + reason
	}
	return d
}

// Unknown implements chain.Story.
func (t *story) Unknown(i chain.TxInfo, sent, why string) telemetry.Draft {
	d := t.draft("unknown", map[string]any{"txHash": i.Hash.Hex(), "sent": sent, "reason": why})
	d.Err = "the purchase was sent and its outcome is not known: " + why
	return d
}
