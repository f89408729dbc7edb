package serve

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/agents"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Ingester takes the events that others send. *telemetry.Ingest is one.
type Ingester interface {
	Take(ctx context.Context, in telemetry.Incoming) (telemetry.Taken, error)
	// Run does what is to be done beside, until ctx ends.
	Run(ctx context.Context) error
}

// ingestPath is where events are sent to.
const ingestPath = "/api/events"

// busyPause is when to come back to a server that can't take events just now.
const busyPause = 2 * time.Second

// ingestRoutes are there when events can be taken.
func (s *Server) ingestRoutes() map[string]http.Handler {
	if s.opt.Ingest == nil {
		return nil
	}
	return map[string]http.Handler{"POST " + ingestPath: http.HandlerFunc(s.ingest)}
}

// isIngest reports whether a request sends events, which have limits of their own.
func isIngest(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == ingestPath
}

// ingest is POST /api/events: one envelope, or one a line. Nothing of the body is read
// before it is known whose it is.
func (s *Server) ingest(w http.ResponseWriter, r *http.Request) {
	early := r.ContentLength != 0
	if early { // who is turned away is not listened to: the body may have no end, or never come
		w.Header().Set("Connection", "close")
	}
	var in telemetry.Incoming
	if !s.sender(w, r, &in) || !s.formOf(w, r, &in) {
		return
	}
	if s.draining.Err() != nil {
		s.refuseFor(w, http.StatusServiceUnavailable, busyPause, fault.New(codeBusy, "the server is shutting down"))
		return
	}
	if early {
		w.Header().Del("Connection")
	}
	body, err := s.bodies.read(r, whose(r, &in), in.Lines)
	defer body.release()
	if err != nil {
		s.refuseEvents(w, r, err)
		return
	}
	in.Body = body.bytes()
	if !s.tooManyEvents(w, r, &in) {
		return
	}
	taken, err := s.opt.Ingest.Take(r.Context(), in)
	if err != nil {
		s.refuseEvents(w, r, err)
		return
	}
	s.metrics.taken.count(&taken)
	if in.Lines {
		answerLines(w, &taken)
		return
	}
	s.answerOne(w, r, &taken)
}

// sender finds out whose events they are, and answers when they are nobody's: of the
// agent whose credentials came with them, else of whom they say, for who has the
// server's registration key.
func (s *Server) sender(w http.ResponseWriter, r *http.Request, in *telemetry.Incoming) bool {
	c := callerOf(r)
	if !s.identify(w, r, c) {
		return false
	}
	if c.proof != nil {
		in.AgentID = c.proof.AgentID
		return s.admit(w, r, c)
	}
	given, good := s.keyGiven(r)
	switch {
	case given && good:
		in.AllowID = allowedID
		return true
	case given && s.opt.Registration.Key != "":
		s.wrong(w, r, fault.New(fault.Auth, "this is not the server's registration key"))
		return false
	}
	s.refuse(w, http.StatusUnauthorized, fault.New(fault.Auth, "events are taken of agents that are registered").
		Hintf("send x-agent-id and x-agent-token; an agent is made by: ape-claw clawbot register --agent-id <id>"))
	return false
}

// allowedID refuses what no agent can be called: who has the registration key may
// speak for agents, not for the person at the machine.
func allowedID(id string) error {
	if id == telemetry.DefaultAgentID || id == agents.Operator {
		return fault.New(fault.Usage, "agentId %q is no agent's", id).Hintf("with x-registration-key an event has to say which agent it is of")
	}
	if err := agents.CheckID(id); err != nil {
		return fault.New(fault.Usage, "%s", fault.From(err).Message)
	}
	return nil
}

// formOf finds out how the events are written.
func (s *Server) formOf(w http.ResponseWriter, r *http.Request, in *telemetry.Incoming) bool {
	kind := r.Header.Get("Content-Type")
	if kind != "application/json" { // it mostly is
		kind, _, _ = mime.ParseMediaType(kind) // "" for what can't be read
	}
	switch kind {
	case "application/json":
	case "application/x-ndjson", "application/jsonl":
		in.Lines = true
	default:
		s.refuse(w, http.StatusUnsupportedMediaType, fault.New(fault.Usage, "events are sent as application/json, one at once, or as application/x-ndjson, one a line").
			Hintf("curl -H 'Content-Type: application/json' -H 'x-agent-id: …' -H 'x-agent-token: …' -d '{\"eventType\":\"custom.hello\"}' %s", s.urlOf(r)))
		return false
	}
	switch enc := r.Header.Values("Content-Encoding"); {
	case len(enc) == 0, len(enc) == 1 && (isGzip(enc[0]) || strings.EqualFold(enc[0], "identity")):
		return true
	}
	s.refuse(w, http.StatusUnsupportedMediaType, fault.New(fault.Usage, "a body is sent as it is, or with Content-Encoding: gzip"))
	return false
}

// isGzip reports whether a Content-Encoding is gzip, by either of its names.
func isGzip(enc string) bool {
	return strings.EqualFold(enc, "gzip") || strings.EqualFold(enc, "x-gzip")
}

// urlOf is the URL that was called, to be shown.
func (s *Server) urlOf(r *http.Request) string {
	scheme := "http"
	if callerOf(r).https {
		scheme = "https"
	}
	return scheme + "://" + s.echo(r.Host) + r.URL.Path
}

// whose limits a request counts against: its agent's, else its address's.
func whose(r *http.Request, in *telemetry.Incoming) string {
	if in.AgentID != "" {
		return in.AgentID
	}
	return network(callerOf(r).addr).String() // no agent is called so
}

// tooManyEvents counts the events of a request against the limit of who sends them.
func (s *Server) tooManyEvents(w http.ResponseWriter, r *http.Request, in *telemetry.Incoming) bool {
	c := callerOf(r)
	if c.local {
		return true
	}
	n := 1
	if in.Lines {
		n = min(countLines(in.Body), telemetry.MaxIngestLines) // more are refused anyway
	}
	wait := s.limits.events.takeN(whose(r, in), s.opt.Now(), n)
	if wait > 0 {
		s.refuseFor(w, http.StatusTooManyRequests, wait, fault.New(codeBusy, "too many events of this agent"))
	}
	return wait == 0
}

// refuseEvents answers events of which nothing was taken, or of which that is not
// known: then a repetition is harmless for those that have an eventId.
func (s *Server) refuseEvents(w http.ResponseWriter, r *http.Request, err error) {
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, errBusyBodies):
		w.Header().Set("Connection", "close")
		s.refuseFor(w, http.StatusServiceUnavailable, busyPause, fault.New(codeBusy, "too many events are being sent at once"))
	case errors.As(err, &large):
		w.Header().Set("Connection", "close")
		s.refuse(w, http.StatusRequestEntityTooLarge, tooLargeBody(large.Limit))
	case errors.Is(err, telemetry.ErrTooMuch):
		s.refuse(w, http.StatusRequestEntityTooLarge, err)
	case errors.Is(err, errSlowBody):
		w.Header().Set("Connection", "close")
		s.refuse(w, http.StatusRequestTimeout, fault.New(codeBusy, "the body did not end in time"))
	case fault.CodeOf(err) == fault.Usage:
		s.refuse(w, http.StatusBadRequest, err)
	case fault.CodeOf(err) == fault.Auth: // while the body came
		s.refuse(w, http.StatusForbidden, err)
	default:
		s.opt.Logger.Warn("events were not taken", "err", err)
		s.refuseFor(w, http.StatusServiceUnavailable, busyPause, fault.From(err))
	}
}
