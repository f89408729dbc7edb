package commands

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

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
		Events: []string{"dashboard.opened"}, Offline: true, Risk: RiskRead, Permission: "serve:read", AI: Exposure{Class: AINever}},
		func(ctx context.Context, d *Deps, in DashboardIn) (DashboardOut, error) {
			addr, err := d.serveAddr(in.Addr)
			if err != nil {
				return DashboardOut{}, err
			}
			out := DashboardOut{OK: true, URL: pageURL(addr)}
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

// pageURL is where a browser on this machine finds the server that listens on
// addr: at loopback when it listens everywhere.
func pageURL(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "http://" + addr + "/"
	}
	if ip, err := netip.ParseAddr(host); host == "" || (err == nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/"
}
