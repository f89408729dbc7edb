// Package sandbox is a whole world on loopback, in one process: a chain with the
// real Seaport on it, demo collections with signed listings, a marketplace that
// speaks OpenSea's API over that chain's state, and, once they are asked for, a
// second chain with a bridge to it that speaks Relay's. It needs no account and
// no network, and nothing signed in it is valid anywhere else.
//
// `ape-claw sandbox up` runs it for people; tests start one in their own process.
package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/faults"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// DefaultPort is where `sandbox up` listens unless told otherwise.
const DefaultPort = 7733

// stopWithin bounds how long Close waits for requests that are under way.
const stopWithin = 2 * time.Second

// Options say what sandbox to start. The zero value is a default world on a free
// port, known to nobody but the caller.
type Options struct {
	// Home is APE_CLAW_HOME. The sandbox is found by others through
	// Home/sandbox/current.json, and there is only one to a home. "": no file,
	// no lock, no profile.
	Home string
	// DataDir keeps the chain over restarts, and is the profile's home instead of
	// Home/sandbox. "": the chain is in memory.
	DataDir string
	Port    int // 0: a free one

	Seed     string    // "": demo.DefaultSeed
	Listings int       // of each collection; 0: 40
	Tokens   int       // of each collection; 0: 100, or as many as the listings
	Price    units.Wei // of every listing; zero: various
	Balance  units.Wei // of the buyer; zero: 1000 APE

	Faults []string // faults in force from the start, as faults.Set.Set reads them
	Rate   int      // marketplace requests a second; 0: 500

	Now    func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: silent
}

// World is a running sandbox. Its methods may be called from many goroutines.
type World struct {
	opt     Options
	demo    *demo.World
	faults  *faults.Set
	current *Current // what others are told
	lock    *store.Lock

	listener net.Listener
	server   *http.Server
	served   chan struct{} // closed when the server has ended

	mu   sync.RWMutex // held for reading by requests, for writing by Reset
	live *live
	hold func() // guarded by holdMu: releases mining, nil when it is not held

	holdMu sync.Mutex
	close  sync.Once
	closed error
}

// Start starts a sandbox and returns when it answers. It fails with
// fault.Conflict when the port or the home is in use, fault.Usage when the
// options are wrong, and fault.StateUnusable when a directory can't be used.
func Start(ctx context.Context, opt Options) (*World, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	w := &World{opt: opt, faults: &faults.Set{}, served: make(chan struct{})}
	if err := w.start(ctx); err != nil {
		return nil, errors.Join(err, w.abandon())
	}
	return w, nil
}

func (w *World) start(ctx context.Context) (err error) {
	for _, spec := range w.opt.Faults {
		if err := faults.Check(spec); err != nil {
			return err
		}
	}
	if w.demo, err = demo.New(w.worldOptions()); err != nil {
		return err
	}
	// The lock and the port come first: they are what another sandbox may have,
	// and refusing is quick then.
	if err := w.claim(); err != nil {
		return err
	}
	if w.listener, err = listen(ctx, w.opt.Port); err != nil {
		return err
	}
	if err := w.prepareHome(); err != nil {
		return err
	}
	if w.live, err = w.newLive(ctx); err != nil {
		return err
	}
	for _, spec := range w.opt.Faults {
		if err := w.SetFault(spec); err != nil {
			return err
		}
	}
	w.current = w.describe()
	w.serve()
	return w.announce()
}

func (w *World) worldOptions() demo.Options {
	return demo.Options{
		Seed: w.opt.Seed, Tokens: w.opt.Tokens, Listings: w.opt.Listings,
		Price: w.opt.Price, Balance: w.opt.Balance,
	}
}

// listen opens the port on loopback.
func listen(ctx context.Context, port int) (net.Listener, error) {
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fault.Wrap(err, fault.Conflict, "port %d is in use by another program", port).
			Hintf("choose another with --port N, or --port 0 for any free one").With("port", port)
	case errors.Is(err, syscall.EACCES):
		return nil, fault.Wrap(err, fault.Usage, "port %d needs rights this user has not", port).
			Hintf("choose one over 1023 with --port N")
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, fault.Wrap(err, fault.Usage, "can't listen on port %d", port).Hintf("choose another with --port N")
}

// serve answers requests until Close.
func (w *World) serve() {
	w.server = &http.Server{
		Handler:           w.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(w.opt.Logger.Handler(), slog.LevelDebug),
	}
	go func() {
		defer close(w.served)
		if err := w.server.Serve(w.listener); !errors.Is(err, http.ErrServerClosed) {
			w.opt.Logger.Error("sandbox server", "err", err)
		}
	}()
}

// Close stops the sandbox. It waits a moment for requests under way, and then
// ends them.
func (w *World) Close() error {
	w.close.Do(func() {
		w.retract()
		ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
		defer cancel()
		err := w.server.Shutdown(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = w.server.Close()
		}
		<-w.served
		w.holdMining(false)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.closed = errors.Join(err, w.live.close(), w.release())
	})
	return w.closed
}

// abandon frees what a failed start had taken.
func (w *World) abandon() error {
	var errs []error
	if w.server != nil {
		w.retract()
		errs = append(errs, w.server.Close())
		<-w.served
	} else if w.listener != nil {
		errs = append(errs, w.listener.Close())
	}
	if w.live != nil {
		errs = append(errs, w.live.close())
	}
	return errors.Join(append(errs, w.release())...)
}

// Reset replaces the chain with a fresh one, at the same addresses: everything
// bought is for sale again. The profile's ledger and journal go with the chain
// they are about; its policy stays.
func (w *World) Reset(ctx context.Context) error {
	w.holdMining(false)
	defer w.followMining() // after the unlock: mu is taken again
	w.mu.Lock()
	defer w.mu.Unlock()
	// A data directory holds one chain at a time, so the old one ends first.
	if err := w.live.close(); err != nil {
		return err
	}
	if err := removeChain(w.opt.DataDir); err != nil {
		return err
	}
	if err := forget(w.profileHome()); err != nil {
		return err
	}
	fresh, err := w.newLive(ctx)
	if err != nil {
		return err
	}
	w.live = fresh
	return nil
}

// removeChain deletes the chains of a data directory.
func removeChain(dataDir string) error {
	if dataDir == "" {
		return nil
	}
	for _, dir := range []string{filepath.Join(dataDir, chainDir), filepath.Join(dataDir, ethereumDir, chainDir)} {
		if err := os.RemoveAll(dir); err != nil {
			return fault.Wrap(err, fault.StateUnusable, "can't delete the chain in %s", store.Display(dataDir))
		}
	}
	return nil
}
