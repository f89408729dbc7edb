package serve

import (
	"net/http"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// schema is GET /api/events/schema, with ?type= for one type.
func (s *Server) schema(w http.ResponseWriter, r *http.Request) {
	names := r.URL.Query()["type"]
	if len(names) > 1 {
		WriteError(w, fault.New(fault.Usage, "type is given %d times", len(names)).Hintf("ask for one, or leave it out for all"))
		return
	}
	name := strings.Join(names, "")
	d, ok := telemetry.Describe(name)
	if !ok {
		WriteError(w, fault.New(fault.NotFound, "no event type %q", s.echo(name)).Hintf("/api/events/schema lists them all"))
		return
	}
	WriteJSON(w, d)
}

// healthBody is the published server's, with what the page wants beside it. It
// shows no path.
type healthBody struct {
	OK      bool         `json:"ok"`
	Service string       `json:"service"`
	TS      string       `json:"ts"`
	Counts  healthCounts `json:"counts"`
	Version string       `json:"version"`
	Profile ProfileInfo  `json:"profile"`
	// Cursor is the log's end, for who wants to know how far behind it is; left out
	// when the log can't be read now.
	Cursor string `json:"cursor,omitempty"`
}

type healthCounts struct {
	EventsBytes int64 `json:"eventsBytes"`
	BadLines    int64 `json:"badLines"`
	Clients     int64 `json:"clients"`
}

// health is GET /api/health. Whoever may not read learns only that it is alive.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r)
	if !s.identify(w, r, c) {
		return
	}
	if c.proof == nil && s.asks(c) {
		WriteJSON(w, map[string]bool{"ok": true})
		return
	}
	cursor := ""
	if end, err := s.log.end(r.Context()); err == nil {
		cursor = end.String()
	}
	st := s.opt.Log.Stats()
	WriteJSON(w, healthBody{
		OK: true, Service: "ape-claw-telemetry", TS: s.opt.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		Counts: healthCounts{
			EventsBytes: st.Bytes,
			BadLines:    st.Bad.Total(),
			Clients:     s.clients.Load(),
		},
		Version: s.opt.Version, Profile: s.opt.Profile, Cursor: cursor,
	})
}
