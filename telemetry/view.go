package telemetry

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/store"
)

// lookTries bounds how often a reader starts over because events.meta changed
// while it looked.
const lookTries = 100

// reader is the reading half of a Log: what the last look found, so that the
// next one costs two stats and one small read.
type reader struct {
	mu       sync.Mutex // guards everything below
	metaFile *os.File   // which meta was read from
	metaAt   metaState
	looked   bool // meta is what was at metaAt
	meta     meta
	file     *logFile
	size     int64 // of file at the last look
	head     *head // of file at the last look
	log      string
	base     int64
	cut      bool             // file was cut, or replaced, in a way events.meta does not know yet
	top      int64            // the farthest end of log that was seen: below it, bytes are gone
	dead     map[string]bool  // ids of logs that were cut, never to be used again
	present  int              // the first of meta's segments that can be read
	verify   bool             // present is to be found out
	late     map[string]int64 // sizes of segments at the last Settle, where more than the log's bytes
	stats    Stats
	bad      BadLines
	scanned  scanned
}

// metaState tells whether events.meta was replaced.
type metaState struct {
	identity
	size, sec, nsec int64
}

// view is the log as one read sees it: a fixed end, and its file held open.
type view struct {
	some bool // there is a log
	log  string
	base int64 // position of the active file's first byte
	size int64 // of the active file
	full int64 // the same, with what is not to be published yet
	segs []segment
	file *logFile // nil: the active file is still to be made
	dir  string
}

func (v *view) exists() bool { return v.some }
func (v *view) end() int64   { return v.base + v.size }

func (v *view) oldest() int64 {
	if len(v.segs) > 0 {
		return v.segs[0].First
	}
	return v.base
}

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

// parts is the number of files of the log; part returns the i-th. The active one is
// the last.
func (v *view) parts() int { return len(v.segs) + 1 }

func (v *view) part(i int) part {
	if i < len(v.segs) {
		s := v.segs[i]
		return part{s.First, s.End, s.Name}
	}
	return part{v.base, v.end(), ""}
}

// partAt returns the file that holds pos; ok is false at the log's end.
func (v *view) partAt(pos int64) (p part, ok bool) {
	p = v.part(sort.Search(len(v.segs), func(i int) bool { return pos < v.segs[i].End }))
	return p, pos < p.end
}

// open returns the bytes of p, to be closed after use.
func (v *view) open(p part) (io.ReaderAt, func(), error) {
	if p.name == "" {
		if v.file == nil {
			return strings.NewReader(""), func() {}, nil
		}
		return v.file.f, func() {}, nil
	}
	f, err := store.OpenToRead(filepath.Join(v.dir, p.name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errSegmentGone
	}
	if err != nil {
		return nil, nil, err
	}
	return f, func() { _ = f.Close() }, nil // only read: nothing to lose
}

func (r *reader) dropMeta() {
	if r.metaFile != nil {
		_ = r.metaFile.Close() // only read: nothing to lose
	}
	r.metaFile, r.meta, r.metaAt, r.looked = nil, meta{}, metaState{}, false
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

// lookOnce is one look; stable is false when the log was changed meanwhile, other
// than by appends.
func (l *Log) lookOnce() (v *view, stable bool, err error) {
	r := &l.r
	fresh, err := l.refreshMeta()
	if err != nil {
		return nil, false, ignoreMissing(err)
	}
	l.sys.pause()
	path := l.path
	st, exists, err := statPath(path)
	if err != nil {
		return nil, false, err
	}
	l.sys.pause()
	held := false // a rotation is under way: the active file has its new name
	if r.meta.Next != nil {
		moved, isMoved, err := l.moved(&r.meta)
		if err != nil {
			return nil, false, err
		}
		if held = isMoved; held {
			path, st, exists = filepath.Join(l.dir, r.meta.Next.Name), moved, true
		}
	}
	if exists && !st.regular {
		return nil, false, notRegular(path)
	}
	if exists && (r.file == nil || r.file.id != st.identity) {
		if err := l.openReader(path); err != nil {
			return nil, false, ignoreMissing(err)
		}
		fresh = true
	}
	l.sys.pause()
	note := record{}
	if exists {
		if fresh && !held { // before the size, which can only be larger then
			note = l.noteOf()
		}
		if st, err = statFile(r.file.f); err != nil {
			return nil, false, err
		}
	}
	l.sys.pause()
	// The size is the log's only if this still was the active file when it was taken:
	// what is added to it after a rotation has no place in the log yet.
	if same, err := l.metaIsSame(); err != nil || !same {
		return nil, false, err
	}
	if r.meta.Next != nil && !held {
		now, still, err := statPath(l.path)
		if err != nil || still != exists || exists && now.identity != r.file.id {
			return nil, false, err
		}
	}
	v, err = l.viewOf(st.size, exists, fresh, held, note)
	return v, err == nil, err
}

// viewOf makes the view of what a look has found.
func (l *Log) viewOf(size int64, exists, fresh, held bool, note record) (*view, error) {
	r := &l.r
	known, err := true, error(nil)
	r.rotate()
	if exists {
		known, err = l.identify(size, fresh, note)
	} else {
		known, size = r.nothing(), 0
	}
	if err != nil || !known {
		r.stats = Stats{Rotations: r.stats.Rotations}
		return &view{}, err
	}
	v := &view{log: r.log, base: r.base, size: size, full: size, file: r.file, dir: l.dir, some: true}
	if !r.cut {
		if v.segs, err = l.present(); err != nil {
			return nil, err
		}
	}
	if held {
		v.size = min(size, r.meta.Next.Floor-r.base)
	}
	if r.file != nil {
		r.file.hold()
	}
	r.stats = Stats{Bytes: v.end(), Oldest: v.oldest(), Disk: v.end() - v.oldest(), Segments: len(v.segs), Rotations: r.stats.Rotations}
	return v, nil
}

// refreshMeta reads events.meta if it was replaced. The file stays open until it
// is: as long as it is, no other file can have its identity.
func (l *Log) refreshMeta() (fresh bool, err error) {
	r := &l.r
	at, err := statMeta(l.metaPath)
	if err != nil || r.looked && at == r.metaAt {
		return false, err
	}
	r.dropMeta()
	if at != (metaState{}) {
		f, err := store.OpenToRead(l.metaPath)
		if err != nil {
			return false, err
		}
		r.metaFile = f
		if at, err = stateOfMeta(f); err != nil {
			return false, err
		}
		if r.meta, err = metaIn(f); err != nil {
			return false, err
		}
	}
	r.metaAt, r.looked, r.present = at, true, 0
	return true, nil
}

func (l *Log) metaIsSame() (bool, error) {
	at, err := statMeta(l.metaPath)
	return err == nil && at == l.r.metaAt, err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// notRegular says what is at path, which is no regular file.
func notRegular(path string) error { return cmp.Or(store.CheckPrivate(path), error(unix.EISDIR)) }

func (l *Log) openReader(path string) error {
	l.r.drop()
	f, err := store.OpenToRead(path)
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

// statMeta says which file is at path; the zero state when there is none.
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
	return metaStateOf(&st), nil
}

func stateOfMeta(f *os.File) (metaState, error) {
	var st unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &st)
	for err == unix.EINTR {
		err = unix.Fstat(int(f.Fd()), &st)
	}
	return metaStateOf(&st), err
}

func metaStateOf(st *unix.Stat_t) metaState {
	sec, nsec := st.Mtim.Unix()
	return metaState{identity{uint64(st.Dev), uint64(st.Ino)}, st.Size, sec, nsec}
}
