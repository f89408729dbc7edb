package provider_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/sandbox/model"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// soon waits for something that another goroutine is about to do.
func soon(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(20 * time.Second)
	defer end.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-end.C:
			t.Fatal("never happened: " + what)
		}
	}
}

// TestDeadlines lets a deadline run out at the moment that it is about, and holds
// that the step ends for it alone.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault model.Fault
		fire  time.Duration
		code  fault.Code
		says  string
		text  string
	}{
		"idle stream":    {model.Idle, time.Minute, fault.Timeout, "sent nothing for 1m0s", "one "},
		"silent stream":  {model.Silent, time.Minute, fault.Timeout, "sent nothing for 1m0s", ""},
		"in all":         {model.Idle, 120 * time.Second, fault.Timeout, "did not finish its answer in time", "one "},
		"in all, silent": {model.Silent, 120 * time.Second, fault.Timeout, "did not finish its answer in time", ""},
		"no end":         {model.Lingering, 5 * time.Second, "", "", all},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := start(t, steps(words(tt.fault), words(""))), newClock()
			var got atomic.Int64
			done := make(chan struct{})
			var text string
			var err error
			go func() {
				defer close(done)
				r, e := dial(t, srv.URL, c).Step(t.Context(), ask("go"), func(s string) { got.Add(int64(len(s))) })
				text, err = r.Text, e
			}()
			soon(t, "the stream comes to where it stops", func() bool {
				return len(srv.Requests()) == 1 && got.Load() == int64(len(tt.text)) && c.set(tt.fire)
			})
			c.fire(tt.fire)
			<-done
			if fault.CodeOf(err) != tt.code || err != nil && !strings.Contains(err.Error(), tt.says) || text != tt.text {
				t.Errorf("got %q, %v", text, err)
			}
			if n := len(srv.Requests()); n != 1 {
				t.Errorf("%d requests: a deadline is no reason to ask again", n)
			}
		})
	}
}

// TestBytesKeepAStreamAlive holds that each piece begins the wait anew.
func TestBytesKeepAStreamAlive(t *testing.T) {
	t.Parallel()
	srv, c := start(t, steps(words(model.Comments))), newClock()
	if _, err := dial(t, srv.URL, c).Step(t.Context(), ask("go"), nil); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, tm := range c.timers {
		if tm.on {
			t.Errorf("a timer of %s still runs", tm.d)
		}
	}
	if idle := c.timers[1]; idle.beats == 0 {
		t.Error("no byte of the stream began the wait anew")
	}
}

func TestTheWaitsFitTheDeadline(t *testing.T) {
	t.Parallel()
	busy := model.Step{Fault: model.RateLimited, After: "30"}
	srv, c := start(t, steps(busy, busy, busy)), newClock()
	m := dial(t, srv.URL, c, func(o *provider.Options) { o.Total = 45 * time.Second })
	_, err := m.Step(t.Context(), ask("go"), nil)
	if fault.CodeOf(err) != fault.RateLimited || len(c.waited()) != 1 {
		t.Errorf("waited %v of 45 s, and %v", c.waited(), err)
	}
	if e := fault.From(err); e.Details["retryAfterSeconds"] != int64(30) {
		t.Errorf("details %v do not say when to come back", e.Details)
	}
}

func TestJitter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rand        func(int64) int64
		first, next time.Duration
	}{
		{func(int64) int64 { return 0 }, 800 * time.Millisecond, 1600 * time.Millisecond},
		{func(n int64) int64 { return n - 1 }, 1200 * time.Millisecond, 2400 * time.Millisecond},
	} {
		srv, c := start(t, steps(words(model.Broken), words(model.Broken), words(""))), newClock()
		if _, err := dial(t, srv.URL, c, func(o *provider.Options) { o.Rand = tt.rand }).Step(t.Context(), ask("go"), nil); err != nil {
			t.Fatal(err)
		}
		if w := c.waited(); w[0] != tt.first || w[1] != tt.next {
			t.Errorf("waited %v, want %v and %v", w, tt.first, tt.next)
		}
	}
}

// TestTheCallerEndsIt holds that a turn that is stopped says why.
func TestTheCallerEndsIt(t *testing.T) {
	t.Parallel()
	killed := fault.New(fault.Killed, "the kill switch is on")
	for name, tt := range map[string]struct {
		cause error
		code  fault.Code
	}{
		"canceled": {nil, fault.Canceled}, "killed": {killed, fault.Killed}, "late": {context.DeadlineExceeded, fault.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := start(t, steps(words(model.Idle))), newClock()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			_, err := dial(t, srv.URL, c).Step(ctx, ask("go"), func(string) { cancel(tt.cause) })
			if fault.CodeOf(err) != tt.code {
				t.Errorf("got %v, want %s", err, tt.code)
			}
			if _, err = dial(t, srv.URL, c).Step(ctx, ask("go"), nil); fault.CodeOf(err) != tt.code || len(srv.Requests()) != 1 {
				t.Errorf("a step of a turn that ended: %v, %d requests", err, len(srv.Requests()))
			}
		})
	}
}

func TestTheWaitEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	srv, c := start(t, steps(words(model.Broken), words(""))), newClock()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := dial(t, srv.URL, c, func(o *provider.Options) {
		o.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	}).Step(ctx, ask("go"), nil)
	if fault.CodeOf(err) != fault.Canceled || len(srv.Requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(srv.Requests()))
	}
}

func TestDeadPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	c := newClock()
	m := dial(t, "http://"+addr+"/v1", c)
	_, err = m.Step(t.Context(), ask("go"), nil)
	e := fault.From(err)
	if e.Code != fault.ProviderError || !strings.Contains(e.Message, "connection refused") || e.Details["attempts"] != 3 || len(c.waited()) != 2 {
		t.Errorf("got %v with %v", err, e.Details)
	}
	if _, err = m.Models(t.Context()); fault.CodeOf(err) != fault.ProviderError || len(c.waited()) != 2 {
		t.Errorf("models: %v; it is asked once", err)
	}
	noKey(t, err)
}

// TestTheKeyStaysHere holds that no redirect takes the key to another host, or
// anywhere at all.
func TestTheKeyStaysHere(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path, status)
		}))
		m := dial(t, srv.URL+"/v1", newClock())
		_, step := m.Step(t.Context(), ask("go"), nil)
		_, list := m.Models(t.Context())
		for _, err := range []error{step, list} {
			if fault.CodeOf(err) != fault.ProviderError || !strings.Contains(fault.From(err).Hint, "redirects are not followed") {
				t.Errorf("%d: %v", status, err)
			}
		}
		srv.Close()
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("the other host was reached %d times", n)
	}
}

// TestNothingHandedOnIsTakenBack holds that a step is not asked for again once
// text was handed on, whatever ended it.
func TestNothingHandedOnIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, f := range []model.Fault{model.Cut, model.Midway} {
		srv, c := start(t, steps(words(f), words(""))), newClock()
		if _, err := dial(t, srv.URL, c).Step(t.Context(), ask("go"), func(string) {}); err == nil || len(srv.Requests()) != 1 {
			t.Errorf("%s, listened to: %v after %d requests", f, err, len(srv.Requests()))
		}
		srv, c = start(t, steps(words(f), words(""))), newClock()
		if r, err := dial(t, srv.URL, c).Step(t.Context(), ask("go"), nil); err != nil || r.Text != all || len(srv.Requests()) != 2 {
			t.Errorf("%s, not listened to: %q, %v after %d requests", f, r.Text, err, len(srv.Requests()))
		}
	}
}

func TestNoCallOfAnAnswerThatBrokeOff(t *testing.T) {
	t.Parallel()
	st := model.Step{Say: "first ", Call: two("").Call, Fault: model.Cut}
	srv := start(t, steps(st))
	r, err := dial(t, srv.URL, newClock()).Step(t.Context(), ask("go"), func(string) {})
	if err == nil || len(r.Calls) != 0 || r.Text != "first " {
		t.Errorf("%q, calls %v, %v", r.Text, r.Calls, err)
	}
	var e *fault.Error
	if !errors.As(err, &e) || e.Details["attempts"] != 1 {
		t.Errorf("got %#v", err)
	}
}
