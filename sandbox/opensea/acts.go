package opensea

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// cancel cancels an order on the chain, as its seller.
func (s *Server) cancel(ctx context.Context, o demo.Order) error {
	c, ok := s.world.Collection(o.Slug)
	if !ok || s.send == nil {
		return errors.New("sellers can't act here")
	}
	return s.send(ctx, c.Seller, seaport.Address, seaport.Contract().PackCancel([]seaport.OrderComponents{o.Components}))
}

// renew signs another order for the same token, at a percentage of the price.
func (s *Server) renew(l Listed, percent string) (demo.Order, error) {
	c, ok := s.world.Collection(l.Slug)
	n, err := strconv.ParseInt(percent, 10, 32)
	if !ok || err != nil {
		return demo.Order{}, fmt.Errorf("%s at %s percent: %w", l.Slug, percent, err)
	}
	price := new(big.Int).Mul(l.Price.Big(), big.NewInt(n))
	wei, err := units.FromBig(price.Div(price, big.NewInt(100)))
	if err != nil {
		return demo.Order{}, err
	}
	s.mu.Lock()
	s.anew++
	salt := fmt.Sprintf("anew %d", s.anew)
	s.mu.Unlock()
	return demo.NewOrder(c, s.world.Options.ChainID, demo.Terms{
		TokenID: l.TokenID.Uint64(), Price: wei, Salt: salt, Counter: l.Components.Counter.Uint64(),
	})
}

// relist cancels an order and lists its token anew.
func (s *Server) relist(ctx context.Context, l Listed, percent string) error {
	o, err := s.renew(l, percent)
	if err != nil {
		return err
	}
	if err := s.cancel(ctx, l.Order); err != nil {
		return err
	}
	s.book.Add(o)
	return nil
}

// window counts the requests of one stretch of time.
type window struct {
	ends time.Time
	used int
}

// withinQuota counts a request against a fault that is a quota, and writes the
// headers that tell of it.
func (s *Server) withinQuota(w http.ResponseWriter, name faults.Name) bool {
	value, on := s.faults.On(name)
	n, length, err := faults.ParseQuota(value)
	if !on || err != nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now, win := s.now(), s.windows[name]
	if win == nil || !now.Before(win.ends) {
		win = &window{ends: now.Add(length)}
		s.windows[name] = win
	}
	win.used++
	seconds := strconv.FormatInt(int64((win.ends.Sub(now)+time.Second-1)/time.Second), 10)
	h := w.Header()
	h.Set("X-RateLimit-Limit", strconv.Itoa(n))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, n-win.used)))
	h.Set("X-RateLimit-Reset", seconds)
	if win.used > n {
		h.Set("Retry-After", seconds)
		return false
	}
	return true
}

// bombSize is what a bomb is when unpacked.
const bombSize = 64 << 20

// bomb answers little that becomes much.
func (s *Server) bomb(w http.ResponseWriter) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	blanks := bytes.Repeat([]byte(" "), 1<<20)
	var err error
	for range bombSize / len(blanks) {
		_, e := z.Write(blanks)
		err = errors.Join(err, e)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		s.broken(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	s.write(w, packed.Bytes())
}

// lead applies the faults of where pages lead.
func (s *Server) lead(page *pageJSON, view, slug string, r *http.Request) {
	if _, on := s.faults.On(faults.RepeatedCursor); on {
		page.Next = writeCursor(view, slug, -1)
	}
	if _, on := s.faults.On(faults.CursorCycle); on {
		// Both lead to the start, under two names.
		page.Next = writeCursor(view, slug, -1)
		if r.URL.Query().Get("next") == page.Next {
			page.Next = writeCursor(view, slug, -2)
		}
	}
	if _, on := s.faults.On(faults.EndlessPages); on {
		s.mu.Lock()
		s.anew++
		page.Listings, page.Next = []listingJSON{}, writeCursor(view, slug, -2-s.anew)
		s.mu.Unlock()
	}
}

// statusOf reads an HTTP status.
func statusOf(value string, otherwise int) int {
	code, err := strconv.Atoi(value)
	if err != nil || code < 200 || code > 999 {
		return otherwise
	}
	return code
}
