package serve

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Authenticator knows who may call. *agents.Registry is one.
type Authenticator interface {
	// Verify proves an agent by its token. What is not accepted is a fault.Auth
	// that does not tell why.
	Verify(ctx context.Context, agentID, token string) (agents.Proof, error)
	// OpenSession logs a browser in; the string is for its cookie.
	OpenSession(ctx context.Context, p agents.Proof) (string, agents.Proof, error)
	// Session proves an agent by such a cookie. One that ended is a fault.Auth.
	Session(ctx context.Context, cookie string) (agents.Proof, error)
	CloseSession(ctx context.Context, cookie string) error
	// Holds reports whether a proof would still be given.
	Holds(ctx context.Context, p agents.Proof) (bool, error)
	// Changes differs from what it was when Holds may have changed.
	Changes(ctx context.Context) (int64, error)
	// Enabled counts the agents that may call.
	Enabled(ctx context.Context) (int, error)
}

// need is what a route asks of its callers.
type need int

const (
	needNothing need = iota // the page's own files, the log-in
	needRead                // credentials, but not from this machine
	needAuth                // credentials from everybody
)

// Private marks a mounted handler whose answers are not for every program of
// this machine, such as what shows money: it needs an agent's credentials always.
func Private(h http.Handler) http.Handler { return private{h} }

type private struct{ http.Handler }

// OwnAuth marks a mounted handler that asks its callers who they are itself, such
// as by a bearer token. The server asks them for nothing.
func OwnAuth(h http.Handler) http.Handler { return ownAuth{h} }

type ownAuth struct{ http.Handler }

// Cookie returns the cookie of the log-in that a request came with; "" for
// credentials in headers, and for none.
func Cookie(r *http.Request) string { return callerOf(r).cookie }

// AgentID returns the agent whose credentials came with a request, "" for none.
func AgentID(r *http.Request) string {
	if p := callerOf(r).proof; p != nil {
		return p.AgentID
	}
	return ""
}

// needOf is what a mounted handler asks.
func needOf(h http.Handler) need {
	switch h.(type) {
	case private:
		return needAuth
	case ownAuth:
		return needNothing
	}
	return needRead
}

// asks reports whether reading needs credentials from this caller.
func (s *Server) asks(c *caller) bool {
	return s.opt.RequireAuth || (!c.local && !s.opt.Insecure)
}

// access lets a request through to a route when its caller may.
func (s *Server) access(n need, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callerOf(r)
		must := n == needAuth || (n == needRead && (!safe(r.Method) || s.asks(c)))
		if n != needNothing {
			if !s.identify(w, r, c) {
				return
			}
			if must && c.proof == nil {
				s.refuse(w, http.StatusUnauthorized, fault.New(fault.Auth, "this needs an agent's credentials").
					Hintf("log in on the page, or send x-agent-id and x-agent-token; an agent is made by: ape-claw clawbot register --agent-id <id>"))
				return
			}
			if c.proof != nil && !s.admit(w, r, c) {
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// identify checks the credentials that came with a request, if any, and answers
// when they are wrong. Headers are always checked, also where none are needed:
// who sends a token wants to know that it is revoked. A cookie that ended is no
// cookie: a browser sends it without being asked.
func (s *Server) identify(w http.ResponseWriter, r *http.Request, c *caller) bool {
	id, token, given := headerCredentials(r)
	if given && (id == "" || token == "") {
		s.refuse(w, http.StatusUnauthorized, fault.New(fault.Auth, "of an agent's id and token, one is missing").
			Hintf("send both x-agent-id and x-agent-token, each once"))
		return false
	}
	if given && contradicts(r, id, token) {
		s.refuse(w, http.StatusBadRequest, fault.New(fault.Usage, "x-agent-id and x-agent-token name other credentials than Authorization").
			Hintf("send one of the two"))
		return false
	}
	if given {
		return s.verify(w, r, c, id, token)
	}
	if cookie, ok := sessionCookie(r); ok && !c.cross && s.opt.Auth != nil {
		p, err := s.opt.Auth.Session(r.Context(), cookie)
		if err != nil && fault.CodeOf(err) != fault.Auth {
			s.refuse(w, Status(fault.CodeOf(err)), err)
			return false
		}
		if err == nil {
			c.proof, c.cookie = &p, cookie
		}
	}
	return true
}

// verify checks an agent's token, and answers when it is not accepted.
func (s *Server) verify(w http.ResponseWriter, r *http.Request, c *caller, id, token string) bool {
	var p agents.Proof
	var err error
	if s.opt.Auth != nil {
		p, err = s.verifyToken(r.Context(), id, token)
	} else {
		err = agents.Refused()
	}
	switch {
	case err == nil:
		c.proof = &p
		return true
	case fault.CodeOf(err) != fault.Auth:
		s.refuse(w, Status(fault.CodeOf(err)), err)
		return false
	}
	if wait := s.limits.failures.take(network(c.addr), s.opt.Now()); wait > 0 {
		s.refuseFor(w, http.StatusTooManyRequests, wait, fault.New(fault.Auth, "too many wrong credentials from this address").
			Hintf("check agent id and token before the next try"))
		return false
	}
	s.refuse(w, http.StatusForbidden, err)
	return false
}

// headerCredentials reads x-agent-id and x-agent-token, else HTTP Basic (for
// Prometheus and curl -u). A header that comes twice is as good as missing.
func headerCredentials(r *http.Request) (id, token string, given bool) {
	ids, tokens := r.Header.Values("X-Agent-Id"), r.Header.Values("X-Agent-Token")
	if len(ids)+len(tokens) > 0 {
		if len(ids) == 1 && len(tokens) == 1 {
			return ids[0], tokens[0], true
		}
		return "", "", true
	}
	if len(r.Header.Values("Authorization")) > 1 {
		return "", "", true
	}
	return r.BasicAuth()
}

// contradicts reports whether an Authorization of ours says something else than the
// credentials that count: who sent both would not know as whom it was let in. Other
// schemes than Basic are no credentials here.
func contradicts(r *http.Request, id, token string) bool {
	for _, v := range r.Header.Values("Authorization") {
		scheme, _, _ := strings.Cut(v, " ")
		if !strings.EqualFold(scheme, "Basic") {
			continue
		}
		one := http.Request{Header: http.Header{"Authorization": {v}}}
		otherID, otherToken, _ := one.BasicAuth()
		same := subtle.ConstantTimeCompare([]byte(otherID+"\x00"+otherToken), []byte(id+"\x00"+token))
		if same != 1 {
			return true
		}
	}
	return false
}

// admit counts a request of a known agent against that agent's limits.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, c *caller) bool {
	wait := s.tooMany(r, c)
	if wait > 0 {
		s.refuseFor(w, http.StatusTooManyRequests, wait, fault.New(fault.Upstream, "too many requests of this agent"))
	}
	return wait == 0
}
