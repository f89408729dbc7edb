package opensea

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/demo"
)

// ChainSlug is OpenSea's name for ApeChain.
const ChainSlug = "ape_chain"

// The shapes of OpenSea's published API (npm @opensea/api-types), as far as the
// sandbox answers them.

type errorsJSON struct {
	Errors []string `json:"errors"`
}

type collectionJSON struct {
	Collection              string         `json:"collection"`
	Name                    string         `json:"name"`
	Description             string         `json:"description"`
	ImageURL                string         `json:"image_url"`
	Owner                   string         `json:"owner"`
	SafelistStatus          string         `json:"safelist_status"`
	Category                string         `json:"category"`
	IsDisabled              bool           `json:"is_disabled"`
	IsNSFW                  bool           `json:"is_nsfw"`
	TraitOffersEnabled      bool           `json:"trait_offers_enabled"`
	CollectionOffersEnabled bool           `json:"collection_offers_enabled"`
	OpenseaURL              string         `json:"opensea_url"`
	Contracts               []contractJSON `json:"contracts"`
	Editors                 []string       `json:"editors"`
	Fees                    []feeJSON      `json:"fees"`
	TotalSupply             int            `json:"total_supply"`
	UniqueItemCount         int            `json:"unique_item_count"`
	CreatedDate             string         `json:"created_date"`
	PricingCurrencies       pricingJSON    `json:"pricing_currencies"`
}

type contractJSON struct {
	Address string `json:"address"`
	Chain   string `json:"chain"`
}

type contractOfJSON struct {
	Address     string `json:"address"`
	Chain       string `json:"chain"`
	Collection  string `json:"collection"`
	Standard    string `json:"contract_standard"`
	Name        string `json:"name"`
	TotalSupply int    `json:"total_supply"`
}

type feeJSON struct {
	Fee       json.Number `json:"fee"` // percent
	Recipient string      `json:"recipient"`
	Required  bool        `json:"required"`
}

type pricingJSON struct {
	Listing paymentTokenJSON `json:"listing_currency"`
	Offer   paymentTokenJSON `json:"offer_currency"`
}

type paymentTokenJSON struct {
	Symbol   string `json:"symbol"`
	Address  string `json:"address"`
	Chain    string `json:"chain"`
	Image    string `json:"image"`
	Name     string `json:"name"`
	Decimals int    `json:"decimals"`
	EthPrice string `json:"eth_price"`
	USDPrice string `json:"usd_price"`
}

type pageJSON struct {
	Listings []listingJSON `json:"listings"`
	Next     string        `json:"next,omitempty"`
}

type listingJSON struct {
	OrderHash       string       `json:"order_hash"`
	Chain           string       `json:"chain"`
	ProtocolData    protocolJSON `json:"protocol_data"`
	ProtocolAddress string       `json:"protocol_address"`
	Protocol        string       `json:"protocol"`
	Asset           assetJSON    `json:"asset"`
	Remaining       int          `json:"remaining_quantity"`
	CreatedAt       int64        `json:"order_created_at"`
	Price           any          `json:"price"` // priceJSON; others for faults
	Type            string       `json:"type"`
	Status          Status       `json:"status"`
}

type protocolJSON struct {
	Parameters parametersJSON `json:"parameters"`
	Signature  *string        `json:"signature,omitempty"`
}

type assetJSON struct {
	Identifier string `json:"identifier"`
	Contract   string `json:"contract"`
}

type priceJSON struct {
	Current amountJSON `json:"current"`
}

type amountJSON struct {
	Currency string `json:"currency"`
	Decimals int    `json:"decimals"`
	Value    string `json:"value"`
}

type parametersJSON struct {
	Offerer       string              `json:"offerer"`
	Offer         []itemJSON          `json:"offer"`
	Consideration []considerationJSON `json:"consideration"`
	StartTime     string              `json:"startTime"`
	EndTime       string              `json:"endTime"`
	OrderType     int                 `json:"orderType"`
	Zone          string              `json:"zone"`
	ZoneHash      string              `json:"zoneHash"`
	Salt          string              `json:"salt"`
	ConduitKey    string              `json:"conduitKey"`
	Total         int                 `json:"totalOriginalConsiderationItems"`
	Counter       json.Number         `json:"counter"`
}

type itemJSON struct {
	ItemType   int    `json:"itemType"`
	Token      string `json:"token"`
	Identifier string `json:"identifierOrCriteria"`
	Start      string `json:"startAmount"`
	End        string `json:"endAmount"`
}

type considerationJSON struct {
	itemJSON
	Recipient string `json:"recipient"`
}

// addr writes an address as OpenSea does, in lower case.
func addr(a common.Address) string { return strings.ToLower(a.Hex()) }

func ape(w units.Wei) amountJSON {
	return amountJSON{Currency: "APE", Decimals: units.APEDecimals, Value: w.String()}
}

func parameters(c seaport.OrderComponents) parametersJSON {
	p := parametersJSON{
		Offerer:    addr(c.Offerer),
		StartTime:  c.StartTime.String(),
		EndTime:    c.EndTime.String(),
		OrderType:  int(c.OrderType),
		Zone:       addr(c.Zone),
		ZoneHash:   common.Hash(c.ZoneHash).Hex(),
		Salt:       hexutil.EncodeBig(c.Salt),
		ConduitKey: common.Hash(c.ConduitKey).Hex(),
		Total:      len(c.Consideration),
		Counter:    json.Number(c.Counter.String()),
	}
	for _, o := range c.Offer {
		p.Offer = append(p.Offer, item(o.ItemType, o.Token, o.IdentifierOrCriteria, o.StartAmount, o.EndAmount))
	}
	for _, o := range c.Consideration {
		p.Consideration = append(p.Consideration, considerationJSON{
			item(o.ItemType, o.Token, o.IdentifierOrCriteria, o.StartAmount, o.EndAmount), addr(o.Recipient),
		})
	}
	return p
}

func item(kind uint8, token common.Address, id, start, end *big.Int) itemJSON {
	return itemJSON{ItemType: int(kind), Token: addr(token), Identifier: id.String(), Start: start.String(), End: end.String()}
}

func listing(l Listed) listingJSON {
	sig := hexutil.Encode(l.Signature)
	out := listingJSON{
		OrderHash:       l.Hash.Hex(),
		Chain:           ChainSlug,
		ProtocolData:    protocolJSON{parameters(l.Components), &sig},
		ProtocolAddress: addr(seaport.Address),
		Protocol:        "seaport",
		Asset:           assetJSON{l.TokenID.String(), addr(l.Token)},
		Remaining:       1,
		CreatedAt:       l.Components.StartTime.Int64(),
		Price:           priceJSON{ape(l.Price)},
		Type:            "basic",
		Status:          l.Status,
	}
	if first := l.Components.Consideration[0]; first.StartAmount.Cmp(first.EndAmount) != 0 {
		out.Type = "dutch"
	}
	return out
}

func collection(c *demo.Collection, url string) collectionJSON {
	token := paymentTokenJSON{
		Symbol: "APE", Address: addr(common.Address{}), Chain: ChainSlug, Name: "ApeCoin",
		Decimals: units.APEDecimals, EthPrice: "0.0002", USDPrice: "0.5", // made up: nothing here has a price
	}
	percent := func(b units.BPS) json.Number { return json.Number(units.FromUint64(uint64(b)).Decimal(2)) }
	return collectionJSON{
		Collection: c.Slug, Name: c.Name, Description: c.Description, Owner: addr(c.Creator),
		SafelistStatus: "verified", Category: "pfps", OpenseaURL: url,
		Contracts: []contractJSON{{addr(c.Address), ChainSlug}},
		Editors:   []string{addr(c.Creator)},
		Fees: []feeJSON{
			{percent(demo.FeeBPS), addr(seaport.FeeRecipient), true},
			{percent(c.Royalty), addr(c.Creator), true},
		},
		TotalSupply: c.Tokens, UniqueItemCount: c.Tokens, CreatedDate: "2024-01-01",
		PricingCurrencies: pricingJSON{token, token},
	}
}
