package demo

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft/seaport"
)

// Terms are what a seller asks for one token. Zero values are those of an
// ordinary fixed-price listing.
type Terms struct {
	TokenID   uint64
	Price     units.Wei
	StartTime uint64 // Unix seconds; 0: long past
	EndTime   uint64 // Unix seconds; 0: far away
	Salt      string // keeps two orders for one token apart
	Counter   uint64 // the seller's, on Seaport

	OrderType uint8          // seaport.FullOpen by default
	Zone      common.Address // of a restricted order
	EndPrice  units.Wei      // not zero: the price moves to it (a Dutch auction)
	Taker     common.Address // not zero: reserved for this buyer
}

// NewOrder signs a listing of one of the seller's tokens. The price is split,
// without a remainder, into the marketplace's fee, the creator's royalty, and
// the rest for the seller, who gets what rounding leaves.
func NewOrder(c *Collection, chainID int64, t Terms) (Order, error) {
	if t.StartTime == 0 {
		t.StartTime = orderStart
	}
	if t.EndTime == 0 {
		t.EndTime = orderEnd
	}
	id := new(big.Int).SetUint64(t.TokenID)
	item := seaport.OfferItem{
		ItemType: seaport.ItemERC721, Token: c.Address, IdentifierOrCriteria: id,
		StartAmount: big.NewInt(1), EndAmount: big.NewInt(1),
	}
	consideration, err := t.consideration(c)
	if err != nil {
		return Order{}, err
	}
	if t.Taker != (common.Address{}) {
		// Seaport's way to reserve a sale: the token itself is owed to the taker.
		consideration = append(consideration, seaport.ConsiderationItem{
			ItemType: item.ItemType, Token: item.Token, IdentifierOrCriteria: id,
			StartAmount: item.StartAmount, EndAmount: item.EndAmount, Recipient: t.Taker,
		})
	}
	o := Order{Slug: c.Slug, Token: c.Address, TokenID: id, Price: t.Price, Components: seaport.OrderComponents{
		Offerer:       c.Seller.Address(),
		Zone:          t.Zone,
		Offer:         []seaport.OfferItem{item},
		Consideration: consideration,
		OrderType:     t.OrderType,
		StartTime:     new(big.Int).SetUint64(t.StartTime),
		EndTime:       new(big.Int).SetUint64(t.EndTime),
		Salt:          salt(t.Salt, c.Address, t.TokenID),
		Counter:       new(big.Int).SetUint64(t.Counter),
	}}
	o.Hash = seaport.OrderHash(o.Components)
	if o.Signature, err = c.Seller.SignOrder(o.Components, chainID); err != nil {
		return Order{}, err
	}
	return o, nil
}

// share is one recipient's part of a price.
type share struct {
	to     common.Address
	amount units.Wei
}

// shares splits a price; parts of zero are left out, as Seaport has no use for
// them. Fees round down, against the marketplace and the creator.
func (c *Collection) shares(price units.Wei) ([]share, error) {
	fee, royalty := FeeBPS.Of(price, false), c.Royalty.Of(price, false)
	rest, err := price.Sub(fee)
	if err != nil {
		return nil, err
	}
	if rest, err = rest.Sub(royalty); err != nil {
		return nil, err
	}
	all := []share{{c.Seller.Address(), rest}, {seaport.FeeRecipient, fee}, {c.Creator, royalty}}
	kept := all[:1]
	for _, s := range all[1:] {
		if !s.amount.IsZero() {
			kept = append(kept, s)
		}
	}
	return kept, nil
}

func (t Terms) consideration(c *Collection) ([]seaport.ConsiderationItem, error) {
	starts, err := c.shares(t.Price)
	if err != nil {
		return nil, err
	}
	ends := starts
	if !t.EndPrice.IsZero() {
		if ends, err = c.shares(t.EndPrice); err != nil {
			return nil, err
		}
	}
	var items []seaport.ConsiderationItem
	for i, s := range starts {
		end := s.amount
		if i < len(ends) {
			end = ends[i].amount
		}
		items = append(items, seaport.ConsiderationItem{
			ItemType: seaport.ItemNative, IdentifierOrCriteria: new(big.Int),
			StartAmount: s.amount.Big(), EndAmount: end.Big(), Recipient: s.to,
		})
	}
	return items, nil
}
