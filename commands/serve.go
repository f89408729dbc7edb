package commands

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// ServeIn says where to listen.
type ServeIn struct {
	Addr      string   `json:"addr" help:"host:port to listen on; port 0 picks a free one (default 127.0.0.1:8787) [$APE_CLAW_ADDR, $APE_CLAW_UI_PORT, $APE_CLAW_BIND_HOST]"`
	AllowHost []string `json:"allowHost" help:"further names the server may be called by (DNS rebinding is refused)"`
	Insecure  bool     `json:"insecure" help:"listen beyond loopback although nothing asks callers who they are"`
}

// ServeOut says where it listens, first, and that it ended, last.
type ServeOut struct {
	OK     bool   `json:"ok"`
	URL    string `json:"url"`
	Events string `json:"events"`
	Status string `json:"status"` // listening or stopped
}

func newServe() Command {
	return define(Spec{Name: "serve", Short: "Stream the events to dashboards, and serve the page", Quiet: true, Streams: true,
		Long: `Stream the log's events at /events (Server-Sent Events, resumable), with /events/backlog,
/api/health and /api/events/schema, and a dashboard at /. It listens on loopback unless
told otherwise and ends on Ctrl-C.`,
		Example: "  ape-claw serve\n  ape-claw serve --addr 127.0.0.1:0 --json",
		Risk:    RiskWrite, Permission: "serve:run"},
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
}

func runServe(ctx context.Context, d *Deps, in ServeIn) (ServeOut, error) {
	srv, err := d.newServer(in)
	if err != nil {
		return ServeOut{}, err
	}
	out := serveOut(srv)
	if err := showNow(d, out, printServe); err != nil {
		return ServeOut{}, err
	}
	err = d.settling(ctx, srv.Serve)
	out.Status = "stopped"
	return out, err
}

// settleEvery is how often a server writes down what it found out about the log.
const settleEvery = time.Minute

// settling runs serve and keeps what so long a reader learns of the log, such as
// that it was cut, for those who read it after this process: now, every minute,
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
	return ServeOut{OK: true, URL: srv.URL(), Events: srv.URL() + "/events", Status: "listening"}
}

// newServer listens; Serve is still to be called.
func (d *Deps) newServer(in ServeIn) (*serve.Server, error) {
	cfg, err := d.Config()
	if err != nil {
		return nil, err
	}
	log, err := d.log()
	if err != nil {
		return nil, err
	}
	addr, err := d.serveAddr(in.Addr)
	if err != nil {
		return nil, err
	}
	info := serve.ProfileInfo{Sandbox: cfg.IsSandbox(), ChainID: d.scopeChain(cfg)}
	srv, err := serve.New(serve.Options{Log: log, Addr: addr, Version: Version, Profile: info, Redactor: d.redactor(),
		AllowedHosts: in.AllowHost, Insecure: in.Insecure, Now: d.host.Now, Logger: d.logger()})
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
	addr, source := cfg.Addr.Value, "APE_CLAW_ADDR or the config file"
	if flag != "" {
		addr, source = flag, "--addr"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fault.Wrap(err, fault.Usage, "%s %q is not host:port", source, addr).Hintf("ape-claw serve --addr 127.0.0.1:8787")
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

// DashboardIn says which server.
type DashboardIn struct {
	Addr  string `json:"addr" help:"host:port of the server (default 127.0.0.1:8787)"`
	Print bool   `json:"print" help:"print the address only; open nothing"`
}

// DashboardOut is where the page is.
type DashboardOut struct {
	OK      bool   `json:"ok"`
	URL     string `json:"url"`
	Running bool   `json:"running"`
	Opened  bool   `json:"opened"`
}

func newDashboard() Command {
	return define(Spec{Name: "dashboard", Short: "Open the dashboard of a running serve, or print its address",
		Events: []string{"dashboard.opened"}, Offline: true, Risk: RiskRead, Permission: "serve:read"},
		func(ctx context.Context, d *Deps, in DashboardIn) (DashboardOut, error) {
			addr, err := d.serveAddr(in.Addr)
			if err != nil {
				return DashboardOut{}, err
			}
			out := DashboardOut{OK: true, URL: "http://" + addr + "/"}
			out.Running = d.answers(ctx, out.URL+"api/health")
			if out.Running && !in.Print && !d.wantJSON && d.host.StdoutTTY && d.host.OpenURL != nil {
				out.Opened = d.host.OpenURL(out.URL) == nil
			}
			return out, d.Record(ctx, telemetry.Draft{Type: "dashboard.opened", Result: map[string]any{"url": out.URL, "opened": out.Opened, "running": out.Running}})
		},
		func(p *Printer, out DashboardOut) {
			p.Line("%s", out.URL)
			if !out.Running {
				p.Line("  nothing answers there; start it: ape-claw serve")
			}
		})
}

// answers reports whether an HTTP server answers at url within a second.
func (d *Deps) answers(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	resp, err := d.transport().RoundTrip(req)
	if err != nil {
		return false
	}
	return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
}
