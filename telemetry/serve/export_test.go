package serve

// AppendFrame is tested from outside as the wire sees it.
var AppendFrame = appendFrame

// MemoBlocks counts the blocks that views remember, and those of them that are
// in memory for nothing else.
func (s *Server) MemoBlocks() (all, stale int) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	kept := map[*block]bool{}
	for _, b := range s.hub.blocks {
		kept[b] = true
	}
	for _, v := range s.hub.views {
		v.mu.Lock()
		for _, m := range v.memo {
			if m.b != nil {
				all++
			}
			if m.b != nil && !kept[m.b] {
				stale++
			}
		}
		v.mu.Unlock()
	}
	return all, stale
}
