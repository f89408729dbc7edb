package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/market"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const canary = "rk-canary-0123456789"

// relay is a server that answers as it is told, and a client of it.
func relay(t *testing.T, h http.HandlerFunc) *bridge.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return client(t, bridge.Options{BaseURL: s.URL + "/base", APIKey: canary})
}

func client(t *testing.T, o bridge.Options) *bridge.Client {
	t.Helper()
	o.Transport, o.Now, o.Rand = http.DefaultTransport, time.Now, func(int64) int64 { return 0 }
	c, err := bridge.NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestQuoteAsksForAllThatMatters(t *testing.T) {
	t.Parallel()
	f := fixtures(t)[1]
	c := relay(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		var got map[string]any
		if err := json.Unmarshal(b, &got); err != nil || r.Method != http.MethodPost || r.URL.Path != "/base/quote/v2" || r.Header.Get("x-api-key") != canary {
			t.Errorf("%s %s %s", r.Method, r.URL, b)
		}
		want := map[string]any{"user": ownerHex, "recipient": ownerHex, "refundTo": ownerHex, "originChainId": 1.0, "destinationChainId": 33139.0, "originCurrency": usdcHex,
			"destinationCurrency": zeroHex, "amount": "250000000", "tradeType": "EXACT_INPUT"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s", b)
		}
		_, _ = w.Write(encode(t, f.answer))
	})
	b, err := c.Quote(t.Context(), f.ask)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := bridge.Judge(f.ask, depository, b); err != nil || r.RequestID != requestHex {
		t.Errorf("%+v %v", r, err)
	}
}

// The one retry policy: reads again after a broken answer, anything after a rate limit.
func TestRetries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []int
		quote   bool
		tries   int32
		code    fault.Code
	}{
		"at once":              {[]int{200}, false, 1, ""},
		"after 500":            {[]int{500, 502, 200}, false, 3, ""},
		"500 for ever":         {[]int{500, 500, 500, 200}, false, 3, fault.Upstream},
		"after 429":            {[]int{429, 429, 429, 200}, false, 4, ""},
		"429 for ever":         {[]int{429, 429, 429, 429, 200}, false, 4, fault.Upstream},
		"a quote after 500":    {[]int{500, 200}, true, 1, fault.Upstream},
		"a quote after 429":    {[]int{429, 200}, true, 2, ""},
		"a bad request":        {[]int{400, 200}, false, 1, fault.Upstream},
		"a bad key":            {[]int{401, 200}, false, 1, fault.Auth},
		"a redirect elsewhere": {[]int{302, 200}, false, 1, fault.Upstream},
	} {
		var n atomic.Int32
		cl := relay(t, func(w http.ResponseWriter, r *http.Request) {
			status := c.answers[n.Add(1)-1]
			if status == 302 {
				w.Header().Set("Location", "http://127.0.0.1:1/")
			}
			w.WriteHeader(status)
			if status == 200 {
				_, _ = io.WriteString(w, `{"status":"waiting"}`)
			} else {
				_, _ = io.WriteString(w, `{"message":"no `+canary+`"}`)
			}
		})
		var err error
		if c.quote {
			_, err = cl.Quote(t.Context(), fixtures(t)[0].ask)
		} else {
			_, err = cl.Status(t.Context(), requestHex)
		}
		if fault.CodeOf(err) != c.code && (err != nil || c.code != "") || n.Load() != c.tries {
			t.Errorf("%s: %d tries, %v", name, n.Load(), err)
		}
		if err != nil && (strings.Contains(fmt.Sprintf("%+v", err), canary) || fault.From(err).Sent != fault.SentNo) {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

func TestRefusedQuotes(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]fault.Code{
		`{"message":"too low","errorCode":"AMOUNT_TOO_LOW","requestId":"x"}`: fault.Usage,
		`{"message":"none","errorCode":"NO_QUOTES"}`:                         fault.NotFound,
		`{"message":"thin","errorCode":"INSUFFICIENT_LIQUIDITY"}`:            fault.Upstream,
		`{"message":"?","errorCode":"SOMETHING_NEW"}`:                        fault.Upstream,
		`{"message":5,"errorCode":"AMOUNT_TOO_LOW"}`:                         fault.Upstream,
		`<html>`: fault.Upstream,
	} {
		c := relay(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, body)
		})
		if _, err := c.Quote(t.Context(), fixtures(t)[0].ask); fault.CodeOf(err) != want || fault.From(err).Hint == "" {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}

// An answer without end, one that never comes, and one too many.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "chains") {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<12)); err != nil {
					return
				}
			}
			return
		}
		<-r.Context().Done()
	}))
	defer s.Close()
	c := client(t, bridge.Options{BaseURL: s.URL, Timeout: 30 * time.Millisecond, MaxBody: 1 << 16})
	if _, err := client(t, bridge.Options{BaseURL: s.URL, MaxBody: 1 << 16}).Chains(t.Context()); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v", err)
	}
	if _, err := c.Status(t.Context(), requestHex); fault.CodeOf(err) != fault.Upstream {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Status(ctx, requestHex); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("%v", err)
	}
}

func TestBaseAndKey(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"http://relay.example", "ftp://x", "https://user:pass@x", "https://x?key=1", "https://x#y", "relay", "://"} {
		_, err := bridge.NewClient(bridge.Options{BaseURL: bad, Transport: http.DefaultTransport, Now: time.Now, Rand: func(int64) int64 { return 0 }})
		if fault.CodeOf(err) != fault.Usage || strings.Contains(err.Error(), "pass") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := bridge.NewClient(bridge.Options{APIKey: "a b", Transport: http.DefaultTransport, Now: time.Now, Rand: func(int64) int64 { return 0 }}); fault.CodeOf(err) != fault.Auth {
		t.Errorf("%v", err)
	}
	c := client(t, bridge.Options{APIKey: canary})
	if s := fmt.Sprintf("%v %+v %s", c, c, market.Key(canary)); c.Name() != "api.relay.link" || strings.Contains(s, canary) {
		t.Errorf("%s", s)
	}
}

func TestChains(t *testing.T) {
	t.Parallel()
	one := func(id, more string) string {
		return `{"id":` + id + `,"displayName":"E\u001b[31mth","depositEnabled":true,"disabled":false,"vmType":"evm","currency":{"symbol":"ETH","decimals":18},"protocol":{"v2":{"depository":"` + depositoryHex + `"}}` + more + `}`
	}
	answer := ""
	c := relay(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
	answer = `{"chains":[` + one("1", "") + `,` + one(`"10"`, `,"disabled":true`) + `,` + one("137", `,"depositEnabled":false`) + `,` + one("9", `,"vmType":"svm"`) + `,` +
		one("8", `,"protocol":{"v2":{"depository":"x"}}`) + `,` + one("7", `,"currency":{"symbol":"A","decimals":99}`) + `,` + one("-6", "") + `,` + one("0", "") + `,5]}`
	got, err := c.Chains(t.Context())
	if err != nil || len(got) != 3 || got[0].ID != 1 || !got[0].Usable || got[0].Depository != depository || got[0].Name != "E [31mth" || got[1].ID != 10 || got[1].Usable || got[2].Usable {
		t.Errorf("%+v %v", got, err)
	}
	for _, answer = range []string{`[]`, `{"chains":[` + one("1", "") + `,` + one("1", "") + `]}`, `nonsense`} {
		if _, err := c.Chains(t.Context()); fault.CodeOf(err) != fault.Upstream {
			t.Errorf("%s: %v", answer, err)
		}
	}
}
