package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	readBuffer    = 64 << 10
	headerTimeout = 10 * time.Second
)

// client is one subscription. It speaks HTTP itself: net/http's client would
// cost as much as the server that is measured.
type client struct {
	tally
	conn   net.Conn
	body   dechunker
	early  []byte // body that came with the header
	ended  bool   // the server closed the stream
	failed error
}

// dial connects and sends the request.
func dial(ctx context.Context, host string, request []byte) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write(request); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// header reads the response up to its body.
func (c *client) header() error {
	if err := c.conn.SetReadDeadline(time.Now().Add(headerTimeout)); err != nil {
		return err
	}
	var head []byte
	buf := make([]byte, 4096)
	for {
		n, err := c.conn.Read(buf)
		head = append(head, buf[:n]...)
		if text, rest, ok := bytes.Cut(head, []byte("\r\n\r\n")); ok {
			c.early = rest
			if err := c.accept(string(text)); err != nil {
				return err
			}
			return c.conn.SetReadDeadline(time.Time{})
		}
		if err != nil {
			return fmt.Errorf("response header: %w", err)
		}
	}
}

// accept looks at the status and at how the body is coded.
func (c *client) accept(head string) error {
	lines := strings.Split(strings.ToLower(head), "\r\n")
	f := strings.Fields(lines[0])
	if len(f) < 2 || f[1] != "200" {
		return fmt.Errorf("subscribe: %s", strconv.Quote(lines[0]))
	}
	for _, l := range lines[1:] {
		if k, v, ok := strings.Cut(l, ":"); ok && k == "transfer-encoding" && strings.Contains(v, "chunked") {
			c.body.on = true
		}
	}
	return nil
}

// read takes events until it has all, the server ends the stream, or the read
// deadline passes. progress is when something last arrived at any client.
func (c *client) read(events int, since int64, progress *atomic.Int64) {
	raw := make([]byte, readBuffer)
	buf := make([]byte, 0, readBuffer+4096)
	take := func(p []byte, now int64) (more bool) {
		c.bytes += uint64(len(p))
		if buf, c.failed = c.body.feed(buf, p); c.failed != nil {
			return false
		}
		rest := c.lines(buf, now, since)
		buf = buf[:copy(buf, rest)]
		c.ended = c.body.eof
		return c.uniq < events && !c.ended
	}
	more := take(c.early, time.Now().UnixNano())
	for more {
		n, err := c.conn.Read(raw)
		if n > 0 {
			now := time.Now().UnixNano()
			if now-progress.Load() > int64(50*time.Millisecond) {
				progress.Store(now)
			}
			more = take(raw[:n], now)
		}
		if err != nil {
			if more && !errors.Is(err, os.ErrDeadlineExceeded) {
				c.ended, c.failed = true, err
			}
			return
		}
	}
}
