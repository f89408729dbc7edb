package telemetry

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

// Watch returns a channel that gets a value whenever the log may have changed:
// after appends, its creation, removal or replacement. Several changes become one
// value; a value without a change is possible. It is closed when ctx ends. Changes
// are found by notification where that works, and by a poll in any case, also
// before the directory exists.
func (l *Log) Watch(ctx context.Context) (<-chan struct{}, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &watch{l: l, out: make(chan struct{}, 1), last: l.signature()}
	w.subscribe()
	go w.run(ctx)
	return w.out, nil
}

// watch is one running Watch.
type watch struct {
	l      *Log
	out    chan struct{}
	notify *fsnotify.Watcher // nil: polling
	dir    identity          // of the directory that notify is about
	last   signature
	told   bool // of a change, since the last look
}

// signature is what a poll compares.
type signature struct {
	log  fileState
	meta metaState
}

func (l *Log) signature() signature {
	var s signature
	// A file that can't be looked at is as good as none; the next read says why.
	s.log, _, _ = statPath(l.path)
	s.meta, _ = statMeta(l.metaPath)
	return s
}

// subscribe asks for notifications of the directory: the log itself may not
// exist yet, and may be replaced.
func (w *watch) subscribe() {
	if w.l.noNotify {
		return
	}
	// First which directory it is: if another takes its name before Add, the next
	// look finds out.
	dir, ok := dirAt(w.l.dir)
	if !ok {
		return
	}
	n, err := w.l.sys.watcher()
	if err != nil {
		w.polls(err)
		return
	}
	if err := n.Add(w.l.dir); err != nil {
		_ = n.Close() // it watches nothing
		if _, still := dirAt(w.l.dir); still {
			w.polls(err)
		}
		return
	}
	w.notify, w.dir = n, dir
}

// polls says that the system gives no notifications, and what to do about it.
func (w *watch) polls(err error) {
	const head = "the event log is looked at every %s, since the system gives no notice of changes: %s"
	sentence := fmt.Sprintf(head, w.l.fastPoll, errnoText(err))
	switch {
	case errors.Is(err, syscall.EMFILE):
		sentence += " (raise fs.inotify.max_user_instances, or ulimit -n)"
	case errors.Is(err, syscall.ENOSPC):
		sentence = fmt.Sprintf(head, w.l.fastPoll, "no watches are left (raise fs.inotify.max_user_watches)")
	}
	w.l.tell(sentence)
}

// dirAt says which directory is at path, also through links; ok is false when
// there is none.
func dirAt(path string) (id identity, ok bool) {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	for err == unix.EINTR {
		err = unix.Stat(path, &st)
	}
	return stateOf(&st).identity, err == nil
}

func (w *watch) run(ctx context.Context) {
	defer close(w.out)
	defer w.unsubscribe()
	timer := time.NewTimer(w.interval())
	defer timer.Stop()
	for {
		var events <-chan fsnotify.Event
		var errs <-chan error
		if w.notify != nil {
			events, errs = w.notify.Events, w.notify.Errors
		}
		select {
		case <-ctx.Done():
			return
		case e, ok := <-events:
			switch {
			case !ok || e.Name == w.l.dir && e.Has(fsnotify.Remove|fsnotify.Rename):
				w.unsubscribe() // the directory is gone
				w.look()
				w.signal()
				timer.Reset(w.interval())
			case w.concerns(e):
				w.told = true
				if !w.signal() {
					w.rest(ctx)
				}
			}
		case <-errs: // events were lost: look
			w.told = true
			w.signal()
		case <-timer.C: // however much the notifications say: they may be of a directory that was moved
			w.look()
			timer.Reset(w.interval())
		}
	}
}

// concerns reports whether the event is about the log's own files. Notes in the
// lock file are no news.
func (w *watch) concerns(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	name := filepath.Base(e.Name)
	return name == logName || name == metaName
}

func (w *watch) interval() time.Duration {
	if w.notify != nil {
		return w.l.poll
	}
	return w.l.fastPoll
}

// look is the poll. Without notifications it also tries to get them, and anew
// when they are of a directory that no longer has this name, as after a parent was
// renamed, or when they have kept silent about a change.
func (w *watch) look() {
	now := w.l.signature()
	changed := now != w.last
	if dir, ok := dirAt(w.l.dir); w.notify != nil && (!ok || dir != w.dir || changed && !w.told) {
		w.unsubscribe()
	}
	w.told = false
	if w.notify == nil {
		if w.subscribe(); w.notify != nil { // for what came before
			now = w.l.signature()
			changed = changed || now != w.last
		}
	}
	if w.last = now; changed {
		w.signal()
	}
}

// signal leaves one value, however often it is called before that is taken: it says
// whether the one before was.
func (w *watch) signal() bool {
	select {
	case w.out <- struct{}{}:
		return true
	default:
		return false
	}
}

// restTime is how long who has not yet taken a value may be without the next one.
const restTime = time.Millisecond

// rest lets changes come together while nobody waits for them: the system merges
// those that are alike.
func (w *watch) rest(ctx context.Context) {
	t := time.NewTimer(restTime)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

func (w *watch) unsubscribe() {
	if w.notify != nil {
		_ = w.notify.Close() // it is not used again
		w.notify = nil
	}
}
