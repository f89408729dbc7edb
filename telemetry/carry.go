package telemetry

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"path/filepath"

	"github.com/ape-claw/ape-claw/store"
)

// A program that takes no lock may hold the old descriptor of a file that has been
// rotated, and go on adding to it. Its whole lines are carried over to the active
// file, under the lock:
//
//  1. events.meta says carry: {which bytes of which segment, a mark, where the
//     active file ends}.
//  2. One write adds the mark and the bytes to the active file.
//  3. events.meta says how far the segment is carried over; carry is gone.
//
// Who finds carry in events.meta looks for the mark after the place that it names,
// and counts as carried what follows it. The mark is a line of blanks, which every
// reader skips, but of a pattern that nobody else writes: lines alone could not
// tell, since that program may write the same ones again and again.

// carrying is what events.meta says of a carry-over under way.
type carrying struct {
	Name string `json:"name"` // of the segment
	From int64  `json:"from"` // offset in its file
	Len  int64  `json:"len"`
	At   int64  `json:"at"`   // position before which the mark is not
	Mark string `json:"mark"` // of letters s and t: space and tab
}

const (
	maxCarry    = MaxLine // how much is carried over at once
	carryBlocks = 16      // and how often while others wait
	markLen     = 64
	// lateLooks is how many segments a process looks at when it opens the log to
	// append, or rotates it. Every append looks at the newest, and Settle at
	// settleLooks of the newest and of the others: at all when they are few.
	lateLooks   = 64
	settleLooks = 256
)

// newMark returns a mark as events.meta holds it.
func newMark() string {
	sum := sha256.Sum256([]byte(store.NewID("")))
	mark := make([]byte, markLen)
	for i := range mark {
		mark[i] = "st"[sum[i/8]>>(i%8)&1]
	}
	return string(mark)
}

// markLine returns the line that mark stands for.
func markLine(mark string) []byte {
	line := make([]byte, 0, markLen+1)
	for i := range len(mark) {
		line = append(line, map[bool]byte{true: '\t', false: ' '}[mark[i] == 't'])
	}
	return append(line, '\n')
}

// prevGrew reports whether somebody has added to the file that was rotated last.
func (l *Log) prevGrew() bool {
	w := &l.w
	if w.prev == nil {
		return false
	}
	st, err := statFile(w.prev.f)
	return err == nil && st.size > w.prevSize
}

func (l *Log) dropPrev() {
	if l.w.prev != nil {
		_ = l.w.prev.release() // only read from here on: nothing to lose
		l.w.prev = nil
	}
}

// lookLate looks for bytes to be carried over.
func (l *Log) lookLate() error {
	w := &l.w
	w.late = w.late || w.meta.Carry != nil
	segs := w.meta.Segments
	for _, s := range segs[max(0, len(segs)-lateLooks):] {
		st, exists, err := statPath(filepath.Join(l.dir, s.Name))
		if err != nil {
			return err
		}
		w.late = w.late || exists && st.size > s.size()+s.Late
	}
	return nil
}

// findLate does so when the log is opened to append, and opens the file that every
// append looks at.
func (l *Log) findLate() error {
	w := &l.w
	l.dropPrev()
	if err := l.lookLate(); err != nil {
		return err
	}
	segs := w.meta.Segments
	if len(segs) == 0 {
		return nil
	}
	last := segs[len(segs)-1]
	f, ours, err := l.openSegment(last)
	if err != nil || !ours {
		return err
	}
	st, err := statFile(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	w.prev, w.prevSize = newLogFile(f, st.identity), last.size()+last.Late
	return nil
}

// carry carries over what is late, at most so many blocks. The active file is open
// and known; the caller holds the lock.
func (l *Log) carry(blocks int) error {
	w := &l.w
	if ok, err := l.reread(); err != nil || !ok {
		return err
	}
	for i := range w.meta.Segments {
		for more := true; more; blocks-- {
			if blocks == 0 {
				w.late = true
				return nil
			}
			var err error
			if more, err = l.carryFrom(i); err != nil {
				return err
			}
			if !more {
				break
			}
		}
	}
	w.late = false
	if l.prevGrew() { // an unfinished line: wait for its end
		st, err := statFile(w.prev.f)
		if err != nil {
			return err
		}
		w.prevSize = st.size
	}
	return nil
}

// carryAll carries over what segment i has, and says whether that was all.
func (l *Log) carryAll(i int) (done bool, err error) {
	for range carryBlocks {
		if more, err := l.carryFrom(i); err != nil || !more {
			return err == nil, err
		}
	}
	return false, nil
}

// carryFrom carries over the next block of segment i; more is false when there was
// none.
func (l *Log) carryFrom(i int) (more bool, err error) {
	w := &l.w
	s := w.meta.Segments[i]
	from := s.size() + s.Late
	st, exists, err := statPath(filepath.Join(l.dir, s.Name))
	if err != nil || !exists || !st.regular || st.size <= from {
		return false, err
	}
	f, ours, err := l.openSegment(s)
	if err != nil || !ours {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	block, skip, err := lateBlock(f, from, st.size)
	if err != nil || len(block) == 0 && skip == 0 {
		return false, err
	}
	if skip > 0 { // too long to be an event wherever it is
		return true, l.carried(i, s.Late+skip)
	}
	torn, err := tornAt(w.file.f, w.known)
	if err != nil {
		return false, err
	}
	m := w.meta
	m.Carry = &carrying{s.Name, from, int64(len(block)), m.Base + w.known, newMark()}
	if err := l.setMeta(m); err != nil {
		return false, err
	}
	var buf []byte
	if torn {
		buf = append(buf, '\n')
	}
	buf = append(append(buf, markLine(m.Carry.Mark)...), block...)
	start, end, err := l.put(buf)
	if err != nil {
		return false, err
	}
	if start < w.known {
		return false, errReplaced // cut just now
	}
	w.known, w.whole = end, w.whole && start == w.known
	return true, l.carried(i, s.Late+int64(len(block)))
}

// carried writes down that no carry-over is under way, and how far segment i is.
func (l *Log) carried(i int, late int64) error {
	m := l.w.meta
	m.Carry = nil
	m.Segments = append([]segment(nil), m.Segments...)
	m.Segments[i].Late = late
	return l.setMeta(m)
}

// lateBlock reads the next whole lines of f, at most maxCarry bytes. A line that is
// longer than that is passed instead.
func lateBlock(f io.ReaderAt, from, size int64) (block []byte, skip int64, err error) {
	buf := make([]byte, min(size-from, maxCarry))
	n, err := f.ReadAt(buf, from)
	if err != nil && err != io.EOF {
		return nil, 0, err
	}
	if end := bytes.LastIndexByte(buf[:n], '\n') + 1; end > 0 || n < maxCarry {
		return buf[:end], 0, nil
	}
	for at := from + maxCarry; at < size; at += int64(n) {
		n, err = f.ReadAt(buf[:min(size-at, maxCarry)], at)
		if err != nil && err != io.EOF || n == 0 {
			return nil, 0, err
		}
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return nil, at + int64(i) + 1 - from, nil
		}
	}
	return nil, 0, nil
}

// resolve finds out how much of a carry-over that was not completed is in the
// active file, which is open, under the lock.
func (l *Log) resolve() (err error) {
	w := &l.w
	c := w.meta.Carry
	i := 0
	for i < len(w.meta.Segments) && w.meta.Segments[i].Name != c.Name {
		i++
	}
	if i == len(w.meta.Segments) {
		m := w.meta
		m.Carry = nil
		return l.setMeta(m)
	}
	s := w.meta.Segments[i]
	f, ours, err := l.openSegment(s)
	if err != nil || !ours {
		return errors.Join(err, l.carried(i, s.Late))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := l.closeTail(); err != nil {
		return err
	}
	block := make([]byte, c.Len)
	n, err := f.ReadAt(block, c.From)
	if err != nil && err != io.EOF {
		return err
	}
	done, err := l.arrived(c, block[:n])
	if err != nil {
		return err
	}
	return l.carried(i, max(s.Late, c.From-s.size()+done))
}

// closeTail ends a line that is not whole, so that nothing more can become of it: a
// carried line that lacks only its newline would get that from the next append.
func (l *Log) closeTail() error {
	w := &l.w
	st, err := statFile(w.file.f)
	if err != nil {
		return err
	}
	w.known = st.size
	torn, err := tornAt(w.file.f, st.size)
	if err != nil || !torn {
		return err
	}
	_, w.known, err = l.put([]byte{'\n'})
	return err
}

// arrived returns how many bytes of block, in whole lines, follow c's mark.
func (l *Log) arrived(c *carrying, block []byte) (int64, error) {
	f := l.w.file.f
	mark := markLine(c.Mark)
	at, err := findMark(f, c.At-l.w.meta.Base, mark)
	if err != nil || at < 0 {
		return 0, err
	}
	got := make([]byte, len(block))
	n, err := f.ReadAt(got, at+int64(len(mark)))
	if err != nil && err != io.EOF {
		return 0, err
	}
	same := 0
	for same < n && got[same] == block[same] {
		same++
	}
	return int64(bytes.LastIndexByte(block[:same], '\n') + 1), nil
}

// findMark returns the offset of what in f, from the offset at on, or -1.
func findMark(f io.ReaderAt, at int64, what []byte) (int64, error) {
	buf := make([]byte, maxBackChunk)
	for {
		n, err := f.ReadAt(buf, at)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.Index(buf[:n], what); i >= 0 {
			return at + int64(i), nil
		}
		if n < len(buf) {
			return -1, nil
		}
		at += int64(n - len(what) + 1)
	}
}
