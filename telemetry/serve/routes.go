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
	own := map[string]http.Handler{
		"GET /{$}":               page,
		"GET /assets/":           page,
		"GET /favicon.ico":       page,
		"GET /events":            http.HandlerFunc(s.events),
		"GET /events/backlog":    http.HandlerFunc(s.backlog),
		"GET /api/events/schema": http.HandlerFunc(s.schema),
		"GET /api/health":        http.HandlerFunc(s.health),
		"/":                      missing(mux),
	}
	for _, set := range []map[string]http.Handler{own, s.opt.Mounts} {
		for _, pattern := range slices.Sorted(maps.Keys(set)) {
			if err := handle(mux, pattern, set[pattern]); err != nil {
				return nil, err
			}
		}
	}
	return s.guard(mux), nil
}

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
func missing(mux *http.ServeMux) http.Handler {
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
			notFound(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(allow, ", "))
		writeErrorStatus(w, http.StatusMethodNotAllowed, fault.New(fault.Usage, "%s takes no %s", clip(r.URL.Path), clip(r.Method)).
			Hintf("use %s", strings.Join(allow, " or ")))
	})
}

func notFound(w http.ResponseWriter, r *http.Request) {
	WriteError(w, fault.New(fault.NotFound, "nothing is at %q", clip(r.URL.Path)).
		Hintf("the page is at /, the stream at /events, the newest events at /events/backlog"))
}
