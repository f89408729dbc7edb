package serve

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

// cooldowns let one thing happen once in a while for each address. The table is
// bounded: who was there first is forgotten first.
type cooldowns struct {
	mu    sync.Mutex // guards what follows
	byKey map[netip.Prefix]*list.Element
	order *list.List // of cooling, the latest first
}

type cooling struct {
	key netip.Prefix
	at  time.Time
}

func newCooldowns() *cooldowns {
	return &cooldowns{byKey: map[netip.Prefix]*list.Element{}, order: list.New()}
}

// take reports how long key still has to wait; when that is nothing, it begins anew.
func (c *cooldowns) take(key netip.Prefix, now time.Time, every time.Duration) (wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[key]; ok {
		if wait = every - now.Sub(el.Value.(cooling).at); wait > 0 {
			return min(wait, every) // the clock may have been set back
		}
		c.order.Remove(el)
	} else if c.order.Len() >= maxTracked {
		delete(c.byKey, c.order.Remove(c.order.Back()).(cooling).key)
	}
	c.byKey[key] = c.order.PushFront(cooling{key, now})
	return 0
}
