package v2_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/v2"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

const (
	quoteID = "q_abcdefghij0123456789"
	childID = "trace_purchase." + quoteID
)

// auto lets policy record receipts of purchases.
func (h *home) auto(t testing.TB) {
	t.Helper()
	text, err := os.ReadFile("../policy/sandbox.json")
	if err != nil {
		t.Fatal(err)
	}
	h.policy(t, strings.Replace(string(text), `"execution"`, `"receipts": {"auto": true}, "execution"`, 1))
}

// purchase writes the events of a purchase, and one of another quote among them.
func (h *home) purchase(t testing.TB, types ...string) {
	t.Helper()
	log := telemetry.NewLog(h.state(), telemetry.LogOptions{})
	defer func() { _ = log.Close() }()
	now := time.Now().Add(-time.Minute)
	rec := telemetry.NewRecorder(log, telemetry.NewRedactor(), func() time.Time { now = now.Add(time.Second); return now },
		telemetry.Scope{TraceID: "trace_purchase", Command: "ape-claw nft buy", ChainID: devchain.ChainID, AgentID: "buyer"})
	put := func(typ, quote string) {
		d := telemetry.Draft{Type: typ, ChainID: devchain.ChainID, Payload: map[string]any{"quoteId": quote, "collection": "gobs", "tokenId": "7"}, Result: map[string]any{"note": "text"}}
		if typ == "nft.quote.created" {
			d.Payload, d.Result = map[string]any{"collection": "gobs", "tokenId": "7"}, map[string]any{"quoteId": quote, "priceApe": json.Number("1.5")}
		}
		if typ == "nft.buy.confirmed" {
			h.bought = append(h.bought, chain.OpenTx{Key: quote, State: chain.StateConfirmed, ChainID: devchain.ChainID, Hash: common.Hash{0xaa}.Hex(), Created: now})
			d.Result = map[string]any{"txHash": common.Hash{0xaa}.Hex(), "blockNumber": 3}
		}
		if err := rec.Record(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	for _, typ := range types {
		put(typ, "q_00000000000000000000")
		put(typ, quoteID)
	}
}

// boughtHere stands in for the journal's purchases, with their quotes as keys.
type boughtHere []chain.OpenTx

func (b *boughtHere) Purchase(_ context.Context, quoteID string) (chain.OpenTx, bool, error) {
	for _, tx := range *b {
		if tx.Key == quoteID {
			return tx, true, nil
		}
	}
	return chain.OpenTx{}, false, nil
}

func (b *boughtHere) Since(_ context.Context, chainID int64, since time.Time, most int) (quotes []string, err error) {
	for _, tx := range *b {
		if tx.ChainID == chainID && tx.Created.After(since) && len(quotes) < most {
			quotes = append(quotes, tx.Key)
		}
	}
	return quotes, nil
}

var bought = []string{"nft.quote.created", "nft.simulation.passed", "nft.buy.submitted", "nft.buy.confirmed"}

func (h *home) lines(t testing.TB) (path string, lines []string) {
	t.Helper()
	path = filepath.Join(h.state(), "events.jsonl")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

func agrees(t testing.TB, out v2.ReceiptGetOut, err error) string {
	t.Helper()
	if err != nil || !out.IsRecorded {
		t.Fatalf("%+v, %v", out, err)
	}
	if out.Agrees == nil {
		return "unknown: " + out.Why
	}
	return map[bool]string{true: "true: ", false: "false: "}[*out.Agrees] + out.Why
}

// A confirmed purchase has its receipt on chain: its hash is over the lines from
// quote to confirmation as they are in the log, and whatever is done to one of them
// afterwards shows.
func TestReceiptOfAPurchase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	h.auto(t)
	h.purchase(t, bought...)
	_, lines := h.lines(t)
	h.open(t).RecordPurchase(t.Context(), "nft buy", devchain.ChainID, quoteID)

	if got := h.types(t)[2*len(bought):]; !slices.Equal(got, []string{"v2.tx.submitted", "v2.receipt.recorded"}) {
		t.Fatalf("events %v: %+v", got, h.events(t)[len(h.events(t))-1])
	}
	// By hand: every second line is of the quote.
	var events []string
	for i := 1; i < len(lines); i += 2 {
		var e struct{ EventType, TS string }
		if err := json.Unmarshal([]byte(lines[i]), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, `{"hash":"`+crypto.Keccak256Hash([]byte(lines[i])).Hex()+`","ts":"`+e.TS+`","type":"`+e.EventType+`"}`)
	}
	content := `{"payload":{"events":[` + strings.Join(events, ",") + `],"quoteId":"` + quoteID + `","txHash":"` + (common.Hash{0xaa}).Hex() + `"},"subject":"agent:buyer"}`
	e := h.last(t, "v2.receipt.recorded")
	if e.Result["contentHash"] != crypto.Keccak256Hash([]byte(content)).Hex() || e.Result["traceId"] != childID ||
		e.Result["traceIdHash"] != crypto.Keccak256Hash([]byte(childID)).Hex() || e.Result["subjectHash"] != crypto.Keccak256Hash([]byte("agent:buyer")).Hex() ||
		e.Payload["auto"] != true {
		t.Errorf("%+v\nwant the hash of %s", e, content)
	}

	// A second time nothing is sent.
	nonce := h.nonce(t)
	h.open(t).RecordPurchase(t.Context(), "nft resume", devchain.ChainID, quoteID)
	if h.nonce(t) != nonce || h.types(t)[len(h.types(t))-1] != "v2.receipt.recorded" {
		t.Errorf("nonce %d after %d, %v", h.nonce(t), nonce, h.types(t))
	}

	get := func() string {
		out, err := h.open(t).ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: childID})
		return agrees(t, out, err)
	}
	if got := get(); got != "true: each of the 4 lines that the receipt lists is in the log as it was hashed" {
		t.Error(got)
	}
	path, all := h.lines(t)
	for name, tt := range map[string]struct {
		change func(line string) (string, bool)
		want   string
	}{
		"a price":         {func(l string) (string, bool) { return strings.Replace(l, `"priceApe":1.5`, `"priceApe":0.5`, 1), true }, "false: the log's line nft.quote.created"},
		"an altered line": {func(l string) (string, bool) { return strings.Replace(l, `"tokenId":"7"`, `"tokenId":"8"`, 1), true }, "was altered after"},
		"a missing line": {func(l string) (string, bool) {
			return l, strings.Contains(l, "v2.receipt.recorded") || !strings.Contains(l, "nft.simulation.passed")
		}, "false: the log's line nft.simulation.passed"},
		"no word of it": {func(l string) (string, bool) { return l, !strings.Contains(l, "v2.receipt.recorded") }, "true: each of the 4 lines"},
		"no word, and a line": {func(l string) (string, bool) {
			return strings.Replace(l, `"priceApe":1.5`, `"priceApe":0.5`, 1), !strings.Contains(l, "v2.receipt.recorded")
		}, "false: the log tells of this purchase"},
		"another content": {func(l string) (string, bool) {
			return strings.Replace(l, `"subject":"agent:buyer"}`, `"subject":"agent:other"}`, 1), true
		}, "false: the log tells of this receipt with another content"},
		"an empty log":       {func(l string) (string, bool) { return "", false }, "unknown: the local log does not tell"},
		"the order of lines": {func(l string) (string, bool) { return l, true }, "true: "},
	} {
		var out []string
		for _, l := range all {
			if l, keep := tt.change(l); keep {
				out = append(out, l+"\n")
			}
		}
		if name == "the order of lines" {
			slices.Reverse(out)
		}
		if err := os.WriteFile(path, []byte(strings.Join(out, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := get(); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// What stands in the way of a receipt is told, and nothing is sent.
func TestReceiptOfAPurchaseSkipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, tt := range []struct {
		name   string
		before func(h *home)
		ctx    func() context.Context
		want   []string // events
		code   fault.Code
	}{
		{name: "not wanted", before: func(h *home) { h.purchase(t, bought...); _ = os.Remove(filepath.Join(h.dir, "policy.json")) }},
		{name: "halted", before: func(h *home) {
			h.purchase(t, bought...)
			if err := os.WriteFile(filepath.Join(h.dir, "HALT"), []byte("stop"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, want: []string{"policy.blocked", "v2.receipt.skipped"}, code: fault.Halted},
		{name: "not confirmed", before: func(h *home) { h.purchase(t, bought[:3]...) }, want: []string{"v2.receipt.skipped"}, code: fault.NotFound},
		{name: "no such quote", before: func(*home) {}, want: []string{"v2.receipt.skipped"}, code: fault.NotFound},
		{name: "policy broken", before: func(h *home) { h.purchase(t, bought...); h.policy(t, "{") }, want: []string{"v2.receipt.skipped"}, code: fault.PolicyInvalid},
		{name: "cancelled", before: func(h *home) { h.purchase(t, bought...) }, ctx: func() context.Context {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx
		}, want: []string{"v2.receipt.skipped"}, code: fault.Canceled},
	} {
		h := w.home(t, 3+i)
		h.auto(t)
		tt.before(h)
		before := len(h.events(t))
		var said []string
		p := h.open(t, func(d *v2.Deps) { d.Warn = func(format string, _ ...any) { said = append(said, format) } })
		ctx := t.Context()
		if tt.ctx != nil {
			ctx = tt.ctx()
		}
		p.RecordPurchase(ctx, "nft buy", devchain.ChainID, quoteID)
		if got := h.types(t)[before:]; !slices.Equal(got, append([]string{}, tt.want...)) || h.nonce(t) != 0 {
			t.Errorf("%s: events %v, nonce %d", tt.name, got, h.nonce(t))
			continue
		}
		if len(tt.want) == 0 {
			continue
		}
		e := h.last(t, "v2.receipt.skipped")
		if e.Result["code"] != string(tt.code) || e.Payload["quoteId"] != quoteID || e.OK || len(said) != 1 || !strings.Contains(said[0], "the purchase stands") {
			t.Errorf("%s: %+v, said %q", tt.name, e, said)
		}
	}
}

// A trace belongs to who was first: another's receipt under it is not ours, and is
// seen not to be.
func TestReceiptOfAnotherUnderTheTrace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other, h := w.home(t, 2), w.home(t, 3)
	p := other.open(t)
	in := v2.ReceiptRecordIn{Trace: childID, Payload: `{"b":-0,"a":1e21}`}
	dry, err := p.ReceiptRecord(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	in.Go = v2.Go{Execute: true, Confirm: dry.ConfirmPhrase}
	done, err := p.ReceiptRecord(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if want := crypto.Keccak256Hash([]byte(`{"payload":{"a":1e+21,"b":0},"subject":"agent:tester"}`)).Hex(); done.ContentHash != want {
		t.Errorf("content hash %s, want %s", done.ContentHash, want)
	}
	h.auto(t)
	h.purchase(t, bought...)
	mine := h.open(t)
	mine.RecordPurchase(t.Context(), "nft buy", devchain.ChainID, quoteID)
	if e := h.last(t, "v2.receipt.skipped"); e.Result["code"] != string(fault.Conflict) || e.Payload["traceId"] != childID || h.nonce(t) != 0 {
		t.Errorf("%+v", e)
	}
	out, err := mine.ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: childID})
	if got := agrees(t, out, err); !strings.HasPrefix(got, "false: the log tells of this purchase") {
		t.Error(got)
	}
	out, err = p.ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: childID})
	if got := agrees(t, out, err); got != "true: the log has the receipt's content, and its hash is on chain" {
		t.Error(got)
	}
	out, err = w.home(t, 4).open(t).ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: childID})
	if got := agrees(t, out, err); !strings.HasPrefix(got, "unknown: ") {
		t.Error(got)
	}
}

// A run that ended between purchase and receipt leaves it to the next resume.
func TestUnrecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	h.auto(t)
	h.purchase(t, bought...)
	p := h.open(t)
	owed, err := p.Unrecorded(t.Context(), devchain.ChainID)
	if err != nil || !slices.Equal(owed, []string{"q_00000000000000000000", quoteID}) {
		t.Fatalf("%v, %v", owed, err)
	}
	p.RecordPurchase(t.Context(), "nft resume", devchain.ChainID, quoteID)
	if owed, err = p.Unrecorded(t.Context(), devchain.ChainID); err != nil || !slices.Equal(owed, []string{"q_00000000000000000000"}) {
		t.Errorf("%v, %v", owed, err)
	}
	if owed, err = p.Unrecorded(t.Context(), 1); err != nil || len(owed) != 0 {
		t.Errorf("%v, %v", owed, err)
	}
	old := h.open(t, func(d *v2.Deps) { d.Now = func() time.Time { return time.Now().Add(48 * time.Hour) } })
	if owed, err = old.Unrecorded(t.Context(), devchain.ChainID); err != nil || len(owed) != 0 {
		t.Errorf("%v, %v", owed, err)
	}
}

// What only the log tells was bought is paid nothing for, and neither is a purchase
// whose lines were altered.
func TestReceiptOfAForgedPurchase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, tt := range []struct {
		name string
		do   func(b boughtHere) boughtHere
		code fault.Code
	}{
		{"never bought", func(boughtHere) boughtHere { return nil }, fault.NotFound},
		{"another transaction", func(b boughtHere) boughtHere { b[1].Hash = common.Hash{0xbb}.Hex(); return b }, fault.Conflict},
		{"another chain", func(b boughtHere) boughtHere { b[1].ChainID = 1; return b }, fault.NotFound},
		{"not confirmed", func(b boughtHere) boughtHere { b[1].State = chain.StateReverted; return b }, fault.NotFound},
	} {
		h := w.home(t, 2+i)
		h.auto(t)
		h.purchase(t, bought...)
		h.bought = tt.do(h.bought)
		p := h.open(t)
		if owed, err := p.Unrecorded(t.Context(), devchain.ChainID); tt.name == "never bought" && (err != nil || len(owed) != 0) {
			t.Errorf("%s: owed %v, %v", tt.name, owed, err)
		}
		p.RecordPurchase(t.Context(), "nft resume", devchain.ChainID, quoteID)
		if h.nonce(t) != 0 {
			t.Errorf("%s: sent", tt.name)
			continue
		}
		if e := h.last(t, "v2.receipt.skipped"); e.Result["code"] != string(tt.code) {
			t.Errorf("%s: %+v", tt.name, e)
		}
	}
}

// One purchase is paid one receipt for, whatever becomes of the log in the meantime.
func TestReceiptOfAPurchaseOnce(t *testing.T) {
	t.Parallel()
	h := newWorld(t).home(t, 2)
	h.auto(t)
	h.purchase(t, bought...)
	p := h.open(t)
	p.RecordPurchase(t.Context(), "nft buy", devchain.ChainID, quoteID)
	nonce := h.nonce(t)
	path, lines := h.lines(t)
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(strings.Join(lines, "\n"), "trace_purchase", "trace_forged")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.open(t).RecordPurchase(t.Context(), "nft resume", devchain.ChainID, quoteID)
	if got := h.nonce(t); nonce != 1 || got != nonce {
		t.Errorf("nonce %d, then %d", nonce, got)
	}
	if e := h.last(t, "v2.receipt.skipped"); e.Result["code"] != string(fault.QuoteUsed) {
		t.Errorf("%+v", e)
	}
}

func TestReceiptTrace(t *testing.T) {
	t.Parallel()
	for trace, want := range map[string]string{
		"trace_1":                "trace_1." + quoteID,
		strings.Repeat("é", 100): strings.Repeat("é", 52) + "." + quoteID, // 128 bytes, and no half character
		"":                       "." + quoteID,
	} {
		if got := v2.ReceiptTrace(trace, quoteID); got != want || len(got) > 128 {
			t.Errorf("%s: %s", trace, got)
		}
	}
}

// Whoever may have recorded it: a receipt of our content that names another subject,
// or that is on another chain or under another trace than the log tells, is not taken
// for ours.
func TestReceiptOfOthersIsNotOurs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	content := crypto.Keccak256Hash([]byte(`{"payload":{},"subject":"agent:tester"}`))
	put := func(nonce uint64, trace string, content common.Hash, subject string) {
		data, err := contracts.ABI(contracts.ReceiptRegistry).Pack("recordReceipt", v2.TraceIDHash(trace), content, v2.SubjectHash(subject), "")
		if err != nil {
			t.Fatal(err)
		}
		w.raw(t, 2, nonce, w.at[contracts.ReceiptRegistry], nil, data)
	}
	put(0, "t1", content, "agent:other")
	put(1, "t2", content, "agent:tester")
	put(2, "elsewhere."+quoteID, content, "agent:buyer")
	h := w.home(t, 3)
	h.purchase(t, bought...)
	log := telemetry.NewLog(h.state(), telemetry.LogOptions{})
	defer func() { _ = log.Close() }()
	rec := telemetry.NewRecorder(log, telemetry.NewRedactor(), time.Now, telemetry.Scope{TraceID: "t", ChainID: devchain.ChainID})
	told := func(trace string, chainID int64) {
		d := telemetry.Draft{Type: "v2.receipt.recorded", ChainID: chainID, Payload: map[string]any{"traceId": trace, "content": json.RawMessage(`{"payload":{},"subject":"agent:tester"}`)},
			Result: map[string]any{"traceId": trace, "traceIdHash": v2.TraceIDHash(trace).Hex(), "txHash": common.Hash{1}.Hex()}}
		if err := rec.Record(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	told("t1", devchain.ChainID)
	told("t2", 33139)
	p := h.open(t)
	for trace, want := range map[string]string{
		"t1": "false: the receipt on chain names another subject", "t2": "unknown: the local log does not tell", "elsewhere." + quoteID: "unknown: the local log does not tell",
	} {
		out, err := p.ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: trace})
		if got := agrees(t, out, err); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", trace, got, want)
		}
	}
	told("t2", devchain.ChainID)
	out, err := p.ReceiptGet(t.Context(), v2.ReceiptGetIn{Trace: "t2"})
	if got := agrees(t, out, err); !strings.HasPrefix(got, "true: ") {
		t.Error(got)
	}
}

// A receipt that was signed by policy's leave is not sent again after policy took its
// leave back.
func TestReceiptOfAPurchaseTakenBack(t *testing.T) {
	t.Parallel()
	h := newWorld(t).home(t, 2)
	h.lax = true
	h.auto(t)
	h.purchase(t, bought...)
	h.step = func(name string) {
		if name == "persisted" {
			panic(errStopped)
		}
	}
	func() {
		defer func() { _ = recover() }()
		h.open(t).RecordPurchase(t.Context(), "nft buy", devchain.ChainID, quoteID)
	}()
	h.step = nil
	resume := func() chain.ResumeOut {
		t.Helper()
		got, err := h.open(t).sender.Resume(t.Context(), chain.ResumeIn{ChainID: devchain.ChainID})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	text, err := os.ReadFile("../policy/sandbox.json")
	if err != nil {
		t.Fatal(err)
	}
	h.policy(t, string(text))
	if got := resume(); len(got.Open) != 1 || len(got.Kept) != 1 || fault.CodeOf(got.Kept[0]) != fault.PolicyBlocked || h.nonce(t) != 0 {
		t.Errorf("%+v", got)
	}
	h.auto(t)
	if got := resume(); len(got.Open) != 0 || h.nonce(t) != 1 {
		t.Errorf("%+v", got)
	}
}
