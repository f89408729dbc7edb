package telemetry

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// SetSystem replaces the system calls of an append, for tests that make them
// fail. A nil function stays as it is.
func (l *Log) SetSystem(write func(fd int, p []byte) (int, error), sync func(f *os.File) error) {
	if write != nil {
		l.sys.write = write
	}
	if sync != nil {
		l.sys.sync = sync
	}
}

// SetSyncDir replaces the call that makes a file's creation durable.
func (l *Log) SetSyncDir(sync func(dir string) error) { l.sys.syncDir = sync }

// InTurn reports whether an append is under way.
func (l *Log) InTurn() bool { return len(l.w.turn) > 0 }

// ValidJSON is the scanner's own judgement, for comparison with encoding/json.
func ValidJSON(b []byte) bool {
	i := skipSpace(b, 0)
	end, ok := skipValue(b, i, 0)
	return ok && skipSpace(b, end) == len(b)
}

// HasSensitiveName is the cheap scan of foreign lines.
func HasSensitiveName(b []byte) bool { return hasSensitiveName(b) }

// WriteMeta writes events.meta as a rotation will, for tests of readers.
func (l *Log) WriteMeta(log string, base int64, names []string, bounds []int64) error {
	m := meta{Log: log, Base: base}
	for i, n := range names {
		m.Segments = append(m.Segments, segment{Name: n, First: bounds[i], End: bounds[i+1]})
	}
	b, err := m.bytes()
	if err != nil {
		return err
	}
	return l.sys.writeFile(l.metaPath, b)
}

// LongestMeta is events.meta of as many segments as there may be, each of the most
// bytes, and with all that may be under way.
func LongestMeta(log string) ([]byte, error) {
	h := &head{headMax, strings.Repeat("f", sumLen)}
	m := meta{Log: log, Base: maxBase, Head: h}
	name := fmt.Sprintf("%s%d-999%s", segmentPrefix, int64(maxBase), segmentSuffix)
	for range maxSegments {
		m.Segments = append(m.Segments, segment{name, maxBase, maxBase, maxBase, h})
	}
	m.Next = &rotation{name, math.MaxUint64, math.MaxUint64, maxBase}
	m.Carry = &carrying{name, maxBase, maxCarry, maxBase, strings.Repeat("s", markLen)}
	return m.bytes()
}

// CheckShape checks obj against a declaration in the catalogue's notation.
func CheckShape(spec string, obj []byte) string { return newShape(spec).check(obj) }

// ShapeSchema prints a declaration in the catalogue's notation as JSON Schema.
func ShapeSchema(spec string) []byte { return newShape(spec).jsonSchema() }

// SetSteps has step called before each call that changes something; an error makes
// the call fail instead. Nothing is synced, which a kill can't show and takes most
// of the time.
func (l *Log) SetSteps(step func(op string) error) {
	s := realSystem()
	l.sys.write = func(fd int, p []byte) (int, error) {
		if err := step("write"); err != nil {
			return -1, err
		}
		return s.write(fd, p)
	}
	l.sys.syncDir = func(string) error { return step("sync directory") }
	l.sys.open = func(path string, flag int) (*os.File, error) {
		if err := step("open"); err != nil {
			return nil, err
		}
		return s.open(path, flag)
	}
	l.sys.rename = func(from, to string) error { return after(step("rename"), func() error { return s.rename(from, to) }) }
	l.sys.remove = func(path string) error { return after(step("remove"), func() error { return s.remove(path) }) }
	l.sys.writeFile = func(path string, data []byte) error {
		return after(step("write "+filepath.Base(path)), func() error {
			tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
			return after(os.WriteFile(tmp, data, 0o600), func() error { return os.Rename(tmp, path) })
		})
	}
}

func after(err error, f func() error) error {
	if err != nil {
		return err
	}
	return f()
}

// SetPause has pause called inside each look of a reader.
func (l *Log) SetPause(pause func()) { l.sys.pause = pause }

// SetWatcher replaces what gives notifications.
func (l *Log) SetWatcher(w func() (*fsnotify.Watcher, error)) { l.sys.watcher = w }

// Abandon leaves the writer as a killed process does: nothing is written any more,
// and the lock is free.
func (l *Log) Abandon() {
	for _, f := range []*logFile{l.w.file, l.w.prev} {
		if f != nil {
			_ = f.f.Close()
		}
	}
	if l.w.lock != nil {
		_ = l.w.lock.Close()
	}
	l.w = writer{turn: make(chan struct{}, 1)}
}

// Write returns what an append writes with.
func (l *Log) Write() func(fd int, p []byte) (int, error) { return l.sys.write }
