package commands

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// feed is what a client of the stream was sent.
type feed struct {
	stop context.CancelFunc
	done chan struct{}

	mu    sync.Mutex
	lines []string
	more  chan struct{} // closed and replaced when there is another line
}

// follow follows the stream until end.
func follow(ctx context.Context, o serve.TailOptions) *feed {
	ctx, stop := context.WithCancel(ctx)
	f := &feed{stop: stop, done: make(chan struct{}), more: make(chan struct{})}
	go func() {
		defer close(f.done)
		// That the feed was stopped is all its error says.
		_ = serve.Tail(ctx, o, func(frame serve.Frame) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.lines = append(f.lines, string(frame.Data))
			close(f.more)
			f.more = make(chan struct{})
			return nil
		})
	}()
	return f
}

func (f *feed) end() { f.stop(); <-f.done }

// of is the lines of a trace so far, and a channel that is closed when more came.
func (f *feed) of(trace telemetry.Filter) (lines []string, more <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.lines {
		if trace.Match([]byte(l)) {
			lines = append(lines, l)
		}
	}
	return lines, f.more
}

// watch starts the dashboard and a client of its stream.
func (s *story) watch(ctx context.Context) error {
	viewer := newDeps(s.host)
	viewer.spec = Spec{Name: "serve", Quiet: true}
	newRoot(viewer) // binds the global flags, of which none is given
	srv, err := viewer.newServer(ServeIn{Addr: s.in.Addr})
	if err != nil {
		return err
	}
	srvCtx, stopSrv := context.WithCancel(context.WithoutCancel(ctx))
	srvDone := make(chan error, 1)
	go func() { srvDone <- srv.Serve(srvCtx) }()
	s.endSrv = func() error { stopSrv(); err := <-srvDone; viewer.close(); return err }
	s.out.Dashboard = srv.URL() + "/"

	log, err := s.d.log()
	if err != nil {
		return err
	}
	from, err := log.End(ctx)
	if err != nil {
		return err
	}
	s.feed = follow(ctx, serve.TailOptions{URL: srv.URL(), After: from.String(), Transport: s.d.transport()})
	s.say("%s\n\n", s.p.style(bold, "ape-claw demo: an agent buys an NFT through the real Seaport on a real EVM"))
	s.say("  chain      %d, on this machine\n  dashboard  %s\n\n", s.world.ChainID(), s.p.style(cyan, s.out.Dashboard))
	if s.in.Open && s.d.host.OpenURL != nil {
		if err := s.d.host.OpenURL(s.out.Dashboard); err != nil {
			s.d.warn("no browser could be opened")
		}
	}
	return nil
}

func (s *story) stop() error {
	s.feed.end()
	return s.endSrv()
}

// check proves a story: its trail in the log is whole and in order, and every line of
// it arrived on the stream byte for byte.
func (s *story) check(ctx context.Context, trace string, trail []string) (events, streamed int, err error) {
	filter, err := telemetry.ParseFilter(nil, "", trace, nil)
	if err != nil {
		return 0, 0, err
	}
	want, err := s.logged(filter, trail)
	if err != nil {
		return 0, 0, err
	}
	timeout := time.NewTimer(10 * time.Second)
	defer timeout.Stop()
	for {
		got, more := s.feed.of(filter)
		for i, line := range got[:min(len(got), len(want))] {
			if line != want[i] {
				return 0, 0, fault.New(fault.Internal, "event %d on the stream differs from the log", i+1)
			}
		}
		if len(got) >= len(want) {
			return len(want), len(want), nil
		}
		select {
		case <-more:
		case <-timeout.C:
			return 0, 0, fault.New(fault.Internal, "event %d of %d did not arrive on the stream", len(got)+1, len(want))
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		}
	}
}

// logged returns the lines of a trace and checks their types, those beside the trail
// apart. How often the same is computed in a row says nothing.
func (s *story) logged(trace telemetry.Filter, trail []string) ([]string, error) {
	b, err := os.ReadFile(filepath.Join(s.cfg.StateDir, "events.jsonl"))
	if err != nil {
		return nil, fault.Wrap(err, fault.StateUnusable, "the log can't be read back")
	}
	var lines, types []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSuffix(line, "\n"); !trace.Match([]byte(line)) {
			continue
		}
		var e telemetry.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return nil, fault.Wrap(err, fault.Internal, "a line of the log can't be read back")
		}
		lines = append(lines, line)
		if !slices.Contains(demoBeside, e.EventType) {
			types = append(types, e.EventType)
		}
	}
	if types = slices.Compact(types); !slices.Equal(types, trail) {
		return nil, fault.New(fault.Internal, "the trail in the log is %v, not %v", types, trail)
	}
	return lines, nil
}
