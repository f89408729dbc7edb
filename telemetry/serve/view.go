package serve

import (
	"sort"
	"sync"
	"sync/atomic"

	"github.com/ape-claw/ape-claw/telemetry"
)

// viewMemo is how many recent segments a view remembers its answer for: clients
// that keep up are all within the newest few.
const viewMemo = 16

// view is one distinct filter, shared by every client that asked for it, so
// that it is evaluated once an event however many they are.
type view struct {
	filter telemetry.Filter
	asked  *atomic.Int64
	refs   int // guarded by hub.mu

	mu   sync.Mutex // guards what follows
	next int
	memo [viewMemo]memo
}

// memo is what a view knows of one segment.
type memo struct {
	seg  *segment
	upTo int   // frames before this one were looked at
	runs []run // only added to: who has them reads on without a lock
}

// run is a range of frames that pass.
type run struct{ from, to int }

// acquire returns the shared view of filter. The caller releases it.
func (h *hub) acquire(filter telemetry.Filter) *view {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := filter.Key()
	v := h.views[key]
	if v == nil {
		v = &view{filter: filter, asked: &h.metrics.filtered}
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

// runs returns which frames of c pass, from index i on: the first and the last run
// may reach beyond [i, len(c.frames)), so the caller clips them.
func (v *view) runs(c chunk, i int) []run {
	if len(c.frames) == 0 {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.memoOf(c.seg)
	m.runs = v.match(m.runs, c, m.upTo)
	m.upTo = max(m.upTo, len(c.frames))
	runs := m.runs
	if c.seg.gone.Load() { // forget may have been here already
		*m = memo{}
	}
	return runs[sort.Search(len(runs), func(k int) bool { return runs[k].to > i }):]
}

// memoOf returns the memo of s, a new one in the place of the oldest if need be;
// the caller holds v.mu.
func (v *view) memoOf(s *segment) *memo {
	for k := range v.memo {
		if v.memo[k].seg == s {
			return &v.memo[k]
		}
	}
	m := &v.memo[v.next]
	*m = memo{seg: s}
	v.next = (v.next + 1) % viewMemo
	return m
}

// forget lets go of the segments that the hub dropped: the views' memory would
// else be that of many rings.
func (v *view) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for k := range v.memo {
		if s := v.memo[k].seg; s != nil && s.gone.Load() {
			v.memo[k] = memo{}
		}
	}
}

// match adds what passes of c's frames from index i on. A run that it was given is
// not made longer, since others read it.
func (v *view) match(runs []run, c chunk, i int) []run {
	v.asked.Add(int64(max(0, len(c.frames)-i)))
	open := -1
	for ; i < len(c.frames); i++ {
		switch pass := v.filter.Match(c.line(i)); {
		case pass && open < 0:
			open = i
		case !pass && open >= 0:
			runs = append(runs, run{open, i})
			open = -1
		}
	}
	if open >= 0 {
		runs = append(runs, run{open, len(c.frames)})
	}
	return runs
}
