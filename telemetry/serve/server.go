package serve

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The drain is bounded: streams close at once, other requests have drainGrace
// to finish, a write that is stuck gets drainWrite.
const (
	drainGrace = 5 * time.Second
	drainWrite = time.Second
)

// Server serves one event log.
type Server struct {
	opt     Options
	log     reader
	hub     *hub
	handler http.Handler
	clients atomic.Int64
	scans   *scans
	metrics *metrics
	limits  *limits
	leases  *leases
	proofs  proofs
	bodies  bodies
	keyHash [sha256.Size]byte // of Registration.Key; zero, which nothing has: none

	cooldown *cooldowns
	wide     atomic.Bool // the address is not loopback

	draining context.Context // ends when Serve starts to drain
	drain    context.CancelFunc

	mu       sync.Mutex // guards listener
	listener net.Listener
}

// New returns a server that has bound nothing yet.
func New(opt Options) (*Server, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	log := reader{log: opt.Log, red: opt.Redactor}
	s := &Server{opt: opt, log: log, cooldown: newCooldowns()}
	if key := opt.Registration.Key; key != "" {
		s.keyHash = sha256.Sum256([]byte(key))
	}
	s.metrics, s.limits, s.leases, s.scans = newMetrics(s), newLimits(opt.Limits), newLeases(), newScans()
	s.hub = newHub(log, opt, s.metrics)
	s.hub.watched = func() bool { return s.clients.Load() > 0 }
	if g, ok := opt.Ingest.(interface {
		Grown() (from, to telemetry.Cursor, lines int64)
	}); ok {
		s.hub.own = g.Grown
	}
	s.draining, s.drain = context.WithCancel(context.Background())
	if s.handler, err = s.routes(); err != nil {
		return nil, err
	}
	return s, nil
}

// Handler returns everything the server answers, behind its guards. Live
// events arrive only while Serve runs.
func (s *Server) Handler() http.Handler { return s.handler }

// Listen binds the address, so that it is known before Serve is called. It is
// refused when the address is not loopback, nothing asks callers who they are
// (Options.Auth), and that was not accepted (Options.Insecure).
func (s *Server) Listen() (net.Addr, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		return s.listener.Addr(), nil
	}
	ln := s.opt.Listener
	if ln == nil {
		var err error
		if ln, err = net.Listen("tcp", s.opt.Addr); err != nil {
			return nil, listenError(s.opt.Addr, err)
		}
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		if s.opt.Auth == nil && !s.opt.Insecure {
			return nil, errors.Join(fault.New(fault.Usage,
				"%s is reachable from other machines, and nothing here asks callers who they are", s.opt.Addr).
				Hintf("bind --addr 127.0.0.1:%d, or accept it with --insecure", tcp.Port), ln.Close())
		}
		s.wide.Store(true)
	}
	s.listener = ln
	return ln.Addr(), nil
}

// URL returns the address of the page, after Listen.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return ""
	}
	host := s.listener.Addr().String()
	if tcp, ok := s.listener.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = fmt.Sprintf("127.0.0.1:%d", tcp.Port)
	}
	return "http://" + host
}

// AuthRequired reports whether those that the address is for need credentials to
// read: other machines on a wide address, this one on loopback. After Listen.
func (s *Server) AuthRequired() bool {
	return s.opt.RequireAuth || (s.wide.Load() && !s.opt.Insecure)
}

// Close gives up an address that Serve was not called for.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return nil
	}
	return s.listener.Close()
}

// Serve answers until ctx ends, then closes the streams, lets other requests
// finish for a few seconds and returns nil. It may be called once.
func (s *Server) Serve(ctx context.Context) error {
	if _, err := s.Listen(); err != nil {
		return err
	}
	defer s.drain()
	hubCtx, stopHub := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer stopHub()
	hubDone := make(chan error, 1)
	go func() { hubDone <- s.hub.run(hubCtx) }()

	if s.opt.Auth != nil {
		watching.Go(func() { s.watchLeases(hubCtx) })
	}
	if s.opt.Ingest != nil {
		watching.Go(func() {
			if err := s.opt.Ingest.Run(hubCtx); err != nil {
				s.opt.Logger.Warn("take events", "err", err)
			}
		})
	}
	conns := s.limitConns(s.listener)
	defer conns.wg.Wait()
	srv := &http.Server{
		Handler:           s.handler,
		ConnState:         conns.state,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // streams lift both for themselves
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		// "OPTIONS *" passes the guards like everything else.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.opt.Logger.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(streamListener{conns, s}) }()

	var failed error
	select {
	case <-ctx.Done():
	case failed = <-served:
		served <- http.ErrServerClosed // for the read below
	case err := <-hubDone:
		hubDone <- nil
		if ctx.Err() == nil {
			failed = fmt.Errorf("follow the event log: %w", err)
		}
	}
	s.drain()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainGrace)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		s.opt.Logger.Warn("requests cut off at shutdown", "err", err)
		if err := srv.Close(); err != nil {
			s.opt.Logger.Debug("close", "err", err)
		}
	}
	stopHub()
	<-hubDone
	<-served
	return failed
}

// listenError says in words why an address can't be bound.
func listenError(addr string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fault.Wrap(err, fault.Conflict, "%s is in use by another program", addr).
			Hintf("open http://%s if that is ape-claw, or choose another port: --addr 127.0.0.1:0, or APE_CLAW_UI_PORT", addr)
	case errors.Is(err, syscall.EACCES):
		return fault.Wrap(err, fault.Usage, "not allowed to bind %s", addr).
			Hintf("choose a port above 1023: --addr %s", DefaultAddr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fault.Wrap(err, fault.Usage, "%s is no address of this machine", addr).
			Hintf("bind --addr %s", DefaultAddr)
	}
	reason := err.Error()
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		reason = op.Err.Error()
	}
	return fault.Wrap(err, fault.Usage, "can't listen on %q: %s", addr, strings.TrimPrefix(reason, "listen tcp: ")).
		Hintf("give host:port, such as --addr %s", DefaultAddr)
}
