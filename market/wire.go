package market

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The shapes of OpenSea's v2 API that are read, and nothing more of them. Fields
// whose spelling varies are Integer or raw.

type collectionJSON struct {
	Slug       string         `json:"collection"`
	Name       string         `json:"name"`
	Contracts  []contractJSON `json:"contracts"`
	IsDisabled bool           `json:"is_disabled"`
}

type contractJSON struct {
	Address string `json:"address"`
	Chain   string `json:"chain"`
}

type pageJSON struct {
	Listings *listingsJSON `json:"listings"`
	Next     string        `json:"next"`
}

// maxOnPage is the most listings that a page is read for: several times what one
// is asked for. More would make a small answer large in memory.
const maxOnPage = 1000

type listingsJSON []json.RawMessage

// UnmarshalJSON stops at the first listing too many.
func (l *listingsJSON) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errors.New("field listings has the wrong type")
	}
	*l = listingsJSON{}
	for d.More() {
		if len(*l) == maxOnPage {
			return fmt.Errorf("it has more than %d listings on one page", maxOnPage)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		*l = append(*l, raw)
	}
	return nil
}

type listingJSON struct {
	OrderHash       string          `json:"order_hash"`
	Chain           string          `json:"chain"`
	ProtocolAddress string          `json:"protocol_address"`
	ProtocolData    protocolJSON    `json:"protocol_data"`
	Asset           assetJSON       `json:"asset"`
	Remaining       Integer         `json:"remaining_quantity"`
	Price           priceJSON       `json:"price"`
	Type            string          `json:"type"`
	Status          string          `json:"status"`
	Taker           json.RawMessage `json:"taker"`
	IsPrivate       bool            `json:"is_private_listing"`
}

type protocolJSON struct {
	Parameters json.RawMessage `json:"parameters"`
}

type assetJSON struct {
	Contract   string  `json:"contract"`
	Identifier Integer `json:"identifier"`
}

// priceJSON is {"current": amount}, or the amount itself in older answers.
type priceJSON struct {
	Current *amountJSON `json:"current"`
	amountJSON
}

func (p priceJSON) amount() amountJSON {
	if p.Current != nil {
		return *p.Current
	}
	return p.amountJSON
}

type amountJSON struct {
	Currency string  `json:"currency"`
	Decimals Integer `json:"decimals"`
	Value    Integer `json:"value"`
}

type orderJSON struct {
	Offerer       string     `json:"offerer"`
	Zone          string     `json:"zone"`
	Offer         []itemJSON `json:"offer"`
	Consideration []itemJSON `json:"consideration"`
	StartTime     Integer    `json:"startTime"`
	EndTime       Integer    `json:"endTime"`
	OrderType     Integer    `json:"orderType"`
	TotalOriginal Integer    `json:"totalOriginalConsiderationItems"`
}

type itemJSON struct {
	ItemType    Integer `json:"itemType"`
	Token       string  `json:"token"`
	Identifier  Integer `json:"identifierOrCriteria"`
	StartAmount Integer `json:"startAmount"`
	EndAmount   Integer `json:"endAmount"`
	Recipient   string  `json:"recipient"`
}

type fulfillJSON struct {
	Protocol string `json:"protocol"`
	Data     struct {
		Transaction transactionJSON `json:"transaction"`
		Orders      json.RawMessage `json:"orders"`
	} `json:"fulfillment_data"`
}

type transactionJSON struct {
	Function  string          `json:"function"`
	Chain     Integer         `json:"chain"`
	To        string          `json:"to"`
	Value     Integer         `json:"value"`
	ValueHex  Integer         `json:"value_hex"`
	InputData json.RawMessage `json:"input_data"`
	Suffix    string          `json:"calldata_suffix"`
}

// decode reads exactly one JSON value. Its errors are ours and hold none of the
// document's text.
func decode(b []byte, v any) error {
	err := json.Unmarshal(b, v)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case len(bytes.TrimSpace(b)) == 0:
		return errors.New("it is empty")
	case errors.As(err, &syntax) && isCutOff(b):
		return fmt.Errorf("it is JSON cut off after %d bytes", len(b))
	case errors.As(err, &syntax):
		return fmt.Errorf("it is no valid JSON at byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("field %s has the wrong type", quoted(kind.Field))
	}
	// Integer's errors quote and clean what they show.
	return errors.New(fault.Excerpt(err.Error(), maxMessage))
}

// isCutOff reports whether b is the beginning of a JSON value.
func isCutOff(b []byte) bool {
	var v json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(b)).Decode(&v), io.ErrUnexpectedEOF)
}

// parsePage reads a page of listings.
func parsePage(b []byte) (listings []json.RawMessage, next string, err error) {
	var p pageJSON
	if err := decode(b, &p); err != nil {
		return nil, "", err
	}
	if p.Listings == nil {
		return nil, "", errors.New(`it has no field "listings"`)
	}
	if len(p.Next) > 4096 {
		return nil, "", errors.New("its page cursor is longer than 4096 bytes")
	}
	return *p.Listings, p.Next, nil
}

// parseFulfillment reads a fulfilment. Only its spelling is checked.
func parseFulfillment(b []byte) (Fulfillment, error) {
	var f fulfillJSON
	if err := decode(b, &f); err != nil {
		return Fulfillment{}, err
	}
	tx := f.Data.Transaction
	out := Fulfillment{Protocol: fault.Excerpt(f.Protocol, maxShown), Function: tx.Function, InputData: tx.InputData, Orders: f.Data.Orders}
	if tx.Function == "" || fault.Excerpt(tx.Function, 2048) != tx.Function {
		return Fulfillment{}, fmt.Errorf("its function is %s", quoted(tx.Function))
	}
	if !tx.Chain.set || !tx.Chain.n.IsInt64() {
		return Fulfillment{}, errors.New("its chain is no chain id")
	}
	out.ChainID = tx.Chain.n.Int64()
	to, ok := address(tx.To)
	if !ok {
		return Fulfillment{}, fmt.Errorf("its target %s is no address", quoted(tx.To))
	}
	out.To = to
	var err error
	if out.Value, err = tx.Value.Wei(); err != nil {
		return Fulfillment{}, fmt.Errorf("its value: %w", err)
	}
	if tx.ValueHex.set && !tx.ValueHex.Equal(tx.Value) {
		return Fulfillment{}, fmt.Errorf("its value is %s and its value_hex %s", tx.Value, tx.ValueHex)
	}
	if out.Suffix, err = suffix(tx.Suffix); err != nil {
		return Fulfillment{}, err
	}
	if !startsWith(tx.InputData, '{') {
		return Fulfillment{}, errors.New("its input_data is no object")
	}
	if len(out.Orders) > 0 && !startsWith(out.Orders, '[') {
		return Fulfillment{}, errors.New("its orders are no array")
	}
	return out, nil
}

func startsWith(b json.RawMessage, c byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] == c
}

// suffix reads the calldata suffix: none, or 1 to 4 bytes of hex.
func suffix(s string) ([]byte, error) {
	if s == "" || s == "0x" {
		return nil, nil
	}
	for n := 1; n <= 4; n++ {
		if h, ok := hexOf(s, 2*n); ok {
			return unhex(h[2:]), nil
		}
	}
	if digits, ok := strings.CutPrefix(s, "0x"); ok && len(digits)%2 == 0 && strings.Trim(digits, "0123456789abcdefABCDEF") == "" {
		// It can be read, and it is calldata that nobody quoted.
		return nil, fault.New(fault.UnsafeTransaction, "the fulfilment's calldata suffix has %d bytes, expected at most 4", len(digits)/2).
			Hintf("choose another listing").WithSent(fault.SentNo)
	}
	return nil, fmt.Errorf("its calldata suffix %s is not 1 to 4 bytes of hex", quoted(s))
}
