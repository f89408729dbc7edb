package telemetry_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ape-claw/ape-claw/telemetry"
)

// published is the seed's list: type, payload and result as its documentation
// shows them. What it calls example values, these are.
var published = map[string][2]string{
	"policy.blocked":             {`{"command":"ape-claw nft buy","reason":"Collection not on allowlist"}`, `{"blocked":true,"reason":"Collection not on allowlist"}`},
	"skill.install.ran":          {`{}`, `{"slug":"my-skill","installed":true}`},
	"clawbot.registered":         {`{}`, `{"agentId":"agent-123","name":"My Agent","remote":false}`},
	"clawbot.list.read":          {`{}`, `{"count":5}`},
	"auth.saved":                 {`{}`, `{"path":"~/.ape-claw/auth.json"}`},
	"doctor.ran":                 {`{}`, `{"checks":{}}`},
	"quickstart.ran":             {`{}`, `{"completed":true}`},
	"chain.info.read":            {`{}`, `{"chainId":33139,"blockNumber":12345}`},
	"market.collections.read":    {`{"query":"bored ape"}`, `{"collections":[]}`},
	"market.listings.read":       {`{"collection":"bored-ape-yacht-club","limit":50}`, `{"listings":[]}`},
	"market.listings.failed":     {`{}`, `{"error":"API error"}`},
	"nft.quote.created":          {`{"collection":"bored-ape-yacht-club","tokenId":"1234"}`, `{"quoteId":"quote-123","priceApe":10.5}`},
	"nft.simulation.passed":      {`{"quoteId":"quote-123"}`, `{"simulated":true}`},
	"nft.simulation.failed":      {`{"quoteId":"quote-123"}`, `{"simulated":false,"reason":"Insufficient balance"}`},
	"nft.buy.dry_run":            {`{"quoteId":"quote-123"}`, `{"wouldBuy":true}`},
	"nft.buy.retry":              {`{"quoteId":"quote-123","attempt":2}`, `{"retried":true}`},
	"nft.buy.confirmed":          {`{"quoteId":"quote-123"}`, `{"txHash":"HASH","blockNumber":12345}`},
	"nft.autobuy.planned":        {`{"count":5,"minPrice":1,"maxPrice":10}`, `{"planned":[],"selectedCount":5}`},
	"nft.autobuy.executed":       {`{"count":5}`, `{"executed":5,"txHashes":["HASH","HASH"]}`},
	"nft.autobuy.partial":        {`{"count":5}`, `{"executed":3,"failed":2,"txHashes":["HASH","HASH"],"errors":[]}`},
	"bridge.quote.created":       {`{"amount":"1000000000000000000","fromChain":1,"toChain":33139}`, `{"requestId":"req-123","quote":{}}`},
	"bridge.execute.dry_run":     {`{"requestId":"req-123"}`, `{"wouldExecute":true}`},
	"bridge.execute.confirmed":   {`{"requestId":"req-123"}`, `{"txHash":"HASH","requestId":"req-123"}`},
	"bridge.status.read":         {`{"requestId":"req-123"}`, `{"status":"completed","requestId":"req-123"}`},
	"allowlist.audit.ran":        {`{}`, `{"audited":true,"issues":[]}`},
	"v2.skill.minted":            {`{}`, `{"skillId":42,"txHash":"HASH","contentHash":"HASH"}`},
	"v2.skill.version.published": {`{}`, `{"skillId":42,"versionHash":"HASH","txHash":"HASH"}`},
	"v2.intent.created":          {`{}`, `{"intentId":123,"txHash":"HASH","traceId":"trace-123"}`},
	"v2.intent.cancelled":        {`{}`, `{"intentId":123,"txHash":"HASH"}`},
	"v2.receipt.recorded":        {`{}`, `{"traceId":"trace-123","traceIdHash":"HASH","txHash":"HASH"}`},
	"v2.receipt.read":            {`{}`, `{"traceId":"trace-123","traceIdHash":"HASH","isRecorded":true}`},
	"v2.vault.release":           {`{}`, `{"tx":"HASH","member":"ADDRESS"}`},
	"v2.agent.execute":           {`{}`, `{"tx":"HASH","module":"ADDRESS","traceId":"trace-123"}`},
	"pod.init.completed":         {`{}`, `{"workspacePath":"pod-workspace","initialized":true}`},
}

// added are the fields that we require beyond the published ones.
var added = map[string]string{
	"policy.blocked":    `"code":"collection_not_allowed"`,
	"nft.quote.created": `"priceWei":"10500000000000000000","orderHash":"HASH","expiresAt":"2026-02-18T12:10:00Z"`,
}

// ours are the required fields of the types we added.
var ours = map[string][2]string{
	"nft.buy.submitted": {`{"quoteId":"q"}`, `{"txHash":"HASH","nonce":0,"to":"ADDRESS","valueWei":"1","maxFeeWei":"2"}`},
	"nft.buy.reverted":  {`{"quoteId":"q"}`, `{"txHash":"HASH"}`},
	"nft.buy.unknown":   {`{"quoteId":"q"}`, `{"txHash":"HASH","reason":"no receipt"}`},
	"command.failed":    {`{}`, `{"code":"upstream"}`},
	"custom.my-agent.x": {`{"any":[1]}`, `{"thing":null}`},
}

func fill(s string) string {
	return strings.NewReplacer("HASH", txHash, "ADDRESS", wallet).Replace(s)
}

func envelope(name, payload, result string, failed bool) []byte {
	ok, errText := "true", "null"
	if failed {
		ok, errText = "false", `"it failed"`
	}
	return fmt.Appendf(nil, `{"v":1,"ts":"2026-02-18T12:00:00.000Z","eventType":%q,"agentId":"a","sessionId":"s","traceId":"t","command":"ape-claw x","dryRun":false,"chainId":33139,"payload":%s,"result":%s,"ok":%s,"error":%s}`,
		name, payload, result, ok, errText)
}

// TestPublishedTypes: each type of the published list is there with exactly its
// fields: they are accepted, and each of them is required.
func TestPublishedTypes(t *testing.T) {
	t.Parallel()
	all := map[string][2]string{}
	for name, parts := range published {
		if more, ok := added[name]; ok {
			parts[1] = strings.TrimSuffix(parts[1], "}") + "," + more + "}"
		}
		all[name] = parts
	}
	for name, parts := range ours {
		all[name] = parts
	}
	// Input that a reader may leave out: it filters or limits.
	optional := map[string]bool{"market.collections.read/query": true, "market.listings.read/limit": true}
	for name, parts := range all {
		typ, ok := telemetry.Lookup(name)
		if !ok {
			t.Errorf("%s is not declared", name)
			continue
		}
		payload, result := fill(parts[0]), fill(parts[1])
		if err := telemetry.Validate(envelope(name, payload, result, typ.Failure)); err != nil {
			t.Errorf("as published: %v", err)
		}
		if typ.Name == telemetry.CustomType {
			continue
		}
		for i, part := range []string{payload, result} {
			var m map[string]json.RawMessage
			if err := json.Unmarshal([]byte(part), &m); err != nil {
				t.Fatal(err)
			}
			for field := range m {
				without := map[string]json.RawMessage{}
				for k, v := range m {
					if k != field {
						without[k] = v
					}
				}
				wrong := map[string]json.RawMessage{field: json.RawMessage(`[{"wrong":1}]`)}
				for k, v := range without {
					wrong[k] = v
				}
				for what, bad := range map[string]map[string]json.RawMessage{"without": without, "with a wrong": wrong} {
					if what == "without" && optional[name+"/"+field] || what != "without" && string(m[field]) == "[]" {
						continue
					}
					b, err := json.Marshal(bad)
					if err != nil {
						t.Fatal(err)
					}
					both := [2]string{payload, result}
					both[i] = string(b)
					if err := telemetry.Validate(envelope(name, both[0], both[1], typ.Failure)); err == nil {
						t.Errorf("%s is valid %s %s", name, what, field)
					}
				}
			}
			both := [2]string{payload, result}
			both[i] = strings.TrimSuffix(part, "}") + `,"surprise":1}`
			if part == "{}" {
				both[i] = `{"surprise":1}`
			}
			if err := telemetry.Validate(envelope(name, both[0], both[1], typ.Failure)); err == nil {
				t.Errorf("%s is valid with a surprise in %s", name, both[i])
			}
		}
	}
}

func TestCatalogueIsSound(t *testing.T) {
	t.Parallel()
	all := telemetry.Catalogue()
	if !slices.IsSortedFunc(all, func(a, b telemetry.Type) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted")
	}
	seen := map[string]bool{}
	for _, typ := range all {
		if seen[typ.Name] {
			t.Errorf("%s is declared twice", typ.Name)
		}
		seen[typ.Name] = true
		if err := telemetry.CheckType(typ.Name); err != nil && typ.Name != telemetry.CustomType {
			t.Error(err)
		}
		if typ.Meaning == "" || strings.HasSuffix(typ.Meaning, ".") || strings.Contains(typ.Meaning, "\n") {
			t.Errorf("%s: meaning %q", typ.Name, typ.Meaning)
		}
		for _, schema := range []json.RawMessage{typ.Payload, typ.Result} {
			if strings.Contains(string(schema), `"not":{}`) {
				t.Errorf("%s: a kind that does not exist in %s", typ.Name, schema)
			}
			compile(t, schema)
		}
		for _, suffix := range []string{".failed", ".blocked", ".reverted", ".unknown", ".partial"} {
			if strings.HasSuffix(typ.Name, suffix) && !typ.Failure {
				t.Errorf("%s is not marked as a failure", typ.Name)
			}
		}
		if got, ok := telemetry.Lookup(typ.Name); typ.Name != telemetry.CustomType && (!ok || got.Name != typ.Name) {
			t.Errorf("look-up of %s: %v, %v", typ.Name, got.Name, ok)
		}
	}
	for _, name := range []string{"", "nft", "nft.buy", "custom.", "custom.X", "nft.buy.confirmed.x"} {
		if _, ok := telemetry.Lookup(name); ok {
			t.Errorf("%q is declared", name)
		}
	}
	compile(t, telemetry.EnvelopeSchema())
}

func compile(t testing.TB, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("x.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("x.json")
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return s
}

// TestShapesAgainstJSONSchema holds our checks against an implementation of
// JSON Schema: the same judgement of every value under every kind.
func TestShapesAgainstJSONSchema(t *testing.T) {
	t.Parallel()
	kinds := []string{"text", "id", "bool", "number", "int", "count", "wei", "hash", "address", "time", "object", "array", "texts", "hashes", "objects", "any", "=true", "=false", "no|maybe|yes"}
	values := []string{
		`""`, `"a"`, `"no"`, `"yes"`, `"no|maybe"`, `"\u006eo"`, "true", "false", "null", "0", "-0", "1", "-1", "1.0", "-0.0", "1.5", "1e3", "1.5e1", "1.25e1", "10e-1", "15e-1", "0e-9", "123456789012345678901234567890", "-2.0",
		`"0"`, `"00"`, `"12"`, `"012"`, `"-1"`, `"1.5"`, `"1e3"`, `" 1"`, `"` + txHash + `"`, `"` + strings.ToUpper(txHash) + `"`, `"0x` + strings.ToUpper(txHash[2:]) + `"`, `"` + wallet + `"`, `"0x"`,
		`"2026-02-18T12:00:00Z"`, `"2026-02-18T12:00:00.000Z"`, `"2026-02-18T12:00:00.123456789Z"`, `"2026-02-18T12:00:00.1234567890Z"`, `"2026-02-18T12:00:00.Z"`, `"2026-02-18T12:00:00+01:00"`, `"2026-02-18 12:00:00Z"`, `"2026-02-18T12:00Z"`,
		"{}", `{"a":1}`, "[]", `["a"]`, `["a",1]`, "[{}]", `[{"a":[]},{}]`, "[[]]", `["` + txHash + `"]`, `["` + txHash + `","x"]`, `["a" , "b" ]`,
	}
	for _, kind := range kinds {
		for _, spec := range []string{"f " + kind, "f! " + kind, "f! " + kind + "?", "f " + kind + ", …", "g text, f! " + kind} {
			schema := compile(t, telemetry.ShapeSchema(spec))
			objects := []string{"{}", `{"g":1}`, `{"g":"x"}`, `{"h":1}`}
			for _, v := range values {
				objects = append(objects, `{"f":`+v+`}`, `{"f":`+v+`,"g":"x"}`, `{"f":`+v+`,"h":1}`)
			}
			for _, obj := range objects {
				v, err := jsonschema.UnmarshalJSON(strings.NewReader(obj))
				if err != nil {
					t.Fatalf("%s: %v", obj, err)
				}
				theirs := schema.Validate(v)
				if own := telemetry.CheckShape(spec, []byte(obj)); (own == "") != (theirs == nil) {
					t.Errorf("%s under %q: %q, JSON Schema says %v", obj, spec, own, theirs)
				}
			}
		}
	}
}

func TestValidateEnvelope(t *testing.T) {
	t.Parallel()
	good := string(envelope("clawbot.list.read", "{}", `{"count":1}`, false))
	if err := telemetry.Validate([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"not JSON":                 good[:len(good)-1],
		"a newline":                strings.Replace(good, ",", ",\n", 1),
		"a list":                   "[]",
		"another version":          strings.Replace(good, `"v":1`, `"v":2`, 1),
		"local time":               strings.Replace(good, "000Z", "000+01:00", 1),
		"no trace":                 strings.Replace(good, `"traceId":"t",`, "", 1),
		"empty agent":              strings.Replace(good, `"agentId":"a"`, `"agentId":""`, 1),
		"dry run as a text":        strings.Replace(good, `"dryRun":false`, `"dryRun":"false"`, 1),
		"chain as a text":          strings.Replace(good, "33139", `"33139"`, 1),
		"payload is null":          strings.Replace(good, `"payload":{}`, `"payload":null`, 1),
		"a field of its own":       strings.Replace(good, `"v":1`, `"v":1,"extra":1`, 1),
		"undeclared":               strings.Replace(good, "clawbot.list.read", "clawbot.list.written", 1),
		"ok with an error":         strings.Replace(good, `"error":null`, `"error":"x"`, 1),
		"failed without one":       strings.Replace(good, `"ok":true`, `"ok":false`, 1),
		"failed, empty":            strings.Replace(good, `"ok":true,"error":null`, `"ok":false,"error":""`, 1),
		"an own type, not by hand": strings.Replace(strings.Replace(good, "clawbot.list.read", "myagent.step.done", 1), "ape-claw x", "ape-claw doctor", 1),
		"a typo, by hand":          strings.Replace(strings.Replace(good, "clawbot.list.read", "clawbot.lost.read", 1), "ape-claw x", "ape-claw events emit", 1),
		"failure that is ok":       string(envelope("command.failed", "{}", `{"code":"x"}`, false)),
	} {
		if err := telemetry.Validate([]byte(bad)); err == nil {
			t.Errorf("%s is valid: %s", name, bad)
		}
	}
	own := strings.Replace(strings.Replace(good, "clawbot.list.read", "myagent.step.done", 1), "ape-claw x", "ape-claw events emit", 1)
	for name, fine := range map[string]string{
		"a type of one's own": own,
		"with source and id":  strings.Replace(good, `"error":null`, `"error":null,"source":"cli","eventId":"o/1"`, 1),
		"a cut result":        strings.Replace(good, `{"count":1}`, `{"truncated":true,"bytes":2000000}`, 1),
	} {
		if err := telemetry.Validate([]byte(fine)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoStartUpWork: nothing in this package's files runs before main.
func TestNoStartUpWork(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	heavy := regexp.MustCompile(`(?m)^func init\(|^var .*(MustCompile|json\.Unmarshal|jsonschema)`)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		src, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if m := heavy.Find(src); m != nil || bytes.Contains(src, []byte("santhosh-tekuri")) {
			t.Errorf("%s: work at start-up: %s", f.Name(), m)
		}
	}
}
