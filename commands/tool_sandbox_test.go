package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/policy"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// practice is a process beside a sandbox, as serve or ai chat is one.
type practice struct {
	*Deps
	world  *sandbox.World
	home   string
	state  string
	stderr *bytes.Buffer
}

func newPractice(t *testing.T) *practice {
	t.Helper()
	home := t.TempDir()
	w, err := sandbox.Start(t.Context(), sandbox.Options{Home: home, Listings: 3, Tokens: 6})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	p := &practice{world: w, home: w.Current().Home, state: t.TempDir(), stderr: &bytes.Buffer{}}
	env := map[string]string{"APE_CLAW_HOME": home, "APE_CLAW_PROFILE": "sandbox", "APE_CLAW_STATE_DIR": p.state, "HOME": home}
	p.Deps = newDeps(Host{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: p.stderr, Now: time.Now,
		Env: func(k string) (string, bool) { v, ok := env[k]; return v, ok }})
	newTree(p.Deps, nil)
	t.Cleanup(p.close)
	return p
}

func (p *practice) begin(t *testing.T, agent, trace string) *tool.Invocation {
	t.Helper()
	e, err := p.aiEngine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return e.Begin(tool.Session{Scope: ai.Scope{AgentID: agent, SessionID: "room_1", TraceID: trace, Source: "ai"}, Preset: ai.Preset{Name: ai.PresetAll},
		RoomID: "room_1", TurnID: "turn_1", Channel: tool.ChannelChat, MaxCalls: -1})
}

// ask calls a tool that has to answer, and returns what is in the fence.
func ask(t *testing.T, v *tool.Invocation, name, args string) map[string]any {
	t.Helper()
	res := v.Call(t.Context(), name, args)
	var doc struct {
		Data map[string]any `json:"data"`
	}
	if res.IsError || json.Unmarshal(res.Full, &doc) != nil {
		t.Fatalf("%s %s: %s", name, args, res.Text)
	}
	return doc.Data
}

func (p *practice) tool(t *testing.T, name string) ai.Tool {
	t.Helper()
	r, err := p.aiRegistry()
	if err != nil {
		t.Fatal(err)
	}
	x, ok := r.Lookup(name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	return x
}

func (p *practice) events(t *testing.T, contains ...string) (lines []map[string]any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.state, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
next:
	for line := range strings.Lines(string(b)) {
		for _, c := range contains {
			if !strings.Contains(line, c) {
				continue next
			}
		}
		var e map[string]any
		if json.Unmarshal([]byte(line), &e) != nil {
			t.Fatalf("%s", line)
		}
		lines = append(lines, e)
	}
	return lines
}

func facts(p ai.Preview) map[string]ai.Fact {
	out := map[string]ai.Fact{}
	for _, f := range p.Facts {
		out[f.Name] = f
	}
	return out
}

// The whole way of one token: what a model calls, the card, the purchase of exactly
// what was on it, under one trace and on the caller's behalf.
func TestToolsBuyOneToken(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	v := p.begin(t, "conn:main", "trace_turn")
	order := p.world.Demo().Orders[0]
	quote := func() string {
		q := ask(t, v, "nft_quote", fmt.Sprintf(`{"collection":%q,"tokenId":"%s","maxPrice":"1000"}`, order.Slug, order.TokenID))
		return q["quoteId"].(string)
	}
	id := quote()
	// Without a simulation there is no card.
	res := v.Call(t.Context(), "nft_buy", `{"quote":"`+id+`"}`)
	if res.Code != "simulation_required" || !strings.Contains(res.Text, "nft_simulate") || res.Outcome != tool.OutcomeRefused || res.ActionID != "" {
		t.Fatalf("%s", res.Text)
	}
	ask(t, v, "nft_simulate", `{"quote":"`+id+`"}`)
	buy, scope := p.tool(t, "nft_buy"), ai.Scope{AgentID: "conn:main", SessionID: "room_1", TraceID: "trace_turn", Source: "ai"}
	pre, err := buy.Preview(t.Context(), ai.Call{Args: json.RawMessage(`{"quote":"` + id + `"}`), Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	f := facts(pre)
	buyer := p.world.Buyer().Address().Hex()
	for name, want := range map[string]string{"collection": order.Slug, "tokenId": order.TokenID.String(), "recipient": buyer, "profile": "sandbox", "quoteId": id} {
		if f[name].Value != want || f[name].Volatile {
			t.Errorf("%s is %+v, want %s", name, f[name], want)
		}
	}
	for _, name := range []string{"maxFee", "maxTotal", "balance", "balanceAfter", "cap1"} {
		if !f[name].Volatile || f[name].Value == "" {
			t.Errorf("%s is %+v", name, f[name])
		}
	}
	for _, name := range []string{"contract", "seller", "recipient", "target"} {
		if a := f[name].Value; len(a) != 42 || a == strings.ToLower(a) {
			t.Errorf("%s is not a whole checksummed address: %s", name, a)
		}
	}
	price := pre.Identifiers["priceApe"]
	if pre.Phrase != fmt.Sprintf("BUY %s #%s %s APE", order.Slug, order.TokenID, price) || pre.Identifiers["tokenId"] != f["tokenId"].Value || !strings.HasPrefix(f["priceApe"].Value, price+" ") {
		t.Errorf("%q %v", pre.Phrase, pre.Identifiers)
	}
	if pre.Reference != id || pre.Expires.IsZero() || len(pre.Spends) != 1 || pre.Binding["from"] != buyer || pre.Binding["profile"] != "sandbox" || pre.Binding["stateDir"] != p.state ||
		pre.Binding["policyHash"] == "" || pre.Binding["chainId"] == "" || pre.Binding["allowlist"] != order.Slug+"="+f["contract"].Value {
		t.Errorf("%+v", pre)
	}
	// Once more, as it is before an approval, from what will be executed.
	again, err := buy.Preview(t.Context(), ai.Call{Args: pre.Args, Scope: scope})
	if err != nil || string(again.Args) != string(pre.Args) || again.Phrase != pre.Phrase {
		t.Errorf("%s, want %s: %v", again.Args, pre.Args, err)
	}
	for args, approval := range map[string]ai.Approval{
		`{"quote":"` + id + `"}`: {Phrase: pre.Phrase, Most: pre.Spends},
		string(pre.Args):         {Most: pre.Spends},
		`{"orderHash":"0x` + strings.Repeat("1", 64) + `","quote":"` + id + `"}`: {Phrase: pre.Phrase, Most: pre.Spends},
		strings.Replace(string(pre.Args), "}", " }", 1):                          {Phrase: "BUY something else", Most: pre.Spends},
		strings.Replace(string(pre.Args), "}", "  }", 1):                         {Phrase: pre.Phrase},
	} {
		if out, err := buy.Execute(t.Context(), ai.Call{Args: json.RawMessage(args), Scope: scope}, approval); err == nil {
			t.Fatalf("%s with %q bought %v", args, approval.Phrase, out)
		}
	}
	out, err := buy.Execute(t.Context(), ai.Call{Args: pre.Args, Scope: scope}, ai.Approval{ActionID: "act_1", Phrase: pre.Phrase, TraceID: "trace_turn", Most: pre.Spends})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(out)
	if !bytes.Contains(b, []byte(`"owner":"`+buyer)) && !bytes.Contains(bytes.ToLower(b), []byte(`"owner":"`+strings.ToLower(buyer))) {
		t.Errorf("%s", b)
	}
	done := p.events(t, `"eventType":"nft.buy.confirmed"`)
	if len(done) != 1 || done[0]["traceId"] != "trace_turn" || done[0]["agentId"] != "conn:main" || done[0]["source"] != "ai" || done[0]["sessionId"] != "room_1" || done[0]["command"] != "ape-claw nft buy" {
		t.Errorf("%v", done)
	}
	// What is used up, unknown or over is no reference any more.
	for _, old := range []string{id, "q_unknown"} {
		if res := v.Call(t.Context(), "nft_buy", `{"quote":"`+old+`"}`); res.Code != "stale_reference" || res.Outcome != tool.OutcomeRefused {
			t.Errorf("%s: %s", old, res.Text)
		}
	}
	if called := p.events(t, `"eventType":"ai.tool.called"`); len(called) < 5 {
		t.Errorf("%d calls recorded", len(called))
	}
}

// When the approved order is gone, no other takes its place.
func TestOnlyTheApprovedOrderIsBought(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	v := p.begin(t, "conn:main", "")
	order := p.world.Demo().Orders[0]
	id := ask(t, v, "nft_quote", fmt.Sprintf(`{"collection":%q,"tokenId":"%s","maxPrice":"1000"}`, order.Slug, order.TokenID))["quoteId"].(string)
	ask(t, v, "nft_simulate", `{"quote":"`+id+`"}`)
	buy := p.tool(t, "nft_buy")
	pre, err := buy.Preview(t.Context(), ai.Call{Args: json.RawMessage(`{"quote":"` + id + `"}`)})
	if err != nil {
		t.Fatal(err)
	}
	db, err := p.stateDB(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Somebody who can write to the state directory puts another order into the quote.
	if _, err := db.ExecContext(t.Context(), `UPDATE quotes SET doc = json_set(doc, '$.orderHash', ?) WHERE id = ?`, "0x"+strings.Repeat("ab", 32), id); err != nil {
		t.Fatal(err)
	}
	if out, err := buy.Execute(t.Context(), ai.Call{Args: pre.Args}, ai.Approval{Phrase: pre.Phrase, Most: pre.Spends}); fault.CodeOf(err) != fault.StateUnusable {
		t.Errorf("%v %v", out, err)
	}
	if changed, err := buy.Preview(t.Context(), ai.Call{Args: pre.Args}); err == nil && string(changed.Args) == string(pre.Args) {
		t.Errorf("the card does not show it: %s", changed.Args)
	}
}

func TestToolsBuyAPlan(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	auto := p.tool(t, "nft_autobuy")
	scope := ai.Scope{AgentID: "mcp:claude", Source: "mcp"}
	for args, code := range map[string]fault.Code{
		`{"maxPrice":"1000","count":2}`:                                    fault.InvalidArguments, // a budget is needed
		`{"budget":"5"}`:                                                   fault.InvalidArguments,
		`{"plan":"p_unknown"}`:                                             fault.StaleReference,
		`{"plan":"p_unknown","count":2}`:                                   fault.InvalidArguments,
		`{"maxPrice":"1000","budget":"2000","minPrice":"999"}`:             fault.NotFound,
		`{"maxPrice":"1000","budget":"2000","collections":["nothing-of"]}`: fault.CollectionNotAllowed,
	} {
		if pre, err := auto.Preview(t.Context(), ai.Call{Args: json.RawMessage(args), Scope: scope}); fault.CodeOf(err) != code || strings.Contains(err.Error(), "--") {
			t.Errorf("%s: %+v %v", args, pre.Title, err)
		}
	}
	pre, err := auto.Preview(t.Context(), ai.Call{Args: json.RawMessage(`{"maxPrice":"1000","count":2,"budget":"2000"}`), Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	f := facts(pre)
	if pre.Identifiers["count"] != "2" || pre.Identifiers["budget"] != "2000" || pre.Identifiers["maxPrice"] != "1000" || f["token1"].Value == "" || f["token2"].Value == "" || pre.TraceID == "" ||
		!strings.HasPrefix(pre.Phrase, "AUTOBUY p_") || string(pre.Args) != `{"plan":"`+pre.Reference+`"}` {
		t.Errorf("%+v", pre)
	}
	again, err := auto.Preview(t.Context(), ai.Call{Args: pre.Args, Scope: scope})
	if err != nil || again.Reference != pre.Reference || again.TraceID != pre.TraceID || fmt.Sprint(again.Identifiers, again.Binding, again.Phrase, again.Title, again.Impact) != fmt.Sprint(pre.Identifiers, pre.Binding, pre.Phrase, pre.Title, pre.Impact) {
		t.Errorf("%+v\n%+v\n%v", again, pre, err)
	}
	for i, x := range again.Facts {
		if !x.Volatile && x != pre.Facts[i] {
			t.Errorf("%+v was %+v", x, pre.Facts[i])
		}
	}
	out, err := auto.Execute(t.Context(), ai.Call{Args: pre.Args, Scope: scope}, ai.Approval{Phrase: pre.Phrase, TraceID: pre.TraceID})
	b, _ := json.Marshal(out)
	if err != nil || !bytes.Contains(b, []byte(`"executed":2`)) {
		t.Fatalf("%s %v", b, err)
	}
	if done := p.events(t, `"eventType":"nft.autobuy.executed"`); len(done) != 1 || done[0]["traceId"] != pre.TraceID || done[0]["agentId"] != "mcp:claude" {
		t.Errorf("%v", done)
	}
	if _, err := auto.Preview(t.Context(), ai.Call{Args: pre.Args, Scope: scope}); fault.CodeOf(err) != fault.StaleReference {
		t.Errorf("a plan that was carried out: %v", err)
	}
}

// A plan is its orders: another one of the same token, and cheaper, is not what was on
// the card.
func TestOnlyThePlannedOrdersAreBought(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	auto := p.tool(t, "nft_autobuy")
	pre, err := auto.Preview(t.Context(), ai.Call{Args: json.RawMessage(`{"maxPrice":"1000","count":1,"budget":"2000"}`)})
	if err != nil {
		t.Fatal(err)
	}
	db, err := p.stateDB(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var planned, slug, token string
	if err := db.QueryRowContext(t.Context(), `SELECT id, doc->>'collection', doc->>'tokenId' FROM quotes`).Scan(&planned, &slug, &token); err != nil {
		t.Fatal(err)
	}
	id, err := strconv.ParseUint(token, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.world.List(slug, demo.Terms{TokenID: id, Price: units.FromUint64(1_000_000_000_000), Salt: "another"}); err != nil {
		t.Fatal(err)
	}
	v := p.begin(t, "conn:main", "")
	other := ask(t, v, "nft_quote", fmt.Sprintf(`{"collection":%q,"tokenId":%q,"maxPrice":"1000"}`, slug, token))["quoteId"].(string)
	if _, err := db.ExecContext(t.Context(), `UPDATE quotes SET doc = (SELECT json_set(doc, '$.quoteId', ?) FROM quotes WHERE id = ?) WHERE id = ?`, planned, other, planned); err != nil {
		t.Fatal(err)
	}
	out, err := auto.Execute(t.Context(), ai.Call{Args: pre.Args}, ai.Approval{Phrase: pre.Phrase})
	if fault.CodeOf(err) != fault.StateUnusable || len(p.events(t, `"eventType":"nft.simulation.passed"`)) != 1 {
		t.Errorf("%v %v", out, err)
	}
}

// Policy and HALT are read at every call, not once per process; two callers side by
// side keep apart what is theirs.
func TestToolCallsKeepApart(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	var wg sync.WaitGroup
	for i := range 6 {
		v := p.begin(t, fmt.Sprintf("conn:m%d", i), fmt.Sprintf("trace_m%d", i))
		wg.Go(func() {
			for range 3 {
				if res := v.Call(t.Context(), "chain_info", `{}`); res.IsError {
					t.Errorf("%s", res.Text)
				}
				if res := v.Call(t.Context(), "market_listings", `{"collection":"nothing"}`); !res.IsError {
					t.Errorf("%s", res.Text)
				}
			}
		})
	}
	wg.Wait()
	for _, e := range p.events(t) {
		if agent, trace := e["agentId"].(string), e["traceId"].(string); strings.TrimPrefix(agent, "conn:") != strings.TrimPrefix(trace, "trace_") {
			t.Errorf("%s acts in %s: %v", agent, trace, e["eventType"])
		}
	}
	if failed := p.events(t, `"eventType":"market.listings.failed"`); len(failed) != 18 {
		t.Errorf("%d failures are recorded, want 18", len(failed))
	}
	v := p.begin(t, "conn:m", "")
	order := p.world.Demo().Orders[0]
	if err := policy.WriteHalt(p.home, "policy", "a person says stop", time.Now()); err != nil {
		t.Fatal(err)
	}
	id := ask(t, v, "nft_quote", fmt.Sprintf(`{"collection":%q,"tokenId":"%s","maxPrice":"1000"}`, order.Slug, order.TokenID))["quoteId"].(string)
	if res := v.Call(t.Context(), "nft_buy", `{"quote":"`+id+`"}`); res.Code != "halted" || res.Outcome != tool.OutcomeRefused {
		t.Errorf("%s", res.Text)
	}
	if got := ask(t, v, "budget_status", `{}`); len(got["halted"].([]any)) != 1 {
		t.Errorf("%v", got)
	}
	if res := v.Call(t.Context(), "explain_block", `{"tool":"nft_buy","args":{"quote":"`+id+`"}}`); res.IsError || !strings.Contains(string(res.Full), "halt") {
		t.Errorf("%s", res.Full)
	}
	if err := policy.WriteHalt(p.home, ai.KillCause, "stop", time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"version", "nft_buy", "guide"} {
		if res := v.Call(t.Context(), name, `{"quote":"`+id+`"}`); res.Code != "killed" {
			t.Errorf("%s: %s", name, res.Text)
		}
	}
}

// What reads runs for a model as it does for a person, and shows no secret.
func TestReadToolsAnswer(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	p.deploy(t)
	skill := p.mint(t)
	v := p.begin(t, "conn:main", "")
	r, err := p.aiRegistry()
	if err != nil {
		t.Fatal(err)
	}
	order := p.world.Demo().Orders[1]
	args := map[string]string{"market_listings": fmt.Sprintf(`{"collection":%q}`, order.Slug), "action_status": "", "result_more": "", "bridge_status": "", "bridge_quote": `{"from":"ethereum","token":"ETH","amount":"0.01"}`, "nft_quotes_show": "", "nft_simulate": "", "pod_tasks": "", "skill_show": `{"slug":"ape-claw-bridge"}`,
		"nft_quote": fmt.Sprintf(`{"collection":%q,"tokenId":"%s","maxPrice":"1000"}`, order.Slug, order.TokenID), "explain_block": `{"tool":"nft_buy","args":{"quote":"q_x"}}`,
		"events_recent": `{"type":"nft.*","limit":3}`, "guide": `{"section":"errors"}`, "market_collections": `{"recommended":true}`, "events_schema": `{"type":"nft.buy.confirmed"}`,
		"v2_skill_show": `{"skillId":"` + skill + `"}`, "v2_intent_show": `{"intentId":"1"}`, "v2_receipt_get": `{"trace":"trace_none"}`}
	cfg, err := p.Config()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Tools(ai.Preset{Name: ai.PresetReadOnly}) {
		in, given := args[x.Name]
		if given && in == "" {
			continue // needs an id of another call
		}
		if !given {
			in = `{}`
		}
		res := v.Call(t.Context(), x.Name, in)
		if res.IsError || len(res.Text) > tool.ResultBytes || !json.Valid([]byte(res.Text)) || strings.Contains(res.Text, `"untrusted":true`) != x.Untrusted {
			t.Errorf("%s: %s", x.Name, res.Text)
		}
		for _, secret := range []string{cfg.PrivateKey.Reveal(), strings.TrimPrefix(cfg.PrivateKey.Reveal(), "0x")} {
			if strings.Contains(string(res.Full), secret) {
				t.Errorf("%s shows the key", x.Name)
			}
		}
	}
	if s := p.stderr.String(); strings.Contains(s, "error") {
		t.Errorf("%s", s)
	}
}

// What a person and another model said to each other, and what that one proposed, is
// not for this one: the log tells it of its own.
func TestOthersConversationsAreTheirs(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	for _, x := range []struct{ agent, session, kind, text string }{
		{"conn:main", "room_1", "ai.message.created", "mine"},
		{"conn:other", "room_2", "ai.message.created", "private"},
		{"conn:other", "room_2", "ai.action.proposed", "private"},
		{"operator", "room_2", "ai.action.resolved", "private"},
		{"operator", "room_1", "ai.action.resolved", "decided"},
		{"conn:other", "room_2", "ai.tool.called", "a call"},
	} {
		err := p.aiRecord(t.Context(), ai.Scope{AgentID: x.agent, SessionID: x.session, TraceID: "trace_x", Source: "ai"},
			telemetry.Draft{Type: x.kind, Payload: map[string]any{"roomId": x.session}, Result: map[string]any{"preview": x.text}})
		if err != nil {
			t.Fatal(err)
		}
	}
	e, err := p.aiEngine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v := e.Begin(tool.Session{Scope: ai.Scope{AgentID: "conn:main", SessionID: "room_1", Source: "ai"}, Preset: ai.Preset{Name: ai.PresetAll}, RoomID: "room_1", Channel: tool.ChannelChat})
	res := v.Call(t.Context(), "events_recent", `{"type":"ai.*","limit":20}`)
	text := string(res.Full)
	if strings.Contains(text, "private") || !strings.Contains(text, "mine") || !strings.Contains(text, "decided") || !strings.Contains(text, "a call") {
		t.Errorf("%s", text)
	}
}

// A panic in an operation is an answer, and an event.
func TestAPanicInAnOperationIsAnError(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	boom := define(Spec{Name: "boom", Risk: RiskRead, Offline: true}, func(context.Context, *Deps, struct{}) (VersionOut, error) { panic("canary in memory") }, nil)
	child := p.child(boom.Spec, ai.Scope{AgentID: "conn:main"})
	defer child.close()
	if _, err := boom.call(t.Context(), child, json.RawMessage(`{}`)); fault.CodeOf(err) != fault.Internal || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
	if e := p.events(t, `"eventType":"command.failed"`, `"code":"internal"`); len(e) != 1 || e[0]["agentId"] != "conn:main" {
		t.Errorf("%v", e)
	}
}

// What is about to be approved is looked at on the chain: an order that can be bought
// no longer is no card, however well it was simulated when it was proposed.
func TestAnApprovalLooksAnew(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	v := p.begin(t, "conn:main", "trace_turn")
	order := p.world.Demo().Orders[0]
	id := ask(t, v, "nft_quote", fmt.Sprintf(`{"collection":%q,"tokenId":"%s","maxPrice":"1000"}`, order.Slug, order.TokenID))["quoteId"].(string)
	ask(t, v, "nft_simulate", `{"quote":"`+id+`"}`)
	buy, scope := p.tool(t, "nft_buy"), ai.Scope{AgentID: "conn:main", TraceID: "trace_turn", Source: "ai"}
	pre, err := buy.Preview(t.Context(), ai.Call{Args: json.RawMessage(`{"quote":"` + id + `"}`), Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.world.Cancel(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	if _, err := buy.Preview(t.Context(), ai.Call{Args: pre.Args, Scope: scope}); fault.CodeOf(err) != fault.SimulationFailed {
		t.Errorf("%v", err)
	}
	if e := p.events(t, `"eventType":"nft.simulation.failed"`); len(e) != 1 || e[0]["agentId"] != "conn:main" || e[0]["traceId"] != "trace_turn" {
		t.Errorf("%v", e)
	}
}
