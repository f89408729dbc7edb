package commands

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry"
)

// What became of an action is looked for from the newest line on, no further back than
// its approval, and not with every look at a page.
func TestLooksForAnOutcomeNoFurtherThanItMust(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	h := typedHost(t.TempDir(), filepath.Join(t.TempDir(), "state"), &out, &errs)
	now := time.Now()
	h.Now = func() time.Time { return now }
	d := newDeps(h)
	d.spec = Spec{Name: "serve", Quiet: true}
	newRoot(d)
	t.Cleanup(func() { d.close() })
	log, err := d.log()
	if err != nil {
		t.Fatal(err)
	}
	write := func(at time.Time, kind, quote, hash string) {
		t.Helper()
		rec := telemetry.NewRecorder(log, nil, func() time.Time { return at }, telemetry.Scope{AgentID: "conn:x", SessionID: "s", TraceID: "trace_abc", Command: "ape-claw nft buy", Source: "ai"})
		if err := rec.Record(t.Context(), telemetry.Draft{Type: kind, Payload: map[string]any{"quoteId": quote}, Result: map[string]any{"txHash": hash}}); err != nil {
			t.Fatal(err)
		}
	}
	approved := now.Add(-time.Hour)
	a := func(n int) action.Action {
		return action.Action{ID: fmt.Sprint("act_", n), Command: "nft buy", TraceID: "trace_abc", Reference: "q_1", ResolvedAt: approved}
	}
	ask := func(n int, want string) {
		t.Helper()
		got, err := d.settledAction(t.Context(), a(n))
		if err != nil || got.TxHash != want {
			t.Errorf("%+v, %v, want %q", got, err, want)
		}
	}
	write(approved.Add(-2*time.Hour), "nft.buy.confirmed", "q_1", "before it") // of an earlier try
	ask(1, "")
	write(approved.Add(time.Minute), "nft.buy.confirmed", "q_2", "another")
	write(approved.Add(2*time.Minute), "nft.buy.confirmed", "q_1", "it")
	for range 3 {
		write(now, "nft.buy.blocked", "q_1", "")
	}
	ask(1, "") // it was looked for a moment ago
	ask(2, "it")
	now = now.Add(lookAgain)
	ask(1, "it")
	now = now.Add(-2 * lookAgain) // a clock that was set back makes nobody wait
	ask(2, "it")
	if errs.Len() > 0 {
		t.Error(errs.String())
	}
}
