package demo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/contracts"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func world(t *testing.T, opt demo.Options) *demo.World {
	t.Helper()
	w, err := demo.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func ape(t *testing.T, s string) units.Wei {
	t.Helper()
	w, err := units.Parse(s, units.APEDecimals)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestKeysSignForTheSandboxOnly(t *testing.T) {
	t.Parallel()
	k := demo.DeriveKey("s", "buyer")
	order := world(t, demo.Options{}).Orders[0].Components
	tests := []struct {
		chainID int64
		ok      bool
	}{
		{devchain.ChainID, true}, {devchain.EthereumChainID, true},
		{1, false}, {33139, false}, {33111, false}, {1337, false}, {0, false}, {-7733139, false},
		{devchain.ChainID + 1, false},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.chainID), func(t *testing.T) {
			t.Parallel()
			if sig, err := k.SignOrder(order, tt.chainID); (err == nil) != tt.ok || (sig != nil) != tt.ok {
				t.Errorf("order: %d bytes of signature, %v", len(sig), err)
			}
			tx := &types.DynamicFeeTx{ChainID: big.NewInt(tt.chainID), Gas: 21000, To: &common.Address{}}
			if signed, err := k.SignTx(tx, tt.chainID); (err == nil) != tt.ok || (signed != nil) != tt.ok {
				t.Errorf("transaction: %v, %v", signed, err)
			}
		})
	}
	// A transaction that names another chain than the call.
	tx := &types.DynamicFeeTx{ChainID: big.NewInt(33139), Gas: 21000, To: &common.Address{}}
	if signed, err := k.SignTx(tx, devchain.ChainID); err == nil {
		t.Errorf("signed a transaction for chain %s", signed.ChainId())
	}
	if _, err := world(t, demo.Options{}).Collections[0].Seller.SignOrder(order, 33139); err == nil {
		t.Error("a seller signed for ApeChain")
	}
	if _, err := demo.New(demo.Options{ChainID: 33139}); err == nil {
		t.Error("a world was made for ApeChain")
	}
}

func TestKeysDontShowThemselves(t *testing.T) {
	t.Parallel()
	k := demo.DeriveKey("s", "buyer")
	j, err := json.Marshal(map[string]any{"key": k})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "key", k)
	for _, shown := range []string{string(j), log.String(), fmt.Sprintf("%v %+v %#v %s", k, k, k, k), fmt.Sprintf("%+v", struct{ K demo.Key }{k})} {
		if strings.Contains(strings.ToLower(shown), k.Reveal()) {
			t.Errorf("the key is in %q", shown)
		}
	}
	if len(k.Reveal()) != 64 {
		t.Errorf("Reveal returns %d characters", len(k.Reveal()))
	}
}

func TestSameSeedSameWorld(t *testing.T) {
	t.Parallel()
	summary := func(w *demo.World) string {
		var b strings.Builder
		fmt.Fprintln(&b, w.Buyer)
		for _, c := range w.Collections {
			fmt.Fprintln(&b, c.Slug, c.Address, c.Seller, c.Creator)
		}
		for _, o := range w.Orders {
			fmt.Fprintln(&b, o.Hash, o.TokenID, o.Price, common.Bytes2Hex(o.Signature))
		}
		return b.String()
	}
	a, again := world(t, demo.Options{}), world(t, demo.Options{Seed: demo.DefaultSeed})
	if summary(a) != summary(again) {
		t.Error("the same seed gave two worlds")
	}
	other := world(t, demo.Options{Seed: "another"})
	if a.Buyer.Address() == other.Buyer.Address() || a.Orders[0].Hash == other.Orders[0].Hash {
		t.Error("another seed gave the same accounts or orders")
	}
	if a.Collections[0].Address != other.Collections[0].Address {
		t.Error("a collection's address follows the seed: allowlists would not fit")
	}
	// Across releases too: people quote these numbers.
	first, want := a.Orders[0], "0xaa2406bb2497cea7904e6a3a3e59a68d539bce00fc0df051f740aaacc3d661e8"
	if first.Hash.Hex() != want || first.TokenID.Int64() != 20 || first.Price.Decimal(18) != "4" {
		t.Errorf("the default world starts with order %s, token %s for %s", first.Hash, first.TokenID, first.Price)
	}
}

func TestTheDeployerIsThere(t *testing.T) {
	t.Parallel()
	alloc, err := world(t, demo.Options{}).Alloc()
	if err != nil {
		t.Fatal(err)
	}
	if code := alloc[contracts.Deployer].Code; !bytes.Equal(code, contracts.DeployerCode) {
		t.Errorf("the proxy that contracts are deployed through has the code %x", code)
	}
}

func TestPricesAddUp(t *testing.T) {
	t.Parallel()
	for _, price := range []string{"", "10", "0.000000000000000001", "0.000000000000000199", "1.234567890123456789"} {
		t.Run(price, func(t *testing.T) {
			t.Parallel()
			opt := demo.Options{}
			if price != "" {
				opt.Price = ape(t, price)
			}
			w := world(t, opt)
			for _, o := range w.Orders {
				sum := new(big.Int)
				for _, item := range o.Components.Consideration {
					if item.StartAmount.Sign() <= 0 || item.StartAmount.Cmp(item.EndAmount) != 0 {
						t.Fatalf("order %s pays %s to %s", o.Hash, item.StartAmount, item.EndAmount)
					}
					sum.Add(sum, item.StartAmount)
				}
				if sum.Cmp(o.Price.Big()) != 0 {
					t.Fatalf("order %s: payments of %s for a price of %s", o.Hash, sum, o.Price)
				}
				if price != "" && o.Price.Cmp(opt.Price) != 0 {
					t.Fatalf("price %s, asked for %s", o.Price, opt.Price)
				}
			}
		})
	}
}

func TestFeesAreExact(t *testing.T) {
	t.Parallel()
	o := world(t, demo.Options{Price: ape(t, "10")}).Orders[0]
	c := o.Components.Consideration
	if len(c) != 3 || c[0].Recipient != o.Components.Offerer || c[1].Recipient != seaport.FeeRecipient {
		t.Fatalf("consideration %+v", c)
	}
	for i, want := range []string{"9.4", "0.1", "0.5"} { // 1 % and 5 % of 10
		if c[i].StartAmount.Cmp(ape(t, want).Big()) != 0 {
			t.Errorf("payment %d is %s, want %s APE", i, c[i].StartAmount, want)
		}
	}
}

func TestVariousPrices(t *testing.T) {
	t.Parallel()
	w := world(t, demo.Options{})
	for _, c := range w.Collections {
		prices, ids := map[string]bool{}, map[string]bool{}
		lowest := units.Wei{}
		over := 0
		for _, o := range w.Orders {
			if o.Slug != c.Slug {
				continue
			}
			prices[o.Price.String()], ids[o.TokenID.String()] = true, true
			if lowest.IsZero() || o.Price.Cmp(lowest) < 0 {
				lowest = o.Price
			}
			if o.Price.Cmp(ape(t, "100")) > 0 {
				over++
			}
		}
		if len(prices) < 20 || len(ids) != demo.DefaultListings {
			t.Errorf("%s: %d prices for %d tokens", c.Slug, len(prices), len(ids))
		}
		if lowest.Cmp(c.Floor) != 0 {
			t.Errorf("%s: the lowest price is %s, want %s", c.Slug, lowest, c.Floor)
		}
		if (c.Slug == "moon-gorillas") != (over > 0) {
			t.Errorf("%s: %d listings over 100 APE", c.Slug, over)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		opt             demo.Options
		listings, token int
	}{
		{"default", demo.Options{}, 40, 100},
		{"few", demo.Options{Listings: 3}, 3, 100},
		{"many", demo.Options{Listings: 270}, 270, 270},
		{"tokens", demo.Options{Listings: 2, Tokens: 2}, 2, 2},
		{"negative", demo.Options{Listings: -1}, 0, 0},
		{"too many", demo.Options{Listings: 1001}, 0, 0},
		{"fewer tokens than listings", demo.Options{Listings: 5, Tokens: 4}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, err := demo.New(tt.opt)
			if tt.listings == 0 {
				if fault.CodeOf(err) != fault.Usage {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(w.Orders) != 3*tt.listings || w.Collections[0].Tokens != tt.token {
				t.Errorf("%d orders, %d tokens", len(w.Orders), w.Collections[0].Tokens)
			}
		})
	}
}
