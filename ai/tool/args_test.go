package tool_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/ai/tool"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const probeSchema = `{"type":"object","additionalProperties":false,"required":["price"],"properties":{
"price":{"type":"string","pattern":"^[0-9]{1,40}(\\.[0-9]{1,18})?$","maxLength":60},
"name":{"type":"string","minLength":1,"maxLength":10},
"side":{"type":"string","enum":["buy","sell"]},
"count":{"type":"integer","minimum":1,"maximum":500},
"all":{"type":"boolean"},
"slugs":{"type":"array","maxItems":3,"items":{"type":"string","minLength":1,"maxLength":8}},
"free":{"type":"object","additionalProperties":true}}}`

func registry(t testing.TB, tools ...ai.Tool) *tool.Registry {
	t.Helper()
	r, err := tool.NewRegistry(tools)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func probe(t testing.TB) *tool.Registry {
	t.Helper()
	return registry(t, reading("probe", probeSchema, nil))
}

func TestArguments(t *testing.T) {
	t.Parallel()
	r := probe(t)
	good := map[string]string{
		`{"price":"12.5"}`: `{"price":"12.5"}`,
		"{\n\"price\" : \"0.000000000000000001\" }\t":   `{"price":"0.000000000000000001"}`,
		`{"price":"1","count":500,"all":false}`:         `{"all":false,"count":500,"price":"1"}`,
		`{"price":"1","name":"a\nb\tc<&>"}`:             `{"name":"a\nb\tc<&>","price":"1"}`,
		`{"price":"1","name":"\u0061\ud83d\ude42"}`:     `{"name":"a🙂","price":"1"}`,
		`{"slugs":["b","a"],"price":"007"}`:             `{"price":"007","slugs":["b","a"]}`,
		`{"price":"1","free":{"z":1.50,"a":[null,{}]}}`: `{"free":{"a":[null,{}],"z":1.50},"price":"1"}`,
		`{"price":"1","side":"sell","slugs":[]}`:        `{"price":"1","side":"sell","slugs":[]}`,
		`{"price":"1","name":"한글 é","free":{}}`:         `{"free":{},"name":"한글 é","price":"1"}`,
	}
	for in, want := range good {
		if _, got, err := r.Check("probe", []byte(in)); err != nil || string(got) != want {
			t.Errorf("%s: %s %v, want %s", in, got, err, want)
		}
	}
	deep := func(n int) string {
		return `{"price":"1","free":{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	if _, _, err := r.Check("probe", []byte(deep(4))); err != nil {
		t.Errorf("six levels: %v", err)
	}
	for in, pointer := range map[string]string{
		``: "/price", ` `: "", `{`: "", `null`: "", `[]`: "", `"x"`: "", `7`: "", `{"price":"1"}{}`: "", `{"price":"1"} x`: "", `{'price':'1'}`: "", `{"price":"1",}`: "",
		"{\"price\":\"1\xff\"}": "", "```json\n{\"price\":\"1\"}\n```": "", `{"price":"1","name":"a` + "\x01" + `"}`: "",
		`{}`: "/price", `{"price":1}`: "/price", `{"price":12.5}`: "/price", `{"price":null}`: "/price", `{"price":["1"]}`: "/price", `{"price":true}`: "/price",
		`{"price":"1e3"}`: "/price", `{"price":"-1"}`: "/price", `{"price":"+1"}`: "/price", `{"price":"1,5"}`: "/price", `{"price":" 1"}`: "/price", `{"price":"1\n"}`: "/price",
		`{"price":"."}`: "/price", `{"price":"1."}`: "/price", `{"price":""}`: "/price", `{"price":"０"}`: "/price", `{"price":"0x1"}`: "/price", `{"price":"1.0000000000000000001"}`: "/price",
		`{"price":"1","price":"2"}`: "/price", `{"price":"1","\u0070rice":"2"}`: "/price", `{"price":"1","Price":"2"}`: "/Price",
		`{"price":"1","confirm":"BUY"}`: "/confirm", `{"price":"1","a/b~":1}`: "/a~1b~0", `{"price":"1","__proto__":{}}`: "/__proto__",
		`{"price":"1","count":"5"}`: "/count", `{"price":"1","count":1.0}`: "/count", `{"price":"1","count":1e2}`: "/count", `{"price":"1","count":-1}`: "/count",
		`{"price":"1","count":0}`: "/count", `{"price":"1","count":501}`: "/count", `{"price":"1","count":-0}`: "/count", `{"price":"1","count":99999999999999999999}`: "/count",
		`{"price":"1","all":"true"}`: "/all", `{"price":"1","all":1}`: "/all", `{"price":"1","side":"Buy"}`: "/side", `{"price":"1","side":""}`: "/side",
		`{"price":"1","name":""}`: "/name", `{"price":"1","name":"aaaaaaaaaaa"}`: "/name", `{"price":"1","name":"a\u0000"}`: "/name", `{"price":"1","name":"a\r"}`: "/name",
		`{"price":"1","name":"a\u202eb"}`: "/name", `{"price":"1","name":"a\u200bb"}`: "/name", `{"price":"1","name":"\ud800"}`: "/name", `{"price":"1","name":"\u2028"}`: "/name",
		`{"price":"1","name":"\udb40\udc41"}`: "/name", `{"price":"1","slugs":"a"}`: "/slugs", `{"price":"1","slugs":["a","b","c","d"]}`: "/slugs",
		`{"price":"1","slugs":["a",7]}`: "/slugs/1", `{"price":"1","slugs":[""]}`: "/slugs/0", `{"price":"1","free":{"a":1,"a":2}}`: "/free/a", `{"price":"1","free":[]}`: "/free",
		`{"price":"1","free":{"\u202e":1}}`: `/free/\u202e`, deep(5): "/free/a/0/0/0/0",
		`{"price":"1","free":{"x":"` + strings.Repeat("a", tool.MaxArgs) + `"}}`: "",
	} {
		_, got, err := r.Check("probe", []byte(in))
		f := fault.From(err)
		if err == nil || got != nil || f.Code != fault.InvalidArguments || f.Details["pointer"] != pointer || f.Details["expected"] == "" {
			t.Errorf("%.80s: %s, %v at %v, want %s", in, got, err, f.Details["pointer"], pointer)
		}
		if err != nil && strings.ContainsAny(f.Message, "\u202e\u200b\x00") {
			t.Errorf("%.80s: the message hides something: %q", in, f.Message)
		}
	}
	if _, _, err := r.Check("prob", []byte(`{}`)); fault.CodeOf(err) != fault.UnknownTool {
		t.Errorf("an unknown tool: %v", err)
	}
}

// A schema whose words are not all checked is a promise that nobody keeps.
func TestSchemasAreBounded(t *testing.T) {
	t.Parallel()
	wrap := func(p string) string {
		return `{"type":"object","additionalProperties":false,"properties":{"a":` + p + `}}`
	}
	for _, schema := range []string{
		``, `{}`, `[]`, `{"type":"object"}`, `{"type":"object","additionalProperties":true}`, `{"type":"string","maxLength":3}`,
		`{"type":"object","additionalProperties":false,"required":["b"]}`,
		wrap(`{"type":"string"}`), wrap(`{"type":"string","maxLength":5,"format":"email"}`), wrap(`{"type":"string","maxLength":5,"pattern":"[0-9]+"}`),
		wrap(`{"type":"string","maxLength":5,"pattern":"^($"}`), wrap(`{"type":"integer"}`), wrap(`{"type":"integer","minimum":1}`), wrap(`{"type":"number"}`),
		wrap(`{"type":"array","maxItems":3}`), wrap(`{"type":"array","items":{"type":"boolean"}}`), wrap(`{"type":"array","maxItems":3,"items":{"type":"string"}}`),
		wrap(`{"type":"object"}`), wrap(`{"type":["string","null"]}`), wrap(`{"anyOf":[]}`), wrap(`{"type":"object","additionalProperties":true,"properties":{"x":{"type":"boolean"}}}`),
	} {
		if _, err := tool.NewRegistry([]ai.Tool{reading("probe", schema, nil)}); err == nil {
			t.Errorf("%s passes", schema)
		}
	}
}

func TestToolsAreDeclaredWhole(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*ai.Tool){
		"name":          func(x *ai.Tool) { x.Name = "Nft" },
		"long name":     func(x *ai.Tool) { x.Name = strings.Repeat("a", 49) },
		"of the engine": func(x *ai.Tool) { x.Name = "result_more" },
		"description":   func(x *ai.Tool) { x.Description = "" },
		"long text":     func(x *ai.Tool) { x.Description = strings.Repeat("a", 601) },
		"permission":    func(x *ai.Tool) { x.Permission = "market" },
		"grade":         func(x *ai.Tool) { x.Grade = "" },
		"human":         func(x *ai.Tool) { x.Grade = "human" },
		"no way to run": func(x *ai.Tool) { x.Run = nil },
		"high that runs": func(x *ai.Tool) {
			x.Grade, x.Identifiers = ai.GradeHigh, []string{"a"}
		},
		"read with identifiers": func(x *ai.Tool) { x.Identifiers = []string{"a"} },
	} {
		x := reading("probe", probeSchema, nil)
		spoil(&x)
		if _, err := tool.NewRegistry([]ai.Tool{x}); err == nil {
			t.Errorf("%s: it passes", name)
		}
	}
	high := proposing("high", ai.GradeHigh)
	high.Identifiers = nil
	if _, err := tool.NewRegistry([]ai.Tool{high}); err == nil {
		t.Error("a high grade without identifiers passes")
	}
}

func TestPresets(t *testing.T) {
	t.Parallel()
	r := registry(t, reading("look", probeSchema, nil), proposing("halt", ai.GradeWrite), proposing("buy", ai.GradeHigh))
	for preset, want := range map[string][]string{
		ai.PresetAll:       {"action_status", "actions_pending", "buy", "halt", "look", "request_action", "result_more"},
		ai.PresetReadWrite: {"action_status", "actions_pending", "halt", "look", "request_action", "result_more"},
		ai.PresetReadOnly:  {"action_status", "actions_pending", "look", "result_more"},
		ai.PresetNone:      {}, "": {}, "ALL": {}, ai.PresetCustom: {"buy"},
	} {
		got := []string{}
		for _, x := range r.Tools(ai.Preset{Name: preset, Enabled: []string{"buy", "nothing"}}) {
			got = append(got, x.Name)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v", preset, got)
		}
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	r := registry(t, reading("look", probeSchema, nil), proposing("buy", ai.GradeHigh))
	tools := r.Tools(ai.Preset{Name: ai.PresetCustom, Enabled: []string{"buy", "look"}})
	for format, want := range map[string]string{
		"openai":    `{"tools":[{"type":"function","function":{"name":"buy","description":"proposes","parameters":SCHEMA}},{"type":"function","function":{"name":"look","description":"reads","parameters":SCHEMA}}]}`,
		"anthropic": `{"tools":[{"name":"buy","description":"proposes","input_schema":SCHEMA},{"name":"look","description":"reads","input_schema":SCHEMA,"cache_control":{"type":"ephemeral"}}]}`,
		"mcp":       `{"tools":[{"name":"buy","description":"proposes","inputSchema":SCHEMA,"annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}},{"name":"look","description":"reads","inputSchema":SCHEMA,"annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":true}}]}`,
	} {
		got, err := tool.Format(format, tools)
		var flat bytes.Buffer
		_ = json.Compact(&flat, []byte(probeSchema))
		want = strings.ReplaceAll(want, "SCHEMA", flat.String())
		if err != nil || string(got) != want {
			t.Errorf("%s:\n%s\nwant\n%s\n%v", format, got, want, err)
		}
	}
	if _, err := tool.Format("gemini", tools); fault.CodeOf(err) != fault.Usage {
		t.Errorf("an unknown format: %v", err)
	}
	for i, d := range tool.Declarations(tools) {
		if d.Name != tools[i].Name || string(d.Schema) != string(tools[i].Schema) {
			t.Errorf("%+v", d)
		}
	}
}

// Whatever a model sends: no panic, one of two answers, and what passes has one form.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{
		`{"price":"12.5"}`, `{"price":"1","count":3,"free":{"a":[1.0,1e3,null]}}`, `{"price":"1","price":"2"}`, `{"price":"\ud800"}`, `{"price":"1"}}`,
		"{\"price\":\"\xff\"}", `{"price":"1","name":"\u202e"}`, `[[[[[[[[`, `{"a":{"a":{"a":{"a":{"a":{"a":{}}}}}}}`, `{"":""}`, `{"price":"1","slugs":["a","b"]}`,
		`{"price":"1","free":{"k":"` + "\u007f" + `"}}`, `{"price":1e-400}`, "\ufeff{}", `{"price":"1","free":{"x":-0}}`, "```", `{"price":"1","count":1.0}`,
	} {
		f.Add([]byte(s))
	}
	r := probe(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, got, err := r.Check("probe", raw)
		if err != nil {
			if got != nil || fault.CodeOf(err) != fault.InvalidArguments {
				t.Fatalf("%q: %s %v", raw, got, err)
			}
			return
		}
		_, again, err := r.Check("probe", got)
		if err != nil || !bytes.Equal(got, again) {
			t.Fatalf("%q: %s is no fixed form: %s %v", raw, got, again, err)
		}
		var a, b any
		if json.Unmarshal(raw, &a) != nil || json.Unmarshal(got, &b) != nil || fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("%q became %s", raw, got)
		}
	})
}
