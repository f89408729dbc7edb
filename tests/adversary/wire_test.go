package adversary_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/demo"
)

// cast is who plays in one run of a mutant.
type cast struct {
	stage    *stage
	buyer    demo.Key
	attacker demo.Key
	thief    common.Address   // a contract that takes what it is sent and answers true
	home     *demo.Collection // what is bought from
	other    *demo.Collection // whose tokens are worthless
	order    demo.Order       // the honest listing
	near     demo.Order       // another honest listing of the same seller, at the same price
	junk     uint64           // a token of other that is the attacker's
	rng      *rand.Rand
	planned  *proposal
	raw      func() []byte // what was broadcast last
}

// phase is when a mutation is in force.
type phase int

const (
	always  phase = iota
	atTrial       // from the simulation on
	atBuy         // only when it is bought: the simulation was honest
)

func (p phase) String() string { return [...]string{"", "", ", at the purchase"}[p] }

// reply is an answer over HTTP.
type reply struct {
	status int
	header http.Header
	body   []byte
	err    error // the connection broke
	short  bool  // and it breaks before the body's end
}

// exchange is one request on its way.
type exchange struct {
	target string
	id     json.RawMessage // of a JSON-RPC call
	real   func() reply    // asks the honest server, once
}

// mutation is one lie: what is done to the answers of one target.
type mutation struct {
	target string
	phase  phase
	only   int // the n-th answer of the phase; 0: every one
	from   int // the n-th answer of the phase and those after it
	do     func(c *cast, x *exchange) reply
}

// bodies is a mutation of what the server answers.
func bodies(f func(c *cast, body []byte) []byte) func(*cast, *exchange) reply {
	return func(c *cast, x *exchange) reply {
		r := x.real()
		if r.err == nil {
			r.body = f(c, r.body)
		}
		return r
	}
}

// running is the mutant that a lane runs now.
type running struct {
	mu      sync.Mutex
	m       *mutant
	c       *cast
	phase   phase
	seen    map[string]int
	changed int
	raws    [][]byte // every eth_sendRawTransaction
	onSent  func()
}

// answer passes a request through the mutations that are in force.
func (r *running) answer(x *exchange) reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m == nil {
		return x.real()
	}
	r.seen[x.target]++
	for _, m := range r.m.lies {
		if m.target != x.target || m.phase > r.phase || m.only != 0 && m.only != r.seen[x.target] || m.from > r.seen[x.target] {
			continue
		}
		honest := x.real
		var was *reply
		once := *x
		once.real = func() reply {
			if was == nil {
				got := honest()
				was = &got
			}
			return *was
		}
		got := m.do(r.c, &once)
		if was == nil || was.err != got.err || was.status != got.status || got.short || !bytes.Equal(was.body, got.body) || len(was.header) != len(got.header) {
			r.changed++
		}
		x.real = func() reply { return got }
	}
	return x.real()
}

// enter begins a phase.
func (r *running) enter(p phase) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.phase, r.seen = p, map[string]int{}
}

// wire is the way of a lane to a server: it watches, and lies.
type wire struct {
	next http.RoundTripper
	cur  *running
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		if err := req.Body.Close(); err != nil {
			return nil, err
		}
	}
	x := &exchange{target: targetOf(req.URL.Path, body), real: func() reply { return w.ask(req, body) }}
	if strings.HasPrefix(x.target, "eth_") {
		var call struct{ ID json.RawMessage }
		if err := json.Unmarshal(body, &call); err != nil {
			return nil, err
		}
		x.id = call.ID
	}
	if x.target == "eth_sendRawTransaction" {
		w.cur.mu.Lock()
		w.cur.raws = append(w.cur.raws, rawOf(body))
		w.cur.onSent()
		w.cur.mu.Unlock()
	}
	r := w.cur.answer(x)
	if r.err != nil {
		return nil, r.err
	}
	var b io.ReadCloser = io.NopCloser(bytes.NewReader(r.body))
	if r.short {
		b = io.NopCloser(io.MultiReader(bytes.NewReader(r.body), broken{}))
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", r.status, http.StatusText(r.status)), StatusCode: r.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: r.header, Body: b, ContentLength: -1, Request: req,
	}, nil
}

// broken is a connection that ended.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

var errReset = errors.New("connection reset by peer")

func (w *wire) ask(req *http.Request, body []byte) reply {
	req = req.Clone(req.Context())
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp, err := w.next.RoundTrip(req)
	if err != nil {
		return reply{err: err}
	}
	b, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return reply{err: err}
	}
	h := resp.Header.Clone()
	h.Del("Content-Length")
	return reply{status: resp.StatusCode, header: h, body: b}
}

const (
	listing    = "listing"
	fulfilment = "fulfilment"
)

// targetOf names what a request asks for.
func targetOf(path string, body []byte) string {
	switch {
	case strings.HasSuffix(path, "/best"):
		return listing
	case strings.HasSuffix(path, "/fulfillment_data"):
		return fulfilment
	case !strings.HasSuffix(path, "/rpc"):
		return path
	}
	var call struct {
		Method string
		Params []json.RawMessage
	}
	if json.Unmarshal(body, &call) != nil {
		return "?"
	}
	switch call.Method {
	case "eth_call":
		var msg struct{ Input string }
		if len(call.Params) == 0 || json.Unmarshal(call.Params[0], &msg) != nil || len(msg.Input) < 10 {
			return "eth_call"
		}
		for name, data := range map[string][]byte{
			"counter": seaport.Contract().PackGetCounter(common.Address{}), "owner": seaport.PackOwnerOf(common.Big0),
			"status": seaport.Contract().PackGetOrderStatus([32]byte{}),
		} {
			if msg.Input[:10] == "0x"+hex.EncodeToString(data[:4]) {
				return "eth_call " + name
			}
		}
		return "eth_call purchase"
	case "eth_getTransactionCount":
		if len(call.Params) == 2 {
			return call.Method + " " + strings.Trim(string(call.Params[1]), `"`)
		}
	}
	return call.Method
}

func rawOf(body []byte) []byte {
	var call struct{ Params []string }
	if json.Unmarshal(body, &call) != nil || len(call.Params) != 1 {
		return nil
	}
	return common.FromHex(call.Params[0])
}
