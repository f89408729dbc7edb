package chain_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestCancelWhileWaiting: an interrupt stops the waiting and not the recording.
func TestCancelWhileWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	release := w.chain.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	r := w.open(t, "a", func(o *chain.SenderOptions) {
		o.Step = func(name string) {
			if name == "sent" {
				cancel()
			}
		}
	})
	out, err := r.buy(ctx, intent(w.sink, "k", "1"))
	wantFault(t, "interrupted", err, fault.TxUnknown, fault.SentYes)
	if fault.ExitCode(err) != 7 || !strings.Contains(fmt.Sprint(err), out.Tx.Hash.Hex()) || out.Tx.Hash == (common.Hash{}) {
		t.Errorf("exit %d, %v, %s", fault.ExitCode(err), err, out.Tx.Hash)
	}
	wantTrail(t, r, "a:submitted", "a:unknown")

	// Another process: the open transaction refuses everything else.
	next := w.open(t, "b", nil)
	open, err := chain.OpenTxs(t.Context(), next.db, time.Now)
	if err != nil || len(open) != 1 || open[0].Hash != out.Tx.Hash.Hex() || open[0].State != chain.StateUnknown {
		t.Errorf("open: %+v, %v", open, err)
	}
	_, err = next.buy(t.Context(), intent(w.sink, "k2", "1"))
	wantFault(t, "while it is open", err, fault.Conflict, fault.SentNo)
	if !strings.Contains(fmt.Sprint(err), out.Tx.Hash.Hex()) || !strings.Contains(fault.From(err).Hint, "nft resume") {
		t.Errorf("%v (%s)", err, fault.From(err).Hint)
	}
	_, err = next.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "the same key while it is open", err, fault.QuoteUsed, fault.SentNo)

	// Once it is mined the next run settles it, in the first run's name, and goes on.
	release()
	waitMined(t, w, out.Tx.Hash)
	if _, err = next.buy(t.Context(), intent(w.sink, "k2", "1")); err != nil {
		t.Errorf("after it was mined: %v", err)
	}
	wantTrail(t, r, "a:submitted", "a:unknown", "a:confirmed", "b:submitted", "b:confirmed")
	if got := w.balance(t, w.sink); got != ape(t, "2") {
		t.Errorf("the seller has %s, want 2", got.Decimal(18))
	}
}

func waitMined(t *testing.T, w *world, hash common.Hash) {
	t.Helper()
	eventually(t, "mining "+hash.Hex(), func() bool {
		r, err := w.chain.Client().TransactionReceipt(t.Context(), hash)
		return err == nil && r != nil
	})
}

// TestCancelBeforeBroadcast: bytes that never left are nothing sent.
func TestCancelBeforeBroadcast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, at := range []string{"locked", "intended", "signed", "persisted"} {
		ctx, cancel := context.WithCancel(t.Context())
		r := w.open(t, "a", func(o *chain.SenderOptions) {
			o.Step = func(name string) {
				if name == at {
					cancel()
				}
			}
		})
		_, err := r.buy(ctx, intent(w.sink, "k", "1"))
		wantFault(t, at, err, fault.Canceled, fault.SentNo)
		if u := r.usage(t); u.Open != 0 || !u.Total.IsZero() {
			t.Errorf("%s: %+v is still reserved", at, u)
		}
		var raw int
		if err := r.db.QueryRowContext(t.Context(), `SELECT count(*) FROM tx WHERE raw IS NOT NULL`).Scan(&raw); err != nil || raw != 0 {
			t.Errorf("%s: %d signed transactions are left, %v", at, raw, err)
		}
		wantTrail(t, r)
	}
	if n := w.nonce(t, w.open(t, "a", nil).Address()); n != 0 {
		t.Errorf("%d transactions were mined", n)
	}
}

// TestLostAnswer: the node took it, the answer was lost.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, forward func()) bool {
		if method == "eth_sendRawTransaction" {
			forward()
			rw.WriteHeader(http.StatusBadGateway)
			return true
		}
		return false
	})
	if _, err := r.buy(t.Context(), intent(w.sink, "k", "1")); err != nil {
		t.Errorf("a receipt that is there confirms it: %v", err)
	}
	wantTrail(t, r, "a:submitted", "a:confirmed")

	// The whole node is gone after the broadcast.
	r = w.open(t, "b", func(o *chain.SenderOptions) { o.Wait = 300 * time.Millisecond })
	gone := false
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, forward func()) bool {
		if method == "eth_sendRawTransaction" {
			forward()
			gone = true
		}
		if gone {
			rw.WriteHeader(http.StatusBadGateway)
		}
		return gone
	})
	_, err := r.buy(t.Context(), intent(w.sink, "k2", "1"))
	wantFault(t, "gone", err, fault.TxUnknown, fault.SentMaybe)
	if u := r.usage(t); u.Open != 2 {
		t.Errorf("%+v: the reservation must still count", u)
	}
	_, err = r.buy(t.Context(), intent(w.sink, "k3", "1"))
	wantFault(t, "still gone", err, fault.Upstream, fault.SentNo)
	w.proxy.set(nil)
	left, err := r.Recover(t.Context(), chainID)
	if err != nil || len(left) != 0 {
		t.Errorf("recover: %v, %v", left, err)
	}
	wantTrail(t, r, "a:submitted", "a:confirmed", "b:submitted", "b:unknown", "b:confirmed")
	if u := r.usage(t); u.Open != 0 {
		t.Errorf("%+v", u)
	}
	if got := w.balance(t, w.sink); got != ape(t, "2") {
		t.Errorf("the seller has %s, want 2", got.Decimal(18))
	}
}

// TestRefusedBroadcast: the node says in a known way that it took nothing. What
// it was given counts as spent, and the next try goes on.
func TestRefusedBroadcast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		name, message string
		forward       bool // the node has it all the same
		code          fault.Code
		sent          string
	}{
		{"insufficient funds", "insufficient funds for gas * price + value", false, fault.Upstream, fault.SentMaybe},
		{"intrinsic gas", "intrinsic gas too low", false, fault.Upstream, fault.SentMaybe},
		{"nonce too low, and not there", "nonce too low", false, fault.Upstream, fault.SentMaybe},
		{"rate limit", "too many requests", false, fault.Upstream, fault.SentMaybe},
		{"nonce too low, because it is there", "nonce too low: next nonce 1, tx nonce 0", true, "", ""},
		{"already known", "already known", true, "", ""},
		{"underpriced, and yet there", "replacement transaction underpriced", true, "", ""},
		{"an unknown kind", "the sequencer is having a bad day", false, fault.TxUnknown, fault.SentMaybe},
	} {
		r := w.open(t, "a", func(o *chain.SenderOptions) { o.Wait = 300 * time.Millisecond })
		w.proxy.set(func(_ int, method string, rw http.ResponseWriter, forward func()) bool {
			if method != "eth_sendRawTransaction" {
				return false
			}
			if c.forward {
				forward()
			}
			rw.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":%q}}`, c.message)
			return true
		})
		before, spent := w.nonce(t, r.Address()), r.usage(t).Settled
		_, err := r.buy(t.Context(), intent(w.sink, c.name, "1"))
		w.proxy.set(nil)
		if c.code == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		} else {
			wantFault(t, c.name, err, c.code, c.sent)
		}
		if c.code == fault.Upstream {
			booked, err := r.usage(t).Settled.Sub(spent)
			if u := r.usage(t); err != nil || u.Open != 0 || booked.Cmp(ape(t, "1")) <= 0 {
				t.Errorf("%s: not booked in full: %+v", c.name, u)
			}
			// The key and the nonce are free again.
			out, err := r.buy(t.Context(), intent(w.sink, c.name, "1"))
			if err != nil || out.Tx.Nonce != before {
				t.Errorf("%s: again: nonce %d, want %d, %v", c.name, out.Tx.Nonce, before, err)
			}
		}
	}
}

// TestNeverSent: no connection, so nothing left.
func TestNeverSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secure := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was sent") }))
	defer secure.Close()
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // the handshakes that fail
	for name, c := range map[string]struct {
		to   string // where the request goes once the transport is down
		sent string
		code fault.Code
	}{
		"connection refused":     {"http://127.0.0.1:1", fault.SentNo, fault.Upstream},
		"untrusted certificate":  {secure.URL, fault.SentNo, fault.Upstream},
		"no TLS":                 {strings.Replace(w.url, "http:", "https:", 1), fault.SentNo, fault.Upstream},
		"refused after the send": {"", "", ""}, // it is mined, and found
	} {
		down := &downTransport{to: c.to}
		client := dial(t, w.url, chain.DialOptions{WantChainID: chainID, NoRetry: true, Transport: down})
		r := w.open(t, "a", func(o *chain.SenderOptions) {
			o.Client = client
			o.Step = func(step string) { down.set(step == "persisted") }
		})
		_, err := r.buy(t.Context(), intent(w.sink, name, "1"))
		if c.code == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		wantFault(t, name, err, c.code, c.sent)
		if u := r.usage(t); u.Open != 0 {
			t.Errorf("%s: %+v", name, u)
		}
	}
	if got := w.balance(t, w.sink); got != ape(t, "1") {
		t.Errorf("the seller has %s", got.Decimal(18))
	}
}

// downTransport makes a new connection a call, and one to somewhere else while it
// is down. Without a place it sends the call where it belongs, and then fails as
// HTTP/2 does when its second try can't dial.
type downTransport struct {
	mu   sync.Mutex
	down bool
	to   string
}

func (d *downTransport) set(down bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down = down
}

func (d *downTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	tr := &http.Transport{DisableKeepAlives: true}
	if !d.down {
		return tr.RoundTrip(req)
	}
	if d.to == "" {
		resp, err := tr.RoundTrip(req)
		if err == nil {
			err = resp.Body.Close()
		}
		return nil, errors.Join(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, err)
	}
	to, err := url.Parse(d.to)
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host = to.Scheme, to.Host
	return tr.RoundTrip(req)
}
