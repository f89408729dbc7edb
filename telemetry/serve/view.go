package serve

import (
	"sync"

	"github.com/ape-claw/ape-claw/telemetry"
)

// viewMemo is how many recent blocks a view remembers its answer for: clients
// that keep up are all within the newest few.
const viewMemo = 16

// view is one distinct filter, shared by every client that asked for it, so
// that it is evaluated once an event however many they are.
type view struct {
	filter telemetry.Filter
	refs   int // guarded by hub.mu

	mu   sync.Mutex // guards what follows
	next int
	memo [viewMemo]struct {
		b    *block
		runs [][]byte
	}
}

// acquire returns the shared view of filter. The caller releases it.
func (h *hub) acquire(filter telemetry.Filter) *view {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := filter.Key()
	v := h.views[key]
	if v == nil {
		v = &view{filter: filter}
		h.views[key] = v
	}
	v.refs++
	return v
}

func (h *hub) release(v *view) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if v.refs--; v.refs == 0 {
		delete(h.views, v.filter.Key())
	}
}

// runs returns the frames of b from index i on that pass the filter, as slices
// of the block's own bytes.
func (v *view) runs(b *block, i int) [][]byte {
	if i > 0 {
		return v.match(b, i)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for k := range v.memo {
		if v.memo[k].b == b {
			return v.memo[k].runs
		}
	}
	runs := v.match(b, 0)
	if b.gone.Load() { // forget may have been here already
		return runs
	}
	v.memo[v.next].b, v.memo[v.next].runs = b, runs
	v.next = (v.next + 1) % viewMemo
	return runs
}

// forget lets go of the blocks that the hub dropped: the views' memory would
// else be that of many rings.
func (v *view) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for k := range v.memo {
		if b := v.memo[k].b; b != nil && b.gone.Load() {
			v.memo[k].b, v.memo[k].runs = nil, nil
		}
	}
}

func (v *view) match(b *block, i int) [][]byte {
	var runs [][]byte
	open := -1 // offset where the current run began
	for ; i < len(b.frames); i++ {
		switch pass := v.filter.Match(b.line(i)); {
		case pass && open < 0:
			open = b.from(i)
		case !pass && open >= 0:
			runs = append(runs, b.buf[open:b.from(i)])
			open = -1
		}
	}
	if open >= 0 {
		runs = append(runs, b.buf[open:])
	}
	return runs
}
