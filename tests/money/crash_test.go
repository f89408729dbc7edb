package money_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// steps buys once, killed by nobody, and returns the crash points that it passed and
// how long it took.
func steps(t *testing.T) ([]string, time.Duration) {
	t.Helper()
	w := newWorld(t, 2)
	p := w.place("clean")
	b := p.prepare(0)
	c := crash{log: filepath.Join(w.dir, "points")}
	began := time.Now()
	o := p.begin(c, b.buy()...).wait(t)
	took := time.Since(began)
	if o.exit != 0 {
		t.Fatal(o)
	}
	p.check(b)
	text, err := os.ReadFile(c.log)
	if err != nil {
		t.Fatalf("no crash points were passed; is the binary built with -tags crashpoints? %v", err)
	}
	points := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, want := range []string{"chain: locked", "chain: intended", "chain: persisted", "chain: broadcast", "chain: mined", "chain: settled"} {
		if !slices.Contains(points, want) {
			t.Fatalf("a purchase does not pass %q, only %q", want, points)
		}
	}
	return points, took
}

// The ways in which the killed command has company.
const (
	alone  = "then resume and retry at once" // the second process runs beside the resume
	beside = "with a second one beside it"   // the second process runs beside the killed one
)

// TestCrashMatrix kills a purchase after each of its steps. Whatever the step, and
// whether the same command runs beside it or beside the resume after it: there is
// exactly one purchase in the end, the books are the chain's, and the log has each
// step once.
func TestCrashMatrix(t *testing.T) {
	t.Parallel()
	points, took := steps(t)
	t.Logf("%d crash points, %s: %s", len(points), took.Round(time.Millisecond), strings.Join(points, ", "))
	type cell struct {
		n   int
		how string
	}
	var cells []cell
	for n := range points {
		for _, how := range []string{alone, beside} {
			cells = append(cells, cell{n + 1, how})
		}
	}
	if !*full { // the step before the broadcast, the one after it, and a few others
		rnd := random(t)
		at := 1 + slices.Index(points, "chain: persisted")
		some := []cell{{at, alone}, {at + 1, beside}}
		for _, i := range rnd.Perm(len(cells))[:3] {
			some = append(some, cells[i])
		}
		cells = some
	}
	for i, c := range cells {
		t.Run(fmt.Sprintf("%d/%d %s, %s", i, c.n, points[c.n-1], c.how), func(t *testing.T) {
			t.Parallel()
			p := newWorld(t, 2).place("a")
			b := p.prepare(0)
			kill := crash{at: fmt.Sprintf("#%d", c.n)}
			switch c.how {
			case alone:
				if o := p.begin(kill, b.buy()...).wait(t); !o.killed {
					t.Fatalf("it was not killed\n%s", o)
				}
				resume, again := p.begin(crash{}, "nft", "resume"), p.begin(crash{}, b.buy()...)
				fair(t, b, resume.wait(t), again.wait(t))
			case beside:
				first, second := p.begin(kill, b.buy()...), p.begin(crash{}, b.buy()...)
				fair(t, b, first.wait(t), second.wait(t))
			}
			p.finish(b)
			p.check(b)
		})
	}
}

// fair: of commands that ran at once each bought the quote, was killed, or said that
// another one did, does, or may have.
func fair(t *testing.T, b purchase, all ...outcome) {
	t.Helper()
	bought := 0
	for _, o := range all {
		switch {
		case o.killed:
		case o.exit == 0 && o.args[1] == "buy":
			bought++
		case o.exit == 0 && o.args[1] == "resume":
		case o.exit == 7 && o.Code == "tx_unknown":
		case o.exit == 10 && (o.Code == "quote_used" || o.Code == "conflict"):
		default:
			t.Errorf("quote %s: %s", b.quote, o)
		}
	}
	if bought > 1 {
		t.Errorf("quote %s was bought %d times: %v", b.quote, bought, all)
	}
}

// finish runs resume until nothing is open, and then the purchase again: it is
// bought now, or has been.
func (p place) finish(b purchase) {
	p.t.Helper()
	p.resumed()
	o := p.run(b.buy()...)
	if o.exit != 0 && (o.exit != 10 || o.Code != "quote_used" || o.State != "confirmed") {
		p.t.Errorf("after the resume: %s", o)
	}
	// Once more: it was used, and says so.
	if o = p.run(b.buy()...); o.exit != 10 || o.Code != "quote_used" {
		p.t.Errorf("a second purchase: %s", o)
	}
}

// resumed runs resume until nothing is open.
func (p place) resumed() {
	p.t.Helper()
	stuck := 0
	until(p.t, "nft resume settles everything", func() bool {
		o := p.run("nft", "resume")
		if o.exit != 0 && o.exit != 7 && o.exit != 10 {
			p.t.Fatal(o)
		}
		if len(o.Open) == 1 && o.Open[0].State == "signed" {
			if stuck++; stuck == 5 {
				p.t.Fatalf("signed, never sent, and not sent again\n%s", o)
			}
		}
		return o.exit == 0
	})
}

// TestRandomKills buys one token after another with one wallet, and kills the
// purchase, the same command beside it, and the resume, at a step or after a time
// that chance chooses.
func TestRandomKills(t *testing.T) {
	t.Parallel()
	n := scale(4, *rounds)
	points, took := steps(t)
	rnd := random(t)
	w := newWorld(t, min(n, 800))
	p := w.place("a")
	var all []purchase
	kills := 0
	for i := range min(n, 800) {
		b := p.prepare(i)
		all = append(all, b)
		var ended []outcome
		run := func(args ...string) *process { return p.doomed(rnd, len(points), took, args...) }
		first := run(b.buy()...)
		if rnd.IntN(2) == 0 {
			second := run(b.buy()...)
			ended = append(ended, second.wait(t))
		}
		ended = append(ended, first.wait(t))
		for range rnd.IntN(3) {
			resume, again := run("nft", "resume"), run(b.buy()...)
			ended = append(ended, resume.wait(t), again.wait(t))
		}
		for _, o := range ended {
			if o.killed {
				kills++
			}
		}
		fair(t, b, ended...)
		p.finish(b)
		if mined, _ := w.nonces(); mined != uint64(i+1) || !w.owned(b.token) {
			t.Fatalf("round %d: %d transactions, the token is the buyer's: %t; %v", i, mined, w.owned(b.token), ended)
		}
	}
	p.check(all...)
	t.Logf("%d rounds, %d processes were killed", len(all), kills)
}

// doomed starts a command that is killed at a step or after a time, or not at all.
func (p place) doomed(rnd *rand.Rand, points int, took time.Duration, args ...string) *process {
	p.t.Helper()
	switch rnd.IntN(5) {
	case 0:
		return p.begin(crash{}, args...)
	case 1, 2:
		return p.begin(crash{at: fmt.Sprintf("#%d", 1+rnd.IntN(points))}, args...)
	}
	r := p.begin(crash{}, args...)
	r.killAfter(time.Duration(rnd.Int64N(int64(took * 5 / 4))))
	return r
}
