package bridge_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func openStore(t *testing.T, dir string) bridge.Store {
	t.Helper()
	db, err := store.OpenState(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return bridge.Store{DB: db}
}

func saved(t *testing.T) bridge.Request {
	now := time.UnixMilli(1_790_000_000_000).UTC()
	return bridge.Request{
		RequestID: requestHex, From: "ethereum", To: "apechain", FromChain: 1, ToChain: 33139, Token: "USDC", Amount: "250", AmountBaseUnits: wei(t, "250000000"),
		In: bridge.Currency{ChainID: 1, Address: common.HexToAddress(usdcHex), Symbol: "USDC", Decimals: 6}, Out: bridge.Currency{ChainID: 33139, Symbol: "APE", Decimals: 18},
		FeeBPS: 10, AmountOut: wei(t, "925"), MinAmountOut: wei(t, "916"), Account: ownerHex, Depository: depositoryHex, Status: bridge.StatusQuoted,
		CreatedAt: now, ExpiresAt: now.Add(4 * time.Minute), TraceID: "t",
	}
}

func TestStoredRequests(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	r := saved(t)
	if err := s.Add(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(t.Context(), r); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("one id twice: %v", err)
	}
	if got, err := s.Load(t.Context(), requestHex); err != nil || got != r {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := s.Load(t.Context(), otherHex); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("%v", err)
	}
	// Of two runs that move it, one does.
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() {
			next := r
			next.Status = bridge.StatusPending
			errs[i] = s.Move(t.Context(), next, bridge.StatusQuoted)
		})
	}
	wg.Wait()
	moved := 0
	for _, err := range errs {
		if err == nil {
			moved++
		} else if fault.CodeOf(err) != fault.Conflict {
			t.Error(err)
		}
	}
	if moved != 1 {
		t.Errorf("%d runs moved it: %v", moved, errors.Join(errs...))
	}
	for _, c := range []struct {
		was, next string
		ok        bool
	}{{bridge.StatusPending, bridge.StatusQuoted, true}, {bridge.StatusQuoted, bridge.StatusPending, true}, {bridge.StatusPending, bridge.StatusFailed, true}, {bridge.StatusFailed, bridge.StatusPending, false},
		{bridge.StatusFailed, bridge.StatusRefunded, true}, {bridge.StatusRefunded, bridge.StatusCompleted, false}, {bridge.StatusCompleted, bridge.StatusPending, false}} {
		next := r
		next.Status = c.next
		if err := s.Move(t.Context(), next, c.was); (err == nil) != c.ok {
			t.Errorf("%s to %s: %v", c.was, c.next, err)
		}
	}
}

// A row that does not agree with itself is nobody's transfer.
func TestStrangeRows(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"another status":    `UPDATE bridge_requests SET status = 'completed'`,
		"another id":        `UPDATE bridge_requests SET doc = json_set(doc, '$.requestId', '` + otherHex + `')`,
		"another amount":    `UPDATE bridge_requests SET doc = json_set(doc, '$.amountBaseUnits', '350000000')`,
		"other places":      `UPDATE bridge_requests SET doc = json_set(doc, '$.currencyIn.decimals', 7)`,
		"places below zero": `UPDATE bridge_requests SET doc = json_set(doc, '$.currencyOut.decimals', -1)`,
		"another chain":     `UPDATE bridge_requests SET doc = json_set(doc, '$.fromChain', 10)`,
		"no account":        `UPDATE bridge_requests SET doc = json_set(doc, '$.account', '')`,
		"no JSON":           `UPDATE bridge_requests SET doc = 'x'`,
		"a negative amount": `UPDATE bridge_requests SET doc = json_set(doc, '$.minAmountOut', '-5')`,
	} {
		s := openStore(t, t.TempDir())
		if err := s.Add(t.Context(), saved(t)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.DB.ExecContext(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Load(t.Context(), requestHex); fault.CodeOf(err) != fault.StateUnusable {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

func TestPins(t *testing.T) {
	t.Parallel()
	s, now := openStore(t, t.TempDir()), time.UnixMilli(1_790_000_000_000)
	other := common.HexToAddress(strangerHex)
	if ok, noted, err := s.Pinned(t.Context(), 1, depository); ok || noted != "" || err != nil {
		t.Errorf("%t %s %v", ok, noted, err)
	}
	for range 2 {
		if err := s.Pin(t.Context(), 1, depository, now); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Pin(t.Context(), 1, other, now); fault.CodeOf(err) != fault.ContractMismatch {
		t.Errorf("another one: %v", err)
	}
	if err := s.Pin(t.Context(), 10, other, now); err != nil {
		t.Errorf("of another chain: %v", err)
	}
	if ok, noted, err := s.Pinned(t.Context(), 1, depository); !ok || noted != depositoryHex || err != nil {
		t.Errorf("%t %s %v", ok, noted, err)
	}
	if ok, _, err := s.Pinned(t.Context(), 1, other); ok || err != nil {
		t.Errorf("%t %v", ok, err)
	}
}
