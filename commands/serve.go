package commands

import (
	"context"
	"errors"
	"maps"
	"net"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// ServeIn says where to listen, and to whom.
type ServeIn struct {
	Addr          string   `json:"addr" help:"host:port to listen on; port 0 picks a free one (default 127.0.0.1:8787) [$APE_CLAW_ADDR, $APE_CLAW_UI_PORT, $APE_CLAW_BIND_HOST]"`
	RequireAuth   bool     `json:"requireAuth" help:"ask programs on this machine for an agent's credentials too [$APE_CLAW_REQUIRE_AUTH]"`
	Insecure      bool     `json:"insecure" help:"let everybody who can reach the address read without credentials"`
	AllowHost     []string `json:"allowHost" help:"further names the server may be called by (DNS rebinding is refused) [$APE_CLAW_ALLOW_HOSTS]"`
	CORSOrigin    []string `json:"corsOrigin" help:"other sites whose pages may read here, each as https://host[:port] [$APE_CLAW_CORS_ORIGINS]"`
	TrustedProxy  []string `json:"trustedProxy" help:"addresses or networks (CIDR) of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed [$APE_CLAW_TRUSTED_PROXIES]"`
	MaxClients    int      `json:"maxClients" min:"1" help:"streams open at once; more get 503 (default 512) [$APE_CLAW_MAX_CLIENTS]"`
	MarketProxy   bool     `json:"marketProxy" help:"ask the marketplace for registered agents, with this machine's API key, which stays here [$APE_CLAW_MARKET_PROXY]"`
	MaxPerAddress int      `json:"maxPerAddress" min:"1" help:"streams of one address that is not loopback; more get 429 (default 64)"`
}

// ServeOut says where it listens, first, and that it ended, last.
type ServeOut struct {
	OK     bool   `json:"ok"`
	URL    string `json:"url"`
	Events string `json:"events"`
	Status string `json:"status"` // listening or stopped
	// AuthRequired: callers from this machine (or, on a wider address, from
	// others) have to say who they are.
	AuthRequired bool `json:"authRequired"`
	// Operator is the file with the token by which the person who approves logs in.
	Operator string `json:"operatorFile,omitempty"`
}

func newServe() Command {
	return define(Spec{Name: "serve", Short: "Stream the events to dashboards, and serve the page", Quiet: true, Streams: true,
		Long: `Stream the log's events at /events (Server-Sent Events, resumable), with /events/backlog,
/api/health, /api/events/schema and /metrics, and a dashboard at /. It listens on loopback
unless told otherwise and ends on Ctrl-C. On a wider address, or behind a proxy, callers
need an agent's credentials ("clawbot register"); see docs/serve.md.`,
		Example: "  ape-claw serve\n  ape-claw serve --addr 127.0.0.1:0 --json\n  ape-claw serve --addr 0.0.0.0:8787 --allow-host claw.example",
		Risk:    RiskWrite, Permission: "serve:run", AI: Exposure{Class: AINever}},
		runServe,
		printServe)
}

func printServe(p *Printer, out ServeOut) {
	if out.Status == "stopped" {
		p.Line("Stopped.")
		return
	}
	p.Line("Dashboard  %s", p.style(cyan, out.URL+"/"))
	p.Line("Events     %s", out.Events)
	if out.Operator != "" {
		p.Line("Approvals  log in there as operator, with the token in %s", out.Operator)
	}
	if out.AuthRequired {
		p.Line("Log in     with an agent's id and token; a new one: ape-claw clawbot register --agent-id <id>")
	}
}

func runServe(ctx context.Context, d *Deps, in ServeIn) (ServeOut, error) {
	part := d.newServedAI(ctx)
	defer part.drain()
	srv, err := d.newServerWith(in, part)
	if err != nil {
		return ServeOut{}, err
	}
	out := serveOut(srv)
	out.Operator = part.tokenPath(ctx)
	if out.AuthRequired {
		if err := d.warnNoAgent(ctx); err != nil {
			return ServeOut{}, errors.Join(err, srv.Close())
		}
	}
	if err := d.readable(ctx); err != nil {
		return ServeOut{}, errors.Join(err, srv.Close())
	}
	d.remoteOnlyNotice()
	if err := showNow(d, out, printServe); err != nil {
		return ServeOut{}, err
	}
	err = d.settling(ctx, func(ctx context.Context) error { return part.serve(ctx, srv.Serve) })
	out.Status = "stopped"
	return out, err
}

// readable looks at the log once: a server that can't read it would listen, call
// itself well, and refuse every stream.
func (d *Deps) readable(ctx context.Context) error {
	log, err := d.log()
	if err != nil {
		return err
	}
	_, err = log.End(ctx)
	return err
}

// settleEvery is how often a server writes down what it found out about the log,
// and carries over what others still wrote into a part that was rotated away. With
// nothing to do it costs a few stats.
const settleEvery = 2 * time.Second

// settling runs serve and keeps what so long a reader learns of the log, such as
// that it was cut, for those who read it after this process: now, again and again,
// and at the end. A log that can't be written is served all the same.
func (d *Deps) settling(ctx context.Context, serve func(context.Context) error) error {
	log, err := d.log()
	if err != nil {
		return err
	}
	settle := func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := log.Settle(ctx); err != nil {
			d.logger().Warn("settle the log", "cause", fault.From(err).Message)
		}
	}
	settle(ctx)
	ticking, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(settleEvery)
		defer tick.Stop()
		for {
			select {
			case <-ticking.Done():
				return
			case <-tick.C:
				settle(ticking)
			}
		}
	})
	err = serve(ctx)
	stop()
	wg.Wait()
	settle(context.WithoutCancel(ctx))
	return err
}

func serveOut(srv *serve.Server) ServeOut {
	return ServeOut{OK: true, URL: srv.URL(), Events: srv.URL() + "/events", Status: "listening", AuthRequired: srv.AuthRequired()}
}

// warnNoAgent tells the operator of a server that asks for credentials when
// nobody has any.
func (d *Deps) warnNoAgent(ctx context.Context) error {
	n, err := d.registry().Enabled(ctx)
	if err == nil && n == 0 {
		d.warn("no agent is registered, so nobody can log in yet: ape-claw clawbot register --agent-id <id>")
	}
	return err
}

// newServer listens; Serve is still to be called. It serves no AI.
func (d *Deps) newServer(in ServeIn) (*serve.Server, error) { return d.newServerWith(in, nil) }

// newServerWith is newServer with an AI part; nil for none.
func (d *Deps) newServerWith(in ServeIn, part *servedAI) (*serve.Server, error) {
	opt, err := d.serveOptions(in)
	if err != nil {
		return nil, err
	}
	opt.Mounts = d.v2Mounts()
	maps.Copy(opt.Mounts, d.viewMounts())
	maps.Copy(opt.Mounts, d.forwardMounts())
	maps.Copy(opt.Mounts, d.podMounts())
	maps.Copy(opt.Mounts, d.skillMounts())
	opt.Gauges = d.forwardGauges
	proxied, err := d.marketMounts(in.MarketProxy)
	if err != nil {
		return nil, err
	}
	maps.Copy(opt.Mounts, proxied)
	if part != nil {
		more, err := part.mounts()
		if err != nil {
			return nil, err
		}
		maps.Copy(opt.Mounts, more)
	}
	srv, err := serve.New(opt)
	if err != nil {
		return nil, err
	}
	_, err = srv.Listen()
	return srv, err
}

// serveAddr is the address by precedence; the original's port and host variables
// fill in what APE_CLAW_ADDR leaves open.
func (d *Deps) serveAddr(flag string) (string, error) {
	cfg, err := d.Config()
	if err != nil {
		return "", err
	}
	s, o := cfg.Addr, option{key: "addr", flag: "addr", env: "APE_CLAW_ADDR"}
	if flag != "" {
		s = Setting{flag, FromFlag}
	}
	host, port, err := net.SplitHostPort(s.Value)
	if err != nil {
		return "", fault.Wrap(err, fault.Usage, "%s %q is not host:port", o.named(s.Source), shownArg(s.Value)).
			Hintf("%s", o.example(s.Source, serve.DefaultAddr))
	}
	if flag == "" && cfg.Addr.Source != FromEnv {
		if p := d.host.getenv("APE_CLAW_UI_PORT"); p != "" {
			port = p
		}
		if h := d.host.getenv("APE_CLAW_BIND_HOST"); h != "" {
			host = h
		}
	}
	return net.JoinHostPort(host, port), nil
}
