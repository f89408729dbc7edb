package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/sandbox"
)

// clef signs as that program does, with what a test changes.
type clef struct {
	key     string // of the account that it names
	signs   string // of the account that it signs with; "": the same
	change  func(tx *types.DynamicFeeTx)
	chain   int64         // 0: the one that is asked for
	hang    chan struct{} // it signs when this is closed
	waiting atomic.Bool
}

func (c *clef) start(t *testing.T) (url string) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.RawMessage
			Method string
			Params []struct {
				To                                        common.Address
				Gas, Nonce                                hexutil.Uint64
				MaxFeePerGas, MaxPriorityFeePerGas, Value *hexutil.Big
				Input                                     hexutil.Bytes
				ChainID                                   *hexutil.Big
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
			return
		}
		key, err := crypto.HexToECDSA(strings.TrimPrefix(c.key, "0x"))
		if err != nil {
			t.Error(err)
			return
		}
		if q.Method == "account_list" {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":[%q]}`, q.ID, crypto.PubkeyToAddress(key.PublicKey).Hex())
			return
		}
		if c.hang != nil {
			c.waiting.Store(true)
			select {
			case <-c.hang:
			case <-r.Context().Done():
			}
			return
		}
		if c.signs != "" {
			if key, err = crypto.HexToECDSA(strings.TrimPrefix(c.signs, "0x")); err != nil {
				t.Error(err)
				return
			}
		}
		p := q.Params[0]
		tx := &types.DynamicFeeTx{ChainID: p.ChainID.ToInt(), Nonce: uint64(p.Nonce), GasTipCap: p.MaxPriorityFeePerGas.ToInt(), GasFeeCap: p.MaxFeePerGas.ToInt(),
			Gas: uint64(p.Gas), To: &p.To, Value: p.Value.ToInt(), Data: p.Input}
		if c.chain != 0 {
			tx.ChainID = big.NewInt(c.chain)
		}
		if c.change != nil {
			c.change(tx)
		}
		signed, err := types.SignNewTx(key, types.LatestSignerForChainID(tx.ChainID), tx)
		if err != nil {
			t.Error(err)
			return
		}
		raw, err := signed.MarshalBinary()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"raw":%q,"tx":{}}}`, q.ID, hexutil.Encode(raw))
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// signing is a world whose own profile acts on the practice chain, so that a signer in
// another process signs for it.
func signing(t *testing.T) (w *world, s *sandbox.World) {
	t.Helper()
	w = newWorld(t)
	s = w.inSandbox()
	w.home("policy.json", fmt.Sprintf(`{"apechainChainId":%d,"apechainRpcUrl":%q,"nftBuy":{"maxPricePerTx":1},"execution":{"dailySpendCap":5,"autonomousMode":true,"confirmPhraseRequired":true}}`, s.ChainID(), s.Current().RPCURL))
	w.env = append(w.env, "APE_CLAW_PROFILE=apechain")
	value, err := units.Parse("2", units.APEDecimals)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(t.Context(), s.Buyer(), sandbox.Tx{To: common.HexToAddress(demoAddress), Value: value}); err != nil {
		t.Fatal(err)
	}
	return w, s
}

// A signer that changes what it signs, or whose signature is of another account or
// chain, sends nothing: through the built program, with the real chain asked after it.
func TestLyingSigner(t *testing.T) {
	t.Parallel()
	other := strings.Repeat("22", 32)
	for name, c := range map[string]struct {
		clef       *clef
		exit       int
		code, says string
	}{
		"honest":          {&clef{key: demoKey}, 0, "", ""},
		"another target":  {&clef{key: demoKey, change: func(tx *types.DynamicFeeTx) { tx.To = &common.Address{1} }}, 3, "unsafe_transaction", "changed the target"},
		"another value":   {&clef{key: demoKey, change: func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(1e18) }}, 3, "unsafe_transaction", "changed the value"},
		"other data":      {&clef{key: demoKey, change: func(tx *types.DynamicFeeTx) { tx.Data = tx.Data[:4] }}, 3, "unsafe_transaction", "changed the data"},
		"another nonce":   {&clef{key: demoKey, change: func(tx *types.DynamicFeeTx) { tx.Nonce += 3 }}, 3, "unsafe_transaction", "changed the nonce"},
		"a higher fee":    {&clef{key: demoKey, change: func(tx *types.DynamicFeeTx) { tx.GasFeeCap = big.NewInt(1e15) }}, 3, "unsafe_transaction", "changed the fee cap"},
		"another account": {&clef{key: demoKey, signs: other}, 3, "unsafe_transaction", "another account"},
		"another chain":   {&clef{key: demoKey, chain: 33139}, 6, "chain_mismatch", "signed for chain 33139"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := signing(t)
			w.env = append(w.env, "APE_CLAW_SIGNER_URL="+c.clef.start(t))
			if doc, exit := w.doc("wallet", "address"); exit != 0 || doc["address"] != demoAddress || doc["source"] != "external" {
				t.Fatalf("exit %d, %v", exit, doc)
			}
			doc, exit := w.doc("v2", "deploy", "--execute", "--autonomous")
			if exit != c.exit || c.exit != 0 && (doc["code"] != c.code || doc["sent"] != "no" || !strings.Contains(fmt.Sprint(doc["error"]), c.says)) {
				t.Errorf("exit %d, %v", exit, doc)
			}
			n, err := s.Client().NonceAt(t.Context(), common.HexToAddress(demoAddress), nil)
			if err != nil || (n == 0) != (c.exit != 0) {
				t.Errorf("%d transactions were sent, %v", n, err)
			}
		})
	}
}

// A signer that hangs is left when the person does: nothing is signed, and nothing of it
// is left that locks the account.
func TestHangingSigner(t *testing.T) {
	t.Parallel()
	w, s := signing(t)
	c := &clef{key: demoKey, hang: make(chan struct{})}
	env := w.env
	w.env = append(env[:len(env):len(env)], "APE_CLAW_SIGNER_URL="+c.start(t))
	cmd := w.command("v2", "deploy", "--execute", "--autonomous", "--json")
	var stdout strings.Builder
	cmd.Stdout = &stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !c.waiting.Load() {
		select {
		case <-ctx.Done():
			t.Fatal("it was not asked for a signature")
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if exit := status(cmd.Wait()); exit != 130 || !strings.Contains(stdout.String(), `"sent":"no"`) {
		t.Errorf("exit %d, %s", exit, &stdout)
	}
	close(c.hang)
	w.env = append(env[:len(env):len(env)], "APE_CLAW_SIGNER_URL="+(&clef{key: demoKey}).start(t))
	if doc, exit := w.doc("v2", "deploy", "--execute", "--autonomous"); exit != 0 {
		t.Errorf("afterwards: exit %d, %v", exit, doc)
	}
	if n, err := s.Client().NonceAt(t.Context(), common.HexToAddress(demoAddress), nil); err != nil || n == 0 {
		t.Errorf("%d, %v", n, err)
	}
}

// Who would sign, where a key is in several places: as the original orders them, and a
// signer and the keystore last.
func TestSignerOrder(t *testing.T) {
	t.Parallel()
	keys := map[string]string{} // by source
	for i, source := range []string{"flag", "env", "local-auth", "external"} {
		keys[source] = fmt.Sprintf("0x%064x", 0x1001+i)
	}
	address := func(key string) string {
		k, err := crypto.HexToECDSA(strings.TrimPrefix(key, "0x"))
		if err != nil {
			t.Fatal(err)
		}
		return crypto.PubkeyToAddress(k.PublicKey).Hex()
	}
	url := (&clef{key: keys["external"]}).start(t)
	cast, err := os.ReadFile(filepath.Join("..", "..", "chain", "testdata", "keystore", "ethers-scrypt.json"))
	if err != nil {
		t.Fatal(err)
	}
	for have, want := range map[string]string{
		"flag env local-auth external keystore": "flag", "env local-auth external keystore": "env", "local-auth external keystore": "local-auth", "external keystore": "external", "keystore": "keystore",
		"flag keystore": "flag", "env external": "env", "local-auth keystore": "local-auth", "": "",
	} {
		t.Run(have, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.home(".keep", "")
			args := []string{"wallet", "address"}
			for source := range strings.FieldsSeq(have) {
				switch source {
				case "flag":
					args = append(args, "--private-key", keys["flag"])
				case "env":
					w.env = append(w.env, "APE_CLAW_PRIVATE_KEY="+keys["env"])
				case "local-auth":
					w.home("auth.json", `{"privateKey":"`+keys["local-auth"]+`"}`)
				case "external":
					w.env = append(w.env, "APE_CLAW_SIGNER_URL="+url)
				case "keystore":
					w.home("keystore/.keep", "")
					if err := os.Remove(filepath.Join(w.dir, "user", ".ape-claw", "keystore", ".keep")); err != nil {
						t.Fatal(err)
					}
					w.home("keystore/UTC--2026-01-01T00-00-00.000000000Z--1563915e194d8cfba1943570603f7606a3115508", string(cast))
				}
			}
			doc, exit := w.doc(args...)
			if want == "" {
				if exit != 5 || doc["code"] != "auth" {
					t.Errorf("exit %d, %v", exit, doc)
				}
				return
			}
			account := "0x1563915e194D8CfBA1943570603F7606A3115508"
			if want != "keystore" {
				account = address(keys[want])
			}
			if exit != 0 || doc["address"] != account || doc["source"] != want {
				t.Errorf("exit %d, %v; want %s of %s", exit, doc, account, want)
			}
			for _, key := range keys {
				if strings.Contains(fmt.Sprint(doc), strings.TrimPrefix(key, "0x")) {
					t.Errorf("a key is shown: %v", doc)
				}
			}
		})
	}
}
