package serve

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// csp lets the page run its own files and talk to its own server, and nothing
// else. Trusted types make the browser refuse innerHTML and its kin, so that
// the text of an event can't become markup.
const csp = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// guard stands before every route: it sets the headers that protect a browser,
// turns away calls that another site's page makes a browser send, bounds the
// body, and turns a panic into an answer.
func (s *Server) guard(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", csp)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		defer s.recoverPanic(w, r)
		if !s.hostAllowed(r.Host) {
			writeErrorStatus(w, http.StatusForbidden, fault.New(fault.Auth, "host %q is not served here", clip(r.Host)).
				Hintf("open the address that ape-claw serve printed, or allow the name: ape-claw serve --allow-host <name>"))
			return
		}
		if err := crossOrigin.Check(r); err != nil || foreign(r) {
			writeErrorStatus(w, http.StatusForbidden, fault.New(fault.Auth, "this call comes from another site's page").
				Hintf("call from a page of this server, or from a program that sends no Origin"))
			return
		}
		if clean := path.Clean(r.URL.Path); clean != r.URL.Path && clean+"/" != r.URL.Path {
			notFound(w, r)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, s.opt.MaxBody)
		next.ServeHTTP(w, r)
	})
}

// foreign reports whether another site's page makes a browser call here behind
// the user's back, be it only to read. The page could not see the answer, but it
// would take a stream's place. Following a link to the page is fine. Browsers
// send no Origin with a read of their own site, nor with a link.
func foreign(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return true
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// hostAllowed is the guard against DNS rebinding: a foreign name that was made
// to point here is not ours. An address in place of a name can't be rebound,
// so off loopback every address passes.
func (s *Server) hostAllowed(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || slices.ContainsFunc(s.opt.AllowedHosts, func(a string) bool {
		return strings.EqualFold(a, host)
	}) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.Unmap().IsLoopback() || s.opt.Insecure)
}

func (s *Server) recoverPanic(w http.ResponseWriter, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
		panic(v)
	}
	s.opt.Logger.Error("handler panicked", "method", r.Method, "path", r.URL.Path, "panic", v, "stack", string(debug.Stack()))
	WriteError(w, fault.New(fault.Internal, "internal error"))
}
