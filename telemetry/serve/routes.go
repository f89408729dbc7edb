package serve

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/dashboard"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func (s *Server) routes() (http.Handler, error) {
	mux := http.NewServeMux()
	page := dashboard.Handler()
	type routes map[string]http.Handler
	var patterns []string
	stream := s.perAddress(s.leased(s.knows(s.events, eventsParameters()...)))
	for _, set := range []struct {
		need   func(http.Handler) need
		routes routes
	}{
		{always(needNothing), routes{
			"GET /{$}":            page,
			"GET /assets/":        page,
			"GET /favicon.ico":    page,
			"GET /api/health":     http.HandlerFunc(s.health), // shows less without credentials
			"GET /api/session":    http.HandlerFunc(s.session),
			"POST /api/session":   http.HandlerFunc(s.login),
			"DELETE /api/session": http.HandlerFunc(s.logout),
			"/":                   s.missing(mux),
		}},
		{always(needRead), routes{
			"GET /events":            stream,
			"GET /events/backlog":    s.knows(s.backlog, backlogParameters()...),
			"GET /api/events/schema": s.knows(s.schema, "type"),
			"GET /metrics":           http.HandlerFunc(s.scrape),
			"GET /api/clawbots":      http.HandlerFunc(s.clawbots),
		}},
		{always(needNothing), s.registration()}, // they ask for themselves
		{always(needNothing), s.ingestRoutes()}, // asks for itself
		{needOf, s.opt.Mounts},
	} {
		for _, pattern := range slices.Sorted(maps.Keys(set.routes)) {
			h := set.routes[pattern]
			if err := handle(mux, pattern, s.access(set.need(h), h)); err != nil {
				return nil, err
			}
			patterns = append(patterns, pattern)
		}
	}
	// Else ServeMux would send whoever leaves out the slash there, in HTML.
	for _, pattern := range patterns {
		if bare, ok := strings.CutSuffix(pattern, "/"); ok && strings.Contains(bare, "/") {
			_ = handle(mux, bare, http.HandlerFunc(s.notFound)) // fails where something is there
		}
	}
	return s.guard(s.metrics.count(mux)), nil
}

func always(n need) func(http.Handler) need { return func(http.Handler) need { return n } }

// scrape is GET /metrics.
func (s *Server) scrape(w http.ResponseWriter, r *http.Request) { s.metrics.handler().ServeHTTP(w, r) }

// handle registers a pattern; what ServeMux panics about becomes an error.
func handle(mux *http.ServeMux, pattern string, h http.Handler) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("route %q: %v", pattern, v)
		}
	}()
	mux.Handle(pattern, h)
	return nil
}

// missing answers what no route takes: 405 when another method would be taken,
// else 404.
func (s *Server) missing(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var allow []string
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			probe := *r
			probe.Method = method
			if _, pattern := mux.Handler(&probe); pattern != "/" && pattern != "" {
				allow = append(allow, method)
			}
		}
		if len(allow) == 0 {
			s.notFound(w, r)
			return
		}
		if allow[0] == http.MethodGet {
			allow = slices.Insert(allow, 1, http.MethodHead)
		}
		allow = append(allow, http.MethodOptions)
		w.Header().Set("Allow", strings.Join(allow, ", "))
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		writeErrorStatus(w, http.StatusMethodNotAllowed, fault.New(fault.Usage, "%s takes no %s", s.echo(r.URL.Path), s.echo(r.Method)).
			Hintf("use %s", strings.Join(allow, " or ")))
	})
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	WriteError(w, fault.New(fault.NotFound, "nothing is at %q", s.echo(r.URL.Path)).
		Hintf("the page is at /, the stream at /events, the newest events at /events/backlog"))
}
