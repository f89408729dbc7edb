package opensea

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// stranger is an address that nothing here belongs to. It shares its first and
// last four digits with OpenSea's fee recipient, as a forger's would.
var stranger = common.HexToAddress("0x0000bad0000000000000000000000000000fa719")

// wape is ApeChain's wrapped APE.
var wape = common.HexToAddress("0x48b62137EdfA95a428D35C09E44256a739F6B557")

// misbehave applies the faults of the server as a whole.
func (s *Server) misbehave(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if value, on := s.faults.On(faults.Slow); on && !pause(r, value) {
			return
		}
		if _, on := s.faults.On(faults.Reset); on {
			panic(http.ErrAbortHandler) // net/http's way to drop a connection
		}
		if _, on := s.faults.On(faults.BadKey); on {
			s.fail(w, http.StatusUnauthorized, "Invalid API key")
			return
		}
		if value, on := s.faults.On(faults.RateLimit); on {
			w.Header().Set("Retry-After", value)
			s.fail(w, http.StatusTooManyRequests, "Request was throttled.")
			return
		}
		if _, on := s.faults.On(faults.RateLimitBare); on {
			s.fail(w, http.StatusTooManyRequests, "Request was throttled.")
			return
		}
		if !s.withinQuota(w, faults.Quota) || r.Method == http.MethodPost && !s.withinQuota(w, faults.FulfilQuota) {
			s.fail(w, http.StatusTooManyRequests, "Request was throttled.")
			return
		}
		if _, on := s.faults.On(faults.GzipBomb); on {
			s.bomb(w)
			return
		}
		if _, on := s.faults.On(faults.Redirect); on {
			w.Header().Set("Location", "http://api.opensea.example"+r.URL.RequestURI())
			s.fail(w, http.StatusTemporaryRedirect, "Moved")
			return
		}
		if value, on := s.faults.On(faults.Status); on {
			s.fail(w, statusOf(value, http.StatusInternalServerError), "Something went wrong")
			return
		}
		if _, on := s.faults.On(faults.HTML); on {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(http.StatusOK)
			s.write(w, []byte("<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Checking your browser</body></html>"))
			return
		}
		if _, on := s.faults.On(faults.Truncated); on {
			rec := recorder{header: w.Header(), status: http.StatusOK}
			next.ServeHTTP(&rec, r)
			w.WriteHeader(rec.status)
			s.write(w, rec.body.Bytes()[:rec.body.Len()/2])
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) write(w http.ResponseWriter, b []byte) {
	if _, err := w.Write(b); err != nil {
		s.log.Debug("marketplace client is gone", "err", err)
	}
}

// pause waits, unless the client leaves first.
func pause(r *http.Request, value string) bool {
	d, err := time.ParseDuration(value)
	if err != nil {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-t.C:
		return true
	}
}

// recorder keeps an answer back.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }

// oddities change one listing each. They are tried in this order.
var oddities = []struct {
	name   faults.Name
	change func(*listingJSON)
}{
	{faults.WAPE, func(l *listingJSON) {
		l.setPrice(func(a *amountJSON) { a.Currency = "WAPE" })
		l.eachPayment(func(c *considerationJSON) { c.ItemType, c.Token = 1, addr(wape) })
	}},
	{faults.SixDecimals, func(l *listingJSON) {
		l.setPrice(func(a *amountJSON) { a.Currency, a.Decimals, a.Value = "USDC", 6, "12500000" })
		l.eachPayment(func(c *considerationJSON) { c.ItemType, c.Token = 1, addr(stranger) })
	}},
	{faults.ERC1155, func(l *listingJSON) {
		l.Remaining = 3
		offer := &l.ProtocolData.Parameters.Offer[0]
		offer.ItemType, offer.Start, offer.End = 3, "3", "3"
	}},
	{faults.Dutch, func(l *listingJSON) {
		l.Type = "dutch"
		l.eachPayment(func(c *considerationJSON) { c.End = "1" })
	}},
	{faults.English, func(l *listingJSON) { l.Type = "english" }},
	{faults.Private, func(l *listingJSON) {
		p := &l.ProtocolData.Parameters
		p.Consideration = append(p.Consideration, considerationJSON{p.Offer[0], addr(stranger)})
		p.Total++
	}},
	{faults.Restricted, func(l *listingJSON) {
		l.ProtocolData.Parameters.Zone, l.ProtocolData.Parameters.OrderType = addr(stranger), 2
	}},
	{faults.Inactive, func(l *listingJSON) { l.Status = Cancelled }},
	{faults.HighPrice, func(l *listingJSON) { l.setPrice(func(a *amountJSON) { a.Value = plus(a.Value, 1) }) }},
	{faults.LowPrice, func(l *listingJSON) { l.setPrice(func(a *amountJSON) { a.Value = plus(a.Value, -1) }) }},
	{faults.OtherContract, func(l *listingJSON) {
		l.Asset.Contract = addr(stranger)
		l.ProtocolData.Parameters.Offer[0].Token = addr(stranger)
	}},
	{faults.Expired, func(l *listingJSON) {
		l.ProtocolData.Parameters.StartTime, l.ProtocolData.Parameters.EndTime = "1600000000", "1700000000"
	}},
	{faults.Future, func(l *listingJSON) { l.ProtocolData.Parameters.StartTime = "4000000000" }},
	{faults.Criteria, func(l *listingJSON) {
		item := &l.ProtocolData.Parameters.Offer[0]
		item.ItemType, item.Identifier = 4, "0"
	}},
	{faults.Lookalike, func(l *listingJSON) {
		fake := addr(lookalike(common.HexToAddress(l.Asset.Contract)))
		l.Asset.Contract, l.ProtocolData.Parameters.Offer[0].Token = fake, fake
	}},
	{faults.NumberPrice, func(l *listingJSON) {
		if p, ok := l.Price.(priceJSON); ok {
			l.Price = map[string]any{"current": map[string]any{
				"currency": p.Current.Currency, "decimals": p.Current.Decimals, "value": json.RawMessage(exponent(p.Current.Value)),
			}}
		}
	}},
	{faults.NoSignature, func(l *listingJSON) { l.ProtocolData.Signature = nil }},
	{faults.FlatPrice, func(l *listingJSON) {
		if p, ok := l.Price.(priceJSON); ok {
			l.Price = p.Current
		}
	}},
}

// odd applies the faults of listings.
func (s *Server) odd(l listingJSON) listingJSON {
	for _, o := range oddities {
		if s.faults.OnFor(o.name, l.Asset.Identifier) {
			o.change(&l)
		}
	}
	return l
}

func (l *listingJSON) setPrice(change func(*amountJSON)) {
	if p, ok := l.Price.(priceJSON); ok {
		change(&p.Current)
		l.Price = p
	}
}

func (l *listingJSON) eachPayment(change func(*considerationJSON)) {
	items := l.ProtocolData.Parameters.Consideration
	for i := range items {
		change(&items[i])
	}
}

// lookalike is an address whose first and last four digits are another's.
func lookalike(a common.Address) common.Address {
	for i := 2; i < len(a)-2; i++ {
		a[i] ^= 0xff
	}
	return a
}

// exponent writes a decimal number as JavaScript does when it is large.
func exponent(decimal string) string {
	digits := strings.TrimRight(decimal, "0")
	if len(decimal) < 2 || digits == "" {
		return decimal
	}
	mantissa := digits[:1]
	if len(digits) > 1 {
		mantissa += "." + digits[1:]
	}
	return mantissa + "e+" + strconv.Itoa(len(decimal)-1)
}

// plus adds to a decimal number.
func plus(decimal string, n int64) string {
	v, ok := new(big.Int).SetString(decimal, 10)
	if !ok {
		return decimal
	}
	return v.Add(v, big.NewInt(n)).String()
}
