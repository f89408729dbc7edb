package v2_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// counted is a log that counts how many lines are looked at.
type counted struct {
	v2.Log
	n *int
}

func (c counted) TailUntil(ctx context.Context, n int, match func([]byte) (take, last bool)) (telemetry.Tail, error) {
	return c.Log.TailUntil(ctx, n, func(line []byte) (take, last bool) { *c.n++; return match(line) })
}

// counting has a process count what it looks at of the log.
func counting(n *int) func(*v2.Deps) {
	return func(d *v2.Deps) {
		open := d.Log
		d.Log = func(ctx context.Context) (v2.Log, error) {
			l, err := open(ctx)
			return counted{l, n}, err
		}
	}
}

// hasty is a clock by which some seconds go by at each look.
func hasty() func(*v2.Deps) {
	at := time.Now()
	return func(d *v2.Deps) { d.Now = func() time.Time { at = at.Add(3 * time.Second); return at } }
}

// rewrite replaces the lines of the log.
func (h *home) rewrite(t testing.TB, change func(lines []string) []string) {
	t.Helper()
	path, lines := h.lines(t)
	if err := os.WriteFile(path, []byte(strings.Join(change(lines), "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What a log holds from before a purchase's quote is not gone through for its receipt,
// however much that is; and the time that is spent on it has an end.
func TestReceiptOfAPurchaseInALongLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const old = 1000
	h := w.home(t, 2)
	h.auto(t)
	h.purchase(t, bought...)
	h.rewrite(t, func(lines []string) []string {
		long := make([]string, old, old+len(lines))
		for i := range long {
			long[i] = strings.ReplaceAll(lines[0], "q_00000000000000000000", "q_00000000000000000001")
		}
		return append(long, lines...)
	})
	h.open(t, hasty()).RecordPurchase(t.Context(), "nft buy", devchain.ChainID, quoteID)
	if e := h.last(t, "v2.receipt.skipped"); e.Result["code"] != string(fault.NotFound) || !strings.Contains(e.Error, "too long to be searched") || h.nonce(t) != 0 {
		t.Errorf("%+v", e)
	}
	looked := 0
	h.open(t, counting(&looked)).RecordPurchase(t.Context(), "nft resume", devchain.ChainID, quoteID)
	if h.nonce(t) != 1 || looked == 0 || looked > 2*len(bought)+2 {
		t.Errorf("nonce %d; %d lines were looked at", h.nonce(t), looked)
	}
	looked = 0
	out, err := h.open(t, counting(&looked)).ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: childID})
	if got := agrees(t, out, err); !strings.HasPrefix(got, "true: ") || looked > old {
		t.Errorf("%s; %d lines were looked at", got, looked)
	}
	// Where nothing tells of the receipt the purchase does, up to its quote.
	h.rewrite(t, func(lines []string) []string { return lines[:len(lines)-2] })
	out, err = h.open(t).ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: childID})
	if got := agrees(t, out, err); !strings.HasPrefix(got, "true: each of the 4 lines") {
		t.Error(got)
	}
	out, err = h.open(t, hasty()).ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: childID})
	if got := agrees(t, out, err); !strings.HasPrefix(got, "unknown: the log is too long") {
		t.Error(got)
	}
}

// Lines that came from another log are not what was hashed, unless only their id was
// added; and nobody is accused of altering them.
func TestReceiptAndCopiesOfItsLines(t *testing.T) {
	t.Parallel()
	h := newWorld(t).home(t, 2)
	h.auto(t)
	h.purchase(t, bought...)
	h.open(t).RecordPurchase(t.Context(), "nft buy", devchain.ChainID, quoteID)
	get := func() string {
		out, err := h.open(t).ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: childID})
		return agrees(t, out, err)
	}
	path, all := h.lines(t)
	id := func(line, id string) string { return string(telemetry.WithEventID([]byte(line), id)) }
	for name, tt := range map[string]struct {
		change func(lines []string) []string
		want   string
	}{
		"sent on": {func(lines []string) []string {
			for i, l := range lines {
				lines[i] = id(l, "outbox/7")
			}
			return lines
		}, "true: each of the 4 lines"},
		"written anew": {func(lines []string) []string {
			for i, l := range lines {
				lines[i] = strings.Replace(id(l, "import-7"), `{"v":1,`, `{"v": 1,`, 1)
			}
			return lines
		}, "unknown: the log has a copy of the line"},
		"beside the line": {func(lines []string) []string {
			for _, l := range lines {
				lines = append(lines, strings.Replace(id(l, "import-7"), `{"v":1,`, `{"v": 1,`, 1))
			}
			return lines
		}, "true: each of the 4 lines"},
		"beside an altered line": {func(lines []string) []string {
			for i, l := range lines {
				lines = append(lines, strings.Replace(id(l, "import-7"), `{"v":1,`, `{"v": 1,`, 1))
				lines[i] = strings.Replace(l, `"priceApe":1.5`, `"priceApe":0.5`, 1)
			}
			return lines
		}, "false: the log's line nft.quote.created"},
		"altered and sent on": {func(lines []string) []string {
			for i, l := range lines {
				lines[i] = id(strings.Replace(l, `"priceApe":1.5`, `"priceApe":0.5`, 1), "outbox/7")
			}
			return lines
		}, "unknown: the log has a copy of the line"},
	} {
		h.rewrite(t, func([]string) []string { return tt.change(append([]string{}, all...)) })
		if got := get(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	// A receipt is recorded of what happened here, and not of what others tell.
	if err := os.WriteFile(path, []byte(strings.Join(all[:2*len(bought)], "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.rewrite(t, func(lines []string) []string {
		for i, l := range lines {
			lines[i] = id(l, "outbox/8")
		}
		return lines
	})
	h.open(t).RecordPurchase(t.Context(), "nft resume", devchain.ChainID, quoteID)
	if e := h.last(t, "v2.receipt.skipped"); e.Result["code"] != string(fault.NotFound) || h.nonce(t) != 1 {
		t.Errorf("%+v", e)
	}
}

// The receipt that an agent account recorded is held against the event of what it did.
func TestReceiptOfAnExecution(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const trace = "trace-of-agent"
	content, account := common.Hash{0xcc}, w.at[contracts.AgentAccount]
	record := func(nonce uint64, trace string) {
		w.raw(t, 2, nonce, w.at[contracts.ReceiptRegistry], nil,
			packed(t, contracts.ReceiptRegistry, "recordReceipt", v2.TraceIDHash(trace), content, v2.SubjectHash("agent:tester"), ""))
	}
	record(0, trace)
	for name, tt := range map[string]struct {
		change func(d *telemetry.Draft, payload, result map[string]any)
		want   string
		lines  func(lines []string) []string
	}{
		"only sent on": {want: "unknown: only events from elsewhere", lines: sentOn},
		"below what others say": {want: "true: ", lines: func(lines []string) []string {
			other := strings.ReplaceAll(lines[0], content.Hex(), common.Hash{0xcd}.Hex())
			for range 20 { // more than are looked at
				lines = append(lines, sentOn([]string{other})...)
			}
			return append(lines, sentOn(lines[:1])...)
		}},
		"by another": {change: func(_ *telemetry.Draft, _, result map[string]any) { result["address"] = strings.ToLower(account.Hex()) }, want: "false: the receipt on chain was recorded by another account"},
		"as told":    {want: "true: "},
		"another content": {change: func(_ *telemetry.Draft, _, result map[string]any) { result["contentHash"] = common.Hash{0xcd}.Hex() },
			want: "false: the log tells of this receipt with another content"},
		"another subject": {change: func(_ *telemetry.Draft, payload, _ map[string]any) { payload["subject"] = "agent:other" }, want: "false: the receipt on chain names another subject"},
		"no receipt":      {change: func(_ *telemetry.Draft, _, result map[string]any) { result["receiptRecorded"] = false }, want: "unknown: the local log does not tell"},
		"another trace":   {change: func(_ *telemetry.Draft, _, result map[string]any) { result["traceId"] = trace + "s" }, want: "unknown: the local log does not tell"},
		"another hash":    {change: func(_ *telemetry.Draft, _, result map[string]any) { result["traceIdHash"] = common.Hash{1}.Hex() }, want: "unknown: the local log does not tell"},
		"another chain":   {change: func(d *telemetry.Draft, _, _ map[string]any) { d.ChainID = 33139 }, want: "unknown: the local log does not tell"},
		"another event":   {change: func(d *telemetry.Draft, _, _ map[string]any) { d.Type = "v2.tx.submitted" }, want: "unknown: the local log does not tell"},
	} {
		h := w.home(t, 3)
		payload, result := map[string]any{"subject": "agent:tester"}, map[string]any{
			"tx": common.Hash{1}.Hex(), "module": strings.ToLower(w.at[contracts.SwapModule].Hex()), "traceId": trace, "traceIdHash": v2.TraceIDHash(trace).Hex(),
			"contentHash": content.Hex(), "receiptRecorded": true, "address": strings.ToLower(accountOf(2).Hex()),
		}
		d := telemetry.Draft{Type: "v2.agent.execute", ChainID: devchain.ChainID, Payload: payload, Result: result}
		if tt.change != nil {
			tt.change(&d, payload, result)
		}
		log := telemetry.NewLog(h.state(), telemetry.LogOptions{})
		rec := telemetry.NewRecorder(log, telemetry.NewRedactor(), time.Now, telemetry.Scope{TraceID: "t", ChainID: devchain.ChainID})
		if err := rec.Record(t.Context(), d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_ = log.Close()
		if tt.lines != nil {
			h.rewrite(t, tt.lines)
		}
		out, err := h.open(t).ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: trace})
		if got := agrees(t, out, err); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// sentOn are lines as they come from another machine.
func sentOn(lines []string) (out []string) {
	for _, l := range lines {
		out = append(out, string(telemetry.WithEventID([]byte(l), "ob-outbox/7")))
	}
	return out
}
