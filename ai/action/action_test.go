package action_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/action"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/telemetrytest"
)

// A proposal is approved, executed once with exactly what was stored, and told in
// order.
// What gas may cost can change while a person reads, and what the card said leaves the
// account at the most stays what may leave it.
func TestNoMoreLeavesThanTheCardSaid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ then, most string }{
		"dearer":   {"100400000000000000000", "100100000000000000000"},
		"the same": {"100100000000000000000", "100100000000000000000"},
		"cheaper":  {"100050000000000000000", "100050000000000000000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := w.service(t)
			spends := func(base string) {
				w.set(func() {
					w.preview = func(args json.RawMessage) (ai.Preview, error) {
						p, err := w.facts("100")(args)
						p.Spends = []ai.Amount{{Asset: "33139/native", Base: base, Shown: base}}
						return p, err
					}
				})
			}
			var most []ai.Amount
			w.execute = func(_ context.Context, _ ai.Call, a ai.Approval) (any, error) { most = a.Most; return nil, nil }
			spends("100200000000000000000")
			id := propose(t, s, w.proposal("nft_buy", "q_1"))
			spends("100100000000000000000")
			c := challenge(t, s, id)
			spends(tt.then)
			a, err := s.Approve(t.Context(), id, c)
			if err != nil || a.State != action.Executed {
				t.Fatalf("%s %+v, %v", a.State, a.Outcome, err)
			}
			permits, err := s.Permits(t.Context(), id)
			if err != nil || len(most) != 1 || most[0].Base != tt.most || permits[0].Limits[0].Base != tt.most {
				t.Errorf("%+v and the permit %+v, want %s; %v", most, permits, tt.most, err)
			}
		})
	}
}

// Whoever leaves once it is approved does not end the execution, but what follows it:
// a server that stops is not kept by a model's turn.
func TestWhoApprovedMayLeave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var of error
	s := w.service(t, func(o *action.Options) { o.After = func(ctx context.Context, _ action.Action) { of = ctx.Err() } })
	id := propose(t, s, w.proposal("nft_buy", "q_1"))
	_, run, err := s.Begin(t.Context(), id, challenge(t, s, id))
	if err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if a, err := run(gone); err != nil || a.State != action.Executed {
		t.Errorf("%s, %v", a.State, err)
	}
	if of == nil {
		t.Error("what follows is told that somebody waits for it")
	}
}

func TestApprove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.service(t)
	id := propose(t, s, w.proposal("nft_buy", "q_1"))
	c := challenge(t, s, id)
	a, err := s.Approve(t.Context(), id, c)
	if err != nil {
		t.Fatal(err)
	}
	if a.State != action.Executed || a.Outcome.TxHash != "0x"+strings.Repeat("ab", 32) || a.ExecutedAt.IsZero() {
		t.Errorf("%+v %+v", a, a.Outcome)
	}
	if want := []string{`{"quote":"q_1"} BUY lazy-lions #7 100 APE trace_turn`}; !slices.Equal(w.runs, want) {
		t.Errorf("executed %q, want %q", w.runs, want)
	}
	if want := []string{"ai.action.proposed", "ai.action.resolved", "ai.grant.created", "ai.action.executed"}; !slices.Equal(w.events(t), want) {
		t.Errorf("events %q, want %q", w.events(t), want)
	}
	for _, e := range telemetrytest.Check(t, w.dir) {
		if e.TraceID != "trace_turn" || e.SessionID != "room_1" || e.Source != "ai" {
			t.Errorf("%s: trace %s, session %s, source %s", e.EventType, e.TraceID, e.SessionID, e.Source)
		}
	}
	permits, err := s.Permits(t.Context(), id)
	if err != nil || len(permits) != 1 || permits[0].UsesLeft != 0 || permits[0].ExpiresAt.Sub(permits[0].CreatedAt) != 120*time.Second {
		t.Errorf("permits %+v, %v", permits, err)
	}
	if len(w.after) != 1 || w.after[0].State != action.Executed {
		t.Errorf("after: %+v", w.after)
	}
	_, err = s.Approve(t.Context(), id, c)
	wantCode(t, err, fault.ActionNotPending)
	_, err = s.Reject(t.Context(), id, "operator", "")
	wantCode(t, err, fault.ActionNotPending)
	if first, err := s.MarkReported(t.Context(), id); err != nil || !first {
		t.Errorf("marked: %t, %v", first, err)
	}
	if again, err := s.MarkReported(t.Context(), id); err != nil || again {
		t.Errorf("marked again: %t, %v", again, err)
	}
	rows, err := s.Audit(t.Context(), id, 0)
	var kinds []string
	for _, r := range rows {
		kinds = append(kinds, r.Kind)
	}
	if want := []string{"action.propose", "action.approve", "grant.create", "grant.use", "action.execute"}; err != nil || !slices.Equal(kinds, want) {
		t.Errorf("audit %q, %v", kinds, err)
	}
}

// Each way to approve what should not be is refused with its code, and nothing runs.
func TestApproveRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tool string
		do   func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation)
		want fault.Code
		says string
	}{
		"no such action": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.sql(t, "DELETE FROM ai_challenges")
			w.sql(t, "UPDATE ai_actions SET id = 'act_other'")
		}, fault.NotFound, ""},
		"killed": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.set(func() { w.killed = []string{"ai: stop"} })
		}, fault.Killed, "stop"},
		"expired": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.set(func() { w.now = w.now.Add(10 * time.Minute) })
		}, fault.ActionExpired, ""},
		"rejected": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			if _, err := s.Reject(t.Context(), id, "operator", "no"); err != nil {
				t.Error(err)
			}
		}, fault.ActionNotPending, "rejected"},
		"cancelled": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			if n, err := s.CancelAll(t.Context(), "operator", "kill"); n != 1 || err != nil {
				t.Error(n, err)
			}
		}, fault.ActionNotPending, "cancelled"},
		"not proved": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) { c.Proved = false }, fault.ReauthRequired, ""},
		"not proved, at a terminal": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			c.Proved, c.Terminal = false, true
		}, fault.ReauthRequired, ""},
		"write, a passphrase is set": {"policy_halt", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			c.Proved, c.Terminal = false, true
		}, fault.ReauthRequired, ""},
		"write, none, over HTTP": {"policy_halt", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.set(func() { w.made = false })
			c.Proved = false
		}, fault.ReauthRequired, ""},
		"high, none, at a terminal": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.set(func() { w.made = false })
			c.Proved, c.Terminal = false, true
		}, fault.ReauthRequired, ""},
		"price": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.set(func() { w.preview = w.facts("101") })
		}, fault.ActionStale, "price was 100 APE and is 101 APE"},
		"policy": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.set(func() { w.binding = with(w.binding, "policyHash", "p2") })
		}, fault.ActionStale, "policy was p1 and is p2"},
		"profile": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.set(func() { w.binding = with(w.binding, "profile", "sandbox") })
		}, fault.ActionStale, "profile was default and is sandbox"},
		"account": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.set(func() { w.binding = with(w.binding, "from", seller) })
		}, fault.ActionStale, "account was " + buyer},
		"state directory": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.set(func() { w.binding = with(w.binding, "stateDir", "/other") })
		}, fault.ActionStale, "state directory was /s and is /other"},
		"expired quote": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.set(func() {
				w.preview = func(json.RawMessage) (ai.Preview, error) {
					return ai.Preview{}, fault.Wrap(fault.New(fault.QuoteExpired, "quote q_1 has expired"), fault.StaleReference, "quote q_1 has expired")
				}
			})
		}, fault.ActionStale, "has expired"},
		"policy refuses now": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.set(func() {
				w.preview = func(json.RawMessage) (ai.Preview, error) {
					return ai.Preview{}, fault.New(fault.CapExceeded, "the cap would be passed")
				}
			})
		}, fault.CapExceeded, ""},
		"other quote in the row": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.sql(t, `UPDATE ai_actions SET doc = json_set(doc, '$.run', json('{"quote":"q_2"}'))`)
		}, fault.ActionStale, ""},
		"other arguments in the row": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.sql(t, `UPDATE ai_actions SET doc = json_set(doc, '$.args', json('{"quote":"q_2"}'))`)
		}, fault.ActionStale, ""},
		"facts in the row": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.sql(t, `UPDATE ai_actions SET doc = json_set(doc, '$.facts[3].value', '1 APE')`)
		}, fault.ActionStale, "price was 1 APE and is 100 APE"},
		"hash of the row": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.sql(t, `UPDATE ai_actions SET facts_hash = 'x'`)
		}, fault.ActionStale, ""},
		"grade of the row": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.sql(t, `UPDATE ai_actions SET grade = 'write'`)
		}, fault.ActionStale, ""},
		"tool of the row": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.sql(t, `UPDATE ai_actions SET tool = 'policy_halt'`)
		}, fault.ActionStale, ""},
		"no such tool": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.sql(t, `UPDATE ai_actions SET tool = 'shell'`)
		}, fault.UnknownTool, ""},
		"row of rubbish": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.sql(t, `UPDATE ai_actions SET doc = '{'`)
		}, fault.StateUnusable, ""},
		"another card": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) { c.FactsHash = "x" }, fault.ConfirmationMismatch, "card"},
		"no challenge": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) { c.Challenge = "" }, fault.ConfirmationMismatch, "challenge"},
		"another session": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			c.Session = "session_2"
		}, fault.ConfirmationMismatch, "challenge"},
		"no session": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) { c.Session = "" }, fault.ConfirmationMismatch, "challenge"},
		"not acknowledged": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			c.Acknowledged = false
		}, fault.ConfirmationMismatch, "impact"},
		"other phrase": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			c.Phrase = strings.ToLower(c.Phrase)
		}, fault.ConfirmationMismatch, "phrase"},
		"an identifier out": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			c.Identifiers = without(c.Identifiers, "tokenId")
		}, fault.ConfirmationMismatch, "tokenId"},
		"identifier with a space": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			c.Identifiers = with(c.Identifiers, "tokenId", "7 ")
		}, fault.ConfirmationMismatch, "tokenId"},
		"identifier of another script": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			c.Identifiers = with(c.Identifiers, "collection", "lаzy-lions") // the first a is Cyrillic
		}, fault.ConfirmationMismatch, "collection"},
		"challenge over": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			w.set(func() { w.now = w.now.Add(5 * time.Minute) })
		}, fault.ConfirmationMismatch, "challenge"},
		"challenge of another action": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			c.Challenge = challenge(t, s, propose(t, s, w.proposal("nft_buy", "q_9"))).Challenge
		}, fault.ConfirmationMismatch, "challenge"},
		"challenge replaced": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			challenge(t, s, id)
		}, fault.ConfirmationMismatch, "challenge"},
		"challenge tried before": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			bad := *c
			bad.Phrase = "yes"
			_, err := s.Approve(t.Context(), id, bad)
			wantCode(t, err, fault.ConfirmationMismatch)
		}, fault.ConfirmationMismatch, "challenge"},
		"no card": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			c.FactsHash = ""
		}, fault.ConfirmationMismatch, "which card"},
		"a write by its id alone": {"policy_halt", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			*c = action.Confirmation{Proved: true, Session: c.Session}
		}, fault.ConfirmationMismatch, "which card"},
		"empty": {"", func(t *testing.T, w *world, s *action.Service, id string, c *action.Confirmation) {
			*c = action.Confirmation{}
		}, fault.ReauthRequired, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := w.service(t)
			tool := tt.tool
			if tool == "" {
				tool = "nft_buy"
			}
			id := propose(t, s, w.proposal(tool, "q_1"))
			c := challenge(t, s, id)
			tt.do(t, w, s, id, &c)
			_, err := s.Approve(t.Context(), id, c)
			wantCode(t, err, tt.want)
			if err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%q does not say %q", err, tt.says)
			}
			if len(w.runs) > 0 {
				t.Errorf("executed %q", w.runs)
			}
			if slices.Contains(w.events(t), "ai.grant.created") {
				t.Error("a permit was made")
			}
		})
	}
}

func with(m map[string]string, k, v string) map[string]string {
	out := without(m, k)
	out[k] = v
	return out
}

func without(m map[string]string, k string) map[string]string {
	out := map[string]string{}
	for n, v := range m {
		if n != k {
			out[n] = v
		}
	}
	return out
}

// What runs beneath a model decides nothing.
func TestChildDecidesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.service(t)
	id := propose(t, s, w.proposal("nft_buy", "q_1"))
	c := challenge(t, s, id)
	w.child = true
	beneath := w.service(t)
	_, err := beneath.Approve(t.Context(), id, c)
	wantCode(t, err, fault.SelfApproval)
	_, err = beneath.Challenge(t.Context(), id, "session_1")
	wantCode(t, err, fault.SelfApproval)
	_, err = beneath.Reject(t.Context(), id, "operator", "no")
	wantCode(t, err, fault.SelfApproval)
	if a := show(t, s, id); a.State != action.Proposed {
		t.Errorf("state %s", a.State)
	}
}

// A claim that contradicts the facts takes one more confirmation, whatever the grade.
func TestMismatchTakesOneMore(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"nft_buy", "policy_halt"} {
		w := newWorld(t)
		s := w.service(t)
		p := w.proposal(tool, "q_1")
		p.Claim = "Buy token 7 for 1 APE \u202eEPA 001"
		id := propose(t, s, p)
		a := show(t, s, id)
		if a.Check.Level != action.Critical || a.Claim != "Buy token 7 for 1 APE \ufffdEPA 001" {
			t.Errorf("%s: claim %q, check %+v", tool, a.Claim, a.Check)
		}
		c := challenge(t, s, id)
		c.Mismatch = false
		_, err := s.Approve(t.Context(), id, c)
		wantCode(t, err, fault.ConfirmationMismatch)
		c = challenge(t, s, id)
		if a, err = s.Approve(t.Context(), id, c); err != nil || a.State != action.Executed {
			t.Errorf("%s: %s, %v", tool, a.State, err)
		}
	}
}

// Before there is a passphrase a person at a terminal approves what only writes.
func TestWriteBeforeAPassphrase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made = false
	s := w.service(t)
	id := propose(t, s, w.proposal("policy_halt", "q_1"))
	a, err := s.Approve(t.Context(), id, action.Confirmation{Terminal: true, FactsHash: show(t, s, id).FactsHash})
	if err != nil || a.State != action.Executed {
		t.Errorf("%s, %v", a.State, err)
	}
	if want := "EXECUTE policy_halt " + id[len(id)-6:]; !strings.Contains(w.runs[0], want) {
		t.Errorf("phrase of %q, want %q", w.runs[0], want)
	}
}

// What may change does: the card shows what is true now, and it is approved.
func TestVolatileFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.service(t)
	id := propose(t, s, w.proposal("nft_buy", "q_1"))
	w.set(func() {
		w.preview = func(args json.RawMessage) (ai.Preview, error) {
			p, err := w.facts("100")(args)
			p.Facts[8].Value = "500 APE"
			p.Spends[0].Base, p.Spends[0].Shown = "100000000000000000001", "100.000000000000000001 APE" // gas
			return p, err
		}
	})
	card, err := s.Challenge(t.Context(), id, "session_1")
	if err != nil || card.Facts[8].Value != "500 APE" {
		t.Fatal(card.Facts, err)
	}
	if a, err := s.Approve(t.Context(), id, confirmation(card, "session_1")); err != nil || a.State != action.Executed {
		t.Error(a.State, err)
	}
}

// part is the result of something that was done in part, as nft autobuy returns it.
type part struct {
	Sent string `json:"sent"`
}

func (p part) Failure() error {
	if p.Sent == "" {
		return nil
	}
	return fault.New(fault.Partial, "one of two").WithSent(p.Sent)
}

// How an execution ends is how the action ends.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		result        any
		err           error
		state         action.State
		code, outcome string
	}{
		"done":                {map[string]any{"ok": true}, nil, action.Executed, "", ""},
		"refused by policy":   {nil, fault.New(fault.PriceOverLimit, "too dear").WithSent(fault.SentNo), action.Failed, action.PolicyBlocked, ""},
		"failed before":       {nil, fault.New(fault.Upstream, "no node").WithSent(fault.SentNo), action.Failed, action.CommandFailed, ""},
		"sent maybe":          {nil, fault.New(fault.Upstream, "no node").WithSent(fault.SentMaybe), action.Failed, action.CommandFailed, action.OutcomeUnknown},
		"sent, no receipt":    {nil, fault.New(fault.TxUnknown, "no receipt").WithSent(fault.SentYes), action.Failed, action.CommandFailed, action.OutcomeUnknown},
		"reverted":            {nil, fault.New(fault.TxReverted, "reverted").WithSent(fault.SentYes), action.Failed, action.CommandFailed, ""},
		"some":                {map[string]any{"ok": false}, fault.New(fault.Partial, "one of two").WithSent(fault.SentYes), action.Executed, action.Partial, action.OutcomePartial},
		"some, as a result":   {part{fault.SentYes}, nil, action.Executed, action.Partial, action.OutcomePartial},
		"some, one unknown":   {part{fault.SentMaybe}, nil, action.Failed, action.CommandFailed, action.OutcomeUnknown},
		"all, as a result":    {part{}, nil, action.Executed, "", ""},
		"foreign error":       {nil, errors.New("canary-secret-value"), action.Failed, action.CommandFailed, action.OutcomeUnknown},
		"panic":               {nil, nil, action.Failed, action.CommandFailed, action.OutcomeUnknown},
		"time is over":        {nil, nil, action.Failed, action.TimedOut, action.OutcomeUnknown},
		"never comes back":    {nil, nil, action.Failed, action.TimedOut, action.OutcomeUnknown},
		"secret in an error":  {nil, fault.New(fault.Upstream, "key canary-secret-value").WithSent(fault.SentNo), action.Failed, action.CommandFailed, ""},
		"secret in a result":  {map[string]any{"x": "canary-secret-value"}, nil, action.Executed, "", ""},
		"not durable, sent":   {nil, fault.New(fault.NotDurable, "disk").WithSent(fault.SentYes), action.Failed, action.CommandFailed, action.OutcomeUnknown},
		"a result beside one": {map[string]any{"txHash": "not one"}, fault.New(fault.TxUnknown, "no receipt"), action.Failed, action.CommandFailed, action.OutcomeUnknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			stop := make(chan struct{})
			defer close(stop)
			w.execute = func(ctx context.Context, _ ai.Call, _ ai.Approval) (any, error) {
				switch name {
				case "panic":
					panic("canary-secret-value")
				case "time is over":
					<-ctx.Done()
					return nil, ctx.Err()
				case "never comes back":
					<-stop
				}
				return tt.result, tt.err
			}
			s := w.service(t, func(o *action.Options) {
				if strings.HasPrefix(tt.code, action.TimedOut) {
					o.Timeout, o.Grace = 20*time.Millisecond, 20*time.Millisecond
				}
			})
			id := propose(t, s, w.proposal("nft_buy", "q_1"))
			a, err := s.Approve(t.Context(), id, challenge(t, s, id))
			if err != nil {
				t.Fatal(err)
			}
			if a.State != tt.state || a.Outcome.Code != tt.code || a.Outcome.Outcome != tt.outcome {
				t.Errorf("%s %+v", a.State, a.Outcome)
			}
			if b, _ := json.Marshal(show(t, s, id)); strings.Contains(string(b), "canary-secret-value") {
				t.Errorf("a secret is stored: %s", b)
			}
			_, err = s.Approve(t.Context(), id, challenge2(s, id))
			wantCode(t, err, fault.ActionNotPending)
			if len(w.runs) != 1 {
				t.Errorf("executed %d times", len(w.runs))
			}
			if ev := w.events(t); ev[len(ev)-1] != "ai.action.executed" {
				t.Errorf("events %q", ev)
			}
		})
	}
}

func challenge2(s *action.Service, id string) action.Confirmation {
	card, _ := s.Challenge(context.Background(), id, "session_1")
	return confirmation(card, "session_1")
}

// Whoever comes second is told so, also when the first has changed the facts by it.
func TestSecondIsNotStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.service(t)
	id := propose(t, s, w.proposal("nft_buy", "q_1"))
	first, second := challenge(t, s, id), action.Confirmation{Proved: true}
	was := w.preview
	var once sync.Once
	w.set(func() {
		w.preview = func(args json.RawMessage) (ai.Preview, error) {
			won := false
			once.Do(func() {
				won = true
				w.set(func() { w.preview = was })
				if _, err := s.Approve(context.Background(), id, first); err != nil {
					t.Error(err)
				}
			})
			if won {
				return ai.Preview{}, fault.New(fault.SimulationFailed, "the buyer owns the token already").WithSent(fault.SentNo)
			}
			return was(args)
		}
	})
	_, err := s.Approve(t.Context(), id, second)
	wantCode(t, err, fault.ActionNotPending)
	// Of one that waits still it says what it is.
	id = propose(t, s, w.proposal("nft_buy", "q_2"))
	w.set(func() {
		w.preview = func(json.RawMessage) (ai.Preview, error) {
			return ai.Preview{}, fault.New(fault.SimulationFailed, "the seller cancelled the order").WithSent(fault.SentNo)
		}
	})
	_, err = s.Challenge(t.Context(), id, "session_1")
	wantCode(t, err, fault.ActionStale)
}

// A model that was told that nobody knows is told once more when it is known: by the
// log, or by the process that was taken for dead.
func TestCorrected(t *testing.T) {
	t.Parallel()
	for name, alive := range map[string]bool{"by the log": false, "by its own process": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			began, end := make(chan struct{}), make(chan struct{})
			w.execute = waiting(began, end)
			s := w.service(t, func(o *action.Options) { o.Beat = time.Hour })
			id := propose(t, s, w.proposal("nft_buy", "q_1"))
			c := challenge(t, s, id)
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, _ = s.Approve(context.Background(), id, c) // what it came to is looked at below
			}()
			<-began
			w.sql(t, "UPDATE ai_actions SET beat_at = 1 WHERE id = ?", id)
			if a := show(t, s, id); a.State != action.Failed || a.Outcome.Outcome != action.OutcomeUnknown {
				t.Fatalf("%s %+v", a.State, a.Outcome)
			}
			if won, err := s.MarkReported(t.Context(), id); err != nil || !won {
				t.Fatal(won, err)
			}
			if !alive {
				w.set(func() { w.settled = action.Settled{State: action.Executed} })
				show(t, s, id)
			}
			close(end)
			<-done
			a := show(t, s, id)
			if a.State != action.Executed || a.Reported || !a.Outcome.Corrected || a.Outcome.Reconciled == alive {
				t.Errorf("%s, reported %t, %+v", a.State, a.Reported, a.Outcome)
			}
			if list, err := s.Unreported(t.Context(), "room_1"); err != nil || len(list) != 1 {
				t.Errorf("to be told: %d, %v", len(list), err)
			}
		})
	}
}

// An execution goes on when whoever asked for it goes away.
func TestExecutionOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.execute = func(ctx context.Context, _ ai.Call, _ ai.Approval) (any, error) {
		cancel()
		return nil, ctx.Err()
	}
	s := w.service(t)
	id := propose(t, s, w.proposal("nft_buy", "q_1"))
	c := challenge(t, s, id)
	a, err := s.Approve(ctx, id, c)
	if err != nil || a.State != action.Executed {
		t.Errorf("%s, %v", a.State, err)
	}
}

// What can't be recorded is neither proposed nor executed.
func TestNotRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.service(t)
	id := propose(t, s, w.proposal("nft_buy", "q_1"))
	c := challenge(t, s, id)
	full := fault.New(fault.NotDurable, "the disk is full")
	w.set(func() { w.recorded = full })
	_, err := s.Propose(t.Context(), w.proposal("nft_buy", "q_2"))
	wantCode(t, err, fault.NotDurable)
	_, err = s.Approve(t.Context(), id, c)
	wantCode(t, err, fault.NotDurable)
	w.set(func() { w.recorded = nil })
	if a := show(t, s, id); a.State != action.Failed || a.Outcome.Outcome != "" || len(w.runs) > 0 {
		t.Errorf("%s %+v, executed %q", a.State, a.Outcome, w.runs)
	}
	list, err := s.List(t.Context(), action.Filter{States: []action.State{action.Proposed}})
	if err != nil || len(list) != 0 {
		t.Errorf("open: %+v, %v", list, err)
	}
}
