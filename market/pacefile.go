package market

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ape-claw/ape-claw/store"
)

// lockPatience is far longer than anybody holds the file's lock.
const lockPatience = 200 * time.Millisecond

// maxPaceFile bounds what is read of a pacer's file.
const maxPaceFile = 64 << 10

// paceJSON is a pacer's file. Times are Unix milliseconds.
type paceJSON struct {
	Lanes map[string]laneJSON `json:"lanes"`
	Known map[string]factJSON `json:"known,omitempty"`
}

type factJSON struct {
	Value string `json:"value"`
	Until int64  `json:"until"`
}

type laneJSON struct {
	Next      int64 `json:"next"`
	Hold      int64 `json:"hold,omitempty"`
	Spread    int64 `json:"spread,omitempty"` // milliseconds
	Every     int64 `json:"every,omitempty"`  // milliseconds
	SlowUntil int64 `json:"slowUntil,omitempty"`
}

// share reads what other processes wrote and returns what writes our changes
// back, with the file's lock held in between. The caller holds mu. Without a file,
// or when it can't be used, both do nothing. No write is synced: after a power cut
// there is no pace to keep.
func (p *Pacer) share() (done func()) {
	if p.file == "" {
		return func() {}
	}
	// Not made here: a directory that only holds a pace helps nobody.
	if fi, err := os.Stat(filepath.Dir(p.file)); err != nil || !fi.IsDir() {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	lock, err := store.AcquireLock(ctx, p.file+".lock")
	if err != nil {
		return func() {}
	}
	unlock := func() { _ = lock.Unlock() } // nothing to be done about it
	f, err := store.OpenPrivate(p.file, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return unlock
	}
	p.load(f)
	return func() {
		p.save(f)
		_ = f.Close() // a write that is lost costs a request that was too early
		unlock()
	}
}

// load takes over what the file knows better: the later time of each. What can't
// be read, or is further away than anybody would have asked for, counts as
// nothing: the clock was set, or the file was damaged.
func (p *Pacer) load(f io.Reader) {
	b, err := io.ReadAll(io.LimitReader(f, maxPaceFile))
	var doc paceJSON
	if err != nil || json.Unmarshal(b, &doc) != nil {
		return
	}
	now := p.now()
	read := func(ms int64, most time.Duration) time.Time {
		if at := time.UnixMilli(ms); at.Before(now.Add(most)) {
			return at
		}
		return time.Time{}
	}
	for name, w := range doc.Lanes {
		l := p.lane(name)
		l.next = later(l.next, read(w.Next, maxHold+maxAhead))
		if hold := read(w.Hold, maxHold); hold.After(l.hold) {
			l.hold, l.holds = hold, l.holds+1
			l.spread = min(max(time.Duration(w.Spread)*time.Millisecond, 0), backoffMax)
		}
		if until := read(w.SlowUntil, maxHold); until.After(l.slowUntil) {
			l.slowUntil, l.every = until, min(max(time.Duration(w.Every)*time.Millisecond, 0), maxHold)
		}
	}
	for key, w := range doc.Known {
		if until := read(w.Until, knownFor); until.After(p.known[key].until) {
			p.known[key] = fact{w.Value, until}
		}
	}
}

// save writes what still matters.
func (p *Pacer) save(f *os.File) {
	now, doc := p.now(), paceJSON{Lanes: map[string]laneJSON{}, Known: map[string]factJSON{}}
	for name, l := range p.lanes {
		if now.After(l.next) && now.After(l.hold.Add(l.spread)) && now.After(l.slowUntil) {
			continue
		}
		doc.Lanes[name] = laneJSON{ms(l.next), ms(l.hold), l.spread.Milliseconds(), l.every.Milliseconds(), ms(l.slowUntil)}
	}
	for key, f := range p.known {
		if now.Before(f.until) {
			doc.Known[key] = factJSON{f.value, ms(f.until)}
		}
	}
	b, err := json.Marshal(doc)
	if err != nil || len(b) > maxPaceFile {
		return
	}
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(b, 0) // see share
	}
}

func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
