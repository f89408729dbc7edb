package telemetry

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Settle writes down what readers of l have found out, so that who starts later
// knows it too: that the log was cut or lost its events.meta, and how far it
// reaches. A long-running reader calls it now and then, and after a reset; it
// appends nothing, and a log that is not there yet stays so. Best effort: a log
// that this user can't write is left alone, without an error.
func (l *Log) Settle(ctx context.Context) error {
	if _, exists, err := statPath(l.path); err != nil || !exists {
		return nil
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
	err := l.settleLocked(ctx)
	if unlockErr := flock(l.w.lockFD, unix.LOCK_UN); err == nil {
		err = unlockErr
	}
	if err = readOnlyIsFine(err); err != nil {
		return l.fault(err)
	}
	return nil
}

func readOnlyIsFine(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}

// settleLocked brings events.meta and the record to what readers say. It leaves
// the writer's own view alone: the next append finds another log's name in the
// record and looks for itself.
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
		m = meta{Log: v.log, Head: h}
		if err := m.write(l.metaPath); err != nil {
			return err
		}
	}
	w := &l.w
	if w.meta.Log != m.Log {
		w.known = -1 // even if the file has the very size that it had
	}
	note := readRecord(w.lock)
	if note.log == m.Log && note.end >= v.size {
		return nil
	}
	_, err = w.lock.WriteAt(recordOf(m, v.size).bytes(), 0)
	return err
}
