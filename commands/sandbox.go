package commands

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/faults"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func sandboxCommands() []Command {
	return []Command{newSandboxUp(), newSandboxStatus(), newSandboxReset(), newSandboxDown()}
}

// SandboxUpIn says what world to start.
type SandboxUpIn struct {
	Detach   bool     `json:"detach" help:"start it in the background and return when it answers"`
	Port     *string  `json:"port" help:"port on loopback; 0 picks a free one (default 7733, or a free one while that is taken)"`
	DataDir  string   `json:"dataDir" complete:"files" help:"keep the chain in this directory (default: in memory)"`
	Seed     string   `json:"seed" help:"the same seed makes the same world"`
	Listings int      `json:"listings" default:"40" help:"listings of each collection"`
	Price    string   `json:"price" help:"price of every listing in APE (default: various)"`
	Fault    []string `json:"fault" help:"faults to act out, comma-separated: name or name=value; an unknown name lists them all"`
}

// SandboxOut is a running or stopped sandbox.
type SandboxOut struct {
	OK        bool   `json:"ok"`
	Status    string `json:"status"` // running, stopped, stale or reset
	Reason    string `json:"reason,omitempty"`
	PID       int    `json:"pid,omitempty"`
	RPCURL    string `json:"rpcUrl,omitempty"`
	MarketURL string `json:"marketUrl,omitempty"`
	ChainID   int64  `json:"chainId,omitempty"`

	// The second chain, and the bridge between the two.
	EthereumRPCURL  string `json:"ethereumRpcUrl,omitempty"`
	EthereumChainID int64  `json:"ethereumChainId,omitempty"`
	RelayURL        string `json:"relayUrl,omitempty"`

	World  string          `json:"world,omitempty"` // its seed; under that name it would be taken for a wallet's and hidden
	Buyer  string          `json:"buyer,omitempty"`
	Health *sandbox.Health `json:"health,omitempty"`
	Next   []string        `json:"next,omitempty"`
}

func sandboxOut(status string, c *sandbox.Current) SandboxOut {
	out := SandboxOut{OK: true, Status: status}
	if c != nil {
		out.PID, out.RPCURL, out.MarketURL, out.ChainID, out.World, out.Buyer = c.PID, c.RPCURL, c.MarketURL, c.ChainID, c.Seed, c.Buyer
		out.EthereumRPCURL, out.EthereumChainID, out.RelayURL = c.EthereumRPCURL, c.EthereumChainID, c.RelayURL
	}
	return out
}

func runningOut(c *sandbox.Current) SandboxOut {
	out := sandboxOut("running", c)
	out.Next = []string{
		"ape-claw --profile sandbox market listings --collection demo-apes",
		"ape-claw --profile sandbox nft quote --collection demo-apes --token-id ID --max-price APE",
		"ape-claw --profile sandbox serve",
	}
	return out
}

func newSandboxUp() Command {
	return define(Spec{Name: "sandbox up", Short: "Start a local chain with the real Seaport, and a marketplace", Streams: true,
		Long: `Start a world to practise on, on loopback, in seconds, with no account and no network:
a chain (id 7733139, which no real chain has), the real Seaport 1.6 at its canonical
address, three collections with signed listings, and a marketplace that speaks OpenSea's
API over that chain. --profile sandbox points every command at it. A second chain,
"Ethereum" (id 7700001), and a bridge between the two that speaks Relay's API start when
they are first asked for. It runs until Ctrl-C, or with --detach until "ape-claw sandbox
down".`,
		Example: "  ape-claw sandbox up --detach\n  ape-claw --profile sandbox quickstart",
		Events:  []string{"sandbox.started", "sandbox.stopped"}, Offline: true, Risk: RiskWrite, Permission: "sandbox:run", AI: Exposure{Class: AINever}},
		sandboxUp, printSandbox)
}

func sandboxUp(ctx context.Context, d *Deps, in SandboxUpIn) (SandboxOut, error) {
	cfg, err := d.Config()
	if err != nil {
		return SandboxOut{}, err
	}
	for _, spec := range in.Fault {
		if err := faults.Check(spec); err != nil {
			return SandboxOut{}, err
		}
	}
	port, err := in.port()
	if err != nil {
		return SandboxOut{}, err
	}
	if in.Detach {
		return d.detachSandbox(ctx, cfg, in)
	}
	opt := sandbox.Options{Home: cfg.UserHome, DataDir: in.DataDir, Port: port, Seed: in.Seed, Listings: in.Listings,
		Faults: in.Fault, Now: d.host.Now, Logger: d.logger()}
	if in.DataDir != "" {
		if opt.DataDir, err = filepath.Abs(in.DataDir); err != nil {
			return SandboxOut{}, fault.Wrap(err, fault.StateUnusable, "the working directory is gone")
		}
	}
	if in.Price != "" {
		if opt.Price, err = units.Parse(in.Price, units.APEDecimals); err != nil {
			return SandboxOut{}, fault.Wrap(err, fault.Usage, "--price: %s", fault.From(err).Message)
		}
	}
	w, err := sandbox.Start(ctx, opt)
	if in.Port == nil && portTaken(err) {
		opt.Port = 0
		w, err = sandbox.Start(ctx, opt)
	}
	if err != nil {
		return SandboxOut{}, err
	}
	d.onClose(w.Close)
	cur := w.Current()
	if err := d.Record(ctx, telemetry.Draft{Type: "sandbox.started", ChainID: cur.ChainID, Result: map[string]any{"started": true, "chainId": cur.ChainID, "rpcUrl": cur.RPCURL, "marketUrl": cur.MarketURL}}); err != nil {
		return SandboxOut{}, err
	}
	out := runningOut(&cur)
	if err := showNow(d, out, printSandbox); err != nil {
		return SandboxOut{}, err
	}
	<-ctx.Done()
	if err := w.Close(); err != nil {
		return SandboxOut{}, err
	}
	return sandboxOut("stopped", nil), d.Record(context.WithoutCancel(ctx), telemetry.Draft{Type: "sandbox.stopped", ChainID: cur.ChainID, Result: map[string]any{"stopped": true, "chainId": cur.ChainID}})
}

// port is the port that was asked for, or the usual one.
func (in SandboxUpIn) port() (int, error) {
	if in.Port == nil {
		return sandbox.DefaultPort, nil
	}
	n, err := strconv.ParseUint(*in.Port, 10, 16)
	if err != nil {
		return 0, fault.Wrap(err, fault.Usage, "--port %q is no port: expected 0 to 65535", *in.Port)
	}
	return int(n), nil
}

// portTaken reports whether a start failed for its port alone, which a sandbox
// nobody named a port for need not mind: it is found through its home.
func portTaken(err error) bool {
	return isCode(err, fault.Conflict) && fault.From(err).Details["port"] != nil
}

// detachSandbox starts `sandbox up` as a process of its own. It gets no key: its
// environment is only what it needs.
func (d *Deps) detachSandbox(ctx context.Context, cfg *Config, in SandboxUpIn) (SandboxOut, error) {
	args := []string{"sandbox", "up", "--json", "--home", cfg.UserHome, "--state-dir", cfg.StateDir, "--trace-id", cfg.TraceID.Value,
		"--agent-id", cfg.Agent.Value, "--listings", fmt.Sprint(in.Listings)}
	for name, v := range map[string]string{"data-dir": in.DataDir, "seed": in.Seed, "price": in.Price, "fault": strings.Join(in.Fault, ",")} {
		if v != "" {
			args = append(args, "--"+name, v)
		}
	}
	if in.Port != nil {
		args = append(args, "--port", *in.Port)
	}
	log, err := d.journal()
	if err != nil {
		return SandboxOut{}, err
	}
	before, err := log.End(ctx)
	if err != nil {
		return SandboxOut{}, err
	}
	cur, err := sandbox.Detach(ctx, sandbox.Detached{Home: cfg.UserHome, Exe: d.host.Executable, Args: args, Env: d.childEnv(), Transport: d.transport()})
	if err != nil {
		// A child that could say why has recorded it, too.
		after, endErr := log.End(context.WithoutCancel(ctx))
		d.told = endErr == nil && after != before
		return SandboxOut{}, err
	}
	return runningOut(cur), nil
}

// childEnv is what a child process may know: nothing secret is in it.
func (d *Deps) childEnv() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "LANG"} {
		if v, ok := d.host.Env(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func printSandbox(p *Printer, out SandboxOut) {
	switch out.Status {
	case "running":
		p.Head("The sandbox runs (pid %d)", out.PID)
		blocks := ""
		if out.Health != nil {
			blocks = fmt.Sprintf("%d", out.Health.Block)
		}
		p.KV("chain id", fmt.Sprintf("%d", out.ChainID), "RPC", out.RPCURL, "marketplace", out.MarketURL, "Ethereum RPC", out.EthereumRPCURL, "bridge", out.RelayURL, "buyer", out.Buyer, "block", blocks)
		p.List(cyan, "Try", out.Next)
	case "reset":
		p.Line("The sandbox has a fresh chain.")
	case "stopped":
		if out.Reason == "" {
			p.Line("The sandbox is stopped.")
			return
		}
		p.Line("No sandbox runs.")
	default: // stale
		p.Line("No sandbox runs: %s", clean(out.Reason))
	}
}

func (d *Deps) control() (sandbox.Control, error) {
	// The sandbox profile itself needs a running sandbox; its control does not.
	cfg, err := d.Config()
	if err != nil {
		return sandbox.Control{}, err
	}
	return sandbox.Control{Home: cfg.UserHome, Transport: d.transport()}, nil
}

// SandboxStatusIn has no flags.
type SandboxStatusIn struct{}

func newSandboxStatus() Command {
	return define(Spec{Name: "sandbox status", Short: "Say whether a sandbox runs, and where", Quiet: true, Risk: RiskRead, Permission: "sandbox:read", AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, _ SandboxStatusIn) (SandboxOut, error) {
			c, err := d.control()
			if err != nil {
				return SandboxOut{}, err
			}
			st, err := c.Status(ctx)
			if err != nil {
				return SandboxOut{}, err
			}
			return statusOut(st), nil
		}, printSandbox)
}

func statusOut(st sandbox.Status) SandboxOut {
	var out SandboxOut
	switch {
	case st.Running:
		out = runningOut(st.Current)
		out.Health = st.Health
	case st.Stale:
		out = sandboxOut("stale", st.Current)
	default:
		out = sandboxOut("stopped", nil)
	}
	out.Reason = st.Reason
	return out
}

// SandboxResetIn names a stopped chain.
type SandboxResetIn struct {
	DataDir string `json:"dataDir" complete:"files" help:"delete the chain kept in this directory, when no sandbox runs"`
}

func newSandboxReset() Command {
	return define(Spec{Name: "sandbox reset", Short: "Give the running sandbox a fresh chain", Events: []string{"sandbox.reset"},
		Offline: true, Risk: RiskWrite, Permission: "sandbox:run", AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in SandboxResetIn) (SandboxOut, error) {
			c, err := d.control()
			if err != nil {
				return SandboxOut{}, err
			}
			if in.DataDir != "" {
				if in.DataDir, err = filepath.Abs(in.DataDir); err != nil {
					return SandboxOut{}, fault.Wrap(err, fault.StateUnusable, "the working directory is gone")
				}
			}
			st, err := c.Reset(ctx, in.DataDir)
			if err != nil {
				return SandboxOut{}, err
			}
			out := sandboxOut("reset", st.Current)
			out.Health = st.Health
			return out, d.Record(ctx, telemetry.Draft{Type: "sandbox.reset", Result: map[string]any{"reset": true}})
		}, printSandbox)
}

// SandboxDownIn has no flags.
type SandboxDownIn struct{}

func newSandboxDown() Command {
	return define(Spec{Name: "sandbox down", Short: "Stop the running sandbox", Events: []string{"sandbox.stopped"},
		Offline: true, Risk: RiskWrite, Permission: "sandbox:run", AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, _ SandboxDownIn) (SandboxOut, error) {
			c, err := d.control()
			if err != nil {
				return SandboxOut{}, err
			}
			st, err := c.Down(ctx)
			if err != nil {
				return SandboxOut{}, err
			}
			out := sandboxOut("stopped", nil)
			if st.Current == nil {
				out.Reason = st.Reason
			}
			if !st.Stale {
				return out, nil // a running one records its own end
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "sandbox.stopped", Result: map[string]any{"stopped": true}})
		}, printSandbox)
}
