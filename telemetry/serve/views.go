package serve

import (
	"context"
	"errors"
	"net/http"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// scanBytes bounds how much of the log one backlog request with a cursor looks
// at: the caller goes on from the cursor in the answer.
const scanBytes = 16 << 20

// backlog is GET /events/backlog: the newest events, or with ?after= the next
// ones, oldest first. The cursor of the answer continues either, here and on
// /events.
func (s *Server) backlog(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	filter, filtered, err := filterOf(q)
	if err != nil {
		WriteError(w, err)
		return
	}
	limit, err := count(q, "limit", backlogDefault, 1, backlogMax)
	if err != nil {
		WriteError(w, err)
		return
	}
	match := filter.Match
	if !filtered {
		match = nil
	}
	var lines []telemetry.Line
	var end telemetry.Cursor
	if id := q.Get("after"); id != "" {
		after, perr := telemetry.ParseCursor(id)
		if perr != nil {
			WriteError(w, perr)
			return
		}
		lines, end, err = s.next(r.Context(), after, limit, match)
	} else {
		lines, end, err = s.log.last(r.Context(), limit, match)
	}
	var reset *telemetry.ResetError
	if errors.As(err, &reset) {
		writeErrorStatus(w, http.StatusGone, fault.New(fault.NotFound, "cursor %s is not in the log any more", reset.From).
			Hintf("go on from %s, or leave the cursor out", reset.Oldest).
			With("from", reset.From.String()).With("oldest", reset.Oldest.String()).With("reason", reset.Reason))
		return
	}
	if err != nil {
		WriteError(w, err)
		return
	}
	writeBody(w, http.StatusOK, backlogBody(lines, end))
}

// next returns up to limit events after a cursor that pass match, and where it
// stopped.
func (s *Server) next(ctx context.Context, after telemetry.Cursor, limit int, match func([]byte) bool) ([]telemetry.Line, telemetry.Cursor, error) {
	var found []telemetry.Line
	at := after
	for size := 0; size < scanBytes; {
		lines, next, err := s.log.after(ctx, at, batchLines, batchBytes)
		if err != nil {
			return nil, at, err
		}
		for _, l := range lines {
			size += len(l.Data)
			if match != nil && !match(l.Data) {
				continue
			}
			if found = append(found, l); len(found) == limit {
				return found, l.At, nil
			}
		}
		if next == at {
			break
		}
		at = next
	}
	return found, at, nil
}

// backlogBody embeds the lines as they are: they are JSON already.
func backlogBody(lines []telemetry.Line, end telemetry.Cursor) []byte {
	size := 64
	for _, l := range lines {
		size += len(l.Data) + 1
	}
	body := append(make([]byte, 0, size), `{"events":[`...)
	for i, l := range lines {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, l.Data...)
	}
	body = append(body, `],"cursor":"`...)
	body = append(body, end.String()...) // letters, digits and a dash
	return append(body, `"}`...)
}

// schemaType is one entry of the catalogue as it is served.
type schemaType struct {
	Type     string   `json:"type"`
	Meaning  string   `json:"meaning"`
	Commands []string `json:"commands"`
	Failure  bool     `json:"failure"`
	Money    bool     `json:"money"`
	Payload  any      `json:"payload"`
	Result   any      `json:"result"`
}

func schemaOf(t telemetry.Type) schemaType {
	return schemaType{Type: t.Name, Meaning: t.Meaning, Commands: t.Commands, Failure: t.Failure, Money: t.Money,
		Payload: t.Payload, Result: t.Result}
}

// schema is GET /api/events/schema, with ?type= for one type.
func (s *Server) schema(w http.ResponseWriter, r *http.Request) {
	if name := r.URL.Query().Get("type"); name != "" {
		t, ok := telemetry.Lookup(name)
		if !ok {
			WriteError(w, fault.New(fault.NotFound, "no event type %q", clip(name)).Hintf("/api/events/schema lists them all"))
			return
		}
		WriteJSON(w, schemaOf(t))
		return
	}
	types := []schemaType{}
	for _, t := range telemetry.Catalogue() {
		types = append(types, schemaOf(t))
	}
	WriteJSON(w, map[string]any{"v": telemetry.Version, "count": len(types), "types": types})
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
}

type healthCounts struct {
	EventsBytes int64 `json:"eventsBytes"`
	BadLines    int64 `json:"badLines"`
	Clients     int64 `json:"clients"`
}

// health is GET /api/health.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	st := s.opt.Log.Stats()
	WriteJSON(w, healthBody{
		OK: true, Service: "ape-claw-telemetry", TS: s.opt.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		Counts: healthCounts{
			EventsBytes: st.Bytes,
			BadLines:    st.Bad.Total(),
			Clients:     s.clients.Load(),
		},
		Version: s.opt.Version, Profile: s.opt.Profile,
	})
}
