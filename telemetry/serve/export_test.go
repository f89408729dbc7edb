package serve

import (
	"runtime"
	"weak"
)

// AppendFrame is tested from outside as the wire sees it.
var AppendFrame = appendFrame

// MemoBlocks counts the blocks that views remember, and those of them that are
// in memory for nothing else.
func (s *Server) MemoBlocks() (all, stale int) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	kept := map[*segment]bool{}
	for _, seg := range s.hub.segs {
		kept[seg] = true
	}
	for _, v := range s.hub.views {
		v.mu.Lock()
		for _, m := range v.memo {
			if m.seg != nil {
				all++
			}
			if m.seg != nil && !kept[m.seg] {
				stale++
			}
		}
		v.mu.Unlock()
	}
	return all, stale
}

// Segments watches all segments of frames that ever were.
type Segments struct {
	s    *Server
	seen map[weak.Pointer[segment]]bool
}

// WatchSegments begins to watch; Look must be called before a segment can be gone.
func (s *Server) WatchSegments() *Segments {
	return &Segments{s, map[weak.Pointer[segment]]bool{}}
}

// Look notes the segments there are.
func (w *Segments) Look() {
	w.s.hub.mu.Lock()
	defer w.s.hub.mu.Unlock()
	for _, seg := range w.s.hub.segs {
		w.seen[weak.Make(seg)] = true
	}
	w.s.hub.files.mu.Lock()
	defer w.s.hub.files.mu.Unlock()
	for _, b := range w.s.hub.files.kept {
		w.seen[weak.Make(b.seg)] = true
	}
}

// Held returns how many there were, and how many bytes of those that the server
// dropped are still in memory.
func (w *Segments) Held() (all, bytes int) {
	runtime.GC()
	runtime.GC()
	for p := range w.seen {
		if seg := p.Value(); seg != nil && seg.gone.Load() {
			bytes += cap(seg.buf)
		}
	}
	return len(w.seen), bytes
}

// Held is the memory of the shared frames.
func (s *Server) Held() (ring, files int) { return s.hub.held(), s.hub.files.held() }

// OpenViews is how many distinct filters are in use.
func (s *Server) OpenViews() int {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return len(s.hub.views)
}
