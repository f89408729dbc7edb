package forward

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Status is what there is to know about an outbox, for people and for GET
// /api/forwarding. It shows no path, no token and no user of a URL.
type Status struct {
	// Configured: there is a URL to send to.
	Configured bool   `json:"configured"`
	URL        string `json:"url"`
	RemoteOnly bool   `json:"remoteOnly"`
	AgentID    string `json:"agentId"` // whose credentials send
	// Missing says in words what is needed before anything can be sent; "" when nothing is.
	Missing string `json:"missing"`
	// Pending is what is still to be sent under these credentials; Others is what waits
	// for those of other agents.
	Pending Pending `json:"pending"`
	Others  Pending `json:"others"`
	// Times are RFC 3339 in UTC, "" for never.
	LastSuccess string  `json:"lastSuccess"`
	LastError   string  `json:"lastError"`
	LastStatus  int     `json:"lastStatus"` // the HTTP status of the last answer, 0 when there was none
	Breaker     Breaker `json:"breaker"`
	Sent        int64   `json:"sent"` // events that the receiver has taken
	Dead        int64   `json:"dead"` // dead letters that are kept now
	Lost        Lost    `json:"lost"`
}

// Pending is a number of events, and their bytes in the log. More says that there
// are more than were counted.
type Pending struct {
	Events int64 `json:"events"`
	Bytes  int64 `json:"bytes"`
	More   bool  `json:"more,omitempty"`
}

// Breaker says whether sending is paused, and why that often.
type Breaker struct {
	Open     bool   `json:"open"`
	Until    string `json:"until"`
	Failures int    `json:"failures"` // since the last success
}

// Lost is what was removed from the log before it could be sent. Events is an
// estimate, by the size of those that are there.
type Lost struct {
	Events int64 `json:"events"`
	Bytes  int64 `json:"bytes"`
}

// Source is whatever can tell its status. *Outbox is one.
type Source interface {
	Status(ctx context.Context) (Status, error)
}

// Status says how it stands. It takes no lock and writes nothing.
func (o *Outbox) Status(ctx context.Context) (Status, error) {
	out := Status{Configured: o.opt.URL != "", URL: o.shownURL(), RemoteOnly: o.opt.RemoteOnly, AgentID: o.opt.AgentID}
	if err := o.Missing(); err != nil && out.Configured {
		out.Missing = fault.From(err).Message
	}
	var err error
	if out.Dead, err = o.countDead(); err != nil {
		return out, err
	}
	s, err := readState(o.dir)
	if errors.Is(err, errNoState) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.Lost.Bytes, out.Sent = s.Lost, s.Sent
	for _, l := range s.Lanes {
		out.Sent += l.Sent
	}
	if l := s.Lanes[o.opt.AgentID]; l != nil {
		now := o.opt.Now()
		out.LastSuccess, out.LastError, out.LastStatus = stamp(l.LastSuccess), o.shown(l.LastError), l.LastStatus
		until := o.pausedUntil(l, now)
		out.Breaker = Breaker{Open: !until.IsZero(), Until: stamp(until), Failures: l.Failures}
	}
	return out, o.count(ctx, s, &out)
}

// Plus is the status of two outboxes of the same agent together. What went wrong is that of
// s, unless nothing did.
func (s Status) Plus(t Status) Status {
	s.Pending, s.Others = s.Pending.plus(t.Pending), s.Others.plus(t.Others)
	s.Sent, s.Dead = s.Sent+t.Sent, s.Dead+t.Dead
	s.Lost = Lost{s.Lost.Events + t.Lost.Events, s.Lost.Bytes + t.Lost.Bytes}
	s.LastSuccess = max(s.LastSuccess, t.LastSuccess)
	if s.Breaker.Failures == 0 {
		s.LastError, s.LastStatus, s.Breaker = t.LastError, t.LastStatus, t.Breaker
	}
	return s
}

func (p Pending) plus(q Pending) Pending {
	return Pending{p.Events + q.Events, p.Bytes + q.Bytes, p.More || q.More}
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// shownURL is the URL without a user.
func (o *Outbox) shownURL() string {
	u, err := url.Parse(o.opt.URL)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}
