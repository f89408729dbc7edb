package nft_test

import (
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestContradicts: a node that says "failed" is not believed while the token is
// the buyer's, at the block that it names or now.
func TestContradicts(t *testing.T) {
	t.Parallel()
	away := fault.New(fault.Upstream, "the node is away")
	pruned := fault.Wrap(&chain.NodeError{Message: "missing trie node"}, fault.Upstream, "missing trie node")
	answer := func(who common.Address) func() ([]byte, error) {
		return func() ([]byte, error) { return common.BytesToHash(who[:]).Bytes(), nil }
	}
	fails := func(err error) func() ([]byte, error) { return func() ([]byte, error) { return nil, err } }
	for name, tt := range map[string]struct {
		calls []func() ([]byte, error) // what ownerOf answers, in order
		ours  bool
		err   error
	}{
		"the seller's":            {calls: []func() ([]byte, error){answer(seller), answer(seller)}},
		"ours at the block":       {calls: []func() ([]byte, error){answer(me)}, ours: true},
		"ours now":                {calls: []func() ([]byte, error){answer(seller), answer(me)}, ours: true},
		"ours, of a pruned node":  {calls: []func() ([]byte, error){fails(pruned), answer(me)}, ours: true},
		"nobody's":                {calls: []func() ([]byte, error){fails(&chain.RevertError{}), fails(&chain.RevertError{})}},
		"not there yet, and ours": {calls: []func() ([]byte, error){fails(&chain.RevertError{}), answer(me)}, ours: true},
		"nobody can say":          {calls: []func() ([]byte, error){fails(away)}, err: away},
		"nobody can say of now":   {calls: []func() ([]byte, error){answer(seller), fails(away)}, err: away},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			q := w.simulated()
			if _, err := w.service().Buy(t.Context(), nft.BuyIn{Quote: q.QuoteID, Execute: true, Confirm: phrase}); err != nil {
				t.Fatal(err)
			}
			kept, err := w.sent[0].Intent.Story.Context()
			if err != nil {
				t.Fatal(err)
			}
			restored, err := nft.Restore(fakeChain{w}, kept)
			if err != nil {
				t.Fatal(err)
			}
			again, ok := restored.(chain.Contradicter)
			if !ok {
				t.Fatal("the story contradicts nobody")
			}
			w.call = func(chain.CallMsg) ([]byte, error, bool) {
				next := tt.calls[0]
				tt.calls = tt.calls[1:]
				out, err := next()
				return out, err, true
			}
			why, err := again.Contradicts(t.Context(), chain.TxInfo{}, chain.Receipt{Block: 42, GasUsed: 21_000, GasPrice: units.FromUint64(1)})
			if (why != "") != tt.ours || !errors.Is(err, tt.err) || len(tt.calls) != 0 {
				t.Errorf("%q, %v, %d calls left", why, err, len(tt.calls))
			}
		})
	}
}
