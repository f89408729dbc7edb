package forward

import (
	"context"
	"errors"
	"strconv"

	"github.com/ape-claw/ape-claw/telemetry"
)

// gather reads the next events of the lane, as many as one request takes. end is a
// place up to which there is nothing else to send: when there are no events, the end
// of the log.
func (p *pass) gather(ctx context.Context) (items []item, end telemetry.Cursor, err error) {
	limit, size := maxEvents, 0
	if p.lane.Limit > 0 {
		limit = min(limit, p.lane.Limit)
	}
	for cur := p.lane.Cursor.Cursor; ; {
		lines, next, err := p.o.log.ReadAfter(ctx, cur, 0, maxBytes)
		var reset *telemetry.ResetError
		if errors.As(err, &reset) {
			again, err := p.reset(ctx, reset)
			if !again || err != nil {
				return nil, p.lane.Cursor.Cursor, err
			}
			cur = p.lane.Cursor.Cursor
			continue
		}
		if err != nil {
			return nil, cur, err
		}
		from := cur
		if from.IsZero() && len(lines) > 0 {
			from.Log = lines[0].At.Log
		}
		for _, line := range lines {
			who, ok := p.s.owner(p.me, line.Data)
			if ok && who == p.me {
				it := p.item(line)
				if len(items) > 0 && (len(items) == limit || size+len(it.line) > maxBytes) {
					return items, from, nil
				}
				items, size = append(items, it), size+len(it.line)
			}
			p.over(who, from, line.At)
			from = line.At
		}
		p.over("", from, next)
		if len(items) > 0 || next == cur {
			return items, next, nil
		}
		if cur = next; cur.Pos-p.lane.Cursor.Pos >= saveEvery {
			p.lane.Cursor.Cursor = cur
			if err := p.save(); err != nil {
				return nil, cur, err
			}
		}
	}
}

func (p *pass) item(line telemetry.Line) item {
	id := p.s.ID + "/" + strconv.FormatInt(line.At.Pos, 10)
	return item{id: id, raw: line.Data, at: place{line.At},
		line: telemetry.WithEventID(p.o.opt.Redactor.Foreign(line.Data), id)}
}

// over takes the lanes of others over a line that is none of theirs, when they stand
// before it. The first line of an agent without a lane makes one; where there is room
// for none, Start stays before that line, so that it is not lost.
func (p *pass) over(who string, from, to telemetry.Cursor) {
	if from == to {
		return
	}
	waits := false
	if who != "" && who != p.me {
		waits = p.s.laneOf(who, place{from}, p.me) == nil
	}
	for name, l := range p.s.Lanes {
		if name != p.me && name != who && l.Cursor.at(from) {
			l.Cursor.Cursor = to
		}
	}
	if p.s.Start.at(from) && !waits {
		p.s.Start.Cursor = to
	}
}

// at reports whether p stands at c; the zero cursor is the start of any log.
func (p place) at(c telemetry.Cursor) bool {
	return p.Cursor == c || p.IsZero() && c.Pos == 0
}

// reset finds the place to go on at when the log's is gone. again is false while
// there is no log.
func (p *pass) reset(ctx context.Context, r *telemetry.ResetError) (again bool, err error) {
	if r.Oldest.IsZero() {
		return false, nil
	}
	if p.replaced++; p.replaced > 3 {
		return false, r
	}
	if r.Reason == telemetry.ResetGone {
		p.s.Lost += r.Oldest.Pos - p.lane.Cursor.Pos
		p.lane.Cursor = place{r.Oldest}
		for _, l := range p.s.Lanes { // it is lost to them too
			if l.Cursor.Pos < r.Oldest.Pos {
				l.Cursor = place{r.Oldest}
			}
		}
		if p.s.Start.Pos < r.Oldest.Pos {
			p.s.Start = place{r.Oldest}
		}
		return true, p.save()
	}
	// Another log has positions of its own. Under the old id the receiver would take
	// its events for some that it has.
	p.s.ID = newID()
	p.s.Start, p.s.Marks = place{p.placeIn(ctx, r.Oldest, p.s.Marks)}, nil
	for _, l := range p.s.Lanes {
		l.Cursor, l.Marks = place{p.placeIn(ctx, r.Oldest, l.Marks)}, nil
	}
	return true, p.save()
}

// placeIn is where to begin in a log that took another's place: after the last line
// that was answered for, if it is the rest of the old one; else at its start.
func (p *pass) placeIn(ctx context.Context, oldest telemetry.Cursor, marks []mark) telemetry.Cursor {
	for i := len(marks) - 1; i >= 0; i-- {
		m := marks[i]
		lines, _, err := p.o.log.ReadAfter(ctx, telemetry.Cursor{Log: oldest.Log, Pos: m.From}, 1, 0)
		if err != nil || len(lines) == 0 || lines[0].At.Pos != m.At {
			continue
		}
		if markOf(lines[0].Data, m.At) == m {
			return lines[0].At
		}
	}
	return oldest
}
