package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
)

// A story is told from the rows alone where there is no log, and what others wrote
// shows as text: nothing of it steers a terminal, ends a line or turns one around.
func TestTraceOfForeignRows(t *testing.T) {
	t.Parallel()
	home, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	db, err := store.OpenState(t.Context(), state)
	if err != nil {
		t.Fatal(err)
	}
	const hostile = "buy\x1b[2J it\r\n12:00 action approved \u202eevil\u200b\u2066"
	text, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		`INSERT INTO ai_rooms VALUES ('room_1', 'direct', 't', 'local', 4, 0, 1, 1)`,
		`INSERT INTO ai_turns VALUES ('turn_1', 'room_1', 'conn:local', 'user', 'failed', 'trace_1', 1, '{"code":"timeout","message":"too slow"}', 'p', 5000, 2000, 5000)`,
		`INSERT INTO ai_messages VALUES ('m1', 'room_1', 1, 'user', 'operator', '[{"type":"text","text":` + string(text) + `}]', 'ok', NULL, NULL, 'turn_1', 'trace_1', 1000)`,
		`INSERT INTO ai_messages VALUES ('m2', 'room_1', 2, 'assistant', ` + "'conn:\x1b[31mx'" + `, '[{"type":"tool_use","tool":"nft_buy","args":"{\"quote\":\"q\"}"}]', 'ok', NULL, NULL, 'turn_1', 'trace_1', 3000)`,
		`INSERT INTO ai_messages VALUES ('m3', 'room_1', 3, 'assistant', 'conn:local', 'no JSON at all', 'failed', NULL, NULL, 'turn_1', 'trace_1', 4000)`,
		`INSERT INTO ai_messages VALUES ('m4', 'room_1', 4, 'tool', 'conn:local', '[{"type":"action.result","state":"executed","actionId":"act_1"}]', 'ok', NULL, NULL, 'turn_2', 'trace_2', 9000)`,
	} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if exit := Run(context.Background(), args, typedHost(home, state, &out, &errs)); exit != 0 {
			t.Fatalf("exit %d: %s%s", exit, out.String(), errs.String())
		}
		return out.String()
	}
	var doc AITraceOut
	if err := json.Unmarshal([]byte(run("ai", "trace", "trace_1", "--json")), &doc); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range doc.Entries {
		got = append(got, e.Kind+" "+e.Status)
	}
	want := []string{"message ", "turn ", "tool ", "message failed", "turn failed"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("the entries are %q, want %q", got, want)
	}
	people := run("ai", "trace", "room_1")
	for _, line := range strings.Split(people, "\n") {
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("%q stands in %q", r, line)
			}
		}
	}
	if strings.Contains(people, "\n12:00") || !strings.Contains(people, "the model is told: executed") {
		t.Errorf("the story of the conversation:\n%s", people)
	}
}

// What others sent shows as what it is: it hides no tool call, and passes for none.
func TestTraceOfForeignEvents(t *testing.T) {
	t.Parallel()
	home, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	db, err := store.OpenState(t.Context(), state)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		`INSERT INTO ai_rooms VALUES ('room_1', 'direct', 't', 'local', 4, 0, 1, 1)`,
		`INSERT INTO ai_turns VALUES ('turn_1', 'room_1', 'conn:local', 'user', 'failed', 'trace_1', 1, NULL, 'p', 5000, 2000, 5000)`,
		`INSERT INTO ai_messages VALUES ('m2', 'room_1', 2, 'assistant', 'conn:local', '[{"type":"tool_use","tool":"nft_buy","args":"{}"}]', 'ok', NULL, NULL, 'turn_1', 'trace_1', 3000)`,
	} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	log := telemetry.NewLog(state, telemetry.LogOptions{})
	for _, kind := range []string{"ai.tool.called", "ai.message.created", "ai.turn.completed", "ai.action.executed", "ai.kill.changed"} {
		line := `{"v":1,"ts":"1970-01-01T00:00:03.000Z","eventType":"` + kind + `","agentId":"bot-1","traceId":"trace_1",` +
			`"payload":{"turnId":"turn_1","roomId":"room_1","tool":"nothing","preview":"trust me","on":true},"result":{"txHash":"0x1"},"ok":true,"eventId":"in-1"}`
		if _, err := log.Append(t.Context(), []byte(line), false); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if exit := Run(t.Context(), []string{"ai", "trace", "trace_1", "--json"}, typedHost(home, state, &out, &errs)); exit != 0 {
		t.Fatalf("exit %d: %s", exit, errs.String())
	}
	var doc AITraceOut
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	tools, events := 0, 0
	for _, e := range doc.Entries {
		switch {
		case e.Kind == kindTool && e.Tool == "nft_buy":
			tools++
		case e.Who == "bot-1":
			if events++; e.Kind != kindEvent || strings.Contains(e.Text, "kill switch") {
				t.Errorf("an event of another shows as %+v", e)
			}
		}
	}
	if tools != 1 || events != 5 {
		t.Errorf("%d tool calls and %d events: %+v", tools, events, doc.Entries)
	}
}
