package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Prefix is where the routes are.
const Prefix = "/api/ai/"

// OperatorID is who may call: the person, never an agent.
const OperatorID = "operator"

// maxBody is a request body, in bytes.
const maxBody = 1 << 20

// handler is one route's work. What it returns is the answer.
type handler func(q *request) (any, error)

// request is one call with what it works with.
type request struct {
	*http.Request
	w      http.ResponseWriter
	api    *server
	caller Caller
	back   Backend
}

type server struct {
	opt    Options
	mux    *http.ServeMux
	writes *bucket
}

// New returns the handler of everything under Prefix.
func New(opt Options) http.Handler {
	s := &server{opt: opt, mux: http.NewServeMux(), writes: newBucket(writesPerMinute, opt.Now)}
	for _, r := range routes() {
		s.mux.Handle(r.method+" /api/ai"+r.path, s.serve(r))
	}
	s.mux.HandleFunc("/", s.missing)
	return s.mux
}

// route is one row of the table: what of the backend it needs, and whether the
// passphrase must have been given within the last ten minutes.
type route struct {
	method, path string
	need         func(Backend) bool
	stepUp       bool
	do           handler
}

func routes() []route {
	actions := func(b Backend) bool { return b.Actions != nil }
	connections := func(b Backend) bool { return b.Connections != nil }
	operator := func(b Backend) bool { return b.Operator != nil }
	rooms := func(b Backend) bool { return b.Rooms != nil }
	kill := func(b Backend) bool { return b.Switch != nil }
	book := func(b Backend) bool { return b.Book != nil }
	return []route{
		{http.MethodGet, "/auth", operator, false, auth},
		{http.MethodPost, "/auth/reauth", operator, false, reauth},

		{http.MethodGet, "/connections", connections, false, listConnections},
		{http.MethodPost, "/connections", connections, true, addConnection},
		{http.MethodGet, "/connections/{id}", connections, false, showConnection},
		{http.MethodPatch, "/connections/{id}", connections, false, setConnection},
		{http.MethodDelete, "/connections/{id}", connections, true, removeConnection},
		{http.MethodPost, "/connections/{id}/verify", connections, false, verifyConnection},
		{http.MethodPost, "/connections/{id}/secret", connections, true, setSecret},
		{http.MethodGet, "/usage", connections, false, usage},

		{http.MethodGet, "/tools", book, false, func(q *request) (any, error) { return q.back.Book.Tools(q.Context()) }},
		{http.MethodGet, "/commands", book, false, func(q *request) (any, error) { return q.back.Book.Commands(q.Context()) }},
		{http.MethodGet, "/guide", book, false, func(q *request) (any, error) { return q.back.Book.Guide(q.Context()) }},
		{http.MethodGet, "/budget", book, false, func(q *request) (any, error) { return q.back.Book.Budget(q.Context()) }},
		{http.MethodGet, "/mcp-config", book, false, mcpConfig},

		{http.MethodGet, "/rooms", rooms, false, listRooms},
		{http.MethodGet, "/rooms/{id}/messages", rooms, false, messages},
		{http.MethodPost, "/rooms/{id}/messages", rooms, false, post},
		{http.MethodPost, "/rooms/{id}/turns/{turn}/cancel", rooms, false, cancelTurn},

		{http.MethodGet, "/actions", actions, false, listActions},
		{http.MethodGet, "/actions/{id}", actions, false, showAction},
		{http.MethodGet, "/actions/{id}/explain", actions, false, explainAction},
		{http.MethodPost, "/actions/{id}/challenge", actions, true, challenge},
		{http.MethodPost, "/actions/{id}/approve", actions, true, approve},
		{http.MethodPost, "/actions/{id}/reject", actions, false, reject},
		{http.MethodGet, "/grants", actions, false, listPermits},
		{http.MethodDelete, "/grants/{id}", actions, false, revokePermit},
		{http.MethodGet, "/audit", actions, false, audit},

		{http.MethodGet, "/kill", kill, false, killState},
		{http.MethodPost, "/kill", kill, false, killAll},
		{http.MethodPost, "/unkill", kill, true, unkill},
	}
}

// serve lets the operator through to a route, and nobody else.
func (s *server) serve(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, err := s.answer(rt, w, r)
		if err != nil {
			s.opt.Fail(w, err)
			return
		}
		if a, ok := out.(accepted); ok {
			s.write(w, http.StatusAccepted, a.body)
			return
		}
		s.write(w, http.StatusOK, out)
	})
}

func (s *server) answer(rt route, w http.ResponseWriter, r *http.Request) (any, error) {
	caller := s.opt.Caller(r)
	if caller.ID != OperatorID {
		return nil, fault.New(fault.PermissionDenied, "this is for the operator: an agent's credentials are not enough").
			Hintf("log in on the page as operator, with the token in operator.token of ape-claw's home")
	}
	q := &request{Request: r, w: w, api: s, caller: caller}
	if rt.method != http.MethodGet {
		if err := ownOrigin(r); err != nil {
			return nil, err
		}
		if wait := s.writes.take(); wait > 0 {
			return nil, tooMany(w, wait)
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	}
	back, done, err := s.opt.Open(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	if q.back = back; !rt.need(back) {
		return nil, fault.New(fault.NotFound, "this server has no such part")
	}
	if rt.stepUp {
		if err := q.stepUp(); err != nil {
			return nil, err
		}
	}
	return rt.do(q)
}

// accepted is an answer about something that still goes on.
type accepted struct{ body any }

func (s *server) write(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		s.opt.Fail(w, fault.Wrap(err, fault.Internal, "internal error"))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// An error here is the client's going away.
	_, _ = w.Write(append(body, '\n'))
}

// missing answers what no route takes; only to the operator does it tell which
// methods a path has.
func (s *server) missing(w http.ResponseWriter, r *http.Request) {
	if s.opt.Caller(r).ID != OperatorID {
		s.opt.Fail(w, fault.New(fault.PermissionDenied, "this is for the operator"))
		return
	}
	var allow []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		probe := *r
		probe.Method = method
		if _, pattern := s.mux.Handler(&probe); pattern != "/" && !slices.Contains(allow, method) {
			allow = append(allow, method)
		}
	}
	if len(allow) == 0 {
		s.opt.Fail(w, fault.New(fault.NotFound, "nothing is there").Hintf("the actions are at /api/ai/actions"))
		return
	}
	w.Header().Set("Allow", strings.Join(allow, ", "))
	s.write(w, http.StatusMethodNotAllowed, map[string]string{
		"error": "this route takes no " + plainMethod(r.Method), "code": string(fault.Usage), "hint": "use " + strings.Join(allow, " or ")})
}

// plainMethod is a method that may be shown.
func plainMethod(m string) string {
	if len(m) > 10 || strings.ContainsFunc(m, func(r rune) bool { return r < 'A' || r > 'Z' }) {
		return "such method"
	}
	return m
}
