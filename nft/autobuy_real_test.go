package nft_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/opensea"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// planned plans count purchases in the sandbox.
func (s *stage) planned(count int) nft.AutobuyOut {
	s.t.Helper()
	out, err := s.run().Autobuy(s.t.Context(), nft.AutobuyIn{MaxPrice: "20", Count: count, Collections: []string{"demo-apes", "pocket-bananas"}})
	if err != nil || out.SelectedCount != count || len(out.WouldBlock) != 0 {
		s.t.Fatalf("%+v, %v", out, err)
	}
	return out
}

// confirmed is what buys a plan.
func confirmed(out nft.AutobuyOut) nft.AutobuyIn {
	return nft.AutobuyIn{Plan: out.PlanID, Execute: true, Confirm: out.ConfirmPhrase}
}

// listed is the listing of an item.
func (s *stage) listed(it nft.PlanItem) opensea.Listed {
	s.t.Helper()
	l, err := s.world.Listing(s.t.Context(), common.HexToHash(it.OrderHash))
	if err != nil {
		s.t.Fatal(err)
	}
	return l
}

func (s *stage) ours(it nft.PlanItem) bool {
	s.t.Helper()
	owner, err := s.world.OwnerOf(s.t.Context(), it.Collection, s.listed(it).TokenID)
	if err != nil {
		s.t.Fatal(err)
	}
	return owner == s.world.Buyer().Address()
}

// results is what became of each item, in short.
func results(items []nft.PlanItem) string {
	var out []string
	for _, it := range items {
		r := it.Result
		if it.Code != "" {
			r += ":" + string(it.Code)
		}
		out = append(out, r)
	}
	return strings.Join(out, " ")
}

// rewrite changes the sandbox's policy.
func (s *stage) rewrite(old, new string) {
	s.t.Helper()
	path := filepath.Join(s.world.Current().Home, "policy.json")
	b, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if !bytes.Contains(b, []byte(old)) {
		s.t.Fatalf("the policy has no %s:\n%s", old, b)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(b, []byte(old), []byte(new)), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func TestRealAutobuy(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 6})
	plan := s.planned(4)
	if n := s.node.broadcasts.Load(); n != 0 {
		t.Fatalf("%d broadcasts by a dry run", n)
	}
	out, err := s.run().Autobuy(t.Context(), confirmed(plan))
	if err != nil || !out.OK || out.Executed != 4 || len(out.TxHashes) != 4 || *out.SpentWei != plan.TotalWei || out.GasWei.IsZero() {
		t.Fatalf("%+v, %v", out, err)
	}
	for _, it := range out.Planned {
		if !s.ours(it) || it.Result != nft.ResultBought {
			t.Errorf("%s #%s: %s", it.Collection, it.TokenID, it.Result)
		}
	}
	if n := s.node.broadcasts.Load(); n != 4 {
		t.Errorf("%d broadcasts", n)
	}
	_, err = s.run().Autobuy(t.Context(), confirmed(plan))
	refused(t, err, fault.QuoteUsed)
	types, lines := s.events()
	want := "nft.autobuy.planned" + strings.Repeat(" nft.simulation.passed nft.buy.submitted nft.buy.confirmed", 4) + " nft.autobuy.executed"
	if got := strings.Join(types, " "); got != want {
		t.Errorf("events   %s\nexpected %s", got, want)
	}
	for _, l := range lines {
		if !bytes.Contains(l, []byte(`"traceId":"trace_1"`)) {
			t.Errorf("event %s", l)
		}
	}
}

// TestRealAutobuyMoves: what changed since the plan costs its own purchase, and
// nothing is paid that was not planned.
func TestRealAutobuyMoves(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 6})
	ctx := t.Context()
	plan := s.planned(4)
	dearer := s.listed(plan.Planned[0])
	if err := s.world.Cancel(ctx, dearer.Order); err != nil {
		t.Fatal(err)
	}
	more, err := dearer.Price.Add(units.FromUint64(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.world.List(plan.Planned[0].Collection, demo.Terms{TokenID: dearer.TokenID.Uint64(), Price: more, Salt: "again"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.world.Buy(ctx, s.world.Demo().Faucet, s.listed(plan.Planned[2]).Order); err != nil {
		t.Fatal(err)
	}
	out, err := s.run().Autobuy(ctx, confirmed(plan))
	if err != nil {
		t.Fatal(err)
	}
	if got := results(out.Planned); got != "failed:simulation_failed bought failed:simulation_failed bought" {
		t.Errorf("%s", got)
	}
	if sum, _ := plan.Planned[1].PriceWei.Add(plan.Planned[3].PriceWei); *out.SpentWei != sum || out.Executed != 2 || out.Failed != 2 {
		t.Errorf("spent %s of %s", out.SpentWei, sum)
	}
	f := refused(t, out.Failure(), fault.Partial, "bought 2 of 4 tokens")
	if fault.ExitCode(f) != 9 || out.OK || out.Sent != fault.SentYes {
		t.Errorf("%+v", out)
	}
	types, lines := s.events()
	var e struct {
		Result struct {
			Executed, Failed int
			Errors           []struct{ TokenID, Code, Reason string }
		}
	}
	if err := json.Unmarshal(lines[len(lines)-1], &e); err != nil || types[len(types)-1] != "nft.autobuy.partial" || e.Result.Executed != 2 ||
		e.Result.Failed != 2 || len(e.Result.Errors) != 2 || e.Result.Errors[0].Code != "simulation_failed" || e.Result.Errors[0].Reason == "" {
		t.Errorf("%s, %v", lines[len(lines)-1], err)
	}
}

// TestRealAutobuyStops: the first refusal of policy ends the run.
func TestRealAutobuyStops(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 6, Price: ape(t, "4")})
	s.calm = true // that the policy has changed
	plan := s.planned(4)
	s.rewrite(`"dailySpendCap": 500`, `"dailySpendCap": 8.5`)
	out, err := s.run().Autobuy(t.Context(), confirmed(plan))
	if err != nil {
		t.Fatal(err)
	}
	if got := results(out.Planned); got != "bought bought failed:cap_exceeded not_tried:cap_exceeded" {
		t.Errorf("%s", got)
	}
	refused(t, out.Failure(), fault.Partial, "then it ended")
	if n := s.node.broadcasts.Load(); n != 2 {
		t.Errorf("%d broadcasts", n)
	}
	// Nothing at all is the refusal itself; once the cap allows it, the rest is bought.
	_, err = s.run().Autobuy(t.Context(), confirmed(plan))
	refused(t, err, fault.CapExceeded)
	if types, _ := s.events(); types[len(types)-1] != "nft.autobuy.failed" {
		t.Errorf("the trail ends with %s", types[len(types)-1])
	}
	s.rewrite(`"dailySpendCap": 8.5`, `"dailySpendCap": 500`)
	out, err = s.run().Autobuy(t.Context(), confirmed(plan))
	if err != nil || results(out.Planned) != "already already bought bought" || out.Executed != 2 || out.Already != 2 {
		t.Errorf("%s, %v", results(out.Planned), err)
	}
}

// TestRealAutobuyUnknown: an outcome that is not known ends the run; when it is,
// the run goes on.
func TestRealAutobuyUnknown(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 6})
	plan := s.planned(3)
	s.wait = 200 * time.Millisecond
	if err := s.world.SetFault("rpc-no-mining"); err != nil {
		t.Fatal(err)
	}
	_, err := s.run().Autobuy(t.Context(), confirmed(plan))
	f := refused(t, err, fault.TxUnknown, "nft resume")
	items, _ := f.Details["planned"].([]nft.PlanItem)
	if f.Sent != fault.SentYes || results(items) != "unknown:tx_unknown not_tried:tx_unknown not_tried:tx_unknown" {
		t.Errorf("sent %s, %s", f.Sent, results(items))
	}
	_, err = s.run().Autobuy(t.Context(), confirmed(plan))
	if n := s.node.broadcasts.Load(); n != 1 || err == nil {
		t.Fatalf("%d broadcasts, %v", n, err)
	}
	s.world.ClearFaults()
	s.wait = 5 * time.Second
	if err := s.world.Mine(); err != nil {
		t.Fatal(err)
	}
	out, err := s.run().Autobuy(t.Context(), confirmed(plan))
	if err != nil || results(out.Planned) != "already bought bought" {
		t.Fatalf("%s, %v", results(out.Planned), err)
	}
}

// TestRealAutobuyCanceled: an interrupt between two purchases leaves the rest.
func TestRealAutobuyCanceled(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 6})
	plan := s.planned(3)
	ctx, cancel := context.WithCancel(t.Context())
	settled := 0
	s.step = func(name string) {
		if name == "settled" {
			if settled++; settled == 1 {
				cancel()
			}
		}
	}
	out, err := s.run().Autobuy(ctx, confirmed(plan))
	if err != nil || results(out.Planned) != "bought not_tried:canceled not_tried:canceled" {
		t.Fatalf("%s, %v", results(out.Planned), err)
	}
	refused(t, out.Failure(), fault.Partial)
}

// TestRealAutobuyKilled ends a run at each step of its second purchase, and runs
// the plan again: every token is bought once.
func TestRealAutobuyKilled(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 40})
	s.again = true
	var steps []string
	s.step = func(name string) { steps = append(steps, name) }
	if _, err := s.run().Autobuy(t.Context(), confirmed(s.planned(1))); err != nil {
		t.Fatal(err)
	}
	names := slices.Compact(slices.Sorted(slices.Values(steps)))
	t.Logf("steps %v", names)
	if len(names) < 4 {
		t.Fatal("too few steps to end at")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			plan, before := s.planned(3), s.node.broadcasts.Load()
			seen := 0
			s.step = func(at string) {
				if at == name {
					if seen++; seen == 2 {
						runtime.Goexit()
					}
				}
			}
			var dead sync.WaitGroup
			ended := false
			dead.Go(func() {
				_, _ = s.run().Autobuy(t.Context(), confirmed(plan))
				ended = true
			})
			dead.Wait()
			s.step = nil
			if ended {
				t.Skip("the step comes once only")
			}
			var out nft.AutobuyOut
			for range 2 { // what was signed and not sent is first sent by nft resume
				r, err := s.run(), error(nil)
				if out, err = r.Autobuy(t.Context(), confirmed(plan)); fault.CodeOf(err) == fault.TxUnknown {
					if _, err = r.sender.Resume(t.Context(), chain.ResumeIn{ChainID: s.world.ChainID()}); err == nil {
						continue
					}
				}
				if err != nil && fault.CodeOf(err) != fault.QuoteUsed {
					t.Errorf("%v", err)
				}
				break
			}
			for _, it := range plan.Planned {
				if !s.ours(it) {
					t.Errorf("%s #%s is not ours: %s", it.Collection, it.TokenID, results(out.Planned))
				}
			}
			if n := s.node.broadcasts.Load() - before; n < 3 || n > 4 {
				t.Errorf("%d broadcasts of 3 purchases", n)
			}
		})
	}
}

// TestRealAutobuyTwice: two runs of one plan at once buy each token once, and each
// says what it did.
func TestRealAutobuyTwice(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Listings: 6})
	plan := s.planned(4)
	runs := []run{s.run(), s.run()}
	outs, errs := make([]nft.AutobuyOut, 2), make([]error, 2)
	var done sync.WaitGroup
	for i, r := range runs {
		done.Go(func() { outs[i], errs[i] = r.Autobuy(t.Context(), confirmed(plan)) })
	}
	done.Wait()
	bought := map[string]int{}
	for i, out := range outs {
		t.Logf("run %d: %s, %v", i, results(out.Planned), errs[i])
		if errs[i] != nil && fault.CodeOf(errs[i]) != fault.QuoteUsed {
			t.Errorf("run %d: %v", i, errs[i])
		}
		for _, it := range out.Planned {
			if it.Result == nft.ResultBought {
				bought[it.QuoteID]++
			}
		}
	}
	for _, it := range plan.Planned {
		if !s.ours(it) || bought[it.QuoteID] != 1 {
			t.Errorf("%s #%s was bought %d times", it.Collection, it.TokenID, bought[it.QuoteID])
		}
	}
	if n := s.node.broadcasts.Load(); n != 4 {
		t.Errorf("%d broadcasts", n)
	}
}
