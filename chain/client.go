// Package chain talks to EVM nodes and is the only package that touches a
// user's key: the RPC client, the signers, the transaction journal, and the one
// sender of an account, which signs nothing that policy did not grant.
package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const (
	// DefaultTimeout bounds one call to a node.
	DefaultTimeout = 10 * time.Second
	// MaxResponse is the largest answer that is read from a node, in bytes.
	MaxResponse = 8 << 20
	// retryPause is how long a read that failed waits before its second try.
	retryPause = 150 * time.Millisecond
)

// DialOptions configure a Client.
type DialOptions struct {
	Transport   http.RoundTripper // nil: a new http.Transport
	Timeout     time.Duration     // of one call; 0: DefaultTimeout
	WantChainID int64             // 0: any chain
	NoRetry     bool              // a read that fails is not tried a second time
	// Passed, if set, is told when reads go on at another of several nodes, and why.
	Passed func(from, to, why string)
}

// Client reads from and broadcasts to a node over HTTP JSON-RPC, or to the first of
// several that works (ring). The first call asks for the chain id: every method of a client that reached another
// chain than the wanted one fails with fault.ChainMismatch. Other failures of
// the node are fault.Upstream, whose text never holds the URL's user, query or
// path. A Client may be used by several goroutines at once.
type Client struct {
	rpc   *rpc.Client
	at    endpoint
	opt   DialOptions
	guard *guard
	ring  *ring // of several nodes, the first of which this is; nil: the only one

	mu      sync.Mutex
	chainID int64 // what the node said; 0: not asked yet
}

// Dial prepares a client for rawURL (http or https), or for several, separated by
// commas, which need a wanted chain. It sends nothing: the first call connects. A URL
// that can't be used is a fault.Usage.
func Dial(ctx context.Context, rawURL string, opt DialOptions) (*Client, error) {
	urls := SplitURLs(rawURL)
	c, err := dialOne(ctx, urls[0], opt)
	if err != nil || len(urls) == 1 {
		return c, err
	}
	return c, c.join(ctx, urls[1:], opt)
}

func dialOne(ctx context.Context, rawURL string, opt DialOptions) (*Client, error) {
	at, err := parseEndpoint(rawURL)
	if err != nil {
		return nil, err
	}
	if opt.Timeout <= 0 {
		opt.Timeout = DefaultTimeout
	}
	g := newGuard(opt.Transport, MaxResponse)
	hc := &http.Client{
		Transport: g,
		// A redirect would carry the call, and a key in its path, to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	rc, err := rpc.DialOptions(ctx, rawURL, rpc.WithHTTPClient(hc))
	if err != nil {
		return nil, fault.New(fault.Usage, "RPC URL %s can't be used", at.shown)
	}
	return &Client{rpc: rc, at: at, opt: opt, guard: g}, nil
}

// Close drops idle connections.
func (c *Client) Close() {
	for _, n := range c.nodes() {
		n.rpc.Close()
		n.guard.closeIdle()
	}
}

// String returns the node's address without anything secret.
func (c *Client) String() string { return c.live().at.shown }

// ChainID returns the chain id the node answered, asked once a client. It is
// checked against the wanted one.
func (c *Client) ChainID(ctx context.Context) (int64, error) {
	if c.ring != nil {
		return c.opt.WantChainID, c.ring.first(ctx)
	}
	return c.knownChain(ctx)
}

// knownChain is ChainID of this node alone.
func (c *Client) knownChain(ctx context.Context) (int64, error) {
	c.mu.Lock()
	known := c.chainID
	c.mu.Unlock()
	if known == 0 {
		return c.askChain(ctx)
	}
	return known, c.match(known)
}

// CheckChain asks the node for its chain id anew and checks it: a sender calls
// it before every signature, since a proxy may change the node behind a URL. Of
// several nodes it asks the one that reads come from, and no other in its place: what
// was read from a node on another chain must not be signed for this one.
func (c *Client) CheckChain(ctx context.Context) (int64, error) {
	if c.ring != nil {
		if err := c.ring.first(ctx); err != nil {
			return 0, err
		}
	}
	return c.live().askChain(ctx)
}

func (c *Client) askChain(ctx context.Context) (int64, error) {
	var id hexutil.Uint64
	if err := c.try(ctx, &id, "eth_chainId"); err != nil {
		return 0, err
	}
	if id == 0 || uint64(id) > 1<<62 {
		return 0, c.garbage("eth_chainId", fmt.Errorf("chain id %d", uint64(id)))
	}
	got := int64(id)
	c.mu.Lock()
	c.chainID = got
	c.mu.Unlock()
	return got, c.match(got)
}

func (c *Client) match(got int64) error {
	if c.opt.WantChainID == 0 || got == c.opt.WantChainID {
		return nil
	}
	return fault.New(fault.ChainMismatch, "the RPC at %s answers for chain %d, expected chain %d", c.at.shown, got, c.opt.WantChainID).
		Hintf("set the RPC URL of chain %d (RPC_URL_%d), then run ape-claw doctor", c.opt.WantChainID, c.opt.WantChainID).
		WithSent(fault.SentNo).With("got", got).With("want", c.opt.WantChainID)
}

// read makes a call that changes nothing: after the chain id was checked, and
// with a second try when the first failed on the way.
func (c *Client) read(ctx context.Context, result any, method string, args ...any) error {
	if c.ring != nil {
		return c.ring.read(ctx, result, method, args...)
	}
	if _, err := c.knownChain(ctx); err != nil {
		return err
	}
	return c.try(ctx, result, method, args...)
}

// try calls once and, if that failed on the way and not by the node's answer,
// once more.
func (c *Client) try(ctx context.Context, result any, method string, args ...any) error {
	err := c.once(ctx, result, method, args...)
	if err == nil || c.opt.NoRetry || ctx.Err() != nil || !passing(err) {
		return err
	}
	timer := time.NewTimer(retryPause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return err
	case <-timer.C:
	}
	return c.once(ctx, result, method, args...)
}

// passing reports whether a failure may pass by itself.
func passing(err error) bool {
	var node *NodeError
	if errors.As(err, &node) {
		return node.Class == ClassRateLimited || node.Class == ClassTimeout
	}
	return fault.CodeOf(err) == fault.Upstream
}

// once makes one call under its own deadline. A revert is a *RevertError;
// everything else is a fault that is safe to show.
func (c *Client) once(ctx context.Context, result any, method string, args ...any) error {
	call, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	// Nothing of an answer that could not be read to its end joins the next one.
	reflect.ValueOf(result).Elem().SetZero()
	err := c.rpc.CallContext(call, result, method, args...)
	if err == nil {
		return nil
	}
	// Only an interrupt of the whole command is "canceled": a deadline, ours or
	// the command's, is a node that does not answer.
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	if call.Err() != nil {
		return fault.Wrap(call.Err(), fault.Upstream, "the RPC at %s did not answer %s in time", c.at.shown, method).
			Hintf("check the RPC URL, then run ape-claw doctor").WithSent(fault.SentNo)
	}
	return c.failed(method, err)
}

// failed turns an error of the rpc package into ours.
func (c *Client) failed(method string, err error) error {
	var status rpc.HTTPError
	if errors.As(err, &status) {
		if node := nodeErrorIn(status.Body); node != nil {
			err = node
		} else {
			return c.status(method, status.StatusCode)
		}
	}
	var answer rpc.Error
	if errors.As(err, &answer) {
		return c.answered(method, answer)
	}
	if notJSON(err) {
		return c.garbage(method, err)
	}
	return fault.Wrap(withoutURL(err), fault.Upstream, "the RPC at %s can't be reached: %s", c.at.shown, c.at.hide(reasonOf(err))).
		Hintf("check the RPC URL and the network, then run ape-claw doctor").WithSent(fault.SentNo)
}

// answered turns a JSON-RPC error answer into a RevertError or an upstream fault
// around a NodeError.
func (c *Client) answered(method string, answer rpc.Error) error {
	node := &NodeError{Method: method, Code: answer.ErrorCode(), Message: printable(c.at.hide(answer.Error()))}
	node.Class = classify(node.Code, node.Message)
	// Of a call that runs nothing, a revert is junk like any other.
	if r := revertOf(answer, node.Class); r != nil && executes(method) {
		return r
	}
	e := fault.Wrap(node, fault.Upstream, "the RPC at %s refused %s: %s", c.at.shown, method, node.Message).WithSent(fault.SentNo)
	if node.Class == ClassRateLimited {
		e.Hintf("wait a minute, or use another RPC URL")
	}
	return e
}

// executes reports whether a node runs code to answer a method.
func executes(method string) bool {
	return method == "eth_call" || method == "eth_estimateGas" || method == "eth_sendRawTransaction"
}

func (c *Client) status(method string, code int) error {
	e := fault.New(fault.Upstream, "the RPC at %s answered %s with HTTP status %d", c.at.shown, method, code).
		WithSent(fault.SentNo).With("status", code)
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return e.Hintf("check the key in the RPC URL")
	case code == http.StatusTooManyRequests:
		e.Err = &NodeError{Method: method, Code: code, Message: "too many requests", Class: ClassRateLimited}
		return e.Hintf("wait a minute, or use another RPC URL")
	case code >= 300 && code < 400:
		return e.Hintf("redirects are not followed: set the RPC URL it points to")
	}
	return e.Hintf("try again, or use another RPC URL")
}

// garbage is the fault for an answer that is not what the protocol says.
func (c *Client) garbage(method string, err error) error {
	c = c.live()
	return fault.Wrap(withoutURL(err), fault.Upstream, "the RPC at %s answered %s with something that is not JSON-RPC (%s)", c.at.shown, method, c.at.hide(reasonOf(err))).
		Hintf("check that the RPC URL is an Ethereum JSON-RPC endpoint").WithSent(fault.SentNo)
}

// notJSON reports whether err says that the answer was read and made no sense.
func notJSON(err error) bool {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &typ) || errors.Is(err, errGarbage) || errors.Is(err, rpc.ErrNoResult) || isHexError(err) || isEOF(err)
}
