package telemetry

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// noteEvery is how much an append may add before it tells other processes how
// far the file reaches. The first append of a Log and Close always tell.
const noteEvery = 64 << 10

// Append appends one line, given without its newline, and returns the cursor
// after it. With durable set, it returns only when the line is on disk.
//
// A failed append is not tried again: part of the line may be there, which the
// next append closes off. Errors are faults: StateUnusable when the line is not
// in the log, NotDurable when it is but may not survive a power cut, Conflict
// when other processes held the lock until the timeout or ctx's deadline.
func (l *Log) Append(ctx context.Context, line []byte, durable bool) (Cursor, error) {
	if len(line) == 0 || len(line)+1 > MaxLine || bytes.IndexByte(line, '\n') >= 0 {
		return Cursor{}, fault.New(fault.Internal, "a line of %d bytes can't be appended to the event log", len(line))
	}
	p, err := l.appendBlock(ctx, func(buf []byte, _ logEnd) ([]byte, bool, error) {
		return append(append(buf, line...), '\n'), durable, nil
	})
	if err != nil {
		return Cursor{}, err
	}
	return p.at, l.settled(p)
}

// prepare makes sure that the active file is open and known, under the lock,
// and says whether its last line is torn.
func (l *Log) prepare(st fileState, exists bool) (torn bool, err error) {
	w := &l.w
	if exists && !st.regular {
		return false, notRegular(l.path)
	}
	if w.file != nil && st.size == w.known && w.whole {
		return false, nil // nobody but us has touched it
	}
	for range lookTries {
		if err := l.adopt(st, exists, true); err != nil {
			return false, err
		}
		if torn, err = tornAt(w.file.f, w.known); err != io.EOF {
			return torn, err
		}
		// It was cut just now.
		if st, err = statFile(w.file.f); err != nil {
			return false, err
		}
		exists = true
	}
	return false, errReplaced
}

// adopt opens the active file and finds out whether it is still the log that
// events.meta speaks of. If it is not, it is given a new id; if there is none, or it
// is empty, a log is begun if that may be. A rotation that was not completed is.
func (l *Log) adopt(st fileState, exists, mayBegin bool) error {
	w := &l.w
	w.whole = false
	same := w.file != nil // lock has made sure of it
	note := readRecord(w.lock)
	cut := same && st.size < w.known
	old, again := w.meta.Log, !same || cut || w.meta.Log == "" || note.log != w.meta.Log
	if again {
		m, err := readMeta(l.metaPath)
		if err != nil {
			return err
		}
		w.meta = m
		if m.Next != nil {
			if st, exists, err = l.recover(st, exists); err != nil {
				return err
			}
		}
	}
	if w.meta.fresh() {
		cut = cut && w.meta.Log == old || note.log == w.meta.Log && note.end > w.meta.Base+st.size
		if !cut {
			return l.adoptFresh(st, same, again)
		}
	}
	if !exists || st.size == 0 {
		if !mayBegin {
			return errNoLog
		}
		return l.begin()
	}
	if !same {
		if err := l.open(os.O_RDWR | os.O_APPEND); err != nil {
			return err
		}
	}
	w.known = st.size
	lost := again && w.meta.Log == ""
	if lost {
		h, err := readHead(w.file.f)
		if err != nil {
			return err
		}
		w.meta = note.recall(h)
	}
	if w.meta.Log != old {
		cut, w.noted = cut && w.meta.fresh(), 0
	}
	cut = cut || note.log == w.meta.Log && note.end > w.meta.Base+st.size
	ours := false
	if h := w.meta.Head; !cut && w.meta.Log != "" && h != nil {
		var err error
		if ours, err = h.isHeadOf(w.file.f); err != nil {
			return err
		}
	}
	switch {
	case !ours:
		return l.rename()
	case lost:
		return l.setMeta(w.meta)
	case again:
		return l.findLate()
	}
	return nil
}

// adoptFresh opens the active file after a rotation, or makes it.
func (l *Log) adoptFresh(st fileState, same, again bool) error {
	l.w.known = st.size
	if !same {
		if err := l.create(); err != nil {
			return err
		}
	}
	if again {
		return l.findLate()
	}
	return nil
}

// rename gives the active file the id that readers, who write nothing, have found
// for it: it follows from what events.meta says and from the file's first line. While
// that is not whole, the append that completes it names the log. The file's place
// among all positions stays, so that the names of segments do not come again; older
// segments are not the new log's.
func (l *Log) rename() error {
	l.unname()
	return l.fingerprint()
}

// unname forgets which log the active file was.
func (l *Log) unname() {
	w := &l.w
	l.dropPrev()
	w.late, w.old, w.meta = false, w.meta.Log, meta{Base: w.meta.Base}
}

// errNoLog: there is no log, and who looks for it is not to begin one.
var errNoLog = errors.New("there is no event log")

// begin starts a new log in an empty or missing file.
func (l *Log) begin() error {
	if err := l.create(); err != nil {
		return err
	}
	return l.rename() // somebody may have been faster
}

// fingerprint writes down how the active file begins, once that is known, and names
// the log by it if it has no name.
func (l *Log) fingerprint() error {
	w := &l.w
	if w.meta.Head != nil {
		return nil
	}
	h, err := readHead(w.file.f)
	if err != nil || h == nil {
		return err
	}
	if w.meta.Log == "" {
		w.meta.Log, w.meta.Head = nextLogID(w.old, h), h
		return l.setMeta(w.meta)
	}
	if ok, err := l.reread(); err != nil || !ok || w.meta.Head != nil {
		return err
	}
	m := w.meta
	m.Head = h
	return l.setMeta(m)
}

func (l *Log) setMeta(m meta) error {
	if err := l.writeMeta(m); err != nil {
		return err
	}
	l.w.meta, l.w.noted = m, 0
	return nil
}

// writeMeta replaces events.meta, unless the lock that we hold is no longer the one
// that others take: they may be about to replace it too. The disk takes a while, so
// it looks again before anybody relies on what was written.
func (l *Log) writeMeta(m meta) error {
	b, err := m.bytes()
	if err == nil {
		err = l.checkTheLock()
	}
	if err == nil {
		err = l.sys.writeFile(l.metaPath, b)
	}
	if err == nil {
		err = l.checkTheLock()
	}
	return err
}

func (l *Log) checkTheLock() error {
	if ours, err := l.isTheLock(); err != nil || !ours {
		return errors.Join(errLockGone, err)
	}
	return nil
}

// open opens the active file; the caller holds the lock.
func (l *Log) open(flag int) error {
	f, err := l.sys.open(l.path, flag)
	if err != nil {
		return err
	}
	st, err := statFile(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if l.w.file != nil {
		err = l.w.file.release()
	}
	l.w.file, l.w.limit = newLogFile(f, st.identity), fileSizeLimit()
	return err
}

// fileSizeLimit returns RLIMIT_FSIZE.
func fileSizeLimit() int64 {
	const none = 1<<63 - 1
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &r) != nil || uint64(r.Cur) > none {
		return none
	}
	return int64(r.Cur)
}

// tornAt reports whether the byte before end is not a newline.
func tornAt(f io.ReaderAt, end int64) (bool, error) {
	if end == 0 {
		return false, nil
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], end-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}

// note tells other processes, now and then, how far the log reaches. It is a
// hint: when it can't be written, a cut may be noticed later, nothing else.
func (l *Log) note(end int64) {
	w := &l.w
	if w.noted != 0 && end-w.noted < noteEvery {
		return
	}
	if _, err := w.lock.WriteAt(recordOf(w.meta, end).bytes(), 0); err == nil {
		w.noted = end
	}
}
