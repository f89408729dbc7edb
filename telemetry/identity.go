package telemetry

import (
	"math"

	"github.com/ape-claw/ape-claw/store"
)

// rotate notes that the active file is another one, by rotations: what was whole in
// the old ones is before the new one.
func (r *reader) rotate() {
	m := &r.meta
	if m.Log == "" || m.Log != r.log || m.Base <= r.base || r.cut || r.top == math.MaxInt64 {
		return // also when it was seen to be empty in the middle of a rotation
	}
	for _, s := range m.Segments {
		if s.First >= r.base {
			r.stats.Rotations++
		}
	}
	r.base, r.top = m.Base, min(r.top, m.Base)
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
	unmarked := m.fresh() && (note.log != m.Log || note.end <= m.Base+size)
	if h == nil && !unmarked {
		// Whatever comes after this emptiness is not what was there, however long.
		r.size, r.head, r.top = size, nil, math.MaxInt64
		return false, nil
	}
	ours := unmarked
	if m.Log != "" && m.Head != nil {
		if ours, err = m.Head.isHeadOf(r.file.f); err != nil {
			return false, err
		}
	}
	if ours && note.log == m.Log && note.end > m.Base+size {
		ours = false
	}
	return r.name(h, size, ours), nil
}

// name gives the open file, of size bytes, its id and place. ours: it is what
// events.meta speaks of. It says whether it could. An id is never kept by a file that has lost bytes, or a
// cursor to them would pass for one to what came in their place.
func (r *reader) name(h *head, size int64, ours bool) bool {
	log, base := r.meta.Log, r.meta.Base
	if !ours && h != nil {
		log = nextLogID(log, h)
	}
	for r.dead[log] || log == r.log && base+size < r.top {
		if h == nil {
			r.size, r.head, r.top = size, nil, math.MaxInt64
			return false
		}
		if r.dead == nil {
			r.dead = map[string]bool{}
		}
		r.dead[log] = true
		log = nextLogID(log, h)
	}
	if log != r.log {
		r.top = 0
	}
	r.log, r.base, r.cut = log, base, log != r.meta.Log
	r.size, r.head, r.top = size, h, max(r.top, base+size)
	return true
}

// nothing is identify for a missing file: at the start of a log, and right after a
// rotation, it is still to be made.
func (r *reader) nothing() (known bool) {
	r.drop()
	m := &r.meta
	if !m.fresh() {
		return false
	}
	if r.dead[m.Log] || r.log == m.Log && r.top > m.Base {
		r.top = math.MaxInt64 // it was there
		return false
	}
	r.log, r.base, r.cut, r.top = m.Log, m.Base, false, m.Base
	return true
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
