package v2_test

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// What bounds a write's value, and whose event tells what became of it, on one chain.
func TestLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("value", func(t *testing.T) { valueGates(t, w) })
	t.Run("called again", func(t *testing.T) { calledAgain(t, w) })
}

// valueGates: the value of a write counts against the price of one transaction and the
// day's cap, in the dry run and before the signature; what counts is written down.
func valueGates(t *testing.T, w *world) {
	ping, mock := packed(t, contracts.MockTarget, "ping", [32]byte{1}), w.at[contracts.MockTarget]
	nonce := w.nonceOf(t, 0)
	for i, rule := range [][]byte{
		packed(t, contracts.PolicyEngine, "setModuleAllowed", w.at[contracts.SwapModule], true), packed(t, contracts.PolicyEngine, "setTargetAllowed", mock, true),
		packed(t, contracts.PolicyEngine, "setSelectorAllowed", [4]byte(ping), true), packed(t, contracts.PolicyEngine, "setMaxValuePerTx", big.NewInt(1e18)),
	} {
		w.raw(t, 0, nonce+uint64(i), w.at[contracts.PolicyEngine], nil, rule)
	}
	h := w.home(t, 0)
	h.policy(t, `{"nftBuy":{"maxPricePerTx":0.4},"execution":{"dailySpendCap":0.7}}`)
	p := h.open(t)
	run := func(value string, g v2.Go) (v2.AgentExecuteOut, error) {
		return p.AgentExecute(t.Context(), v2.AgentExecuteIn{Module: "swap", Target: mock.Hex(), Data: hexutil.Encode(ping), Value: value, Go: g})
	}
	blocked := func(value string, code fault.Code, dry bool) {
		t.Helper()
		before := h.nonce(t)
		out, err := run(value, v2.Go{})
		has := slices.ContainsFunc(out.WouldBlock, func(g policy.Gate) bool { return g.Code == code })
		if err != nil || has != dry {
			t.Errorf("%s APE, dry: %+v, %v", value, out.WouldBlock, err)
		}
		_, err = run(value, v2.Go{Execute: true, Confirm: out.ConfirmPhrase})
		wantFault(t, err, code, fault.SentNo)
		if e := h.last(t, "policy.blocked"); e.Result["code"] != string(code) || h.nonce(t) != before {
			t.Errorf("%s APE: %+v, nonce %d", value, e, h.nonce(t))
		}
	}
	blocked("0.400000000000000001", fault.PriceOverLimit, true)
	out, err := run("0.4", v2.Go{})
	if err != nil || len(out.WouldBlock) != 0 {
		t.Fatalf("%+v %v", out.WouldBlock, err)
	}
	if _, err = run("0.4", v2.Go{Execute: true, Confirm: out.ConfirmPhrase}); err != nil {
		t.Fatal(err)
	}
	uses, err := p.ledger.Usages(t.Context(), nil, policy.Scope{Asset: policy.NativeOf(devchain.ChainID)})
	if err != nil || len(uses) != 1 || uses[0].Total.Cmp(ape(t, "0.4")) <= 0 || uses[0].Total.Cmp(ape(t, "0.41")) > 0 {
		t.Errorf("%+v %v: not the value and its fee", uses, err)
	}
	blocked("0.3", fault.CapExceeded, false) // with the fee of what was sent it is too much; a dry run does not ask the ledger
	if left, err := p.client.Balance(t.Context(), mock); err != nil || left != ape(t, "0.4") {
		t.Errorf("the target has %s, %v", left, err)
	}
}

// calledAgain: an account that has code (EIP-7702) mints again while it is asked
// whether it takes the first. Two events are told then, and the first is the one that
// was asked for.
func calledAgain(t *testing.T, w *world) {
	mint := contracts.ABI(contracts.SkillNFT).Methods["mintSkill"].ID
	const back = "63150b7a0260e01b5f5260205ff3" // onERC721Received: takes it
	again := "63" + common.Bytes2Hex(mint) + "60e01b5f52" + "5f5f60245f5f335af150"
	// Once a transaction: mintSkill(0) of whoever asks.
	code := common.FromHex("5f5c601d5760015f5d" + again + "5b" + back)
	if code[0x1d] != 0x5b {
		t.Fatalf("no jump's end at 0x1d: %x", code)
	}
	init := append([]byte{0x60, byte(len(code)), 0x80, 0x60, 9, 0x5f, 0x39, 0x5f, 0xf3}, code...)
	w.raw(t, 20, 0, contracts.Deployer, nil, append(make([]byte, 32), init...))
	h := w.home(t, 21)
	auth, err := types.SignSetCode(keyOf(21), types.SetCodeAuthorization{ChainID: *uint256.NewInt(devchain.ChainID), Address: contracts.Create2([32]byte{}, init)})
	if err != nil {
		t.Fatal(err)
	}
	tx, err := types.SignNewTx(keyOf(20), types.LatestSignerForChainID(big.NewInt(devchain.ChainID)), &types.SetCodeTx{
		ChainID: uint256.NewInt(devchain.ChainID), Nonce: 1, To: accountOf(20), Gas: 200_000, GasTipCap: uint256.NewInt(1), GasFeeCap: uint256.NewInt(1e11),
		AuthList: []types.SetCodeAuthorization{auth},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := w.chain.Client().SendTransactionSync(t.Context(), tx, nil); err != nil || r.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("%+v %v", r, err)
	}
	p := h.open(t)
	out, sent := confirmed(t, func(g v2.Go) (v2.SkillMintOut, v2.Sent, error) {
		out, err := p.SkillMint(t.Context(), v2.SkillMintIn{ParentID: "0", RoyaltyReceiver: accountOf(0).Hex(), RoyaltyBps: "500", Go: g})
		return out, out.Sent, err
	})
	if next := w.read(t, contracts.SkillNFT, "nextSkillId")[0].(*big.Int); out.SkillID != "1" || next.Int64() != 3 {
		t.Errorf("skill %s, and the next is %s", out.SkillID, next)
	}
	if e := h.last(t, "v2.skill.minted"); e.Result["skillId"] != json.Number("1") && e.Result["skillId"] != 1.0 {
		t.Errorf("%+v", e)
	}
	r, ok, err := p.client.Receipt(t.Context(), common.HexToHash(sent.TxHash))
	if err != nil || !ok {
		t.Fatal(err)
	}
	keep := map[string]any{"parentId": 0}
	at := v2.Located{Name: contracts.SkillNFT, Address: strings.ToLower(w.at[contracts.SkillNFT].Hex())}
	// Of a contract whose order of events is not known it can't be told.
	if _, err := v2.Confirm("skill.mint", keep, at, chain.TxInfo{From: h.address()}, r); err == nil || !strings.Contains(err.Error(), "more than one SkillMinted that fits") {
		t.Errorf("%v", err)
	}
	// An event beside it that does not fit is none of it.
	keep["parentId"] = 1
	if _, err := v2.Confirm("skill.mint", keep, at, chain.TxInfo{From: h.address()}, r); err == nil || !strings.Contains(err.Error(), "parentId is 0 where 1 was asked for") {
		t.Errorf("%v", err)
	}
}
