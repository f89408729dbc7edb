package forward

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/ape-claw/ape-claw/telemetry"
)

// maxCount bounds the bytes of the log that one Status reads to count what is pending.
// The next one goes on from there.
const maxCount = 64 << 20

// waiting is what was counted of the events that are still to be sent. It is kept, so
// that a page that asks again and again has only what came since read.
type waiting struct {
	mu         sync.Mutex
	id, keeper string // what it was counted for
	from, at   telemetry.Cursor
	start      telemetry.Cursor            // up to where events of agents without a lane are done
	done       map[string]telemetry.Cursor // and those of agents with one
	of         map[string]Pending
	lost       int64 // bytes that are gone, as the next Flush will find
	told       int64 // those that one has found already

	letters fs.FileInfo // the dead letters' file when they were counted
	dead    int64
}

// count reads what of the log was not counted yet.
func (o *Outbox) count(ctx context.Context, s *state, out *Status) error {
	w := &o.waits
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.fits(s) {
		w.begin(s, s.first(), 0)
	}
	more, err := w.update(ctx, o, s)
	var r *telemetry.ResetError
	for try := 0; errors.As(err, &r) && !r.Oldest.IsZero() && try < 3; try++ {
		gone := int64(0)
		if first := s.first(); r.Reason == telemetry.ResetGone && first.Log == r.Oldest.Log {
			gone = r.Oldest.Pos - first.Pos
		}
		w.begin(s, r.Oldest, gone)
		more, err = w.update(ctx, o, s)
	}
	if err != nil {
		w.id = ""
		if errors.As(err, &r) { // there is no log, or another one at each look
			return nil
		}
		return err
	}
	for who, n := range w.of {
		if who == o.opt.AgentID {
			out.Pending = out.Pending.plus(n)
		} else {
			out.Others = out.Others.plus(n)
		}
	}
	out.Pending.More = more
	if out.Lost.Bytes += w.lost; out.Lost.Bytes > 0 {
		size, err := o.lineSize(ctx)
		if err != nil {
			return err
		}
		out.Lost.Events = max(1, out.Lost.Bytes/size)
	}
	return nil
}

// sizedBy is how many of the newest lines say how long lines are.
const sizedBy = 100

// lineSize is how long the log's lines are, about. What is pending does not say that: it
// may be nothing.
func (o *Outbox) lineSize(ctx context.Context) (int64, error) {
	tail, err := o.log.Tail(ctx, sizedBy, nil)
	if err != nil || len(tail.Lines) == 0 {
		return 300, err // of an event with little to say
	}
	sum := 0
	for _, l := range tail.Lines {
		sum += len(l.Data) + 1
	}
	return int64(sum / len(tail.Lines)), nil
}

// countDead counts the dead letters, which may be very many, when their file has changed.
func (o *Outbox) countDead() (int64, error) {
	w := &o.waits
	w.mu.Lock()
	defer w.mu.Unlock()
	now, err := os.Lstat(filepath.Join(o.dir, deadName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if was := w.letters; was != nil && os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime()) {
		return w.dead, nil
	}
	letters, err := o.Dead()
	if err != nil {
		return 0, err
	}
	w.letters, w.dead = now, int64(len(letters))
	return w.dead, nil
}

// fits reports whether s goes on from what was counted.
func (w *waiting) fits(s *state) bool {
	if w.id != s.ID || w.keeper != s.Keeper || w.told != s.Lost {
		return false
	}
	for who, at := range w.done {
		l := s.Lanes[who]
		if l == nil || l.Cursor.Log != at.Log || l.Cursor.Pos < at.Pos {
			return false
		}
	}
	return true
}

// begin counts anew from a place on.
func (w *waiting) begin(s *state, from telemetry.Cursor, lost int64) {
	w.id, w.keeper, w.from, w.at, w.lost = s.ID, s.Keeper, from, from, lost
	w.told = s.Lost
	w.start, w.done, w.of = s.Start.Cursor, map[string]telemetry.Cursor{}, map[string]Pending{}
	for who, l := range s.Lanes {
		w.done[who] = l.Cursor.Cursor
	}
}

// update takes off what was sent since and adds what came. more says that there is
// more than was read now.
func (w *waiting) update(ctx context.Context, o *Outbox, s *state) (more bool, err error) {
	if w.at != w.from { // retention may have removed what was counted
		if _, _, err := o.log.ReadAfter(ctx, w.from, 1, 1); err != nil {
			return false, err
		}
	}
	for who, l := range s.Lanes {
		was, known := w.done[who]
		if !known {
			was = w.start
		}
		if l.Cursor.Cursor == was && known {
			continue
		}
		if err := w.takeOff(ctx, o, s, who, was, l.Cursor.Cursor); err != nil {
			return false, err
		}
		w.done[who] = l.Cursor.Cursor
	}
	for read := int64(0); ; {
		lines, next, err := o.log.ReadAfter(ctx, w.at, 0, maxBytes)
		if err != nil || next == w.at {
			return false, err
		}
		for _, line := range lines {
			who, ok := s.owner(o.opt.AgentID, line.Data)
			done, known := w.done[who]
			if !known {
				done = w.start
			}
			if ok && (done.Log != line.At.Log || done.Pos < line.At.Pos) {
				w.of[who] = w.of[who].plus(Pending{Events: 1, Bytes: int64(len(line.Data)) + 1})
			}
		}
		read += next.Pos - w.at.Pos
		if w.at = next; read >= maxCount {
			return true, nil
		}
	}
}

// takeOff subtracts one agent's events between two places.
func (w *waiting) takeOff(ctx context.Context, o *Outbox, s *state, who string, from, to telemetry.Cursor) error {
	if from.Log != w.at.Log || from.Pos < w.from.Pos {
		from = w.from
	}
	for from.Pos < min(to.Pos, w.at.Pos) {
		lines, next, err := o.log.ReadAfter(ctx, from, 0, maxBytes)
		if err != nil || next == from {
			return err
		}
		for _, line := range lines {
			owner, ok := s.owner(o.opt.AgentID, line.Data)
			if ok && owner == who && line.At.Pos <= min(to.Pos, w.at.Pos) {
				w.of[who] = w.of[who].plus(Pending{Events: -1, Bytes: -int64(len(line.Data)) - 1})
			}
		}
		from = next
	}
	return nil
}
