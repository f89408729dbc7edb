package v2

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/crypto"
)

// maxPurchaseLines bounds the lines that a receipt of a purchase lists: a quote may
// be simulated many times. The first and the newest are taken.
const maxPurchaseLines = 100

// purchase is what the log tells of a confirmed purchase.
type purchase struct {
	quoteID string
	txHash  string
	trace   string // of its receipt
	subject string // whose purchase it is
	lines   []lineHash
}

// purchaseLine is what is read of a line about a purchase.
type purchaseLine struct {
	EventType string
	EventID   string
	TS        string
	AgentID   string
	TraceID   string
	ChainID   int64
	Payload   struct{ QuoteID string }
	Result    struct{ QuoteID, TxHash string }
}

// purchaseOf reads a confirmed purchase from the log: the lines about its quote,
// from when it was made, up to the first confirmation. ok is false when the log tells
// of none; cut, that it was not searched as far as the quote.
func purchaseOf(ctx context.Context, log search, chainID int64, quoteID string) (p purchase, ok, cut bool, err error) {
	if quoteID == "" {
		return p, false, false, nil
	}
	quote, confirmed := []byte(quoteID), false
	lines, cut, err := log.back(ctx, 10*maxPurchaseLines, func(raw []byte) (take, last bool) {
		var l purchaseLine
		if !bytes.Contains(raw, quote) || json.Unmarshal(raw, &l) != nil || l.ChainID != chainID || l.Payload.QuoteID != quoteID && l.Result.QuoteID != quoteID ||
			!strings.HasPrefix(l.EventType, "nft.") || isCopy(l.EventID) {
			return false, false
		}
		confirmed = confirmed || l.EventType == eventConfirmed
		return true, confirmed && l.EventType == eventQuoted
	})
	if err != nil {
		return p, false, cut, err
	}
	p.quoteID = quoteID
	for _, line := range lines {
		var l purchaseLine
		if err := json.Unmarshal(line.Data, &l); err != nil {
			return p, false, cut, err
		}
		p.lines = append(p.lines, lineHash{l.EventType, l.TS, crypto.Keccak256Hash(line.Data).Hex()})
		if l.EventType == eventConfirmed {
			p.txHash, p.subject, p.trace = l.Result.TxHash, "agent:"+l.AgentID, ReceiptTrace(l.TraceID, quoteID)
			if over := len(p.lines) - maxPurchaseLines; over > 0 {
				p.lines = slices.Delete(p.lines, 1, 1+over)
			}
			return p, true, cut, nil
		}
	}
	return p, false, cut, nil
}

// Where the lines of a purchase begin and end.
const (
	eventQuoted    = "nft.quote.created"
	eventConfirmed = "nft.buy.confirmed"
)

// payload is what is told of the purchase in its receipt.
func (p purchase) payload() ([]byte, error) {
	return json.Marshal(map[string]any{"quoteId": p.quoteID, "txHash": p.txHash, "events": p.lines})
}

// content is what the receipt of the purchase is of.
func (p purchase) content() (receiptContent, error) {
	payload, err := p.payload()
	if err != nil {
		return receiptContent{}, err
	}
	text, err := ReceiptContent(p.subject, payload)
	if err != nil {
		return receiptContent{}, err
	}
	return readContent(text)
}

// maxTrace is how long a trace id may be (telemetry.CheckID).
const maxTrace = 128

// ReceiptTrace is the trace of the receipt of a purchase: a child of the purchase's
// own, cut so that the quote's id stays whole.
func ReceiptTrace(traceID, quoteID string) string {
	most := max(0, maxTrace-1-len(quoteID))
	for len(traceID) > most {
		_, size := utf8.DecodeLastRuneInString(traceID)
		traceID = traceID[:len(traceID)-size]
	}
	return traceID + "." + quoteID
}
