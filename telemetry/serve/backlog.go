package serve

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// scanBytes bounds how much of the log one backlog request with a cursor
	// looks at: the caller goes on from the cursor in the answer.
	scanBytes = 16 << 20
	// answerBytes bounds the events of one answer without a cursor.
	answerBytes = 16 << 20
	// backBytes bounds how far back one look for the newest events goes.
	backBytes = 32 << 20
	// nearBytes is how far back anybody may look without waiting for a turn.
	nearBytes = 4 << 20
)

// newest finds the newest events for a request. What has to be searched for waits
// for its turn. Without a filter the newest events are near, and cost what they
// are; where they are not, behind lines that are none or since they are large, that
// is a search too.
func (s *Server) newest(ctx context.Context, n, most int, match func([]byte) bool) (tail, error) {
	if match == nil {
		if t, err := s.log.tail(ctx, n, most, nearBytes, nil); err != nil || !t.cut {
			return t, err
		}
	}
	done, err := s.scans.take(ctx, s.draining)
	if err != nil {
		return tail{}, err
	}
	defer done()
	return s.log.tail(ctx, n, most, backBytes, match)
}

// turn waits for a place for a search. To read on without a filter is none.
func (s *Server) turn(ctx context.Context, match func([]byte) bool) (done func(), err error) {
	if match == nil {
		return func() {}, nil
	}
	return s.scans.take(ctx, s.draining)
}

// backlog is GET /events/backlog: the newest events, or with ?after= the next
// ones, oldest first. The cursor of the answer continues either, here and on
// /events. An answer that had to leave events out says so: "truncated".
func (s *Server) backlog(w http.ResponseWriter, r *http.Request) {
	p, err := s.pagerOf(r.Context(), r.URL.Query(), r.Method == http.MethodHead)
	var first []telemetry.Line
	if err == nil && r.Method != http.MethodHead {
		first, err = p.next(r.Context())
	}
	var reset *telemetry.ResetError
	if errors.As(err, &reset) {
		writeErrorStatus(w, http.StatusGone, fault.New(fault.NotFound, "cursor %s is not in the log any more", s.echo(reset.From.String())).
			Hintf("go on from %s, or leave the cursor out", reset.Oldest).
			With("from", s.echo(reset.From.String())).With("oldest", reset.Oldest.String()).With("reason", reset.Reason))
		return
	}
	if err != nil {
		s.failed(w, err)
		return
	}
	jsonHeader(w, http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	if err := p.write(r.Context(), w, first); err != nil {
		s.opt.Logger.Debug("backlog ended", "err", err)
	}
}

// pager reads the events of one backlog answer, no more than a batch at a time.
type pager struct {
	srv   *Server
	match func([]byte) bool // nil: all
	ready []telemetry.Line
	at    telemetry.Cursor // up to where events were given out: the answer's cursor at the end
	stop  telemetry.Cursor // not read past; the zero value: no such place
	left  int              // events that may still be given out
	scan  int              // bytes that may still be looked at
	cut   bool
	done  bool
}

// pagerOf reads the query. A HEAD needs no look at the log.
func (s *Server) pagerOf(ctx context.Context, q url.Values, head bool) (*pager, error) {
	filter, _, err := s.filterOf(q)
	if err != nil {
		return nil, err
	}
	limit, err := s.count(q, "limit", backlogDefault, 1, backlogMax)
	if err != nil {
		return nil, err
	}
	p := &pager{srv: s, left: limit, scan: math.MaxInt}
	if !filter.IsZero() {
		p.match = filter.Match
	}
	if id := q.Get("after"); id != "" {
		p.at, err = telemetry.ParseCursor(id)
		p.scan = scanBytes
		return p, err
	}
	if head {
		return p, nil
	}
	t, err := s.newest(ctx, limit, answerBytes, p.match)
	p.ready, p.at, p.stop, p.cut, p.done = t.lines, t.start, t.end, t.cut, t.start == t.end
	return p, err
}

// next returns the next events that pass; none when there are no more.
func (p *pager) next(ctx context.Context) ([]telemetry.Line, error) {
	if len(p.ready) > 0 {
		lines := p.ready
		p.ready = nil
		return lines, nil
	}
	if p.done {
		return nil, nil
	}
	// Not held while the answer is written: a client that takes it slowly would
	// keep others from theirs.
	done, err := p.srv.turn(ctx, p.match)
	if err != nil {
		return nil, err
	}
	defer done()
	var found []telemetry.Line
	for !p.done && len(found) == 0 {
		if p.scan <= 0 {
			p.cut, p.done = true, true
			break
		}
		lines, next, err := p.srv.log.after(ctx, p.at, batchLines, batchBytes)
		if err != nil {
			return nil, err
		}
		p.done = next == p.at
		if next.Log == p.at.Log { // with the lines that are none
			p.scan -= int(next.Pos - p.at.Pos)
		}
		p.at = next
		for _, l := range lines {
			if !p.stop.IsZero() && l.At.Pos > p.stop.Pos {
				break
			}
			if p.match != nil && !p.match(l.Data) {
				continue
			}
			if found = append(found, l); len(found) == p.left {
				p.at, p.done = l.At, true
				if !p.stop.IsZero() {
					p.at = p.stop // nothing that matches is in between
				}
				break
			}
		}
		if !p.stop.IsZero() && next.Pos >= p.stop.Pos {
			p.at, p.done = p.stop, true
		}
	}
	p.left -= len(found)
	return found, nil
}

// write writes the answer. The lines are embedded as they are: they are JSON
// already. When the log fails under way, what was read so far is the answer.
func (p *pager) write(ctx context.Context, w http.ResponseWriter, lines []telemetry.Line) error {
	buf := []byte(`{"events":[`)
	comma := false
	for len(lines) > 0 {
		for _, l := range lines {
			if comma {
				buf = append(buf, ',')
			}
			buf, comma = append(buf, l.Data...), true
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		buf = buf[:0]
		var err error
		if lines, err = p.next(ctx); err != nil {
			p.cut = true
		}
	}
	buf = append(buf, `],"cursor":"`...)
	buf = append(buf, p.at.String()...) // letters, digits and a dash
	buf = append(buf, '"')
	if p.cut {
		buf = append(buf, `,"truncated":true`...)
	}
	_, err := w.Write(append(buf, "}\n"...))
	return err
}
