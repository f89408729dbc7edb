package serve

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
