package main

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// oddListings are what a marketplace lists beside plain sales, each on a token of its
// own, and why it is not for sale here; "" is a plain sale that is spelt otherwise.
var oddListings = []struct {
	fault, says string
}{
	{"wape", `currency is "WAPE", not APE`},
	{"six-decimals", `currency is "USDC", not APE`},
	{"erc1155", `remaining quantity is "3", not 1`},
	{"dutch", "it is an auction (dutch), not a fixed price"},
	{"english", "it is an auction (english), not a fixed price"},
	{"private", "it is a private listing, reserved for 0x"},
	{"restricted", "it is restricted by the unknown zone"},
	{"inactive", "CANCELLED"},
	{"low-price", "less than its payments"},
	{"other-contract", "not the collection's 0x"},
	{"lookalike", "not the collection's 0x"},
	{"expired", "it expired at 2023-11-14"},
	{"future", "it starts only at 2096-"},
	{"criteria", `it offers item type "4", not an ERC-721 token`},
	{"flat-price", ""},
	{"high-price", ""},
	{"number-price", ""},
	{"no-signature", ""},
}

// Odd listings are told with the reason, and are not quoted; the others cost exactly
// what their order asks, however the marketplace spells it.
func TestOddListings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	for n, odd := range oddListings {
		if err := s.SetFault(fmt.Sprintf("%s=%s", odd.fault, s.Demo().Orders[n].TokenID)); err != nil {
			t.Fatal(err)
		}
	}
	d, exit := w.doc("market", "listings", "--collection", "demo-apes")
	if exit != 0 {
		t.Fatalf("exit %d, %v", exit, d)
	}
	skipped, listed := map[string]string{}, map[string]string{}
	for _, l := range d["skipped"].([]any) {
		l := l.(map[string]any)
		skipped[l["tokenId"].(string)] = l["reason"].(string)
	}
	for _, l := range d["listings"].([]any) {
		l := l.(map[string]any)
		listed[l["tokenId"].(string)] = l["priceWei"].(string)
	}
	for n, odd := range oddListings {
		o := s.Demo().Orders[n]
		token, price := o.TokenID.String(), o.Price.String()
		if odd.fault == "high-price" {
			price = new(big.Int).Add(o.Price.Big(), big.NewInt(1)).String()
		}
		args := []string{"nft", "quote", "--collection", "demo-apes", "--token-id", token, "--max-price", "1000"}
		if odd.says == "" {
			if listed[token] != price || skipped[token] != "" {
				t.Errorf("%s: listed for %q, want %s; %s", odd.fault, listed[token], price, skipped[token])
			}
			if d, exit := w.doc(args...); exit != 0 || d["priceWei"] != price {
				t.Errorf("%s: exit %d, %v", odd.fault, exit, d)
			}
			continue
		}
		if listed[token] != "" || !strings.Contains(skipped[token], odd.says) {
			t.Errorf("%s: listed for %q, skipped since %q", odd.fault, listed[token], skipped[token])
		}
		d, exit := w.doc(args...)
		if exit != 11 || d["code"] != "not_found" || d["sent"] != "no" || odd.fault != "inactive" && !strings.Contains(d["error"].(string), odd.says) {
			t.Errorf("%s: exit %d, %v", odd.fault, exit, d)
		}
	}
}

// afterTheQuote is what a marketplace and a seller do between the quote and the
// purchase, with what the simulation says of it. No row buys anything.
var afterTheQuote = []struct {
	fault string
	exit  int
	code  string
	says  string
}{
	{"gone", 3, "simulation_failed", "the marketplace no longer offers the order"},
	{"gone=400", 6, "upstream", "does not exist"},
	{"repriced", 3, "unsafe_transaction", "total is "},
	{"rate-limit=3600", 6, "upstream", "limits our rate (429)"},
	{"status=503", 6, "upstream", "answered 503"},
	{"html", 6, "upstream", "a web page in place of JSON"},
	{"truncated", 6, "upstream", "JSON cut off"},
	{"reset", 6, "upstream", "can't be reached"},
	{"bad-key", 5, "auth", "answered 401"},
	{"gzip-bomb", 6, "upstream", "larger than"},
	{"redirect", 6, "upstream", "answered 307"},
	{"tamper-token", 3, "unsafe_transaction", "offer.tokenId is "},
	{"tamper-contract", 3, "unsafe_transaction", "offer.token is 0x"},
	{"tamper-recipient", 3, "unsafe_transaction", "recipient is 0x"},
	{"tamper-price", 3, "unsafe_transaction", "total is "},
	{"tamper-payee", 3, "unsafe_transaction", "which the seller did not sign"},
	{"tamper-order", 3, "unsafe_transaction", "offer.tokenId is "},
	{"tamper-approval", 3, "unsafe_transaction", "function is setApprovalForAll"},
	{"tamper-target", 3, "unsafe_transaction", "to is 0x"},
	{"tamper-value", 3, "unsafe_transaction", "value is "},
	{"tamper-suffix", 3, "unsafe_transaction", "suffix has 68 bytes"},
	{"tamper-match", 3, "unsafe_transaction", "function is matchAdvancedOrders"},
	{"tamper-available", 3, "unsafe_transaction", "function is fulfillAvailableAdvancedOrders"},
	{"tamper-chain", 3, "unsafe_transaction", "chain is 1"},
	{"tamper-conduit", 3, "unsafe_transaction", "fulfillerConduitKey is 0x"},
	{"tamper-zone", 3, "unsafe_transaction", "zone is 0x"},
	{"tamper-signature", 3, "simulation_failed", "the order's signature is not the seller's"},
	{"tamper-expiry", 3, "unsafe_transaction", "endTime is "},
	{"tamper-encoding", 3, "unsafe_transaction", "malformed"},
	// The seller's own doing, on the chain: the order is over from here on.
	{"cancelled", 3, "simulation_failed", "the seller cancelled the order"},
}

func TestAfterTheQuote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	quote := w.quoted(s, 0)
	for _, tt := range afterTheQuote {
		s.ClearFaults()
		if err := s.SetFault(tt.fault); err != nil {
			t.Fatal(err)
		}
		d, exit := w.doc("nft", "simulate", "--quote", quote)
		if exit != tt.exit || d["code"] != tt.code || d["sent"] != "no" || d["hint"] == "" || !strings.Contains(fmt.Sprint(d["error"]), tt.says) {
			t.Errorf("%s: exit %d, %v", tt.fault, exit, d)
		}
	}
	// The marketplace still lists the cancelled order, which its seller has signed.
	s.ClearFaults()
	d, exit := w.doc("nft", "simulate", "--quote", quote)
	if exit != 3 || d["code"] != "simulation_failed" || !strings.Contains(fmt.Sprint(d["error"]), "the seller cancelled the order") {
		t.Errorf("the cancelled order: exit %d, %v", exit, d)
	}
	if d, exit := w.doc("nft", "buy", "--quote", quote, "--execute", "--autonomous"); exit != 3 || d["sent"] != "no" {
		t.Errorf("buying it: exit %d, %v", exit, d)
	}
}

// Every fault of the sandbox is acted out against the program: a new one needs a row.
func TestEveryFaultIsShown(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	for _, pattern := range []string{"*_test.go", "../../commands/testdata/script/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			shown.Write(b)
		}
	}
	for _, k := range faults.Catalogue {
		if !regexp.MustCompile(`["\x60 ]` + string(k.Name) + `[=*"\x60\s]`).MatchString(shown.String()) {
			t.Errorf("no test of the program acts out %s: %s", k.Name, k.Means)
		}
	}
}

// What a marketplace does when it is asked for a list.
func TestListsThatLie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	for _, tt := range []struct {
		fault string
		exit  int
		code  string
		says  string
	}{
		{"repeated-cursor", 6, "upstream", "repeats a page cursor"},
		{"cursor-cycle", 6, "upstream", "repeats a page cursor"},
		{"wrong-contract", 3, "collection_not_allowed", "is the contract 0x"},
		{"endless-pages", 0, "", ""},
		{"renamed", 0, "", ""},
		{"quota=20/1s", 0, "", ""},
		{"slow=5ms", 0, "", ""},
	} {
		s.ClearFaults()
		if err := s.SetFault(tt.fault); err != nil {
			t.Fatal(err)
		}
		d, exit := w.doc("market", "listings", "--collection", "demo-apes", "--limit", "1000")
		if exit != tt.exit || tt.exit != 0 && (d["code"] != tt.code || d["sent"] != "no" || !strings.Contains(fmt.Sprint(d["error"]), tt.says)) {
			t.Errorf("%s: exit %d, %v", tt.fault, exit, d)
			continue
		}
		if endless := tt.fault == "endless-pages"; tt.exit == 0 && ((d["count"] == 0.0) != endless || (d["more"] == true) != endless) {
			t.Errorf("%s: %v listed, more: %v", tt.fault, d["count"], d["more"])
		}
	}
}

// Other honest spellings of a fulfilment, and a listing that the seller renews at the
// last moment, end in the token for the price that was confirmed.
func TestHonestSpellings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	for n, fault := range []string{"advanced", "plain-order", "string-numbers", "hex-numbers", "attribution", "relisted=90*1", "fulfil-quota=60/1s"} {
		quote := w.ready(s, n)
		s.ClearFaults()
		if err := s.SetFault(fault); err != nil {
			t.Fatal(err)
		}
		o := s.Demo().Orders[n]
		d, exit := w.doc("nft", "buy", "--quote", quote, "--execute", "--autonomous")
		if exit != 0 {
			t.Errorf("%s: exit %d, %v", fault, exit, d)
		}
		if owner, err := s.OwnerOf(t.Context(), o.Slug, o.TokenID); err != nil || owner != s.Buyer().Address() {
			t.Errorf("%s: the token is %s's, %v", fault, owner, err)
		}
		s.ClearFaults()
	}
}
