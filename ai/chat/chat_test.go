package chat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, answer{reply: ai.Reply{Text: "I look.", Calls: []ai.ToolCall{call("a", "look", `{"n":1}`), call("b", "look", `{"n":2}`)}}}, say("It is two."), say("Again."))
	s := w.service()
	var parts []string
	turn, err := s.Send(t.Context(), chat.SendIn{Text: "How many? canary-secret-value"}, func(p chat.Part) {
		if n := len(parts); p.Kind == chat.PartText && parts[n-1][:4] == "text" {
			parts[n-1] += p.Text
			return
		}
		parts = append(parts, strings.Join(strings.Fields(p.Kind+" "+p.Tool), " "))
		if p.Kind == chat.PartText {
			parts[len(parts)-1] += " " + p.Text
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if turn.State != chat.TurnDone || turn.Text != "It is two." || turn.ToolCalls != 2 || turn.LastSeq != 5 {
		t.Errorf("turn %+v", turn)
	}
	want := []string{"turn", "text I look.", "break", "tool look", "result look", "tool look", "result look", "text It is two.", "break"}
	if fmt.Sprint(parts) != fmt.Sprint(want) {
		t.Errorf("news %q, want %q", parts, want)
	}
	list := w.messages(s, turn.Room)
	if list[0].Blocks[0].Text != "How many? [redacted]" || list[1].Blocks[2].Args != `{"n":2}` || list[3].Blocks[0].Text != `{"data":2}` {
		t.Errorf("messages %+v", list)
	}
	if got := w.tools.claims; !slices.Equal(got, []string{"I look."}) {
		t.Errorf("claims %q", got)
	}
	if _, err := w.send(s, turn.Room, "And now?"); err != nil {
		t.Fatal(err)
	}
	last := w.model.requests[2]
	var got []string
	for _, m := range last.Messages {
		got = append(got, string(m.Role)+":"+m.Text+":"+m.CallID)
	}
	wantHistory := []string{"user:How many? [redacted]:", "assistant:I look.:", `tool:{"data":1}:a`, `tool:{"data":2}:b`, "assistant:It is two.:", "user:And now?:"}
	if !slices.Equal(got, wantHistory) {
		t.Errorf("history %q", got)
	}
	if !strings.Contains(last.System, "an expert") || last.System != w.model.requests[0].System || len(last.Tools) != 1 {
		t.Errorf("the system prompt or the tools are not the same each time")
	}
	for i, sc := range w.scopes[:7] {
		if sc.TraceID != turn.TraceID || sc.AgentID != "conn:main" || sc.SessionID != turn.Room || sc.Source != "ai" {
			t.Errorf("scope %d is %+v", i, sc)
		}
	}
	if types := w.types(); types[0] != "ai.message.created" || types[1] != "ai.turn.started" || !slices.Contains(types, "ai.turn.completed") {
		t.Errorf("events %q", types)
	}
	if w.turns != 2 || len(w.charge) != 3 {
		t.Errorf("%d turns and %d steps were charged", w.turns, len(w.charge))
	}
}

// Whatever a model answers, the turn ends in a clear state, and no tool runs twice.
func TestMalformed(t *testing.T) {
	t.Parallel()
	endless := use(call("x", "look", `{}`))
	distinct := answer{with: func(_ context.Context, r ai.Request, _ func(string)) (ai.Reply, error) {
		if len(r.Tools) == 0 {
			return ai.Reply{Text: "enough"}, nil
		}
		return ai.Reply{Calls: []ai.ToolCall{call("", "look", fmt.Sprintf(`{"n":%d}`, len(r.Messages)))}}, nil
	}}
	long := answer{with: func(ctx context.Context, _ ai.Request, on func(string)) (ai.Reply, error) {
		for range 1 << 10 {
			if ctx.Err() != nil {
				return ai.Reply{}, ctx.Err()
			}
			on(strings.Repeat("x", 1<<10))
		}
		return ai.Reply{Text: strings.Repeat("x", 1<<20)}, nil
	}}
	tests := map[string]struct {
		answers []answer
		state   string
		code    fault.Code
		run     int    // tools
		says    string // in the conversation
		result  ai.Result
	}{
		"nothing":           {answers: []answer{say("")}, state: chat.TurnFailed, code: fault.ProviderError, says: "answered with nothing"},
		"white space":       {answers: []answer{say(" \n ")}, state: chat.TurnFailed, code: fault.ProviderError, says: "answered with nothing"},
		"nothing after":     {answers: []answer{use(call("a", "look", `{}`)), say("")}, state: chat.TurnDone, run: 1, says: "said nothing after"},
		"broken arguments":  {answers: []answer{use(call("a", "look", `{"price":`)), say("sorry")}, state: chat.TurnDone, run: 1},
		"same ids, no ids":  {answers: []answer{use(call("a", "look", `1`), call("a", "look", `2`), call("", "look", `3`)), say("ok")}, state: chat.TurnDone, run: 3},
		"quota":             {answers: []answer{{err: fault.New(fault.RateLimited, "the quota is used up")}}, state: chat.TurnFailed, code: fault.RateLimited, says: "the quota is used up"},
		"key refused":       {answers: []answer{use(call("a", "look", `{}`)), {err: fault.New(fault.ProviderAuth, "the key is refused")}}, state: chat.TurnFailed, code: fault.ProviderAuth, run: 1, says: "the key is refused"},
		"foreign error":     {answers: []answer{{err: errors.New("secret stuff")}}, state: chat.TurnFailed, code: fault.Internal, says: "internal error"},
		"cut in the text":   {answers: []answer{{with: cutOff("half an ans")}}, state: chat.TurnFailed, code: fault.ProviderError, says: "half an ans"},
		"eleven calls":      {answers: []answer{use(eleven()...), say("done")}, state: chat.TurnDone, run: 10, says: "used all the tool calls"},
		"one call each":     {answers: []answer{distinct}, state: chat.TurnDone, run: 10, says: "used all the tool calls"},
		"endless":           {answers: []answer{endless}, result: ai.Result{Text: `{"data":1}`, Outcome: "ok"}, state: chat.TurnDone, run: 3, says: "3 times in the same way"},
		"a megabyte":        {answers: []answer{long}, state: chat.TurnDone, says: "cut off at 64 KiB"},
		"a megabyte, whole": {answers: []answer{{reply: ai.Reply{Text: strings.Repeat("y", 1<<20)}}}, state: chat.TurnDone, says: "cut off at 64 KiB"},
		"a thousand calls":  {answers: []answer{use(many(1000)...), say("done")}, state: chat.TurnDone, run: 10, says: "1000 tools at once"},
		"at the limit":      {answers: []answer{{reply: ai.Reply{Text: "so", Finish: "length"}}}, state: chat.TurnDone, says: "reached its limit"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.answers...)
			if tt.result.Text != "" {
				w.tools.results = func(string, string) ai.Result { return tt.result }
			}
			s := w.service()
			turn, err := w.send(s, "", "go")
			wantCode(t, err, tt.code)
			if turn.State != tt.state || (turn.Error == nil) != (tt.code == "") {
				t.Errorf("turn %+v", turn)
			}
			if len(w.tools.run) != tt.run {
				t.Errorf("%d tools ran: %q", len(w.tools.run), w.tools.run)
			}
			said := fmt.Sprint(w.messages(s, turn.Room))
			if !strings.Contains(said, tt.says) {
				t.Errorf("the conversation does not say %q:\n%.2000s", tt.says, said)
			}
			if len(said) > 200_000 || strings.Contains(said, "secret stuff") {
				t.Errorf("the conversation is %d bytes", len(said))
			}
			// It goes on, with a history that a provider takes: each call with one result behind it.
			w.model.answers = []answer{say("fine")}
			turn, err = w.send(s, turn.Room, "and on")
			if err != nil || turn.Text != "fine" {
				t.Fatalf("going on: %+v, %v", turn, err)
			}
			pairs(t, w.model.requests[len(w.model.requests)-1].Messages)
			end := "ai.turn.completed"
			if tt.code != "" {
				end = "ai.turn.failed"
			}
			if !slices.Contains(w.types(), end) {
				t.Errorf("events %q", w.types())
			}
		})
	}
}

// pairs fails unless each call is followed by its one result.
func pairs(t *testing.T, list []ai.Message) {
	t.Helper()
	for i := 0; i < len(list); i++ {
		if list[i].Role == ai.RoleTool {
			t.Fatalf("a result without its call at %d: %+v", i, list)
		}
		for _, c := range list[i].Calls {
			if i++; i >= len(list) || list[i].Role != ai.RoleTool || list[i].CallID != c.ID {
				t.Fatalf("the call %s has no result at %d: %+v", c.ID, i, list)
			}
			if c.Args == "" || c.Args[0] != '{' {
				t.Fatalf("arguments %q are no object", c.Args)
			}
		}
	}
}

func cutOff(text string) func(context.Context, ai.Request, func(string)) (ai.Reply, error) {
	return func(_ context.Context, _ ai.Request, on func(string)) (ai.Reply, error) {
		on(text)
		return ai.Reply{}, fault.Wrap(errCut, fault.ProviderError, "the answer was cut off")
	}
}

func many(n int) (out []ai.ToolCall) {
	for i := range n {
		out = append(out, call(fmt.Sprint("c", i), "look", fmt.Sprintf(`{"n":%d}`, i)))
	}
	return out
}

func eleven() []ai.ToolCall { return many(11) }

// Of a call that was denied the others know nothing, and the model reads both.
func TestOneDenied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, use(call("a", "look", `{}`), call("b", "buy", `{}`)), say("ok"))
	w.tools.results = func(name, _ string) ai.Result {
		if name == "buy" {
			return ai.Result{Text: `{"error":"not enabled","code":"tool_disabled"}`, IsError: true, Code: "tool_disabled", Outcome: tool.OutcomeRefused}
		}
		return ai.Result{Text: `{"data":1}`, Outcome: tool.OutcomeOK}
	}
	turn, err := w.send(w.service(), "", "go")
	if err != nil || turn.State != chat.TurnDone || len(w.tools.run) != 2 {
		t.Fatalf("%+v, %v, ran %q", turn, err, w.tools.run)
	}
	got := w.model.requests[1].Messages
	if got[2].Text != `{"data":1}` || !strings.Contains(got[3].Text, "tool_disabled") {
		t.Errorf("the model reads %+v", got)
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t, say("ok"))
	s := w.service()
	for name, text := range map[string]string{"empty": " ", "long": strings.Repeat("x", 17<<10), "not UTF-8": "a\xff"} {
		if _, err := w.send(s, "", text); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.send(s, "chat_nothere", "hi"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("an unknown conversation: %v", err)
	}
	if rooms, err := s.Rooms(t.Context(), 10); err != nil || len(rooms) != 0 {
		t.Errorf("%d conversations, %v", len(rooms), err)
	}
}

// waiting answers when the turn is stopped, and says when it began.
func waiting(began chan<- struct{}) answer {
	return answer{with: func(ctx context.Context, _ ai.Request, on func(string)) (ai.Reply, error) {
		on("I was saying ")
		close(began)
		<-ctx.Done()
		return ai.Reply{}, ctx.Err()
	}}
}

// Each way to stop a turn keeps what was said, and the next turn goes.
func TestStop(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stop func(w *world, s *chat.Service, room string, cancel func())
		code fault.Code
	}{
		"Ctrl-C":          {func(_ *world, _ *chat.Service, _ string, cancel func()) { cancel() }, fault.Canceled},
		"another process": {func(w *world, _ *chat.Service, room string, _ func()) { mustStop(w, room) }, fault.Canceled},
		"all of them":     {func(w *world, _ *chat.Service, _ string, _ func()) { _, _ = w.service().StopAll(w.t.Context()) }, fault.Canceled},
		"the kill switch": {func(w *world, _ *chat.Service, _ string, _ func()) {
			w.mu.Lock()
			w.killed = []string{"ai: enough"}
			w.mu.Unlock()
		}, fault.Killed},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := make(chan struct{})
			w := newWorld(t, waiting(began))
			s := w.service()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ids, done := make(chan chat.Turn, 1), make(chan struct{})
			var turn chat.Turn
			var err error
			go func() {
				defer close(done)
				turn, err = s.Send(ctx, chat.SendIn{Text: "talk"}, func(p chat.Part) {
					if p.Kind == chat.PartTurn {
						ids <- p.Turn
					}
				})
			}()
			room := (<-ids).Room
			<-began
			tt.stop(w, s, room, cancel)
			<-done
			wantCode(t, err, tt.code)
			if turn.State != chat.TurnCancelled {
				t.Errorf("turn %+v", turn)
			}
			list := w.messages(s, room)
			if len(list) != 3 || list[1].Blocks[0].Text != "I was saying " || list[1].Status != chat.StatusCancelled {
				t.Errorf("messages %+v", list)
			}
			w.mu.Lock()
			w.killed = nil
			w.mu.Unlock()
			w.model.answers = []answer{say("back")}
			if turn, err := w.send(s, room, "again"); err != nil || turn.Text != "back" {
				t.Errorf("going on: %+v, %v", turn, err)
			}
		})
	}
}

func mustStop(w *world, room string) {
	w.t.Helper()
	if ok, err := w.service().Stop(w.t.Context(), room); err != nil || !ok {
		w.t.Errorf("stop: %v, %v", ok, err)
	}
}

func TestKilledBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, say("no"))
	w.killed = []string{"ai: enough"}
	_, err := w.send(w.service(), "", "go")
	wantCode(t, err, fault.Killed)
	if len(w.model.requests) != 0 || len(w.types()) != 0 {
		t.Errorf("something happened: %q", w.types())
	}
}

func TestSlowModel(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*chat.Options){
		"step": func(o *chat.Options) { o.StepTime = 20 * time.Millisecond },
		"turn": func(o *chat.Options) { o.TurnTime = 20 * time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, waiting(make(chan struct{})))
			turn, err := w.send(w.service(change), "", "go")
			wantCode(t, err, fault.Timeout)
			if turn.State != chat.TurnFailed {
				t.Errorf("turn %+v", turn)
			}
		})
	}
}
