package serve_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// The log rotates under the server, which restarts, while r3labs' client follows:
// no reset, and each event once, in order.
func TestFollowersOverRotationsAndRestarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const total, rounds = 900, 3
	all := events("a.b", 0, total)
	all[total/2] = fmt.Sprintf(`{"eventType":"a.b","big":%q}`, strings.Repeat("z", 1<<20-200))
	opt := telemetry.LogOptions{RotateBytes: 16 << 10}
	open := func() *telemetry.Log {
		log := telemetry.NewLog(dir, opt)
		t.Cleanup(func() { _ = log.Close() })
		return log
	}
	writer := open()
	appendAll(t, writer, all[0])
	s := start(t, serve.Options{Log: open()})
	addr := strings.TrimPrefix(s.url, "http://")
	enough := errors.New("enough")
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	var wg sync.WaitGroup
	begun := make(chan struct{}, 4)
	for i, types := range [][]string{nil, {"a.*"}} {
		wg.Go(func() {
			n := 0
			defer func() { begun <- struct{}{} }()
			err := serve.Tail(ctx, serve.TailOptions{URL: "http://" + addr, After: "0-0", Types: types}, func(f serve.Frame) error {
				if f.Reset != nil || n >= total || string(f.Data) != all[n] {
					return fmt.Errorf("event %d is %+v %.100s", n, f.Reset, f.Data)
				}
				if n++; n == 1 {
					begun <- struct{}{}
				}
				if n == total {
					return enough
				}
				return nil
			})
			if !errors.Is(err, enough) {
				t.Errorf("client %d after %d events: %v", i, n, err)
			}
		})
	}
	for range 2 { // a server that is not there at first is an error
		<-begun
	}
	for round := range rounds {
		appendAll(t, writer, all[max(1, round*total/rounds):(round+1)*total/rounds]...)
		if round < rounds-1 {
			if err := s.stop(); err != nil {
				t.Error(err)
			}
			s = start(t, serve.Options{Log: open(), Addr: addr})
		}
	}
	wg.Wait()
}
