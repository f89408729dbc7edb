package bridge

import (
	"sync"
	"testing"
)

// TestTogether: the same request is executed by several processes while others look at
// it. It is paid once, and its end is found: the route that was paid stays noted, whoever
// looks in between.
func TestTogether(t *testing.T) {
	t.Parallel()
	rounds := 2
	if *full {
		rounds = 20
	}
	for range rounds {
		w, x := newWorld(t), transfers[0]
		q := w.must(x.quote()...)
		var wg sync.WaitGroup
		var mu sync.Mutex
		sent := 0
		for range 3 {
			wg.Go(func() {
				for range 100 {
					o := w.run(execute(q.RequestID)...)
					switch {
					case o.exit == 0:
						mu.Lock()
						sent++
						mu.Unlock()
					case o.exit == 10 && o.Code == "conflict":
						continue // another one is sending
					case o.exit == 10 && o.Code == "quote_used":
					default:
						t.Error(o)
					}
					return
				}
			})
			wg.Go(func() {
				for range 20 {
					if o := w.run(status(q.RequestID)...); o.exit != 0 && o.exit != 10 {
						t.Error(o)
					}
				}
			})
		}
		wg.Wait()
		if sent != 1 {
			t.Errorf("%d of them sent it", sent)
		}
		w.finish(x, q.RequestID, false)
	}
}
