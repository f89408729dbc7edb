package load

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ape-claw/ape-claw/bench/proc"
)

// session is one run's connections and counts.
type session struct {
	cfg     Config
	host    string
	request []byte

	slow     []net.Conn
	clients  []*client
	progress atomic.Int64 // unix nanoseconds of the newest arrival
	result   Result
}

// dials is how many connections are opened at once.
const dials = 64

// open notes the server's idle memory and connects everybody, those who never
// read first, so that a server that serves in turn meets them first.
func (s *session) open(ctx context.Context) error {
	c := s.cfg
	s.result = Result{Clients: c.Clients, Slow: c.Slow, Events: c.Events, Rate: c.Rate}
	if m, err := proc.Memory(c.PID); err == nil {
		s.result.ServerIdleMB = mb(m.RSS)
		proc.ResetPeak(c.PID)
	}
	start := time.Now()
	for range c.Slow {
		conn, err := dial(ctx, s.host, s.request)
		if err != nil {
			return err
		}
		s.slow = append(s.slow, conn)
	}
	s.clients = make([]*client, c.Clients)
	turn := make(chan struct{}, dials)
	var wg sync.WaitGroup
	for i := range s.clients {
		turn <- struct{}{}
		wg.Go(func() {
			defer func() { <-turn }()
			s.clients[i] = s.subscribe(ctx)
		})
	}
	wg.Wait()
	s.result.ConnectSec = time.Since(start).Seconds()
	for _, cl := range s.clients {
		if cl.failed == nil {
			s.result.Connected++
		} else {
			s.note(cl.failed)
		}
	}
	if s.result.Connected == 0 {
		return fmt.Errorf("no client connected: %s", s.result.Error)
	}
	return nil
}

func (s *session) subscribe(ctx context.Context) *client {
	cl := &client{tally: tally{seen: make([]uint64, s.cfg.Events>>6+1)}}
	cl.conn, cl.failed = dial(ctx, s.host, s.request)
	if cl.failed == nil {
		cl.failed = cl.header()
	}
	return cl
}

// close drops the connections; what the server makes of it is its business.
func (s *session) close() {
	for _, conn := range s.slow {
		_ = conn.Close() // nothing was promised to it
	}
	for _, cl := range s.clients {
		if cl != nil && cl.conn != nil {
			_ = cl.conn.Close()
		}
	}
}

// note keeps the first error.
func (s *session) note(err error) {
	if s.result.Error == "" && err != nil {
		s.result.Error = err.Error()
	}
}

// measure publishes and waits for the deliveries.
func (s *session) measure(ctx context.Context) error {
	since := time.Now().UnixNano()
	var readers sync.WaitGroup
	for _, cl := range s.clients {
		if cl.failed == nil {
			readers.Go(func() { cl.read(s.cfg.Events, since, &s.progress) })
		}
	}
	if err := pause(ctx, s.cfg.Settle); err != nil {
		s.cut()
		readers.Wait()
		return err
	}
	before, start := proc.Now(s.cfg.PID), time.Now()
	s.progress.Store(start.UnixNano())
	done := make(chan struct{})
	go func() {
		readers.Wait()
		close(done)
	}()
	publishing, stop := context.WithCancel(ctx)
	published := make(chan error, 1)
	var publisher sync.WaitGroup
	publisher.Go(func() { published <- publish(publishing, s.cfg, start) })

	s.wait(ctx, start, done, published)
	stop()
	publisher.Wait()
	s.cut()
	<-done
	s.usage(before)
	s.count(start)
	return ctx.Err()
}

// wait returns when all have everything, when too long nothing came, or when
// ctx ends.
func (s *session) wait(ctx context.Context, start time.Time, done <-chan struct{}, published <-chan error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	ended := func(err error) {
		s.result.PublishSec = time.Since(start).Seconds()
		s.result.PublishPerSec = float64(s.cfg.Events) / s.result.PublishSec
		s.note(err)
		s.progress.Store(time.Now().UnixNano())
		published = nil
	}
	for {
		select {
		case err := <-published:
			ended(err)
			continue
		case <-done: // perhaps because all were cut off: then the publisher still works
		case <-ctx.Done():
		case <-tick.C:
			quiet := time.Duration(time.Now().UnixNano() - s.progress.Load())
			if time.Since(start) < s.cfg.Timeout && (published != nil || quiet < s.cfg.Idle) {
				continue
			}
			s.result.TimedOut = true
		}
		break
	}
	if published != nil {
		s.lastWords(published, ended)
	}
}

// lastWords gives a publisher, whose last event has arrived before its write has
// returned, the time to end. One that is still at work is ended with its context.
func (s *session) lastWords(published <-chan error, ended func(error)) {
	t := time.NewTimer(2 * time.Second)
	defer t.Stop()
	select {
	case err := <-published:
		ended(err)
	case <-t.C:
		s.note(fmt.Errorf("given up before all was published"))
	}
}

// cut makes every read return.
func (s *session) cut() {
	for _, cl := range s.clients {
		if cl.conn != nil {
			s.note(cl.conn.SetReadDeadline(time.Unix(1, 0)))
		}
	}
}

func (s *session) usage(before proc.Usage) {
	after := proc.Now(s.cfg.PID)
	r := &s.result
	r.SelfCPU = (after.Self - before.Self).Seconds()
	mem, err := proc.Memory(s.cfg.PID)
	r.Measured = err == nil && after.OK && before.OK
	if !r.Measured {
		return
	}
	r.ServerCPU = (after.Process - before.Process).Seconds()
	r.OtherCPU = max(0, (after.Machine-before.Machine).Seconds()-r.SelfCPU-r.ServerCPU)
	r.ServerRSSMB, r.ServerPeakMB = mb(mem.RSS), mb(mem.Peak)
}

// count adds up what the clients saw.
func (s *session) count(start time.Time) {
	r := &s.result
	var lat hist
	var last int64
	var bytes uint64
	for _, cl := range s.clients {
		r.Deliveries += cl.got
		r.Dup += cl.dup
		r.Disorder += cl.disorder
		r.Foreign += cl.foreign
		r.Frames += cl.frames
		r.Missing += int64(s.cfg.Events - cl.uniq)
		bytes += cl.bytes
		if cl.uniq == s.cfg.Events {
			r.Complete++
		} else if cl.ended {
			r.Disconnected++
			s.note(cl.failed)
		}
		last = max(last, cl.lastAt)
		lat.merge(&cl.lat)
	}
	r.WallSec = time.Since(start).Seconds()
	if last > start.UnixNano() {
		r.WallSec = float64(last-start.UnixNano()) / 1e9
	}
	r.PerSec = float64(r.Deliveries) / r.WallSec
	r.MBPerSec = float64(bytes) / 1e6 / r.WallSec
	if r.Deliveries > 0 {
		r.ServerNs = r.ServerCPU * 1e9 / float64(r.Deliveries)
	}
	us := func(v int64) float64 { return float64(v) / 1e3 }
	r.P50us, r.P99us, r.P999us, r.MaxUs = us(lat.quantile(0.5)), us(lat.quantile(0.99)), us(lat.quantile(0.999)), us(lat.max)
}

func mb(n int64) float64 { return float64(n) / (1 << 20) }
