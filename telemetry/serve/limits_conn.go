package serve

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Connections beyond the streams: for pages, scrapes and short calls, of all
// callers and of one address. The last ones are this machine's, so that however
// many come from elsewhere, whoever sits here can still look.
const (
	spareConns        = 128
	spareConnsAddress = 64
	spareConnsHere    = 32
)

// A connection that is refused is told so, by few goroutines, in little time;
// beyond those it is only closed.
const (
	maxRefusals = 64
	refuseGrace = 500 * time.Millisecond
)

// connLimit bounds the open connections, so that ones that never send a request
// can't use up the process. The newest are refused; whoever is in, stays.
type connLimit struct {
	net.Listener
	srv *Server
	all int // at most
	one int // at most of one address that is neither loopback nor a trusted proxy

	mu     sync.Mutex // guards what follows
	open   int
	byAddr map[netip.Prefix]int

	refusing chan struct{} // a place for each refusal under way
	wg       sync.WaitGroup
}

func (s *Server) limitConns(ln net.Listener) *connLimit {
	return &connLimit{Listener: ln, srv: s, all: s.opt.MaxClients + spareConns, one: s.opt.MaxPerAddress + spareConnsAddress,
		byAddr: map[netip.Prefix]int{}, refusing: make(chan struct{}, maxRefusals)}
}

// Accept implements net.Listener.
func (l *connLimit) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || l.room(c) {
			return c, err
		}
		l.refuse(c)
	}
}

// keyOf is the address whose connections are counted; those of a proxy or of
// this machine are not its own. Here: it is this machine.
func (l *connLimit) keyOf(c net.Conn) (key netip.Prefix, counted, here bool) {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}, false, true
	}
	a := tcp.AddrPort().Addr().Unmap().WithZone("")
	return network(a), !a.IsLoopback() && !l.srv.trusted(a), a.IsLoopback()
}

func (l *connLimit) room(c net.Conn) bool {
	key, counted, here := l.keyOf(c)
	most := l.all
	if !here {
		most -= spareConnsHere
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open < most && (!counted || l.byAddr[key] < l.one)
}

// state counts as http.Server reports. It reports a new connection before it
// accepts the next, so that room is never wrong.
func (l *connLimit) state(c net.Conn, st http.ConnState) {
	n := 0
	switch st {
	case http.StateNew:
		n = 1
	case http.StateClosed, http.StateHijacked:
		n = -1
	default:
		return
	}
	key, counted, _ := l.keyOf(c)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open += n
	if !counted {
		return
	}
	if l.byAddr[key] += n; l.byAddr[key] == 0 {
		delete(l.byAddr, key)
	}
}

// refuse says why before it closes, and reads a little of what comes, since a
// connection closed over unread bytes takes its last words with it.
func (l *connLimit) refuse(c net.Conn) {
	l.srv.metrics.refused(http.StatusServiceUnavailable, codeBusy)
	select {
	case l.refusing <- struct{}{}:
	default:
		l.note(c.Close())
		return
	}
	l.wg.Go(func() {
		defer func() { <-l.refusing }()
		l.note(c.SetDeadline(l.srv.opt.Now().Add(refuseGrace)))
		_, err := io.WriteString(c, refusal503)
		if half, ok := c.(interface{ CloseWrite() error }); ok && err == nil {
			l.note(half.CloseWrite())
			_, err = io.CopyN(io.Discard, c, 64<<10)
		}
		l.note(err)
		l.note(c.Close())
	})
}

func (l *connLimit) note(err error) {
	if err != nil && err != io.EOF {
		l.srv.opt.Logger.Debug("refuse a connection", "err", err)
	}
}

const refusalBody = `{"error":"too many connections are open","code":"upstream","hint":"try again in 5 s"}` + "\n"

var refusal503 = fmt.Sprintf("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json; charset=utf-8\r\n"+
	"Cache-Control: no-store\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(refusalBody), refusalBody)
