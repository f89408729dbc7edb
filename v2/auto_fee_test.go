package v2_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Nobody looks at the fee of a receipt that policy alone wants: a node that asks for a
// tip beyond all reason gets none, though a person might pay it.
func TestReceiptOfAPurchaseTooDear(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.home(t, 2)
	h.auto(t)
	h.purchase(t, bought...)
	result := regexp.MustCompile(`"result":"0x[0-9a-f]+"`)
	w.proxy.set(func(method string, _ []byte, rw http.ResponseWriter, forward func() []byte) bool {
		if method != "eth_maxPriorityFeePerGas" {
			return false
		}
		_, _ = rw.Write(result.ReplaceAll(forward(), []byte(`"result":"0x1d1a94a2000"`))) // 2000 gwei
		return true
	})
	h.open(t).RecordPurchase(t.Context(), "nft buy", devchain.ChainID, quoteID)
	if h.nonce(t) != 0 {
		t.Fatal("it was sent")
	}
	if e := h.last(t, "v2.receipt.skipped"); e.Result["code"] != string(fault.PolicyBlocked) {
		t.Errorf("%+v", e)
	}
	w.proxy.set(nil)
	h.open(t).RecordPurchase(t.Context(), "nft resume", devchain.ChainID, quoteID)
	if h.nonce(t) != 1 {
		t.Error("it was not sent once it is cheap again")
	}
}
