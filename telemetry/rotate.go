package telemetry

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ape-claw/ape-claw/store"
)

// A rotation, under the lock:
//
//  1. events.meta says next: {name, floor}: the active file is about to become the
//     segment of that name, and is whole lines up to floor.
//  2. The active file is renamed.
//  3. The segment ends after the last newline that it has now.
//  4. events.meta lists the segment; base is where it ends, next is gone.
//  5. The new active file is made.
//
// Before 2, next means nothing. Between 2 and 4, who reads events.meta finds the
// active file under its new name, and publishes no line beyond floor: a program
// that takes no lock may still be adding lines to the file, of which nobody can say
// yet whether they come before the end of 3 or will be carried over. After 4, the
// active file is what is called so, if anything is. Whoever takes the lock next
// completes what a killed process has left.

// rotation is what events.meta says of one under way.
type rotation struct {
	Name  string `json:"name"` // of the segment to be
	Dev   uint64 `json:"dev"`  // which file it is
	Ino   uint64 `json:"ino"`
	Floor int64  `json:"floor"` // a position up to which it is whole lines
}

// moved reports whether the rename that m announces has happened, and what is at
// the segment's name then.
func (l *Log) moved(m *meta) (st fileState, moved bool, err error) {
	st, exists, err := statPath(filepath.Join(l.dir, m.Next.Name))
	if err != nil || !exists || !st.regular {
		return st, false, err
	}
	id := identity{m.Next.Dev, m.Next.Ino}
	if st.identity == id {
		return st, true, nil
	}
	active, exists, err := statPath(l.path)
	if err != nil || exists && active.identity == id {
		return st, false, err
	}
	// The directory may be a copy, in which every file has another identity.
	f, ours, err := l.openIf(m.Next.Name, m.Head)
	if ours {
		err = f.Close()
	}
	return st, ours, err
}

// openIf opens a segment's file and says whether it begins as h says. What can't be
// opened safely, or begins otherwise, is not ours.
func (l *Log) openIf(name string, h *head) (f *os.File, ours bool, err error) {
	f, err = store.OpenToRead(filepath.Join(l.dir, name))
	if err != nil {
		return nil, false, nil
	}
	if h != nil {
		ours, err = h.isHeadOf(f)
	}
	if err != nil || !ours {
		return nil, false, errors.Join(err, f.Close())
	}
	return f, true, nil
}

// openSegment opens the file of a segment if that is what is there.
func (l *Log) openSegment(s segment) (f *os.File, ours bool, err error) {
	return l.openIf(s.Name, s.Head)
}

const cantRotate = "the event log could not be rotated, and grows: "

// afterAppend does what an append leaves to be done, under the lock: what fails is
// told and left to the next append, since the line is in the log. err is what has
// failed already.
func (l *Log) afterAppend(err error) {
	w := &l.w
	if err == nil && (w.late || l.prevGrew()) {
		err = l.carry(1)
	}
	if err == nil && l.rotateBytes > 0 && w.known >= l.rotateBytes && w.meta.Base+w.known >= w.retry {
		w.retry = w.meta.Base + w.known + l.rotateBytes/4
		if err = l.rotate(); err == nil {
			w.retry = 0
			err = errors.Join(l.trim(), l.lookLate())
		}
	}
	if err != nil {
		l.tell(cantRotate + reasonOf(err))
		l.forget()
	}
}

// forget makes the next append look for itself at what is on disk.
func (l *Log) forget() {
	w := &l.w
	if w.file != nil {
		// Everything was written with calls that have returned.
		_ = w.file.release()
		w.file = nil
	}
	l.dropPrev()
	w.meta, w.known, w.whole, w.noted = meta{}, 0, false, 0
}

// reread reads events.meta again before it is changed: another process may have
// carried lines over, or removed a segment. ok is false when it speaks of another
// active file than ours.
func (l *Log) reread() (ok bool, err error) {
	w := &l.w
	m, err := readMeta(l.metaPath)
	if err != nil || m.Log != w.meta.Log || m.Base != w.meta.Base {
		return false, err
	}
	w.meta = m
	if m.Carry != nil {
		return true, l.resolve()
	}
	return true, nil
}

// rotate makes the active file, which ends with a whole line, a segment.
func (l *Log) rotate() error {
	w := &l.w
	if ok, err := l.reread(); err != nil || !ok {
		return err
	}
	if w.meta.Head == nil || len(w.meta.Segments) >= maxSegments {
		return nil
	}
	if ours, err := w.meta.Head.isHeadOf(w.file.f); err != nil || !ours {
		return errors.Join(errReplaced, err)
	}
	name, err := l.freeName(w.meta.Base)
	if err != nil {
		return err
	}
	l.sweep()
	m := w.meta
	m.Next = &rotation{name, w.file.id.dev, w.file.id.ino, m.Base + w.known}
	if err := l.setMeta(m); err != nil {
		return err
	}
	l.note(m.Next.Floor)
	path := filepath.Join(l.dir, name)
	if err := l.sys.rename(l.path, path); err != nil {
		return err
	}
	if st, exists, err := statPath(path); err != nil || !exists || st.identity != w.file.id {
		// Another file has taken the log's name just now: it gets it back.
		return errors.Join(errReplaced, err, l.sys.rename(path, l.path))
	}
	old := w.file
	if _, err := l.finish(old.f); err != nil {
		return err
	}
	w.file = nil
	if l.dropPrev(); w.meta.Segments != nil {
		w.prev, w.prevSize = old, w.meta.Segments[len(w.meta.Segments)-1].size()
	}
	return l.create()
}

// errReplaced: the log was replaced by others while it was rotated.
var errReplaced = errors.New("another program has replaced the event log")

// finish completes a rotation whose file f is renamed already. When that fails, as
// on a full disk, the file gets its name back, so that it can be appended to.
func (l *Log) finish(f *os.File) (undone bool, err error) {
	w := &l.w
	n := w.meta.Next
	end, err := endAfter(f, n.Floor-w.meta.Base)
	if err == nil {
		m := w.meta
		s := segment{Name: n.Name, First: m.Base, End: m.Base + end, Head: m.Head}
		m.Segments = append(m.Segments[:len(m.Segments):len(m.Segments)], s)
		m.Base, m.Head, m.Next = s.End, nil, nil
		if err = l.setMeta(m); err == nil {
			return false, nil
		}
	}
	// It may have been written, and only not synced.
	if now, readErr := readMeta(l.metaPath); readErr == nil && now.Next != nil {
		undone = l.sys.rename(filepath.Join(l.dir, n.Name), l.path) == nil
	}
	return undone, err
}

// endAfter returns the offset after the last newline of f, or floor when there is
// none after that. A file that does not reach as far was cut by others.
func endAfter(f *os.File, floor int64) (int64, error) {
	st, err := statFile(f)
	if err != nil {
		return 0, err
	}
	if st.size < floor {
		return 0, errReplaced
	}
	for at := st.size; at > floor; {
		n := min(maxBackChunk, at-floor)
		buf := make([]byte, n)
		if _, err := f.ReadAt(buf, at-n); err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf, '\n'); i >= 0 {
			return at - n + int64(i) + 1, nil
		}
		at -= n
	}
	return floor, nil
}

// recover completes the rotation that a killed process has left, if it has renamed
// the file, and returns what is at the log's path then. It is called under the
// lock, with w.meta just read.
func (l *Log) recover(st fileState, exists bool) (fileState, bool, error) {
	w := &l.w
	_, moved, err := l.moved(&w.meta)
	if err != nil {
		return st, exists, err
	}
	if !moved {
		w.meta.Next = nil // the next change of events.meta forgets it as well
		return st, exists, nil
	}
	f, err := store.OpenToRead(filepath.Join(l.dir, w.meta.Next.Name))
	if err != nil {
		return st, exists, err
	}
	undone, err := l.finish(f)
	if undone || errors.Is(err, errReplaced) { // then what is at the log's path is another log
		l.tell(cantRotate + reasonOf(err))
		w.meta.Next, err = nil, nil
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return st, exists, err
	}
	return statPath(l.path)
}

// create makes a fresh active file, or opens the one that a
// program without the lock has made just now.
func (l *Log) create() error {
	if err := l.open(os.O_RDWR | os.O_APPEND | os.O_CREATE); err != nil {
		return err
	}
	st, err := statFile(l.w.file.f)
	if err != nil {
		return err
	}
	l.w.known, l.w.whole = st.size, false
	if err := l.sys.syncDir(l.dir); err != nil {
		l.forget() // so that it is tried again
		return err
	}
	return nil
}

// sweep removes what killed writers of events.meta have left: its temporary files.
// Nobody writes it now, because we hold the lock.
func (l *Log) sweep() {
	d, err := os.Open(l.dir)
	if err != nil {
		return
	}
	names, err := d.Readdirnames(-1)
	if err = errors.Join(err, d.Close()); err != nil {
		return
	}
	for _, name := range names {
		path := filepath.Join(l.dir, name)
		if strings.HasPrefix(name, "."+metaName+".") && store.CheckPrivate(path) == nil {
			if err := l.sys.remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return // they only take space
			}
		}
	}
}
