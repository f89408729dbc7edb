package commands

import (
	"encoding/json"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Every command says what it is to models. There is no default: what nobody thought
// about is no tool, and this fails.
func TestEveryCommandIsClassified(t *testing.T) {
	t.Parallel()
	for _, c := range Specs() {
		switch c.AI.Class {
		case AITool:
			if !slices.Contains([]ai.Grade{ai.GradeRead, ai.GradeWrite, ai.GradeHigh}, c.AI.Grade) {
				t.Errorf("%s: a tool of grade %q", c.Name, c.AI.Grade)
			}
			if c.Risk == RiskHuman || c.Human != "" || c.Streams {
				t.Errorf("%s: a tool that asks a person at the terminal, or streams", c.Name)
			}
			// By the specification: they cost gas, and move and allow nothing.
			gasOnly := slices.Contains([]string{"v2 intent create", "v2 intent cancel", "v2 receipt record"}, c.Name) && c.AI.Grade == ai.GradeWrite
			if c.Risk == RiskHigh && c.AI.Grade != ai.GradeHigh && !gasOnly {
				t.Errorf("%s: of high risk, and of grade %s for models", c.Name, c.AI.Grade)
			}
		case AIOperator, AINever:
			if c.AI.Grade != "" || c.AI.Identifiers != nil || c.AI.Untrusted {
				t.Errorf("%s is no tool, and has what only tools have", c.Name)
			}
		default:
			t.Errorf("%s says nothing of models: AI: Exposure{Class: …}", c.Name)
		}
	}
}

// What is never a tool, by the threat model, by name: a class that is changed by
// mistake fails here.
func TestNeverTools(t *testing.T) {
	t.Parallel()
	never := regexp.MustCompile(`^(auth |serve$|mcp$|ai($| )|clawbot (register|verify|revoke|rotate|invite)|sandbox |demo$|dashboard$|events (emit|import|export|flush)|.* resume$|allowlist (add|remove)|policy (init|unhalt))`)
	for _, c := range Specs() {
		if never.MatchString(c.Name) && c.AI.Class == AITool {
			t.Errorf("%s is a tool, which it must never be", c.Name)
		}
	}
	tools, _ := world(t)
	for _, x := range tools {
		if never.MatchString(x.Command) {
			t.Errorf("%s is a tool", x.Command)
		}
	}
}

func world(t *testing.T) ([]ai.Tool, *tool.Registry) {
	t.Helper()
	d := newDeps(Host{Env: func(string) (string, bool) { return "", false }, Now: time.Now})
	r, err := d.aiRegistry()
	if err != nil {
		t.Fatal(err)
	}
	return r.Tools(ai.Preset{Name: ai.PresetAll}), r
}

// The grades, permissions and identifiers of the specification, and no tool beside.
func TestGrades(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"allowlist_audit": "read policy:read", "allowlist_list": "read policy:read", "chain_info": "read chain:read", "clawbot_list": "read clawbot:read",
		"doctor": "read system:read", "events_schema": "read events:read", "market_collections": "read market:read", "market_listings": "read market:read",
		"nft_autobuy": "high nft:autobuy count maxPrice budget", "nft_buy": "high nft:buy collection tokenId priceApe", "nft_quote": "read nft:quote",
		"nft_quotes_list": "read nft:read", "nft_quotes_show": "read nft:read", "nft_simulate": "read nft:simulate", "policy_check": "read policy:read",
		"policy_halt": "write policy:halt", "policy_show": "read policy:read", "policy_spend": "read policy:read", "quickstart": "read system:read", "version": "read system:read",
		"v2_intent_show": "read v2:read", "v2_receipt_get": "read v2:read", "v2_skill_list": "read v2:read", "v2_skill_show": "read v2:read", "v2_vault_status": "read v2:read",
		"v2_intent_cancel": "write v2:intent:cancel", "v2_intent_create": "write v2:intent:create", "v2_receipt_record": "write v2:receipt:record",
		"v2_agent_execute": "high v2:agent:execute agentAccount module value inputHash", "v2_skill_mint": "high v2:skill:mint parentId contentHash",
		"v2_skill_publish": "high v2:skill:publish skillId contentHash",
		"v2_vault_release": "high v2:vault:release vault member pendingNative",
		"bridge_execute":   "high bridge:execute amount token from to", "bridge_quote": "read bridge:quote", "bridge_status": "read bridge:read",
		"pod_init": "write pod:init", "pod_status": "read pod:read", "pod_tasks": "read pod:read", "pod_stop": "write pod:run", "pod_heartbeat": "write pod:run",
		"skill_search": "read skill:read", "skill_show": "read skill:read", "skill_list": "read skill:read",
		"action_status": "read ai:read", "actions_pending": "read ai:read", "budget_status": "read policy:read", "events_recent": "read events:read",
		"explain_block": "read policy:read", "guide": "read ai:read", "request_action": "write ai:propose", "result_more": "read ai:read",
	}
	got := map[string]string{}
	tools, _ := world(t)
	for _, x := range tools {
		got[x.Name] = strings.TrimSpace(string(x.Grade) + " " + x.Permission + " " + strings.Join(x.Identifiers, " "))
	}
	if !reflect.DeepEqual(got, want) {
		for n := range got {
			if got[n] != want[n] {
				t.Errorf("%s: %q, want %q", n, got[n], want[n])
			}
		}
		for n := range want {
			if _, ok := got[n]; !ok {
				t.Errorf("no tool %s", n)
			}
		}
	}
	for _, x := range tools {
		// Names that others chose, the words of a marketplace or a node, reasons of a
		// halt: they reach all but these.
		ours := slices.Contains([]string{"version", "guide", "events_schema", "result_more", "request_action", "policy_halt", "pod_init", "pod_stop", "pod_heartbeat"}, x.Name)
		if x.Untrusted == ours {
			t.Errorf("%s: that its result holds text from outside is %v", x.Name, x.Untrusted)
		}
	}
}

// Fields that the engine or a person sets are in no schema, and are refused when they
// are sent all the same.
func TestModelsDontSetWhatIsNotTheirs(t *testing.T) {
	t.Parallel()
	forbidden := []string{"execute", "confirm", "autonomous", "dataSource", "from", "file", "dir", "out", "url", "addr", "allowUnsafe", "privateKey", "agentToken", "agentId",
		"openseaApiKey", "rpc", "api", "policy", "profile", "config", "home", "stateDir", "traceId", "sessionId", "json", "order", "orderHash", "exact", "currency", "force", "user"}
	tools, r := world(t)
	for _, x := range tools {
		var schema struct {
			Properties map[string]struct{ Description string } `json:"properties"`
			Additional bool                                    `json:"additionalProperties"`
		}
		if err := json.Unmarshal(x.Schema, &schema); err != nil || schema.Additional {
			t.Errorf("%s: %v, additional %v", x.Name, err, schema.Additional)
		}
		for _, name := range forbidden {
			if x.Name == "bridge_quote" && name == "from" {
				continue // a chain, by its name here; the account is the key's
			}
			if _, ok := schema.Properties[name]; ok {
				t.Errorf("%s has %s", x.Name, name)
			}
			if _, _, err := r.Check(x.Name, []byte(`{"`+name+`":"x"}`)); fault.CodeOf(err) != fault.InvalidArguments {
				t.Errorf("%s takes %s: %v", x.Name, name, err)
			}
		}
		text := x.Description
		for _, p := range schema.Properties {
			text += "\n" + p.Description
			if p.Description == "" {
				t.Errorf("%s has an argument that nothing is said about", x.Name)
			}
		}
		for _, word := range []string{"--", "unsafe", "autonomous", "confirm", "private key"} {
			if strings.Contains(strings.ToLower(text), word) {
				t.Errorf("%s tells a model of %q:\n%s", x.Name, word, text)
			}
		}
	}
	for _, c := range Specs() {
		if c.AI.Class != AITool {
			continue
		}
		for _, f := range InputFields(c.In) {
			class := f.Tag.Get("ai")
			if !slices.Contains([]string{fieldExposed, fieldEngine, fieldOperator}, class) {
				t.Errorf("%s: field %s says %q of models", c.Name, f.Name, class)
			}
			if f.Tag.Get("secret") == "true" && class != fieldOperator {
				t.Errorf("%s: field %s is a secret", c.Name, f.Name)
			}
		}
	}
}

// A tool call fills the same fields with the same values as a command line, and what a
// flag refuses is refused.
func TestToolCallsFillTheInput(t *testing.T) {
	t.Parallel()
	type in struct {
		Price string   `json:"price" required:"true"`
		Side  string   `json:"side" enum:"buy-now,sell" default:"sell"`
		Count int      `json:"count" default:"20" min:"1"`
		All   bool     `json:"all"`
		List  []string `json:"list"`
		Note  *string  `json:"note" empty:"true"`
	}
	var v in
	if err := fillFields(reflect.ValueOf(&v).Elem(), json.RawMessage(`{"price":"1"}`)); err != nil || v.Side != "sell" || v.Count != 20 || v.Note != nil {
		t.Errorf("%+v %v", v, err)
	}
	v = in{}
	if err := fillFields(reflect.ValueOf(&v).Elem(), json.RawMessage(`{"price":"1","side":"buyNow","count":3,"all":true,"list":["a"," b "],"note":""}`)); err != nil ||
		v.Side != "buy-now" || v.Count != 3 || !v.All || !reflect.DeepEqual(v.List, []string{"a", "b"}) || v.Note == nil {
		t.Errorf("%+v %v", v, err)
	}
	for _, args := range []string{
		`{}`, `[]`, `{"price":""}`, `{"price":" , "}`, `{"price":1}`, `{"price":"1","count":0}`, `{"price":"1","count":"3"}`, `{"price":"1","count":1.5}`, `{"price":"1","count":1e2}`,
		`{"price":"1","all":"true"}`, `{"price":"1","side":"hold"}`, `{"price":"1","list":"a"}`, `{"price":"1","list":[1]}`, `{"price":"1","list":[""]}`, `{"price":"1","list":["a,b"]}`,
		`{"price":"1","other":1}`, `{"price":null}`, `{"price":"1","Price":"2"}`,
	} {
		var v in
		if err := fillFields(reflect.ValueOf(&v).Elem(), json.RawMessage(args)); fault.CodeOf(err) != fault.InvalidArguments {
			t.Errorf("%s: %+v, %v", args, v, err)
		}
	}
}

// On whose behalf a tool runs is in its events. What it may spend is decided by the
// agent that this process is: no name of a connection leads out of its overlay or cap.
func TestACallerChangesNoPolicy(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	env := map[string]string{"HOME": home, "APE_CLAW_AGENT_ID": "bot", "APE_CLAW_STATE_DIR": t.TempDir()}
	d := newDeps(Host{Stderr: io.Discard, Now: time.Now, Env: func(k string) (string, bool) { v, ok := env[k]; return v, ok }})
	newTree(d, nil)
	defer d.close()
	c := d.child(Spec{Name: "nft quote"}, ai.Scope{AgentID: "conn:other", SessionID: "room_1", Source: "ai"})
	defer c.close()
	mine, err := d.sources()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := c.sources()
	if err != nil || !reflect.DeepEqual(mine, theirs) || !slices.Equal(theirs.Agents, []string{"bot"}) {
		t.Errorf("%+v, want %+v: %v", theirs, mine, err)
	}
	rec, err := c.recorder()
	if err != nil {
		t.Fatal(err)
	}
	own, err := d.recorder()
	if err != nil {
		t.Fatal(err)
	}
	s, o := rec.Scope(), own.Scope()
	if s.AgentID != "conn:other" || s.SessionID != "room_1" || s.Source != "ai" || s.Command != "ape-claw nft quote" || s.TraceID == o.TraceID || o.AgentID != "bot" || o.Source != "cli" {
		t.Errorf("%+v beside %+v", s, o)
	}
	if c.redactor() != d.redactor() {
		t.Error("it knows other secrets")
	}
	if _, err := c.terminal("agree"); err == nil {
		t.Error("it has a terminal")
	}
}
