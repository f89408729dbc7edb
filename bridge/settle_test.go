package bridge_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
)

// shown is what a chain has of one transaction, and of the account around it.
type shown struct {
	there, ok bool
	to        common.Address
	value     uint64
	age       time.Duration // before the deposit
	reorged   bool          // its receipt is of a block that is not the chain's
	rise      uint64        // of the account's balance in its block
	token     uint64        // that the token's own contract says came to the account
	forged    uint64        // that another contract says so
}

// fakeNode is a chain whose state is a list of transactions.
type fakeNode struct {
	txs map[common.Hash]shown
	at  time.Time
	bridge.Node
}

const someBlock = 100

func (n fakeNode) Receipt(_ context.Context, hash common.Hash) (chain.Receipt, bool, error) {
	s, ok := n.txs[hash]
	if !ok || !s.there {
		return chain.Receipt{}, false, nil
	}
	r := chain.Receipt{TxHash: hash, Block: someBlock, BlockHash: common.Hash{1}, Success: s.ok}
	if s.reorged {
		r.BlockHash = common.Hash{2}
	}
	transfer := func(at common.Address, n uint64) {
		if n > 0 {
			r.Logs = append(r.Logs, &types.Log{Address: at, Topics: []common.Hash{crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)")), {3}, common.BytesToHash(owner[:])},
				Data: common.LeftPadBytes(new(big.Int).SetUint64(n).Bytes(), 32)})
		}
	}
	transfer(usdc, s.token)
	transfer(common.Address{9}, s.forged)
	return r, true, nil
}

func (n fakeNode) HeaderAt(context.Context, uint64) (chain.Header, bool, error) {
	for _, s := range n.txs { // the ages of one scenario are one
		return chain.Header{Hash: common.Hash{1}, Time: uint64(n.at.Add(-s.age).Unix())}, true, nil
	}
	return chain.Header{}, false, nil
}

func (n fakeNode) Payment(_ context.Context, hash common.Hash) (common.Address, units.Wei, bool, error) {
	s := n.txs[hash]
	return s.to, units.FromUint64(s.value), s.there, nil
}

func (n fakeNode) BalanceAt(_ context.Context, _ common.Address, block uint64) (units.Wei, error) {
	if block == someBlock {
		for _, s := range n.txs {
			return units.FromUint64(1_000_000 + s.rise), nil
		}
	}
	return units.FromUint64(1_000_000), nil
}

// claiming is a bridge that says one thing.
type claiming struct {
	bridge.Relay
	claim bridge.Claim
}

func (c claiming) Status(context.Context, string) (bridge.Claim, error) { return c.claim, nil }

// once is a log that keeps lines.
type once struct{ lines []string }

func (o *once) Encode(d telemetry.Draft) ([]byte, error) { return json.Marshal(d) }
func (o *once) AppendOnce(_ context.Context, line []byte) error {
	for _, l := range o.lines {
		if l == string(line) {
			return nil
		}
	}
	o.lines = append(o.lines, string(line))
	return nil
}

var usdc = common.HexToAddress("0x00000000000000000000000000000000000000cc")

// TestOnlyTheChainEndsIt: whatever a bridge claims of a transfer, and whatever stands on
// the chains, it is an end only when a transaction of the right chain that is new, that
// stands, and that no other transfer was settled by brought the account the funds.
func TestOnlyTheChainEndsIt(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 8))
	pick := func(n int) bool { return rnd.IntN(n) == 0 }
	seen := map[string]int{}
	db := openStore(t, t.TempDir())
	for i := range 3000 {
		now := time.UnixMilli(1_790_000_000_000)
		id, tx := fmt.Sprintf("0x%064x", 1+i), common.BigToHash(big.NewInt(int64(1_000_000+i)))
		token := pick(2)
		r := bridge.Request{RequestID: id, From: "ethereum", To: "apechain", FromChain: 1, ToChain: 33139, Token: "ETH", Amount: "0.00000000000001", AmountBaseUnits: units.FromUint64(10_000),
			In: bridge.Currency{ChainID: 1, Symbol: "ETH", Decimals: 18}, Out: bridge.Currency{ChainID: 33139, Symbol: "APE", Decimals: 18}, MinAmountOut: units.FromUint64(9_000),
			AmountOut: units.FromUint64(9_500), Account: strings.ToLower(owner.Hex()), Depository: strings.ToLower(depository.Hex()), Status: bridge.StatusQuoted, CreatedAt: now, ExpiresAt: now}
		if token {
			r.In = bridge.Currency{ChainID: 1, Address: usdc, Symbol: "USDC", Decimals: 6}
			r.Amount = "0.01"
		}
		if err := db.Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		s := shown{there: !pick(4), ok: !pick(4), reorged: pick(6), forged: 9_500 * uint64(rnd.IntN(2)), value: []uint64{0, 8_999, 9_000, 9_500, 20_000}[rnd.IntN(5)]}
		s.to = []common.Address{owner, depository, {7}}[rnd.IntN(3)]
		s.rise, s.token = []uint64{0, 8_999, 9_500}[rnd.IntN(3)], []uint64{0, 1, 10_000}[rnd.IntN(3)]
		if pick(4) {
			s.age = time.Hour
		}
		if pick(5) && i > 0 { // one that settled another transfer
			tx = common.BigToHash(big.NewInt(int64(1_000_000 + rnd.IntN(i))))
		}
		here, there := fakeNode{txs: map[common.Hash]shown{}, at: now}, fakeNode{txs: map[common.Hash]shown{}, at: now}
		onDestination := pick(2)
		if onDestination {
			there.txs[tx] = s
		} else {
			here.txs[tx] = s
		}
		claim := bridge.Claim{Word: "w", Outcome: []bridge.Outcome{bridge.UnderWay, bridge.SaysArrived, bridge.SaysRefunded, bridge.SaysFailed}[rnd.IntN(4)]}
		if !pick(5) {
			claim.OutTx = []string{tx.Hex()}
		}
		if pick(3) {
			claim.InTx = []string{common.Hash{5}.Hex()}
		}
		if pick(6) {
			claim.InTx = []string{common.Hash{6}.Hex()} // of another deposit
		}
		state := []string{chain.StateConfirmed, chain.StateConfirmed, chain.StateConfirmed, chain.StateReverted, chain.StateUnknown, "none"}[rnd.IntN(6)]
		log := &once{}
		svc := bridge.New(bridge.Deps{
			Now: func() time.Time { return now }, Recorder: &recorded{}, State: func(context.Context) (*sql.DB, error) { return db.DB, nil },
			Relay: func(context.Context) (bridge.Relay, error) { return claiming{claim: claim}, nil },
			Fence: func(context.Context) (policy.Fence, error) { return policy.Fence{}, nil },
			Node: func(_ context.Context, id int64) (bridge.Node, error) {
				if id == 1 {
					return here, nil
				}
				return there, nil
			},
			Journal: func(context.Context, string) (chain.OpenTx, bool, error) {
				return chain.OpenTx{State: state, Hash: common.Hash{5}.Hex(), Created: now}, state != "none", nil
			},
			Lines: func(string) (bridge.Lines, error) { return log, nil }, Lock: func(context.Context) (func(), error) { return func() {}, nil },
		})
		taken := seen[tx.Hex()] > 0
		out, err := svc.Status(t.Context(), bridge.StatusIn{Request: id})
		if err != nil {
			t.Fatal(err)
		}
		// The oracle, from the scenario alone.
		about := len(claim.InTx) == 0 || claim.InTx[0] == common.Hash{5}.Hex()
		stands := s.there && s.ok && !s.reorged && s.age == 0 && !taken && len(claim.OutTx) > 0 && about && state == chain.StateConfirmed
		native := s.rise
		if s.to == owner {
			native = s.value
		}
		arrived, back := uint64(0), uint64(0)
		if stands && onDestination {
			arrived = native
		}
		if stands && !onDestination {
			if back = native; token {
				back = s.token
			}
		}
		want := bridge.StatusPending
		switch {
		case state == "none":
			want = bridge.StatusQuoted
		case state == chain.StateReverted:
			want = bridge.StatusFailed
		case state != chain.StateConfirmed || !about:
		case claim.Outcome == bridge.SaysArrived && arrived >= 9_000:
			want = bridge.StatusCompleted
		case claim.Outcome == bridge.SaysArrived && arrived > 0, claim.Outcome == bridge.SaysFailed && back == 0:
			want = bridge.StatusFailed
		case (claim.Outcome == bridge.SaysRefunded || claim.Outcome == bridge.SaysFailed) && back > 0:
			want = bridge.StatusRefunded
		}
		if out.Status != want {
			t.Fatalf("scenario %d: %s, want %s: %+v, %+v, on the other chain %t, taken %t, deposit %s, token %t", i, out.Status, want, claim, s, onDestination, taken, state, token)
		}
		ends := 0
		if want != bridge.StatusPending && want != bridge.StatusQuoted && state == chain.StateConfirmed {
			ends = 1
		}
		// Asked again it says the same, and tells nothing twice.
		if again, err := svc.Status(t.Context(), bridge.StatusIn{Request: id}); err != nil || want != bridge.StatusFailed && again.Status != want {
			t.Fatalf("scenario %d, again: %s %v", i, again.Status, err)
		}
		if len(log.lines) != ends {
			t.Fatalf("scenario %d: %d lines are told of an end: %q", i, len(log.lines), log.lines)
		}
		if out.DestinationTxHash != "" {
			seen[tx.Hex()]++
		}
	}
}
