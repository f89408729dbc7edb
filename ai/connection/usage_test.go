package connection_test

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/connection"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func used(in, out int64) ai.Usage { return ai.Usage{Input: &in, Output: &out} }

func TestCaps(t *testing.T) {
	t.Parallel()
	prices := connection.Prices{"*": {InputMicros: 2_500_000, OutputMicros: 10_000_000}}
	tests := map[string]struct {
		caps   connection.Caps
		prices connection.Prices
		steps  []ai.Usage // the last one reaches the cap
	}{
		"tokens":               {connection.Caps{TokensPerDay: 1000}, nil, []ai.Usage{used(500, 100), used(300, 99), used(1, 0)}},
		"tokens, unknown":      {connection.Caps{TokensPerDay: 2 * connection.UnknownStep}, nil, []ai.Usage{{}, {}}},
		"tokens, half unknown": {connection.Caps{TokensPerDay: connection.UnknownStep}, nil, []ai.Usage{{Input: ptr(int64(3))}}},
		"turns":                {connection.Caps{TurnsPerDay: 3}, nil, []ai.Usage{{}, {}, {}}},
		"cost":                 {connection.Caps{CostMicrosPerDay: 1_000_000}, prices, []ai.Usage{used(200_000, 0), used(0, 49_999), used(4, 0)}},
		"cost, as told":        {connection.Caps{CostMicrosPerDay: 10}, prices, []ai.Usage{{CostMicros: ptr(int64(9))}, {CostMicros: ptr(int64(1))}}},
		"cost, unknown":        {connection.Caps{CostMicrosPerDay: 70_000}, prices, []ai.Usage{{}}},
		"absurd numbers":       {connection.Caps{TokensPerDay: 1 << 50, CostMicrosPerDay: 1 << 50}, prices, []ai.Usage{used(math.MaxInt64, math.MaxInt64)}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c, err := w.s.Add(t.Context(), connection.AddIn{Name: "main", Service: "openai", Key: canary, Caps: tt.caps, Prices: tt.prices})
			must(t, err)
			for i, u := range tt.steps {
				if err := w.s.Allowed(t.Context(), c.ID); err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
				must(t, w.s.Charge(t.Context(), c.ID, true, u))
			}
			code(t, w.s.Allowed(t.Context(), c.ID), fault.CostCap)
			_, _, err = w.s.Open(t.Context(), "main")
			code(t, err, fault.CostCap)
			if got := w.show("main").Status; got != connection.Capped {
				t.Error(got)
			}
			if last := w.events[len(w.events)-1]; last.Type != "ai.budget.blocked" || last.Err == "" {
				t.Errorf("%+v", last)
			}
			// It leaves with the next day, in UTC, and with higher caps.
			if _, err := w.s.Set(t.Context(), "main", connection.Change{Caps: &connection.Caps{}}); err != nil || w.show("main").Status != connection.Active {
				t.Errorf("%v %s", err, w.show("main").Status)
			}
			_, err = w.s.Set(t.Context(), "main", connection.Change{Caps: &tt.caps})
			must(t, err)
			w.pass(59 * time.Minute)
			code(t, w.s.Allowed(t.Context(), c.ID), fault.CostCap)
			w.pass(time.Minute)
			if err := w.s.Allowed(t.Context(), c.ID); err != nil {
				t.Error(err)
			}
		})
	}
}

// A negative number from a provider takes nothing back.
func TestChargeNegative(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.add("main")
	must(t, w.s.Charge(t.Context(), c.ID, true, used(10, 10)))
	must(t, w.s.Charge(t.Context(), c.ID, false, ai.Usage{Input: ptr(int64(-100)), Output: ptr(int64(-1)), CostMicros: ptr(int64(-5))}))
	u, err := w.s.Day(t.Context(), "main")
	if err != nil || u.Input != 10 || u.Output != 10 || u.CostMicros != 0 || u.Turns != 1 {
		t.Errorf("%+v %v", u, err)
	}
}

func TestChargeTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.add("main")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if err := w.s.Charge(t.Context(), c.ID, true, used(2, 3)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	w.pass(24 * time.Hour)
	must(t, w.s.Charge(t.Context(), c.ID, false, ai.Usage{}))
	days, err := w.s.Days(t.Context(), "main", 10)
	if err != nil || len(days) != 2 || days[1].Turns != 16 || days[1].Tokens() != 80 || days[0].Unknown != 1 || days[0].Tokens() != connection.UnknownStep {
		t.Errorf("%+v %v", days, err)
	}
}

// A step's cost is the provider's, else by the model's own price, else by that of
// any model; without, it stays unknown.
func TestCostOfAStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.s.Add(t.Context(), connection.AddIn{Name: "main", Service: "openai", Key: canary,
		Prices: connection.Prices{"big": {InputMicros: 10_000_000, OutputMicros: 30_000_000}, "*": {InputMicros: 1_000_000, OutputMicros: 1}}})
	must(t, err)
	_, m, err := w.s.Open(t.Context(), "main")
	must(t, err)
	for name, tt := range map[string]struct {
		asked, answered string
		u               ai.Usage
		want            int64 // -1: unknown
	}{
		"own price":          {"big", "big-2026", used(100, 10), 1300},
		"of who answered":    {"auto", "big", used(100, 10), 1300},
		"any model's":        {"small", "small", used(100, 0), 100},
		"rounded up":         {"small", "small", used(0, 1), 1},
		"told":               {"big", "big", ai.Usage{Input: ptr(int64(1)), Output: ptr(int64(1)), CostMicros: ptr(int64(7))}, 7},
		"tokens not told":    {"big", "big", ai.Usage{}, -1},
		"no model was named": {"", "", used(100, 10), 100 + 1},
	} {
		w.reply = ai.Reply{Model: tt.answered, Usage: tt.u}
		got, err := m.Step(t.Context(), ai.Request{Model: tt.asked}, nil)
		if err != nil || (got.Usage.CostMicros == nil) != (tt.want < 0) || (tt.want >= 0 && *got.Usage.CostMicros != tt.want) {
			t.Errorf("%s: %v %v, want %d", name, got.Usage.CostMicros, err, tt.want)
		}
	}
}

func TestTiers(t *testing.T) {
	t.Parallel()
	read, write, high := ai.GradeRead, ai.GradeWrite, ai.GradeHigh
	for _, tt := range []struct {
		hook   string
		grades []ai.Grade
		want   connection.Tier
	}{
		{"", nil, connection.Fast}, {"", []ai.Grade{read}, connection.Fast}, {"", []ai.Grade{read, write}, connection.Standard},
		{"", []ai.Grade{write, high}, connection.Powerful}, {"tick", []ai.Grade{high}, connection.Powerful},
		{"init", []ai.Grade{high}, connection.Fast}, {"shutdown", []ai.Grade{write}, connection.Fast},
	} {
		if got := connection.TierFor(tt.hook, tt.grades); got != tt.want {
			t.Errorf("%q %v: %s, want %s", tt.hook, tt.grades, got, tt.want)
		}
	}
	c := connection.Connection{Name: "x", Models: []string{"a", "b"}, Tiers: map[connection.Tier]string{connection.Powerful: "b"}}
	if m, err := c.Choose("", connection.Powerful); m != "b" || err != nil {
		t.Error(m, err)
	}
	_, err := c.Choose("", connection.Fast)
	code(t, err, fault.ModelUnavailable)
	c.Model = "a"
	if m, err := c.Choose("", connection.Powerful); m != "a" || err != nil {
		t.Error("a pinned model comes before the tier's", m, err)
	}
	_, err = c.Choose("c", connection.Fast)
	code(t, err, fault.ModelUnavailable)
	if m, err := (connection.Connection{Models: []string{"only"}}).Choose("", connection.Fast); m != "only" || err != nil {
		t.Error(m, err)
	}
	if m, err := (connection.Connection{}).Choose("any", connection.Fast); m != "any" || err != nil {
		t.Error("a connection without a list takes any", m, err)
	}
}
