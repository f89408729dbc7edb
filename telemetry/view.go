package telemetry

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/store"
)

// lookTries bounds how often a reader starts over because events.meta changed
// while it looked.
const lookTries = 10

// reader is the reading half of a Log: what the last look found, so that the
// next one costs two stats and one small read.
type reader struct {
	mu      sync.Mutex // guards everything below
	metaAt  metaState
	meta    meta
	file    *logFile
	size    int64 // of file at the last look
	head    *head // of file at the last look
	log     string
	base    int64
	cut     bool            // file was cut, or replaced, in a way events.meta does not know yet
	top     int64           // the farthest end of log that was seen: below it, bytes are gone
	dead    map[string]bool // ids of logs that were cut, never to be used again
	end     int64
	bad     BadLines
	scanned scanned
}

// metaState tells whether events.meta was replaced.
type metaState struct {
	identity
	size, sec, nsec int64
}

// view is the log as one read sees it: a fixed end, and its file held open.
type view struct {
	log  string
	base int64 // position of the active file's first byte
	size int64 // of the active file
	segs []segment
	file *logFile // nil: there is no log yet
	dir  string
}

func (v *view) exists() bool  { return v.file != nil }
func (v *view) end() int64    { return v.base + v.size }
func (v *view) oldest() int64 { return v.spans()[0].first }

// release gives the file back. Closing a file that was only read can't lose
// anything, so its error says nothing to anybody.
func (v *view) release() {
	if v.file != nil {
		_ = v.file.release()
	}
}

// part is one file of the log, by position.
type part struct {
	first, end int64
	name       string // "" is the active file
}

// spans returns the files of the log in order; the active one is the last.
func (v *view) spans() []part {
	out := make([]part, 0, len(v.segs)+1)
	for _, s := range v.segs {
		out = append(out, part{s.First, s.End, s.Name})
	}
	return append(out, part{v.base, v.end(), ""})
}

// open returns the bytes of p, to be closed after use.
func (v *view) open(p part) (io.ReaderAt, func(), error) {
	if p.name == "" {
		return v.file.f, func() {}, nil
	}
	f, err := store.OpenToRead(filepath.Join(v.dir, p.name))
	if err != nil {
		return nil, nil, err
	}
	return f, func() { _ = f.Close() }, nil // only read: nothing to lose
}

func (r *reader) drop() {
	if r.file != nil {
		_ = r.file.release() // only read: nothing to lose
		r.file = nil
	}
	r.size, r.head = 0, nil
}

// look finds out which log there is now, and how far it reaches. It writes
// nothing, and takes no lock.
func (l *Log) look(ctx context.Context) (*view, error) {
	r := &l.r
	r.mu.Lock()
	defer r.mu.Unlock()
	for range lookTries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, stable, err := l.lookOnce()
		if err != nil {
			return nil, l.readFault(err)
		}
		if stable {
			return v, nil
		}
	}
	return nil, l.readFault(unix.EBUSY)
}

// lookOnce is one look; stable is false when events.meta changed meanwhile.
func (l *Log) lookOnce() (v *view, stable bool, err error) {
	r := &l.r
	at, err := statMeta(l.metaPath)
	if err != nil {
		return nil, false, err
	}
	fresh := at != r.metaAt
	if fresh {
		if r.meta, err = readMeta(l.metaPath); err != nil {
			return nil, false, err
		}
		r.metaAt = at
	}
	st, exists, err := statPath(l.path)
	if err != nil {
		return nil, false, err
	}
	if exists && !st.regular {
		return nil, false, notRegular(l.path)
	}
	if !exists {
		r.drop()
		r.end = 0
		return &view{}, true, nil
	}
	if r.file == nil || r.file.id != st.identity {
		if err := l.openReader(); err != nil {
			return nil, false, ignoreMissing(err)
		}
		fresh = true
	}
	note := record{}
	if fresh { // before the size, which can only be larger then
		note = l.noteOf()
	}
	st, err = statFile(r.file.f)
	if err != nil {
		return nil, false, err
	}
	if again, err := statMeta(l.metaPath); err != nil || again != at {
		return nil, false, err
	}
	known, err := l.identify(st.size, fresh, note)
	if err != nil {
		return nil, false, err
	}
	if !known {
		r.end = 0
		return &view{}, true, nil
	}
	v = &view{log: r.log, base: r.base, size: st.size, file: r.file, dir: l.dir}
	if !r.cut {
		if v.segs, err = l.present(r.meta.Segments); err != nil {
			return nil, false, err
		}
	}
	r.file.hold()
	r.end = v.end()
	return v, true, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// notRegular says what is at path, which is no regular file.
func notRegular(path string) error { return cmp.Or(store.CheckPrivate(path), error(unix.EISDIR)) }

func (l *Log) openReader() error {
	l.r.drop()
	f, err := store.OpenToRead(l.path)
	if err != nil {
		return err
	}
	st, err := statFile(f)
	if err != nil {
		_ = f.Close() // only read: nothing to lose
		return err
	}
	l.r.file = newLogFile(f, st.identity)
	return nil
}

// identify decides which log the open file is, and whether it has a line yet.
// What is not as events.meta says gets the id that the next writer will give it.
func (l *Log) identify(size int64, fresh bool, note record) (known bool, err error) {
	r := &l.r
	shrunk := size < r.size
	if !fresh && !shrunk && r.head != nil {
		same, err := r.head.isHeadOf(r.file.f)
		if err != nil {
			return false, err
		}
		if same {
			r.size, r.top = size, max(r.top, r.base+size)
			return true, nil
		}
	}
	h, err := readHead(r.file.f)
	if err != nil {
		return false, err
	}
	m := &r.meta
	if m.Log == "" {
		*m = note.recall(h)
	}
	rotated := m.Log != "" && m.Head == nil && m.Base > 0
	if h == nil && !rotated {
		// Whatever comes after this emptiness is not what was there, however long.
		r.size, r.head, r.top = size, nil, math.MaxInt64
		return false, nil
	}
	ours := rotated
	if m.Log != "" && m.Head != nil {
		if ours, err = m.Head.isHeadOf(r.file.f); err != nil {
			return false, err
		}
	}
	if ours && note.log == m.Log && note.end > size {
		ours = false
	}
	r.name(h, size, ours)
	return true, nil
}

// name gives the open file, of size bytes, its id and place. ours: it is what
// events.meta speaks of. An id is never kept by a file that has lost bytes, or a
// cursor to them would pass for one to what came in their place.
func (r *reader) name(h *head, size int64, ours bool) {
	log, base := r.meta.Log, r.meta.Base
	if !ours {
		log, base = nextLogID(log, h), 0
	}
	for r.dead[log] || log == r.log && base+size < r.top {
		if r.dead == nil {
			r.dead = map[string]bool{}
		}
		r.dead[log] = true
		log, base = nextLogID(log, h), 0
	}
	if log != r.log {
		r.top = 0
	}
	r.log, r.base, r.cut = log, base, log != r.meta.Log
	r.size, r.head, r.top = size, h, max(r.top, base+size)
}

// noteOf reads the lock file's record.
func (l *Log) noteOf() record {
	f, err := store.OpenToRead(l.lockPath)
	if err != nil {
		return record{} // a hint that is missing
	}
	defer func() { _ = f.Close() }() // only read: nothing to lose
	// A writer may be at the record just now. Its lock is not for readers to wait
	// for; two equal reads are as good.
	for range lookTries {
		a := readRecord(f)
		if b := readRecord(f); a == b {
			return a
		}
	}
	return record{}
}

// present returns the segments after the last one that is missing, or shorter than
// it was: the log starts there now, since what is before can't be reached.
func (l *Log) present(segs []segment) ([]segment, error) {
	for i := len(segs) - 1; i >= 0; i-- {
		st, exists, err := statPath(filepath.Join(l.dir, segs[i].Name))
		if err != nil {
			return nil, err
		}
		if !exists || st.regular && st.size < segs[i].End-segs[i].First {
			return segs[i+1:], nil
		}
	}
	return segs, nil
}

func statMeta(path string) (metaState, error) {
	var st unix.Stat_t
	err := unix.Lstat(path, &st)
	for err == unix.EINTR {
		err = unix.Lstat(path, &st)
	}
	if err == unix.ENOENT {
		return metaState{}, nil
	}
	if err != nil {
		return metaState{}, err
	}
	sec, nsec := st.Mtim.Unix()
	return metaState{identity{uint64(st.Dev), uint64(st.Ino)}, st.Size, sec, nsec}, nil
}
