package telemetry_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const buyLine = `{"v":1,"ts":"2026-02-18T12:00:00.000Z","eventType":"nft.buy.confirmed","agentId":"agent-1","sessionId":"s","traceId":"trace-1","command":"ape-claw nft buy","dryRun":false,"chainId":33139,"payload":{"quoteId":"q","eventType":"x","ok":false},"result":{"agentId":"other"},"ok":true,"error":null}`

func TestFilterMatch(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	shuffled := " {\t\"ok\" : true , \"payload\":{\"traceId\":\"no\"}, \"traceId\" :\"trace-1\",\n\"agentId\": \"agent\\u002d1\", \"eventType\"\r: \"nft.buy.confirmed\" } "
	for _, tt := range []struct {
		name         string
		types        []string
		agent, trace string
		ok           *bool
		line         string
		want         bool
	}{
		{name: "nothing asked", line: buyLine, want: true},
		{name: "star", types: []string{"*"}, line: buyLine, want: true},
		{name: "star takes a line without a type", types: []string{"*"}, line: `{}`, want: true},
		{name: "exact", types: []string{"nft.buy.confirmed"}, line: buyLine, want: true},
		{name: "group", types: []string{"nft.*"}, line: buyLine, want: true},
		{name: "end", types: []string{"*.confirmed"}, line: buyLine, want: true},
		{name: "middle", types: []string{"n*.b*ed"}, line: buyLine, want: true},
		{name: "one of several", types: []string{"bridge.*", "nft.buy.*"}, line: buyLine, want: true},
		{name: "one of a list", types: []string{"bridge.*, nft.buy.*"}, line: buyLine, want: true},
		{name: "a prefix is not enough", types: []string{"nft"}, line: buyLine},
		{name: "a dot is a dot", types: []string{"nft.b.y*"}, line: buyLine},
		{name: "other", types: []string{"bridge.*"}, line: buyLine},
		{name: "types inside the payload do not count", types: []string{"x"}, line: buyLine},
		{name: "agent", agent: "agent-1", line: buyLine, want: true},
		{name: "another agent", agent: "other", line: buyLine},
		{name: "trace", trace: "trace-1", line: buyLine, want: true},
		{name: "another trace", trace: "trace", line: buyLine},
		{name: "ok", ok: &yes, line: buyLine, want: true},
		{name: "not ok", ok: &no, line: buyLine},
		{name: "failed", ok: &no, line: strings.Replace(buyLine, `"ok":true`, `"ok":false`, 1), want: true},
		{name: "no ok at all is neither", ok: &no, line: `{"eventType":"x"}`},
		{name: "no ok at all is neither", ok: &yes, line: `{"eventType":"x"}`},
		{name: "all of a foreign line", types: []string{"nft.*"}, agent: "agent-1", trace: "trace-1", ok: &yes, line: shuffled, want: true},
		{name: "the last of equal names", agent: "b", line: `{"agentId":"a","agentId":"b"}`, want: true},
		{name: "a number is no id", agent: "7", line: `{"agentId":7}`},
		{name: "not JSON", agent: "a", line: `{"agentId":"a"`},
	} {
		f, err := telemetry.ParseFilter(tt.types, tt.agent, tt.trace, tt.ok)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := f.Match([]byte(tt.line)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestFilterKey(t *testing.T) {
	t.Parallel()
	yes := true
	a, errA := telemetry.ParseFilter([]string{"nft.*", "policy.blocked"}, "a&b", "", &yes)
	b, errB := telemetry.ParseFilter([]string{"policy.blocked,nft.*", "nft.*", " "}, "a&b", "", new(true))
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if a.Key() != b.Key() || a.Key() == "" {
		t.Errorf("keys of one filter: %q and %q", a.Key(), b.Key())
	}
	for _, other := range []func() (telemetry.Filter, error){
		func() (telemetry.Filter, error) { return telemetry.ParseFilter(nil, "a", "", nil) },
		func() (telemetry.Filter, error) { return telemetry.ParseFilter(nil, "", "a", nil) },
		func() (telemetry.Filter, error) { return telemetry.ParseFilter([]string{"a"}, "", "", nil) },
		func() (telemetry.Filter, error) { return telemetry.ParseFilter(nil, "", "", &yes) },
		func() (telemetry.Filter, error) { return telemetry.ParseFilter(nil, "", "", new(false)) },
		func() (telemetry.Filter, error) { return telemetry.ParseFilter(nil, "a&traceId=a", "", nil) },
	} {
		f, err := other()
		if err != nil || f.Key() == a.Key() || f.Key() == "" || f.IsZero() {
			t.Errorf("key %q, %v", f.Key(), err)
		}
	}
	for _, types := range [][]string{nil, {""}, {"*"}, {"nft.*,*"}} {
		f, err := telemetry.ParseFilter(types, "", "", nil)
		if err != nil || f.Key() != "" || !f.IsZero() {
			t.Errorf("types %q: key %q, %v", types, f.Key(), err)
		}
	}
}

func TestFilterRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ typ, agent, trace string }{
		{typ: "NFT.*"}, {typ: "nft.[a]"}, {typ: "nft buy"}, {typ: "nft.?"}, {typ: strings.Repeat("a", 200)},
		{agent: "a\nb"}, {agent: "\xff"}, {trace: "a\u2028b"}, {trace: strings.Repeat("a", 129)},
	} {
		if _, err := telemetry.ParseFilter([]string{tt.typ}, tt.agent, tt.trace, nil); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

func FuzzFilter(f *testing.F) {
	f.Add("nft.*", "agent-1", "trace-1", true, []byte(buyLine))
	f.Add("*a*b*", "", "", false, []byte(`{"ok":false,"eventType":"xaxbx"}`))
	f.Add("", "x", "", true, []byte(`{"agentId":"x","agentId":1}`))
	f.Add("a", "", "", true, []byte(" { \"ok\":true\t,\"eventType\":\"\\u0061\"}"))
	f.Fuzz(func(t *testing.T, glob, agent, trace string, ok bool, line []byte) {
		filter, err := telemetry.ParseFilter([]string{glob}, agent, trace, &ok)
		if err != nil {
			return
		}
		q, err := url.ParseQuery(filter.Key())
		if err != nil {
			t.Fatal(err)
		}
		again, err := telemetry.ParseFilter(q["type"], q.Get("agentId"), q.Get("traceId"), &ok)
		if err != nil || again.Key() != filter.Key() {
			t.Errorf("key %q makes %q, %v", filter.Key(), again.Key(), err)
		}
		got := filter.Match(line)
		if !json.Valid(line) {
			if got {
				t.Errorf("%q is not JSON and matches", line)
			}
			return
		}
		if want := slowMatch(glob, agent, trace, ok, line); got != want {
			t.Errorf("filter %q on %s: %v, want %v", filter.Key(), line, got, want)
		}
	})
}

// slowMatch is Match by other means.
func slowMatch(globs, agent, trace string, ok bool, line []byte) bool {
	var m map[string]any
	if json.Unmarshal(line, &m) != nil || m == nil {
		return false
	}
	if agent != "" && m["agentId"] != agent || trace != "" && m["traceId"] != trace {
		return false
	}
	if v, there := m["ok"]; !there || (v == true) != ok {
		return false
	}
	name, _ := m["eventType"].(string)
	any := true
	for glob := range strings.SplitSeq(globs, ",") {
		if glob = strings.TrimSpace(glob); glob == "" {
			continue
		}
		if glob == "*" {
			return true
		}
		any = false
		if slowGlob(glob, name) {
			return true
		}
	}
	return any
}

func slowGlob(glob, s string) bool {
	head, rest, star := strings.Cut(glob, "*")
	if !star {
		return glob == s
	}
	if !strings.HasPrefix(s, head) {
		return false
	}
	for i := len(head); i <= len(s); i++ {
		if slowGlob(rest, s[i:]) {
			return true
		}
	}
	return false
}

func TestFilterSince(t *testing.T) {
	t.Parallel()
	var all telemetry.Filter
	noon, ok := telemetry.ParseTime("2026-02-18T12:00:00Z")
	f := all.Since(noon)
	if !ok || f.IsZero() || f.Key() == all.Key() || !all.IsZero() {
		t.Fatalf("%v %q %v", f.IsZero(), f.Key(), all.IsZero())
	}
	for line, want := range map[string]bool{
		buyLine: true, `{"ts":"2026-02-18T11:59:59.999Z"}`: false, `{"ts":1771416000}`: true, `{"ts":"soon"}`: false, `{}`: false,
	} {
		if f.Match([]byte(line)) != want {
			t.Errorf("%s: %v", line, !want)
		}
	}
	for s, want := range map[string]int64{"2026-02-18T13:00:00+01:00": 1771416000000, "1771416000": 1771416000000, "1771416000.25": 1771416000250, "1771416000250": 1771416000250} {
		if got, ok := telemetry.ParseTime(s); !ok || got.UnixMilli() != want {
			t.Errorf("%s: %v, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "NaN", "Inf", "-1", "1e9", ".", "1.2.3", "0x10", "2026-02-18", "99999999999999999"} {
		if got, ok := telemetry.ParseTime(s); ok {
			t.Errorf("%s is %v", s, got)
		}
	}
}
