// Package relay serves a bridge between the sandbox's two chains in the shapes of
// Relay's API: it quotes, sees a deposit on one chain and really pays out on the
// other, from an account of its own. It answers and acts wrongly where a fault is
// asked for.
package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// maxRequest bounds a request body, and maxTransfers what is remembered.
const (
	maxRequest   = 64 << 10
	maxTransfers = 10_000
)

// watchEvery is how often the chains are looked at for deposits. A look at chains
// without a new block costs nothing.
const watchEvery = 20 * time.Millisecond

// Chain is what the bridge asks of a chain.
type Chain interface {
	ID() int64
	Client() *ethclient.Client
	Head() *types.Header
}

// Options are what a Server needs.
type Options struct {
	World  *demo.World
	Chains []Chain // those of the world's currencies
	// Submit sends a transaction on a chain and does not wait for its receipt.
	Submit func(ctx context.Context, chainID int64, from demo.Key, to common.Address, value *big.Int, data []byte) (common.Hash, error)
	RPC    map[int64]string // the chains' JSON-RPC, as it is told
	Faults *faults.Set      // nil: none
	Now    func() time.Time // required
	Logger *slog.Logger     // nil: silent
}

// Server is the bridge. It is an http.Handler for the paths of Relay's API.
type Server struct {
	opt     Options
	world   *demo.World
	faults  *faults.Set
	now     func() time.Time
	log     *slog.Logger
	handler http.Handler

	mu        sync.Mutex
	transfers map[common.Hash]*transfer // guarded by mu
	order     []common.Hash             // guarded by mu: the transfers, oldest first
	asked     map[string]bool           // guarded by mu: routes that were quoted before
	scanned   map[int64]uint64          // guarded by mu: the last block looked at, by chain

	stop context.CancelFunc
	done chan struct{}
}

// New returns a server that looks for deposits until Close.
func New(opt Options) *Server {
	if opt.Faults == nil {
		opt.Faults = &faults.Set{}
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{
		opt: opt, world: opt.World, faults: opt.Faults, now: opt.Now, log: opt.Logger,
		transfers: map[common.Hash]*transfer{}, asked: map[string]bool{}, scanned: map[int64]uint64{},
		stop: stop, done: make(chan struct{}),
	}
	for _, c := range opt.Chains {
		s.scanned[c.ID()] = c.Head().Number.Uint64()
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /quote/v2", s.quote)
	mux.HandleFunc("GET /chains", s.chains)
	for _, path := range []string{"/intents/status", "/intents/status/v2", "/intents/status/v3"} {
		mux.HandleFunc("GET "+path, s.status)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, http.StatusNotFound, "NOT_FOUND", "Route %s:%s not found", r.Method, r.URL.Path)
	})
	s.handler = s.misbehave(mux)
	go s.watch(ctx)
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close stops looking for deposits.
func (s *Server) Close() {
	s.stop()
	<-s.done
}

func (s *Server) watch(ctx context.Context) {
	defer close(s.done)
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.mu.Lock()
			s.sweep(ctx)
			s.mu.Unlock()
		}
	}
}

func (s *Server) chain(id int64) (Chain, bool) {
	for _, c := range s.opt.Chains {
		if c.ID() == id {
			return c, true
		}
	}
	return nil, false
}

// depository is where deposits on a chain are taken, as it is told.
func (s *Server) depository(chainID int64) common.Address {
	if s.faults.Has(faults.RelayMoved) {
		return stranger
	}
	return demo.Depository(chainID)
}

func (s *Server) chains(w http.ResponseWriter, _ *http.Request) {
	doc := chainsJSON{Chains: []chainJSON{}}
	for _, c := range s.opt.Chains {
		doc.Chains = append(doc.Chains, s.describe(c.ID()))
	}
	s.answer(w, http.StatusOK, doc)
}

func (s *Server) answer(w http.ResponseWriter, status int, doc any) {
	body, err := json.Marshal(doc)
	if err == nil && s.faults.Has(faults.RelayNumbers) {
		body, err = swapNumbers(body)
	}
	if err != nil {
		s.log.Error("bridge", "err", err)
		status, body = http.StatusInternalServerError, []byte(`{"message":"Internal server error"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	s.write(w, body)
}

func (s *Server) write(w http.ResponseWriter, b []byte) {
	if _, err := w.Write(b); err != nil {
		s.log.Debug("bridge client is gone", "err", err)
	}
}

func (s *Server) fail(w http.ResponseWriter, status int, code, format string, args ...any) {
	s.answer(w, status, errorJSON{Message: fmt.Sprintf(format, args...), ErrorCode: code})
}
