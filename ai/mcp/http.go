package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Path is where serve has the handler.
const Path = "/mcp"

const (
	sessionTimeout = 30 * time.Minute
	maxSessions    = 64
	// verifyEvery is how often the token of a request that goes on is looked at again.
	verifyEvery = time.Second
	sessionID   = "Mcp-Session-Id"
)

// Verify tells whose a bearer token is: the client's name, and its tools.
type Verify func(ctx context.Context, token string) (client string, p ai.Preset, err error)

// token is what Verify said.
type token struct {
	client string
	preset ai.Preset
}

const tokenKey = "apeclaw"

func tokenOf(extra *sdk.RequestExtra) (token, bool) {
	if extra == nil || extra.TokenInfo == nil {
		return token{}, false
	}
	t, ok := extra.TokenInfo.Extra[tokenKey].(token)
	return t, ok
}

// Handler serves clients over streamable HTTP. Every request carries a token that
// verify knows; one that is revoked meanwhile ends its session. Requests from the
// pages of other sites are refused, as are names of this machine that are not its own.
func (s *Server) Handler(verify Verify) http.Handler {
	inner := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		info := auth.TokenInfoFromContext(r.Context())
		if info == nil {
			return nil
		}
		t, ok := tokenOf(&sdk.RequestExtra{TokenInfo: info})
		if !ok {
			return nil
		}
		return s.forPreset(t.preset)
	}, &sdk.StreamableHTTPOptions{Logger: s.opts.Logger, SessionTimeout: sessionTimeout, MaxRequestBodyBytes: maxMessage,
		EventStore: sdk.NewMemoryEventStore(nil)}) // bounded; a client whose connection broke takes up its answers
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Header.Get(sessionID) == "" && s.count() >= maxSessions {
			refuseHTTP(w, http.StatusTooManyRequests, fault.New(fault.RateLimited, "%d MCP sessions are open already", maxSessions).
				Hintf("end some, or wait: a session that does nothing ends after %d minutes", int(sessionTimeout.Minutes())))
			return
		}
		s.bearer(verify, inner, w, r)
	})
	return http.NewCrossOriginProtection().Handler(h)
}

// bearer lets a request through whose token is known, for as long as it is.
func (s *Server) bearer(verify Verify, next http.Handler, w http.ResponseWriter, r *http.Request) {
	value, ok := bearerToken(r)
	if !ok {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuseHTTP(w, http.StatusUnauthorized, fault.New(fault.Auth, "an MCP client needs a token").
			Hintf("make one with: ape-claw ai mcp token new --name <client>; send it as Authorization: Bearer <token>"))
		return
	}
	name, preset, err := verify(r.Context(), value)
	if err != nil {
		s.opts.Logger.Debug("mcp: token", "cause", err.Error())
		if fault.CodeOf(err) != fault.Auth { // nobody is let in because nothing can be looked up
			refuseHTTP(w, http.StatusServiceUnavailable, fault.New(fault.StateUnusable, "the tokens can't be looked at now").
				Hintf("on the machine that serves: ape-claw ai doctor"))
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		refuseHTTP(w, http.StatusUnauthorized, fault.New(fault.Auth, "the MCP token is not known here, or was revoked").
			Hintf("ape-claw ai mcp token list shows what there is"))
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	stop := s.recheck(ctx, cancel, verify, value, name, r.Header.Get(sessionID))
	defer stop()
	info := &auth.TokenInfo{UserID: agentPrefix + name, Extra: map[string]any{tokenKey: token{name, preset}}}
	known := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) { return info, nil }
	// The SDK keeps whom a request is from where only its own middleware can put it.
	auth.RequireBearerToken(known, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next).ServeHTTP(w, r.WithContext(ctx))
}

// recheck looks at the token again while its request goes on: a stream can be open
// for days. Once it is no longer good, the session is ended with all that it runs.
func (s *Server) recheck(ctx context.Context, cancel context.CancelFunc, verify Verify, value, name, id string) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(verifyEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if _, _, err := verify(ctx, value); err != nil && ctx.Err() == nil {
					s.opts.Logger.Info("mcp: the token is no longer good: its session ends", "client", name)
					s.endSession(id)
					cancel()
					return
				}
			case <-done:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

func (s *Server) endSession(id string) {
	s.mu.Lock()
	open := maps.Clone(s.sessions)
	s.mu.Unlock()
	for ss, sess := range open {
		if id != "" && ss.ID() == id {
			s.hangUp(ss, sess)
		}
	}
}

func (s *Server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

func bearerToken(r *http.Request) (string, bool) {
	fields := strings.Fields(r.Header.Get("Authorization"))
	if len(fields) != 2 || !strings.EqualFold(fields[0], "bearer") {
		return "", false
	}
	return fields[1], true
}

func refuseHTTP(w http.ResponseWriter, status int, e *fault.Error) {
	b, err := json.Marshal(map[string]any{"error": e.Message, "code": e.Code, "hint": e.Hint})
	if err != nil {
		b = nil // strings always marshal
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The caller may have gone: nothing else can be told to it.
	_, _ = w.Write(b)
}
