package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
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
	Command  string          `json:"command"`
	Exit     int             `json:"exit"`
	Tells    string          `json:"tells"`
	Terminal string          `json:"terminal,omitempty"` // what a person saw and typed there
	Result   json.RawMessage `json:"result"`
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
	AI        *DemoAI     `json:"ai"`
	V2        *DemoV2     `json:"v2"`
	Bridge    *DemoBridge `json:"bridge"`
	Pod       *DemoPod    `json:"pod"`
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
and the dashboard that shows every step. Then a model does the same through its tools: it
can only propose, and a person approves at a terminal. The model is scripted, the person
too; all between them is real. At last contracts for skills, intents, receipts and shares
are deployed and used, and the transactions, hashes and ids of their events are held
against the chain; and when the agent's APE are spent, it moves funds from another chain,
watches them arrive, and buys with them. It needs no account, no key and no network.`,
		Example: "  ape-claw demo\n  ape-claw demo --open --keep --pace 1500",
		Events:  slices.Concat([]string{"demo.ran"}, demoBeside, demoTrail, demoAITrail, demoV2Trail, demoBridgeTrail, demoPodTrail), Offline: true, Risk: RiskWrite, Permission: "system:demo", AI: Exposure{Class: AINever}},
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
	if out.Events, out.Streamed, err = s.check(ctx, out.TraceID, demoTrail); err != nil {
		return out, err
	}
	if err := s.playAI(ctx); err != nil {
		return out, err
	}
	if out.AI.Events, out.AI.Streamed, err = s.check(ctx, out.AI.TraceID, demoAITrail); err != nil {
		return out, err
	}
	if err := s.playV2(ctx); err != nil {
		return out, err
	}
	if out.V2.Events, out.V2.Streamed, err = s.check(ctx, out.V2.TraceID, demoV2Trail); err != nil {
		return out, err
	}
	if out.V2.Checked, err = s.checkChain(ctx, out.V2.TraceID); err != nil {
		return out, err
	}
	if err := s.playBridge(ctx); err != nil {
		return out, err
	}
	if out.Bridge.Events, out.Bridge.Streamed, err = s.check(ctx, out.Bridge.TraceID, demoBridgeTrail); err != nil {
		return out, err
	}
	if err := s.playPod(ctx); err != nil {
		return out, err
	}
	if out.Pod.Events, out.Pod.Streamed, err = s.check(ctx, out.Pod.TraceID, demoPodTrail); err != nil {
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
	d      *Deps
	p      *Printer
	cfg    *Config
	in     DemoIn
	world  *sandbox.World
	host   Host
	out    *DemoOut
	feed   *feed
	endSrv func() error

	person *person
	types  []line // what the person types in the next step
	stdin  string // of the next step
	own    bool   // the steps have traces of their own
}

func (s *story) say(format string, args ...any) {
	if !s.d.wantJSON {
		s.p.printf(format, args...)
	}
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
	h.Stdout, h.Stderr, h.Stdin = &stdout, &stderr, strings.NewReader(s.stdin)
	if s.own {
		env := h.Env
		h.Env = func(key string) (string, bool) {
			if key == "APE_CLAW_TRACE_ID" {
				return "", false
			}
			return env(key)
		}
	}
	exit, seen, err := s.run(ctx, withJSON(args), h)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	line := "ape-claw " + quoteArgs(args)
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "%s at the terminal: %s: %s%s", line, fault.From(err).Message, stdout.String(), stderr.String())
	}
	var doc map[string]any
	last := lastDocument(stdout.Bytes())
	dec := json.NewDecoder(bytes.NewReader(last))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		return nil, fault.Wrap(err, fault.Internal, "%s printed no JSON", line)
	}
	if exit != wantExit {
		return nil, fault.New(fault.Internal, "%s ended with status %d, not %d: %v", line, exit, wantExit, doc["error"])
	}
	told := tells(doc)
	s.out.Steps = append(s.out.Steps, DemoStep{Command: line, Exit: exit, Tells: told, Terminal: seen, Result: last})
	mark := s.p.style(green, "ok")
	if exit != 0 {
		mark = s.p.style(yellow, "refused")
	}
	s.say("%s %s\n", s.p.style(dim, "$"), s.p.style(bold, line))
	for shown := range strings.Lines(seen) {
		s.say("  %s %s\n", s.p.style(dim, "|"), shownFact(strings.TrimRight(shown, "\n")))
	}
	s.say("  %s  %s\n\n", mark, clean(told))
	return doc, nil
}

// run runs a command line, with the person at its terminal if there is something to
// type; seen is what stood there.
func (s *story) run(ctx context.Context, args []string, h Host) (exit int, seen string, err error) {
	answers := s.types
	s.types, s.stdin = nil, ""
	if answers == nil {
		return Run(ctx, args, h), "", nil
	}
	h.OpenTerminal = s.person.pty.OpenTerminal
	seen, err = s.person.typing(ctx, answers, func(ctx context.Context) { exit = Run(ctx, args, h) })
	return exit, seen, err
}

// withJSON adds --json before what is another program's.
func withJSON(args []string) []string {
	at := slices.Index(args, "--")
	if at < 0 {
		at = len(args)
	}
	return slices.Insert(slices.Clone(args), at, "--json")
}

func quoteArgs(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		if out[i] = a; strings.ContainsAny(a, " #'\"$") {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
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

// shown says that the result was printed while everything was still up.
func (o DemoOut) shown() bool { return o.kept }

func printDemo(p *Printer, out DemoOut) {
	p.Line("%s The agent owns the token: %s", p.style(green, "Done."), out.Owner)
	p.Line("  %d events of the story in %s/events.jsonl, all of them seen on %sevents, byte for byte", out.Events, out.StateDir, out.Dashboard)
	p.Line("  A model proposed another one, a person approved it: %s", out.AI.Owner)
	p.Line("  %d events of that, and the whole story of it:  ape-claw ai trace %s", out.AI.Events, out.AI.ActionID)
	p.Line("  %d events of the contracts; %d facts in them were held against the chain, and agree", out.V2.Events, out.V2.Checked)
	p.Line("  %s arrived from another chain, and paid for one more: %s", out.Bridge.Received, out.Bridge.TxHash)
	p.Line("  A skill is installed for agents, a card minted and published, and a pod went on after it was killed in %s", out.Pod.CutOff)
	p.Line("  %s seconds. Look at them again:  ape-claw events tail --trace %s", out.Seconds, out.TraceID)
	p.Line("  Watch it in a browser:           ape-claw demo --open --keep --pace 1500")
}
