package serve

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// checkOrigins refuses what is not the exact origin of one site, as browsers
// write it: one that never matches would be a riddle, one that matches too much
// an opening.
func checkOrigins(origins []string) error {
	for _, o := range origins {
		refuse := func(why string) error {
			return fault.New(fault.Usage, "--cors-origin %q: %s", clip(o), why).
				Hintf("give each site exactly: --cors-origin https://dashboard.example")
		}
		if o == "*" || strings.Contains(o, "*") {
			return refuse("wildcards would let in sites that nobody named")
		}
		u, err := url.Parse(o)
		switch {
		case strings.EqualFold(o, "null"):
			return refuse("null is the origin of every sandboxed frame and local file")
		case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.Hostname() == "":
			return refuse("it is not http(s)://host[:port]")
		case u.String() != u.Scheme+"://"+u.Host || u.User != nil:
			return refuse("an origin has no path, no query and no user name, and ends without a slash")
		case o != strings.ToLower(o):
			return refuse("browsers write origins in lower case")
		case u.Scheme == "http" && u.Port() == "80", u.Scheme == "https" && u.Port() == "443":
			return refuse("browsers leave the usual port out")
		}
	}
	return nil
}

// corsAllowed are the request headers an allowed site's page may send.
const corsAllowed = "content-type, content-encoding, last-event-id, x-agent-id, x-agent-token, x-registration-key, authorization"

// crossSite reports whether the call comes from a page of an allowed other site,
// and if so tells the browser that the page may see the answer. Cookies are never
// part of that: such a page has an agent's credentials of its own, or reads what
// needs none.
func (s *Server) crossSite(h http.Header, r *http.Request, c *caller) bool {
	if len(s.opt.CORSOrigins) == 0 {
		return false
	}
	h.Add("Vary", "Origin") // on every answer: a cache must not mix them up
	origins := r.Header.Values("Origin")
	if len(origins) != 1 || !slices.Contains(s.opt.CORSOrigins, origins[0]) || sameOrigin(origins[0], r, c) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origins[0])
	h.Set("Access-Control-Expose-Headers", "Retry-After")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	return true
}

// preflight answers a browser that asks whether an allowed site's page may send
// a request.
func preflight(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
	h.Set("Access-Control-Allow-Headers", corsAllowed)
	h.Set("Access-Control-Max-Age", "600")
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true") // a public site asks for a server on loopback
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}

// sameOrigin reports whether an Origin header names the server that was called. Where
// the browser's connection is known to be encrypted, a page that came in the clear is
// another's: anybody on the way may have written it. Else the scheme is left out,
// since a proxy that nobody named may have ended TLS.
func sameOrigin(origin string, r *http.Request, c *caller) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) && (!c.https || u.Scheme == "https")
}

// foreign reports whether another site's page makes a browser call here behind
// the user's back, be it only to read. The page could not see the answer, but it
// would take a stream's place. Following a link to the page is fine. Browsers
// send no Origin with a read of their own site, nor with a link.
func foreign(r *http.Request, c *caller) bool {
	for _, origin := range r.Header.Values("Origin") {
		if !sameOrigin(origin, r, c) {
			return true
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	if dest := r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" {
		return true // a frame, which would take a stream unseen
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate"
}
