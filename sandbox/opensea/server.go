// Package opensea serves the sandbox's listings in the shapes of OpenSea's v2
// API, from the state of the sandbox's chain: a listing that was bought is gone.
// It answers wrongly where a fault is asked for.
package opensea

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"golang.org/x/time/rate"

	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// Limits of a page of listings.
const (
	defaultLimit = 100
	maxLimit     = 200
)

// DefaultRate is how many requests a second are answered. It is far over what
// OpenSea allows, so that nobody waits, and still ends a client that loops.
const DefaultRate = 500

// maxRequest bounds a request body.
const maxRequest = 64 << 10

// Options are what a Server needs.
type Options struct {
	World  *demo.World
	Chain  Chain
	Faults *faults.Set      // nil: none
	Now    func() time.Time // required
	Rate   int              // requests a second; 0: DefaultRate
	// Send sends a seller's transaction, for the faults in which sellers act; nil:
	// they can't.
	Send   func(ctx context.Context, from demo.Key, to common.Address, data []byte) error
	Logger *slog.Logger // nil: silent
}

// Server is the marketplace. It is an http.Handler for paths under /api/v2/.
type Server struct {
	world   *demo.World
	book    *Book
	faults  *faults.Set
	limiter *rate.Limiter
	send    func(ctx context.Context, from demo.Key, to common.Address, data []byte) error
	now     func() time.Time
	log     *slog.Logger
	handler http.Handler

	mu      sync.Mutex
	windows map[faults.Name]*window // of the faults that are quotas
	anew    int                     // orders signed for the faults of orders
}

// New returns a server for a world whose genesis the chain was started with.
func New(ctx context.Context, opt Options) (*Server, error) {
	if opt.Faults == nil {
		opt.Faults = &faults.Set{}
	}
	if opt.Rate == 0 {
		opt.Rate = DefaultRate
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	book, err := newBook(ctx, opt.Chain, opt.World.Orders, opt.Now)
	if err != nil {
		return nil, err
	}
	s := &Server{
		world:   opt.World,
		book:    book,
		faults:  opt.Faults,
		limiter: rate.NewLimiter(rate.Limit(opt.Rate), opt.Rate),
		send:    opt.Send,
		now:     opt.Now,
		log:     opt.Logger,
		windows: map[faults.Name]*window{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v2/collections/{slug}", s.getCollection)
	mux.HandleFunc("GET /api/v2/chain/{chain}/contract/{address}", s.getContract)
	mux.HandleFunc("GET /api/v2/listings/collection/{slug}/all", s.allListings)
	mux.HandleFunc("GET /api/v2/listings/collection/{slug}/best", s.bestListings)
	mux.HandleFunc("GET /api/v2/listings/collection/{slug}/nfts/{id}/best", s.bestListing)
	mux.HandleFunc("POST /api/v2/listings/fulfillment_data", s.fulfillment)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, http.StatusNotFound, "%s %s is not part of the sandbox's marketplace", r.Method, r.URL.Path)
	})
	s.handler = s.misbehave(s.admit(mux))
	return s, nil
}

// Book returns the server's orders, to add to.
func (s *Server) Book() *Book { return s.book }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// admit checks the API key, any will do, and the rate.
func (s *Server) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") == "" {
			s.fail(w, http.StatusUnauthorized, "Missing an API Key, you can request one here https://docs.opensea.io/reference/api-keys")
			return
		}
		h := w.Header()
		if h.Get("X-RateLimit-Limit") == "" { // a fault may have said it
			h.Set("X-RateLimit-Limit", strconv.Itoa(s.limiter.Burst()))
			h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, int(s.limiter.Tokens())-1)))
		}
		if !s.limiter.Allow() {
			h.Set("Retry-After", "1")
			s.fail(w, http.StatusTooManyRequests, "Request was throttled. Expected available in 1 second.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) getCollection(w http.ResponseWriter, r *http.Request) {
	c, ok := s.collectionOf(w, r)
	if !ok {
		return
	}
	doc := collection(c, "http://"+r.Host+r.URL.Path)
	doc.Collection = s.slugNow(c.Slug)
	if _, on := s.faults.On(faults.WrongContract); on {
		doc.Contracts[0].Address = addr(lookalike(c.Address))
	}
	s.answer(w, http.StatusOK, doc)
}

// getContract says which collection a contract belongs to.
func (s *Server) getContract(w http.ResponseWriter, r *http.Request) {
	for i := range s.world.Collections {
		c := &s.world.Collections[i]
		if r.PathValue("chain") == ChainSlug && strings.EqualFold(r.PathValue("address"), c.Address.Hex()) {
			s.answer(w, http.StatusOK, contractOfJSON{
				Address: addr(c.Address), Chain: ChainSlug, Collection: s.slugNow(c.Slug), Standard: "erc721", Name: c.Name, TotalSupply: c.Tokens,
			})
			return
		}
	}
	s.fail(w, http.StatusNotFound, "Contract %s not found", r.PathValue("address"))
}

const renamed = "-renamed"

// slugNow is what a collection is called now.
func (s *Server) slugNow(slug string) string {
	if _, on := s.faults.On(faults.Renamed); on {
		return slug + renamed
	}
	return slug
}

func (s *Server) collectionOf(w http.ResponseWriter, r *http.Request) (*demo.Collection, bool) {
	slug, known := strings.CutSuffix(r.PathValue("slug"), renamed)
	if _, on := s.faults.On(faults.Renamed); on != known {
		slug = ""
	}
	c, ok := s.world.Collection(slug)
	if !ok {
		s.fail(w, http.StatusNotFound, "Collection %s not found", r.PathValue("slug"))
	}
	return c, ok
}

func (s *Server) allListings(w http.ResponseWriter, r *http.Request) {
	s.listings(w, r, "all", func(a, b Listed) int { return a.Seq - b.Seq })
}

func (s *Server) bestListings(w http.ResponseWriter, r *http.Request) {
	s.listings(w, r, "best", cheaper)
}

// cheaper orders by price, then by age.
func cheaper(a, b Listed) int {
	if c := a.Price.Cmp(b.Price); c != 0 {
		return c
	}
	return a.Seq - b.Seq
}

// listings answers a page in the given order. A cursor names the last listing
// of the page before it, so that pages neither repeat nor skip a listing when
// others are bought meanwhile.
func (s *Server) listings(w http.ResponseWriter, r *http.Request, view string, order func(a, b Listed) int) {
	c, ok := s.collectionOf(w, r)
	if !ok {
		return
	}
	limit, err := pageLimit(r)
	if err != nil {
		s.fail(w, http.StatusBadRequest, "%s", err)
		return
	}
	all, err := s.book.Orders(r.Context(), c.Slug)
	if err != nil {
		s.broken(w, err)
		return
	}
	slices.SortFunc(all, order)
	after, err := readCursor(r.URL.Query().Get("next"), view, c.Slug)
	if err != nil {
		s.fail(w, http.StatusBadRequest, "Invalid cursor")
		return
	}
	maker, private := r.URL.Query().Get("maker"), r.URL.Query().Get("include_private_listings") == "true"
	page := pageJSON{Listings: []listingJSON{}}
	last, started := -1, after < 0
	for _, l := range all {
		switch {
		case !started:
			started = l.Seq == after
			continue
		case !s.shown(l, private), maker != "" && !strings.EqualFold(maker, l.Components.Offerer.Hex()):
			continue
		case len(page.Listings) == limit:
			page.Next = writeCursor(view, c.Slug, last)
		}
		if page.Next != "" {
			break
		}
		last = l.Seq
		page.Listings = append(page.Listings, s.odd(listing(l)))
	}
	s.lead(&page, view, c.Slug, r)
	s.answer(w, http.StatusOK, page)
}

// shown reports whether a listing stands in lists.
func (s *Server) shown(l Listed, private bool) bool {
	return l.Status == Active && (private || !isPrivate(l.Order))
}

// isPrivate reports whether an order is reserved: it owes its own token to
// somebody.
func isPrivate(o demo.Order) bool {
	last := o.Components.Consideration[len(o.Components.Consideration)-1]
	return last.Token == o.Token
}

func (s *Server) bestListing(w http.ResponseWriter, r *http.Request) {
	c, ok := s.collectionOf(w, r)
	if !ok {
		return
	}
	all, err := s.book.Orders(r.Context(), c.Slug)
	if err != nil {
		s.broken(w, err)
		return
	}
	id := r.PathValue("id")
	all = slices.DeleteFunc(all, func(l Listed) bool { return l.TokenID.String() != id || !s.shown(l, false) })
	if len(all) == 0 {
		s.fail(w, http.StatusNotFound, "No listing found for %s #%s", c.Slug, id)
		return
	}
	s.answer(w, http.StatusOK, s.odd(listing(slices.MinFunc(all, cheaper))))
}

func pageLimit(r *http.Request) (int, error) {
	text := r.URL.Query().Get("limit")
	if text == "" {
		return defaultLimit, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxLimit {
		return 0, fmt.Errorf("limit must be between 1 and %d", maxLimit)
	}
	return n, nil
}

// A cursor is opaque to clients: the view and collection it belongs to, and the
// sequence of the listing it comes after (-1: the start).
func writeCursor(view, slug string, seq int) string {
	return base64.URLEncoding.EncodeToString([]byte(view + "|" + slug + "|" + strconv.Itoa(seq)))
}

func readCursor(cursor, view, slug string) (int, error) {
	if cursor == "" {
		return -1, nil
	}
	raw, err := base64.URLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, err
	}
	seq, ok := strings.CutPrefix(string(raw), view+"|"+slug+"|")
	if !ok {
		return 0, errors.New("cursor of another list")
	}
	return strconv.Atoi(seq)
}

func (s *Server) answer(w http.ResponseWriter, status int, doc any) {
	body, err := json.Marshal(doc)
	if err != nil {
		s.broken(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil {
		s.log.Debug("marketplace client is gone", "err", err)
	}
}

func (s *Server) fail(w http.ResponseWriter, status int, format string, args ...any) {
	s.answer(w, status, errorsJSON{[]string{fmt.Sprintf(format, args...)}})
}

// broken answers what is our own fault.
func (s *Server) broken(w http.ResponseWriter, err error) {
	s.log.Error("marketplace", "err", err)
	s.fail(w, http.StatusInternalServerError, "Internal server error")
}
