// Package api is the HTTP face of the v2 contracts, for the page and for
// programs: what is deployed, whether a receipt is on chain, the vault's shares,
// the skills. It only reads. Who may call is decided before it.
package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Prefix is where the routes are.
const Prefix = "/api/v2/"

// Options are what the routes work with. All are required.
type Options struct {
	// Open gives what one read works with, configuration and deployment record read
	// anew; the function that comes with it closes it.
	Open func(ctx context.Context) (Reads, func(), error)
	Fail func(w http.ResponseWriter, err error) // writes an error answer
	Now  func() time.Time
	// Log takes what happened in full, for the operator: an answer holds neither
	// addresses of nodes nor paths.
	Log func(route string, err error)
}

// Reads is what the routes show.
type Reads interface {
	Config(ctx context.Context) (Config, error)
	Receipt(ctx context.Context, traceID string) (Receipt, error)
	Vault(ctx context.Context) (Vault, error)
	Skills(ctx context.Context) (Skills, error)
}

// route is one row of the table: what it reads by the one parameter that it may take.
type route struct {
	path  string
	param string // "": it takes none
	about string // what it reads, for a sentence
	read  func(ctx context.Context, of Reads, param string) (any, error)
}

func routes() []route {
	return []route{
		{"config", "", "the contracts", func(ctx context.Context, of Reads, _ string) (any, error) { return of.Config(ctx) }},
		{"receipt/get", "traceId", "receipts", func(ctx context.Context, of Reads, id string) (any, error) { return of.Receipt(ctx, id) }},
		{"vault", "", "the vault", func(ctx context.Context, of Reads, _ string) (any, error) { return of.Vault(ctx) }},
		{"skills", "", "skills", func(ctx context.Context, of Reads, _ string) (any, error) { return of.Skills(ctx) }},
	}
}

// New returns the handler of everything under Prefix.
func New(opt Options) http.Handler {
	s := &server{opt: opt, desk: newDesk(opt.Now)}
	mux := http.NewServeMux()
	for _, rt := range routes() {
		mux.Handle("GET "+Prefix+rt.path, s.serve(rt))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		var known []string
		for _, rt := range routes() {
			known = append(known, Prefix+rt.path)
		}
		opt.Fail(w, fault.New(fault.NotFound, "nothing is there").Hintf("there are %s", strings.Join(known, ", ")))
	})
	return mux
}

type server struct {
	opt  Options
	desk *desk
}

func (s *server) serve(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		param, err := rt.parameter(r)
		if err != nil {
			s.opt.Fail(w, err)
			return
		}
		body, err := s.desk.ask(r.Context(), rt.path, param, func(ctx context.Context) ([]byte, error) { return s.read(ctx, rt, param) })
		if err != nil {
			if fault.CodeOf(err) == fault.RateLimited {
				w.Header().Set("Retry-After", "1")
			}
			s.opt.Fail(w, err)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		// An error here is the client's going away.
		_, _ = w.Write(body)
	})
}

// read asks the chain. What went wrong is logged as it was, and answered in words
// that name no node and no file.
func (s *server) read(ctx context.Context, rt route, param string) ([]byte, error) {
	of, done, err := s.opt.Open(ctx)
	if err == nil {
		defer done()
		var out any
		if out, err = rt.read(ctx, of, param); err == nil {
			var body []byte
			if body, err = json.Marshal(out); err == nil {
				return append(body, '\n'), nil
			}
		}
	}
	s.opt.Log(Prefix+rt.path, err)
	return nil, plain(ctx, rt.about, err)
}

// cacheBuster is what some libraries add to a URL so that it is new. It says nothing.
const cacheBuster = "_"

// parameter is the one value that the route takes, or "".
func (rt route) parameter(r *http.Request) (string, error) {
	q := r.URL.Query()
	for name := range q {
		if name != cacheBuster && name != rt.param {
			e := fault.New(fault.Usage, "no such parameter is known here")
			if rt.param == "" {
				return "", e.Hintf("%s%s takes none", Prefix, rt.path)
			}
			return "", e.Hintf("%s%s takes %s", Prefix, rt.path, rt.param)
		}
	}
	if rt.param == "" {
		return "", nil
	}
	given := q[rt.param]
	if len(given) != 1 || given[0] == "" {
		return "", fault.New(fault.Usage, "%s is missing, or there is more than one", rt.param).Hintf("%s%s?%s=<id>", Prefix, rt.path, rt.param)
	}
	if len(given[0]) > maxTrace || strings.ContainsFunc(given[0], notInTrace) {
		return "", fault.New(fault.Usage, "%s can be no receipt's trace", rt.param).Hintf("letters, digits and ._:@- are expected, %d at the most", maxTrace)
	}
	return given[0], nil
}

// maxTrace is the longest id of a trace that a receipt is recorded for.
const maxTrace = 128

func notInTrace(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._:@-", r))
}

// plain is an error as it is answered: by its code alone, since the texts of nodes
// and of files are not for everybody who may read here.
func plain(ctx context.Context, about string, err error) error {
	code := fault.CodeOf(err)
	switch {
	case code == fault.ContractMissing, code == fault.Usage: // what was asked is well: a setting is not
		return fault.New(fault.ContractMissing, "%s can't be read here: no address of the contract is known for this chain, or there is no code at it", about).
			Hintf("ape-claw v2 deploy")
	case code == fault.ContractMismatch, code == fault.ContractNotAllowed:
		return fault.New(fault.ContractMismatch, "%s can't be read: what is at the address is not the contract that is meant", about).
			Hintf("ape-claw v2 deploy")
	case code == fault.ChainMismatch:
		return fault.New(code, "%s can't be read: the node answers for another chain than this server's", about).Hintf("ape-claw chain info")
	case code == fault.StateUnusable:
		return fault.New(code, "%s can't be read: the record of the deployment can't be used", about).Hintf("ape-claw v2 deploy")
	case ctx.Err() != nil:
		return fault.New(fault.Upstream, "%s can't be read: the node did not answer in time", about).Hintf("ape-claw chain info")
	case code == fault.Upstream, code == fault.Timeout:
		return fault.New(fault.Upstream, "%s can't be read: the node can't be reached, or does not answer as it should", about).Hintf("ape-claw chain info")
	}
	return fault.New(fault.Internal, "internal error")
}
