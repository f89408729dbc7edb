package v2_test

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/canon"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// Skills are shown as the chain has them, a card is held against what was published
// of it, and what a stranger wrote is shown without what steers a screen.
func TestSkillsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.home(t, 3).open(t)
	if out, err := p.SkillList(t.Context(), v2.SkillListIn{Limit: 20}); err != nil || out.Total != 0 || out.Count != 0 || out.Skills == nil {
		t.Fatalf("%+v, %v", out, err)
	}
	nonce := uint64(0)
	put := func(n v2.Name, method string, args ...any) {
		t.Helper()
		data, err := contracts.ABI(n).Pack(method, args...)
		if err != nil {
			t.Fatal(err)
		}
		w.raw(t, 2, nonce, w.at[n], nil, data)
		nonce++
	}
	put(contracts.SkillNFT, "mintSkill", big.NewInt(0))
	put(contracts.SkillNFT, "mintSkillWithRoyalty", big.NewInt(1), accountOf(5), big.NewInt(250))
	put(contracts.SkillNFT, "mintSkill", big.NewInt(2))
	path := filepath.Join(t.TempDir(), "card.json")
	const text = `{"slug":"a","name":"A","version":"2.0"}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	hash, err := canon.Hash([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	publish := func(version string, content [32]byte, uri string, tier uint8) {
		put(contracts.SkillRegistry, "publishVersion", big.NewInt(2), crypto.Keccak256Hash([]byte(version)), content, uri, tier)
	}
	publish("1.0", hash, "https://a.example/\x1b[31m\u202e"+strings.Repeat("x", 400), 1)
	publish("2.0", crypto.Keccak256Hash([]byte("another")), "", 3)

	show := func(id, file string) v2.SkillShowOut {
		t.Helper()
		out, err := p.SkillShow(t.Context(), v2.SkillShowIn{SkillID: id, File: file})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out := show("2", path)
	if out.SkillID != "2" || out.ParentID != "1" || !strings.EqualFold(out.Owner, accountOf(2).Hex()) || !strings.EqualFold(out.RoyaltyReceiver, accountOf(5).Hex()) || out.RoyaltyBps != 250 ||
		out.Versions != 2 || len(out.Published) != 2 || out.Network != "sandbox" {
		t.Errorf("%+v", out)
	}
	newest, oldest := out.Published[0], out.Published[1]
	if newest.Index != 1 || newest.RiskTier != 3 || newest.VersionHash != v2.VersionHash("2.0").Hex() || newest.URI != "" || !strings.EqualFold(newest.Publisher, accountOf(2).Hex()) || newest.PublishedAt == "" {
		t.Errorf("%+v", newest)
	}
	if oldest.ContentHash != hash.Hex() || strings.ContainsAny(oldest.URI, "\x1b\u202e") || len(oldest.URI) > 310 || !strings.HasPrefix(oldest.URI, "https://a.example/") {
		t.Errorf("%+v", oldest)
	}
	if out.Card == nil || out.Card.Agrees || out.Card.Index == nil || *out.Card.Index != 1 || !strings.Contains(out.Explained, "of another card") {
		t.Errorf("%+v %s", out.Card, out.Explained)
	}
	publish("2.0.1", hash, "", 1)
	if err := os.WriteFile(path, []byte(strings.Replace(text, "2.0", "2.0.1", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := show("2", path); out.Card.Agrees || *out.Card.Index != 2 { // the hash is of the card before
		t.Errorf("%+v", out.Card)
	}
	if out := show("1", path); out.Card.Index != nil || out.Card.Agrees || out.ParentID != "0" || out.RoyaltyReceiver != "" || len(out.Published) != 0 {
		t.Errorf("%+v", out)
	}
	after, err := canon.Hash([]byte(strings.Replace(text, "2.0", "3", 1)))
	if err != nil || os.WriteFile(path, []byte(strings.Replace(text, "2.0", "3", 1)), 0o600) != nil {
		t.Fatal(err)
	}
	publish("3", after, "", 1)
	if out := show("2", path); !out.Card.Agrees || !strings.Contains(out.Explained, "of this very card") {
		t.Errorf("%+v %s", out.Card, out.Explained)
	}

	for _, id := range []string{"0", "4", "115792089237316195423570985008687907853269984665640564039457584007913129639935"} {
		_, err := p.SkillShow(t.Context(), v2.SkillShowIn{SkillID: id})
		wantFault(t, err, fault.NotFound, fault.SentNo)
	}
	for _, id := range []string{"", "-1", "01", "1.0", "0x1", "x"} {
		_, err := p.SkillShow(t.Context(), v2.SkillShowIn{SkillID: id})
		wantFault(t, err, fault.Usage, fault.SentNo)
	}

	for in, want := range map[v2.SkillListIn]string{
		{Limit: 20}: "3:0 2:4 1:0 ", {Limit: 2}: "3:0 2:4 --before 2", {Limit: 1, Before: "3"}: "2:4 --before 2", {Limit: 9, Before: "2"}: "1:0 ", {Limit: 9, Before: "1"}: "",
		{Limit: 9, Before: "0"}: "", {Limit: 2, Before: "99999999999999999999999"}: "3:0 2:4 --before 2",
	} {
		out, err := p.SkillList(t.Context(), in)
		got := ""
		for _, s := range out.Skills {
			got += fmt.Sprintf("%s:%d ", s.SkillID, s.Versions)
			if (s.Newest != nil) != (s.Versions > 0) || s.Newest != nil && s.Newest.Index != s.Versions-1 {
				t.Errorf("%+v", s)
			}
		}
		if i := strings.Index(out.Next, "--before"); i >= 0 {
			got += out.Next[i:]
		}
		if err != nil || got != want || out.Total != 3 || out.Count != len(out.Skills) {
			t.Errorf("%+v: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []v2.SkillListIn{{}, {Limit: 101}, {Limit: 1, Before: "x"}} {
		_, err := p.SkillList(t.Context(), in)
		wantFault(t, err, fault.Usage, "")
	}
}
