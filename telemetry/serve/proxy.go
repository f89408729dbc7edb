package serve

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/agents"
)

// caller is what is known of who sent a request.
type caller struct {
	addr  netip.Addr // whose limits count
	local bool       // a program of this machine, come straight here
	https bool       // the browser's own connection was encrypted
	cross bool       // a page of an allowed other site
	proof *agents.Proof
	// cookie is the session that the proof is from; "" for headers.
	cookie string
}

type callerKey struct{}

// callerOf returns what guard found out; whoever came around the guard is
// nobody.
func callerOf(r *http.Request) *caller {
	if c, ok := r.Context().Value(callerKey{}).(*caller); ok {
		return c
	}
	return &caller{}
}

func withCaller(r *http.Request, c *caller) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), callerKey{}, c))
}

// proxyHeaders are what proxies and tunnels add to a request, by name and by how
// a name begins. One of them is enough to know that the peer on loopback is not
// who asks.
var (
	proxyHeaders = []string{
		"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Remote-Ip", "X-Remote-Addr", "X-Proxyuser-Ip",
		"X-Scheme", "X-Url-Scheme", "Front-End-Https", "True-Client-Ip", "Client-Ip", "Proxy-Client-Ip", "Wl-Proxy-Client-Ip", "Cdn-Loop",
	}
	proxyPrefixes = []string{"X-Forwarded", "X-Original-", "X-Envoy-", "X-Arr-", "X-Azure-", "X-Appengine-", "Cf-", "Fastly-", "Fly-", "Ngrok-", "Tailscale-"}
)

// proxied reports whether a proxy has left its mark on a request.
func proxied(h http.Header) bool {
	for name := range h {
		if slices.Contains(proxyHeaders, name) ||
			slices.ContainsFunc(proxyPrefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			return true
		}
	}
	return false
}

// whoCalls looks at the connection and the headers. A request is local only when
// nothing about it says otherwise: a reverse proxy on this machine makes all the
// world come from loopback. HTTP/1.0 counts as such a sign, since nginx speaks it
// to what it stands before unless it is told not to, and then adds no header.
func (s *Server) whoCalls(r *http.Request) *caller {
	peer, ip := s.peer(r)
	c := &caller{addr: peer, https: r.TLS != nil}
	trusted := ip && s.trusted(peer)
	if trusted {
		c.addr = s.forwardedFor(peer, r.Header.Values("X-Forwarded-For"))
		proto := strings.Split(strings.Join(r.Header.Values("X-Forwarded-Proto"), ","), ",")
		c.https = c.https || strings.EqualFold(strings.TrimSpace(proto[len(proto)-1]), "https")
	}
	through := trusted || !r.ProtoAtLeast(1, 1) || proxied(r.Header)
	c.local = !through && (!ip || peer.IsLoopback()) && loopbackHost(hostOf(r.Host))
	return c
}

// peer returns the address at the other end of the connection. A pipe or a Unix
// socket has none, and leads to no other machine.
func (s *Server) peer(r *http.Request) (addr netip.Addr, ip bool) {
	if ap, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		return ap.Addr().Unmap().WithZone(""), true
	}
	if c, ok := r.Context().Value(connKey{}).(net.Conn); ok {
		switch c.RemoteAddr().Network() {
		case "pipe", "unix":
			return netip.Addr{}, false
		}
	}
	return netip.Addr{}, true // what is not understood is not ours
}

func (s *Server) trusted(a netip.Addr) bool {
	return slices.ContainsFunc(s.opt.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// forwardedFor walks the addresses that proxies wrote from right to left, as
// long as it is a trusted one that vouches. What stands further left anybody may
// have made up.
func (s *Server) forwardedFor(peer netip.Addr, values []string) netip.Addr {
	hops := strings.Split(strings.Join(values, ","), ",")
	for _, hop := range slices.Backward(hops) {
		a, err := parseHop(strings.TrimSpace(hop))
		if err != nil {
			return peer
		}
		if peer = a; !s.trusted(a) {
			return a
		}
	}
	return peer
}

// parseHop reads an address as proxies write it, some with a port.
func parseHop(hop string) (netip.Addr, error) {
	if ap, err := netip.ParseAddrPort(hop); err == nil {
		return ap.Addr().Unmap().WithZone(""), nil
	}
	a, err := netip.ParseAddr(strings.Trim(hop, "[]"))
	return a.Unmap().WithZone(""), err
}

// network is what limits count by: an IPv6 customer has a whole /64.
func network(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // no address: all such share one place
	}
	return p
}

// hostOf is the name in a Host header, without port, brackets and final dot.
func hostOf(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

func loopbackHost(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
