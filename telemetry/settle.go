package telemetry

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Settle does what is left to do for the log: it writes down what readers of l have
// found out, so that who starts later knows it too (that the log was cut or lost its
// events.meta, and how far it reaches), completes a rotation that a killed process
// has left, carries over what programs without the lock have added to segments, and
// removes segments that are too many. A long-running reader calls it every few
// seconds, and after a reset; when there is nothing to do it takes no lock. A log
// that is not there yet stays so. Best effort: a log that this user can't write is
// left alone, without an error.
func (l *Log) Settle(ctx context.Context) error {
	late, due, err := l.due(ctx)
	if err != nil || !due {
		return err
	}
	select {
	case l.w.turn <- struct{}{}:
	case <-ctx.Done():
		return l.gaveUp(ctx.Err())
	}
	defer func() { <-l.w.turn }()
	if _, _, err := l.lock(ctx); fault.CodeOf(err) == fault.StateUnusable {
		return nil // not ours to write, or broken: who appends is told
	} else if err != nil {
		return err
	}
	if err = l.settleLocked(ctx); errors.Is(err, errLockGone) {
		l.forget() // the next one takes the new one
	}
	if unlockErr := flock(l.w.lockFD, unix.LOCK_UN); err == nil {
		err = unlockErr
	}
	if err = readOnlyIsFine(err); err != nil {
		return l.fault(err)
	}
	l.r.mu.Lock()
	l.r.late = late
	l.r.mu.Unlock()
	return nil
}

// due says, without the lock, whether there is something to settle. late is the size
// of each segment that has more than the log's bytes; one that has not grown since
// the last Settle ends with an unfinished line, and is nothing to do.
func (l *Log) due(ctx context.Context) (late map[string]int64, due bool, err error) {
	v, err := l.look(ctx)
	if err != nil {
		return nil, false, err
	}
	defer v.release()
	l.r.mu.Lock()
	m, seen := l.r.meta, l.r.late
	l.r.mu.Unlock()
	if !v.exists() {
		return nil, false, nil
	}
	late = maps.Clone(seen)
	if late == nil {
		late = map[string]int64{}
	}
	maps.DeleteFunc(late, func(name string, _ int64) bool { // removed since
		return !slices.ContainsFunc(m.Segments, func(s segment) bool { return s.Name == name })
	})
	for _, s := range l.lateTurn(m.Segments) {
		st, exists, err := statPath(filepath.Join(l.dir, s.Name))
		if err != nil {
			return nil, false, err
		}
		if exists && st.size > s.size()+s.Late {
			due = due || seen[s.Name] != st.size
			late[s.Name] = st.size
		} else {
			delete(late, s.Name)
		}
	}
	if due || m.Log != v.log || m.Next != nil || m.Carry != nil || m.Head == nil && v.size > 0 || l.tooMany(&m) > 0 {
		return late, true, nil
	}
	end, err := l.wholeEnd(ctx, v)
	if err != nil {
		return nil, false, err
	}
	note := l.noteOf()
	return late, note.log != v.log || note.end < end, nil
}

// lateTurn returns the segments that this Settle looks at: the newest, and of the
// others as many, the next ones each time.
func (l *Log) lateTurn(segs []segment) []segment {
	if len(segs) <= 2*settleLooks {
		return segs
	}
	old := segs[:len(segs)-settleLooks]
	from := int(l.lateAt.Add(settleLooks)-settleLooks) % len(old)
	turn := old[from:min(from+settleLooks, len(old))]
	return slices.Concat(segs[len(segs)-settleLooks:], turn, old[:settleLooks-len(turn)])
}

func readOnlyIsFine(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}

// settleLocked brings events.meta and the record to what readers say, and then
// does what is left of rotations.
func (l *Log) settleLocked(ctx context.Context) error {
	v, err := l.look(ctx)
	if err != nil || !v.exists() {
		return err
	}
	defer v.release()
	m, err := readMeta(l.metaPath)
	if err != nil {
		return err
	}
	if m.Log != v.log {
		h, err := readHead(v.file.f)
		if err != nil || h == nil { // nil: cut just now
			return err
		}
		m = meta{Log: v.log, Base: v.base, Head: h}
		if err := l.writeMeta(m); err != nil {
			return err
		}
	}
	w := &l.w
	if w.meta.Log != m.Log {
		w.known = -1 // even if the file has the very size that it had
	}
	end, err := l.wholeEnd(ctx, v)
	if err != nil {
		return err
	}
	if note := readRecord(w.lock); note.log != m.Log || note.end < end {
		if _, err := w.lock.WriteAt(recordOf(m, end).bytes(), 0); err != nil {
			return err
		}
	}
	if len(m.Segments) == 0 && m.Next == nil && m.Head != nil {
		return nil // never rotated
	}
	// Programs without the lock may have added lines since the lock was taken. The
	// record counts them by now: with the size of then, the log would seem to be cut.
	st, exists, err := statPath(l.path)
	if err != nil || w.file != nil && (!exists || st.identity != w.file.id) {
		return err // replaced just now: the next Settle sees it
	}
	if err := l.tidy(st, exists); err != nil {
		l.forget()
		return err
	}
	return nil
}

// tidy does what is left of rotations, under the lock.
func (l *Log) tidy(st fileState, exists bool) error {
	w := &l.w
	if w.file == nil || st.size != w.known {
		if err := l.adopt(st, exists, false); err != nil {
			if errors.Is(err, errNoLog) {
				return nil
			}
			return err
		}
	}
	if err := l.fingerprint(); err != nil {
		return err
	}
	if err := l.carry(carryBlocks); err != nil {
		return err
	}
	if m, err := readMeta(l.metaPath); err != nil || m.Next != nil && m.Log == w.meta.Log {
		if err = errors.Join(err, l.setMeta(w.meta)); err != nil { // w.meta has no Next
			return err
		}
	}
	return l.trim()
}
