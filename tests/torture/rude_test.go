package torture_test

import (
	"context"
	"net"
	"time"
)

// neverRead asks for everything and takes nothing, until ctx or the server ends.
func neverRead(ctx context.Context, srv *server) {
	gone := srv.gone()
	conn, err := net.DialTimeout("tcp", srv.addr, 10*time.Second)
	if err != nil {
		select { // the server may be down
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
		return
	}
	defer func() { _ = conn.Close() }()            // nothing to lose
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // the kernel takes less for it
	if _, err := conn.Write([]byte(request(srv.addr, "", "0-0"))); err != nil {
		return
	}
	select {
	case <-ctx.Done():
	case <-gone:
	}
}
