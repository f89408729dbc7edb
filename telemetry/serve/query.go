package serve

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Limits of a query. The backlog's are those of the published server.
const (
	backlogDefault = 300
	backlogMax     = 1000
	maxQueryValue  = 512
)

// filterOf reads the filters of /events and /events/backlog; since is the backlog's
// alone (knows). A parameter may be repeated for types (any of them passes);
// "type=a,b" means the same.
func (s *Server) filterOf(q url.Values) (filter telemetry.Filter, filtered bool, err error) {
	if err := s.once(q); err != nil {
		return filter, false, err
	}
	var types []string
	for _, v := range q["type"] {
		for t := range strings.SplitSeq(v, ",") {
			if t = strings.TrimSpace(t); t != "" {
				types = append(types, t)
			}
		}
	}
	agent, trace := q.Get("agentId"), q.Get("traceId")
	for name, v := range map[string]string{"agentId": agent, "traceId": trace, "type": strings.Join(types, ",")} {
		if len(v) > maxQueryValue {
			return filter, false, fault.New(fault.Usage, "%s of %d bytes: at most %d are allowed", name, len(v), maxQueryValue)
		}
	}
	var ok *bool
	switch v := q.Get("ok"); v {
	case "":
	case "true", "false":
		b := v == "true"
		ok = &b
	default:
		return filter, false, fault.New(fault.Usage, "ok=%s is not true or false", s.echo(v)).Hintf("ask ?ok=false for failures only")
	}
	if filter, err = telemetry.ParseFilter(types, agent, trace, ok); err != nil {
		return filter, false, err
	}
	if v := q.Get("since"); v != "" {
		since, ok := telemetry.ParseTime(v)
		if !ok {
			return filter, false, fault.New(fault.Usage, "since=%s is neither a time (RFC 3339) nor unix seconds or milliseconds", s.echo(v)).
				Hintf("ask ?since=2026-02-18T12:00:00Z; a + is %%2B in a URL")
		}
		filter = filter.Since(since)
	}
	return filter, len(types) > 0 || agent != "" || trace != "" || ok != nil || !filter.IsZero(), nil
}

// count reads a number of events; missing means def.
func (s *Server) count(q url.Values, name string, def, low, high int) (int, error) {
	if !q.Has(name) {
		return def, nil
	}
	v := q.Get(name)
	n, err := strconv.Atoi(v)
	if err != nil || n < low || n > high {
		return 0, fault.New(fault.Usage, "%s=%s is not a number from %d to %d", name, s.echo(v), low, high).
			Hintf("ask ?%s=%d", name, backlogDefault)
	}
	return n, nil
}

// position is where a stream starts.
type position struct {
	resume  bool
	cursor  telemetry.Cursor
	unknown string // what the client sent, when it is no cursor at all
	backlog int    // without a cursor: send the newest so many first
}

// positionOf prefers Last-Event-ID, which EventSource sends when it reconnects
// to the same URL, over ?after= in that URL; its replacements send ?lastEventId=.
func (s *Server) positionOf(q url.Values, lastEventID string) (position, error) {
	n, err := s.count(q, "backlog", 0, 0, backlogMax)
	if err != nil {
		return position{}, err
	}
	id := strings.TrimSpace(lastEventID)
	if id == "" {
		id = cmp.Or(q.Get("lastEventId"), q.Get("after"))
	}
	if id == "" {
		return position{backlog: n}, nil
	}
	c, err := telemetry.ParseCursor(id)
	if err != nil {
		// An id of another server: the client is told by a reset, since
		// EventSource shows no error answers.
		return position{resume: true, unknown: s.echo(id)}, nil
	}
	return position{resume: true, cursor: c}, nil
}
