package telemetry

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// keepBuf is the largest buffer that is kept for the next append.
const keepBuf = 256 << 10

// AppendAll is Append for several lines: they stand one after another in the log,
// written with one call. The cursor is the one after the last.
func (l *Log) AppendAll(ctx context.Context, lines [][]byte, durable bool) (Cursor, error) {
	for _, line := range lines {
		if len(line) == 0 || len(line)+1 > MaxLine || bytes.IndexByte(line, '\n') >= 0 {
			return Cursor{}, fault.New(fault.Internal, "a line of %d bytes can't be appended to the event log", len(line))
		}
	}
	if len(lines) == 0 {
		return Cursor{}, fault.New(fault.Internal, "no line to append to the event log")
	}
	p, err := l.appendBlock(ctx, func(buf []byte, _ logEnd) ([]byte, bool, error) {
		for _, line := range lines {
			buf = append(append(buf, line...), '\n')
		}
		return buf, durable, nil
	})
	if err != nil {
		return Cursor{}, err
	}
	return p.at, l.settled(p)
}

// logEnd is where the log ends while its lock is held.
type logEnd struct {
	at   Cursor // Log is "" when the log has no name yet
	base int64  // the position of the active file's first byte
	file io.ReaderAt
}

// filling adds whole lines, with their newlines, to buf once the lock is held, and
// says whether they are to be made durable. None is right too.
type filling func(buf []byte, end logEnd) (block []byte, durable bool, err error)

// appended says where a block of lines is.
type appended struct {
	at   Cursor // after it
	from int64  // the position of its first byte
	// alone: nobody who takes no lock has written since the look at the log's end.
	alone bool
	file  *logFile // held, when the block is to be made durable: see settled
}

// appendBlock appends what fill says. The error of fill is returned as it is.
func (l *Log) appendBlock(ctx context.Context, fill filling) (appended, error) {
	l.announce(ctx)
	select {
	case l.w.turn <- struct{}{}:
	default:
		select {
		case l.w.turn <- struct{}{}:
		case <-ctx.Done():
			return appended{}, l.gaveUp(ctx.Err())
		}
	}
	defer func() { <-l.w.turn }()
	return l.appendInTurn(ctx, fill)
}

// settled returns when an append that is to be durable is.
func (l *Log) settled(p appended) error {
	if p.file == nil {
		return nil
	}
	// The lock is free again: others append while the disk works.
	err := l.syncShared(p.file)
	if closeErr := p.file.release(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fault.Wrap(err, fault.NotDurable, "the event was written to %s but could not be synced to disk: %s", store.Display(l.path), errnoText(err)).
			Hintf("check the disk; the event may be lost after a power cut")
	}
	return nil
}

// syncs lets all who wait for a file to be on disk share what the disk does.
type syncs struct {
	one  sync.Mutex // who has it syncs
	mu   sync.Mutex // guards next
	next *syncRun   // begins later, so that it is for whoever joins now
}

type syncRun struct {
	done chan struct{}
	err  error
}

// syncShared returns when all that was in the file at the call is on disk. Those who
// ask while the disk works wait for one sync more, together.
func (l *Log) syncShared(file *logFile) error {
	s := &file.syncs
	s.mu.Lock()
	run := s.next
	leads := run == nil
	if leads {
		run = &syncRun{done: make(chan struct{})}
		s.next = run
	}
	s.mu.Unlock()
	if !leads {
		<-run.done
		return run.err
	}
	s.one.Lock()
	s.mu.Lock()
	s.next = nil
	s.mu.Unlock()
	run.err = l.sys.sync(file.f)
	if run.err == nil && !file.named.Load() { // whoever made the file may have been killed before it synced that
		run.err = l.sys.syncDir(l.dir)
		file.named.Store(run.err == nil)
	}
	s.one.Unlock()
	close(run.done)
	return run.err
}

// appendInTurn appends under the lock.
func (l *Log) appendInTurn(ctx context.Context, fill filling) (p appended, err error) {
	st, exists, err := l.lock(ctx)
	if err != nil {
		return p, err
	}
	defer func() {
		if unlockErr := flock(l.w.lockFD, unix.LOCK_UN); err == nil && unlockErr != nil {
			err = l.fault(unlockErr)
		}
		if err != nil && p.file != nil {
			// The error that is there says more.
			_ = p.file.release()
			p.file = nil
		}
	}()
	torn, err := l.prepare(st, exists)
	if errors.Is(err, errLockGone) {
		l.forget()
	}
	if err != nil {
		return p, l.fault(err)
	}
	w := &l.w
	buf := w.buf[:0]
	if torn {
		buf = append(buf, '\n') // closes off what is there, in the same call
	}
	lead := len(buf)
	buf, durable, err := fill(buf, logEnd{Cursor{w.meta.Log, w.meta.Base + w.known}, w.meta.Base, w.file.f})
	if cap(buf) <= keepBuf {
		w.buf = buf
	}
	if err != nil {
		return p, err
	}
	if len(buf) > lead {
		p.alone, err = l.write(buf, torn)
	}
	if err != nil {
		return p, l.fault(err)
	}
	later := l.fingerprint()
	p.at = Cursor{w.meta.Log, w.meta.Base + w.known}
	p.from = p.at.Pos - int64(len(buf)-lead)
	l.note(p.at.Pos)
	if durable {
		p.file = w.file
		p.file.hold()
	}
	l.afterAppend(later)
	return p, nil
}

// write puts buf, which closes off a torn tail if there is one, at the end of the
// active file with one call. It says whether nobody else has written since the look
// at the file.
func (l *Log) write(buf []byte, torn bool) (alone bool, err error) {
	w := &l.w
	before := w.known
	start, end, err := l.put(buf)
	if err != nil {
		return false, err
	}
	if start != before && !torn {
		if glued, err := tornAt(w.file.f, start); err != nil || glued {
			return false, errors.Join(errGlued, err)
		}
	}
	// Who has been at the file since the stat may have cut it, and so made it another
	// log. When its size does not say so, the next append looks at how it begins.
	w.known, w.whole = end, start == before
	if start < before {
		l.unname()
	}
	return start == before, nil
}

// put adds buf to the active file with one call, and returns where it is.
func (l *Log) put(buf []byte) (start, end int64, err error) {
	w := &l.w
	// Past the process's file size limit the kernel does not return an error first:
	// it sends SIGXFSZ, which ends the program.
	if w.known+int64(len(buf)) > w.limit {
		return 0, 0, syscall.EFBIG
	}
	n, err := l.sys.write(w.file.fd, buf)
	for n <= 0 && err == unix.EINTR {
		n, err = l.sys.write(w.file.fd, buf)
	}
	if err != nil {
		return 0, 0, err
	}
	if n < len(buf) {
		return 0, 0, syscall.ENOSPC
	}
	// The offset after an appending write is the end of what it wrote, also when
	// somebody who takes no lock has appended since the stat.
	end, err = unix.Seek(w.file.fd, 0, io.SeekCurrent)
	return end - int64(n), end, err
}

// errGlued: another writer left an unfinished line between our stat and our
// write, so that our line became the end of it.
var errGlued = errors.New("another program was writing an unfinished line")
