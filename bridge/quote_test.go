package bridge_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/ape-claw/ape-claw/bridge"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/telemetrytest"
)

// fakeRelay answers what it is given, and counts quotes.
type fakeRelay struct {
	chains []bridge.Chain
	answer []byte
	asked  []bridge.Ask
}

func (r *fakeRelay) Name() string                                   { return "relay.test" }
func (r *fakeRelay) Chains(context.Context) ([]bridge.Chain, error) { return r.chains, nil }
func (r *fakeRelay) Quote(_ context.Context, a bridge.Ask) ([]byte, error) {
	r.asked = append(r.asked, a)
	return r.answer, nil
}
func (r *fakeRelay) Status(context.Context, string) (bridge.Claim, error) {
	return bridge.Claim{}, fault.New(fault.Upstream, "not asked")
}

// recorded are the events of a run.
type recorded []telemetry.Draft

func (r *recorded) Record(_ context.Context, d telemetry.Draft) error {
	*r = append(*r, d)
	return nil
}

func (r recorded) types() string {
	var out []string
	for _, d := range r {
		out = append(out, d.Type)
	}
	return strings.Join(out, " ")
}

// world is a service over fakes.
type world struct {
	relay  *fakeRelay
	events *recorded
	src    policy.Sources
	db     *sql.DB
	auth   error
}

func newWorld(t *testing.T) *world {
	f := fixtures(t)[0]
	w := &world{events: &recorded{}, src: policy.Sources{Home: t.TempDir()}, db: openStore(t, t.TempDir()).DB,
		relay: &fakeRelay{answer: encode(t, f.answer), chains: []bridge.Chain{{ID: 1, Usable: true, Depository: depository}, {ID: 33139, Usable: true, Depository: depository}}}}
	return w
}

func (w *world) service() *bridge.Service {
	return bridge.New(bridge.Deps{
		Now: func() time.Time { return time.UnixMilli(1_790_000_000_000) }, Recorder: w.events, TraceID: "trace-1",
		Fence:   func(context.Context) (policy.Fence, error) { return policy.LoadFence(w.src), nil },
		State:   func(context.Context) (*sql.DB, error) { return w.db, nil },
		Relay:   func(context.Context) (bridge.Relay, error) { return w.relay, nil },
		Account: func(context.Context) (common.Address, error) { return owner, w.auth },
		Places:  func(p *policy.Policy) []bridge.Place { return bridge.Places(p.ChainID, p.NativeToken) },
	})
}

var asked = bridge.QuoteIn{From: "ethereum", Token: "ETH", Amount: "0.5"}

// A quote needs no cap, no key's password and no chain: only what was asked is saved.
func TestQuote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, err := w.service().Quote(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	if r.RequestID != requestHex || r.From != "ethereum" || r.To != "apechain" || r.Token != "ETH" || r.Amount != "0.5" || r.FeeBPS != 10 || r.Status != bridge.StatusQuoted ||
		r.MinAmountOut.String() != "916000000000000000000" || r.Account != ownerHex || r.Depository != depositoryHex || r.ExpiresAt.Sub(r.CreatedAt) != 4*time.Minute || r.TraceID != "trace-1" {
		t.Errorf("%+v", r)
	}
	if got, err := (bridge.Store{DB: w.db}).Load(t.Context(), requestHex); err != nil || got != r {
		t.Errorf("%+v %v", got, err)
	}
	if a := w.relay.asked[0]; a.Account != owner || a.From != 1 || a.To != 33139 || a.Amount != r.AmountBaseUnits || !a.NeedsMin {
		t.Errorf("%+v", a)
	}
	if w.events.types() != "bridge.quote.created" {
		t.Errorf("%s", w.events.types())
	}
	rec, dir := telemetrytest.Recorder(t, telemetry.Scope{AgentID: "a", Command: "ape-claw bridge quote", ChainID: 33139})
	for _, d := range *w.events {
		if err := rec.Record(t.Context(), d); err != nil {
			t.Error(err)
		}
	}
	telemetrytest.Check(t, dir)
	// The same id again would have one transfer stand for two.
	if _, err := w.service().Quote(t.Context(), asked); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("%v", err)
	}
}

func TestQuotesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, w *world, in *bridge.QuoteIn)
		code   fault.Code
		says   string
		events string
	}{
		"an unknown chain":      {func(_ *testing.T, _ *world, in *bridge.QuoteIn) { in.From = "solana" }, fault.Usage, "--from", ""},
		"one chain twice":       {func(_ *testing.T, _ *world, in *bridge.QuoteIn) { in.To = "Ethereum" }, fault.Usage, "both ethereum", ""},
		"a token of that name":  {func(_ *testing.T, _ *world, in *bridge.QuoteIn) { in.Token = "PEPE" }, fault.Usage, "no token that is known on ethereum", ""},
		"a token by address":    {func(_ *testing.T, _ *world, in *bridge.QuoteIn) { in.Token = strangerHex }, fault.Usage, "no token", ""},
		"nothing":               {func(_ *testing.T, _ *world, in *bridge.QuoteIn) { in.Amount = "0" }, fault.Usage, "--amount", ""},
		"less than nothing":     {func(_ *testing.T, _ *world, in *bridge.QuoteIn) { in.Amount = "-1" }, fault.Usage, "--amount", ""},
		"too many places":       {func(_ *testing.T, _ *world, in *bridge.QuoteIn) { in.Token, in.Amount = "USDC", "0.0000001" }, fault.Usage, "--amount", ""},
		"past the policy":       {func(_ *testing.T, _ *world, in *bridge.QuoteIn) { in.To = "base" }, fault.NotFound, "does not serve base", ""},
		"no key":                {func(_ *testing.T, w *world, _ *bridge.QuoteIn) { w.auth = fault.New(fault.Auth, "no key") }, fault.Auth, "no key", ""},
		"more at least":         {func(_ *testing.T, _ *world, in *bridge.QuoteIn) { in.MinOut = "917" }, fault.MinimumNotMet, "--min-out is 917 APE", "policy.blocked"},
		"an odd least":          {func(_ *testing.T, _ *world, in *bridge.QuoteIn) { in.MinOut = "1e3" }, fault.Usage, "--min-out", ""},
		"no deposits now":       {func(_ *testing.T, w *world, _ *bridge.QuoteIn) { w.relay.chains[0].Usable = false }, fault.Upstream, "takes no deposits", ""},
		"not served":            {func(_ *testing.T, w *world, _ *bridge.QuoteIn) { w.relay.chains = w.relay.chains[:1] }, fault.NotFound, "apechain", ""},
		"a fee over the limit":  {func(t *testing.T, w *world, _ *bridge.QuoteIn) { policyFile(t, w, `{"bridge":{"maxBridgeFeeBps":9}}`) }, fault.FeeOverLimit, "0.1%", "policy.blocked"},
		"a policy with a fault": {func(t *testing.T, w *world, _ *bridge.QuoteIn) { policyFile(t, w, `{`) }, fault.PolicyInvalid, "policy.json", "policy.blocked"},
		"an unsafe answer": {func(t *testing.T, w *world, _ *bridge.QuoteIn) {
			w.relay.answer = []byte(strings.ReplaceAll(string(w.relay.answer), `"recipient":"`+ownerHex, `"recipient":"`+strangerHex))
		}, fault.UnsafeTransaction, "recipient", "policy.blocked"},
		"an unknown depository": {func(t *testing.T, w *world, _ *bridge.QuoteIn) {
			w.relay.chains[0].Depository = common.HexToAddress(strangerHex)
		}, fault.UnsafeTransaction, "paid otherwise", "policy.blocked"},
		"another depository": {func(t *testing.T, w *world, _ *bridge.QuoteIn) {
			if err := (bridge.Store{DB: w.db}).Pin(t.Context(), 1, common.HexToAddress(strangerHex), time.UnixMilli(1)); err != nil {
				t.Fatal(err)
			}
		}, fault.ContractMismatch, "was noted before", ""},
	} {
		w, in := newWorld(t), asked
		c.change(t, w, &in)
		_, err := w.service().Quote(t.Context(), in)
		if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) || w.events.types() != c.events {
			t.Errorf("%s: %v, %q; want %s, %q, %q", name, err, w.events.types(), c.code, c.says, c.events)
		}
		if _, err := (bridge.Store{DB: w.db}).Load(t.Context(), requestHex); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%s: it was saved: %v", name, err)
		}
	}
}

func policyFile(t *testing.T, w *world, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.src.Home, "policy.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What the gates look at before each step is the route's own bytes; a route that is
// not there, or over, is refused.
func TestFacts(t *testing.T) {
	t.Parallel()
	f := fixtures(t)[1]
	route, err := bridge.Judge(f.ask, depository, encode(t, f.answer))
	if err != nil {
		t.Fatal(err)
	}
	r := saved(t)
	now := r.CreatedAt
	w := r.Facts(route, true, 0, now)
	if w.Phrase() != "BRIDGE 250 USDC ethereum->apechain" || len(w.Steps) != 2 || w.Steps[0].Target != usdcHex || w.Steps[1].Target != depositoryHex || !w.Steps[1].Deposit ||
		w.Asset != (policy.Asset{ChainID: 1, Token: usdcHex}) || *w.FeeBPS != 10 || w.Recipient != ownerHex || w.RefundTo != ownerHex {
		t.Errorf("%+v", w)
	}
	if next := r.Facts(route, true, 1, now); len(next.Steps) != 1 || next.Steps[0] != w.Steps[1] {
		t.Errorf("%+v", next)
	}
	for _, next := range []int{2, 3, -1} {
		if w := r.Facts(route, true, next, now); len(w.Steps) != 0 {
			t.Errorf("%d: %+v", next, w.Steps)
		}
	}
	if bridge.Key(requestHex, 1) != "bridge:"+requestHex+":1" {
		t.Errorf("%s", bridge.Key(requestHex, 1))
	}
}
