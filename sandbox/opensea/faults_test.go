package opensea_test

import (
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/faults"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestServerFaults(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	const path = "/api/v2/collections/demo-apes"
	tests := []struct {
		spec  string
		check func(answer, error) bool
	}{
		{"rate-limit", func(a answer, err error) bool { return a.status == 429 && a.header.Get("Retry-After") == "1" }},
		{"rate-limit=30", func(a answer, err error) bool { return a.status == 429 && a.header.Get("Retry-After") == "30" }},
		{"rate-limit-bare", func(a answer, err error) bool { return a.status == 429 && a.header.Get("Retry-After") == "" }},
		{"status", func(a answer, err error) bool { return a.status == 500 }},
		{"status=599", func(a answer, err error) bool { return a.status == 599 }},
		{"bad-key", func(a answer, err error) bool { return a.status == 401 }},
		{"html", func(a answer, err error) bool { return a.status == 200 && a.body[0] == '<' }},
		{"truncated", func(a answer, err error) bool {
			return a.status == 200 && a.body[0] == '{' && a.body[len(a.body)-1] != '}'
		}},
		{"slow=5ms", func(a answer, err error) bool { return a.status == 200 }},
		{"reset", func(_ answer, err error) bool { return err != nil }},
	}
	for _, tt := range tests { // one after another: they share the server
		t.Run(tt.spec, func(t *testing.T) {
			if err := w.SetFault(tt.spec + "*1"); err != nil {
				t.Fatal(err)
			}
			// A POST: net/http repeats a GET by itself when a connection drops.
			method, body := http.MethodGet, []byte(nil)
			if tt.spec == "reset" {
				method, body = http.MethodPost, []byte("{}")
			}
			if a, err := ask(t, w, method, path, body, apiKey); !tt.check(a, err) {
				t.Errorf("%d %v %s, %v", a.status, a.header, a.body, err)
			}
			if a := get(t, w, path); a.status != 200 {
				t.Errorf("the next one: %d", a.status)
			}
		})
	}
}

// client is the market client that ape-claw itself uses.
func client(t *testing.T, w *sandbox.World) *market.Client {
	t.Helper()
	c, err := market.New(market.Options{
		Rules: market.ApeChain(time.Now), BaseURL: w.MarketURL(), APIKey: "k",
		Transport: http.DefaultTransport, Rand: func(int64) int64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOddListingsAreSetAside(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   faults.Name
		reason string // "" for one that is fine
	}{
		{faults.WAPE, "WAPE"},
		{faults.SixDecimals, "USDC"},
		{faults.ERC1155, "quantity is"},
		{faults.Dutch, "auction"},
		{faults.English, "auction"},
		{faults.Private, "private"},
		{faults.Restricted, "zone"},
		{faults.Inactive, "CANCELLED"},
		{faults.LowPrice, "less than its payments"},
		{faults.OtherContract, "contract"},
		{faults.Expired, "it expired at 2023-11-14"},
		{faults.Future, "it starts only at 2096-"},
		{faults.Criteria, "item type \"4\", not an ERC-721"},
		{faults.Lookalike, "not the collection's"},
		{faults.NumberPrice, ""},
		{faults.HighPrice, ""},
		{faults.FlatPrice, ""},
		{faults.NoSignature, ""},
	}
	for _, tt := range tests {
		t.Run(string(tt.name), func(t *testing.T) {
			t.Parallel()
			w := start(t, sandbox.Options{Listings: 3})
			id := w.Demo().Orders[1].TokenID.String()
			if err := w.SetFault(fmt.Sprintf("%s=%s", tt.name, id)); err != nil {
				t.Fatal(err)
			}
			p, err := client(t, w).Listings(t.Context(), market.ListQuery{Slug: "demo-apes"})
			if err != nil {
				t.Fatal(err)
			}
			if tt.reason == "" {
				if len(p.Listings) != 3 || len(p.Skipped) != 0 {
					t.Errorf("%d listings, skipped %v", len(p.Listings), p.Skipped)
				}
				return
			}
			if len(p.Listings) != 2 || len(p.Skipped) != 1 || !strings.Contains(p.Skipped[0].Reason, tt.reason) {
				t.Errorf("%d listings, skipped %+v", len(p.Listings), p.Skipped)
			}
		})
	}
}

func TestRepeatedCursor(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	if err := w.SetFault("repeated-cursor"); err != nil {
		t.Fatal(err)
	}
	_, err := client(t, w).Listings(t.Context(), market.ListQuery{Slug: "demo-apes", All: true, Limit: 1000})
	if fault.CodeOf(err) != fault.Upstream {
		t.Errorf("got %v", err)
	}
	w.ClearFaults()
	if err := w.SetFault("cursor-cycle"); err != nil {
		t.Fatal(err)
	}
	_, err = client(t, w).Listings(t.Context(), market.ListQuery{Slug: "demo-apes", All: true, Limit: 1000})
	if fault.CodeOf(err) != fault.Upstream || !strings.Contains(err.Error(), "repeats a page cursor") {
		t.Errorf("a cycle: %v", err)
	}
	w.ClearFaults()
	if err := w.SetFault("endless-pages"); err != nil {
		t.Fatal(err)
	}
	p, err := client(t, w).Listings(t.Context(), market.ListQuery{Slug: "demo-apes", All: true, Limit: 1000})
	if err != nil || !p.More || p.Pages != 20 || p.Stopped != "after 20 pages" || len(p.Listings) != 0 {
		t.Errorf("endless: %+v, %v", p, err)
	}
}

// Whatever the slug is called, the contract is what is asked for.
func TestIdentityOfCollections(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Listings: 3})
	c, _ := w.Demo().Collection("demo-apes")
	q := market.ListQuery{Slug: "demo-apes", Contract: strings.ToLower(c.Address.Hex())}
	listed := func(want int) {
		t.Helper()
		p, err := client(t, w).Listings(t.Context(), q)
		if err != nil || len(p.Listings) != want {
			t.Errorf("%d listings, %v", len(p.Listings), err)
		}
	}
	listed(3)
	for _, spec := range []string{"renamed", ""} {
		w.ClearFaults()
		if spec != "" {
			if err := w.SetFault(spec); err != nil {
				t.Fatal(err)
			}
		}
		listed(3)
	}
	if err := w.SetFault("wrong-contract"); err != nil {
		t.Fatal(err)
	}
	_, err := client(t, w).Listings(t.Context(), q)
	if fault.CodeOf(err) != fault.CollectionNotAllowed {
		t.Errorf("another contract: %v", err)
	}
	_, err = client(t, w).BestListing(t.Context(), q.Slug, q.Contract, w.Demo().Orders[0].TokenID.String())
	if fault.CodeOf(err) != fault.CollectionNotAllowed {
		t.Errorf("another contract: %v", err)
	}
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Listings: 3, Faults: []string{"quota=4/400ms", "fulfil-quota=2/1h"}})
	c := client(t, w)
	// More than a window serves: the client slows down and meets no refusal.
	for range 6 {
		if _, err := c.Collection(t.Context(), "demo-apes"); err != nil {
			t.Fatal(err)
		}
	}
	w.ClearFaults()
	if err := w.SetFault("fulfil-quota=2/1h"); err != nil {
		t.Fatal(err)
	}
	var last error
	for range 3 {
		_, last = propose(t, w, w.Demo().Orders[0])
	}
	f := fault.From(last)
	if f.Code != fault.Upstream || f.Details["retryAfterSeconds"] == nil || !strings.Contains(f.Hint, "try again in 3") {
		t.Errorf("got %v, hint %q", last, f.Hint)
	}
	a := fulfill(t, w, w.Demo().Orders[0])
	if a.status != 429 || a.header.Get("X-RateLimit-Remaining") != "0" || a.header.Get("X-RateLimit-Limit") != "2" || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %v", a.status, a.header)
	}
}

func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Listings: 3})
	for spec, want := range map[string]string{
		"gzip-bomb": "larger than 8388608 bytes", "redirect": "answered 307", "status=599": "limits our rate (599)", "html": "web page", "truncated": "cut off",
	} {
		w.ClearFaults()
		if err := w.SetFault(spec); err != nil {
			t.Fatal(err)
		}
		if _, err := client(t, w).Collection(t.Context(), "demo-apes"); fault.CodeOf(err) != fault.Upstream || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// The order may be over by the time that it is bought.
func TestOrdersThatChangeAfterTheQuote(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Listings: 4})
	best := func(o demo.Order) market.Listing {
		t.Helper()
		l, err := client(t, w).BestListing(t.Context(), o.Slug, "", o.TokenID.String())
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for n, percent := range []int64{90, 100, 110} {
		o := w.Demo().Orders[n]
		if err := w.SetFault(fmt.Sprintf("relisted=%d*1", percent)); err != nil {
			t.Fatal(err)
		}
		if _, err := propose(t, w, o); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("relisted: %v", err)
		}
		l := best(o)
		price := new(big.Int).Mul(o.Price.Big(), big.NewInt(percent))
		if price.Div(price, big.NewInt(100)); l.Price.Big().Cmp(price) != 0 || l.OrderHash == o.Hash.Hex() {
			t.Errorf("%d %%: %s after %s", percent, l.Price, o.Price)
		}
		// The new order is as good as any.
		newer, err := w.Listing(t.Context(), common.HexToHash(l.OrderHash))
		if err != nil {
			t.Fatal(err)
		}
		c, err := propose(t, w, newer.Order)
		if err != nil || simulate(t, w, c) != nil {
			t.Errorf("the new order: %v", err)
		}
		if _, err := seaport.Verify(c, want(w, newer.Order)); err != nil {
			t.Error(err)
		}
	}
	o := w.Demo().Orders[3]
	if err := w.SetFault("repriced*1"); err != nil {
		t.Fatal(err)
	}
	c, err := propose(t, w, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := simulate(t, w, c); err != nil {
		t.Errorf("it is an order that the chain fills: %v", err)
	}
	if _, err := seaport.Verify(c, want(w, o)); fault.CodeOf(err) != fault.UnsafeTransaction {
		t.Errorf("another order passed: %v", err)
	}
	// A signature outlives a cancellation; only the chain knows.
	if err := w.SetFault("cancelled*1"); err != nil {
		t.Fatal(err)
	}
	if c, err = propose(t, w, o); err != nil {
		t.Fatal(err)
	}
	if _, err := seaport.Verify(c, want(w, o)); err != nil {
		t.Errorf("its signature is good: %v", err)
	}
	if err := simulate(t, w, c); err == nil {
		t.Error("a cancelled order was filled")
	}
}

// propose asks for a fulfilment with ape-claw's own client and builds the call.
func propose(t *testing.T, w *sandbox.World, o demo.Order) (seaport.Call, error) {
	t.Helper()
	f, err := client(t, w).Fulfillment(t.Context(), market.FulfillRequest{
		OrderHash: o.Hash.Hex(), Protocol: seaport.Address.Hex(), Fulfiller: w.Buyer().Address().Hex(),
	})
	if err != nil {
		return seaport.Call{}, err
	}
	return seaport.Build(seaport.Transaction{
		Function: f.Function, ChainID: f.ChainID, To: f.To, Value: f.Value, InputData: f.InputData, Suffix: f.Suffix,
	})
}

func want(w *sandbox.World, o demo.Order) seaport.Want {
	return seaport.Want{
		ChainID: w.ChainID(), Protocol: seaport.Address, Buyer: w.Buyer().Address(), Token: o.Token, TokenID: o.TokenID,
		OrderHash: o.Hash, Counter: new(big.Int), Price: o.Price, Now: time.Now(),
	}
}

// simulate runs a call on the chain, as the buyer.
func simulate(t *testing.T, w *sandbox.World, c seaport.Call) error {
	t.Helper()
	_, err := w.Client().CallContract(t.Context(), ethereum.CallMsg{
		From: w.Buyer().Address(), To: &c.To, Value: c.Value.Big(), Data: c.Data,
	}, nil)
	return err
}

func TestHonestFulfilmentsWork(t *testing.T) {
	t.Parallel()
	tests := []struct {
		faults   []string
		function string
	}{
		{nil, seaport.FnBasicEfficient},
		{[]string{"advanced"}, seaport.FnAdvanced},
		{[]string{"plain-order"}, seaport.FnOrder},
		{[]string{"string-numbers"}, seaport.FnBasicEfficient},
		{[]string{"hex-numbers"}, seaport.FnBasicEfficient},
		{[]string{"advanced", "hex-numbers"}, seaport.FnAdvanced},
		{[]string{"plain-order", "string-numbers"}, seaport.FnOrder},
		{[]string{"attribution"}, seaport.FnBasicEfficient},
		{[]string{"advanced", "attribution"}, seaport.FnAdvanced},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.faults, "+"), func(t *testing.T) {
			t.Parallel()
			w := start(t, sandbox.Options{Faults: tt.faults, Listings: 2})
			o := w.Demo().Orders[0]
			c, err := propose(t, w, o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := seaport.Verify(c, want(w, o))
			if err != nil {
				t.Fatal(err)
			}
			if got.Function != tt.function {
				t.Errorf("function %s", got.Function)
			}
			if _, err := w.Send(t.Context(), w.Buyer(), sandbox.Tx{To: c.To, Value: c.Value, Data: c.Data}); err != nil {
				t.Fatal(err)
			}
			if owner, err := w.OwnerOf(t.Context(), o.Slug, o.TokenID); err != nil || owner != w.Buyer().Address() {
				t.Errorf("owner %s, %v", owner, err)
			}
		})
	}
}

func TestTamperedFulfilmentsAreRefused(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	o := w.Demo().Orders[0]
	var names []faults.Name
	for _, k := range faults.Catalogue {
		if strings.HasPrefix(string(k.Name), "tamper-") {
			names = append(names, k.Name)
		}
	}
	if len(names) < 18 {
		t.Fatalf("only %d ways to tamper", len(names))
	}
	for _, name := range names {
		for _, also := range []faults.Name{"", faults.Advanced} {
			t.Run(fmt.Sprintf("%s %s", name, also), func(t *testing.T) {
				w.ClearFaults()
				for _, n := range []faults.Name{also, name} {
					if n == "" {
						continue
					}
					if err := w.SetFault(string(n)); err != nil {
						t.Fatal(err)
					}
				}
				c, err := propose(t, w, o)
				if err != nil {
					if code := fault.CodeOf(err); code != fault.UnsafeTransaction && code != fault.Upstream {
						t.Errorf("refused as %s: %v", code, err)
					}
					return
				}
				_, err = seaport.Verify(c, want(w, o))
				// Whose signature it is, only the chain can say.
				if name == faults.TamperSignature && err == nil {
					err = simulate(t, w, c)
				}
				if err == nil {
					t.Errorf("%s passed", name)
				}
			})
		}
	}
	w.ClearFaults()
	if c, err := propose(t, w, o); err != nil || simulate(t, w, c) != nil {
		t.Errorf("without faults: %v", err)
	}
}

func TestFulfilmentForAnotherRecipient(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	o := w.Demo().Orders[0]
	friend := common.HexToAddress("0xf00d")
	f, err := client(t, w).Fulfillment(t.Context(), market.FulfillRequest{
		OrderHash: o.Hash.Hex(), Protocol: seaport.Address.Hex(), Fulfiller: w.Buyer().Address().Hex(), Recipient: friend.Hex(),
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := seaport.Build(seaport.Transaction{Function: f.Function, ChainID: f.ChainID, To: f.To, Value: f.Value, InputData: f.InputData})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Send(t.Context(), w.Buyer(), sandbox.Tx{To: c.To, Value: c.Value, Data: c.Data}); err != nil {
		t.Fatal(err)
	}
	if owner, err := w.OwnerOf(t.Context(), o.Slug, o.TokenID); err != nil || owner != friend {
		t.Errorf("owner %s, %v", owner, err)
	}
}

func TestGone(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Faults: []string{"gone*1"}})
	o := w.Demo().Orders[0]
	_, err := propose(t, w, o)
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Errorf("got %v", err)
	}
	if _, err := propose(t, w, o); err != nil {
		t.Errorf("the next time: %v", err)
	}
}
