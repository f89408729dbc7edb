package commands

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/v2"
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

// What others sent into the log is no evidence for actions of this home, takes the place
// of no event that is still to be told, and does not say by its time that there is no
// more to look for.
func TestEventsOfOthersSettleNothing(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	d := newDeps(typedHost(t.TempDir(), filepath.Join(t.TempDir(), "state"), &out, &errs))
	d.spec = Spec{Name: "serve", Quiet: true}
	newRoot(d)
	t.Cleanup(func() { d.close() })
	log, err := d.log()
	if err != nil {
		t.Fatal(err)
	}
	approved := time.Now().Add(-time.Hour)
	line := func(at time.Time, kind, trace, hash, more string) {
		t.Helper()
		l := fmt.Appendf(nil, `{"v":1,"ts":%q,"eventType":%q,"traceId":%q,"payload":{"quoteId":"q_1","actionId":"act_1"},"result":{"txHash":%q}%s}`,
			at.UTC().Format(time.RFC3339Nano), kind, trace, hash, more)
		if _, err := log.Append(t.Context(), l, false); err != nil {
			t.Fatal(err)
		}
	}
	told := func() bool {
		t.Helper()
		there, err := d.loggedEvent(t.Context(), "trace_abc", "ai.action.executed", approved, func(telemetry.Event) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		return there
	}
	const theirs = `,"eventId":"ob-x/7"`
	line(approved.Add(time.Minute), "nft.buy.confirmed", "trace_abc", "it", "")
	for _, at := range []time.Time{approved.Add(2 * time.Minute), approved.Add(-24 * time.Hour), time.Unix(0, 0)} {
		line(at, "nft.buy.confirmed", "trace_abc", "forged", theirs)
		line(at, "ai.action.executed", "trace_abc", "forged", theirs)
		line(at, "custom.kind", "trace_other", "", theirs)
	}
	got, err := d.settledAction(t.Context(), action.Action{ID: "act_1", Command: "nft buy", TraceID: "trace_abc", Reference: "q_1", ResolvedAt: approved})
	if err != nil || got.State != action.Executed || got.TxHash != "it" {
		t.Errorf("settled by %+v, %v", got, err)
	}
	if told() {
		t.Error("an event of another counts as told")
	}
	if line(approved, "ai.action.executed", "trace_abc", "it", ""); !told() {
		t.Error("the event does not count as told")
	}
	if errs.Len() > 0 {
		t.Error(errs.String())
	}
}

// An approved write on chain is settled by the events that name it, and by no others:
// the same transaction may be another action's, in the same trace, or come from another
// machine.
func TestSettlesAWriteByItsAction(t *testing.T) {
	t.Parallel()
	approved := time.Now().Add(-time.Hour)
	hash := "0x" + strings.Repeat("ab", 32)
	line := func(kind, id, more string) []byte {
		return fmt.Appendf(nil, `{"v":1,"ts":%q,"eventType":%q,"traceId":"trace_abc","payload":{"actionId":%q},"result":{"txHash":%q}%s}`,
			approved.Add(time.Minute).UTC().Format(time.RFC3339Nano), kind, id, hash, more)
	}
	for command := range writeProposers() {
		done := v2.EventOf(command)
		types := settlingTypes(command)
		if done == "" || len(types) != 3 {
			t.Errorf("%s is settled by %q", command, types)
			continue
		}
		a := action.Action{ID: "act_1", Command: command, TraceID: "trace_abc", ResolvedAt: approved}
		for kind, want := range map[string]action.State{done: action.Executed, "v2.tx.reverted": action.Failed, "v2.tx.cancelled": action.Failed} {
			if got, ok := settlement(line(kind, "act_1", ""), a); !ok || got.State != want || got.TxHash != hash || (want == action.Failed) != (got.Code != "") {
				t.Errorf("%s, %s: %+v %t", command, kind, got, ok)
			}
			for what, l := range map[string][]byte{"another's": line(kind, "act_2", ""), "nobody's": line(kind, "", ""), "another machine's": line(kind, "act_1", `,"eventId":"box/7"`)} {
				if got, ok := settlement(l, a); ok {
					t.Errorf("%s, %s that is %s: %+v", command, kind, what, got)
				}
			}
		}
		if got, ok := settlement(line("v2.tx.unknown", "act_1", ""), a); ok {
			t.Errorf("%s, unknown: %+v", command, got)
		}
	}
}
