package torture_test

import (
	"fmt"
	"testing"
	"time"
)

// Writers of all kinds find no log, all at once, and clients wait for one: it is
// born once.
func TestBirth(t *testing.T) {
	began := time.Now()
	rounds := scale(3, 25)
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			_, dir := begin(t)
			srv := newServer(t, dir)
			clients := []*follower{follow(t, srv, "client 0", "0-0", ""), follow(t, srv, "client 1", "0-0", "")}
			var writers []*writer
			for i, how := range []string{byAppend, byAppend, byShell, byOpen} {
				writers = append(writers, newWriter(t, part{How: how, Dir: dir, Writer: i, Size: 450}))
			}
			for _, w := range writers {
				w.allow(20)
			}
			until(t, text("the writers"), func() bool { return allReached(writers) })
			c := storm{size: 450}
			tr := c.settle(t, dir, 0, writers)
			waitForAll(t, clients, tr)
			tr.checkWritten(t, writers, id{writer: closer})
			tr.checkAll(t, clients)
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d births in %s", rounds, time.Since(began).Round(time.Millisecond))
}
