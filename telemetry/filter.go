package telemetry

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// header is what filters and recorders look at in a line.
type header struct {
	eventType, agentID, traceID string
	failed                      bool // ok is there and is not true
	ok                          bool
}

// headerOf reads the header of a line, whatever the order and the spacing of
// its fields. As for every JSON reader, the last of equal names counts. A field
// of another type than declared is as good as missing.
func headerOf(line []byte) header {
	var h header
	i := skipSpace(line, 0)
	if i == len(line) || line[i] != '{' {
		return h
	}
	_, ok := skipMembers(line, i, 1, func(key, keyEnd, val, valEnd int) {
		value := line[val:valEnd]
		switch string(unquote(line[key:keyEnd])) {
		case "eventType":
			h.eventType = stringOf(value)
		case "agentId":
			h.agentID = stringOf(value)
		case "traceId":
			h.traceID = stringOf(value)
		case "ok":
			h.ok = string(value) == "true"
			h.failed = !h.ok
		}
	})
	if !ok {
		return header{}
	}
	return h
}

func stringOf(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	return string(unquote(value))
}

// Filter chooses events. The zero Filter matches every line; all conditions of
// a filter must hold, and one of its types.
type Filter struct {
	types        []string // globs, sorted; none: any
	agent, trace string
	ok           *bool
	since        time.Time // zero: any time
}

// ParseFilter makes a filter of event types ("nft.*": a star stands for any
// characters; a value may list several with commas), of an agent id, a trace id,
// and of how it ended. Empty conditions always hold. What can't be a type, an id
// or a glob is a usage error.
func ParseFilter(types []string, agent, trace string, ok *bool) (Filter, error) {
	f := Filter{agent: agent, trace: trace}
	for _, list := range types {
		for glob := range strings.SplitSeq(list, ",") {
			glob = strings.TrimSpace(glob)
			if glob == "" {
				continue
			}
			if len(glob) > maxID {
				return Filter{}, tooLong("event type", glob, maxID)
			}
			if !isGlob(glob) {
				return Filter{}, fault.New(fault.Usage, "event type %q: lower-case letters, digits, \".\", \"_\", \"-\" and \"*\" are allowed", glob).
					Hintf("try --type 'nft.*'; ape-claw events schema lists the types")
			}
			f.types = append(f.types, glob)
		}
	}
	if slices.Contains(f.types, "*") {
		f.types = nil
	}
	slices.Sort(f.types)
	f.types = slices.Compact(f.types)
	if err := CheckID("agent id", agent); err != nil {
		return Filter{}, err
	}
	if err := CheckID("trace id", trace); err != nil {
		return Filter{}, err
	}
	if ok != nil {
		f.ok = new(*ok)
	}
	return f, nil
}

func isGlob(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' && c != '*' {
			return false
		}
	}
	return true
}

// Since returns f for events at t and later, by their ts.
func (f Filter) Since(t time.Time) Filter {
	f.since = t
	return f
}

// IsZero reports whether f matches every line.
func (f Filter) IsZero() bool {
	return len(f.types) == 0 && f.agent == "" && f.trace == "" && f.ok == nil && f.since.IsZero()
}

// Match reports whether the line's envelope fits f. Lines are the log's: whole
// JSON objects, also those of others.
func (f Filter) Match(line []byte) bool {
	if f.IsZero() {
		return true
	}
	h := headerOf(line)
	if f.agent != "" && h.agentID != f.agent || f.trace != "" && h.traceID != f.trace {
		return false
	}
	if f.ok != nil && (*f.ok && !h.ok || !*f.ok && !h.failed) {
		return false
	}
	if len(f.types) > 0 && !slices.ContainsFunc(f.types, func(glob string) bool { return globMatch(glob, h.eventType) }) {
		return false
	}
	if f.since.IsZero() {
		return true
	}
	at, ok := TimeOf(line)
	return ok && !at.Before(f.since)
}

// Key returns the same text for the same filter, so that many readers with one
// filter can share its work; "" for the zero Filter. It is a URL query that
// makes the filter again.
func (f Filter) Key() string {
	v := url.Values{}
	if len(f.types) > 0 {
		v.Set("type", strings.Join(f.types, ","))
	}
	if f.agent != "" {
		v.Set("agentId", f.agent)
	}
	if f.trace != "" {
		v.Set("traceId", f.trace)
	}
	if f.ok != nil {
		v.Set("ok", strconv.FormatBool(*f.ok))
	}
	if !f.since.IsZero() {
		v.Set("since", f.since.UTC().Format(time.RFC3339Nano))
	}
	return v.Encode()
}

// globMatch matches name against a pattern in which a star stands for any
// characters, in time linear in both but for the stars.
func globMatch(pattern, name string) bool {
	star, mark := -1, 0
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && pattern[p] == name[n]:
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
