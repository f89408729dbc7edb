package bridge

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Shapes of Relay's answers, as far as they are read. Numbers may be strings. A
// field that is not here decides nothing.
type (
	wireQuote struct {
		Steps    []wireStep  `json:"steps"`
		Fees     wireFees    `json:"fees"`
		Details  wireDetails `json:"details"`
		Protocol *struct {
			V2 *wireOrder `json:"v2"`
		} `json:"protocol"`
	}
	wireStep struct {
		ID             string     `json:"id"`
		Kind           string     `json:"kind"`
		RequestID      string     `json:"requestId"`
		DepositAddress string     `json:"depositAddress"`
		Items          []wireItem `json:"items"`
	}
	wireItem struct {
		Status string `json:"status"`
		Data   struct {
			From    string         `json:"from"`
			To      string         `json:"to"`
			Data    string         `json:"data"`
			Value   market.Integer `json:"value"`
			ChainID market.Integer `json:"chainId"`
		} `json:"data"`
	}
	wireFees struct {
		Relayer *wireAmount `json:"relayer"`
		App     *wireAmount `json:"app"`
	}
	wireDetails struct {
		Sender      string      `json:"sender"`
		Recipient   string      `json:"recipient"`
		RefundTo    string      `json:"refundTo"`
		CurrencyIn  *wireAmount `json:"currencyIn"`
		CurrencyOut *wireAmount `json:"currencyOut"`
	}
	wireAmount struct {
		Currency struct {
			ChainID  market.Integer `json:"chainId"`
			Address  string         `json:"address"`
			Symbol   string         `json:"symbol"`
			Decimals market.Integer `json:"decimals"`
		} `json:"currency"`
		Amount        signed  `json:"amount"`
		AmountUSD     literal `json:"amountUsd"`
		MinimumAmount signed  `json:"minimumAmount"` // below zero too: of a fee that is
	}
	// wireOrder is the order that the deposit's id stands for.
	wireOrder struct {
		OrderID string `json:"orderId"`
		Data    *struct {
			Inputs []struct {
				Refunds []struct {
					Recipient string `json:"recipient"`
				} `json:"refunds"`
			} `json:"inputs"`
			Output *struct {
				Payments []struct {
					Recipient     string         `json:"recipient"`
					Currency      string         `json:"currency"`
					MinimumAmount market.Integer `json:"minimumAmount"`
				} `json:"payments"`
				Calls []json.RawMessage `json:"calls"`
			} `json:"output"`
		} `json:"orderData"`
		Payment *struct {
			Depository string         `json:"depository"`
			Currency   string         `json:"currency"`
			Amount     market.Integer `json:"amount"`
		} `json:"paymentDetails"`
	}
)

// signed is an integer that may be negative: what a bridge adds is a fee below zero.
type signed struct {
	market.Integer
	negative bool
}

// UnmarshalJSON reads what market.Integer reads, with a sign before it.
func (s *signed) UnmarshalJSON(b []byte) error {
	text := string(b)
	s.negative = strings.HasPrefix(text, "-") || strings.HasPrefix(text, `"-`)
	return s.Integer.UnmarshalJSON([]byte(strings.Replace(text, "-", "", btoi(s.negative))))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// literal is a decimal that is written as a number or as a string.
type literal string

// UnmarshalJSON takes the digits as they are written.
func (l *literal) UnmarshalJSON(b []byte) error {
	*l = literal(strings.Trim(string(b), `"`))
	return nil
}

// usdPlaces is as many places as prices are read with; more are cut off.
const usdPlaces = 18

// usd reads the literal as an amount; ok is false when it is none.
func (l literal) usd() (units.Wei, bool) {
	whole, places, point := strings.Cut(string(l), ".")
	if point && len(places) > usdPlaces {
		places = places[:usdPlaces]
	}
	if point {
		whole += "." + places
	}
	w, err := units.Parse(whole, usdPlaces)
	return w, err == nil
}

// Chain is what the bridge says of one chain.
type Chain struct {
	ID         int64
	Name       string // for people
	Usable     bool   // it is open, and takes deposits
	Depository common.Address
	Currency   Currency // its own
}

// Currency is a token of one chain; the zero address is the chain's own.
type Currency struct {
	ChainID  int64          `json:"chainId"`
	Address  common.Address `json:"address"`
	Symbol   string         `json:"symbol"`
	Decimals int            `json:"decimals"`
}

// maxDecimals is more places than any token has that is worth a transfer.
const maxDecimals = 36

// wireChain is a chain as GET /chains lists it.
type wireChain struct {
	ID             market.Integer `json:"id"`
	DisplayName    string         `json:"displayName"`
	VMType         string         `json:"vmType"`
	DepositEnabled bool           `json:"depositEnabled"`
	Disabled       bool           `json:"disabled"`
	Currency       struct {
		Symbol   string         `json:"symbol"`
		Decimals market.Integer `json:"decimals"`
	} `json:"currency"`
	Protocol struct {
		V2 struct {
			Depository string `json:"depository"`
		} `json:"v2"`
	} `json:"protocol"`
}

// parseChains reads the chains that can be used at all; the others, of other kinds,
// without a depository or spelt otherwise, are left out.
func parseChains(b []byte) ([]Chain, error) {
	var w struct {
		Chains []json.RawMessage `json:"chains"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return nil, errors.New("it is not the JSON that was asked for")
	}
	var out []Chain
	seen := map[int64]bool{}
	for _, raw := range w.Chains {
		var c wireChain
		if json.Unmarshal(raw, &c) != nil {
			continue
		}
		id, ok := chainID(c.ID)
		depository, err := address(c.Protocol.V2.Depository)
		places, fits := decimals(c.Currency.Decimals)
		if !ok || c.VMType != "" && c.VMType != "evm" || err != nil || depository == (common.Address{}) || !fits {
			continue
		}
		if seen[id] {
			return nil, fmt.Errorf("it has chain %d twice", id)
		}
		seen[id] = true
		out = append(out, Chain{ID: id, Name: fault.Excerpt(c.DisplayName, 40), Usable: c.DepositEnabled && !c.Disabled, Depository: depository,
			Currency: Currency{ChainID: id, Symbol: symbol(c.Currency.Symbol), Decimals: places}})
	}
	return out, nil
}

func chainID(i market.Integer) (int64, bool) {
	b := i.Big()
	return b.Int64(), i.IsSet() && b.IsInt64() && b.Sign() > 0 && b.BitLen() <= 53
}

func decimals(i market.Integer) (int, bool) {
	b := i.Big()
	return int(b.Int64()), i.IsSet() && b.IsInt64() && b.Int64() <= maxDecimals
}

// symbol is what the bridge calls a token, fit to be shown. It proves nothing.
func symbol(s string) string { return fault.Excerpt(s, 16) }

// address reads 0x and 40 hex digits, and nothing else.
func address(s string) (common.Address, error) {
	b, err := hexBytes(s, common.AddressLength)
	if err != nil {
		return common.Address{}, err
	}
	return common.BytesToAddress(b), nil
}

// hexBytes reads 0x and the digits of n bytes; any even number for n < 0.
func hexBytes(s string, n int) ([]byte, error) {
	digits, ok := strings.CutPrefix(s, "0x")
	b, err := hex.DecodeString(digits)
	if !ok || err != nil || n >= 0 && len(b) != n {
		return nil, fmt.Errorf("%s is not 0x and hex digits as it should be", quoted(s))
	}
	return b, nil
}

// isHash reports whether s is 0x and 64 hex digits in lower case, not all zero.
func isHash(s string) bool {
	b, err := hexBytes(s, common.HashLength)
	return err == nil && s == strings.ToLower(s) && common.BytesToHash(b) != (common.Hash{})
}

func lower(a common.Address) string { return strings.ToLower(a.Hex()) }

// quoted is clean text in quotes, for a value inside a sentence.
func quoted(s string) string { return strconv.Quote(fault.Excerpt(s, 60)) }

// checksummed is an address as people compare it.
func checksummed(a string) string { return common.HexToAddress(a).Hex() }
