package telemetry

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
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
	last   signature
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
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return // no watches left: the poll does it
	}
	if err := n.Add(w.l.dir); err != nil {
		_ = n.Close() // it watches nothing
		return
	}
	w.notify = n
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
				w.signal()
			case w.concerns(e):
				w.signal()
			default:
				continue
			}
		case <-errs: // events were lost: look
			w.signal()
		case <-timer.C:
			w.look()
		}
		timer.Reset(w.interval())
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

// look is the poll. Without notifications it also tries to get them.
func (w *watch) look() {
	if w.notify == nil {
		w.subscribe()
	}
	if now := w.l.signature(); now != w.last {
		w.last = now
		w.signal()
	}
}

// signal leaves one value, however often it is called before that is taken.
func (w *watch) signal() {
	select {
	case w.out <- struct{}{}:
	default:
	}
}

func (w *watch) unsubscribe() {
	if w.notify != nil {
		_ = w.notify.Close() // it is not used again
		w.notify = nil
	}
}
