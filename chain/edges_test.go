package chain_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/chain"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// TestPrepareNeedsEverything: each part of an intent is needed by itself.
func TestPrepareNeedsEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.open(t, "a", nil)
	for name, change := range map[string]func(*chain.Intent){
		"no key":           func(in *chain.Intent) { in.Key = "" },
		"no story":         func(in *chain.Intent) { in.Story = nil },
		"no target":        func(in *chain.Intent) { in.To = common.Address{} },
		"no chain":         func(in *chain.Intent) { in.ChainID = 0 },
		"a negative chain": func(in *chain.Intent) { in.ChainID = -chainID },
	} {
		in := intent(w.sink, "k", "1")
		change(&in)
		if _, err := r.Prepare(t.Context(), in); err == nil || !strings.Contains(err.Error(), "an intent needs") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHeaderParts: a header without one of its parts is garbage, and none is none.
func TestHeaderParts(t *testing.T) {
	t.Parallel()
	good := map[string]any{"number": "0x10", "hash": common.HexToHash("0x02"), "timestamp": "0x5", "baseFeePerGas": "0x7"}
	for name, c := range map[string]struct {
		without string
		none    bool
		ok      bool
		code    fault.Code
	}{
		"whole": {ok: true}, "none": {none: true}, "no number": {without: "number", code: fault.Upstream},
		"no hash": {without: "hash", code: fault.Upstream}, "no time": {without: "timestamp", code: fault.Upstream},
	} {
		h := map[string]any{}
		for k, v := range good {
			if k != c.without {
				h[k] = v
			}
		}
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer(t, w, r, func(method string) (any, *rpcError) {
				switch {
				case method == "eth_chainId":
					return "0x1", nil
				case c.none:
					return nil, nil
				}
				return h, nil
			})
		}))
		got, ok, err := dial(t, srv.URL, chain.DialOptions{NoRetry: true}).HeaderAt(t.Context(), 16)
		srv.Close()
		if ok != c.ok || fault.CodeOf(err) != c.code {
			t.Errorf("%s: %t %v", name, ok, err)
		}
		if ok && (got.Number != 16 || got.Time != 5 || got.Hash != common.HexToHash("0x02") || got.BaseFee.String() != "7") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestSecretsOfUserNames: a key may stand where a user name does.
func TestSecretsOfUserNames(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(t, w, r, func(string) (any, *rpcError) { return nil, &rpcError{-32000, "no project " + canary, nil} })
	}))
	defer srv.Close()
	_, err := dial(t, strings.Replace(srv.URL, "http://", "http://"+canary+"@", 1), chain.DialOptions{NoRetry: true}).Head(t.Context())
	if err == nil || !strings.Contains(err.Error(), "***") {
		t.Errorf("%v", err)
	}
	noCanary(t, "user name", err)
}

// TestLastGateOfAReplacement: what changes after a replacement was allowed stops
// it before the signature and before the broadcast; the old transaction stays as
// it was, and nothing more is reserved.
func TestLastGateOfAReplacement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, release := stuck(t, w, "k")
	before := first.usage(t)
	for name, c := range map[string]struct {
		at     string
		mode   chain.ResumeMode
		expire bool
		code   fault.Code
	}{
		"halted before the signature":             {"replacement intended", chain.ResumeReprice, false, fault.Halted},
		"halted before the broadcast":             {"replacement persisted", chain.ResumeReprice, false, fault.Halted},
		"repricing expired before the signature":  {"replacement intended", chain.ResumeReprice, true, fault.QuoteExpired},
		"repricing expired before the broadcast":  {"replacement persisted", chain.ResumeReprice, true, fault.QuoteExpired},
		"a cancellation expired at the signature": {"replacement intended", chain.ResumeCancel, true, fault.QuoteExpired},
		"a cancellation expired at the broadcast": {"replacement persisted", chain.ResumeCancel, true, fault.QuoteExpired},
	} {
		sent, changed := w.proxy.count("eth_sendRawTransaction"), false
		r := w.open(t, "b", func(o *chain.SenderOptions) {
			shortWait(o)
			o.Step = func(step string) { changed = changed || step == c.at }
			o.Now = func() time.Time {
				if changed && c.expire {
					return time.Now().Add(time.Hour)
				}
				return time.Now()
			}
			o.Gate = func(context.Context) error {
				if changed && !c.expire {
					return fault.New(fault.Halted, "halted")
				}
				return nil
			}
		})
		_, err := r.replace(t.Context(), c.mode)
		if fault.CodeOf(err) != c.code || !changed {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
		if got := w.proxy.count("eth_sendRawTransaction"); got != sent {
			t.Errorf("%s: %d were sent", name, got-sent)
		}
		if u := r.usage(t); u.Total != before.Total || u.Open != before.Open {
			t.Errorf("%s: %+v, want %+v", name, u, before)
		}
	}
	release()
}
