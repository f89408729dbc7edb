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
