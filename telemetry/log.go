package telemetry

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// The files of a log in its directory.
const (
	logName  = "events.jsonl"
	lockName = "events.lock"
	metaName = "events.meta"
)

// Defaults of LogOptions.
const (
	defaultPoll        = 2 * time.Second
	defaultFastPoll    = 200 * time.Millisecond
	defaultLockTimeout = 10 * time.Second
	defaultMaxBack     = 256 << 20
	defaultMaxTail     = 64 << 20
	defaultRotate      = 64 << 20
)

// LogOptions tunes a Log; the zero value is right for commands and for serve.
type LogOptions struct {
	// PollInterval is how often Watch looks by itself while it is notified of
	// changes: a safety net. Default 2 s.
	PollInterval time.Duration
	// FastPoll is how often Watch looks while it can't be notified: the directory
	// does not exist yet, or the system has no watches left. Default 200 ms.
	FastPoll time.Duration
	// NoNotify makes Watch poll only.
	NoNotify bool
	// LockTimeout bounds how long an append waits for other processes. Default 10 s.
	LockTimeout time.Duration
	// MaxBack bounds how many bytes one Tail, Last or End reads, going back from the
	// end of the log. Default 256 MiB.
	MaxBack int64
	// MaxTail bounds the bytes of the lines that one Tail or Last returns; the newest
	// line is returned in any case. Default 64 MiB.
	MaxTail int64
	// RotateBytes is the size from which the active file becomes a segment, and a new
	// one is begun. Default 64 MiB; below 0, never.
	RotateBytes int64
	// KeepBytes is how much is kept: the oldest whole segments are removed while what
	// is left has at least so many bytes. 0 keeps all.
	KeepBytes int64
	// First is called before the first append of the Log. It may read the log.
	First func(ctx context.Context)
	// Notice is told what a person should know and no error says, each sentence once:
	// that changes are polled for, that the log can't be rotated. It must not call
	// the Log.
	Notice func(sentence string)
}

// Log is the event log of one state directory: lines of JSON that any number of
// processes append to, and read, at once. Nothing is created before the first
// append. A Log is safe for concurrent use.
type Log struct {
	dir                         string
	path, lockPath, metaPath    string
	poll, fastPoll, lockTimeout time.Duration
	maxBack, maxTail            int64
	rotateBytes, keepBytes      int64
	noNotify                    bool
	sys                         system
	notice                      func(string)
	told                        sync.Map      // the sentences that notice was told
	lateAt                      atomic.Uint32 // whose turn it is at the next Settle
	released                    atomic.Pointer[Cursor]
	first                       func(ctx context.Context)
	began                       sync.Once

	w writer
	r reader
}

// NewLog returns the log of the state directory dir.
func NewLog(dir string, opt LogOptions) *Log {
	dir = filepath.Clean(dir)
	l := &Log{
		dir:         dir,
		path:        filepath.Join(dir, logName),
		lockPath:    filepath.Join(dir, lockName),
		metaPath:    filepath.Join(dir, metaName),
		poll:        orDefault(opt.PollInterval, defaultPoll),
		fastPoll:    orDefault(opt.FastPoll, defaultFastPoll),
		lockTimeout: orDefault(opt.LockTimeout, defaultLockTimeout),
		maxBack:     orDefault(opt.MaxBack, defaultMaxBack),
		maxTail:     orDefault(opt.MaxTail, defaultMaxTail),
		rotateBytes: opt.RotateBytes,
		keepBytes:   opt.KeepBytes,
		noNotify:    opt.NoNotify,
		sys:         realSystem(),
		notice:      opt.Notice,
		first:       opt.First,
	}
	if l.rotateBytes == 0 {
		l.rotateBytes = defaultRotate
	}
	l.w.turn = make(chan struct{}, 1)
	return l
}

func orDefault[T time.Duration | int64](d, def T) T {
	if d <= 0 {
		return def
	}
	return d
}

// tell hands a sentence to LogOptions.Notice.
func (l *Log) tell(sentence string) {
	if l.notice == nil {
		return
	}
	if _, told := l.told.LoadOrStore(sentence, true); !told {
		l.notice(sentence)
	}
}

// announce is called before each append.
func (l *Log) announce(ctx context.Context) {
	if l.first != nil {
		l.began.Do(func() { l.first(ctx) })
	}
}

// Dir returns the state directory.
func (l *Log) Dir() string { return l.dir }

// Close releases the files that l keeps open. Appends and reads that are under
// way end first; later ones open what they need again.
func (l *Log) Close() error {
	l.w.turn <- struct{}{}
	err := l.closeWriter()
	<-l.w.turn
	l.r.mu.Lock()
	l.r.drop()
	l.r.dropMeta()
	l.r.mu.Unlock()
	return err
}

// identity tells a file from another that took its name.
type identity struct{ dev, ino uint64 }

// fileState is what one stat says.
type fileState struct {
	identity
	size    int64
	regular bool
}

// statPath says what is at path itself, be it a link; ok is false when there is
// nothing.
func statPath(path string) (s fileState, ok bool, err error) {
	var st unix.Stat_t
	for {
		err = unix.Lstat(path, &st)
		if err != unix.EINTR {
			break
		}
	}
	if err == unix.ENOENT {
		return fileState{}, false, nil
	}
	if err != nil {
		return fileState{}, false, err
	}
	return stateOf(&st), true, nil
}

func statFile(f *os.File) (fileState, error) {
	var st unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &st)
	for err == unix.EINTR {
		err = unix.Fstat(int(f.Fd()), &st)
	}
	return stateOf(&st), err
}

// The types of these fields differ between systems.
func stateOf(st *unix.Stat_t) fileState {
	return fileState{identity{uint64(st.Dev), uint64(st.Ino)}, st.Size, uint32(st.Mode)&unix.S_IFMT == unix.S_IFREG}
}

// Stats counts what the readers of this Log have seen.
type Stats struct {
	Bytes     int64    `json:"bytes"`     // position of the end of the log
	Oldest    int64    `json:"oldest"`    // position of its first byte that is still there
	Disk      int64    `json:"disk"`      // bytes of its files
	Segments  int      `json:"segments"`  // files that are no longer appended to
	Rotations int64    `json:"rotations"` // since the first look
	Bad       BadLines `json:"bad"`
}

// BadLines counts lines that readers skip, each once.
type BadLines struct {
	NUL     int64 `json:"nul"`     // holds a NUL byte, as a lost page after a power cut does
	UTF8    int64 `json:"utf8"`    // is not UTF-8
	NotJSON int64 `json:"notJson"` // is torn, or is no JSON object
	TooLong int64 `json:"tooLong"` // is longer than MaxLine
}

// Total is the number of bad lines of all kinds.
func (b BadLines) Total() int64 { return b.NUL + b.UTF8 + b.NotJSON + b.TooLong }

// Stats returns what was seen so far.
func (l *Log) Stats() Stats {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	st := l.r.stats
	st.Bad = l.r.bad
	return st
}

// writer is the appending half of a Log. Who is in turn owns the rest.
type writer struct {
	turn   chan struct{} // one slot: a mutex that a context can leave
	lock   *os.File      // flock is taken on it
	lockFD int           // lock's descriptor
	// lockSeen: lock holds our record, or nothing.
	lockSeen bool
	file     *logFile // the active file, opened under the lock
	meta     meta     // without an id while the file's first line is not there
	old      string   // the id that it had before, then
	known    int64    // size after our last append: below it, somebody cut the file
	whole    bool     // known is the end of a line of ours
	noted    int64    // the end that the lock's record tells others
	limit    int64    // RLIMIT_FSIZE when the file was opened
	retry    int64    // the position before which a rotation that failed is not tried again
	buf      []byte
	// The file that was rotated last, and the size up to which it was looked at.
	prev     *logFile
	prevSize int64
	late     bool // a segment may have lines to be carried over
}

// logFile is an open active file that an fsync may still need after the writer
// has moved on to another.
type logFile struct {
	f    *os.File
	fd   int
	id   identity
	mu   sync.Mutex
	refs int
	// named: the directory was synced since the file was made.
	named atomic.Bool
	syncs syncs
}

func newLogFile(f *os.File, id identity) *logFile {
	return &logFile{f: f, fd: int(f.Fd()), id: id, refs: 1}
}

func (lf *logFile) hold() {
	lf.mu.Lock()
	lf.refs++
	lf.mu.Unlock()
}

func (lf *logFile) release() error {
	lf.mu.Lock()
	lf.refs--
	last := lf.refs == 0
	lf.mu.Unlock()
	if last {
		return lf.f.Close()
	}
	return nil
}
