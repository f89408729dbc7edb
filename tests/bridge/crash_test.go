package bridge

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// points moves funds once, killed by nobody, and returns the crash points that the
// commands passed.
func points(t *testing.T, x transfer) (executing, settling []string) {
	t.Helper()
	w := newWorld(t)
	q := w.must(x.quote()...)
	read := func(args []string) []string {
		log := filepath.Join(w.dir, "points-"+args[1])
		for range 200 {
			o := w.begin("", log, args...).wait(t)
			if o.exit != 0 {
				t.Fatal(o)
			}
			if o.Status != "pending" || args[1] == "execute" {
				break
			}
			if err := os.Remove(log); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(b)), "\n")
	}
	executing = read(execute(q.RequestID))
	settling = read(status(q.RequestID))
	w.moved(x, false)
	for _, want := range []string{"bridge: allowed", "bridge: route noted", "chain: persisted", "chain: broadcast", "bridge: sent"} {
		if !slices.Contains(executing, want) {
			t.Fatalf("a transfer does not pass %q, only %q", want, executing)
		}
	}
	for _, want := range []string{"bridge: end noted", "bridge: end told", "bridge: note written"} {
		if !slices.Contains(settling, want) {
			t.Fatalf("the end of a transfer does not pass %q, only %q", want, settling)
		}
	}
	return executing, settling
}

// TestCrashMatrix kills a transfer after each of its steps, and the settling of its end.
// In the end it was bridged once or refunded once, the books are the chains', and the log
// has each end once.
func TestCrashMatrix(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(*seed, 7))
	for _, x := range transfers[:2] {
		executing, settling := points(t, x)
		t.Logf("%s: %d crash points: %s; %s", x.token, len(executing)+len(settling), strings.Join(executing, ", "), strings.Join(settling, ", "))
		type cell struct {
			n      int
			settle bool // it is the settling that is killed
			back   bool // the bridge refunds
		}
		var cells []cell
		for n := range executing {
			cells = append(cells, cell{n + 1, false, n%2 == 1})
		}
		for n := range settling {
			cells = append(cells, cell{n + 1, true, false}, cell{n + 1, true, true})
		}
		if !*full {
			rnd.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
			noted := 1 + slices.Index(executing, "bridge: route noted")
			ends := 1 + slices.Index(settling, "bridge: end told")
			cells = append([]cell{{noted, false, false}, {ends, true, false}}, cells[:4]...)
		}
		for _, c := range cells {
			at := executing
			if c.settle {
				at = settling
			}
			t.Run(fmt.Sprintf("%s, %d %s, settling %t, refunded %t", x.token, c.n, at[c.n-1], c.settle, c.back), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				if c.back {
					if err := w.SetFault(string(faults.RelayRefund)); err != nil {
						t.Fatal(err)
					}
				}
				q := w.must(x.quote()...)
				kill := fmt.Sprintf("#%d", c.n)
				if !c.settle {
					if o := w.begin(kill, "", execute(q.RequestID)...).wait(t); !o.killed {
						t.Fatalf("it was not killed\n%s", o)
					}
				} else {
					w.must(execute(q.RequestID)...)
					for range 200 {
						if o := w.begin(kill, "", status(q.RequestID)...).wait(t); o.killed || o.Status != "pending" {
							break
						}
					}
				}
				w.finish(x, q.RequestID, c.back)
			})
		}
	}
}

// finish does what a person would after a crash: resume, execute again if it is still a
// quote, and look until it has ended.
func (w *world) finish(x transfer, id string, back bool) {
	w.t.Helper()
	resumed := false
	for range 400 {
		if o := w.run("bridge", "resume"); o.exit == 0 {
			resumed = true
			break
		} else if o.exit != 7 && o.exit != 10 {
			w.t.Fatal(o)
		}
	}
	if !resumed {
		w.t.Fatal("bridge resume leaves something open")
	}
	again := w.run(execute(id)...)
	if again.exit != 0 && (again.exit != 10 || again.Code != "quote_used") {
		w.t.Errorf("after the crash: %s", again)
	}
	var s outcome
	for range 400 {
		if s = w.run(status(id)...); s.Status != "pending" {
			break
		}
	}
	want := "completed"
	if back {
		want = "refunded"
	}
	if s.Status != want {
		w.t.Errorf("it is %s, want %s", s, want)
	}
	w.moved(x, back)
	e := w.events()
	if e["bridge.execute.confirmed"] != btoi(!back) || e["bridge.execute.refunded"] != btoi(back) || e["bridge.execute.failed"] != 0 {
		w.t.Errorf("the log has %v", e)
	}
	if o := w.run(execute(id)...); o.exit != 10 || o.Code != "quote_used" {
		w.t.Errorf("a second transfer: %s", o)
	}
}
