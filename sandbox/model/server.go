package model

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Options configure a Server.
type Options struct {
	Script Script
	Addr   string // default 127.0.0.1:0
	Key    string // what Authorization must carry; "" asks for none
	// Pause waits between the pieces of a slow answer; nil for the machine's timer.
	Pause func(ctx context.Context, d time.Duration) error
}

// Server is a model service on a local port. It is safe for concurrent use.
type Server struct {
	URL string // with /v1: the base URL of a connection

	o    Options
	http *http.Server
	end  context.CancelFunc
	done chan struct{}

	mu       sync.Mutex
	failed   map[int]bool // steps with a fault that happened
	requests []Request
}

// Request is one that the server was asked.
type Request struct {
	Method        string          `json:"method"`
	Path          string          `json:"path"`
	Authorization string          `json:"-"`
	Body          json.RawMessage `json:"body,omitempty"`
	Step          int             `json:"step"` // that was played, from 0; -1 for none
}

// maxBody is the largest request that is read.
const maxBody = 16 << 20

// Start listens and serves until Close or the end of ctx.
func Start(ctx context.Context, o Options) (*Server, error) {
	if err := o.Script.check(); err != nil {
		return nil, err
	}
	if o.Pause == nil {
		o.Pause = pause
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", cmp.Or(o.Addr, "127.0.0.1:0"))
	if err != nil {
		return nil, fault.Wrap(err, fault.Conflict, "the scripted model can't listen on %s", cmp.Or(o.Addr, "127.0.0.1:0"))
	}
	ctx, end := context.WithCancel(ctx)
	s := &Server{URL: "http://" + l.Addr().String() + "/v1", o: o, end: end, done: make(chan struct{}), failed: map[int]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.record(r, nil, -1)
		s.refuse(w, http.StatusNotFound, map[string]any{"message": "Unknown path " + r.URL.Path, "type": "invalid_request_error"})
	})
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // ends with Close
	}()
	context.AfterFunc(ctx, func() { _ = s.http.Close() }) // what it can't close is closed
	return s, nil
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the server and all its answers.
func (s *Server) Close() error {
	s.end()
	err := s.http.Close()
	<-s.done
	return err
}

// Requests returns what the server was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) record(r *http.Request, body []byte, step int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Authorization: r.Header.Get("Authorization"), Body: body, Step: step})
}

// admitted checks the key.
func (s *Server) admitted(w http.ResponseWriter, r *http.Request) bool {
	if s.o.Key == "" || subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+s.o.Key)) == 1 {
		return true
	}
	status, e, _ := Unauth.refusal("")
	s.refuse(w, status, e)
	return false
}

func (s *Server) refuse(w http.ResponseWriter, status int, e map[string]any) {
	s.json(w, status, map[string]any{"error": e})
}

func (s *Server) json(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // who is gone hears nothing
}

func (s *Server) model() string { return cmp.Or(s.o.Script.Model, "scripted") }

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	s.record(r, nil, -1)
	if s.admitted(w, r) {
		s.json(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{"id": s.model(), "object": "model", "owned_by": "sandbox"}}})
	}
}

// chatRequest is what is read of a request.
type chatRequest struct {
	Model    string       `json:"model"`
	Stream   bool         `json:"stream"`
	Options  *struct{}    `json:"stream_options"`
	Messages conversation `json:"messages"`
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		s.refuse(w, http.StatusBadRequest, map[string]any{"message": "The request can't be read.", "type": "invalid_request_error"})
		return
	}
	var q chatRequest
	err = json.Unmarshal(b, &q)
	if err == nil {
		err = q.check()
	}
	if err != nil {
		s.record(r, b, -1)
		if s.admitted(w, r) {
			s.refuse(w, http.StatusBadRequest, map[string]any{"message": err.Error(), "type": "invalid_request_error"})
		}
		return
	}
	if !s.admitted(w, r) {
		s.record(r, b, -1)
		return
	}
	i, st := s.next(q.Messages, r, b)
	a := &answer{s: s, w: w, r: r, q: q, fault: st.Fault, size: len(b)}
	if err := a.prepare(st); err != nil {
		s.refuse(w, http.StatusUnprocessableEntity, map[string]any{"message": fmt.Sprintf("script, step %d: %s", i+1, err), "type": "script_error"})
		return
	}
	a.play(st)
}

// next chooses the step and records the request.
func (s *Server) next(c conversation, r *http.Request, body []byte) (int, Step) {
	s.mu.Lock()
	i := s.choose(c)
	s.mu.Unlock()
	s.record(r, body, i)
	switch {
	case i >= 0:
		return i, s.o.Script.Steps[i]
	case s.o.Script.Otherwise != nil:
		return i, *s.o.Script.Otherwise
	}
	return i, Say(over)
}

// check is what services check of a conversation: after calls comes one result
// for each, and no result without a call.
func (q chatRequest) check() error {
	if len(q.Messages) == 0 {
		return errors.New("messages is empty")
	}
	open := map[string]bool{}
	for i, m := range q.Messages {
		switch {
		case m.Role == "tool" && !open[m.CallID]:
			return fmt.Errorf("messages.%d: a result with role tool must follow the call %q", i, m.CallID)
		case m.Role == "tool":
			delete(open, m.CallID)
			continue
		case len(open) > 0:
			return fmt.Errorf("messages.%d: an assistant message with tool_calls must be followed by a result for each tool_call_id", i)
		}
		for _, c := range m.Calls {
			if c.ID == "" || open[c.ID] {
				return fmt.Errorf("messages.%d: each call needs an id of its own", i)
			}
			if !json.Valid([]byte(c.Function.Args)) {
				return fmt.Errorf("messages.%d: the arguments of call %q are no JSON", i, c.ID)
			}
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		return errors.New("an assistant message with tool_calls must be followed by a result for each tool_call_id")
	}
	return nil
}
