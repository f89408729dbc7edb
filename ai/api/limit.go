package api

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// writesPerMinute is what one person's hands, and no loop, need.
const writesPerMinute = 60

// bucket holds one token a write; it fills up within a minute. There is one
// operator, so there is one bucket.
type bucket struct {
	mu    sync.Mutex
	size  int
	every time.Duration // until one more
	now   func() time.Time
	full  time.Time // when it is full again
}

func newBucket(size int, now func() time.Time) *bucket {
	return &bucket{size: size, every: time.Minute / time.Duration(size), now: now}
}

// take takes one, or tells how long until there is one.
func (b *bucket) take() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if b.full.Before(now) {
		b.full = now
	}
	if wait := b.full.Add(b.every).Sub(now) - time.Duration(b.size)*b.every; wait > 0 {
		return wait
	}
	b.full = b.full.Add(b.every)
	return 0
}

func tooMany(w http.ResponseWriter, wait time.Duration) error {
	seconds := int(math.Ceil(wait.Seconds()))
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	return fault.New(fault.RateLimited, "more than %d writes in a minute", writesPerMinute).Hintf("try again in %d s", seconds)
}

// ownOrigin refuses what another site's page makes a browser send, allowed to
// read here or not.
func ownOrigin(r *http.Request) error {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return fault.Wrap(err, fault.PermissionDenied, "this call comes from another site's page").Hintf("use the page of this server")
	}
	return nil
}
