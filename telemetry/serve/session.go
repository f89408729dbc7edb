package serve

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// sessionName is the cookie of a browser that is logged in.
const sessionName = "ape_claw_session"

// maxLogin is more than any id and token need, in bytes.
const maxLogin = 4 << 10

func sessionCookie(r *http.Request) (string, bool) {
	c, err := r.Cookie(sessionName)
	return valueOf(c), err == nil && c.Value != ""
}

func valueOf(c *http.Cookie) string {
	if c == nil {
		return ""
	}
	return c.Value
}

// setSession writes the cookie; an empty value deletes it.
func setSession(w http.ResponseWriter, c *caller, value string, life time.Duration) {
	age := int(life.Round(time.Second) / time.Second)
	if value == "" {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{Name: sessionName, Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: c.https})
}

// session is GET /api/session: whether this browser has to log in, and as whom
// it did.
func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r)
	if !s.identify(w, r, c) {
		return
	}
	var id *string
	if c.proof != nil {
		id = &c.proof.AgentID
	}
	WriteJSON(w, struct {
		OK       bool    `json:"ok"`
		Required bool    `json:"required"`
		AgentID  *string `json:"agentId"`
	}{true, s.asks(c), id})
}

// login is POST /api/session, for pages of this server alone.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r)
	if !s.fromOwnPage(w, r, c) {
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		s.refuse(w, http.StatusUnsupportedMediaType, fault.New(fault.Usage, "a log-in is sent as application/json"))
		return
	}
	var in struct{ AgentID, Token string }
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLogin))
	if err != nil {
		s.refuseBody(w, err)
		return
	}
	if err := json.Unmarshal(body, &in); err != nil || in.AgentID == "" || in.Token == "" {
		s.refuse(w, http.StatusBadRequest, fault.New(fault.Usage, "a log-in is {\"agentId\":…,\"token\":…}, both not empty"))
		return
	}
	if !s.verify(w, r, c, in.AgentID, in.Token) {
		return
	}
	if old, ok := sessionCookie(r); ok { // the browser forgets it now
		if err := s.opt.Auth.CloseSession(r.Context(), old); err != nil {
			s.opt.Logger.Debug("end the old session", "err", err)
		}
	}
	cookie, p, err := s.opt.Auth.OpenSession(r.Context(), *c.proof)
	if err != nil {
		s.refuse(w, Status(fault.CodeOf(err)), err)
		return
	}
	setSession(w, c, cookie, p.Expires.Sub(s.opt.Now()))
	WriteJSON(w, struct {
		OK        bool   `json:"ok"`
		AgentID   string `json:"agentId"`
		ExpiresAt string `json:"expiresAt"`
	}{true, p.AgentID, p.Expires.UTC().Format("2006-01-02T15:04:05.000Z")})
}

// logout is DELETE /api/session. Its streams end, whichever tab they are in.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r)
	if !s.fromOwnPage(w, r, c) {
		return
	}
	if cookie, ok := sessionCookie(r); ok && s.opt.Auth != nil {
		if err := s.opt.Auth.CloseSession(r.Context(), cookie); err != nil {
			s.refuse(w, Status(fault.CodeOf(err)), err)
			return
		}
	}
	setSession(w, c, "", 0)
	WriteJSON(w, map[string]bool{"ok": true})
}

// fromOwnPage refuses whoever is not a page of this server: only a browser has a
// use for a session, and it says where the page is from. That it is from here, or
// an allowed other site, guard has seen.
func (s *Server) fromOwnPage(w http.ResponseWriter, r *http.Request, c *caller) bool {
	if !c.cross && r.Header.Get("Origin") != "" {
		return true
	}
	s.refuse(w, http.StatusForbidden, fault.New(fault.Auth, "only a page of this server may log in or out").
		Hintf("programs send x-agent-id and x-agent-token with each request"))
	return false
}

// refuseBody answers a body that could not be read.
func (s *Server) refuseBody(w http.ResponseWriter, err error) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		s.refuse(w, http.StatusRequestEntityTooLarge, tooLargeBody(tooLarge.Limit))
		return
	}
	if fault.CodeOf(err) == fault.Auth { // while the body came
		s.refuse(w, http.StatusForbidden, err)
		return
	}
	s.refuse(w, http.StatusBadRequest, fault.Wrap(err, fault.Usage, "the body can't be read"))
}

func tooLargeBody(limit int64) *fault.Error {
	return fault.New(fault.Usage, "the body is larger than %d bytes", limit).Hintf("send less at once")
}
