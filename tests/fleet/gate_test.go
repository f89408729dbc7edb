package fleet_test

import (
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
)

// gate stands in front of a receiver, and does with requests what a test asks for.
type gate struct {
	t     *testing.T
	addr  string
	pass  http.Handler
	mood  atomic.Pointer[http.Handler]
	conns atomic.Int64 // that were opened
	asked atomic.Int64 // requests
	srv   *http.Server
}

// newGate returns a gate that is down.
func newGate(t *testing.T, to *server) *gate {
	t.Helper()
	target, err := url.Parse(to.url())
	if err != nil {
		t.Fatal(err)
	}
	// No header says that somebody stands between: that is not what is tested.
	g := &gate{t: t, addr: freeAddr(t), pass: &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { panic(http.ErrAbortHandler) },
	}}
	t.Cleanup(g.down)
	return g
}

func (g *gate) url() string { return "http://" + g.addr }

// down makes every connection be refused.
func (g *gate) down() {
	if g.srv != nil {
		_ = g.srv.Close() // what is open ends too
		g.srv = nil
	}
}

// up lets requests come to a handler.
func (g *gate) up(h http.Handler) {
	g.t.Helper()
	g.mood.Store(&h)
	if g.srv != nil {
		return
	}
	ln, err := net.Listen("tcp", g.addr)
	if err != nil {
		g.t.Fatal(err)
	}
	g.srv = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			g.asked.Add(1)
			(*g.mood.Load()).ServeHTTP(w, r)
		}),
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				g.conns.Add(1)
			}
		},
	}
	go func(srv *http.Server) { _ = srv.Serve(ln) }(g.srv) // ends when it is closed
}

// answers is a remote that says one thing to everybody.
func answers(status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"error":"not now","code":"upstream","status":` + strconv.Itoa(status) + `}`)) // whoever asks may be gone
	})
}

// hangs is a remote that takes requests and never answers.
var hangs = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
