package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/mcp"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

func TestToolsAreThoseOfThePreset(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		preset ai.Preset
		want   []string
	}{
		"all":        {ai.Preset{Name: ai.PresetAll}, []string{"actions_pending", "market_listings", "nft_buy", "policy_halt", "request_action"}},
		"read_write": {ai.Preset{Name: ai.PresetReadWrite}, []string{"actions_pending", "market_listings", "policy_halt", "request_action"}},
		"read_only":  {ai.Preset{Name: ai.PresetReadOnly}, []string{"actions_pending", "market_listings", "request_action"}},
		"none":       {ai.Preset{Name: ai.PresetNone}, nil},
		"unknown":    {ai.Preset{Name: "everything"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &engine{}
			opts := e.options()
			opts.Preset = tt.preset
			cs := connect(t, e, opts, nil)
			got, err := cs.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range got.Tools {
				names = append(names, tool.Name)
			}
			if !slices.Equal(names, tt.want) {
				t.Errorf("got %q, want %q", names, tt.want)
			}
		})
	}
}

func TestAnnotationsFollowTheGrade(t *testing.T) {
	t.Parallel()
	e := &engine{}
	cs := connect(t, e, e.options(), nil)
	got, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"market_listings": `{"idempotentHint":false,"openWorldHint":true,"readOnlyHint":true}`,
		"policy_halt":     `{"destructiveHint":false,"idempotentHint":false,"openWorldHint":true,"readOnlyHint":false}`,
		"nft_buy":         `{"destructiveHint":true,"idempotentHint":false,"openWorldHint":true,"readOnlyHint":false}`,
	}
	for _, tool := range got.Tools {
		b, err := json.Marshal(tool.Annotations)
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := want[tool.Name]; ok && w != string(sorted(t, b)) {
			t.Errorf("%s: got %s, want %s", tool.Name, sorted(t, b), w)
		}
		delete(want, tool.Name)
	}
	for name := range maps.Keys(want) {
		t.Errorf("%s is missing", name)
	}
}

func sorted(t *testing.T, b []byte) []byte {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCallGoesThroughTheInvocation(t *testing.T) {
	t.Parallel()
	e := &engine{answer: func(_ context.Context, _ mcp.Session, name, _ string) ai.Result {
		switch name {
		case "nft_buy":
			return ai.Result{Text: `{"data":{"approvalRequested":true,"actionId":"act_1"}}`, ActionID: "act_1", Outcome: "proposed"}
		case "policy_halt":
			return ai.Result{Text: `{"error":"no","code":"invalid_arguments"}`, IsError: true, Code: "invalid_arguments"}
		}
		return ai.Result{Text: `{"data":[1]}`, Outcome: "ok"}
	}}
	cs := connect(t, e, e.options(), nil)
	for _, tt := range []struct {
		tool    string
		args    any
		isError bool
		text    string
	}{
		{"market_listings", nil, false, `{"data":[1]}`},
		{"market_listings", json.RawMessage(`{"x":1,"bogus":[]}`), false, `{"data":[1]}`},
		{"nft_buy", json.RawMessage(`{"id":"q1"}`), false, `{"data":{"approvalRequested":true,"actionId":"act_1"}}`},
		{"policy_halt", json.RawMessage(`{}`), true, `{"error":"no","code":"invalid_arguments"}`},
	} {
		r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: tt.tool, Arguments: tt.args})
		if err != nil {
			t.Fatal(err)
		}
		if r.IsError != tt.isError || text(t, r) != tt.text {
			t.Errorf("%s: error %t, text %s", tt.tool, r.IsError, text(t, r))
		}
		structured, err := json.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		if string(structured) != string(sorted(t, []byte(tt.text))) {
			t.Errorf("%s: structured %s, text %s", tt.tool, structured, tt.text)
		}
	}
	// What no schema has is for the engine to refuse: it got it.
	want := []string{"market_listings {}", `market_listings {"x":1,"bogus":[]}`, `nft_buy {"id":"q1"}`, "policy_halt {}"}
	if got := e.said(); !slices.Equal(got, want) {
		t.Errorf("the engine saw %q, want %q", got, want)
	}
	if len(e.begun) != 1 {
		t.Fatalf("%d invocations for one session", len(e.begun))
	}
	if got, want := e.begun[0].Scope, (ai.Scope{AgentID: "mcp:test-client", SessionID: "mcps_1", Source: "mcp"}); got != want {
		t.Errorf("scope %+v, want %+v", got, want)
	}
}

func TestUnknownToolIsAProtocolError(t *testing.T) {
	t.Parallel()
	e := &engine{}
	opts := e.options()
	opts.Preset = ai.Preset{Name: ai.PresetReadOnly}
	cs := connect(t, e, opts, nil)
	for _, name := range []string{"ai_actions_approve", "nft_buy"} {
		_, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: name})
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if got := e.said(); len(got) > 0 {
		t.Errorf("the engine saw %q", got)
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	e := &engine{}
	cs := connect(t, e, e.options(), nil)
	list, err := cs.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"docs://guide": "# Guide\n", "docs://api": "# API\n"}
	if len(list.Resources) != len(want) {
		t.Errorf("%d resources", len(list.Resources))
	}
	for uri, content := range want {
		r, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Contents) != 1 || r.Contents[0].Text != content || r.Contents[0].MIMEType != "text/markdown" {
			t.Errorf("%s: %+v", uri, r.Contents)
		}
	}
	if _, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "docs://../ai.key"}); err == nil {
		t.Error("a resource that is not there was read")
	}
}

func TestCallsInAMinute(t *testing.T) {
	t.Parallel()
	e := &engine{now: time.Unix(1e9, 0)}
	cs := connect(t, e, e.options(), nil)
	call := func() *sdk.CallToolResult {
		r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "market_listings"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for i := range 60 {
		if r := call(); r.IsError {
			t.Fatalf("call %d: %s", i+1, text(t, r))
		}
	}
	for range 3 {
		if r := call(); !r.IsError || code(t, r) != string(fault.RateLimited) {
			t.Errorf("call over the limit: %s", text(t, r))
		}
	}
	if len(e.said()) != 60 {
		t.Errorf("the engine saw %d calls", len(e.said()))
	}
	if len(e.records) != 1 || e.records[0].Type != "ai.mcp.called" {
		t.Errorf("recorded %+v: the first refusal of a row, once", e.records)
	}
	e.mu.Lock()
	e.now = e.now.Add(time.Minute)
	e.mu.Unlock()
	if r := call(); r.IsError {
		t.Errorf("a minute later: %s", text(t, r))
	}
}

func TestCancelEndsTheCall(t *testing.T) {
	t.Parallel()
	running, ended := make(chan struct{}), make(chan error, 1)
	e := &engine{answer: func(ctx context.Context, _ mcp.Session, _, _ string) ai.Result {
		close(running)
		<-ctx.Done()
		ended <- ctx.Err()
		return ai.Result{Text: `{"code":"canceled"}`, IsError: true, Code: "canceled"}
	}}
	cs := connect(t, e, e.options(), nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-running; cancel() }()
	if _, err := cs.CallTool(ctx, &sdk.CallToolParams{Name: "market_listings"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("the engine's context did not end")
	}
}

func TestClientThatLeavesEndsItsCalls(t *testing.T) {
	t.Parallel()
	running, ended := make(chan struct{}), make(chan struct{})
	e := &engine{answer: func(ctx context.Context, _ mcp.Session, _, _ string) ai.Result {
		close(running)
		<-ctx.Done()
		close(ended)
		return ai.Result{Text: `{}`, IsError: true}
	}}
	p := start(t, t.Context(), mcp.New(e.options()))
	write(t, p, initialize, initialized, callLine(2, "market_listings"))
	go func() { _ = all(p.out) }()
	<-running
	p.in.Close()
	<-ended
}

func TestServersEndEndsTheCalls(t *testing.T) {
	t.Parallel()
	running := make(chan struct{})
	e := &engine{answer: func(ctx context.Context, _ mcp.Session, _, _ string) ai.Result {
		close(running)
		<-ctx.Done()
		return ai.Result{Text: `{}`, IsError: true}
	}}
	ctx, cancel := context.WithCancel(t.Context())
	p := start(t, ctx, mcp.New(e.options()))
	write(t, p, initialize, initialized, callLine(2, "market_listings"))
	go func() { _ = all(p.out) }()
	<-running
	cancel() // the cleanup waits for Run
}

func TestKillEndsTheCall(t *testing.T) {
	t.Parallel()
	kill := make(chan struct{})
	e := &engine{answer: func(ctx context.Context, _ mcp.Session, _, _ string) ai.Result {
		close(kill)
		<-ctx.Done()
		return ai.Result{Text: `{"code":"timeout"}`, IsError: true, Code: "timeout"}
	}}
	opts := e.options()
	opts.Watch = func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancelCause(ctx)
		go func() {
			select {
			case <-kill:
				cancel(ai.KillError([]string{"ai: test"}))
			case <-ctx.Done():
			}
		}()
		return ctx, func() { cancel(nil) }
	}
	cs := connect(t, e, opts, nil)
	r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "market_listings"})
	if err != nil {
		t.Fatal(err)
	}
	if !r.IsError || code(t, r) != string(fault.Killed) {
		t.Errorf("got %s", text(t, r))
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{answer: func(ctx context.Context, _ mcp.Session, _, _ string) ai.Result {
			select {
			case <-time.After(2500 * time.Millisecond):
			case <-ctx.Done():
			}
			return ai.Result{Text: `{}`}
		}}
		var got []string
		last, ended := -1.0, make(chan struct{})
		cs := connect(t, e, e.options(), &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			if r.Params.Progress <= last {
				t.Errorf("progress %v after %v", r.Params.Progress, last)
			}
			last = r.Params.Progress
			got = append(got, r.Params.Message)
			if strings.HasSuffix(r.Params.Message, "ended") {
				close(ended)
			}
		}})
		params := &sdk.CallToolParams{Name: "market_listings"}
		params.SetProgressToken("p1")
		if _, err := cs.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		<-ended
		want := []string{"market_listings runs", "market_listings still runs", "market_listings still runs", "market_listings ended"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		cs.Close()
	})
}

func TestCleanName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"claude-code":            "claude-code",
		"Codex MCP Client":       "codex-mcp-client",
		"":                       "unnamed",
		"../../x":                "x",
		"a:b\nmcp:c":             "a-b-mcp-c",
		"\u202eevil\u200b":       "evil",
		"操作":                     "unnamed",
		strings.Repeat("a", 900): strings.Repeat("a", 32),
	} {
		if got := mcp.CleanName(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
