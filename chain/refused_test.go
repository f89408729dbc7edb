package chain_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// liar is a node that takes a transaction, says that it refused it, and then
// does not know the hashes that it hides.
type liar struct {
	mu     sync.Mutex
	says   string
	hidden []string
}

// lie puts a liar in front of the world's node, until it is told to be honest.
func lie(w *world, says string) *liar {
	l := &liar{says: says}
	real := w.proxy.next
	w.proxy.next = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		l.mu.Lock()
		hides := slices.ContainsFunc(l.hidden, func(h string) bool { return bytes.Contains(body, []byte(h)) })
		refuses := l.says != "" && bytes.Contains(body, []byte("eth_sendRawTransaction"))
		l.mu.Unlock()
		switch {
		case hides:
			reply(rw, `"result":null`)
		case refuses:
			real.ServeHTTP(&nowhere{header: http.Header{}}, r)
			reply(rw, fmt.Sprintf(`"error":{"code":-32000,"message":%q}`, l.says))
		default:
			real.ServeHTTP(rw, r)
		}
	})
	return l
}

func (l *liar) set(says string, hidden ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.says, l.hidden = says, hidden
}

// nowhere is an answer that nobody reads.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n *nowhere) WriteHeader(int)             {}

// row is what the journal holds of a transaction.
type row struct {
	key, state, hash, reason string
	nonce                    int64
	raw                      []byte
}

func (r *rig) rows(t *testing.T) (out []row) {
	t.Helper()
	rows, err := r.db.QueryContext(t.Context(), `SELECT key, state, coalesce(hash, ''), coalesce(reason, ''), nonce, raw FROM tx ORDER BY rowid`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}()
	for rows.Next() {
		var x row
		if err := rows.Scan(&x.key, &x.state, &x.hash, &x.reason, &x.nonce, &x.raw); err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// refusedBy buys while the node lies, hiding the transaction from the look that
// follows, and returns its hash.
func refusedBy(t *testing.T, w *world, r *rig, key string) string {
	t.Helper()
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
		return (method == "eth_getTransactionReceipt" || method == "eth_getTransactionByHash") && reply(rw, `"result":null`)
	})
	defer w.proxy.set(nil)
	out, err := r.buy(t.Context(), intent(w.sink, key, "1"))
	wantFault(t, key, err, fault.Upstream, fault.SentMaybe)
	f := fault.From(err)
	if !strings.Contains(f.Message, "insufficient funds") || !strings.Contains(f.Hint, "24 h") || out.Tx.Hash != (common.Hash{}) {
		t.Errorf("%v (%s), %s", err, f.Hint, out.Tx.Hash)
	}
	rows := r.rows(t)
	x := rows[len(rows)-1]
	if x.state != chain.StateRefused || x.raw != nil || x.key != key || !strings.Contains(x.reason, "insufficient funds") {
		t.Fatalf("journal %+v", x)
	}
	return x.hash
}

// TestRefusedAndMined: a node says that it refused what it broadcasts. The spend
// counts all the time, and is told once the truth shows.
func TestRefusedAndMined(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := lie(w, "insufficient funds for gas * price + value")
	r := w.open(t, "a", nil)
	hash := refusedBy(t, w, r, "k")
	l.set("", hash)
	u := r.usage(t)
	if u.Open != 0 || u.Settled.Cmp(ape(t, "1")) <= 0 {
		t.Errorf("%+v: price and fee limit must count", u)
	}
	wantTrail(t, r)
	open, err := chain.OpenTxs(t.Context(), r.db, time.Now)
	if _, ok, ferr := chain.FindTx(t.Context(), r.db, time.Now, "k"); err != nil || ferr != nil || ok || len(open) != 0 {
		t.Errorf("open %v, found %t, %v, %v", open, ok, err, ferr)
	}
	waitMined(t, w, common.HexToHash(hash))

	// While it is hidden, or its receipt is junk, nothing changes.
	next := w.open(t, "b", nil)
	recover := func() {
		t.Helper()
		if left, err := next.Recover(t.Context(), chainID); err != nil || len(left) != 0 {
			t.Errorf("left %v, %v", left, err)
		}
	}
	recover()
	if now := r.usage(t); now.Settled != u.Settled || now.Open != 0 {
		t.Errorf("%+v, want %+v", now, u)
	}
	l.set("")
	w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
		return method == "eth_getTransactionReceipt" && reply(rw, fmt.Sprintf(`"result":{"transactionHash":%q,"blockNumber":"0x1","blockHash":%q,
			"status":"0x0","gasUsed":"0x1","effectiveGasPrice":"0x0","logs":[]}`, hash, hash))
	})
	recover()
	w.proxy.set(nil)
	if now := r.usage(t); now.Settled != u.Settled || r.rows(t)[0].state != chain.StateRefused {
		t.Errorf("%+v, want %+v", now, u)
	}

	recover()
	cost, err := ape(t, "1000").Sub(w.balance(t, r.Address()))
	if u := r.usage(t); err != nil || u.Settled != cost || u.Open != 0 {
		t.Errorf("booked %s, %d open; %s left the account", u.Settled, u.Open, cost)
	}
	wantTrail(t, r, "a:submitted", "a:confirmed")
	if tx, ok, err := chain.FindTx(t.Context(), r.db, time.Now, "k"); err != nil || !ok || tx.State != chain.StateConfirmed {
		t.Errorf("%+v, %t, %v", tx, ok, err)
	}
	for name, tt := range map[string]struct {
		chainID int64
		prefix  string
		since   time.Duration
		want    int
	}{
		"": {chainID, "k", -time.Hour, 1}, "prefix": {chainID, "kk", -time.Hour, 0}, "case": {chainID, "K", -time.Hour, 0}, "later": {chainID, "k", time.Hour, 0}, "chain": {1, "k", -time.Hour, 0},
	} {
		if txs, err := chain.ConfirmedTxs(t.Context(), r.db, time.Now, tt.chainID, tt.prefix, time.Now().Add(tt.since), 5); err != nil || len(txs) != tt.want {
			t.Errorf("%s: %+v, %v", name, txs, err)
		}
	}
	_, err = next.buy(t.Context(), intent(w.sink, "k", "1"))
	wantFault(t, "the key again", err, fault.QuoteUsed, fault.SentNo)
}

// TestRefusedKeyAgain: the key was used again before the first turned out mined.
func TestRefusedKeyAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := lie(w, "insufficient funds for gas * price + value")
	r := w.open(t, "a", nil)
	first := refusedBy(t, w, r, "k")
	waitMined(t, w, common.HexToHash(first))
	l.set("", first)
	next := w.open(t, "b", nil)
	out, err := next.buy(t.Context(), intent(w.sink, "k", "1"))
	if err != nil || out.Tx.Nonce != 1 {
		t.Fatalf("nonce %d, %v", out.Tx.Nonce, err)
	}
	l.set("")
	if left, err := next.Recover(t.Context(), chainID); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
	rows := r.rows(t)
	if len(rows) != 2 || rows[0].state != chain.StateConfirmed || !strings.HasPrefix(rows[0].key, "k#tx_") || rows[1].key != "k" {
		t.Errorf("journal %+v", rows)
	}
	if tx, ok, err := chain.FindTx(t.Context(), r.db, time.Now, "k"); err != nil || !ok || tx.Hash != out.Tx.Hash.Hex() {
		t.Errorf("%+v, %t, %v", tx, ok, err)
	}
	cost, err := ape(t, "1000").Sub(w.balance(t, r.Address()))
	if u := r.usage(t); err != nil || u.Settled != cost {
		t.Errorf("booked %s, %s left the account", u.Settled, cost)
	}
	wantTrail(t, r, "b:submitted", "b:confirmed", "a:submitted", "a:confirmed")
}

// TestRefusedIsForgotten: an honest refusal is looked for until its nonce is
// used or it no longer counts.
func TestRefusedIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refuse := func(r *rig, key string) {
		t.Helper()
		w.proxy.set(func(_ int, method string, rw http.ResponseWriter, _ func()) bool {
			return method == "eth_sendRawTransaction" && reply(rw, `"error":{"code":-32000,"message":"insufficient funds for transfer"}`)
		})
		_, err := r.buy(t.Context(), intent(w.sink, key, "1"))
		wantFault(t, key, err, fault.Upstream, fault.SentMaybe)
	}
	looks := func(r *rig, want int) {
		t.Helper()
		w.proxy.set(nil)
		left, err := r.Recover(t.Context(), chainID)
		if n := w.proxy.count("eth_getTransactionReceipt"); err != nil || len(left) != 0 || n != want {
			t.Errorf("%d looks, want %d; left %v, %v", n, want, left, err)
		}
	}
	r := w.open(t, "a", nil)
	refuse(r, "k1")
	refuse(r, "k2")
	looks(r, 2)
	looks(w.open(t, "late", func(o *chain.SenderOptions) { o.Now = func() time.Time { return time.Now().Add(25 * time.Hour) } }), 0)
	if _, err := r.buy(t.Context(), intent(w.sink, "k1", "1")); err != nil {
		t.Error(err)
	}
	looks(r, 0)
	wantTrail(t, r, "a:submitted", "a:confirmed")
}

// TestLastGate: somebody halts, or the grant's time ends, after policy decided
// and while the node takes its time. Nothing leaves, and nothing stays booked.
func TestLastGate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	halted := fault.New(fault.Halted, "halted")
	for name, c := range map[string]struct {
		at     string // the step at which the world changes
		expire bool
		signed bool
		err    error
		code   fault.Code
	}{
		"halted before the signature":  {"intended", false, false, halted, fault.Halted},
		"halted before the broadcast":  {"persisted", false, true, halted, fault.Halted},
		"an unreadable policy":         {"persisted", false, true, io.ErrUnexpectedEOF, fault.Internal},
		"expired before the signature": {"intended", true, false, nil, fault.QuoteExpired},
		"expired before the broadcast": {"persisted", true, true, nil, fault.QuoteExpired},
	} {
		w.proxy.set(nil)
		changed, signed, gates := false, false, 0
		r := w.open(t, "a", func(o *chain.SenderOptions) {
			o.Step = func(step string) { changed, signed = changed || step == c.at, signed || step == "signed" }
			o.Now = func() time.Time {
				if changed && c.expire {
					return time.Now().Add(time.Hour)
				}
				return time.Now()
			}
			o.Gate = func(context.Context) error {
				if gates++; changed {
					return c.err
				}
				return nil
			}
		})
		_, err := r.buy(t.Context(), intent(w.sink, "k", "1"))
		wantFault(t, name, err, c.code, fault.SentNo)
		if u := r.usage(t); signed != c.signed || u.Open != 0 || !u.Total.IsZero() || w.proxy.count("eth_sendRawTransaction") != 0 {
			t.Errorf("%s: signed %t, %+v", name, signed, u)
		}
		for _, x := range r.rows(t) {
			if x.raw != nil || x.state != chain.StateAbandoned {
				t.Errorf("%s: journal %+v", name, x)
			}
		}
	}
	gates := 0
	r := w.open(t, "a", func(o *chain.SenderOptions) { o.Gate = func(context.Context) error { gates++; return nil } })
	if _, err := r.buy(t.Context(), intent(w.sink, "k", "1")); err != nil || gates != 2 {
		t.Errorf("%v after %d gates, want 2", err, gates)
	}
}
