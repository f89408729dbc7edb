package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// DemoIn says how to run the story.
type DemoIn struct {
	Keep bool   `json:"keep" help:"keep the chain and the dashboard up afterwards, until Ctrl-C"`
	Open bool   `json:"open" help:"open the dashboard in the browser first"`
	Addr string `json:"addr" default:"127.0.0.1:0" help:"host:port of the dashboard"`
	Pace int    `json:"pace" help:"milliseconds to wait between steps, to watch them arrive"`
}

// DemoStep is one command of the story.
type DemoStep struct {
	Command string          `json:"command"`
	Exit    int             `json:"exit"`
	Tells   string          `json:"tells"`
	Result  json.RawMessage `json:"result"`
}

// DemoOut is the whole story.
type DemoOut struct {
	OK        bool        `json:"ok"`
	TraceID   string      `json:"traceId"`
	Steps     []DemoStep  `json:"steps"`
	TxHash    string      `json:"txHash"`
	Owner     string      `json:"owner"`
	Events    int         `json:"events"`
	Streamed  int         `json:"streamed"` // of them, how many arrived on /events byte for byte
	Dashboard string      `json:"dashboard"`
	StateDir  string      `json:"stateDir"`
	Seconds   json.Number `json:"seconds"`

	kept bool // it was shown before it was kept
}

// demoTrail is what the log must hold when the story is over.
var demoTrail = []string{"nft.quote.created", "policy.blocked", "nft.simulation.passed", "nft.buy.dry_run", "policy.blocked",
	"nft.buy.submitted", "nft.buy.confirmed", "command.failed"}

func newDemo() Command {
	return define(Spec{Name: "demo", Short: "Watch an agent quote, simulate and buy an NFT on a local chain",
		Long: `Run the whole story on this machine: a real EVM with the real Seaport, a marketplace,
an agent that quotes, simulates and buys an NFT, the policy that stops it where it must,
and the dashboard that shows every step. It needs no account, no key and no network.`,
		Example: "  ape-claw demo\n  ape-claw demo --open --keep --pace 1500",
		Events:  append([]string{"demo.ran", "market.listings.read"}, demoTrail...), Offline: true, Risk: RiskWrite, Permission: "system:demo", AI: Exposure{Class: AINever}},
		runDemo, printDemo)
}

// runDemo plays the story with the same commands a user would type.
func runDemo(ctx context.Context, d *Deps, in DemoIn) (out DemoOut, err error) {
	start := d.host.Now()
	cfg, err := d.Config()
	if err != nil {
		return out, err
	}
	home, err := os.MkdirTemp("", "ape-claw-demo-")
	if err != nil {
		return out, fault.Wrap(err, fault.StateUnusable, "no temporary directory can be made")
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	world, err := sandbox.Start(ctx, sandbox.Options{Home: home, Now: d.host.Now})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, world.Close()) }()
	s := &story{d: d, p: d.printer(), cfg: cfg, in: in, world: world, host: demoHost(d.host, home, cfg)}
	out = DemoOut{OK: true, TraceID: cfg.TraceID.Value, StateDir: "state"}
	s.out = &out
	if err := s.watch(ctx); err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.play(ctx); err != nil {
		return out, err
	}
	if err := s.check(ctx); err != nil {
		return out, err
	}
	out.Seconds = json.Number(fmt.Sprintf("%.1f", d.host.Now().Sub(start).Seconds()))
	if err := d.Record(ctx, telemetry.Draft{Type: "demo.ran", ChainID: world.ChainID(), Result: map[string]any{"completed": true, "txHash": out.TxHash}}); err != nil {
		return out, err
	}
	if in.Keep {
		if err := showNow(d, out, printDemo); err != nil {
			return out, err
		}
		s.say("\nThe chain and the dashboard stay up: %s (Ctrl-C ends them)\n", out.Dashboard)
		<-ctx.Done()
		out.kept = true
	}
	return out, nil
}

// demoHost is the machine the story's commands run on: the same streams and
// clock, but nothing of the user's configuration.
func demoHost(h Host, home string, cfg *Config) Host {
	env := map[string]string{"HOME": home, "APE_CLAW_HOME": home, "APE_CLAW_PROFILE": ProfileSandbox, "APE_CLAW_STATE_DIR": cfg.StateDir,
		"APE_CLAW_TRACE_ID": cfg.TraceID.Value, "APE_CLAW_AGENT_ID": "demo-agent", "APE_CLAW_SESSION_ID": "demo"}
	h.Env = func(key string) (string, bool) { v, ok := env[key]; return v, ok }
	h.PolicyDir, h.OpenTerminal, h.OpenURL = "", nil, nil
	h.StdoutTTY, h.StderrTTY, h.StdinTTY = false, false, false
	return h
}

// story is the state of one demo.
type story struct {
	d       *Deps
	p       *Printer
	cfg     *Config
	in      DemoIn
	world   *sandbox.World
	host    Host
	out     *DemoOut
	lines   chan string
	endFeed func()
	endSrv  func() error
}

func (s *story) say(format string, args ...any) {
	if !s.d.wantJSON {
		s.p.printf(format, args...)
	}
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
	s.lines = make(chan string, 256)
	feedCtx, stopFeed := context.WithCancel(ctx)
	feedDone := make(chan error, 1)
	go func() {
		feedDone <- serve.Tail(feedCtx, serve.TailOptions{URL: srv.URL(), After: from.String(), TraceID: s.out.TraceID, Transport: s.d.transport()},
			func(f serve.Frame) error {
				s.lines <- string(f.Data)
				return nil
			})
	}()
	// That the feed was stopped is all its error says.
	s.endFeed = func() { stopFeed(); <-feedDone }
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
	s.endFeed()
	return s.endSrv()
}

// step runs one command as a user would type it and returns its JSON document.
func (s *story) step(ctx context.Context, wantExit int, tells func(doc map[string]any) string, args ...string) (map[string]any, error) {
	if s.in.Pace > 0 && len(s.out.Steps) > 0 {
		timer := time.NewTimer(time.Duration(s.in.Pace) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	var stdout, stderr bytes.Buffer
	h := s.host
	h.Stdout, h.Stderr = &stdout, &stderr
	exit := Run(ctx, append(slices.Clone(args), "--json"), h)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	line := "ape-claw " + quoteArgs(args)
	var doc map[string]any
	dec := json.NewDecoder(bytes.NewReader(stdout.Bytes()))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		return nil, fault.Wrap(err, fault.Internal, "%s printed no JSON", line)
	}
	if exit != wantExit {
		return nil, fault.New(fault.Internal, "%s ended with status %d, not %d: %v", line, exit, wantExit, doc["error"])
	}
	told := tells(doc)
	s.out.Steps = append(s.out.Steps, DemoStep{Command: line, Exit: exit, Tells: told, Result: bytes.TrimSpace(stdout.Bytes())})
	mark := s.p.style(green, "ok")
	if exit != 0 {
		mark = s.p.style(yellow, "refused")
	}
	s.say("%s %s\n  %s  %s\n\n", s.p.style(dim, "$"), s.p.style(bold, line), mark, clean(told))
	return doc, nil
}

func quoteArgs(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		if out[i] = a; strings.ContainsAny(a, " #'\"$") {
			out[i] = "'" + a + "'"
		}
	}
	return strings.Join(out, " ")
}

func text(doc map[string]any, key string) string {
	v := doc[key]
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// check proves the story: the trail in the log is whole and in order, and every
// line of it arrived on the stream byte for byte.
func (s *story) check(ctx context.Context) error {
	want, err := s.logged()
	if err != nil {
		return err
	}
	s.out.Events = len(want)
	timeout := time.NewTimer(10 * time.Second)
	defer timeout.Stop()
	for i, line := range want {
		select {
		case got := <-s.lines:
			if got != line {
				return fault.New(fault.Internal, "event %d on the stream differs from the log", i+1)
			}
			s.out.Streamed++
		case <-timeout.C:
			return fault.New(fault.Internal, "event %d of %d did not arrive on the stream", i+1, len(want))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// logged returns the lines of this story's trace and checks their types.
func (s *story) logged() ([]string, error) {
	b, err := os.ReadFile(filepath.Join(s.cfg.StateDir, "events.jsonl"))
	if err != nil {
		return nil, fault.Wrap(err, fault.StateUnusable, "the log can't be read back")
	}
	var lines, types []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		var e telemetry.Event
		if json.Unmarshal([]byte(line), &e) != nil || e.TraceID != s.out.TraceID {
			continue
		}
		lines = append(lines, line)
		if e.EventType != "market.listings.read" {
			types = append(types, e.EventType)
		}
	}
	if !slices.Equal(types, demoTrail) {
		return nil, fault.New(fault.Internal, "the trail in the log is %v, not %v", types, demoTrail)
	}
	return lines, nil
}

// shown says that the result was printed while everything was still up.
func (o DemoOut) shown() bool { return o.kept }

func printDemo(p *Printer, out DemoOut) {
	p.Line("%s The agent owns the token: %s", p.style(green, "Done."), out.Owner)
	p.Line("  %d events of the story in %s/events.jsonl, all of them seen on %sevents, byte for byte", out.Events, out.StateDir, out.Dashboard)
	p.Line("  %s seconds. Look at them again:  ape-claw events tail --trace %s", out.Seconds, out.TraceID)
	p.Line("  Watch it in a browser:           ape-claw demo --open --keep --pace 1500")
}
