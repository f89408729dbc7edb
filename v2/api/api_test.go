package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/serve"
	"github.com/ape-claw/ape-claw/v2/api"
)

// chain answers as a test says, and counts who asks.
type chain struct {
	err     error
	wait    func(ctx context.Context) error
	reads   atomic.Int64
	atOnce  atomic.Int64
	most    atomic.Int64
	closed  atomic.Int64
	traceID atomic.Value
}

func (c *chain) ask(ctx context.Context) error {
	c.reads.Add(1)
	for n := c.atOnce.Add(1); ; {
		if m := c.most.Load(); n <= m || c.most.CompareAndSwap(m, n) {
			break
		}
	}
	defer c.atOnce.Add(-1)
	if c.wait != nil {
		if err := c.wait(ctx); err != nil {
			return err
		}
	}
	return c.err
}

func (c *chain) Config(ctx context.Context) (api.Config, error) {
	return api.Config{OK: true, ChainID: 7733139, Network: "sandbox"}, c.ask(ctx)
}

func (c *chain) Receipt(ctx context.Context, id string) (api.Receipt, error) {
	c.traceID.Store(id)
	return api.Receipt{OK: true, TraceID: id}, c.ask(ctx)
}
func (c *chain) Vault(ctx context.Context) (api.Vault, error) { return api.Vault{OK: true}, c.ask(ctx) }
func (c *chain) Skills(ctx context.Context) (api.Skills, error) {
	return api.Skills{OK: true}, c.ask(ctx)
}

func handler(c *chain) http.Handler {
	return api.New(api.Options{
		Open: func(context.Context) (api.Reads, func(), error) { return c, func() { c.closed.Add(1) }, nil },
		Fail: serve.WriteError, Now: time.Now, Log: func(string, error) {},
	})
}

func get(ctx context.Context, h http.Handler, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, target, nil))
	return w
}

var all = []string{"/api/v2/config", "/api/v2/receipt/get?traceId=trace_1", "/api/v2/vault", "/api/v2/skills"}

func TestStatuses(t *testing.T) {
	t.Parallel()
	secret := "the RPC at https://user:hunter2@node.example/v3/k3y can't be read, nor /home/mara/state/v2-deployments/apechain.json"
	for name, tc := range map[string]struct {
		err  error
		want int
		code fault.Code
	}{
		"well":           {nil, 200, ""},
		"not configured": {fault.New(fault.ContractMissing, "%s", secret).Hintf("%s", secret), 501, fault.ContractMissing},
		"bad setting":    {fault.New(fault.Usage, "%s", secret), 501, fault.ContractMissing},
		"foreign code":   {fault.New(fault.ContractMismatch, "%s", secret), 502, fault.ContractMismatch},
		"not listed":     {fault.New(fault.ContractNotAllowed, "%s", secret), 502, fault.ContractMismatch},
		"other chain":    {fault.New(fault.ChainMismatch, "%s", secret), 502, fault.ChainMismatch},
		"node":           {fault.New(fault.Upstream, "%s", secret).Hintf("%s", secret), 502, fault.Upstream},
		"slow node":      {fault.New(fault.Timeout, "%s", secret), 502, fault.Upstream},
		"record":         {fault.New(fault.StateUnusable, "%s", secret), 503, fault.StateUnusable},
		"foreign error":  {errors.New(secret), 500, fault.Internal},
	} {
		for _, target := range all {
			c := &chain{err: tc.err}
			w := get(t.Context(), handler(c), target)
			if w.Code != tc.want || !strings.Contains(w.Body.String(), string(tc.code)) {
				t.Errorf("%s, %s: %d %s", name, target, w.Code, w.Body)
			}
			for _, no := range []string{"hunter2", "node.example", "/home", "v2-deployments"} {
				if strings.Contains(w.Body.String(), no) {
					t.Errorf("%s, %s: the answer has %q: %s", name, target, no, w.Body)
				}
			}
			if c.closed.Load() != 1 {
				t.Errorf("%s, %s: closed %d times", name, target, c.closed.Load())
			}
		}
	}
}

func TestAsksOnlyWhatItKnows(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]int{
		"/api/v2/receipt/get":                                          400,
		"/api/v2/receipt/get?traceId=":                                 400,
		"/api/v2/receipt/get?traceId=a&traceId=b":                      400,
		"/api/v2/receipt/get?traceid=a":                                400,
		"/api/v2/receipt/get?traceId=a&rpc=http://x":                   400,
		"/api/v2/receipt/get?traceId=" + strings.Repeat("a", 129):      400,
		"/api/v2/receipt/get?traceId=%1b[31m":                          400,
		"/api/v2/receipt/get?traceId=%ff":                              400,
		"/api/v2/receipt/get?traceId=..%2Fx":                           400,
		"/api/v2/receipt/get?traceId=a&_=1":                            200,
		"/api/v2/config?rpc=http://x":                                  400,
		"/api/v2/vault?vault=0x00000000000000000000000000000000000000": 400,
		"/api/v2/skills?_=1":                                           200,
		"/api/v2/":                                                     404,
		"/api/v2/config/":                                              404,
		"/api/v2/receipt":                                              404,
	} {
		c := &chain{}
		if w := get(t.Context(), handler(c), target); w.Code != want {
			t.Errorf("%s: %d, want %d: %s", target, w.Code, want, w.Body)
		} else if asked := c.reads.Load() > 0; asked != (want == 200) {
			t.Errorf("%s: the chain was asked: %v", target, asked)
		}
	}
}

func TestTraceComesAsItWasAsked(t *testing.T) {
	t.Parallel()
	c := &chain{}
	get(t.Context(), handler(c), "/api/v2/receipt/get?traceId=trace_1.q_2:a%40b-C")
	if got := c.traceID.Load(); got != "trace_1.q_2:a@b-C" {
		t.Errorf("asked for %q", got)
	}
}

func TestOneReadForAllWhoAskTheSame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &chain{wait: func(context.Context) error { time.Sleep(time.Second); return nil }}
		h := handler(c)
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if w := get(t.Context(), h, "/api/v2/config"); w.Code != 200 {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		wg.Wait()
		get(t.Context(), h, "/api/v2/config")
		if n := c.reads.Load(); n != 1 {
			t.Errorf("%d reads for who asked at once and just after", n)
		}
		time.Sleep(3 * time.Second)
		get(t.Context(), h, "/api/v2/config")
		if n := c.reads.Load(); n != 2 {
			t.Errorf("%d reads: an answer is kept for too long", n)
		}
	})
}

// A failure is shared too: a node that is down is not asked by every tab.
func TestFailureIsRemembered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &chain{err: fault.New(fault.Upstream, "down")}
		h := handler(c)
		for range 10 {
			get(t.Context(), h, "/api/v2/vault")
		}
		if n := c.reads.Load(); n != 1 {
			t.Errorf("%d reads", n)
		}
	})
}

func TestReadsAreFewAtOnceAndEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &chain{wait: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		h := handler(c)
		start := time.Now()
		var wg sync.WaitGroup
		codes := make([]int, 40)
		for i := range codes {
			wg.Go(func() { codes[i] = get(t.Context(), h, fmt.Sprintf("/api/v2/receipt/get?traceId=t%d", i)).Code })
		}
		wg.Wait()
		if took := time.Since(start); took > 6*time.Second {
			t.Errorf("a node that says nothing held them up for %s", took)
		}
		if m := c.most.Load(); m != 4 {
			t.Errorf("%d reads at once", m)
		}
		for i, code := range codes {
			if code != 502 && code != 429 {
				t.Errorf("%d: %d", i, code)
			}
		}
	})
}

func TestManyQuestionsTakeNoMoreMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &chain{}
		h := handler(c)
		var busy *httptest.ResponseRecorder
		for i := range 1000 {
			if w := get(t.Context(), h, fmt.Sprintf("/api/v2/receipt/get?traceId=t%d", i)); w.Code == 429 {
				busy = w
				break
			}
		}
		if busy == nil || busy.Header().Get("Retry-After") == "" || c.reads.Load() > 300 {
			t.Fatalf("%d answers are remembered, and the end is %v", c.reads.Load(), busy)
		}
		if w := get(t.Context(), h, "/api/v2/config"); w.Code != 200 {
			t.Errorf("who asks something else: %d %s", w.Code, w.Body)
		}
		time.Sleep(3 * time.Second)
		if w := get(t.Context(), h, "/api/v2/receipt/get?traceId=one-more"); w.Code != 200 {
			t.Errorf("afterwards: %d %s", w.Code, w.Body)
		}
	})
}

// Who asked first and goes away takes the answer from nobody.
func TestWhoGoesAwayTakesNothingAlong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &chain{wait: func(ctx context.Context) error {
			select {
			case <-time.After(time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
		h := handler(c)
		first, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { get(first, h, "/api/v2/skills") })
		synctest.Wait()
		wg.Go(func() {
			if w := get(t.Context(), h, "/api/v2/skills"); w.Code != 200 {
				t.Errorf("who waited: %d %s", w.Code, w.Body)
			}
		})
		second, leaveToo := context.WithCancel(t.Context())
		wg.Go(func() { get(second, h, "/api/v2/skills") })
		synctest.Wait()
		leave()
		leaveToo()
		wg.Wait()
	})
}

func TestPanicLeavesNobodyWaiting(t *testing.T) {
	t.Parallel()
	c := &chain{wait: func(context.Context) error { panic("odd") }}
	h := handler(c)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed: the server logs it")
			}
		}()
		get(t.Context(), h, "/api/v2/vault")
	}()
	if w := get(t.Context(), h, "/api/v2/vault"); w.Code != 500 {
		t.Errorf("just after: %d %s", w.Code, w.Body)
	}
}
