package serve

import (
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// csp lets the page run its own files and talk to its own server, and nothing
// else. Trusted types make the browser refuse innerHTML and its kin, so that
// the text of an event can't become markup; the one policy, ape-claw, is the
// page's for the address of its own worker.
const csp = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
	"worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types ape-claw"

// protection are the headers of every answer. Their values are shared: Set, which
// replaces them, is fine, Add is not.
var protection = [...]struct {
	name  string // as http.Header has it
	value []string
}{
	{"Content-Security-Policy", []string{csp}},
	{"X-Content-Type-Options", []string{"nosniff"}},
	{"X-Frame-Options", []string{"DENY"}},
	{"Referrer-Policy", []string{"no-referrer"}},
	{"Cross-Origin-Opener-Policy", []string{"same-origin"}},
	{"Cross-Origin-Resource-Policy", []string{"same-origin"}},
}

// maxURL is more than all filters at their longest need, in bytes.
const maxURL = 8 << 10

// guard stands before every route: it sets the headers that protect a browser,
// finds out who calls, turns away what another site's page makes a browser send
// and what comes too often, bounds the body, and turns a panic into an answer.
func (s *Server) guard(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for i := range protection {
			h[protection[i].name] = protection[i].value
		}
		rest := &restBody{ReadCloser: r.Body}
		defer s.drainRest(w, r, rest)
		defer s.recoverPanic(w, r)
		if !s.hostAllowed(r.Host) {
			s.refuse(w, http.StatusForbidden, fault.New(fault.Auth, "host %q is not served here", s.echo(r.Host)).
				Hintf("open the address that ape-claw serve printed, or allow the name: ape-claw serve --allow-host <name>"))
			return
		}
		c := s.whoCalls(r)
		c.cross = s.crossSite(h, r, c)
		if !c.cross && (crossOrigin.Check(r) != nil || foreign(r, c)) {
			s.refuse(w, http.StatusForbidden, fault.New(fault.Auth, "this call comes from another site's page").
				Hintf("call from a page of this server, from a program that sends no Origin, or allow the site: ape-claw serve --cors-origin <origin>"))
			return
		}
		if wait := s.tooMany(r, c); wait > 0 {
			s.refuseFor(w, http.StatusTooManyRequests, wait, fault.New(fault.Upstream, "too many requests from this address"))
			return
		}
		if len(r.RequestURI) > maxURL {
			s.refuse(w, http.StatusRequestURITooLong, fault.New(fault.Usage, "a URL of %d bytes: at most %d are allowed", len(r.RequestURI), maxURL))
			return
		}
		// After the limits, since it has to read closely; before whatever shows a
		// part of the URL.
		if secretInURL(r.URL, s.opt.Redactor) {
			s.refuse(w, http.StatusBadRequest, fault.New(fault.Usage, "credentials do not belong into a URL, which histories and logs keep").
				Hintf("send the headers x-agent-id and x-agent-token, and replace that token: ape-claw clawbot rotate --agent-id <id>"))
			return
		}
		if oddPath(r.URL) {
			s.notFound(w, r)
			return
		}
		if c.cross && preflight(w, r) {
			return
		}
		if r.ContentLength > s.opt.MaxBody && !isIngest(r) { // which asks first whose it is
			s.refuseLarge(w)
			return
		}
		r = withCaller(r, c) // a copy: net/http knows its own body, which nobody read where that was not asked for
		if r.Body = http.MaxBytesReader(w, rest, s.opt.MaxBody); r.ContentLength != 0 {
			r.Body = &lateBody{ReadCloser: r.Body, srv: s, ctx: r.Context(), c: c, began: s.opt.Now()}
		}
		next.ServeHTTP(w, r)
	})
}

// oddPath reports whether a path is not written the plain way. No route needs
// any other, and whatever stands between here and the handlers might read it
// differently.
func oddPath(u *url.URL) bool {
	if !strings.HasPrefix(u.Path, "/") || strings.Contains(u.Path, "//") || strings.ContainsFunc(u.Path, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' }) {
		return true
	}
	if raw := strings.ToLower(u.RawPath); strings.Contains(raw, "%2f") || strings.Contains(raw, "%2e") {
		return true
	}
	clean := path.Clean(u.Path)
	return clean != u.Path && clean+"/" != u.Path
}

// hostAllowed is the guard against DNS rebinding: a foreign name that was made
// to point here is not ours. An address in place of a name can't be rebound,
// so off loopback every address passes.
func (s *Server) hostAllowed(hostport string) bool {
	host := hostOf(hostport)
	if loopbackHost(host) || slices.ContainsFunc(s.opt.AllowedHosts, func(a string) bool {
		return strings.EqualFold(a, host)
	}) {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil && (s.opt.Insecure || s.wide.Load())
}

// codeBusy is the code of every refusal that passes by itself.
const codeBusy = fault.Upstream

// refuse answers a request that is turned away, and counts it.
func (s *Server) refuse(w http.ResponseWriter, status int, err error) {
	s.metrics.refused(status, fault.CodeOf(err))
	writeErrorStatus(w, status, err)
}

// refuseFor is refuse for a while: it says when to come back.
func (s *Server) refuseFor(w http.ResponseWriter, status int, wait time.Duration, err *fault.Error) {
	seconds := int(math.Ceil(wait.Seconds()))
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	if err.Hint == "" {
		err = err.Hintf("try again in %d s", seconds)
	}
	s.metrics.refused(status, err.Code)
	writeJSON(w, status, errorBody{Error: err.Message, Code: err.Code, Hint: err.Hint, Details: err.Details, RetryAfterSeconds: seconds, RetryAfterMs: wait.Milliseconds()})
}

// refuseLarge answers 413 before the body is read.
func (s *Server) refuseLarge(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	s.refuse(w, http.StatusRequestEntityTooLarge, tooLargeBody(s.opt.MaxBody))
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
