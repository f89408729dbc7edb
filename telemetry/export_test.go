package telemetry

import "os"

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
		m.Segments = append(m.Segments, segment{n, bounds[i], bounds[i+1]})
	}
	return m.write(l.metaPath)
}

// CheckShape checks obj against a declaration in the catalogue's notation.
func CheckShape(spec string, obj []byte) string { return newShape(spec).check(obj) }

// ShapeSchema prints a declaration in the catalogue's notation as JSON Schema.
func ShapeSchema(spec string) []byte { return newShape(spec).jsonSchema() }
