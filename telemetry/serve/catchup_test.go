package serve_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// metric returns the value of one line of /metrics.
func (s *server) metric(name string) float64 {
	s.t.Helper()
	_, body := s.get("/metrics")
	for line := range strings.Lines(body) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			var v float64
			if _, err := fmt.Sscan(rest, &v); err != nil {
				s.t.Fatal(err)
			}
			return v
		}
	}
	s.t.Fatalf("no metric %s in:\n%s", name, body)
	return 0
}

// Many clients that are behind, with the same filter, cost one look at each event.
func TestClientsThatCatchUpShareReadingAndFilters(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	all, third := padded(150, 8000) // no more blocks than are kept
	log.add(all...)
	s := start(t, serve.Options{Log: log, RingBytes: 1})
	var wg sync.WaitGroup
	const clients = 20
	for range clients {
		wg.Go(func() {
			st := s.stream("?type=x.third", "Last-Event-ID", log.lines[0].At.String())
			st.want(third[1:]...)
		})
		wg.Go(func() { s.stream("", "Last-Event-ID", log.lines[0].At.String()).want(all[1:]...) })
	}
	wg.Wait()
	if asked := s.metric("ape_claw_stream_filter_events_total"); asked != 149 {
		t.Errorf("the filter was asked %v times about 149 events", asked)
	}
	log.mu.Lock()
	reads := log.reads
	log.mu.Unlock()
	// Each client asks once whether its cursor is good; the end is looked at by each, too.
	if most := 4*clients + 30; reads > most {
		t.Errorf("%d reads of the log, more than %d", reads, most)
	}
}

// Clients that begin at different places are soon at the same ones.
func TestClientsFromDifferentPlacesMeet(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	all, _ := padded(150, 8000)
	log.add(all...)
	s := start(t, serve.Options{Log: log, RingBytes: 1})
	for n := range 10 { // one after the other
		s.stream("?type=a.b,x.third", "Last-Event-ID", log.lines[n].At.String()).want(all[n+1:]...)
	}
	// Each looked at the rest of its own first block, and one at all others.
	if asked := s.metric("ape_claw_stream_filter_events_total"); asked < 149 || asked > 149+9*26 {
		t.Errorf("the filter was asked %v times", asked)
	}
}

// The end of one client's wait must not be the end of another's.
func TestAClientThatLeavesWhileOthersWaitForItsRead(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	all, _ := padded(120, 8000)
	log.add(all...)
	s := start(t, serve.Options{Log: log, RingBytes: 1})
	for range 10 {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				st := s.stream("?after=0-0")
				if i%2 == 0 {
					st.close()
					return
				}
				st.want(all...)
			})
		}
		wg.Wait()
	}
}

// Short lines, long ones and holes of bad ones: every start gives exactly the rest.
func TestCatchUpFromAnywhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all []string
	file := must[*os.File](t)(os.Create(filepath.Join(dir, "events.jsonl")))
	for n := range 1500 {
		line := fmt.Sprintf(`{"n":%d}`, n)
		switch {
		case n%400 == 7:
			line = fmt.Sprintf(`{"n":%d,"pad":%q}`, n, strings.Repeat("x", 300<<10))
		case n%100 == 3:
			line = fmt.Sprintf(`{"n":%d,"pad":%q}`, n, strings.Repeat("x", 30<<10))
		case n%500 == 9: // a hole
			must[int](t)(file.WriteString(strings.Repeat("not json\n", 40_000)))
		}
		all = append(all, line)
		must[int](t)(file.WriteString(line + "\n"))
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	log := openLog(t, dir)
	lines, _, err := log.ReadAfter(t.Context(), telemetry.Cursor{}, 0, 1<<30)
	if err != nil || len(lines) != len(all) {
		t.Fatal(len(lines), err)
	}
	s := start(t, serve.Options{Log: log})
	for n := 0; n < len(all); n += 97 {
		st := s.stream("", "Last-Event-ID", lines[n].At.String())
		st.want(all[n+1:]...)
		st.close()
	}
}

// After copytruncate: one reset, then the new lines once, in order, for clients
// that keep up, that filter, and that were behind.
func TestOneResetAfterCopytruncate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "events.jsonl")
	writer := openLog(t, dir)
	old, first := events("a.b", 0, 30), event("n.o", 7)
	appendAll(t, writer, append(old[:30:30], first)...)
	s := start(t, serve.Options{Log: openLog(t, dir), Heartbeat: time.Hour})
	clients := map[string]*stream{"live": s.stream("?after=0-0"), "filtered": s.stream("?after=0-0&type=a.*"), "one passes": s.stream("?type=n.o&after=0-0")}
	want := func(lines []string, mark ...string) (last string) {
		t.Helper()
		last = clients["live"].want(append(lines[:len(lines):len(lines)], mark...)...).id
		clients["filtered"].want(lines...)
		clients["one passes"].want(mark...)
		return last
	}
	last := want(old, first)
	for round := range 4 {
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
		fresh, mark := events("a.b", 100*(round+1), 100*(round+1)+20+30*(round%2)), event("n.o", round) // shorter and longer than before
		appendAll(t, writer, append(fresh[:len(fresh):len(fresh)], mark)...)
		for name, st := range clients {
			f := st.next()
			var reset serve.Reset
			if err := json.Unmarshal([]byte(f.data), &reset); err != nil || f.name != "reset" || reset.Reason != telemetry.ResetUnknown {
				t.Fatalf("round %d, %s: got %+v, want a reset", round, name, f)
			}
		}
		last = want(fresh, mark)
	}
	line := event("n.o", 9)
	appendAll(t, writer, line)
	clients["one passes"].want(line)
	s.stream("", "Last-Event-ID", last).want(line)
	if n := s.metric(`ape_claw_stream_resets_total{reason="unknown"}`); n != 12 {
		t.Errorf("%v resets, want 12", n)
	}
}

// The server must not lose its streams' place when it is behind the file: they
// wait for it instead of reading the file again and again.
func TestAClientAheadOfTheServerWaitsForIt(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	log.add(events("a.b", 0, 5)...)
	s := start(t, serve.Options{Log: log, Heartbeat: time.Hour})
	reads := func() int {
		log.mu.Lock()
		defer log.mu.Unlock()
		return log.reads
	}
	end := log.lines[4].At
	eventually(t, "the server does not read", func() bool { return s.Read() == end && reads() >= 1 })
	st := s.stream("")
	log.add(event("a.b", 5))
	st.want(event("a.b", 5))
	eventually(t, "the server does not look once more", func() bool { return reads() >= 3 })
	before := reads()
	log.quiet(events("a.b", 6, 9)...) // the server is not told
	ahead := s.stream("")
	filtered := s.stream("?type=a.*")
	log.add(event("a.b", 9))
	st.want(events("a.b", 6, 10)...)
	ahead.want(event("a.b", 9))
	filtered.want(event("a.b", 9))
	if n := reads() - before; n > 2 { // the server's own
		t.Errorf("%d reads", n)
	}
}

func TestWhatWasReadOfAnotherLogIsForgotten(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	all, _ := padded(100, 8000)
	log.add(all...)
	s := start(t, serve.Options{Log: log, RingBytes: 1})
	st := s.stream("", "Last-Event-ID", log.lines[0].At.String())
	st.want(all[1:]...)
	if _, files := s.Held(); files < 500_000 {
		t.Fatalf("%d bytes are held: this test shows nothing", files)
	}
	log.replace("bb", event("a.b", 1))
	eventually(t, "the old log's events are still held", func() bool { _, files := s.Held(); return files < 10_000 })
}

// What was not the whole answer for good is not kept: nothing new now, and the
// oldest event of now.
func TestOnlyWhatStaysTrueIsShared(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	log.add(events("a.b", 0, 3)...)
	s := must[*serve.Server](t)(serve.New(serve.Options{Log: log, Now: time.Now}))
	want := func(at telemetry.Cursor, n int) {
		t.Helper()
		got, next, err := s.ReadBehind(t.Context(), at)
		if end := log.endLocked(); err != nil || got != n || next != end {
			t.Errorf("%d events to %s, %v; want %d to %s", got, next, err, n, end)
		}
	}
	end := log.endLocked()
	want(end, 0)
	log.add(event("a.b", 3))
	want(end, 1)
	want(telemetry.Cursor{}, 4)
	log.drop(2)
	want(telemetry.Cursor{}, 2)
	want(end, 1)
}

// A log that became shorter under its id while a stream waits for the server to get
// to its place, which the server, not being there yet, can't see.
func TestAStreamThatWaitsBeyondTheEndIsTold(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	log.add(events("a.b", 0, 5)...)
	s := start(t, serve.Options{Log: log, Heartbeat: 20 * time.Millisecond})
	end := log.lines[4].At
	eventually(t, "the server does not read", func() bool { return s.Read() == end })
	s.stream("", "Last-Event-ID", log.lines[3].At.String()).want(event("a.b", 4)) // else it reads when the other opens
	log.quiet(events("a.b", 5, 8)...)
	st := s.stream("")
	log.mu.Lock()
	log.lines = log.lines[:6:6]
	log.mu.Unlock()
	if f := st.next(); f.name != "reset" || !strings.Contains(f.data, `"unknown"`) {
		t.Fatalf("got %+v, want a reset", f)
	}
	st.want(events("a.b", 0, 6)...)
}
