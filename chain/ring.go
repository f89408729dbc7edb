package chain

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// ring is several nodes of one chain. Reads come from one of them, the first at the
// beginning, until it fails or answers for another chain: then from the next that
// works. What was sent stays with the node that was given it: that another has not
// heard of it yet says nothing.
type ring struct {
	nodes []*Client

	mu  sync.Mutex
	at  int                     // whose turn it is
	via map[common.Hash]*Client // who was given a transaction
}

const (
	// mostNodes bounds a list of URLs.
	mostNodes = 8
	// passAfter is how long a node may take before the next one is asked.
	passAfter = 2 * time.Second
)

// SplitURLs returns the URLs of a list that is separated by commas, one at least. A
// comma within a URL separates nothing.
func SplitURLs(list string) []string {
	var out []string
	for _, part := range strings.Split(list, ",") {
		trimmed := strings.TrimSpace(part)
		if len(out) > 0 && !strings.Contains(trimmed, "://") {
			out[len(out)-1] += "," + part
			continue
		}
		out = append(out, trimmed)
	}
	return out
}

// join makes c the first of several nodes.
func (c *Client) join(ctx context.Context, urls []string, opt DialOptions) error {
	if opt.WantChainID == 0 || len(urls) >= mostNodes {
		return fault.New(fault.Usage, "of several RPC URLs there may be %d, for a chain that is known", mostNodes).Hintf("name one, or fewer")
	}
	r := &ring{nodes: []*Client{c}, via: map[common.Hash]*Client{}}
	for _, u := range urls {
		n, err := dialOne(ctx, u, opt)
		if err != nil {
			return err
		}
		r.nodes = append(r.nodes, n)
	}
	// As a node c is like the others: one of its own, without the ring.
	r.nodes[0] = &Client{rpc: c.rpc, at: c.at, opt: c.opt, guard: c.guard}
	c.ring = r
	return nil
}

func (c *Client) nodes() []*Client {
	if c.ring == nil {
		return []*Client{c}
	}
	return c.ring.nodes
}

// live is the node that reads come from.
func (c *Client) live() *Client {
	if c.ring == nil {
		return c
	}
	c.ring.mu.Lock()
	defer c.ring.mu.Unlock()
	return c.ring.nodes[c.ring.at]
}

// sending is the node that is given a signed transaction, which is remembered.
func (c *Client) sending(raw []byte) *Client {
	n := c.live()
	if c.ring != nil {
		c.ring.mu.Lock()
		defer c.ring.mu.Unlock()
		c.ring.via[crypto.Keccak256Hash(raw)] = n
	}
	return n
}

// elsewhere reports whether another node may know better: this one failed, or is on
// another chain. A node's own answer, also that a call reverts, is an answer.
func elsewhere(err error) bool {
	return err != nil && (passing(err) || fault.CodeOf(err) == fault.ChainMismatch)
}

// first finds a node of the chain, if none was found yet.
func (r *ring) first(ctx context.Context) error {
	return r.turns(ctx, func(ctx context.Context, n *Client) error {
		_, err := n.knownChain(ctx)
		return err
	})
}

func (r *ring) read(ctx context.Context, result any, method string, args ...any) error {
	return r.turns(ctx, func(ctx context.Context, n *Client) error {
		if _, err := n.knownChain(ctx); err != nil {
			return err
		}
		return n.once(ctx, result, method, args...)
	})
}

// turns asks the node whose turn it is, then the others, each once, and after a pause
// once more. It returns the first node's error if all fail.
func (r *ring) turns(ctx context.Context, call func(context.Context, *Client) error) error {
	err := r.round(ctx, call)
	if err == nil || !passing(err) || ctx.Err() != nil || r.nodes[0].opt.NoRetry {
		return err
	}
	timer := time.NewTimer(retryPause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return err
	case <-timer.C:
	}
	return r.round(ctx, call)
}

func (r *ring) round(ctx context.Context, call func(context.Context, *Client) error) (first error) {
	r.mu.Lock()
	start := r.at
	r.mu.Unlock()
	for i := range r.nodes {
		at := (start + i) % len(r.nodes)
		err := r.ask(ctx, i == len(r.nodes)-1, r.nodes[at], call)
		if !elsewhere(err) {
			if i > 0 && ctx.Err() == nil {
				r.move(start, at, first)
			}
			return err
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return first
}

// ask gives a node that has others behind it less time: who waits wants an answer.
func (r *ring) ask(ctx context.Context, last bool, n *Client, call func(context.Context, *Client) error) error {
	if last {
		return call(ctx, n)
	}
	limit, cancel := context.WithTimeout(ctx, min(n.opt.Timeout, passAfter))
	defer cancel()
	return call(limit, n)
}

func (r *ring) move(from, to int, why error) {
	r.mu.Lock()
	moved := r.at == from
	if moved {
		r.at = to
	}
	r.mu.Unlock()
	if tell := r.nodes[0].opt.Passed; moved && tell != nil {
		tell(r.nodes[from].at.shown, r.nodes[to].at.shown, fault.From(why).Message)
	}
}

// readTx reads what a node knows of a transaction. The node that was given it is asked
// first. Another may know that it is there, and never that it is not.
func (c *Client) readTx(ctx context.Context, hash common.Hash, result any, there func() bool, method string) error {
	given := c.given(hash)
	if given == nil {
		return c.read(ctx, result, method, hash)
	}
	err := given.read(ctx, result, method, hash)
	if !elsewhere(err) {
		return err
	}
	for _, n := range c.nodes() {
		if n == given || ctx.Err() != nil {
			continue
		}
		if n.read(ctx, result, method, hash) == nil && there() {
			return nil
		}
	}
	return err
}

// given is who was given a transaction by this client; nil: nobody, or the only node.
func (c *Client) given(hash common.Hash) *Client {
	if c.ring == nil {
		return nil
	}
	c.ring.mu.Lock()
	defer c.ring.mu.Unlock()
	return c.ring.via[hash]
}
