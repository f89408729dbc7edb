package torture_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// envelope is what filters look at.
type envelope struct {
	EventType, AgentID, TraceID string
	OK                          bool
}

// filters are queries, and what they choose, said in other words.
var filters = []struct {
	query string
	match func(e envelope) bool
}{
	{"type=nft.*", func(e envelope) bool { ok, _ := path.Match("nft.*", e.EventType); return ok }},
	{"type=policy.blocked,custom.*&agentId=agent-1", func(e envelope) bool {
		return slices.Contains([]string{"policy.blocked", "custom.note", "custom.rare"}, e.EventType) && e.AgentID == "agent-1"
	}},
	{"traceId=trace_7", func(e envelope) bool { return e.TraceID == "trace_7" }},
	{"ok=false", func(e envelope) bool { return !e.OK }},
	{"type=custom.rare", func(e envelope) bool { return e.EventType == "custom.rare" }},
}

func chosen(t *testing.T, tr *truth, match func(envelope) bool) []entry {
	t.Helper()
	var out []entry
	for _, line := range tr.lines {
		var e envelope
		if err := json.Unmarshal(line.data, &e); err != nil {
			t.Fatal(err)
		}
		if match(e) {
			out = append(out, line)
		}
	}
	return out
}

// Filtered clients get what fits, all of it and nothing else, whatever restarts.
func TestFilters(t *testing.T) {
	rnd, dir := begin(t)
	const size = 450
	rotate := int64(scale(64<<10, 1<<20))
	srv := newServer(t, dir, rotation(rotate))
	appendOne(t, dir, rotate, lineOf(id{writer: opener}, size))
	var clients []*follower
	for i := range scale(10, 20) {
		clients = append(clients, follow(t, srv, fmt.Sprintf("client %d, %s", i, filters[i%len(filters)].query), "0-0", filters[i%len(filters)].query))
	}
	var writers []*writer
	for i := range scale(3, 8) {
		writers = append(writers, newWriter(t, part{How: byAppend, Dir: dir, Writer: i, Size: size, Rotate: rotate}))
	}
	lines, restarts := scale(500, 8000), scale(2, 6)
	for k := range restarts + 1 {
		for _, w := range writers {
			w.allow(lines * (k + 1) / (restarts + 1))
		}
		if k < restarts {
			// A good third of all events fits the first filter.
			f, some := clients[0], len(writers)*lines/4*k/(restarts+1)+rnd.IntN(50)
			until(t, f.where, func() bool { return f.count() >= some || f.failed() })
			srv.kill()
			srv.start()
		}
		until(t, text("the writers"), func() bool { return allReached(writers) })
	}
	tr := readTruth(t, dir)
	for i, f := range clients {
		want := chosen(t, tr, filters[i%len(filters)].match)
		if len(want) == 0 {
			t.Fatalf("nothing fits %s", f.query)
		}
		until(t, func() string { return fmt.Sprintf("%d events at %s", len(want), f.where()) }, func() bool { return f.count() >= len(want) || f.failed() })
	}
	// Nothing comes after that does not fit.
	appendOne(t, dir, rotate, lineOf(id{writer: closer}, size))
	plain := follow(t, srv, "a client of everything", "0-0", "")
	tr = readTruth(t, dir)
	waitForAll(t, []*follower{plain}, tr)
	for i, f := range clients {
		f.leave()
		tr.check(t, f, chosen(t, tr, filters[i%len(filters)].match))
		if n := len(f.resetsSeen()); n > 0 {
			t.Errorf("%d resets: %s", n, f.where())
		}
	}
	t.Logf("%d events, %d clients with %d filters, %d starts of serve", len(tr.lines), len(clients), len(filters), srv.starts)
}

// A client whose filter nothing fits still learns how far the log is, and can come
// back there without the server reading it all again.
func TestFilteredCursor(t *testing.T) {
	_, dir := begin(t)
	const size = 4 << 10
	srv := newServer(t, dir)
	first := scale(2000, 8000) // so many that reading them again would show
	w := newWriter(t, part{How: byAppend, Dir: dir, Writer: 2, Size: size})
	w.allow(first)
	until(t, w.where, func() bool { return w.reached() })
	tr := readTruth(t, dir)
	f := follow(t, srv, "a client of nothing", "0-0", "type=custom.absent")
	began := time.Now()
	end := fmt.Sprintf("%s-%d", tr.log, tr.end)
	until(t, f.where, func() bool { return f.at() == end || f.failed() })
	took := time.Since(began)
	f.leave()
	f.mu.Lock()
	cursors := len(f.cursors)
	f.mu.Unlock()
	if cursors == 0 {
		t.Fatalf("no event: cursor, and yet it is at the end: %s", f.where())
	}
	if n := f.count(); n > 0 {
		t.Fatalf("%d events fit nothing: %s", n, f.where())
	}
	srv.kill()
	if err := os.Remove(filepath.Join(dir, "ingest.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	srv.start() // it remembers nothing
	all := follow(t, srv, "a client of what comes", "", "")
	until(t, all.where, func() bool { return all.at() != "" })
	// A start reads the whole log once, for the ids of events that were sent before.
	until(t, all.where, func() bool { n, known := bytesRead(srv.pid()); return !known || n >= tr.end })
	before, known := bytesRead(srv.pid())
	f.mu.Lock()
	f.query = "type=custom.*"
	f.mu.Unlock()
	f.start()
	w.allow(first + 400)
	until(t, w.where, func() bool { return w.reached() })
	whole := readTruth(t, dir)
	want := chosen(t, &truth{lines: whole.lines[len(tr.lines):]}, func(e envelope) bool { ok, _ := path.Match("custom.*", e.EventType); return ok })
	until(t, f.where, func() bool { return f.count() >= len(want) || f.failed() })
	f.leave()
	whole.check(t, f, want)
	after, _ := bytesRead(srv.pid())
	if read := after - before; known && read > tr.end/2 {
		t.Errorf("serve read %d bytes for a client that was at the end of %d", read, tr.end)
	}
	t.Logf("a cursor after %s of %d MB without an event that fits; coming back cost %d KB of reading", took.Round(time.Millisecond), tr.end>>20, (after-before)>>10)
}
