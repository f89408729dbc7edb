package adversary_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/big"
	"math/rand/v2"
	"time"

	"github.com/ape-claw/ape-claw/nft"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// mutant is one lie, or several at once.
type mutant struct {
	number int
	class  string
	name   string
	lies   []mutation
	plan   func(c *cast) *proposal // what listing and fulfilment are made from, if not the sandbox's
	node   bool                    // the node lies: the outcome may be hidden
	gone   bool                    // the quoted order is said to be gone: another for the same may replace it
}

// kind is how a mutant ended.
type kind int

const (
	bought kind = iota
	refused
	hidden // not known at first, settled right later
	wrong
	failed // the quoted purchase, signed because a node helped, and it failed on the chain: only gas was paid
)

// ending is what came of a mutant.
type ending struct {
	kind    kind
	note    string // the code of the refusal, or what is wrong
	changed bool   // a lie was told: an answer differed from the honest one
}

// story is one run, as it is judged.
type story struct {
	*lane
	m       *mutant
	c       *cast
	before  balance
	rows    [2]int64 // the last rows of tx and spend before
	quote   nft.QuoteOut
	quoted  bool
	simFee  *big.Int // the fee limit that the simulation foresaw
	out     nft.BuyOut
	err     error
	fillers *big.Int // what the harness itself paid from the account
	back    *big.Int // what of the price went to the buyer: a seller may sign that
}

type balance struct {
	wei   *big.Int
	nonce uint64
}

func (l *lane) balance(ctx context.Context) (balance, error) {
	c := l.world.Client()
	wei, err := c.BalanceAt(ctx, l.buyer.Address(), nil)
	if err != nil {
		return balance{}, err
	}
	n, err := c.NonceAt(ctx, l.buyer.Address(), nil)
	return balance{wei, n}, err
}

// chance is the mutant's own source of random choices.
func chance(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	h.Write(b[:])
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), seed))
}

// waitFor is how long a purchase waits for its receipt when the node lies. It is no
// bound on anything: what is not known then is settled later.
const waitFor = 300 * time.Millisecond

// run plays one mutant and judges it.
func (l *lane) run(ctx context.Context, m *mutant) (ending, error) {
	if l.db == nil {
		if err := l.open(ctx); err != nil {
			return ending{}, err
		}
	}
	for l.order == nil || l.near.Slug != l.order.Slug {
		o, err := l.list()
		if err != nil {
			return ending{}, err
		}
		if l.order == nil && l.near.Slug != o.Slug {
			l.near = o
			continue
		}
		l.order = &o
	}
	home, _ := l.world.Demo().Collection(l.order.Slug)
	c := &cast{
		stage: l.stage, buyer: l.buyer, attacker: l.attacker, thief: l.thief, home: home, other: l.other, order: *l.order, near: l.near,
		junk: l.junk, rng: chance(*seed, m.name),
	}
	c.raw = func() []byte { return l.cur.raws[len(l.cur.raws)-1] } // asked for under the lock, while it is being sent
	if m.plan != nil {
		c.planned = m.plan(c)
	}
	s := &story{lane: l, m: m, c: c, fillers: new(big.Int), back: new(big.Int)}
	var err error
	if s.before, err = l.balance(ctx); err != nil {
		return ending{}, err
	}
	if err := l.money.QueryRowContext(ctx, `SELECT coalesce(max(rowid), 0), (SELECT coalesce(max(rowid), 0) FROM spend) FROM tx`).Scan(&s.rows[0], &s.rows[1]); err != nil {
		return ending{}, err
	}
	l.cur.mu.Lock()
	l.cur.m, l.cur.c, l.cur.phase, l.cur.seen, l.cur.changed, l.cur.raws = m, c, always, map[string]int{}, 0, nil
	l.cur.mu.Unlock()
	l.signer.take()
	s.play(ctx)
	l.cur.mu.Lock()
	l.cur.m = nil
	changed := l.cur.changed > 0
	l.cur.mu.Unlock()
	e, err := s.judge(ctx)
	e.changed = changed
	return e, err
}

// play is what somebody does who wants the token: quote, simulate, and buy, whatever
// the simulation said.
func (s *story) play(ctx context.Context) {
	wait := patience
	if s.m.node {
		wait = waitFor
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Two seconds after it was sent to a node that lies they lose patience, and
	// interrupt it as at a terminal.
	interrupt := time.AfterFunc(5*patience, cancel)
	defer interrupt.Stop()
	s.cur.mu.Lock()
	s.cur.onSent = func() {
		if s.m.node {
			interrupt.Reset(2 * time.Second)
		}
	}
	s.cur.mu.Unlock()
	p, err := s.process(ctx, wait, false)
	if err != nil {
		s.err = err
		return
	}
	defer p.client.Close()
	s.quote, s.err = p.Quote(ctx, nft.QuoteIn{Collection: s.c.order.Slug, TokenID: s.c.order.TokenID.String(), MaxPrice: maxPrice, Currency: "APE"})
	if s.err != nil {
		return
	}
	s.quoted = true
	s.cur.enter(atTrial)
	sim, err := p.Simulate(ctx, nft.SimulateIn{Quote: s.quote.QuoteID})
	if err == nil {
		s.simFee = sim.FeeWei.Big()
	}
	s.cur.enter(atBuy)
	q, err := s.process(ctx, wait, false) // the purchase is a process of its own
	if err != nil {
		s.err = err
		return
	}
	defer q.client.Close()
	s.out, s.err = q.Buy(ctx, nft.BuyIn{Quote: s.quote.QuoteID, Execute: true,
		Confirm: fmt.Sprintf("BUY %s #%s %s APE", s.quote.Collection, s.quote.TokenID, s.quote.PriceApe)})
}

// codeOf is the code of a refusal, in one word.
func codeOf(err error) string {
	if err == nil {
		return "ok"
	}
	return string(fault.CodeOf(err))
}
