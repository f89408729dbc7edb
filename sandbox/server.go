package sandbox

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// tokenHeader carries the secret of current.json to the control routes.
const tokenHeader = "X-Sandbox-Token"

// handler routes /rpc and /rpc/ethereum, the marketplace, the bridge and the
// control routes.
func (w *World) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/rpc", func(rw http.ResponseWriter, r *http.Request) {
		w.mu.RLock()
		defer w.mu.RUnlock()
		w.live.rpc.ServeHTTP(rw, r)
	})
	mux.HandleFunc("/rpc/ethereum", w.bridged(func(b *bridge, rw http.ResponseWriter, r *http.Request) { b.rpc.ServeHTTP(rw, r) }))
	mux.Handle("/relay/", http.StripPrefix("/relay", w.bridged(func(b *bridge, rw http.ResponseWriter, r *http.Request) { b.relay.ServeHTTP(rw, r) })))
	mux.HandleFunc("/api/v2/", func(rw http.ResponseWriter, r *http.Request) {
		w.mu.RLock()
		defer w.mu.RUnlock()
		w.live.market.ServeHTTP(rw, r)
	})
	mux.HandleFunc("GET /sandbox", w.serveHealth)
	mux.HandleFunc("POST /sandbox/reset", w.serveReset)
	mux.HandleFunc("GET /{$}", w.serveIndex)
	return loopbackOnly(mux)
}

// loopbackOnly refuses requests that a browser was tricked into sending to this
// machine under another name (DNS rebinding).
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if !slices.Contains([]string{"127.0.0.1", "localhost", "[::1]", "::1"}, host) {
			http.Error(rw, "the sandbox answers on loopback names only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(rw, r)
	})
}

// Health is what a running sandbox says of itself.
type Health struct {
	Instance string   `json:"instance"`
	PID      int      `json:"pid"`
	ChainID  int64    `json:"chainId"`
	Block    uint64   `json:"block"`
	Faults   []string `json:"faults"`
	// EthereumBlock is the second chain's, which starts when it is first asked for.
	EthereumBlock uint64 `json:"ethereumBlock,omitempty"`
}

func (w *World) serveHealth(rw http.ResponseWriter, _ *http.Request) {
	w.mu.RLock()
	block, ethereum := w.live.chain.Head().Number.Uint64(), uint64(0)
	if c := w.live.bridge.running(); c != nil {
		ethereum = c.Head().Number.Uint64()
	}
	w.mu.RUnlock()
	w.answer(rw, http.StatusOK, Health{
		Instance: w.current.Instance, PID: w.current.PID, ChainID: w.current.ChainID,
		Block: block, EthereumBlock: ethereum, Faults: append([]string{}, w.Faults()...),
	})
}

func (w *World) serveReset(rw http.ResponseWriter, r *http.Request) {
	got := r.Header.Get(tokenHeader)
	if subtle.ConstantTimeCompare([]byte(got), []byte(w.current.token)) != 1 {
		w.answer(rw, http.StatusForbidden, fault.New(fault.Auth, "the reset needs the sandbox's token"))
		return
	}
	if err := w.Reset(r.Context()); err != nil {
		w.opt.Logger.Error("reset", "err", err)
		w.answer(rw, http.StatusInternalServerError, fault.From(err))
		return
	}
	w.serveHealth(rw, r)
}

func (w *World) answer(rw http.ResponseWriter, status int, doc any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	if err := json.NewEncoder(rw).Encode(doc); err != nil {
		w.opt.Logger.Debug("client is gone", "err", err)
	}
}

// serveIndex tells a person who opened the port in a browser where they are.
func (w *World) serveIndex(rw http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	fmt.Fprintf(&b, "This is an ape-claw sandbox. Nothing here is worth anything.\n\n")
	fmt.Fprintf(&b, "chain        %d, JSON-RPC at %s\n", w.current.ChainID, w.current.RPCURL)
	fmt.Fprintf(&b, "marketplace  OpenSea's API v2 at %s/api/v2\n", w.current.MarketURL)
	fmt.Fprintf(&b, "ethereum     %d, JSON-RPC at %s\n", devchain.EthereumChainID, w.current.EthereumRPCURL)
	fmt.Fprintf(&b, "bridge       Relay's API at %s\n", w.current.RelayURL)
	for _, c := range w.demo.Collections {
		fmt.Fprintf(&b, "collection   %-15s %s\n", c.Slug, c.Address)
	}
	fmt.Fprintf(&b, "\nTry: ape-claw --profile sandbox market collections\n")
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if _, err := rw.Write([]byte(b.String())); err != nil {
		w.opt.Logger.Debug("client is gone", "err", err)
	}
}
