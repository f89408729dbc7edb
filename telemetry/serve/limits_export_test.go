package serve

import (
	"net/netip"
	"time"
)

// Rates is a table of rates, for tests of its size.
type Rates struct{ t *rates[netip.Prefix] }

// NewRates returns an empty one.
func NewRates(each Rate) Rates { return Rates{newRates[netip.Prefix](each)} }

// Take uses up one event of key.
func (r Rates) Take(key netip.Prefix, now time.Time) time.Duration { return r.t.take(key, now) }

// Len is how many keys it holds.
func (r Rates) Len() int { return len(r.t.byKey) }

// Searchers is how many callers have, or wait for, a search of the log.
func (s *Server) Searchers() int {
	s.scans.mu.Lock()
	defer s.scans.mu.Unlock()
	return len(s.scans.each)
}
