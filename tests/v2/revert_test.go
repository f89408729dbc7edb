package v2_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/v2/contracts"
)

// A receipt whose call passed when it was tried reverts in its block, since another
// account's under the same trace is mined before it: exit status 8, with the reason in
// words, and only the fee is spent. Run again, it is refused before it is sent.
func TestRevertInItsBlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const trace = "contested-trace"
	data, err := contracts.ABI(contracts.ReceiptRegistry).Pack("recordReceipt", crypto.Keccak256Hash([]byte(trace)), common.Hash{1}, common.Hash{2}, "")
	if err != nil {
		t.Fatal(err)
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	other := crypto.PubkeyToAddress(key.PublicKey)
	if err := w.Fund(t.Context(), other, units.FromUint64(1e18)); err != nil {
		t.Fatal(err)
	}
	if err := w.SetFault("rpc-no-mining"); err != nil {
		t.Fatal(err)
	}
	defer w.ClearFaults()
	to := w.at["ReceiptRegistry"]
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(big.NewInt(w.ChainID())), &types.DynamicFeeTx{
		ChainID: big.NewInt(w.ChainID()), To: &to, Data: data, Gas: 300_000, GasTipCap: big.NewInt(1e11), GasFeeCap: big.NewInt(2e11),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Client().SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	record := []string{"v2", "receipt", "record", "--trace", trace, "--execute", "--autonomous"}
	ended := make(chan outcome, 1)
	go func() { ended <- w.run(crash{}, record...) }()
	o, sent := w.untilSent(ended)
	if !sent {
		t.Fatalf("it ended before it was sent\n%s", o)
	}
	w.ClearFaults()
	o = <-ended
	if o.exit != 8 || o.Code != "tx_reverted" || !strings.Contains(o.text, "has its receipt already") {
		t.Errorf("%s", o)
	}
	if n := len(w.events("v2.tx.reverted")); n != 1 {
		t.Errorf("%d events tell of a revert", n)
	}
	if o := w.run(crash{}, record...); o.exit != 3 || o.Code != "simulation_failed" {
		t.Errorf("%s", o)
	}
	w.checkBooks()
}

// untilSent waits for a transaction of the buyer in the pool.
func (w *world) untilSent(ended <-chan outcome) (o outcome, sent bool) {
	w.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		pending, err := w.Client().PendingNonceAt(w.t.Context(), w.Buyer().Address())
		if err != nil {
			w.t.Fatal(err)
		}
		mined, err := w.Client().NonceAt(w.t.Context(), w.Buyer().Address(), nil)
		if err != nil {
			w.t.Fatal(err)
		}
		if pending > mined {
			return o, true
		}
		select {
		case o = <-ended:
			return o, false
		case <-tick.C:
		}
	}
}
