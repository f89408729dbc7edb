package commands

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// serveOptions is what flags, environment and configuration say about a server.
func (d *Deps) serveOptions(in ServeIn) (serve.Options, error) {
	cfg, err := d.Config()
	if err != nil {
		return serve.Options{}, err
	}
	log, err := d.log()
	if err != nil {
		return serve.Options{}, err
	}
	addr, err := d.serveAddr(in.Addr)
	if err != nil {
		return serve.Options{}, err
	}
	proxies, err := parseProxies(orEnv(d, in.TrustedProxy, "APE_CLAW_TRUSTED_PROXIES"))
	if err != nil {
		return serve.Options{}, err
	}
	clients, err := d.maxClients(in.MaxClients)
	if err != nil {
		return serve.Options{}, err
	}
	required, err := d.requireAuth(in)
	if err != nil {
		return serve.Options{}, err
	}
	auth, err := d.callers()
	if err != nil {
		return serve.Options{}, err
	}
	opt := serve.Options{
		Log: log, Ingest: telemetry.OpenIngest(log, telemetry.IngestOptions{Redactor: d.redactor(), Now: d.host.Now}),
		Addr: addr, Version: Version, Redactor: d.redactor(), Now: d.host.Now, Logger: d.logger(),
		Profile: serve.ProfileInfo{Sandbox: cfg.IsSandbox(), ChainID: d.scopeChain(cfg)},
		Auth:    auth, RequireAuth: required, Insecure: in.Insecure,
		AllowedHosts:   orEnv(d, in.AllowHost, "APE_CLAW_ALLOW_HOSTS"),
		CORSOrigins:    orEnv(d, in.CORSOrigin, "APE_CLAW_CORS_ORIGINS"),
		TrustedProxies: proxies,
		MaxClients:     clients, MaxPerAddress: in.MaxPerAddress,
	}
	return opt, d.withRegistration(&opt)
}

// orEnv is a list by flag, else by environment, separated by commas.
func orEnv(d *Deps, flag []string, env string) []string {
	if len(flag) > 0 {
		return flag
	}
	var out []string
	for part := range strings.SplitSeq(d.host.getenv(env), ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// parseProxies reads networks, and single addresses as networks of one.
func parseProxies(list []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, s := range list {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			var a netip.Addr
			if a, err = netip.ParseAddr(s); err == nil {
				p, err = a.Unmap().Prefix(a.Unmap().BitLen())
			}
		}
		if err != nil {
			return nil, fault.New(fault.Usage, "--trusted-proxy %q is no address and no network", shownArg(s)).
				Hintf("ape-claw serve --trusted-proxy 127.0.0.1/32")
		}
		if p.Bits() == 0 {
			return nil, fault.New(fault.Usage, "--trusted-proxy %s would believe everybody", s).
				Hintf("name the proxy's own address: ape-claw serve --trusted-proxy 127.0.0.1/32")
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

// maxClients is the cap by flag, else by environment; 0 is the default.
func (d *Deps) maxClients(flag int) (int, error) {
	v := d.host.getenv("APE_CLAW_MAX_CLIENTS")
	if flag > 0 || v == "" {
		return flag, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		return 0, fault.New(fault.Usage, "APE_CLAW_MAX_CLIENTS=%s is not a whole number of 1 or more", shownArg(v))
	}
	return n, nil
}

// requireAuth is the flag, else the environment. --insecure on the command line
// is not overruled by a variable: together they are refused.
func (d *Deps) requireAuth(in ServeIn) (bool, error) {
	v := d.host.getenv("APE_CLAW_REQUIRE_AUTH")
	if in.RequireAuth || v == "" {
		return in.RequireAuth, nil
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		return false, fault.New(fault.Usage, "APE_CLAW_REQUIRE_AUTH=%s is neither true nor false", shownArg(v))
	}
	return b, nil
}
