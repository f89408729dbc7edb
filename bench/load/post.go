package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/ape-claw/ape-claw/bench/proc"
)

// PostConfig says what to send to a server that takes events in.
type PostConfig struct {
	URL            string // what is posted to, http only
	AgentID, Token string
	Conns          int  // connections that stay open, one request at a time on each
	Requests       int  // in all, after the warm-up
	Warm           int  // requests before, that are not counted
	Batch          int  // envelopes a request; 1: one, as JSON
	IDs            bool // each envelope has an id that makes a retry harmless
	Size           int  // bytes of an envelope and its newline
	PID            int  // the server's process; 0: not measured
}

// PostResult is what a run came to. Latencies are of requests.
type PostResult struct {
	Events   int     `json:"events"`
	WallSec  float64 `json:"wall_s"`
	PerSec   float64 `json:"events_per_s"`
	P50us    float64 `json:"p50_us"`
	P99us    float64 `json:"p99_us"`
	ServerNs float64 `json:"server_cpu_ns_per_event"`
	OtherCPU float64 `json:"other_cpu_s"`
	Measured bool    `json:"server_measured"`
}

// Post sends the requests as fast as they are answered. Any answer but that all was
// taken is an error.
func Post(ctx context.Context, c PostConfig) (PostResult, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return PostResult{}, err
	}
	if u.Scheme != "http" || u.Port() == "" || c.Conns < 1 || c.Batch < 1 || c.Requests < c.Conns {
		return PostResult{}, fmt.Errorf("%s: want http://host:port/path, and a request a connection at least", c.URL)
	}
	var all []*poster
	defer func() {
		for _, p := range all {
			_ = p.conn.Close() // all that counts was answered
		}
	}()
	for i := range c.Conns {
		conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", u.Host)
		if err != nil {
			return PostResult{}, err
		}
		all = append(all, newPoster(c, i, u, conn))
	}
	stop := context.AfterFunc(ctx, func() {
		for _, p := range all {
			_ = p.conn.SetDeadline(time.Unix(1, 0)) // ends what it waits for
		}
	})
	defer stop()
	if err := together(all, c.Warm/c.Conns); err != nil {
		return PostResult{}, errors.Join(context.Cause(ctx), err)
	}
	for _, p := range all {
		p.hist, p.events = hist{}, 0
	}
	before, start := proc.Now(c.PID), time.Now()
	err = together(all, c.Requests/c.Conns)
	took, after := time.Since(start), proc.Now(c.PID)
	if err != nil {
		return PostResult{}, errors.Join(context.Cause(ctx), err)
	}
	var h hist
	r := PostResult{WallSec: took.Seconds(), Measured: before.OK && after.OK}
	for _, p := range all {
		h.merge(&p.hist)
		r.Events += p.events
	}
	r.PerSec = float64(r.Events) / took.Seconds()
	r.P50us, r.P99us = float64(h.quantile(0.5))/1e3, float64(h.quantile(0.99))/1e3
	if r.Measured {
		server, self := after.Process-before.Process, after.Self-before.Self
		r.ServerNs = float64(server.Nanoseconds()) / float64(r.Events)
		r.OtherCPU = max(0, (after.Machine - before.Machine - server - self).Seconds())
	}
	return r, nil
}

func together(all []*poster, requests int) error {
	var wg sync.WaitGroup
	errs := make([]error, len(all))
	for i, p := range all {
		wg.Go(func() {
			for range requests {
				if errs[i] = p.one(); errs[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// poster is one connection. It does as little as it can: it shares the machine with
// the server.
type poster struct {
	cfg    PostConfig
	name   int
	conn   net.Conn
	r      *bufio.Reader
	n      int64 // envelopes so far, the warm-up's too
	events int
	head   []byte // up to the value of Content-Length
	body   []byte
	out    []byte
	want   []byte // what an answer has when all was taken
	hist   hist
}

func newPoster(c PostConfig, name int, u *url.URL, conn net.Conn) *poster {
	kind, want := "application/x-ndjson", fmt.Appendf(nil, `"accepted":%d,`, c.Batch)
	if c.Batch == 1 {
		kind, want = "application/json", []byte(`"ok":true`)
	}
	head := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nx-agent-id: %s\r\nx-agent-token: %s\r\nContent-Length: ",
		u.RequestURI(), u.Host, kind, c.AgentID, c.Token)
	return &poster{cfg: c, name: name, conn: conn, r: bufio.NewReaderSize(conn, 64<<10), head: head, want: want}
}

func (p *poster) one() error {
	p.body = p.body[:0]
	for range p.cfg.Batch {
		p.n++
		p.body = Envelope(p.body, p.n, 1, p.cfg.Size)
		if p.cfg.IDs {
			p.body = append(p.body[:len(p.body)-2], `,"eventId":"bench`...)
			p.body = strconv.AppendInt(p.body, int64(p.name), 10)
			p.body = strconv.AppendInt(append(p.body, '/'), p.n, 10)
			p.body = append(p.body, "\"}\n"...)
		}
	}
	if p.cfg.Batch == 1 {
		p.body = p.body[:len(p.body)-1]
	}
	p.out = strconv.AppendInt(append(p.out[:0], p.head...), int64(len(p.body)), 10)
	p.out = append(append(p.out, "\r\n\r\n"...), p.body...)
	start := time.Now()
	if _, err := p.conn.Write(p.out); err != nil {
		return err
	}
	if err := p.answer(); err != nil {
		return err
	}
	p.hist.add(time.Since(start).Nanoseconds())
	p.events += p.cfg.Batch
	return nil
}

// answer reads one, which must say that all was taken.
func (p *poster) answer() error {
	status, err := p.r.ReadSlice('\n')
	if err != nil {
		return err
	}
	good, first, length := bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")), string(bytes.TrimSpace(status[:min(len(status), 40)])), -1
	for {
		line, err := p.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		const name = "content-length:"
		if len(line) > len(name) && bytes.EqualFold(line[:len(name)], []byte(name)) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(name):]))); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return fmt.Errorf("answered %s without a Content-Length", first)
	}
	seen, err := p.r.Peek(min(length, 4<<10))
	if err != nil {
		return err
	}
	if !good || !bytes.Contains(seen, p.want) {
		return fmt.Errorf("answered %s: %.300s", first, seen)
	}
	_, err = p.r.Discard(length)
	return err
}
