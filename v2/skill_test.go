package v2_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// A dry run signs nothing and shows the phrase; with it the skill is minted, and its
// id, hash and owner are what the chain says.
func TestMint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	p := h.open(t)
	dry, err := p.SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0"})
	if err != nil || !dry.OK || !dry.DryRun || dry.TxHash != "" || dry.SkillID != "" || len(dry.WouldBlock) != 0 || dry.MaxFeeWei == nil {
		t.Fatalf("%+v %v", dry, err)
	}
	if h.nonce(t) != 0 || !slices.Equal(h.types(t), []string{"v2.tx.dry_run"}) {
		t.Errorf("a dry run left %v and nonce %d", h.types(t), h.nonce(t))
	}
	out, err := p.SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0", Go: v2.Go{Execute: true, Confirm: dry.ConfirmPhrase}})
	if err != nil || out.SkillID != "1" || out.DryRun || out.TxHash == "" {
		t.Fatalf("%+v %v", out, err)
	}
	if !slices.Equal(h.types(t), []string{"v2.tx.dry_run", "v2.tx.submitted", "v2.skill.minted"}) {
		t.Errorf("%v", h.types(t))
	}
	if owner := w.read(t, contracts.SkillNFT, "ownerOf", big.NewInt(1))[0].(common.Address); owner != h.address() {
		t.Errorf("owned by %s", owner)
	}
	e := h.last(t, "v2.skill.minted")
	if e.Result["skillId"] != 1.0 || e.Result["txHash"] != out.TxHash || e.Result["contentHash"] != (common.Hash{}).Hex() || e.TraceID != "trace_1" {
		t.Errorf("%+v", e)
	}
}

// Who is paid is an address without a typing error: what is paid to another is lost.
func TestRoyaltyReceiver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.home(t, 2).open(t)
	const sum = "0x088bD9ACc85b3521da416BD990a159cb756A6934"
	for text, good := range map[string]bool{
		sum: true, strings.ToLower(sum): true, "0x" + strings.ToUpper(sum[2:]): true,
		strings.Replace(sum, "6A69", "6a69", 1): false, strings.Replace(sum, "088b", "088B", 1): false, sum[:41] + "5": false,
		sum[:41]: false, sum + "0": false, sum[2:]: false, common.Address{}.Hex(): false, "nobody": false,
	} {
		_, err := p.SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0", RoyaltyReceiver: text, RoyaltyBps: "500"})
		switch {
		case good && err != nil:
			t.Errorf("%q: %v", text, err)
		case !good:
			wantFault(t, err, fault.Usage, fault.SentNo)
		}
	}
}
