package telemetry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
	"github.com/ape-claw/ape-claw/telemetry/telemetrytest"
)

// at is half past noon, elsewhere: the envelope's time is UTC.
func at() time.Time {
	return time.Date(2026, 2, 18, 13, 30, 0, 7_900_000, time.FixedZone("elsewhere", 3600))
}

func recorder(t testing.TB, scope telemetry.Scope, secrets ...string) (*telemetry.Recorder, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	return telemetry.NewRecorder(newLog(t, dir), telemetry.NewRedactor(secrets...), at, scope), dir
}

func TestEnvelopeToTheByte(t *testing.T) {
	t.Parallel()
	type payload struct {
		QuoteID string `json:"quoteId"`
	}
	type result struct {
		WouldBuy bool        `json:"wouldBuy"`
		Price    json.Number `json:"priceApe"`
	}
	scope := telemetry.Scope{AgentID: "agent-1", SessionID: "s-1", TraceID: "trace_1", Command: "ape-claw nft buy", Source: "cli", ChainID: 33139}
	for _, tt := range []struct {
		name  string
		scope telemetry.Scope
		draft telemetry.Draft
		want  string
	}{
		{
			"full", scope,
			telemetry.Draft{Type: "nft.buy.dry_run", DryRun: true, Payload: payload{"q_1"}, Result: result{true, "10.50"}},
			`{"v":1,"ts":"2026-02-18T12:30:00.007Z","eventType":"nft.buy.dry_run","agentId":"agent-1","sessionId":"s-1","traceId":"trace_1","command":"ape-claw nft buy","dryRun":true,"chainId":33139,"payload":{"quoteId":"q_1"},"result":{"wouldBuy":true,"priceApe":10.50},"ok":true,"error":null,"source":"cli"}`,
		},
		{
			"failed, on another chain, from nowhere", telemetry.Scope{TraceID: "t", ChainID: 1},
			telemetry.Draft{Type: "command.failed", ChainID: 7733139, Err: "it \"broke\"\n\u2028<here> & é", Payload: (*payload)(nil), Result: json.RawMessage(" {\n\"code\" : \"upstream\", \"hint\":\"<a>\u2029\" } ")},
			`{"v":1,"ts":"2026-02-18T12:30:00.007Z","eventType":"command.failed","agentId":"local-cli","sessionId":"local-session","traceId":"t","command":"","dryRun":false,"chainId":7733139,"payload":{},"result":{"code":"upstream","hint":"<a>\u2029"},"ok":false,"error":"it \"broke\"\n\u2028<here> & é"}`,
		},
	} {
		r, dir := recorder(t, tt.scope)
		got, err := r.Encode(tt.draft)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s\n%v", tt.name, got, tt.want, err)
		}
		if err := r.Record(t.Context(), tt.draft); err != nil {
			t.Fatal(err)
		}
		if raw := rawLog(t, dir); raw != tt.want+"\n" {
			t.Errorf("%s: the log has %s", tt.name, raw)
		}
		if tt.draft.Err == "" {
			telemetrytest.Check(t, dir)
		}
		// Field for field what Event says, in its order.
		var e telemetry.Event
		if err := json.Unmarshal(got, &e); err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		enc := json.NewEncoder(&again)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(e); err != nil || again.String() != tt.want+"\n" {
			t.Errorf("%s: Event makes %s, %v", tt.name, again.String(), err)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	ok := telemetry.Draft{Type: "doctor.ran"}
	for name, tt := range map[string]struct {
		scope telemetry.Scope
		draft telemetry.Draft
		code  fault.Code
	}{
		"newline in a trace id":      {telemetry.Scope{TraceID: "a\nb"}, ok, fault.Usage},
		"escape in an agent id":      {telemetry.Scope{AgentID: "a\x1b[31m"}, ok, fault.Usage},
		"separator in a session id":  {telemetry.Scope{SessionID: "a\u2028"}, ok, fault.Usage},
		"an id that is not UTF-8":    {telemetry.Scope{AgentID: "\xff"}, ok, fault.Usage},
		"a long id":                  {telemetry.Scope{TraceID: strings.Repeat("a", 129)}, ok, fault.Usage},
		"no type":                    {telemetry.Scope{}, telemetry.Draft{}, fault.Usage},
		"type with a newline":        {telemetry.Scope{}, telemetry.Draft{Type: "a.b\n"}, fault.Usage},
		"type in capitals":           {telemetry.Scope{}, telemetry.Draft{Type: "Nft.Buy"}, fault.Usage},
		"type with an empty word":    {telemetry.Scope{}, telemetry.Draft{Type: "nft..buy"}, fault.Usage},
		"payload is a list":          {telemetry.Scope{}, telemetry.Draft{Type: "doctor.ran", Payload: []int{1}}, fault.Internal},
		"result is a text":           {telemetry.Scope{}, telemetry.Draft{Type: "doctor.ran", Result: "x"}, fault.Internal},
		"payload that is no JSON":    {telemetry.Scope{}, telemetry.Draft{Type: "doctor.ran", Payload: map[string]any{"x": math.NaN()}}, fault.Internal},
		"raw payload that is broken": {telemetry.Scope{}, telemetry.Draft{Type: "doctor.ran", Payload: json.RawMessage(`{"a":`)}, fault.Internal},
	} {
		r, _ := recorder(t, tt.scope)
		if b, err := r.Encode(tt.draft); fault.CodeOf(err) != tt.code {
			t.Errorf("%s: %s, %v", name, b, err)
		}
		if tt.code == fault.Usage && tt.draft.Type == ok.Type {
			if err := r.Usable(); fault.CodeOf(err) != fault.Usage {
				t.Errorf("%s: usable says %v", name, err)
			}
		}
	}
}

func TestLongPartsAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("lörem <ipsum> ", 100_000)
	many := map[string]any{}
	for i := range 60_000 {
		many[string(line("%d", i))] = i
	}
	grows := json.RawMessage(`{"list":[` + strings.TrimSuffix(strings.Repeat(`{"pwd":1},`, 45_000), ",") + `]}`)
	for name, d := range map[string]telemetry.Draft{
		"grows":   {Payload: grows, Result: grows}, // it is redaction that makes it too long
		"payload": {Payload: map[string]any{"quoteId": "q_1", "note": long}},
		"result":  {Result: map[string]any{"txHash": txHash, "truncated": false, "list": []string{long}}},
		"both":    {Payload: map[string]any{"x": long}, Result: map[string]any{"y": long}},
		"members": {Payload: many},
		"error":   {Err: long},
		"nearly":  {Payload: map[string]any{"x": long[:479<<10]}, Result: map[string]any{"y": long[:479<<10]}, Err: long},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, dir := recorder(t, telemetry.Scope{TraceID: "t"}, keySecret)
			d.Type = "custom.event"
			if err := r.Record(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			events := telemetrytest.Check(t, dir)
			if len(events) != 1 || events[0].TraceID != "t" || events[0].EventType != d.Type {
				t.Fatalf("%d events: %+v", len(events), events)
			}
			e := events[0]
			var marks []mark
			for _, part := range []json.RawMessage{e.Payload, e.Result} {
				if bytes.Contains(part, []byte(`"truncated":true`)) {
					marks = append(marks, markOf(t, part))
				}
			}
			switch name {
			case "payload":
				if len(marks) != 1 || marks[0].QuoteID != "q_1" || marks[0].Bytes < len(long) {
					t.Errorf("marks %+v", marks)
				}
			case "result":
				if len(marks) != 1 || marks[0].TxHash != txHash || marks[0].Bytes < len(long) {
					t.Errorf("marks %+v", marks)
				}
			case "both":
				if len(marks) != 2 {
					t.Errorf("marks %+v", marks)
				}
			case "members":
				if len(marks) != 1 || len(e.Payload) < 10_000 {
					t.Errorf("marks %+v, %d bytes left", marks, len(e.Payload))
				}
			case "error":
				if len(marks) != 0 || !strings.HasPrefix(long, strings.TrimSuffix((*e.Error), "… (1500000 bytes)")) {
					t.Errorf("marks %+v, error of %d bytes ends %q", marks, len(*e.Error), (*e.Error)[len(*e.Error)-30:])
				}
			}
		})
	}
}

// mark is what is left of a part that was cut.
type mark struct {
	Truncated bool
	Bytes     int
	QuoteID   string
	TxHash    string
}

func markOf(t *testing.T, part []byte) (m mark) {
	t.Helper()
	if err := json.Unmarshal(part, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSecretsNeverReachTheLog puts canaries everywhere a draft has room.
func TestSecretsNeverReachTheLog(t *testing.T) {
	t.Parallel()
	r, dir := recorder(t, telemetry.Scope{AgentID: keySecret, SessionID: "s " + keySecret, TraceID: "t" + keySecret[2:], Command: "ape-claw " + keySecret, Source: keySecret}, keySecret, tokenSecret)
	long := strings.Repeat("x", 500<<10)
	for _, d := range []telemetry.Draft{
		{Type: "custom.event", Err: "dial https://u:" + keySecret + "@host: " + tokenSecret},
		{Type: "custom.event", Payload: map[string]any{"args": []string{"--private-key", keySecret}, "n": map[string]any{keySecret: tokenSecret}, "raw": []byte(keySecret + tokenSecret)}},
		{Type: "custom.event", Result: json.RawMessage(`{"private-key":["unknown-canary"],"x":"Bearer unknown-canary","y":"` + phraseSecret + `"}`)},
		{Type: "custom.event", Payload: map[string]any{"a": long + keySecret, "b": keySecret + long, "password": "unknown-canary", "c": strings.Repeat(keySecret, 9)}, Result: map[string]any{"z": strings.Repeat(keySecret+" ", 9000)}},
		{Type: "custom.event", Err: strings.Repeat("x", 8<<10-8) + keySecret},
	} {
		if err := r.Record(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	telemetrytest.Check(t, dir)
	raw := rawLog(t, dir)
	for _, canary := range []string{keySecret[2:], keySecret[2:8], "Canary", "unknown-canary", "sausage"} {
		if i := strings.Index(raw, canary); i >= 0 {
			t.Errorf("the log has %q: …%s…", canary, raw[max(0, i-80):min(len(raw), i+80)])
		}
	}
}

func TestRecorderCounts(t *testing.T) {
	t.Parallel()
	r, dir := recorder(t, telemetry.Scope{TraceID: "t", Command: "ape-claw test"})
	record := func(d telemetry.Draft) {
		t.Helper()
		if err := r.Record(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	record(telemetry.Draft{Type: "clawbot.list.read", Result: map[string]any{"count": 1}})
	if r.Count() != 1 || r.HasFailure() {
		t.Errorf("count %d, failure %v", r.Count(), r.HasFailure())
	}
	if err := r.AppendLine(t.Context(), []byte("a\nb"), false); err == nil || r.Count() != 1 {
		t.Errorf("a bad line: %v, count %d", err, r.Count())
	}
	encoded, err := r.Encode(telemetry.Draft{Type: "command.failed", Err: "no", Result: map[string]any{"code": "upstream"}})
	if err != nil || r.Count() != 1 || r.HasFailure() {
		t.Errorf("encoding counts: %d, %v, %v", r.Count(), r.HasFailure(), err)
	}
	if err := r.AppendLine(t.Context(), encoded, true); err != nil {
		t.Fatal(err)
	}
	if r.Count() != 2 || !r.HasFailure() {
		t.Errorf("count %d, failure %v", r.Count(), r.HasFailure())
	}
	equal(t, "types", telemetrytest.Types(t, dir), []string{"clawbot.list.read", "command.failed"})
	if r.Scope().AgentID != telemetry.DefaultAgentID {
		t.Errorf("scope %+v", r.Scope())
	}
}

// TestMoneyIsDurable: the catalogue decides, and so may the draft.
func TestMoneyIsDurable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		draft   telemetry.Draft
		durable bool
	}{
		{telemetry.Draft{Type: "doctor.ran"}, false},
		{telemetry.Draft{Type: "doctor.ran", Money: true}, true},
		{telemetry.Draft{Type: "nft.buy.submitted"}, true},
		{telemetry.Draft{Type: "nft.buy.confirmed"}, true},
		{telemetry.Draft{Type: "nft.buy.dry_run"}, false},
		{telemetry.Draft{Type: "custom.thing"}, false},
	} {
		l := newLog(t, t.TempDir())
		l.SetSystem(nil, failSync)
		r := telemetry.NewRecorder(l, nil, at, telemetry.Scope{})
		if err := r.Record(t.Context(), tt.draft); (fault.CodeOf(err) == fault.NotDurable) != tt.durable || err != nil && !tt.durable {
			t.Errorf("%+v: %v", tt.draft, err)
		}
	}
}

var errSync = errors.New("no sync")

func TestTraceIDs(t *testing.T) {
	t.Parallel()
	a, b := telemetry.NewTraceID(at()), telemetry.NewTraceID(at())
	if a == b || !strings.HasPrefix(a, "trace_1771417800007_") {
		t.Errorf("trace ids %s and %s", a, b)
	}
	r, _ := recorder(t, telemetry.Scope{})
	if err := r.Scope().Validate(); err != nil || !strings.HasPrefix(r.Scope().TraceID, "trace_") {
		t.Errorf("scope %+v, %v", r.Scope(), err)
	}
}

// FuzzEnvelope: what is encoded is one valid line that says the same.
func FuzzEnvelope(f *testing.F) {
	f.Add("nft.buy.confirmed", "agent", "trace", "boom", []byte(`{"a":[1,"x\u2028"]}`), "text \u2028 < \x00", true)
	f.Add("a", "", "", "", []byte("{}"), "", false)
	f.Add("doctor.ran", "é", "\t", "\xff", []byte("{\"a\":\"\xff\"}"), "\xed\xa0\x80", true)
	f.Add("doctor.ran", "a", "b", "c", []byte(" {\n\"a\" : 1 }"), "</script>", true)
	f.Fuzz(func(t *testing.T, typ, agent, trace, errText string, payload []byte, text string, dry bool) {
		r := telemetry.NewRecorder(nil, nil, at, telemetry.Scope{AgentID: agent, TraceID: trace})
		b, err := r.Encode(telemetry.Draft{Type: typ, Err: errText, DryRun: dry, Payload: json.RawMessage(payload), Result: map[string]string{"text": text}})
		if err != nil {
			if c := fault.CodeOf(err); c != fault.Usage && c != fault.Internal {
				t.Errorf("error %v", err)
			}
			return
		}
		if bytes.ContainsAny(b, "\n\r\x00\u2028\u2029") || len(b)+1 > telemetry.MaxLine {
			t.Errorf("line %q", b)
		}
		var e telemetry.Event
		if err := json.Unmarshal(b, &e); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if e.EventType != typ || e.DryRun != dry || e.OK != (errText == "") || (e.Error == nil) != e.OK || e.TS != "2026-02-18T12:30:00.007Z" {
			t.Errorf("%q says %+v", b, e)
		}
		if errText != "" && len(errText) < 1000 && !strings.Contains(*e.Error, telemetry.Redacted) && *e.Error != strings.ToValidUTF8(errText, "\ufffd") {
			// ToValidUTF8 makes one mark of a run of bad bytes, JSON one of each.
			if strings.ToValidUTF8(errText, "\ufffd") == errText {
				t.Errorf("error %q became %q", errText, *e.Error)
			}
		}
		if again := telemetry.NewRedactor().Bytes(b); !bytes.Equal(again, b) {
			t.Errorf("%q is redacted again to %q", b, again)
		}
	})
}
