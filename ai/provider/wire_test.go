package provider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/provider"
	"github.com/ape-claw/ape-claw/sandbox/model"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// sent is the whole of what may be in a request. Unknown fields fail the test.
type sent struct {
	Model     string        `json:"model"`
	Messages  []sentMessage `json:"messages"`
	Stream    bool          `json:"stream"`
	MaxTokens *int          `json:"max_tokens"`
	MaxNew    *int          `json:"max_completion_tokens"`
	Effort    string        `json:"reasoning_effort"`
	Options   *struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

type sentMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	CallID  string `json:"tool_call_id"`
	Calls   []struct {
		ID       string          `json:"id"`
		Type     string          `json:"type"`
		Extra    json.RawMessage `json:"extra_content"`
		Function struct {
			Name string `json:"name"`
			Args string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (m sentMessage) String() string {
	s := m.Role
	if m.CallID != "" {
		s += " " + m.CallID
	}
	if m.Content != "" {
		s += ": " + m.Content
	}
	for _, c := range m.Calls {
		s += fmt.Sprintf(" [%s %s %s]", c.ID, c.Function.Name, c.Function.Args)
	}
	return s
}

func read(t *testing.T, body []byte) sent {
	t.Helper()
	var s sent
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		t.Fatalf("the request has something unknown: %v in %s", err, body)
	}
	return s
}

func TestWire(t *testing.T) {
	t.Parallel()
	srv := start(t, model.Script{Loop: true, Steps: []model.Step{{When: &model.When{Last: "user"}, Say: "ok"}}})
	m := dial(t, srv.URL, newClock())
	r := ask("what is for sale?")
	r.MaxTokens = 77
	r.Messages = append(r.Messages,
		ai.Message{Role: ai.RoleAssistant, Text: "I look.", Calls: []ai.ToolCall{{ID: "a", Name: "market_listings", Args: `{"collection":"x", "n": 1}`}, {ID: "b", Name: "nft_quote", Args: `{}`}}},
		ai.Message{Role: ai.RoleTool, CallID: "b", Text: `{"data":2}`},
		ai.Message{Role: ai.RoleTool, CallID: "a", Text: `{"data":1}`},
		ai.Message{Role: ai.RoleAssistant, Text: "Two."},
		ai.Message{Role: ai.RoleUser, Text: "and now?"})
	for range 2 {
		if _, err := m.Step(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(r.Tools) // the order in which they are handed in does not matter
	}
	reqs := srv.Requests()
	if !bytes.Equal(reqs[0].Body, reqs[1].Body) {
		t.Errorf("equal requests differ:\n%s\n%s", reqs[0].Body, reqs[1].Body)
	}
	if reqs[0].Authorization != "Bearer "+key || reqs[0].Path != "/v1/chat/completions" {
		t.Errorf("sent %q to %s", reqs[0].Authorization, reqs[0].Path)
	}
	s := read(t, reqs[0].Body)
	want := []string{
		"system: You help.", "user: what is for sale?",
		`assistant: I look. [a market_listings {"collection":"x", "n": 1}] [b nft_quote {}]`,
		`tool a: {"data":1}`, `tool b: {"data":2}`, "assistant: Two.", "user: and now?",
	}
	if got := lines(s); !slices.Equal(got, want) {
		t.Errorf("messages\n%q, want\n%q", got, want)
	}
	if len(s.Tools) != 2 || s.Tools[0].Function.Name != "market_listings" || s.Tools[1].Function.Name != "nft_quote" {
		t.Errorf("tools are not in order: %+v", s.Tools)
	}
	if !bytes.Contains(reqs[0].Body, []byte(`{"type":"object","properties":{"collection":{"type":"string"}},"additionalProperties":false}`)) {
		t.Error("a schema was not sent as it is")
	}
	if s.Options == nil || !s.Options.Usage || !s.Stream || s.MaxTokens == nil || *s.MaxTokens != 77 || s.MaxNew != nil {
		t.Errorf("options: %s", reqs[0].Body)
	}
}

func lines(s sent) []string {
	var out []string
	for _, m := range s.Messages {
		out = append(out, m.String())
	}
	return out
}

// TestAnyConversationCanBeSent holds that what was cut anywhere is sent as
// services take it: the local one checks as they do.
func TestAnyConversationCanBeSent(t *testing.T) {
	t.Parallel()
	call := func(id, name, args string) ai.Message {
		return ai.Message{Role: ai.RoleAssistant, Calls: []ai.ToolCall{{ID: id, Name: name, Args: args}}}
	}
	result := func(id, text string) ai.Message { return ai.Message{Role: ai.RoleTool, CallID: id, Text: text} }
	user := ai.Message{Role: ai.RoleUser, Text: "go"}
	cut := `tool a: {"error":"there is no result: the turn was cut off","code":"interrupted"}`
	tests := map[string]struct {
		in   []ai.Message
		want []string
	}{
		"a call without a result":      {[]ai.Message{user, call("a", "x", "{}"), user}, []string{"user: go", "assistant [a x {}]", cut, "user: go"}},
		"the last call without one":    {[]ai.Message{user, call("a", "x", "{}")}, []string{"user: go", "assistant [a x {}]", cut}},
		"an empty result":              {[]ai.Message{user, call("a", "x", "{}"), result("a", "")}, []string{"user: go", "assistant [a x {}]", cut}},
		"a result without a call":      {[]ai.Message{result("z", "{}"), user}, []string{"user: go"}},
		"a result of another":          {[]ai.Message{user, call("a", "x", "{}"), result("z", "{}")}, []string{"user: go", "assistant [a x {}]", cut}},
		"a result twice":               {[]ai.Message{user, call("a", "x", "{}"), result("a", "1"), result("a", "2")}, []string{"user: go", "assistant [a x {}]", "tool a: 2"}},
		"nothing said":                 {[]ai.Message{user, {Role: ai.RoleAssistant}, user}, []string{"user: go", "user: go"}},
		"broken arguments":             {[]ai.Message{user, call("a", "x", `{"q":1`), result("a", "1")}, []string{"user: go", `assistant [a x {"notJSON":"{\"q\":1"}]`, "tool a: 1"}},
		"arguments that are no object": {[]ai.Message{user, call("a", "x", `[1]`), result("a", "1")}, []string{"user: go", `assistant [a x {"notJSON":"[1]"}]`, "tool a: 1"}},
		"arguments of null":            {[]ai.Message{user, call("a", "x", `null`), result("a", "1")}, []string{"user: go", `assistant [a x {"notJSON":"null"}]`, "tool a: 1"}},
		"no arguments":                 {[]ai.Message{user, call("a", "x", ``), result("a", "1")}, []string{"user: go", "assistant [a x {}]", "tool a: 1"}},
		"a name that is none":          {[]ai.Message{user, call("a", "no such tool!", `{}`), result("a", "1")}, []string{"user: go", "assistant [a unknown {}]", "tool a: 1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, model.Script{Loop: true, Steps: []model.Step{model.Say("ok")}})
			if _, err := dial(t, srv.URL, newClock()).Step(t.Context(), ai.Request{Model: "m", Messages: tt.in}, nil); err != nil {
				t.Fatal(err)
			}
			if got := lines(read(t, srv.Requests()[0].Body)); !slices.Equal(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestWhatAServiceRefusesIsLeftOut holds that it is asked without, and that this
// is remembered.
func TestWhatAServiceRefusesIsLeftOut(t *testing.T) {
	t.Parallel()
	for f, without := range map[model.Fault]func(sent) bool{
		model.NoOptions:   func(s sent) bool { return s.Options == nil && s.Stream },
		model.NoStreaming: func(s sent) bool { return s.Options == nil && !s.Stream },
	} {
		srv := start(t, model.Script{Loop: true, Steps: []model.Step{words(f)}})
		m := dial(t, srv.URL, newClock())
		for range 2 {
			if r, err := m.Step(t.Context(), ask("go"), nil); err != nil || r.Text != all {
				t.Fatalf("%s: %q, %v", f, r.Text, err)
			}
		}
		reqs := srv.Requests()
		if len(reqs) != 3 || !without(read(t, reqs[1].Body)) || !without(read(t, reqs[2].Body)) {
			t.Errorf("%s: %d requests, want 3, of which the last two are without it", f, len(reqs))
		}
	}
}

// TestSignatures holds that what Gemini signs goes back with its call, and that
// calls of another process get the documented stand-in, only where it is missed.
func TestSignatures(t *testing.T) {
	t.Parallel()
	srv := start(t, steps(two(model.Signed), words(model.Unsigned)))
	m := dial(t, srv.URL, newClock())
	r := ask("go")
	turn := func(m ai.Model) ai.Reply {
		t.Helper()
		reply, err := m.Step(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	reply := turn(m)
	r.Messages = append(r.Messages, ai.Message{Role: ai.RoleAssistant, Calls: reply.Calls})
	for _, c := range reply.Calls {
		r.Messages = append(r.Messages, ai.Message{Role: ai.RoleTool, CallID: c.ID, Text: "{}"})
	}
	turn(m)
	if n := len(srv.Requests()); n != 2 {
		t.Fatalf("%d requests, want 2: the signatures were at hand", n)
	}
	for _, c := range read(t, srv.Requests()[1].Body).Messages[2].Calls {
		if want := `{"google":{"thought_signature":"signature of ` + c.ID + `"}}`; string(c.Extra) != want {
			t.Errorf("sent %s, want %s", c.Extra, want)
		}
	}
	turn(dial(t, srv.URL, newClock())) // another process
	reqs := srv.Requests()
	if len(reqs) != 4 || !bytes.Contains(reqs[3].Body, []byte("skip_thought_signature_validator")) || bytes.Contains(reqs[2].Body, []byte("extra_content")) {
		t.Errorf("%d requests, want 4, the last one with the stand-in: %s", len(reqs), reqs[len(reqs)-1].Body)
	}
}

// TestIDs holds that ids are the service's, unless they tell no calls apart.
func TestIDs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	srv := start(t, model.Script{Loop: true, Steps: []model.Step{{Call: []model.Call{
		{Tool: "a", ID: "call_1"}, {Tool: "a", ID: "call_1"}, {Tool: "a", ID: "seen"}, {Tool: "a", ID: long}, {Tool: "a", ID: "\x1b[1m"}, {Tool: "a", ID: "two words"},
	}}}})
	m := dial(t, srv.URL, newClock())
	r := ask("go")
	r.Messages = append(r.Messages, ai.Message{Role: ai.RoleAssistant, Calls: []ai.ToolCall{{ID: "seen", Name: "a", Args: "{}"}}})
	var before []string
	for range 2 {
		reply, err := m.Step(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, c := range reply.Calls {
			ids = append(ids, c.ID)
		}
		if ids[0] != "call_1" || before != nil && !slices.Equal(ids, before) {
			t.Errorf("ids %q, before %q", ids, before)
		}
		for i, id := range ids[1:] {
			if len(id) != 9 || slices.Contains(ids[:i+1], id) || id == "seen" || strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
				t.Errorf("our id is %q", id)
			}
		}
		before = ids
	}
}

func TestLimitOfTokens(t *testing.T) {
	t.Parallel()
	srv := start(t, model.Script{Loop: true, Steps: []model.Step{model.Say("ok")}})
	m := dial(t, srv.URL, newClock())
	for i, name := range []string{"gpt-5-mini", "o3", "llama-3.3-70b", "gpt-6-sol"} {
		r := ask("go")
		r.Model, r.MaxTokens = name, 9
		if _, err := m.Step(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		s := read(t, srv.Requests()[i].Body)
		if anew := name != "llama-3.3-70b"; anew != (s.MaxNew != nil) || anew == (s.MaxTokens != nil) {
			t.Errorf("%s: %s", name, srv.Requests()[i].Body)
		}
		if (s.Effort == "none") != (name == "gpt-6-sol") {
			t.Errorf("%s: reasoning_effort %q", name, s.Effort)
		}
	}
	r := ask("go")
	r.Model = "gpt-6-astra" // takes no tools over this API at all
	if _, err := m.Step(t.Context(), r, nil); fault.CodeOf(err) != fault.ModelUnavailable {
		t.Errorf("got %v", err)
	}
	r.Model = ""
	if _, err := m.Step(t.Context(), r, nil); fault.CodeOf(err) != fault.ModelUnavailable || len(srv.Requests()) != 4 {
		t.Errorf("got %v", err)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	price := &provider.Price{Input: 3_000_000, CacheRead: 300_000, Output: 15_000_000}
	tests := map[string]struct {
		usage string
		fault model.Fault
		price *provider.Price
		want  string
	}{
		"told":                  {`{"input":1000,"output":20,"cacheRead":400}`, "", nil, `{"input":1000,"output":20,"cacheRead":400,"costMicros":null}`},
		"not told":              {`null`, "", price, `{"input":null,"output":null,"cacheRead":null,"costMicros":null}`},
		"not asked for":         {`{"input":1,"output":1}`, model.NoOptions, nil, `{"input":null,"output":null,"cacheRead":null,"costMicros":null}`},
		"with each piece":       {`{"input":10,"output":20}`, model.EachUsage, nil, `{"input":10,"output":20,"cacheRead":0,"costMicros":null}`},
		"not streamed":          {`{"input":10,"output":20}`, model.Unstreamed, nil, `{"input":10,"output":20,"cacheRead":0,"costMicros":null}`},
		"by the operator":       {`{"input":1000,"output":20,"cacheRead":400}`, "", price, `{"input":1000,"output":20,"cacheRead":400,"costMicros":2220}`},
		"by the service":        {`{"input":1,"output":1,"cost":0.0000931}`, "", price, `{"input":1,"output":1,"cacheRead":0,"costMicros":94}`},
		"by the service, small": {`{"input":1,"output":1,"cost":9.3e-05}`, "", nil, `{"input":1,"output":1,"cacheRead":0,"costMicros":93}`},
		"nonsense":              {`{"input":-1,"output":99999999999999999,"cost":1e99}`, "", price, `{"input":null,"output":null,"cacheRead":0,"costMicros":null}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, steps(model.Step{Say: "a b c", Usage: json.RawMessage(tt.usage), Fault: tt.fault}))
			r, err := dial(t, srv.URL, newClock(), func(o *provider.Options) { o.Price = tt.price }).Step(t.Context(), ask("go"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := json.Marshal(r.Usage); err != nil || string(b) != tt.want || r.Model != "scripted" {
				t.Errorf("got %s of %q (%v), want %s", b, r.Model, err, tt.want)
			}
		})
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	n := func(i int64) *int64 { return &i }
	got, err := json.Marshal(provider.Sum(ai.Usage{Input: n(1), Output: n(2)}, ai.Usage{Input: n(10), CostMicros: n(5)}))
	if want := `{"input":11,"output":2,"cacheRead":null,"costMicros":5}`; err != nil || string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
