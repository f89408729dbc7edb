package nft_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestLookAlikes: an address that begins and ends as a known one is another one,
// wherever it stands, and messages show it whole.
func TestLookAlikes(t *testing.T) {
	t.Parallel()
	twin := func(a string) string {
		return strings.ToLower(a[:8]) + strings.Repeat("0", len(a)-14) + strings.ToLower(a[len(a)-6:])
	}
	w := newWorld(t)
	w.listing = func(l *market.Listing) { l.AssetContract = twin(contract) }
	_, err := w.service().Quote(t.Context(), quoteIn())
	refused(t, err, fault.CollectionNotAllowed, twin(contract), contract)
	for name, change := range map[string]func(*seaport.BasicOrderParameters){
		"contract": func(p *seaport.BasicOrderParameters) { p.OfferToken = common.HexToAddress(twin(contract)) },
		"seller":   func(p *seaport.BasicOrderParameters) { p.Offerer = common.HexToAddress(twin(seller.Hex())) },
		"fee": func(p *seaport.BasicOrderParameters) {
			p.AdditionalRecipients[0].Recipient = common.HexToAddress(twin(seaport.FeeRecipient.Hex()))
		},
	} {
		w := newWorld(t)
		q := w.simulated()
		w.propose = func(f *market.Fulfillment) {
			p := seaport.Basic(w.order, make([]byte, 64))
			change(&p)
			f.InputData = w.fulfillment(p).InputData
		}
		_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
		if fault.CodeOf(err) != fault.UnsafeTransaction || len(w.sent) != 0 {
			t.Errorf("%s: %v, sent %d", name, err, len(w.sent))
		}
	}
	w = newWorld(t)
	q := w.simulated()
	w.propose = func(f *market.Fulfillment) { f.To = twin(lower(seaport.Address)) }
	_, err = w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
	refused(t, err, fault.UnsafeTransaction, "to is 0x")
}

// TestNumbersOfAFulfilment: 1e18 and its like are exact numbers, or refused.
func TestNumbersOfAFulfilment(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		`11750000000000000000`: true, `"11750000000000000000"`: true, `"0xa31062beeed70000"`: true,
		`1.175e19`: true, `11.75e18`: true, `1.1750000000000000001e19`: false, `11750000000000000001`: false, `"1.175e19"`: false, `11.75`: false, `-1`: false, `null`: false, `"11750000000000000000.0"`: false,
	} {
		w := newWorld(t)
		q := w.simulated()
		w.propose = func(f *market.Fulfillment) {
			f.InputData = bytes.Replace(f.InputData, []byte(`"11750000000000000000"`), []byte(text), 1)
		}
		_, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase})
		switch {
		case err == nil: // then it was exactly the price
			if !ok || w.sent[0].Intent.Value != w.price {
				t.Errorf("%s was bought for %s", text, w.sent[0].Intent.Value)
			}
		case ok || fault.CodeOf(err) != fault.UnsafeTransaction || len(w.sent) != 0:
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestOrdersThatAreNoPlainSale: whatever the fulfilment's order is beside a plain
// sale of one ERC-721 for native currency, nothing is signed.
func TestOrdersThatAreNoPlainSale(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*seaport.OrderComponents){
		"expired":     func(o *seaport.OrderComponents) { o.EndTime = new(big.Int).Sub(o.StartTime, big.NewInt(1)) },
		"not started": func(o *seaport.OrderComponents) { o.StartTime = new(big.Int).Add(o.StartTime, big.NewInt(3600)) },
		"dutch":       func(o *seaport.OrderComponents) { o.Consideration[0].EndAmount = big.NewInt(1) },
		"criteria":    func(o *seaport.OrderComponents) { o.Offer[0].ItemType = 4 },
		"ERC-1155": func(o *seaport.OrderComponents) {
			o.Offer[0].ItemType, o.Offer[0].StartAmount, o.Offer[0].EndAmount = 3, big.NewInt(3), big.NewInt(3)
		},
		"three": func(o *seaport.OrderComponents) {
			o.Offer[0].StartAmount, o.Offer[0].EndAmount = big.NewInt(3), big.NewInt(3)
		},
		"WAPE":            func(o *seaport.OrderComponents) { o.Consideration[0].ItemType, o.Consideration[0].Token = 1, other },
		"a zone":          func(o *seaport.OrderComponents) { o.OrderType, o.Zone = 2, other },
		"partly fillable": func(o *seaport.OrderComponents) { o.OrderType = 1 },
		"private": func(o *seaport.OrderComponents) {
			o.Consideration[1].ItemType, o.Consideration[1].Token = 2, common.HexToAddress(contract)
		},
	} {
		w := newWorld(t)
		q := w.simulated()
		change(&w.order)
		call := seaport.Parameters(w.order)
		data := sp.PackFulfillOrder(seaport.Order{Parameters: call, Signature: make([]byte, 64)}, [32]byte{})
		_, err := seaport.Verify(seaport.Call{ChainID: chainID, To: seaport.Address, Value: w.price, Data: data}, seaport.Want{
			ChainID: chainID, Protocol: seaport.Address, Buyer: me, Token: common.HexToAddress(contract), TokenID: big.NewInt(7),
			OrderHash: seaport.OrderHash(w.order), Counter: new(big.Int), Price: w.price, Now: w.now, Margin: nft.OrderMargin,
		})
		if fault.CodeOf(err) != fault.UnsafeTransaction {
			t.Errorf("%s of %s: %v", name, q.QuoteID, err)
		}
	}
}
