package commands

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/forward"
)

// Deps is what operations work with. Whatever needs configuration, keys, disk or
// network is made on first use, so that help and doctor work when it is broken.
type Deps struct {
	host     Host
	args     []string
	flags    *pflag.FlagSet
	wantJSON bool
	ran      bool
	told     bool // the failure is in the log already
	partial  bool // the tree holds only the branch that the arguments name
	executes bool // --execute is given
	spec     Spec
	parent   *Deps    // of a run within a run: what it shares is the parent's
	caller   ai.Scope // on whose behalf that one is

	Config    func() (*Config, error)
	loaded    atomic.Pointer[Config] // what Config returned, once it did
	Policy    func() (*policy.Policy, error)
	Allowlist func() (*policy.Allowlist, error)
	log       func() (*telemetry.Log, error) // what readers read
	journal   func() (*telemetry.Log, error) // what this machine's events are written to: mostly the same

	mu      sync.Mutex
	rec     *telemetry.Recorder
	red     *telemetry.Redactor
	closers []func() error
	warned  map[string]bool
	money   *sql.DB
	state   *sql.DB
	ai      aiFile
	rpc     []node
	pacer   *market.Pacer
	tools   *tool.Registry
	boxes   []*forward.Outbox
	chat    *chatRun // of ai chat

	choosing sync.Mutex
	signers  []signerOf // guarded by choosing

	unsettled looked // for what became of actions
}

// completing reports whether the shell asks what could come next.
func (d *Deps) completing() bool {
	return len(d.args) > 0 && (d.args[0] == cobra.ShellCompRequestCmd || d.args[0] == cobra.ShellCompNoDescRequestCmd)
}

func newDeps(h Host) *Deps {
	d := &Deps{host: h, warned: map[string]bool{}}
	d.Config = sync.OnceValues(func() (*Config, error) {
		c, err := loadConfig(&d.host, d.flags)
		if err != nil {
			return nil, err
		}
		for _, s := range []Secret{c.AgentToken, c.PrivateKey, c.V2Key, c.OpenSeaKey, c.RelayKey} {
			// The sandbox's marketplace takes any key: its "key" is a plain word.
			plain := s.Source == FromSandbox && s == c.OpenSeaKey
			if !plain {
				d.redactor().Add(s.Reveal())
			}
		}
		for _, n := range c.Notices {
			d.warn("%s", n)
		}
		d.loaded.Store(c)
		return c, nil
	})
	d.Policy = sync.OnceValues(func() (*policy.Policy, error) {
		src, err := d.sources()
		if err != nil {
			return nil, err
		}
		return policy.Load(src)
	})
	d.Allowlist = sync.OnceValues(func() (*policy.Allowlist, error) {
		src, err := d.sources()
		if err != nil {
			return nil, err
		}
		return policy.LoadAllowlist(src)
	})
	d.log = sync.OnceValues(func() (*telemetry.Log, error) {
		c, err := d.Config()
		if err != nil {
			return nil, err
		}
		return d.openLog(c.StateDir, c, c.RotateBytes), nil
	})
	d.journal = sync.OnceValues(func() (*telemetry.Log, error) {
		c, err := d.Config()
		if err != nil {
			return nil, err
		}
		if c.RemoteOnly {
			return d.openLog(spoolDir(c), c, spoolPart), nil
		}
		return d.log()
	})
	return d
}

func (d *Deps) sources() (policy.Sources, error) {
	c, err := d.Config()
	if err != nil {
		return policy.Sources{}, err
	}
	return policy.Sources{Home: c.Home, WorkDir: c.WorkDir, Etc: d.host.PolicyDir, Extra: c.PolicyFile,
		Agents: c.agents(), Sandbox: c.IsSandbox()}, nil
}

func (d *Deps) onClose(f func() error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closers = append(d.closers, f)
}

// close releases what was opened, last first.
func (d *Deps) close() {
	d.mu.Lock()
	closers := d.closers
	d.closers = nil
	d.mu.Unlock()
	for i := len(closers) - 1; i >= 0; i-- {
		if err := closers[i](); err != nil {
			d.logger().Warn("close", "cause", d.redactor().String(err.Error()))
		}
	}
}

// redactor knows every secret this process loaded. Flags and environment are
// added before anything else is parsed, so that no early error can show them.
func (d *Deps) redactor() *telemetry.Redactor {
	if d.parent != nil {
		return d.parent.redactor()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.red == nil {
		d.red = telemetry.NewRedactor(d.earlySecrets()...)
	}
	return d.red
}

// recorder returns the recorder of this run.
func (d *Deps) recorder() (*telemetry.Recorder, error) {
	c, err := d.Config()
	if err != nil {
		return nil, err
	}
	log, err := d.journal()
	if err != nil {
		return nil, err
	}
	red, chainID := d.redactor(), d.scopeChain(c)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rec == nil {
		scope := telemetry.Scope{
			AgentID: c.Agent.Value, SessionID: c.SessionID.Value, TraceID: c.TraceID.Value,
			Command: fullName(d.spec.Name), Source: "cli", ChainID: chainID,
		}
		if d.caller.AgentID != "" {
			scope.AgentID = d.caller.AgentID
		}
		if d.caller.Source != "" {
			scope.Source = d.caller.Source
		}
		d.rec = telemetry.NewRecorder(log, red, d.host.Now, scope)
	}
	return d.rec, nil
}

// scopeChain is the chain of the events: the profile's, and ApeChain while the
// policy that names it can't be read.
func (d *Deps) scopeChain(c *Config) int64 {
	if c.Sandbox != nil {
		return c.Sandbox.ChainID
	}
	if p, err := d.Policy(); err == nil {
		return p.ChainID
	}
	return telemetry.DefaultChainID
}

// recordable says whether the log can be written, before anything happens that
// would have to be in it.
func (d *Deps) recordable() error {
	rec, err := d.recorder()
	if err != nil {
		return err
	}
	return rec.Usable()
}

// Record writes an event. A command that only reads still answers when the log
// can't be written: it warns instead.
func (d *Deps) Record(ctx context.Context, draft telemetry.Draft) error {
	if d.spec.Quiet {
		return nil
	}
	rec, err := d.recorder()
	if err == nil {
		err = rec.Record(ctx, draft)
	}
	if err != nil && d.spec.Risk == RiskRead {
		d.warn("%s: this run is not recorded", fault.From(err).Message)
		return nil
	}
	return err
}

// moneyDB opens <home>/money.db once.
func (d *Deps) moneyDB(ctx context.Context) (*sql.DB, error) {
	if d.parent != nil {
		return d.parent.moneyDB(ctx)
	}
	c, err := d.Config()
	if err != nil {
		return nil, err
	}
	return d.openOnce(&d.money, func() (*sql.DB, error) { return store.OpenMoney(ctx, c.Home) })
}

// stateDB opens <state>/ape-claw.db once.
func (d *Deps) stateDB(ctx context.Context) (*sql.DB, error) {
	if d.parent != nil {
		return d.parent.stateDB(ctx)
	}
	c, err := d.Config()
	if err != nil {
		return nil, err
	}
	return d.openOnce(&d.state, func() (*sql.DB, error) { return store.OpenState(ctx, c.StateDir) })
}

func (d *Deps) openOnce(slot **sql.DB, open func() (*sql.DB, error)) (*sql.DB, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if *slot != nil {
		return *slot, nil
	}
	db, err := open()
	if err != nil {
		return nil, err
	}
	*slot = db
	d.closers = append(d.closers, db.Close)
	return db, nil
}

// warn tells the person on stderr, each sentence once.
func (d *Deps) warn(format string, args ...any) {
	s := d.redactor().String(fmt.Sprintf(format, args...))
	if d.parent != nil {
		d.parent.warn("%s", s)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.warned[s] {
		return
	}
	d.warned[s] = true
	// A warning that can't be printed has no other place to go.
	_, _ = fmt.Fprintf(d.host.Stderr, "ape-claw: warning: %s\n", cleanLines(s))
}

func (d *Deps) printer() *Printer {
	_, noColor := d.host.Env("NO_COLOR")
	return &Printer{w: d.redacting(d.host.Stdout), color: d.host.StdoutTTY && !noColor && d.host.getenv("TERM") != "dumb"}
}

// redacting wraps a stream: whatever is shown passes the redactor.
func (d *Deps) redacting(w io.Writer) io.Writer { return &redactingWriter{w, d.redactor()} }

type redactingWriter struct {
	w   io.Writer
	red *telemetry.Redactor
}

func (r *redactingWriter) Write(p []byte) (int, error) {
	if _, err := r.w.Write(r.red.Bytes(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// logger is the operator's log on stderr, off unless --log-level asks for it.
func (d *Deps) logger() *slog.Logger {
	if cfg, err := d.Config(); err == nil {
		return d.loggerAt(cfg.LogLevel)
	}
	return d.loggerAt(d.flaggedLevel())
}

// flaggedLevel is the level by flag or environment, for when the rest of the
// configuration can't be read.
func (d *Deps) flaggedLevel() string {
	if d.flags != nil {
		if f := d.flags.Lookup("log-level"); f != nil && f.Changed {
			return f.Value.String()
		}
	}
	return d.host.getenv("APE_CLAW_LOG_LEVEL")
}

func (d *Deps) loggerAt(name string) *slog.Logger {
	var level slog.Level
	if name == "" || name == logOff || level.UnmarshalText([]byte(name)) != nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(d.redacting(d.host.Stderr), &slog.HandlerOptions{Level: level}))
}

func (d *Deps) transport() http.RoundTripper {
	if d.host.Transport != nil {
		return d.host.Transport
	}
	return http.DefaultTransport
}

// isCode reports whether err carries code.
func isCode(err error, code fault.Code) bool {
	var e *fault.Error
	return errors.As(err, &e) && e.Code == code
}
