package api

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// patience is what one read of the chain takes at the most, waiting for its turn
	// included.
	patience = 5 * time.Second
	// atOnce is how many reads ask the node at the same time.
	atOnce = 4
	// fresh is how long an answer holds, and an error: a page in many tabs, or many
	// callers, cost the node one read.
	fresh = 2 * time.Second
	// kept is how many answers are remembered of those that have a parameter.
	kept = 256
)

// desk answers what was asked just now from memory, lets all who ask the same wait
// for one read, and bounds how many reads there are at once.
type desk struct {
	now   func() time.Time
	turns chan struct{}

	mu    sync.Mutex // guards what follows
	known map[string]*answer
}

// answer is what came of one read; ready is closed when it has come.
type answer struct {
	ready chan struct{}
	body  []byte
	err   error
	until time.Time // zero until it has come
}

func newDesk(now func() time.Time) *desk {
	return &desk{now: now, turns: make(chan struct{}, atOnce), known: map[string]*answer{}}
}

// ask returns the answer to a route's question, from read unless it is known. One who
// asked first reads for all who come meanwhile, also when it goes away itself.
func (d *desk) ask(ctx context.Context, path, param string, read func(context.Context) ([]byte, error)) ([]byte, error) {
	a, mine := d.place(path+" "+param, param == "")
	if a == nil {
		return nil, errBusy()
	}
	if !mine {
		select {
		case <-a.ready:
			return a.body, a.err
		case <-ctx.Done():
			return nil, fault.New(fault.Canceled, "the caller went away")
		}
	}
	a.err = errors.New("v2: a read panicked")
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		a.until = d.now().Add(fresh)
		close(a.ready)
	}()
	// The others wait for this one: it does not end with its caller.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	select {
	case d.turns <- struct{}{}:
		defer func() { <-d.turns }()
	case <-ctx.Done():
		a.err = errBusy()
		return nil, a.err
	}
	a.body, a.err = read(ctx)
	return a.body, a.err
}

// place returns the answer of key, and whether the caller is to find it; nil when so
// many others are remembered that there is no place, unless one is always kept.
func (d *desk) place(key string, always bool) (a *answer, mine bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	maps.DeleteFunc(d.known, func(_ string, a *answer) bool { return !a.until.IsZero() && !now.Before(a.until) })
	if a := d.known[key]; a != nil {
		return a, false
	}
	if !always && len(d.known) >= kept {
		return nil, false
	}
	a = &answer{ready: make(chan struct{})}
	d.known[key] = a
	return a, true
}

func errBusy() error {
	return fault.New(fault.RateLimited, "too much of the chain is being read at once").Hintf("try again in a second")
}
