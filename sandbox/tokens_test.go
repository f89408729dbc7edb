package sandbox_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum"

	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/contracts"
)

// TestTokensDrawThemselves reads what a wallet would show of a token.
func TestTokensDrawThemselves(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{})
	nft := contracts.NewDemoCollection()
	for _, c := range w.Demo().Collections {
		out, err := w.Client().CallContract(t.Context(), ethereum.CallMsg{To: &c.Address, Data: nft.PackTokenURI(big.NewInt(7))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		uri, err := nft.UnpackTokenURI(out)
		if err != nil {
			t.Fatal(err)
		}
		var meta struct{ Name, Image string }
		if err := json.Unmarshal(dataURI(t, uri, "data:application/json;base64,"), &meta); err != nil {
			t.Fatal(err)
		}
		if meta.Name != c.TokenName(7) {
			t.Errorf("name %q, want %q", meta.Name, c.TokenName(7))
		}
		svg := dataURI(t, meta.Image, "data:image/svg+xml;base64,")
		if err := xml.Unmarshal(svg, new(struct{ XMLName xml.Name })); err != nil || !strings.Contains(string(svg), c.Glyph) {
			t.Errorf("picture of %s: %v\n%s", meta.Name, err, svg)
		}
	}
}

func dataURI(t *testing.T, uri, prefix string) []byte {
	t.Helper()
	text, ok := strings.CutPrefix(uri, prefix)
	b, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil {
		t.Fatalf("%.60s…: %v", uri, err)
	}
	return b
}

// TestRoyaltiesAreOnChain compares what the orders pay with what the contract
// says (EIP-2981).
func TestRoyaltiesAreOnChain(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Listings: 1})
	nft := contracts.NewDemoCollection()
	for i, c := range w.Demo().Collections {
		o := w.Demo().Orders[i]
		data := nft.PackRoyaltyInfo(o.TokenID, o.Price.Big())
		out, err := w.Client().CallContract(t.Context(), ethereum.CallMsg{To: &c.Address, Data: data}, nil)
		if err != nil {
			t.Fatal(err)
		}
		info, err := nft.UnpackRoyaltyInfo(out)
		if err != nil {
			t.Fatal(err)
		}
		paid := o.Components.Consideration[2]
		if info.Receiver != paid.Recipient || info.Amount.Cmp(paid.StartAmount) != 0 {
			t.Errorf("%s: %+v, the order pays %s to %s", c.Slug, info, paid.StartAmount, paid.Recipient)
		}
	}
}
