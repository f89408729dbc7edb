package contracts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/ape-claw/ape-claw/v2/contracts"
)

func TestCreateIntent(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	reg := a.deploy(t, contracts.IntentRegistry)
	end := node(t).Head().Time + 86_400
	wantValues(t, a.call(t, reg, "nextIntentId"), 1)
	wantValues(t, a.call(t, reg, "createIntent", hash("x"), 0), 1)
	wantEvents(t, a.send(t, reg, "createIntent", hash("x"), 0),
		fmt.Sprintf("IntentRegistry.IntentCreated(1, %s, %s, 0)", a.addr, hash("x")))
	wantEvents(t, a.send(t, reg, "createIntent", hash("x"), end), // the same again is another
		fmt.Sprintf("IntentRegistry.IntentCreated(2, %s, %s, %d)", a.addr, hash("x"), end))
	wantValues(t, a.call(t, reg, "nextIntentId"), 3)
	wantValues(t, a.call(t, reg, "intents", 1), hash("x"), a.addr, 0, false)
	wantValues(t, a.call(t, reg, "intents", 2), hash("x"), a.addr, end, false)
	wantValues(t, a.call(t, reg, "intents", 3), common.Hash{}, nobody, 0, false)
	wantValues(t, a.call(t, reg, "isActive", 1), true)
	wantValues(t, a.call(t, reg, "isActive", 2), true)
	wantValues(t, a.call(t, reg, "isActive", 0), false)
	wantValues(t, a.call(t, reg, "isActive", 3), false)

	a.refused(t, "ZeroIntentHash()", reg, "createIntent", common.Hash{}, 0)
	for at, want := range map[uint64]bool{end - 1: true, end: false, end + 1: false} {
		if got := activeAt(t, reg, at); got != want {
			t.Errorf("an intent that ends at %d is active at %d: %v", end, at, got)
		}
	}
}

// activeAt asks whether intent 2 is active in a block of another time.
func activeAt(t *testing.T, reg contract, time uint64) bool {
	t.Helper()
	call := map[string]any{"to": reg.addr, "data": hexutil.Bytes(pack(t, reg.abi, "isActive", 2))}
	var out hexutil.Bytes
	if err := client(t).Client().CallContext(t.Context(), &out, "eth_call", call, "latest", nil,
		map[string]any{"time": hexutil.Uint64(time)}); err != nil {
		t.Fatal(err)
	}
	return out[31] == 1
}

func TestIntentExpiry(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	reg := a.deploy(t, contracts.IntentRegistry)
	const now = 2_000_000_000
	at := func(expiresAt uint64) string {
		call := map[string]any{"to": reg.addr, "data": hexutil.Bytes(pack(t, reg.abi, "createIntent", hash("x"), expiresAt))}
		return reasonOf(client(t).Client().CallContext(t.Context(), new(hexutil.Bytes), "eth_call", call, "latest", nil,
			map[string]any{"time": hexutil.Uint64(now)}))
	}
	for expiresAt, want := range map[uint64]string{
		0:       "no error",
		1:       "ExpiryInPast(1, 2000000000)",
		now - 1: "ExpiryInPast(1999999999, 2000000000)",
		now:     "ExpiryInPast(2000000000, 2000000000)",
		now + 1: "no error",
	} {
		if got := at(expiresAt); got != want {
			t.Errorf("expiresAt %d: %s, want %s", expiresAt, got, want)
		}
	}
	wantValues(t, a.call(t, reg, "nextIntentId"), 1)
}

func TestCancelIntent(t *testing.T) {
	t.Parallel()
	a, b := newActor(t), newActor(t)
	reg := a.deploy(t, contracts.IntentRegistry)
	a.send(t, reg, "createIntent", hash("x"), 0)
	a.refused(t, "IntentNotFound(0)", reg, "cancelIntent", 0)
	a.refused(t, "IntentNotFound(2)", reg, "cancelIntent", 2)
	b.refused(t, fmt.Sprintf("NotIntentCreator(1, %s)", b.addr), reg, "cancelIntent", 1)
	wantEvents(t, a.send(t, reg, "cancelIntent", 1), fmt.Sprintf("IntentRegistry.IntentCancelled(1, %s)", a.addr))
	wantValues(t, a.call(t, reg, "isActive", 1), false)
	wantValues(t, a.call(t, reg, "intents", 1), hash("x"), a.addr, 0, true)
	a.refused(t, "IntentAlreadyCancelled(1)", reg, "cancelIntent", 1)
}

// One that is over may be cancelled: it was not carried out.
func TestCancelAfterTheEnd(t *testing.T) {
	t.Parallel()
	a := newActor(t)
	reg := a.deploy(t, contracts.IntentRegistry)
	end := node(t).Head().Time + 86_400
	a.send(t, reg, "createIntent", hash("x"), end)
	call := map[string]any{"from": a.addr, "to": reg.addr, "data": hexutil.Bytes(pack(t, reg.abi, "cancelIntent", 1))}
	if err := client(t).Client().CallContext(t.Context(), new(hexutil.Bytes), "eth_call", call, "latest", nil,
		map[string]any{"time": hexutil.Uint64(end + 1)}); err != nil {
		t.Error(err)
	}
}

func TestRecordReceipt(t *testing.T) {
	t.Parallel()
	a, b := newActor(t), newActor(t)
	reg := a.deploy(t, contracts.ReceiptRegistry)
	trace, content, subject := hash("trace"), hash("content"), hash("agent:a")
	wantValues(t, a.call(t, reg, "MAX_URI_LENGTH"), 2048)
	wantValues(t, a.call(t, reg, "isRecorded", trace), false)
	a.refused(t, fmt.Sprintf("ReceiptNotFound(%s)", trace), reg, "getReceipt", trace)
	r := a.send(t, reg, "recordReceipt", trace, content, subject, "https://a.test")
	wantEvents(t, r, fmt.Sprintf(`ReceiptRegistry.ReceiptRecorded(%s, %s, %s, %s, "https://a.test")`, trace, content, subject, a.addr))
	head, err := client(t).HeaderByNumber(t.Context(), r.BlockNumber)
	if err != nil {
		t.Fatal(err)
	}
	wantValues(t, a.call(t, reg, "isRecorded", trace), true)
	wantValues(t, a.call(t, reg, "getReceipt", trace), trace, content, subject, "https://a.test", head.Time, a.addr)

	// The first writer wins, against itself too.
	taken := fmt.Sprintf("ReceiptAlreadyRecorded(%s, %s)", trace, a.addr)
	a.refused(t, taken, reg, "recordReceipt", trace, content, subject, "https://a.test")
	b.refused(t, taken, reg, "recordReceipt", trace, hash("mine"), subject, "")

	a.refused(t, "ZeroTraceIdHash()", reg, "recordReceipt", common.Hash{}, content, subject, "")
	a.refused(t, "UriTooLong(2049)", reg, "recordReceipt", hash("2"), content, subject, strings.Repeat("x", 2049))
	// Nothing else has to be there: a receipt of nothing about nobody is one.
	b.send(t, reg, "recordReceipt", hash("2"), common.Hash{}, common.Hash{}, strings.Repeat("x", 2048))
	wantValues(t, a.call(t, reg, "isRecorded", hash("2")), true)
	wantValues(t, a.call(t, reg, "getReceipt", hash("2"))[5:], b.addr)
	wantValues(t, a.call(t, reg, "isRecorded", common.Hash{}), false)
}
