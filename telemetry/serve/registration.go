package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Registrar keeps the agents that Registration lets callers add. It records what
// it did; one that can't be recorded it refuses.
type Registrar interface {
	Register(ctx context.Context, id, name string) (agents.Agent, string, error)
	RegisterInvited(ctx context.Context, id, name, invite string) (agents.Agent, string, error)
	Invite(ctx context.Context, terms agents.InviteTerms) (agents.Invite, string, error)
	Get(ctx context.Context, id string) (agents.Agent, error)
	List(ctx context.Context) ([]agents.Agent, error)
}

// Registration says who may register agents over HTTP. Who holds an invite always may.
type Registration struct {
	// Key in x-registration-key registers agents and makes invites; empty: nobody does.
	Key string
	// Open lets everybody register, one address once in Cooldown.
	Open     bool
	Cooldown time.Duration
	// InviteTTL is that of an invite that asks for none, MaxUses the most it can have.
	InviteTTL time.Duration
	MaxUses   int
	// SharedKey is a marketplace key that every verified agent is given; empty: none.
	SharedKey string
}

// The longest bodies of these routes, in bytes.
const maxRegistration = 4 << 10

// The notes that go with what is shown once.
const (
	tokenNote  = "The token is shown only once: store it now."
	inviteNote = "The invite is shown only once: pass it on now."
)

func (s *Server) registration() map[string]http.Handler {
	return map[string]http.Handler{
		"POST /api/clawbots/register": http.HandlerFunc(s.register),
		"POST /api/clawbots/verify":   http.HandlerFunc(s.verifyAgent),
		"POST /api/invites/create":    http.HandlerFunc(s.createInvite),
	}
}

// keyGiven reports whether a request has an x-registration-key, and whether it is
// this server's: one hash and one comparison in constant time, whatever came.
func (s *Server) keyGiven(r *http.Request) (given, good bool) {
	values := r.Header.Values("X-Registration-Key") // given twice it is no key at all
	hash := sha256.Sum256([]byte(strings.Join(values, "\x00")))
	return len(values) > 0, subtle.ConstantTimeCompare(hash[:], s.keyHash[:]) == 1
}

// wrong answers credentials that are not accepted: 403, or 429 once there are too
// many from that address.
func (s *Server) wrong(w http.ResponseWriter, r *http.Request, err error) {
	if wait := s.limits.failures.take(network(callerOf(r).addr), s.opt.Now()); wait > 0 {
		s.refuseFor(w, http.StatusTooManyRequests, wait, fault.New(fault.Auth, "too many wrong credentials from this address").
			Hintf("check them before the next try"))
		return
	}
	s.refuse(w, http.StatusForbidden, err)
}

func wrongKey() *fault.Error {
	return fault.New(fault.Auth, "this needs the server's registration key").
		Hintf("send it in x-registration-key, or ask who runs the server for an invite")
}

// readSmall reads a JSON object; an empty body is one without members.
func (s *Server) readSmall(w http.ResponseWriter, r *http.Request, into any, form string) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRegistration))
	if err != nil {
		s.refuseBody(w, err)
		return false
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	if json.Unmarshal(body, into) != nil || body[0] == 'n' { // null is no object
		s.refuse(w, http.StatusBadRequest, fault.New(fault.Usage, "the body is not of the form %s", form))
		return false
	}
	return true
}

// register is POST /api/clawbots/register: by key, by invite, or open.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	given, good := s.keyGiven(r)
	if given && !good && s.opt.Registration.Key != "" {
		s.wrong(w, r, wrongKey())
		return
	}
	var in struct{ AgentID, Name, Invite string }
	if !s.readSmall(w, r, &in, `{"agentId":…,"name":…,"invite":…}`) {
		return
	}
	open := s.opt.Registration.Open && !good && in.Invite == ""
	switch {
	case s.opt.Registrar == nil, !good && in.Invite == "" && !open && s.opt.Registration.Key == "":
		s.refuse(w, http.StatusServiceUnavailable, fault.New(fault.Auth, "this server registers nobody without an invite").
			Hintf("who runs it makes one: ape-claw clawbot invite; or sets APE_CLAW_REGISTRATION_KEY or APE_CLAW_OPEN_REGISTRATION=1 and starts it again"))
		return
	case !good && in.Invite == "" && !open:
		s.wrong(w, r, wrongKey())
		return
	case in.AgentID == "":
		s.refuse(w, http.StatusBadRequest, fault.New(fault.Usage, "agentId is missing").Hintf(`send {"agentId":"my-agent-1"}`))
		return
	}
	if open {
		if wait := s.cooldown.take(network(callerOf(r).addr), s.opt.Now(), s.opt.Registration.Cooldown); wait > 0 {
			s.refuseFor(w, http.StatusTooManyRequests, wait, fault.New(fault.Upstream, "an agent was registered from this address just now"))
			return
		}
	}
	a, token, err := s.registerBy(r.Context(), good || open, in.AgentID, in.Name, in.Invite)
	if err != nil {
		s.refuseRegistration(w, r, err)
		return
	}
	WriteJSON(w, struct {
		OK         bool   `json:"ok"`
		Registered bool   `json:"registered"`
		AgentID    string `json:"agentId"`
		Name       string `json:"name"`
		Token      string `json:"token"`
		Note       string `json:"note"`
	}{true, true, a.ID, a.Name, token, tokenNote})
}

func (s *Server) registerBy(ctx context.Context, trusted bool, id, name, invite string) (agents.Agent, string, error) {
	if trusted {
		return s.opt.Registrar.Register(ctx, id, name)
	}
	return s.opt.Registrar.RegisterInvited(ctx, id, name, invite)
}

func (s *Server) refuseRegistration(w http.ResponseWriter, r *http.Request, err error) {
	if fault.CodeOf(err) == fault.Auth {
		s.wrong(w, r, err)
		return
	}
	s.refuse(w, Status(fault.CodeOf(err)), err)
}

// Agent is a registered agent as a server shows it.
type Agent struct {
	AgentID   string `json:"agentId"`
	Name      string `json:"name"`
	Enabled   bool   `json:"enabled"`
	CreatedAt string `json:"createdAt,omitempty"`
}

// verifyAgent is POST /api/clawbots/verify: whether the credentials in the headers
// are an agent's.
func (s *Server) verifyAgent(w http.ResponseWriter, r *http.Request) {
	if _, _, given := headerCredentials(r); !given {
		s.refuse(w, http.StatusUnauthorized, fault.New(fault.Auth, "no agent's credentials came with the request").
			Hintf("send x-agent-id and x-agent-token"))
		return
	}
	c := callerOf(r)
	if !s.identify(w, r, c) || !s.admit(w, r, c) {
		return
	}
	// Other routes may go by a proof that is a moment old; this one is asked what is.
	if holds, err := s.opt.Auth.Holds(r.Context(), *c.proof); err != nil {
		s.refuse(w, Status(fault.CodeOf(err)), err)
		return
	} else if !holds {
		s.wrong(w, r, agents.Refused())
		return
	}
	a := agents.Agent{ID: c.proof.AgentID, Name: c.proof.AgentID, Enabled: true}
	if s.opt.Registrar != nil {
		known, err := s.opt.Registrar.Get(r.Context(), a.ID)
		if err == nil {
			a = known
		} else if fault.CodeOf(err) != fault.NotFound { // who approves is proved, and is no agent
			s.refuse(w, Status(fault.CodeOf(err)), err)
			return
		}
	}
	WriteJSON(w, struct {
		OK                  bool   `json:"ok"`
		Verified            bool   `json:"verified"`
		Agent               Agent  `json:"agent"`
		SharedKeyConfigured bool   `json:"sharedKeyConfigured"`
		SharedOpenSeaAPIKey string `json:"sharedOpenseaApiKey,omitempty"`
	}{true, true, Agent{AgentID: a.ID, Name: a.Name, Enabled: a.Enabled}, s.opt.Registration.SharedKey != "", s.opt.Registration.SharedKey})
}

// clawbots is GET /api/clawbots.
func (s *Server) clawbots(w http.ResponseWriter, r *http.Request) {
	list := []Agent{}
	if s.opt.Registrar != nil {
		all, err := s.opt.Registrar.List(r.Context())
		if err != nil {
			WriteError(w, err)
			return
		}
		for _, a := range all {
			list = append(list, Agent{a.ID, a.Name, a.Enabled, a.Created.Format(isoTime)})
		}
	}
	WriteJSON(w, struct {
		Count               int     `json:"count"`
		Clawbots            []Agent `json:"clawbots"`
		SharedKeyConfigured bool    `json:"sharedKeyConfigured"`
	}{len(list), list, s.opt.Registration.SharedKey != ""})
}

const isoTime = "2006-01-02T15:04:05.000Z"

// createInvite is POST /api/invites/create, for who has the registration key.
func (s *Server) createInvite(w http.ResponseWriter, r *http.Request) {
	_, good := s.keyGiven(r)
	switch {
	case s.opt.Registration.Key == "" || s.opt.Registrar == nil:
		s.refuse(w, http.StatusServiceUnavailable, fault.New(fault.Auth, "this server has no registration key").
			Hintf("on the machine that serves: ape-claw clawbot invite"))
		return
	case !good:
		s.wrong(w, r, wrongKey())
		return
	}
	var in struct{ TTLMs, Uses json.Number }
	if !s.readSmall(w, r, &in, `{"ttlMs":…,"uses":…}, both whole numbers`) {
		return
	}
	terms, err := s.terms(in.TTLMs, in.Uses)
	if err != nil {
		s.refuse(w, http.StatusBadRequest, err)
		return
	}
	inv, secret, err := s.opt.Registrar.Invite(r.Context(), terms)
	if err != nil {
		s.refuse(w, Status(fault.CodeOf(err)), err)
		return
	}
	WriteJSON(w, struct {
		OK            bool   `json:"ok"`
		Invite        string `json:"invite"`
		ExpiresAt     string `json:"expiresAt"`
		UsesRemaining int    `json:"usesRemaining"`
		Note          string `json:"note"`
	}{true, secret, inv.Expires.Format(isoTime), inv.UsesLeft, inviteNote})
}

// terms reads what an invite is asked to be good for, and clamps it.
func (s *Server) terms(ttlMs, uses json.Number) (agents.InviteTerms, error) {
	t := agents.InviteTerms{TTL: s.opt.Registration.InviteTTL}
	for _, f := range []struct {
		name string
		in   json.Number
		set  func(int64)
	}{
		{"ttlMs", ttlMs, func(n int64) {
			n = min(max(n, agents.MinInviteTTL.Milliseconds()), agents.MaxInviteTTL.Milliseconds())
			t.TTL = time.Duration(n) * time.Millisecond
		}},
		{"uses", uses, func(n int64) { t.Uses = int(min(max(n, 1), agents.MaxInviteUses)) }},
	} {
		if f.in == "" {
			continue
		}
		n, err := f.in.Int64()
		if err != nil && !errors.Is(err, strconv.ErrRange) { // n is the most, or the least, there is
			return t, fault.New(fault.Usage, "%s is not a whole number", f.name).Hintf("leave it out for the default")
		}
		if n != 0 {
			f.set(n)
		}
	}
	t = t.Clamped()
	if most := s.opt.Registration.MaxUses; most > 0 {
		t.Uses = min(t.Uses, most)
	}
	return t, nil
}
