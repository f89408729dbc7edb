package torture_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// neverRead asks for everything and takes nothing, until ctx or the server ends.
func neverRead(ctx context.Context, srv *server) {
	gone := srv.gone()
	conn, err := askAll(srv)
	if err != nil {
		pause(ctx, 10*time.Millisecond) // the server may be down
		return
	}
	defer func() { _ = conn.Close() }() // nothing to lose
	select {
	case <-ctx.Done():
	case <-gone:
	}
}

// askAll asks for the stream from the start; the kernel takes little for it.
func askAll(srv *server) (*net.TCPConn, error) {
	conn, err := net.DialTimeout("tcp", srv.addr, 10*time.Second)
	if err != nil {
		return nil, err
	}
	tcp := conn.(*net.TCPConn)
	_ = tcp.SetReadBuffer(4 << 10) // a wish
	if _, err := io.WriteString(conn, request(srv.addr, "", "0-0")); err != nil {
		_ = conn.Close() // nothing to lose
		return nil, err
	}
	return tcp, nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// crawl takes a byte now and then.
func crawl(ctx context.Context, srv *server) {
	conn, err := askAll(srv)
	if err != nil {
		pause(ctx, 10*time.Millisecond)
		return
	}
	defer func() { _ = conn.Close() }() // nothing to lose
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	var one [1]byte
	for ctx.Err() == nil {
		if _, err := conn.Read(one[:]); err != nil {
			return
		}
		pause(ctx, scale(50*time.Millisecond, time.Second))
	}
}

// slam takes a little and resets the connection.
func slam(ctx context.Context, srv *server) {
	conn, err := askAll(srv)
	if err != nil {
		pause(ctx, 10*time.Millisecond)
		return
	}
	buf := make([]byte, 1<<10)
	_, _ = conn.Read(buf) // whatever there is
	_ = conn.SetLinger(0) // closing sends a reset
	_ = conn.Close()
	pause(ctx, time.Millisecond)
}

// Good clients get everything, whoever else is connected, and the server's memory
// does not grow with those who don't read.
func TestRudeClients(t *testing.T) {
	_, dir := begin(t)
	const size = 450
	good, lines := scale(10, 100), scale(2000, 20000)
	run := func(sub string, rude bool) time.Duration {
		state := dir + "/" + sub + "/state"
		srv := newServer(t, mkdir(t, state))
		appendOne(t, state, 0, lineOf(id{writer: opener}, size))
		idle, _, _ := memory(srv.pid())
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		if rude {
			for _, how := range []func(context.Context, *server){neverRead, neverRead, crawl, slam, slam} {
				wg.Go(func() {
					for ctx.Err() == nil {
						how(ctx, srv)
					}
				})
			}
			until(t, text("three bad clients"), func() bool { return srv.health().Counts.Clients >= 3 })
		}
		var clients []*follower
		for i := range good {
			clients = append(clients, follow(t, srv, fmt.Sprintf("client %d", i), "0-0", ""))
		}
		for _, f := range clients {
			until(t, f.where, func() bool { return f.count() > 0 })
		}
		began := time.Now()
		var writers []*writer
		for i := range 4 {
			w := newWriter(t, part{How: byAppend, Dir: state, Writer: i, Size: size})
			w.allow(lines / 4)
			writers = append(writers, w)
		}
		until(t, text("the writers"), func() bool { return allReached(writers) })
		appendOne(t, state, 0, lineOf(id{writer: closer}, size))
		tr := readTruth(t, state)
		waitForAll(t, clients, tr)
		took := time.Since(began)
		for _, f := range clients {
			f.leave()
		}
		tr.checkAll(t, clients)
		tr.checkWritten(t, writers, id{writer: opener}, id{writer: closer})
		if _, peak, ok := memory(srv.pid()); ok {
			t.Logf("%s: %d clients x %d events in %s, %.0f k deliveries/s; RSS %.1f MB idle, %.1f MB at its peak", sub, good, len(tr.lines),
				took.Round(time.Millisecond), float64(good*len(tr.lines))/took.Seconds()/1000, float64(idle)/1e6, float64(peak)/1e6)
			if peak-idle > 256<<20 {
				t.Errorf("serve grew from %d to %d bytes", idle, peak)
			}
		}
		return took
	}
	alone := run("good clients alone", false)
	beside := run("beside bad ones", true)
	t.Logf("speed beside bad clients: %.0f %% of that without", 100*alone.Seconds()/beside.Seconds())
}

// An endless stall costs the server nothing more, however much is written.
func TestMemoryUnderStall(t *testing.T) {
	_, dir := begin(t)
	const size = 64 << 10
	srv := newServer(t, dir)
	appendOne(t, dir, 0, lineOf(id{writer: opener}, size))
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	stalled := scale(10, 50)
	for range stalled {
		wg.Go(func() { neverRead(ctx, srv) })
	}
	until(t, text("the clients"), func() bool { return srv.health().Counts.Clients >= int64(stalled) })
	w := newWriter(t, part{How: byAppend, Dir: dir, Writer: 1, Size: size})
	var sizes []int64
	step := scale(320, 1600) // 20 and 100 MB
	f := follow(t, srv, "a good client", "0-0", "")
	for k := range 4 {
		w.allow(step * (k + 1))
		until(t, w.where, func() bool { return w.reached() })
		until(t, f.where, func() bool { return f.count() > step*(k+1) })
		if now, _, ok := memory(srv.pid()); ok {
			sizes = append(sizes, now)
		}
	}
	if len(sizes) == 0 {
		t.Skip("this system does not tell a process's memory")
	}
	t.Logf("%d clients that never read; RSS after each %d MB: %v MB", stalled, step*size>>20, megabytes(sizes))
	if last := sizes[len(sizes)-1]; last > sizes[0]+64<<20 {
		t.Errorf("serve grows while clients stall: %v", sizes)
	}
}

func megabytes(sizes []int64) []int64 {
	out := make([]int64, len(sizes))
	for i, s := range sizes {
		out[i] = s >> 20
	}
	return out
}

// What thousands of clients leave behind that connect and drop: nothing.
func TestConnectsAndDrops(t *testing.T) {
	rnd, dir := begin(t)
	srv := newServer(t, dir)
	const size = 450
	w := newWriter(t, part{How: byAppend, Dir: dir, Writer: 1, Size: size})
	w.allow(500)
	until(t, w.where, func() bool { return w.reached() })
	used := func() (fds, socks, routines int) {
		fds, socks, _ = descriptors(srv.pid())
		n, _ := srv.metric("go_goroutines")
		return fds, socks, int(n)
	}
	srv.metric("go_goroutines") // what the first question costs is no leak
	f := follow(t, srv, "the first", "0-0", "")
	until(t, f.where, func() bool { return f.count() == 500 })
	f.leave()
	until(t, text("no client"), func() bool { return srv.health().Counts.Clients == 0 })
	beforeFDs, _, beforeRoutines := used()
	if beforeFDs == 0 {
		t.Skip("this system does not tell a process's descriptors")
	}
	began := time.Now()
	var open, done, streams atomic.Int64
	var wg sync.WaitGroup
	total := int64(scale(300, 5000))
	seeds := rnd.Uint64()
	for k := range 32 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(seeds, uint64(k)))
			for open.Add(1) <= total {
				if drop(t.Context(), rnd, srv) {
					streams.Add(1)
				}
				done.Add(1)
			}
		})
	}
	w.allow(1000) // some are dropped in the middle of events
	wg.Wait()
	until(t, w.where, func() bool { return w.reached() })
	took := time.Since(began)
	// Serve opens some of the log's files, and starts what looks after them, when it
	// first needs to: a few more of these are no leak, which thousands would show.
	const few = 8
	fds, socks, routines := 0, 0, 0
	until(t, func() string {
		return fmt.Sprintf("%d descriptors, one socket and %d goroutines; there are %d, %d and %d, and %d clients; open are\n%s",
			beforeFDs, beforeRoutines, fds, socks, routines,
			srv.health().Counts.Clients, openFiles(srv.pid()))
	}, func() bool {
		fds, socks, routines = used()
		return socks <= 1 && // it listens
			fds <= beforeFDs+few && routines <= beforeRoutines+few
	})
	t.Logf("%d connections, %d of them streams, in %s; before and after: %d and %d descriptors, %d and %d goroutines", done.Load(), streams.Load(),
		took.Round(time.Millisecond), beforeFDs, fds, beforeRoutines, routines)
	if streams.Load() == 0 {
		t.Error("no connection became a stream")
	}
	// It still serves.
	last := follow(t, srv, "the last", "0-0", "")
	tr := readTruth(t, dir)
	waitForAll(t, []*follower{last}, tr)
	tr.checkAll(t, []*follower{last})
}

// drop connects and leaves in some rude way; it reports whether a stream came of it.
func drop(ctx context.Context, rnd *rand.Rand, srv *server) (stream bool) {
	conn, err := net.DialTimeout("tcp", srv.addr, 30*time.Second)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }() // nothing to lose
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if rnd.IntN(3) == 0 {
		_ = conn.(*net.TCPConn).SetLinger(0) // closing sends a reset
	}
	ask := request(srv.addr, []string{"", "type=nft.*", "backlog=10"}[rnd.IntN(3)], []string{"", "0-0", "nonsense"}[rnd.IntN(3)])
	if rnd.IntN(8) == 0 {
		ask = "GET /events/backlog?limit=300 HTTP/1.1\r\nHost: " + srv.addr + "\r\n\r\n"
	}
	switch rnd.IntN(4) {
	case 0: // not a word
		return false
	case 1: // half a request
		_, _ = io.WriteString(conn, ask[:rnd.IntN(len(ask))]) // it may be refused
		return false
	}
	if _, err := io.WriteString(conn, ask); err != nil {
		return false
	}
	buf := make([]byte, 1+rnd.IntN(4<<10))
	_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond)) // some streams stay silent
	for range 1 + rnd.IntN(4) {
		n, err := conn.Read(buf)
		stream = stream || n > 12 && string(buf[:min(n, 12)]) == "HTTP/1.1 200"
		if err != nil {
			return stream
		}
	}
	return stream
}
