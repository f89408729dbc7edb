package serve

import (
	"context"
	"slices"
	"sync"

	"github.com/ape-claw/ape-claw/telemetry"
)

// Clients that are behind the frames in memory read the file, in blocks that end
// at the last line before a multiple of gridBytes: wherever two of them began, they
// soon ask for the same blocks, which are read, checked and encoded once for all
// that are near each other, and filtered once a distinct filter. Far apart ones
// share nothing; maxReads bounds what they take from those that keep up.
const (
	gridBytes = 192 << 10
	maxReads  = 2
	keepRead  = 8 // blocks
)

// catchUp reads the file for clients that are behind.
type catchUp struct {
	log    reader
	slots  chan struct{}
	forget func(bool)

	mu      sync.Mutex   // guards what follows
	reading []*fileBlock // being read
	kept    []*fileBlock // read, oldest first
}

// fileBlock is one read. Its fields but at are set before done is closed.
type fileBlock struct {
	at   telemetry.Cursor
	done chan struct{}
	next telemetry.Cursor
	err  error
	chunk
}

func newCatchUp(log reader, forget func(bool)) catchUp {
	return catchUp{log: log, slots: make(chan struct{}, maxReads), forget: forget}
}

// after returns the frames after at, and where to go on: at itself when there is
// nothing new.
func (f *catchUp) after(ctx context.Context, at telemetry.Cursor) (*fileBlock, error) {
	for {
		b, mine := f.claim(at)
		if mine {
			b.read(ctx, f)
			f.settle(b)
			return b, b.err
		}
		select {
		case <-b.done:
			if b.err == nil && b.next != at {
				return b, nil
			}
			// The other's read failed, perhaps since its client left: do it oneself.
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// claim returns the block at this place; mine: the caller must read it.
func (f *catchUp) claim(at telemetry.Cursor) (b *fileBlock, mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	here := func(b *fileBlock) bool { return b.at == at }
	if i := slices.IndexFunc(f.kept, here); i >= 0 {
		b = f.kept[i]
		f.kept = append(slices.Delete(f.kept, i, i+1), b)
		return b, false
	}
	if i := slices.IndexFunc(f.reading, here); i >= 0 {
		return f.reading[i], false
	}
	b = &fileBlock{at: at, done: make(chan struct{})}
	f.reading = append(f.reading, b)
	return b, true
}

func (b *fileBlock) read(ctx context.Context, f *catchUp) {
	select {
	case f.slots <- struct{}{}:
	case <-ctx.Done():
		b.err = ctx.Err()
		return
	}
	defer func() { <-f.slots }()
	lines, next, err := f.log.after(ctx, b.at, batchLines, toGrid(b.at.Pos))
	b.next, b.err = next, err
	if err != nil {
		return
	}
	room := 0
	for _, l := range lines {
		room += frameRoom(l)
	}
	b.chunk = newChunk(telemetry.Cursor{Log: next.Log, Pos: b.at.Pos}, room)
	b.frames = make([]frameRef, 0, len(lines))
	for _, l := range lines {
		b.add(l, 0)
	}
	b.end = next.Pos
}

// toGrid is how many bytes to read from pos on.
func toGrid(pos int64) int {
	n := gridBytes - int(pos%gridBytes)
	if n < gridBytes/16 { // no block of one line
		n += gridBytes
	}
	return n
}

// settle ends the wait for b, and lets go of those that were not used for
// longest; who uses one keeps it until it is sent.
func (f *catchUp) settle(b *fileBlock) {
	f.mu.Lock()
	close(b.done)
	f.reading = slices.DeleteFunc(f.reading, func(x *fileBlock) bool { return x == b })
	shared := b.err == nil && b.next != b.at && !b.at.IsZero() // else the next look may see more, or begin elsewhere
	over := 0
	if shared {
		f.kept = append(f.kept, b)
		over = max(0, len(f.kept)-keepRead)
	}
	drop(f.kept[:over])
	f.kept = slices.Delete(f.kept, 0, over)
	f.mu.Unlock()
	f.forget(over > 0)
}

// drop lets go of all blocks.
func (f *catchUp) drop() {
	f.mu.Lock()
	drop(f.kept)
	f.kept = nil
	f.mu.Unlock()
	f.forget(true)
}

func drop(blocks []*fileBlock) {
	for _, b := range blocks {
		b.seg.gone.Store(true)
	}
}

// held is the memory of the blocks.
func (f *catchUp) held() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.kept {
		n += b.cost()
	}
	return n
}
