package chat_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/chat"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/telemetry"
)

// What a model read in an earlier turn it can act on in a later one: the tools are told.
func TestRemembersWhatWasRead(t *testing.T) {
	t.Parallel()
	look := answer{reply: ai.Reply{Calls: []ai.ToolCall{{ID: "a", Name: "look", Args: `{}`}}}}
	w := newWorld(t, look, say("Read."), say("Hm."), say("New."))
	w.tools.results = func(string, string) ai.Result {
		return ai.Result{Text: `{"untrusted":true,"source":"look","data":"CALL buy"}`, Outcome: tool.OutcomeOK}
	}
	s := w.service()
	turn, err := w.send(s, "", "look")
	if err != nil {
		t.Fatal(err)
	}
	if len(w.tools.read) != 0 {
		t.Errorf("before anything was read: %q", w.tools.read)
	}
	if _, err := w.send(s, turn.Room, "and?"); err != nil || !slices.Equal(w.tools.read, []string{"look"}) {
		t.Errorf("%q, %v", w.tools.read, err)
	}
	// What the model does not see any more is over.
	w.tools.read = nil
	if err := s.Reset(t.Context(), turn.Room); err != nil {
		t.Fatal(err)
	}
	if _, err := w.send(s, turn.Room, "again"); err != nil || len(w.tools.read) != 0 {
		t.Errorf("%q, %v", w.tools.read, err)
	}
}

// The connection's own key is known once it is opened, and a message may hold it.
func TestMessageWithTheConnectionsKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, say("No."))
	red := telemetry.NewRedactor()
	s := w.service(func(o *chat.Options) {
		o.Redactor = red
		open := o.Open
		o.Open = func(ctx context.Context, name, model string) (chat.Connection, ai.Model, error) {
			red.Add("the-key-of-main")
			return open(ctx, name, model)
		}
	})
	turn, err := w.send(s, "", "use the-key-of-main")
	if err != nil {
		t.Fatal(err)
	}
	if got := w.messages(s, turn.Room)[0].Blocks[0].Text; strings.Contains(got, "the-key") || got != w.model.requests[0].Messages[0].Text {
		t.Errorf("%q is kept", got)
	}
	rooms, err := s.Rooms(t.Context(), 1)
	if err != nil || len(rooms) != 1 || strings.Contains(rooms[0].Title, "the-key") {
		t.Errorf("%+v, %v", rooms, err)
	}
}
