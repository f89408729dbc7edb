package telemetry

import "sync"

// grown is the newest stretch of the log that an Ingest alone wrote: who only counts
// events need not read it.
type grown struct {
	mu       sync.Mutex // guards what follows
	from, to Cursor
	lines    int64
}

// note adds what was appended at p to the stretch, or begins another.
func (s *grown) note(p appended, lines int) {
	if lines == 0 {
		return
	}
	from := Cursor{p.at.Log, p.from}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !p.alone || from.Log == "":
		s.from, s.to, s.lines = Cursor{}, Cursor{}, 0
		return
	case s.to != from:
		s.from, s.lines = from, 0
	}
	s.to = p.at
	s.lines += int64(lines)
}

// Grown returns the newest stretch of the log that holds only good lines of this
// Ingest, and how many. The next call's begins at its end or later; the zero Cursor
// says that there is none.
func (g *Ingest) Grown() (from, to Cursor, lines int64) {
	s := &g.grown
	s.mu.Lock()
	defer s.mu.Unlock()
	from, to, lines = s.from, s.to, s.lines
	if s.from = s.to; lines == 0 {
		from, to = Cursor{}, Cursor{}
	}
	s.lines = 0
	return from, to, lines
}
