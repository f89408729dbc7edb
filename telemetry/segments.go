package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ape-claw/ape-claw/store"
)

// maxSegments bounds the segments of a log, so that events.meta stays readable:
// two terabytes at the default size. Beyond it the active file just grows.
const maxSegments = 1 << 15

// A segment is called after the position of its first byte.
const (
	segmentPrefix = "events-"
	segmentSuffix = ".jsonl"
)

func isSegmentName(name string) bool {
	mid, ok := strings.CutPrefix(name, segmentPrefix)
	if ok {
		mid, ok = strings.CutSuffix(mid, segmentSuffix)
	}
	for i := 0; i < len(mid); i++ {
		if c := mid[i]; (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return ok && mid != "" && len(mid) <= 64
}

// freeName returns a name for the segment whose first byte is at first. What is
// already there by such a name, a segment of an earlier log or anything else, is
// left alone.
func (l *Log) freeName(first int64) (string, error) {
	mid := strconv.FormatInt(first, 10)
	for n := 2; n < 1000; n++ {
		name := segmentPrefix + mid + segmentSuffix
		_, exists, err := statPath(filepath.Join(l.dir, name))
		if err != nil || !exists {
			return name, err
		}
		mid = fmt.Sprintf("%d-%d", first, n)
	}
	return "", fs.ErrExist
}

// errSegmentGone: a segment that events.meta lists can't be opened, because it was
// removed just now, or by somebody else.
var errSegmentGone = errors.New("a part of the event log is not there any more")

// recheck makes the next look find out anew which segments are there.
func (l *Log) recheck() {
	l.r.mu.Lock()
	l.r.verify = true
	l.r.mu.Unlock()
}

// present returns the segments after the last one that is missing: the log starts
// there now, since what is before can't be reached. A log may have thousands, so that
// is looked at only where it matters: when its start is asked for, and when opening a
// segment has failed. A segment that is shorter than it was has lost some lines, as
// in a power cut, and keeps the others.
func (l *Log) present() ([]segment, error) {
	r := &l.r
	segs := r.meta.Segments
	if !r.verify {
		return segs[r.present:], nil
	}
	first := len(segs)
	for first > 0 {
		_, exists, err := statPath(filepath.Join(l.dir, segs[first-1].Name))
		if err != nil {
			return nil, err
		}
		if !exists {
			break
		}
		first--
	}
	r.present, r.verify = first, false
	return segs[first:], nil
}

// trim removes the oldest segments while what is left has at least keepBytes. It is
// called under the lock, with w.meta just read. The file goes first: who is killed
// then leaves a segment that is listed and missing, which readers know, and never a
// file that nobody lists.
func (l *Log) trim() error {
	w := &l.w
	n := l.tooMany(&w.meta)
	if n == 0 {
		return nil
	}
	for i := range n { // what is late is not old
		if done, err := l.carryAll(i); err != nil {
			return err
		} else if !done {
			n = i // it grows as fast as it is read: the next time
			break
		}
	}
	var failed error
	removed := 0
	for ; removed < n && failed == nil; removed++ {
		failed = l.unlink(w.meta.Segments[removed])
	}
	if failed != nil {
		removed--
	}
	if removed == 0 {
		return failed
	}
	m := w.meta
	m.Segments = m.Segments[removed:]
	return errors.Join(failed, l.setMeta(m))
}

// tooMany returns how many of the oldest segments are to go.
func (l *Log) tooMany(m *meta) int {
	n := 0
	if c := l.released.Load(); c != nil && c.Log == m.Log {
		for n < len(m.Segments) && m.Segments[n].End <= c.Pos {
			n++
		}
	}
	if l.keepBytes <= 0 {
		return n
	}
	for n < len(m.Segments) && m.Base-m.Segments[n].End >= l.keepBytes {
		n++
	}
	return n
}

// Releases reports whether Release would remove something.
func (l *Log) Releases(ctx context.Context, upTo Cursor) (bool, error) {
	v, err := l.look(ctx)
	if err != nil {
		return false, err
	}
	v.release()
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	m := &l.r.meta
	return m.Log == upTo.Log && len(m.Segments) > 0 && m.Segments[0].End <= upTo.Pos, nil
}

// Release removes the segments that end before the cursor, now or when the log is
// written next: their lines are wanted no more, as those of a spool that were
// delivered.
func (l *Log) Release(ctx context.Context, upTo Cursor) error {
	l.released.Store(&upTo)
	return l.Settle(ctx)
}

// unlink removes a segment's file. What has its name and is not it stays.
func (l *Log) unlink(s segment) error {
	f, ok, err := l.openSegment(s)
	if err != nil || !ok {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	path := filepath.Join(l.dir, s.Name)
	if store.CheckPrivate(path) != nil {
		return nil
	}
	if err := l.sys.remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
