package opensea

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/ape-claw/ape-claw/nft/seaport"
	"github.com/ape-claw/ape-claw/sandbox/contracts"
	"github.com/ape-claw/ape-claw/sandbox/demo"
)

// Status is an order's status, in the marketplace's words.
type Status string

// The statuses of the published API.
const (
	Active    Status = "ACTIVE"
	Inactive  Status = "INACTIVE" // the seller has not the token, or Seaport no right to move it
	Fulfilled Status = "FULFILLED"
	Expired   Status = "EXPIRED"
	Cancelled Status = "CANCELLED"
)

// maxLogBlocks is how many blocks are searched for what changed. After a longer
// gap every order is looked at again.
const maxLogBlocks = 256

// Chain is what the marketplace reads from the chain.
type Chain interface {
	Client() *ethclient.Client
	Head() *types.Header
}

// Book holds the orders and knows from the chain which can still be bought:
// its logs say which orders to look at again, its state says what they are.
type Book struct {
	chain  Chain
	client *ethclient.Client
	now    func() time.Time
	nft    *contracts.DemoCollection

	mu      sync.Mutex // held over the calls that bring the book up to date
	entries []*entry   // in the order they were added; the index is the sequence
	byHash  map[common.Hash]*entry
	tokens  []common.Address
	seen    *types.Header // the head that the statuses are of
}

type entry struct {
	demo.Order
	seq    int
	status Status // as far as the chain's state goes: not Expired
	stale  bool   // status has to be read again
}

// newBook returns a book of the world's orders. In its genesis all of them can
// be bought, so that only what happened since then has to be looked at.
func newBook(ctx context.Context, chain Chain, orders []demo.Order, now func() time.Time) (*Book, error) {
	b := &Book{
		chain: chain, client: chain.Client(), now: now, nft: contracts.NewDemoCollection(),
		byHash: map[common.Hash]*entry{},
	}
	genesis, err := b.client.HeaderByNumber(ctx, new(big.Int))
	if err != nil {
		return nil, fmt.Errorf("genesis: %w", err)
	}
	b.seen = genesis
	for _, o := range orders {
		b.add(entry{Order: o, status: Active})
	}
	return b, nil
}

// Add puts an order into the book.
func (b *Book) Add(o demo.Order) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(entry{Order: o, stale: true})
}

// add is Add without the lock.
func (b *Book) add(e entry) {
	o := e.Order
	if b.byHash[o.Hash] != nil {
		return
	}
	e.seq = len(b.entries)
	b.entries = append(b.entries, &e)
	b.byHash[o.Hash] = &e
	if !slices.Contains(b.tokens, o.Token) {
		b.tokens = append(b.tokens, o.Token)
	}
}

// Listed is an order and its status now.
type Listed struct {
	demo.Order
	Seq    int // grows with each order added
	Status Status
}

// Orders returns a collection's orders in the sequence they were added.
func (b *Book) Orders(ctx context.Context, slug string) ([]Listed, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refresh(ctx); err != nil {
		return nil, err
	}
	var out []Listed
	for _, e := range b.entries {
		if e.Slug == slug {
			out = append(out, Listed{e.Order, e.seq, b.statusNow(e)})
		}
	}
	return out, nil
}

// Find returns one order by its hash.
func (b *Book) Find(ctx context.Context, hash common.Hash) (l Listed, ok bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refresh(ctx); err != nil {
		return Listed{}, false, err
	}
	e := b.byHash[hash]
	if e == nil {
		return Listed{}, false, nil
	}
	return Listed{e.Order, e.seq, b.statusNow(e)}, true, nil
}

// Time returns the later of local time and the head's, in Unix seconds.
func (b *Book) Time() int64 {
	return max(b.now().Unix(), int64(b.chain.Head().Time))
}

// statusNow adds what time alone decides. The caller holds mu.
func (b *Book) statusNow(e *entry) Status {
	now := big.NewInt(b.Time())
	switch {
	case e.status != Active:
		return e.status
	case e.Components.EndTime.Cmp(now) <= 0:
		return Expired
	case e.Components.StartTime.Cmp(now) > 0:
		return Inactive
	}
	return Active
}

// refresh brings the statuses up to the head. The caller holds mu.
func (b *Book) refresh(ctx context.Context) error {
	head := b.chain.Head()
	if err := b.markStale(ctx, head); err != nil {
		return err
	}
	sellers := map[[2]common.Address]sellerState{}
	for _, e := range b.entries {
		if !e.stale {
			continue
		}
		status, err := b.read(ctx, e, sellers)
		if err != nil {
			return fmt.Errorf("status of order %s: %w", e.Hash, err)
		}
		e.status, e.stale = status, false
	}
	b.seen = head
	return nil
}

// markStale finds the orders that something happened to since the last look.
func (b *Book) markStale(ctx context.Context, head *types.Header) error {
	if b.seen.Hash() == head.Hash() {
		return nil
	}
	logs, ok, err := b.changes(ctx, head)
	if err != nil {
		return err
	}
	for _, e := range b.entries {
		if !ok || slices.ContainsFunc(logs, func(l types.Log) bool { return concerns(l, e) }) {
			e.stale = true
		}
	}
	return nil
}

// changes returns the logs since the last look; ok is false when they don't
// tell the whole story: after a long gap, and after a reorganisation.
func (b *Book) changes(ctx context.Context, head *types.Header) (logs []types.Log, ok bool, err error) {
	if head.Number.Cmp(b.seen.Number) <= 0 ||
		head.Number.Uint64()-b.seen.Number.Uint64() > maxLogBlocks {
		return nil, false, nil
	}
	was, err := b.client.HeaderByNumber(ctx, b.seen.Number)
	if err != nil || was.Hash() != b.seen.Hash() {
		return nil, false, err
	}
	logs, err = b.client.FilterLogs(ctx, ethereum.FilterQuery{
		FromBlock: new(big.Int).Add(b.seen.Number, big.NewInt(1)), ToBlock: head.Number,
		Addresses: append([]common.Address{seaport.Address}, b.tokens...),
	})
	return logs, err == nil, err
}

// concerns reports whether a log may change an order's status. Events are told
// apart by their number of topics, which differs where it matters: one that is
// taken for another costs a look, and leads to no wrong status.
func concerns(l types.Log, e *entry) bool {
	seller := common.BytesToHash(e.Components.Offerer.Bytes())
	switch {
	case l.Address == seaport.Address && len(l.Topics) == 2: // CounterIncremented(newCounter, offerer)
		return l.Topics[1] == seller
	case l.Address == seaport.Address: // OrderFulfilled(orderHash, …), OrderCancelled(orderHash, …)
		return len(l.Data) >= 32 && common.BytesToHash(l.Data[:32]) == e.Hash
	case l.Address != e.Token:
		return false
	case len(l.Topics) == 3: // ApprovalForAll(owner, operator, approved)
		return l.Topics[1] == seller
	}
	return len(l.Topics) == 4 && l.Topics[3] == common.BigToHash(e.TokenID) // Transfer(from, to, tokenId)
}

// sellerState is what holds for all orders of one seller and one contract.
type sellerState struct {
	counter  *big.Int
	approved bool
}

// read asks the chain for an order's status.
func (b *Book) read(ctx context.Context, e *entry, sellers map[[2]common.Address]sellerState) (Status, error) {
	sp := seaport.Contract()
	out, err := b.call(ctx, seaport.Address, sp.PackGetOrderStatus(e.Hash))
	if err != nil {
		return "", err
	}
	order, err := sp.UnpackGetOrderStatus(out)
	if err != nil {
		return "", err
	}
	seller, err := b.seller(ctx, e, sellers)
	if err != nil {
		return "", err
	}
	switch {
	case order.IsCancelled || seller.counter.Cmp(e.Components.Counter) != 0:
		return Cancelled, nil
	case order.TotalSize.Sign() > 0 && order.TotalFilled.Cmp(order.TotalSize) >= 0:
		return Fulfilled, nil
	case !seller.approved:
		return Inactive, nil
	}
	if out, err = b.call(ctx, e.Token, b.nft.PackOwnerOf(e.TokenID)); err != nil {
		return "", err
	}
	owner, err := b.nft.UnpackOwnerOf(out)
	if err != nil {
		return "", err
	}
	if owner != e.Components.Offerer {
		return Inactive, nil
	}
	return Active, nil
}

func (b *Book) seller(ctx context.Context, e *entry, known map[[2]common.Address]sellerState) (sellerState, error) {
	offerer := e.Components.Offerer
	key := [2]common.Address{offerer, e.Token}
	if s, ok := known[key]; ok {
		return s, nil
	}
	sp := seaport.Contract()
	out, err := b.call(ctx, seaport.Address, sp.PackGetCounter(offerer))
	if err != nil {
		return sellerState{}, err
	}
	var s sellerState
	if s.counter, err = sp.UnpackGetCounter(out); err != nil {
		return sellerState{}, err
	}
	if out, err = b.call(ctx, e.Token, b.nft.PackIsApprovedForAll(offerer, seaport.Address)); err != nil {
		return sellerState{}, err
	}
	if s.approved, err = b.nft.UnpackIsApprovedForAll(out); err != nil {
		return sellerState{}, err
	}
	known[key] = s
	return s, nil
}

func (b *Book) call(ctx context.Context, to common.Address, data []byte) ([]byte, error) {
	return b.client.CallContract(ctx, ethereum.CallMsg{To: &to, Data: data}, nil)
}
