package sandbox_test

import (
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum"

	"github.com/ape-claw/ape-claw/sandbox"
)

func TestReorg(t *testing.T) {
	t.Parallel()
	for _, waits := range []int{0, 1, 2} {
		t.Run(string(rune('0'+waits)), func(t *testing.T) {
			t.Parallel()
			w := start(t, sandbox.Options{Faults: []string{"rpc-reorg=" + string(rune('0'+waits))}})
			c := dial(t, w)
			connect := func() {
				t.Helper()
				if _, err := c.ChainID(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			connect() // nothing was told yet
			tx := transfer(t, w, 0)
			if err := c.SendTransaction(t.Context(), tx); err != nil {
				t.Fatal(err)
			}
			first := await(t, c, tx)
			for range waits {
				connect()
				if r, err := c.TransactionReceipt(t.Context(), tx.Hash()); !errors.Is(err, ethereum.NotFound) {
					t.Fatalf("it was not taken back: %+v, %v", r, err)
				}
				if _, pending, err := c.TransactionByHash(t.Context(), tx.Hash()); err != nil || !pending {
					t.Errorf("pending %v, %v", pending, err)
				}
			}
			connect()
			again, err := c.TransactionReceipt(t.Context(), tx.Hash())
			if err != nil || again.Status != 1 || again.BlockHash == first.BlockHash {
				t.Fatalf("%+v after %+v, %v", again, first, err)
			}
			// Once is enough: it stays, and so does what was there before.
			connect()
			if r, err := c.TransactionReceipt(t.Context(), tx.Hash()); err != nil || r.BlockHash != again.BlockHash {
				t.Errorf("%+v after %+v, %v", r, again, err)
			}
		})
	}
}

// A world that ends, is reset or is without faults again keeps nothing waiting.
func TestReorgEnds(t *testing.T) {
	t.Parallel()
	w := start(t, sandbox.Options{Faults: []string{"rpc-reorg=99"}})
	c := dial(t, w)
	for n, end := range []func() error{func() error { w.ClearFaults(); return nil }, func() error { return w.Reset(t.Context()) }, w.Close} {
		set(t, w, "rpc-reorg=99")
		nonce := uint64(n)
		if n == 2 {
			nonce = 0 // of a fresh chain
		}
		tx := transfer(t, w, nonce)
		if err := c.SendTransaction(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		await(t, c, tx)
		if _, err := c.ChainID(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.TransactionReceipt(t.Context(), tx.Hash()); !errors.Is(err, ethereum.NotFound) {
			t.Fatalf("it was not taken back: %v", err)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			await(t, c, tx)
		}
	}
}
