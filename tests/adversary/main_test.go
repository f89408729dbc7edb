package adversary_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var (
	full  = flag.Bool("full", false, "4000 mutants, and every check removed")
	seed  = flag.Uint64("seed", 1, "what the random choices follow from")
	only  = flag.String("only", "", "one mutant, by its number, or all whose name has this in it")
	count = flag.Int("count-of", 0, "how many mutants to run; 0: 200, or 4000 with -full; -1: all, some 13,000")
	lanes = flag.Int("lanes", 6, "how many buyers at once")
	quiet = flag.String("report", "", "write the counts into this file, and fail for nothing (for TestRemovedChecks)")
)

func TestMain(m *testing.M) {
	flag.Parse()
	goleak.VerifyTestMain(m,
		// The dev chain's libraries start these and never end them.
		goleak.IgnoreTopFunction("github.com/ethereum/go-ethereum/core.(*txSenderCacher).cache"),
		goleak.IgnoreTopFunction("github.com/syndtr/goleveldb/leveldb.(*DB).mpoolDrain"),
	)
}

// How many mutants run without -full, and with it.
const (
	short = 200
	long  = 4000
)

// TestMutants: of all mutants the number that got through is zero.
func TestMutants(t *testing.T) {
	tokens := 500
	if *full {
		tokens = 1000
	}
	s := newStage(t, tokens)
	all := s.catalogue(t)
	picked := pick(t, all)
	began := time.Now()
	res := s.runAll(t, picked)
	bad, err := s.sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	res.Sweep = bad
	if *quiet != "" {
		b, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*quiet, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, b := range bad {
		t.Errorf("got through: %s", b)
	}
	for _, w := range res.Wrong {
		t.Errorf("got through: %s\nrun it alone: go test ./tests/adversary -run TestMutants -v -args -seed %d -only %s", w.What, *seed, w.Only)
	}
	t.Logf("%d mutants, of which %d changed an answer, of %d, seed %d, in %s\n%s", len(picked), res.Distinct, len(all), *seed, time.Since(began).Round(time.Second), res.table())
	if *full && *only == "" && *count == 0 && res.Distinct < 2000 {
		t.Errorf("%d distinct mutants, expected at least 2000", res.Distinct)
	}
	if *only == "" && (res.total(bought) == 0 || res.total(refused) == 0 || res.total(hidden) == 0) {
		t.Error("a way to end was never seen: the harness proves nothing")
	}
}

// catalogue buys one token honestly, to know what honest answers look like.
func (s *stage) catalogue(t *testing.T) []*mutant {
	t.Helper()
	got := map[string][]byte{}
	l := &lane{stage: s, n: 0, cur: &running{}}
	defer func() {
		if err := l.close(); err != nil {
			t.Error(err)
		}
	}()
	var mu sync.Mutex
	m := &mutant{class: "honest", name: "honest", lies: nil}
	var kept *cast
	for _, target := range []string{listing, fulfilment, "eth_chainId", "eth_getBlockByNumber", "eth_getBalance", "eth_call counter", "eth_call owner", "eth_call purchase",
		"eth_estimateGas", "eth_maxPriorityFeePerGas", "eth_getTransactionCount latest", "eth_getTransactionCount pending", "eth_sendRawTransaction", "eth_getTransactionReceipt"} {
		m.lies = append(m.lies, mutation{target: target, do: func(c *cast, x *exchange) reply {
			r := x.real()
			mu.Lock()
			defer mu.Unlock()
			kept = c
			if n := envelope(r); n != nil && (n.child("result") == nil || n.child("result").raw != "null") {
				got[target] = r.body
			}
			return r
		}})
	}
	e, err := l.run(t.Context(), m)
	if err != nil || e.kind != bought {
		t.Fatalf("the honest purchase: %+v, %v", e, err)
	}
	for _, lie := range m.lies {
		if got[lie.target] == nil {
			t.Fatalf("the honest purchase asks for no %s", lie.target)
		}
	}
	return build(got, kept, 300)
}

// pick takes the mutants that are to be run.
func pick(t *testing.T, all []*mutant) []*mutant {
	t.Helper()
	if n, err := strconv.Atoi(*only); err == nil {
		if n < 0 || n >= len(all) {
			t.Fatalf("there are mutants 0 to %d", len(all)-1)
		}
		return all[n : n+1]
	}
	if *only != "" {
		return slices.DeleteFunc(slices.Clone(all), func(m *mutant) bool { return !strings.Contains(m.name, *only) })
	}
	n := *count
	switch {
	case n < 0:
		return all
	case n == 0 && *full:
		n = long
	case n == 0:
		n = short
	}
	// By lot, and of each class its share: the large ones are much of a kind.
	rng := chance(*seed, "sample")
	classes := map[string][]*mutant{}
	for _, m := range all {
		classes[m.class] = append(classes[m.class], m)
	}
	var out []*mutant
	for _, c := range order {
		of := classes[c.name]
		rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		out = append(out, of[:min(len(of), max(1, n*c.share/100))]...)
	}
	return out
}

// order is the classes as the table has them, and their shares of a sample, in hundredths.
var order = []struct {
	name  string
	share int
}{
	{inListing, 12}, {inFulfilment, 17}, {inTransfer, 3}, {inOrder, 18}, {inCall, 12}, {inCollusion, 10}, {inNode, 16}, {inNodeHTTP, 6}, {inCombined, 6},
}

// results are the counts.
type results struct {
	Distinct int
	Counts   map[string]map[string]int // by class, then by how it ended
	Kinds    map[string][5]int
	Wrong    []failure
	Sweep    []string
}

type failure struct{ What, Only string }

// runAll runs mutants in all lanes.
func (s *stage) runAll(t *testing.T, ms []*mutant) *results {
	t.Helper()
	res := &results{Counts: map[string]map[string]int{}, Kinds: map[string][5]int{}}
	next := make(chan *mutant)
	var mu sync.Mutex
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for n := range min(*lanes, len(ms)) {
		l := &lane{stage: s, n: n + 1, cur: &running{}}
		wg.Go(func() {
			defer func() {
				if err := l.close(); err != nil {
					t.Error(err)
				}
			}()
			for m := range next {
				e, err := l.run(ctx, m)
				if err == nil && e.kind == wrong {
					err = l.open(ctx) // what it left would be told of the next ones too
					l.order = nil
				}
				mu.Lock()
				if err != nil {
					t.Errorf("mutant %d, %s: %v", m.number, m.name, err)
					cancel()
				}
				if e.kind == wrong && *quiet == "" {
					t.Logf("mutant %d, %s: %s", m.number, m.name, e.note) // at once: the rest may take minutes
				}
				res.count(m, e)
				mu.Unlock()
			}
		})
	}
	for _, m := range ms {
		if ctx.Err() != nil {
			break
		}
		next <- m
	}
	close(next)
	wg.Wait()
	return res
}

func (r *results) count(m *mutant, e ending) {
	if e.changed {
		r.Distinct++
	}
	if r.Counts[m.class] == nil {
		r.Counts[m.class] = map[string]int{}
	}
	kinds := r.Kinds[m.class]
	kinds[e.kind]++
	r.Kinds[m.class] = kinds
	if e.kind == wrong {
		r.Wrong = append(r.Wrong, failure{fmt.Sprintf("mutant %d, %s: %s", m.number, m.name, e.note), strconv.Itoa(m.number)})
		return
	}
	r.Counts[m.class][[...]string{"bought ", "refused ", "hidden ", "", "failed "}[e.kind]+e.note]++
}

func (r *results) total(k kind) (n int) {
	for _, c := range r.Kinds {
		n += c[k]
	}
	return n
}

// table is the counts as text.
func (r *results) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s %7s %7s %7s %7s %7s %7s\n", "class", "mutants", "bought", "refused", "hidden", "failed", "through")
	var sum [6]int
	row := func(name string, n [6]int) {
		fmt.Fprintf(&b, "%-14s %7d %7d %7d %7d %7d %7d\n", name, n[0], n[1], n[2], n[3], n[4], n[5])
	}
	for _, c := range order {
		k, ok := r.Kinds[c.name]
		if !ok {
			continue
		}
		n := [6]int{0, k[bought], k[refused], k[hidden], k[failed], k[wrong]}
		for _, v := range n[1:] {
			n[0] += v
		}
		for i := range n {
			sum[i] += n[i]
		}
		row(c.name, n)
	}
	row("all", sum)
	codes := map[string]int{}
	for _, c := range r.Counts {
		for k, n := range c {
			codes[k] += n
		}
	}
	b.WriteString("\nhow they ended\n")
	var names []string
	for k := range codes {
		names = append(names, k)
	}
	slices.SortFunc(names, func(x, y string) int { return codes[y] - codes[x] })
	for _, k := range names {
		fmt.Fprintf(&b, "%7d %s\n", codes[k], k)
	}
	return b.String()
}
