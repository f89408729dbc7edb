package serve

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// cacheBuster is what some libraries add to a URL so that it is new. It says nothing.
const cacheBuster = "_"

// The parameters of the routes that take any. lastEventId is what replacements of
// EventSource send where they can't set the header.
func eventsParameters() []string {
	return []string{"type", "agentId", "traceId", "ok", "after", "backlog", "lastEventId"}
}

func backlogParameters() []string {
	return []string{"type", "agentId", "traceId", "ok", "since", "after", "limit"}
}

// knows lets through only what asks with these parameters, and gives each something:
// a filter that is misspelt, empty or cut off in the middle would let all pass.
func (s *Server) knows(next http.HandlerFunc, names ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.checkQuery(r.URL.RawQuery, names); err != nil {
			WriteError(w, err)
			return
		}
		next(w, r)
	}
}

func (s *Server) checkQuery(raw string, names []string) error {
	q, err := url.ParseQuery(raw)
	if err != nil {
		return fault.New(fault.Usage, "the query of the URL can't be read").
			Hintf("join parameters with &, and write %% as %%25, + as %%2B and ; as %%3B")
	}
	for name, values := range q {
		switch {
		case name == cacheBuster:
		case !slices.Contains(names, name):
			return fault.New(fault.Usage, "no parameter %q is known here", s.echo(name)).Hintf("known are %s", strings.Join(names, ", "))
		case slices.ContainsFunc(values, empty):
			return fault.New(fault.Usage, "%s is empty", name).Hintf("leave %s out, or give it a value", name)
		}
	}
	return nil
}

// empty reports whether a list of a query has nothing in it.
func empty(list string) bool { return strings.Trim(list, ", ") == "" }
