package nft

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The saved quotes lie in the state directory, which others may write to, and
// their fields become sentences, confirm phrases and commands to paste. So a row
// is believed only as far as a run of ours could have written it.

// clockSlack is how far a quote may be ahead of the clock: two runs of one
// machine may see clocks that differ by a little.
const clockSlack = time.Minute

// flaw names the first field that no run of ours writes so, and tells its value;
// "" is none.
func (q Quote) flaw() (field, value string) {
	at := func(t time.Time) string { return t.Format(time.RFC3339Nano) }
	used := q.Status == StatusConfirmed || q.Status == StatusReverted || q.Status == StatusUnknown
	for _, f := range []struct {
		name, value string
		ok          bool
	}{
		{"quoteId", q.QuoteID, validQuoteID(q.QuoteID)},
		{"collection", q.Collection, market.ValidSlug(q.Collection)},
		{"tokenId", q.TokenID, market.ValidTokenID(q.TokenID)},
		{"priceWei", q.PriceWei.String(), !q.PriceWei.IsZero()},
		{"priceApe", string(q.PriceApe), isDecimal(q.PriceApe, q.PriceWei)},
		{"maxPrice", string(q.MaxPrice), isDecimal(q.MaxPrice, q.MaxPriceWei)},
		{"currency", q.Currency, isSymbol(q.Currency)},
		{"orderHash", q.OrderHash, isHex(q.OrderHash, 32)},
		{"chainId", fmt.Sprint(q.ChainID), q.ChainID > 0},
		{"contractAddress", q.ContractAddress, isHex(q.ContractAddress, 20)},
		{"protocolAddress", q.ProtocolAddress, isHex(q.ProtocolAddress, 20)},
		{"seller", q.Seller, isHex(q.Seller, 20)},
		{"counter", q.Counter, q.Counter == "" || market.ValidTokenID(q.Counter)}, // 256 bits, as an id
		{"expiresAt", at(q.ExpiresAt), !q.CreatedAt.IsZero() && !q.ExpiresAt.Before(q.CreatedAt) && !q.ExpiresAt.After(q.CreatedAt.Add(QuoteTTL))},
		{"orderExpiresAt", at(q.OrderExpiresAt), !q.OrderExpiresAt.Before(q.ExpiresAt)},
		{"traceId", q.TraceID, telemetry.CheckID("trace id", q.TraceID) == nil},
		{"status", q.Status, used || q.Status == StatusQuoted},
		{"txHash", q.TxHash, used && isHex(q.TxHash, 32) || !used && q.TxHash == ""},
	} {
		if !f.ok {
			return f.name, f.value
		}
	}
	for i, f := range q.Fees {
		if !isHex(f.Recipient, 20) || !isDecimal(f.AmountApe, f.AmountWei) {
			return fmt.Sprintf("fees[%d]", i), f.Recipient + " " + string(f.AmountApe)
		}
	}
	return "", ""
}

// decodeQuote reads a saved quote. One that is not as it was written is
// fault.StateUnusable and names the field; the hint holds none of its text.
func decodeQuote(id, doc string) (Quote, error) {
	var q Quote
	if err := json.Unmarshal([]byte(doc), &q); err != nil || q.QuoteID != id {
		return Quote{}, fault.Wrap(err, fault.StateUnusable, "quote %s in %s can't be read", shown(id), store.StateFile).
			Hintf("quote it again: ape-claw nft quote").WithSent(fault.SentNo)
	}
	if field, value := q.flaw(); field != "" {
		return Quote{}, altered(id, field, value)
	}
	q.CollectionName, q.Source = cleaned(q.CollectionName), cleaned(q.Source)
	return q, nil
}

// ahead refuses a quote that was made later than now: it would live longer than
// any quote does. One that is only looked at may be ahead of a clock set back.
func ahead(q Quote, now time.Time) error {
	if !q.CreatedAt.After(now.Add(clockSlack)) {
		return nil
	}
	e := altered(q.QuoteID, "createdAt", q.CreatedAt.Format(time.RFC3339))
	e.Message += ", and the clock says " + now.Format(time.RFC3339)
	return e.Hintf("if the clock was set back, quote it again: ape-claw nft quote")
}

func altered(id, field, value string) *fault.Error {
	return fault.New(fault.StateUnusable, "quote %s was altered: its %s in %s is \"%s\"", shown(id), field, store.StateFile, shown(value)).
		Hintf("quote it again: ape-claw nft quote; then find out who else writes to the state directory").
		WithSent(fault.SentNo).With("field", field)
}

// validQuoteID reports whether id is one that newQuote makes.
func validQuoteID(id string) bool {
	rest, ok := strings.CutPrefix(id, quotePrefix)
	return ok && len(rest) == 20 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// isDecimal reports whether n is w in whole APE, spelt as we spell it.
func isDecimal(n json.Number, w units.Wei) bool { return n == w.JSON(units.APEDecimals) }

// isHex reports whether s is 0x and so many bytes in lower case.
func isHex(s string, bytes int) bool {
	b, err := hex.DecodeString(strings.TrimPrefix(s, "0x"))
	return err == nil && len(b) == bytes && s == "0x"+hex.EncodeToString(b)
}

// isSymbol reports whether s may be the native token of a policy file.
func isSymbol(s string) bool {
	bad := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
	}
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, bad)
}

// cleaned makes text of the database fit for one line of a screen: what does not
// show, or turns the text around it, goes, and what is long is cut.
func cleaned(s string) string {
	const most = 200
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
