package v2_test

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// What intents, receipts, the vault and the agent account do, on one chain.
func TestOperations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("intents", func(t *testing.T) { intents(t, w) })
	t.Run("receipts", func(t *testing.T) { receipts(t, w) })
	t.Run("vault", func(t *testing.T) { vault(t, w) })
	t.Run("token", func(t *testing.T) { vaultToken(t, w) })
	t.Run("agent", func(t *testing.T) { agent(t, w) })
}

// confirmed runs a write twice: dry, and with the phrase that it showed.
func confirmed[Out any](t *testing.T, write func(v2.Go) (Out, v2.Sent, error)) (Out, v2.Sent) {
	t.Helper()
	_, dry, err := write(v2.Go{})
	if err != nil || !dry.DryRun || dry.TxHash != "" || len(dry.WouldBlock) != 0 || dry.ConfirmPhrase == "" {
		t.Fatalf("dry run: %+v %v", dry, err)
	}
	out, sent, err := write(v2.Go{Execute: true, Confirm: dry.ConfirmPhrase})
	if err != nil || sent.DryRun || !sent.OK || sent.TxHash == "" {
		t.Fatalf("%+v %v", sent, err)
	}
	return out, sent
}

// refused is a write that the chain would revert: a dry run lists it, and --execute
// sends nothing.
func refused[Out any](t *testing.T, h *home, reason string, write func(v2.Go) (Out, v2.Sent, error)) {
	t.Helper()
	before := h.nonce(t)
	_, dry, err := write(v2.Go{})
	if err != nil || len(dry.WouldBlock) != 1 || dry.WouldBlock[0].Code != fault.SimulationFailed || !strings.Contains(dry.WouldBlock[0].Reason, reason) {
		t.Errorf("dry run: %+v %v; want %q", dry.WouldBlock, err, reason)
	}
	_, _, err = write(v2.Go{Execute: true, Confirm: dry.ConfirmPhrase})
	if f := wantFault(t, err, fault.SimulationFailed, fault.SentNo); !strings.Contains(f.Message, reason) {
		t.Errorf("%q, want %q", f.Message, reason)
	}
	if h.nonce(t) != before || h.last(t, "policy.blocked").OK {
		t.Errorf("something was sent, or nothing told")
	}
}

func intents(t *testing.T, w *world) {
	h := w.home(t, 2)
	p := h.open(t)
	create := func(payload string, until int64) func(v2.Go) (v2.IntentCreateOut, v2.Sent, error) {
		return func(g v2.Go) (v2.IntentCreateOut, v2.Sent, error) {
			out, err := p.IntentCreate(t.Context(), v2.IntentCreateIn{Payload: payload, ExpiresAt: until, Go: g})
			return out, out.Sent, err
		}
	}
	end := time.Now().Add(time.Hour).Unix()
	out, sent := confirmed(t, create(`{"b": [1, 2], "a": "x"}`, end))
	hash := crypto.Keccak256Hash([]byte(`{"a":"x","b":[1,2]}`)).Hex()
	if out.IntentID != 1 || out.IntentHash != hash || out.TraceID != "trace_1" || !strings.EqualFold(out.Creator, h.address().Hex()) {
		t.Errorf("%+v", out)
	}
	if e := h.last(t, "v2.intent.created"); e.Result["intentId"] != 1.0 || e.Result["txHash"] != sent.TxHash || e.Result["traceId"] != "trace_1" ||
		e.Payload["intentHash"] != hash || e.Payload["expiresAt"] != float64(end) {
		t.Errorf("%+v", e)
	}
	if second, _ := confirmed(t, create(`{"a":"x","b":[1,2]}`, 0)); second.IntentID != 2 || second.IntentHash != hash {
		t.Errorf("%+v", second)
	}
	got, err := p.IntentShow(t.Context(), v2.IntentShowIn{IntentID: "1"})
	if err != nil || !got.Exists || !got.Active || got.Cancelled || got.IntentHash != hash || got.ExpiresAt != uint64(end) || got.ChainID == 0 || got.Network != "sandbox" {
		t.Errorf("%+v %v", got, err)
	}
	if none, err := p.IntentShow(t.Context(), v2.IntentShowIn{IntentID: "99"}); err != nil || none.Exists || none.Active || none.IntentHash != "" {
		t.Errorf("%+v %v", none, err)
	}
	refused(t, h, "the intent would be over at 1970-01-01 00:01:40 UTC", create(`1`, 100))

	cancel := func(p *process, id string) func(v2.Go) (v2.IntentCancelOut, v2.Sent, error) {
		return func(g v2.Go) (v2.IntentCancelOut, v2.Sent, error) {
			out, err := p.IntentCancel(t.Context(), v2.IntentCancelIn{IntentID: id, Go: g})
			return out, out.Sent, err
		}
	}
	other := w.home(t, 3)
	refused(t, other, "only its creator can cancel it", cancel(other.open(t), "1"))
	refused(t, h, "there is no intent 99", cancel(p, "99"))
	confirmed(t, cancel(p, "1"))
	if e := h.last(t, "v2.intent.cancelled"); e.Result["intentId"] != 1.0 || e.Payload["intentId"] != "1" {
		t.Errorf("%+v", e)
	}
	if got, err := p.IntentShow(t.Context(), v2.IntentShowIn{IntentID: "1"}); err != nil || got.Active || !got.Cancelled {
		t.Errorf("%+v %v", got, err)
	}
	refused(t, h, "intent 1 is cancelled already", cancel(p, "1"))

	for _, bad := range []string{"0", "-1", "x", "", "1.5", "18446744073709551616"} {
		_, err := p.IntentCancel(t.Context(), v2.IntentCancelIn{IntentID: bad})
		wantFault(t, err, fault.Usage, fault.SentNo)
	}
	for _, bad := range []v2.IntentCreateIn{{Payload: "buy it"}, {Payload: `{"a":1} x`}, {Payload: `{}`, ExpiresAt: time.Now().UnixMilli()}, {Payload: `{}`, ExpiresAt: -1},
		{Payload: `"` + strings.Repeat("x", 9000) + `"`}} {
		_, err := p.IntentCreate(t.Context(), bad)
		wantFault(t, err, fault.Usage, fault.SentNo)
	}
}

func receipts(t *testing.T, w *world) {
	h := w.home(t, 4)
	p := h.open(t)
	record := func(in v2.ReceiptRecordIn) func(v2.Go) (v2.ReceiptRecordOut, v2.Sent, error) {
		return func(g v2.Go) (v2.ReceiptRecordOut, v2.Sent, error) {
			in.Go = g
			out, err := p.ReceiptRecord(t.Context(), in)
			return out, out.Sent, err
		}
	}
	none, err := p.ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: "trace-123"})
	if err != nil || none.IsRecorded || none.Receipt != nil || none.Agrees != nil || none.Why == "" {
		t.Errorf("%+v %v", none, err)
	}
	// Awkward on purpose: what is hashed has to be what the log keeps.
	payload := `{"z":1e21,"a":{"é":"\ud800","n":-0,"b":[1.50,"</script>"]}}`
	out, sent := confirmed(t, record(v2.ReceiptRecordIn{Trace: "trace-123", Payload: payload, URI: "https://example.com/r.json"}))
	content := `{"payload":{"a":{"b":[1.5,"</script>"],"n":0,"é":"\ud800"},"z":1e+21},"subject":"agent:tester"}`
	want := v2.ReceiptRecorded{TraceID: "trace-123", TraceIDHash: crypto.Keccak256Hash([]byte("trace-123")).Hex(), ContentHash: crypto.Keccak256Hash([]byte(content)).Hex(),
		SubjectHash: crypto.Keccak256Hash([]byte("agent:tester")).Hex(), Recorder: strings.ToLower(h.address().Hex())}
	if out.ReceiptRecorded != want {
		t.Errorf("%+v\nwant %+v", out.ReceiptRecorded, want)
	}
	if e := h.last(t, "v2.receipt.recorded"); e.Result["traceId"] != "trace-123" || e.Result["traceIdHash"] != want.TraceIDHash || e.Result["txHash"] != sent.TxHash || e.TraceID != "trace_1" {
		t.Errorf("%+v", e)
	}
	got, err := p.ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: "trace-123"})
	if err != nil || !got.IsRecorded || got.Receipt == nil || got.Receipt.ContentHash != want.ContentHash || got.Receipt.Subject != want.SubjectHash ||
		got.Receipt.URI != "https://example.com/r.json" || got.Receipt.Recorder != h.address().Hex() || got.Receipt.RecordedAt == "0" {
		t.Errorf("%+v %+v %v", got, got.Receipt, err)
	}
	if got.Agrees == nil || !*got.Agrees {
		t.Errorf("agrees: %v, %s", got.Agrees, got.Why)
	}
	if text, err := json.Marshal(got); err != nil || !strings.Contains(string(text), `"agrees":true`) {
		t.Errorf("%s %v", text, err)
	}
	// Another home does not know, and says so.
	if there, err := w.home(t, 5).open(t).ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: "trace-123"}); err != nil || !there.IsRecorded || there.Agrees != nil {
		t.Errorf("%+v %v", there, err)
	}
	refused(t, h, "the trace has its receipt already", record(v2.ReceiptRecordIn{Trace: "trace-123", Payload: `{}`}))
	for _, bad := range []v2.ReceiptRecordIn{
		{Payload: `{}`}, {Trace: "a b", Payload: `{}`}, {Trace: "t\n", Payload: `{}`}, {Trace: strings.Repeat("t", 200), Payload: `{}`}, {Trace: "t", Payload: `{`}, {Trace: "t"},
		{Trace: "t", Payload: `{}`, URI: "/home/someone/r.json"}, {Trace: "t", Payload: `{}`, URI: "file:///home/someone/r.json"}, {Trace: "t", Payload: `{}`, Subject: "a\x1b[2J"},
	} {
		_, err := p.ReceiptRecord(t.Context(), bad)
		wantFault(t, err, fault.Usage, fault.SentNo)
	}
	for _, bad := range []string{"", "a b"} {
		_, err := p.ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: bad})
		wantFault(t, err, fault.Usage, fault.SentNo)
	}
	forged(t, p, sent.TxHash, contracts.ReceiptRegistry, "receipt.record",
		map[string]any{"trace": "trace-123", "content": want.ContentHash, "subject": want.SubjectHash, "uri": "https://example.com/r.json"},
		map[string]any{"trace": "trace-124", "content": want.ContentHash, "subject": want.SubjectHash, "uri": "https://example.com/r.json"})
}

// forged holds the confirmation of an op against receipts that are not its own.
func forged(t *testing.T, p *process, hash string, n v2.Name, name string, keep, other any) {
	t.Helper()
	r, ok, err := p.client.Receipt(t.Context(), common.HexToHash(hash))
	if err != nil || !ok {
		t.Fatal(err)
	}
	at := v2.Located{Name: n, Address: strings.ToLower(p.h.at[n].Hex()), Known: true}
	tx := chain.TxInfo{Hash: r.TxHash, From: p.h.address()}
	if _, err := v2.Confirm(name, keep, at, tx, r); err != nil {
		t.Errorf("%s: its own receipt: %v", name, err)
	}
	if _, err := v2.Confirm(name, other, at, tx, r); err == nil {
		t.Errorf("%s: the receipt of something else was taken", name)
	}
	elsewhere := r
	elsewhere.Logs = nil
	for _, l := range r.Logs {
		c := *l
		c.Address = common.HexToAddress("0x1234567890123456789012345678901234567890")
		elsewhere.Logs = append(elsewhere.Logs, &c)
	}
	if _, err := v2.Confirm(name, keep, at, tx, elsewhere); err == nil {
		t.Errorf("%s: the logs of another contract were taken", name)
	}
}

func vault(t *testing.T, w *world) {
	h := w.home(t, 6)
	p := h.open(t)
	status, err := p.VaultStatus(t.Context(), v2.VaultStatusIn{})
	if err != nil || status.TotalShares != "4" || !status.Balance.IsZero() || len(status.Members) != 2 || status.Members[0].Address != accountOf(0).Hex() ||
		status.Members[0].Shares != "3" || status.Members[1].Shares != "1" || status.Token != nil {
		t.Fatalf("%+v %v", status, err)
	}
	release := func(member common.Address) func(v2.Go) (v2.VaultReleaseOut, v2.Sent, error) {
		return func(g v2.Go) (v2.VaultReleaseOut, v2.Sent, error) {
			out, err := p.VaultRelease(t.Context(), v2.VaultReleaseIn{Member: member.Hex(), Go: g})
			return out, out.Sent, err
		}
	}
	refused(t, h, "nothing is due to "+accountOf(1).Hex(), release(accountOf(1)))
	refused(t, h, h.address().Hex()+" is no member of the vault", release(h.address()))
	w.raw(t, 7, 0, w.at[contracts.PodVault], big.NewInt(1e18), nil)
	before, err := p.client.Balance(t.Context(), accountOf(1))
	if err != nil {
		t.Fatal(err)
	}
	out, sent := confirmed(t, release(accountOf(1)))
	if out.Tx != sent.TxHash || out.AmountWei == nil || *out.AmountWei != ape(t, "0.25") || out.Member != strings.ToLower(accountOf(1).Hex()) || out.Token != "" ||
		!strings.Contains(sent.Message, "paid 0.25 APE to "+accountOf(1).Hex()) {
		t.Errorf("%+v", out)
	}
	if e := h.last(t, "v2.vault.release"); e.Result["tx"] != sent.TxHash || e.Result["member"] != out.Member || e.Result["amountWei"] != "250000000000000000" {
		t.Errorf("%+v", e)
	}
	after, err := p.client.Balance(t.Context(), accountOf(1))
	if got, _ := after.Sub(before); err != nil || got != ape(t, "0.25") {
		t.Errorf("the member got %s, %v", got, err)
	}
	status, err = p.VaultStatus(t.Context(), v2.VaultStatusIn{})
	if err != nil || status.BalanceApe != "0.75" || status.Members[1].Released != ape(t, "0.25") || !status.Members[1].Pending.IsZero() || status.Members[0].Pending != ape(t, "0.75") {
		t.Errorf("%+v %v", status, err)
	}
	for _, bad := range []v2.VaultReleaseIn{{}, {Member: "0x1"}, {Member: common.Address{}.Hex()}, {Member: h.address().Hex(), ERC20: "tok"}} {
		_, err := p.VaultRelease(t.Context(), bad)
		wantFault(t, err, fault.Usage, fault.SentNo)
	}
	forged(t, p, sent.TxHash, contracts.PodVault, "vault.release", map[string]any{"member": accountOf(1)}, map[string]any{"member": accountOf(0)})
}

func vaultToken(t *testing.T, w *world) {
	token, mint := tokenOf(t, w, 8)
	h := w.home(t, 9)
	p := h.open(t)
	w.raw(t, 8, 1, token, nil, mint(w.at[contracts.PodVault], 1000))
	status, err := p.VaultStatus(t.Context(), v2.VaultStatusIn{ERC20: token.Hex()})
	if err != nil || status.Token == nil || status.Members[0].PendingToken == nil || status.Members[0].PendingToken.String() != "750" || !status.Members[1].ReleasedToken.IsZero() {
		t.Fatalf("%+v %v", status, err)
	}
	out, sent := confirmed(t, func(g v2.Go) (v2.VaultReleaseOut, v2.Sent, error) {
		out, err := p.VaultRelease(t.Context(), v2.VaultReleaseIn{Member: accountOf(0).Hex(), ERC20: token.Hex(), Go: g})
		return out, out.Sent, err
	})
	if out.AmountWei == nil || out.AmountWei.String() != "750" || out.Token != strings.ToLower(token.Hex()) || out.Pending.String() != "750" {
		t.Errorf("%+v", out)
	}
	if e := h.last(t, "v2.vault.release"); e.Result["token"] != out.Token || e.Result["amountWei"] != "750" || e.Result["tx"] != sent.TxHash {
		t.Errorf("%+v", e)
	}
	if _, err := p.VaultStatus(t.Context(), v2.VaultStatusIn{ERC20: w.at[contracts.SwapModule].Hex()}); fault.CodeOf(err) != fault.ContractMismatch ||
		!strings.Contains(err.Error(), "does not answer as a token does") {
		t.Errorf("%v", err)
	}
	_, err = p.VaultStatus(t.Context(), v2.VaultStatusIn{ERC20: "x"})
	wantFault(t, err, fault.Usage, fault.SentNo)
}

// tokenOf deploys a token and says how to mint it.
func tokenOf(t *testing.T, w *world, who int) (common.Address, func(common.Address, int64) []byte) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("contracts", "testdata", "Token.json"))
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		ABI abi.ABI
		Bin string
	}
	if err := json.Unmarshal(raw, &made); err != nil {
		t.Fatal(err)
	}
	init := common.FromHex(made.Bin)
	w.raw(t, who, 0, contracts.Deployer, nil, append(make([]byte, 32), init...))
	return contracts.Create2([32]byte{}, init), func(to common.Address, n int64) []byte {
		data, err := made.ABI.Pack("mint", to, big.NewInt(n))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

func agent(t *testing.T, w *world) {
	ping := packed(t, contracts.MockTarget, "ping", [32]byte{1, 2})
	mock := w.at[contracts.MockTarget]
	// The owner of the engine allows the target, some functions and 1 APE.
	nonce := w.nonceOf(t, 0)
	for _, rule := range [][]byte{
		packed(t, contracts.PolicyEngine, "setModuleAllowed", w.at[contracts.SwapModule], true), packed(t, contracts.PolicyEngine, "setTargetAllowed", mock, true),
		packed(t, contracts.PolicyEngine, "setSelectorAllowed", [4]byte(ping), true),
		packed(t, contracts.PolicyEngine, "setSelectorAllowed", [4]byte(contracts.ABI(contracts.MockTarget).Methods["refuse"].ID), true),
		packed(t, contracts.PolicyEngine, "setSelectorAllowed", [4]byte(contracts.ABI(contracts.MockTarget).Methods["fail"].ID), true),
		packed(t, contracts.PolicyEngine, "setMaxValuePerTx", big.NewInt(1e18)),
	} {
		w.raw(t, 0, nonce, w.at[contracts.PolicyEngine], nil, rule)
		nonce++
	}
	h := w.home(t, 0)
	p := h.open(t)
	base := v2.AgentExecuteIn{Module: "swap", Target: mock.Hex(), Data: hexutil.Encode(ping), Value: "0.5"}
	run := func(p *process, change func(*v2.AgentExecuteIn)) func(v2.Go) (v2.AgentExecuteOut, v2.Sent, error) {
		return func(g v2.Go) (v2.AgentExecuteOut, v2.Sent, error) {
			in := base
			if change != nil {
				change(&in)
			}
			in.Go = g
			out, err := p.AgentExecute(t.Context(), in)
			return out, out.Sent, err
		}
	}
	traced := func(in *v2.AgentExecuteIn) { in.Trace, in.URI = "agent-trace", "ipfs://x/y" }
	out, sent := confirmed(t, run(p, traced))
	if !out.ReceiptRecorded || out.TraceID != "agent-trace" || out.Module != strings.ToLower(w.at[contracts.SwapModule].Hex()) || out.Selector != hexutil.Encode(ping[:4]) ||
		out.Tx != sent.TxHash || out.ValueApe != "0.5" || out.Returned != hexutil.Encode(append([]byte{1, 2}, make([]byte, 30)...)) {
		t.Errorf("%+v", out)
	}
	e := h.last(t, "v2.agent.execute")
	if e.Result["tx"] != sent.TxHash || e.Result["module"] != out.Module || e.Result["traceId"] != "agent-trace" || e.Result["receiptRecorded"] != true ||
		e.Result["contentHash"] != out.ContentHash || e.Payload["valueWei"] != "500000000000000000" || e.Payload["subject"] != "agent:tester" {
		t.Errorf("%+v", e)
	}
	if b, err := p.client.Balance(t.Context(), mock); err != nil || b != ape(t, "0.5") {
		t.Errorf("the target has %s, %v", b, err)
	}
	if got, err := p.ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: "agent-trace"}); err != nil || got.Receipt == nil || got.Receipt.ContentHash != out.ContentHash || got.Receipt.URI != "ipfs://x/y" ||
		got.Receipt.Recorder != w.at[contracts.AgentAccount].Hex() || got.Found != v2.FromAgent || !strings.HasPrefix(agrees(t, got, err), "true: the log tells of the agent account's execution") {
		t.Errorf("%+v %v", got, err)
	}
	// The trace has its receipt: the call goes through, and says that it wrote none.
	if again, _ := confirmed(t, run(p, traced)); again.ReceiptRecorded {
		t.Errorf("%+v", again)
	}
	// Without a trace there is none; the event is in the run's.
	if plain, _ := confirmed(t, run(p, nil)); plain.ReceiptRecorded || plain.TraceIDHash != (common.Hash{}).Hex() || h.last(t, "v2.agent.execute").Result["traceId"] != "trace_1" {
		t.Errorf("%+v", plain)
	}
	// --input is what --target and --data make.
	_, parts, err := run(p, nil)(v2.Go{})
	if err != nil {
		t.Fatal(err)
	}
	input := inputFor(t, mock, ping)
	_, whole, err := run(p, func(in *v2.AgentExecuteIn) { in.Input, in.Target, in.Data = hexutil.Encode(input), "", "" })(v2.Go{})
	if err != nil || parts.Action.Digest != whole.Action.Digest || !slices.Equal(parts.Action.Facts, whole.Action.Facts) {
		t.Errorf("%+v\n%+v %v", parts.Action, whole.Action, err)
	}

	for reason, change := range map[string]func(*v2.AgentExecuteIn){
		"does not allow the function " + hexutil.Encode(contracts.ABI(contracts.MockTarget).Methods["keepHalf"].ID): func(in *v2.AgentExecuteIn) {
			in.Data = hexutil.Encode(contracts.ABI(contracts.MockTarget).Methods["keepHalf"].ID)
		},
		"does not allow the target " + accountOf(1).Hex():                 func(in *v2.AgentExecuteIn) { in.Target = accountOf(1).Hex() },
		"does not allow the module " + w.at[contracts.BridgeModule].Hex(): func(in *v2.AgentExecuteIn) { in.Module = "bridge" },
		"does not allow the module " + accountOf(2).Hex():                 func(in *v2.AgentExecuteIn) { in.Module = accountOf(2).Hex() },
		"allows 1 APE a call at the most, and 1.5 APE would be sent":      func(in *v2.AgentExecuteIn) { in.Value = "1.5" },
		"the mock target refuses, with code 7": func(in *v2.AgentExecuteIn) {
			in.Data = hexutil.Encode(packed(t, contracts.MockTarget, "refuse", big.NewInt(7)))
		},
		`the contract says "no, thanks"`: func(in *v2.AgentExecuteIn) {
			in.Data = hexutil.Encode(packed(t, contracts.MockTarget, "fail", "no,\nthanks"))
		},
	} {
		refused(t, h, reason, run(p, change))
	}
	other := w.home(t, 10)
	refused(t, other, other.address().Hex()+" is not the contract's owner", run(other.open(t), nil))

	dirty := slices.Clone(input)
	dirty[0] = 1 // above the address: another reader would refuse it
	for _, change := range []func(*v2.AgentExecuteIn){
		func(in *v2.AgentExecuteIn) { in.Input = "0x01" }, func(in *v2.AgentExecuteIn) { in.Target, in.Data = "", "" }, func(in *v2.AgentExecuteIn) { in.Data = "0x0102" },
		func(in *v2.AgentExecuteIn) { in.Data = "ping" }, func(in *v2.AgentExecuteIn) { in.Target = "mock" }, func(in *v2.AgentExecuteIn) { in.Value = "-1" },
		func(in *v2.AgentExecuteIn) { in.Value = "1e3" }, func(in *v2.AgentExecuteIn) { in.Module = "sell" }, func(in *v2.AgentExecuteIn) { in.URI = "https://x.y" },
		func(in *v2.AgentExecuteIn) { in.Input, in.Target, in.Data = hexutil.Encode(dirty), "", "" },
		func(in *v2.AgentExecuteIn) {
			in.Input, in.Target, in.Data = hexutil.Encode(append(slices.Clone(input), 0)), "", ""
		},
		func(in *v2.AgentExecuteIn) { in.Input, in.Target, in.Data = hexutil.Encode(input[:40]), "", "" },
	} {
		_, _, err := run(p, change)(v2.Go{})
		wantFault(t, err, fault.Usage, fault.SentNo)
	}
	keep := func(value string) map[string]any {
		return map[string]any{"module": w.at[contracts.SwapModule], "target": mock, "selector": hexutil.Encode(ping[:4]), "value": value, "trace": "agent-trace"}
	}
	forged(t, p, sent.TxHash, contracts.AgentAccount, "agent.execute", keep("500000000000000000"), keep("500000000000000001"))

	// An account whose policy engine could be anything is not used.
	w.raw(t, 0, w.nonceOf(t, 0), w.at[contracts.AgentAccount], nil, packed(t, contracts.AgentAccount, "setPolicyEngine", mock))
	_, _, err = run(p, nil)(v2.Go{})
	if f := wantFault(t, err, fault.ContractMismatch, fault.SentNo); !strings.Contains(f.Message, "policy engine is "+mock.Hex()+", and the test gives "+w.at[contracts.PolicyEngine].Hex()) {
		t.Errorf("%v", f)
	}
	engine := func(a v2.Address) func(*v2.Deps) {
		return func(d *v2.Deps) { d.Named[contracts.PolicyEngine] = a }
	}
	_, _, err = run(h.open(t, engine(v2.Address{Address: "xyz", From: "V"})), nil)(v2.Go{})
	wantFault(t, err, fault.Usage, fault.SentNo)
	_, _, err = run(h.open(t, engine(v2.Address{})), nil)(v2.Go{})
	if f := wantFault(t, err, fault.ContractMismatch, fault.SentNo); !strings.Contains(f.Message, "policy engine of the agent account") {
		t.Errorf("%v", f)
	}
	h.policy(t, `{"v2":{"contractAllowlist":["`+strings.ToLower(mock.Hex())+`"]}}`)
	if _, dry, err := run(h.open(t, engine(v2.Address{})), nil)(v2.Go{}); err != nil || !slices.ContainsFunc(dry.WouldBlock, func(g policy.Gate) bool { return g.Code == fault.SimulationFailed }) {
		t.Errorf("%+v %v", dry.WouldBlock, err)
	}
}

func packed(t *testing.T, n v2.Name, method string, args ...any) []byte {
	t.Helper()
	data, err := contracts.ABI(n).Pack(method, args...)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func inputFor(t *testing.T, target common.Address, data []byte) []byte {
	t.Helper()
	var args abi.Arguments
	for _, word := range []string{"address", "bytes"} {
		kind, err := abi.NewType(word, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, abi.Argument{Type: kind})
	}
	input, err := args.Pack(target, data)
	if err != nil {
		t.Fatal(err)
	}
	return input
}

func (w *world) nonceOf(t *testing.T, who int) uint64 {
	t.Helper()
	n, err := w.chain.Client().NonceAt(t.Context(), accountOf(who), nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
