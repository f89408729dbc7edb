package torture_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
)

// hold is a client that can be made to read nothing for a while.
type hold struct {
	*follower
	mu   sync.Mutex
	stop chan struct{} // nil: reads
}

func followHeld(t *testing.T, srv *server, name string) *hold {
	t.Helper()
	h := &hold{follower: &follower{t: t, name: name, srv: srv, lastID: "0-0", bufferBytes: 128 << 10}}
	h.after = func(ctx context.Context, _ int) {
		h.mu.Lock()
		stop := h.stop
		h.mu.Unlock()
		if stop == nil {
			return
		}
		select {
		case <-stop:
		case <-ctx.Done():
		}
	}
	h.start()
	return h
}

func (h *hold) freeze() {
	h.mu.Lock()
	if h.stop == nil {
		h.stop = make(chan struct{})
	}
	h.mu.Unlock()
}

func (h *hold) thaw() {
	h.mu.Lock()
	if h.stop != nil {
		close(h.stop)
	}
	h.stop = nil
	h.mu.Unlock()
}

// gaps compares events with the positions in their ids: each one begins where the
// one before it ended, but for those after a reset, which begin at its oldest.
func gaps(f *follower) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.problem != nil {
		return f.problem.Error()
	}
	next, resets := int64(0), f.resets
	for i, r := range f.got {
		begins := r.pos - int64(r.size) - 1
		for len(resets) > 0 && resets[0].n == i {
			reset := resets[0]
			resets = resets[1:]
			_, oldest, _ := cutCursor(reset.Oldest)
			_, from, _ := cutCursor(reset.From)
			_, at, _ := cutCursor(reset.id)
			if reset.Reason != "gone" || oldest <= next || from != next || at != oldest {
				return fmt.Sprintf("a reset %+v before event %d, when the client was at %d", reset, i, next)
			}
			next = oldest
		}
		if begins != next {
			return fmt.Sprintf("event %d begins at %d; what it had before ends at %d", i, begins, next)
		}
		next = r.pos
	}
	return ""
}

// Old files are removed while slow clients stand in them: each is told once, and
// goes on at the oldest event. Nobody misses anything without being told.
func TestRetention(t *testing.T) {
	_, dir := begin(t)
	const size = 8 << 10
	rotate, keep := int64(512<<10), int64(1<<20)
	srv := newServer(t, dir, rotation(rotate), fmt.Sprintf("APE_CLAW_TELEMETRY_KEEP_BYTES=%d", keep))
	l := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: rotate, KeepBytes: keep})
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	n := 0
	var end telemetry.Cursor
	put := func(count int) {
		t.Helper()
		for range count {
			var err error
			if end, err = l.Append(t.Context(), lineOf(id{1, 0, n}, size), false); err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	put(20)
	fast := follow(t, srv, "a fast client", "0-0", "")
	away := follow(t, srv, "a client that is away", "0-0", "")
	clients := []*follower{fast, away}
	var slow []*hold
	for i := range scale(3, 20) {
		h := followHeld(t, srv, fmt.Sprintf("slow client %d", i))
		slow, clients = append(slow, h), append(clients, h.follower)
	}
	for _, f := range clients {
		until(t, f.where, func() bool { return f.count() == n || f.failed() })
	}
	rounds := scale(2, 8)
	for round := range rounds {
		away.leave()
		for _, h := range slow {
			h.freeze()
		}
		// More than the kernel and the server's memory hold for a client.
		for sent := 0; sent < scale(3200, 8000); sent += 50 {
			put(50)
			until(t, fast.where, func() bool { return fast.count() >= n || fast.failed() || len(fast.resetsSeen()) > 0 })
		}
		until(t, func() string { return "old files that are removed: " + oldest(dir) }, func() bool {
			m, err := readMetaFile(dir)
			return err == nil && len(m.Segments) > 0 && end.Pos-m.Segments[0].First <= keep+2*rotate && m.Segments[0].First > 4*int64(20*size)
		})
		// Nothing is removed from here on, or who is slow would rightly be told twice.
		away.start()
		for _, h := range slow {
			h.thaw()
		}
		for _, f := range clients {
			until(t, f.where, func() bool { return f.at() == end.String() || f.failed() })
			if what := gaps(f); what != "" {
				t.Fatalf("%s: %s\n%s", f.name, what, f.where())
			}
			want := round + 1
			if f == fast {
				want = 0
			}
			if got := len(f.resetsSeen()); got != want {
				t.Fatalf("%d resets, not %d: %s", got, want, f.where())
			}
		}
	}
	t.Logf("%d events of %d KiB in %d rounds, %d KiB kept: %d slow clients were told each time", n, size>>10, rounds, keep>>10, len(slow)+1)
}

func oldest(dir string) string {
	m, err := readMetaFile(dir)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d segments, %+v", len(m.Segments), m)
}

// Clients that hesitate at random, while files are removed under them.
func TestRetentionUnderLoad(t *testing.T) {
	rnd, dir := begin(t)
	const size = 4 << 10
	rotate, keep := int64(256<<10), int64(1<<20)
	srv := newServer(t, dir, rotation(rotate), fmt.Sprintf("APE_CLAW_TELEMETRY_KEEP_BYTES=%d", keep))
	appendOne(t, dir, rotate, lineOf(id{writer: opener}, size))
	var slow []*hold
	for i := range scale(4, 20) {
		slow = append(slow, followHeld(t, srv, fmt.Sprintf("client %d", i)))
	}
	for _, h := range slow {
		until(t, h.where, func() bool { return h.count() > 0 })
	}
	var writers []*writer
	for i := range scale(2, 8) {
		writers = append(writers, newWriter(t, part{How: byAppend, Dir: dir, Writer: i, Size: size, Rotate: rotate, Keep: keep}))
	}
	began := time.Now()
	lines := scale(2000, 8000)
	for upto := 0; upto < lines; {
		upto += lines / 20
		for _, h := range slow {
			if rnd.IntN(2) == 0 {
				h.freeze()
			} else {
				h.thaw()
			}
		}
		for _, w := range writers {
			w.allow(upto)
		}
		if rnd.IntN(8) == 0 {
			srv.kill()
			srv.start()
		}
		until(t, text("the writers"), func() bool { return allReached(writers) })
	}
	for _, h := range slow {
		h.thaw()
	}
	l := telemetry.NewLog(dir, telemetry.LogOptions{RotateBytes: rotate, KeepBytes: keep})
	end, err := l.Append(t.Context(), lineOf(id{writer: closer}, size), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	resets, least := 0, len(writers)*lines
	for _, h := range slow {
		until(t, h.where, func() bool { return h.at() == end.String() || h.failed() })
		if what := gaps(h.follower); what != "" {
			t.Errorf("%s: %s\n%s", h.name, what, h.where())
		}
		resets += len(h.resetsSeen())
		least = min(least, h.count())
	}
	t.Logf("%d events of %d KiB written in %s, %d KiB kept; %d clients were reset %d times; the slowest had %d", len(writers)*lines, size>>10,
		time.Since(began).Round(time.Millisecond), keep>>10, len(slow), resets, least)
}
