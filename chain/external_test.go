package chain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// fakeSigner signs as clef does, with a change if it is asked to make one.
type fakeSigner struct {
	key    *chain.KeySigner
	chain  int64 // 0: the one that is asked for
	change func(tx *types.DynamicFeeTx)
	answer string // in place of all that
}

func (f fakeSigner) serve(t *testing.T, raw []byte) []byte {
	var q struct {
		ID     json.RawMessage
		Method string
		Params []struct {
			From, To                                  common.Address
			Gas, Nonce                                hexutil.Uint64
			MaxFeePerGas, MaxPriorityFeePerGas, Value *hexutil.Big
			Input                                     hexutil.Bytes
			ChainID                                   *hexutil.Big
		}
	}
	if err := json.Unmarshal(raw, &q); err != nil {
		t.Error(err)
	}
	if f.answer != "" {
		return []byte(f.answer)
	}
	if q.Method == "account_list" {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":[%q]}`, q.ID, f.key.Address().Hex())
	}
	p := q.Params[0]
	tx := &types.DynamicFeeTx{ChainID: p.ChainID.ToInt(), Nonce: uint64(p.Nonce), GasTipCap: p.MaxPriorityFeePerGas.ToInt(), GasFeeCap: p.MaxFeePerGas.ToInt(),
		Gas: uint64(p.Gas), To: &p.To, Value: p.Value.ToInt(), Data: p.Input}
	if f.chain != 0 {
		tx.ChainID = big.NewInt(f.chain)
	}
	if f.change != nil {
		f.change(tx)
	}
	signed, err := f.key.SignTx(context.Background(), types.NewTx(tx), tx.ChainID)
	if err != nil {
		t.Error(err)
		return nil
	}
	b, err := signed.MarshalBinary()
	if err != nil {
		t.Error(err)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"raw":%q,"tx":{}}}`, q.ID, hexutil.Encode(b))
}

func (f fakeSigner) overHTTP(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %v", r.Method, r.Header, err)
		}
		_, _ = w.Write(f.serve(t, b))
	}))
	t.Cleanup(s.Close)
	return s
}

func newKey(t *testing.T, hex string) *chain.KeySigner {
	t.Helper()
	k, err := chain.NewKeySigner(hex, "the test")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func aTx() *types.Transaction {
	return types.NewTx(&types.DynamicFeeTx{ChainID: big.NewInt(33139), Nonce: 7, Gas: 21000, To: &common.Address{1}, Value: big.NewInt(5), Data: []byte{1, 2},
		GasFeeCap: big.NewInt(100), GasTipCap: big.NewInt(3)})
}

func external(t *testing.T, url string) *chain.External {
	t.Helper()
	e, err := chain.NewExternal(url, chain.ExternalOptions{Ask: 5 * time.Second, Sign: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What a signer returns is what it was given, signed by the account, or it is refused.
func TestExternalSigner(t *testing.T) {
	t.Parallel()
	key, other := newKey(t, testKey), newKey(t, fixtureKey)
	for name, c := range map[string]struct {
		signer fakeSigner
		code   fault.Code
		says   string
	}{
		"honest":      {fakeSigner{key: key}, "", ""},
		"nonce":       {fakeSigner{key: key, change: func(tx *types.DynamicFeeTx) { tx.Nonce++ }}, fault.UnsafeTransaction, "changed the nonce"},
		"target":      {fakeSigner{key: key, change: func(tx *types.DynamicFeeTx) { tx.To = &common.Address{2} }}, fault.UnsafeTransaction, "changed the target"},
		"no target":   {fakeSigner{key: key, change: func(tx *types.DynamicFeeTx) { tx.To = nil }}, fault.UnsafeTransaction, "changed the target"},
		"value":       {fakeSigner{key: key, change: func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(6) }}, fault.UnsafeTransaction, "changed the value"},
		"data":        {fakeSigner{key: key, change: func(tx *types.DynamicFeeTx) { tx.Data = []byte{1} }}, fault.UnsafeTransaction, "changed the data"},
		"gas":         {fakeSigner{key: key, change: func(tx *types.DynamicFeeTx) { tx.Gas++ }}, fault.UnsafeTransaction, "changed the gas limit"},
		"fee":         {fakeSigner{key: key, change: func(tx *types.DynamicFeeTx) { tx.GasFeeCap = big.NewInt(101) }}, fault.UnsafeTransaction, "changed the fee cap"},
		"tip":         {fakeSigner{key: key, change: func(tx *types.DynamicFeeTx) { tx.GasTipCap = big.NewInt(4) }}, fault.UnsafeTransaction, "changed the tip"},
		"access list": {fakeSigner{key: key, change: func(tx *types.DynamicFeeTx) { tx.AccessList = types.AccessList{{}} }}, fault.UnsafeTransaction, "changed the access list"},
		"account":     {fakeSigner{key: other}, fault.UnsafeTransaction, "another account"},
		"chain":       {fakeSigner{key: key, chain: 1}, fault.ChainMismatch, "signed for chain 1, not for chain 33139"},
		"denied":      {fakeSigner{answer: `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Request\u001b[2J denied"}}`}, fault.ApprovalRequired, "refused account_signTransaction: Request[2J denied"},
		"nothing":     {fakeSigner{answer: `{"jsonrpc":"2.0","id":1,"result":null}`}, fault.Upstream, "makes no sense"},
		"other id":    {fakeSigner{answer: `{"jsonrpc":"2.0","id":2,"result":{"raw":"0x02"}}`}, fault.Upstream, "makes no sense"},
		"no bytes":    {fakeSigner{answer: `{"jsonrpc":"2.0","id":1,"result":{"raw":"0x"}}`}, fault.Upstream, "makes no sense"},
		"junk":        {fakeSigner{answer: `{"jsonrpc":"2.0","id":1,"result":{"raw":"0x02c0"}}`}, fault.Upstream, "makes no sense"},
		"a page":      {fakeSigner{answer: `<html>`}, fault.Upstream, "can't be asked"},
		"endless":     {fakeSigner{answer: `{"id":1,"x":"` + strings.Repeat("x", 1<<20)}, fault.Upstream, "can't be asked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := external(t, c.signer.overHTTP(t).URL)
			signed, err := e.Of(key.Address()).SignTx(t.Context(), aTx(), big.NewInt(33139))
			if c.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				if want, _ := key.SignTx(t.Context(), aTx(), big.NewInt(33139)); signed.Hash() != want.Hash() {
					t.Error("another transaction")
				}
				return
			}
			if signed != nil || fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) || fault.From(err).Sent != fault.SentNo {
				t.Errorf("%v %v, want %s saying %q", signed, err, c.code, c.says)
			}
		})
	}
}

// A signer that hangs is not waited for beyond its time, nor beyond the command's.
func TestExternalSignerHangs(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(stop); s.Close() })
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	for _, url := range []string{s.URL, path} {
		e, err := chain.NewExternal(url, chain.ExternalOptions{Ask: 50 * time.Millisecond, Sign: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Accounts(t.Context()); fault.CodeOf(err) != fault.Upstream || !strings.Contains(err.Error(), "did not answer account_list within 50ms") {
			t.Errorf("%v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := e.Of(common.Address{1}).SignTx(ctx, aTx(), big.NewInt(33139)); err != context.Canceled {
			t.Errorf("interrupted: %v", err)
		}
	}
}

// A socket works as well, if it is one of ours.
func TestExternalSignerOverASocket(t *testing.T) {
	t.Parallel()
	dir, key := t.TempDir(), newKey(t, testKey)
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			var q json.RawMessage
			if err := json.NewDecoder(conn).Decode(&q); err == nil {
				_, _ = conn.Write(fakeSigner{key: key}.serve(t, q))
			}
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	for _, url := range []string{path, "unix:" + path, "unix://" + path} {
		e := external(t, url)
		if got, err := e.Accounts(t.Context()); err != nil || len(got) != 1 || got[0] != key.Address() {
			t.Fatalf("%s: %v %v", url, got, err)
		}
		if _, err := e.Of(key.Address()).SignTx(t.Context(), aTx(), big.NewInt(33139)); err != nil {
			t.Error(err)
		}
	}
	file := filepath.Join(dir, "f")
	must(t, os.WriteFile(file, nil, 0o600))
	if _, err := external(t, file).Accounts(t.Context()); fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("a file: %v", err)
	}
	if _, err := external(t, filepath.Join(dir, "none")).Accounts(t.Context()); fault.CodeOf(err) != fault.Upstream || strings.Contains(err.Error(), dir+"/none: ") {
		t.Errorf("nothing there: %v", err)
	}
}

// Keys are asked for on this machine alone, and nothing of a bad URL is shown.
func TestExternalSignerURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "s3cret", "ftp://127.0.0.1/s3cret", "http://192.168.1.7:8550/s3cret", "http://signer.example", "http://127.0.0.1.evil.example",
		"http://u:s3cret@127.0.0.1:1", "http://127.0.0.1:1/?k=s3cret", "http://127.0.0.1:1/#s3cret", "unix:s3cret", "http://[::2]:1", "http://0.0.0.0:1", "http://2130706433"} {
		_, err := chain.NewExternal(url, chain.ExternalOptions{})
		if fault.CodeOf(err) != fault.Usage || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", url, err)
		}
	}
	for _, url := range []string{"http://127.0.0.1:8550", "http://localhost:8550/", "https://[::1]:8550", "http://127.9.9.9:1", "http://[::ffff:127.0.0.1]:1"} {
		if _, err := chain.NewExternal(url, chain.ExternalOptions{}); err != nil {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// A locked key is opened once, when it is needed, and its account is known before.
func TestLockedSigner(t *testing.T) {
	t.Parallel()
	opened := 0
	key := newKey(t, testKey)
	s := chain.NewLockedSigner(key.Address(), func(context.Context) (*chain.KeySigner, error) {
		opened++
		if opened == 1 {
			return nil, fault.New(fault.Auth, "no password")
		}
		return newKey(t, testKey), nil
	})
	if s.Address() != key.Address() || opened != 0 {
		t.Error("its account is not known without opening it")
	}
	if _, err := s.SignTx(t.Context(), aTx(), big.NewInt(33139)); fault.CodeOf(err) != fault.Auth {
		t.Errorf("%v", err)
	}
	if err := s.Unlock(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.SignTx(t.Context(), aTx(), big.NewInt(33139)); err != nil {
			t.Error(err)
		}
	}
	if opened != 2 {
		t.Errorf("opened %d times", opened)
	}
	if text := fmt.Sprintf("%v %+v %#v", s, s, s); strings.Contains(text, testKey) {
		t.Error("the key is printed")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SignTx(t.Context(), aTx(), big.NewInt(33139)); err != nil || opened != 3 {
		t.Errorf("after it was closed: %v, opened %d times", err, opened)
	}
}
