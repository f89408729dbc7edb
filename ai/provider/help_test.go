package provider_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/sandbox/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key is long enough that parts of it would be noticed.
const key = "sk-test-4f9c2b7e81d3a6c5"

// clock is what a provider is handed in place of time: it stands still unless a
// wait moves it, and timers fire when they are told to.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	waits  []time.Duration
	timers []*timer
}

type timer struct {
	c     *clock
	d     time.Duration
	f     func()
	on    bool
	beats int // times that it was set anew
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits, c.now = append(c.waits, d), c.now.Add(d)
	return ctx.Err()
}

func (c *clock) AfterFunc(d time.Duration, f func()) provider.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c: c, d: d, f: f, on: true}
	c.timers = append(c.timers, t)
	return t
}

func (t *timer) Stop() bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	was := t.on
	t.on = false
	return was
}

func (t *timer) Reset(d time.Duration) bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	was := t.on
	t.on, t.d, t.beats = true, d, t.beats+1
	return was
}

// fire lets the timers of this length run out, and returns how many did.
func (c *clock) fire(d time.Duration) int {
	c.mu.Lock()
	var due []*timer
	for _, t := range c.timers {
		if t.on && t.d == d {
			t.on = false
			due = append(due, t)
		}
	}
	c.mu.Unlock()
	for _, t := range due {
		t.f()
	}
	return len(due)
}

// set reports whether a timer of this length runs.
func (c *clock) set(d time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.timers {
		if t.on && t.d == d {
			return true
		}
	}
	return false
}

func (c *clock) waited() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration(nil), c.waits...)
}

// transport is one of a test's own: connections of one do not serve another.
func transport(t *testing.T) http.RoundTripper {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// start plays a script.
func start(t *testing.T, s model.Script) *model.Server {
	t.Helper()
	srv, err := model.Start(t.Context(), model.Options{Script: s, Key: key,
		Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

func steps(s ...model.Step) model.Script { return model.Script{Steps: s} }

// dial makes the provider of a service.
func dial(t *testing.T, url string, c *clock, with ...func(*provider.Options)) ai.Model {
	t.Helper()
	o := provider.Options{Name: "the service", BaseURL: url, Key: key, Transport: transport(t), Now: c.Now, Sleep: c.Sleep, AfterFunc: c.AfterFunc}
	for _, f := range with {
		f(&o)
	}
	m, err := provider.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ask(text string) ai.Request {
	return ai.Request{Model: "scripted", System: "You help.", Messages: []ai.Message{{Role: ai.RoleUser, Text: text}},
		Tools: []ai.ToolDecl{
			{Name: "nft_quote", Description: "Quote one.", Schema: json.RawMessage(`{"type":"object","properties":{"collection":{"type":"string"}},"additionalProperties":false}`)},
			{Name: "market_listings", Description: "List some.", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
		}}
}

// heard collects what is handed on.
type heard struct{ b strings.Builder }

func (h *heard) on(s string) { h.b.WriteString(s) }

func (h *heard) String() string { return h.b.String() }
