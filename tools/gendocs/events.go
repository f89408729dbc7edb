package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry"
)

const eventsIntro = `
Every command tells what it did as events, one JSON object a line in ` + "`state/events.jsonl`" + `, streamed by
` + "`ape-claw serve`" + ` under ` + "`/events`" + `. The exact schemas: ` + "`ape-claw events schema [TYPE] --json`" + ` or
` + "`GET /api/events/schema`" + `.

## The envelope

| field | |
|---|---|
| ` + "`v`" + ` | version of the envelope, 1; it rises only when a meaning changes |
| ` + "`ts`" + ` | UTC with milliseconds and ` + "`Z`" + ` |
| ` + "`eventType`" + ` | a name of the list below, or one of your own, such as ` + "`myagent.step.done`" + ` |
| ` + "`agentId`, `sessionId`, `traceId`" + ` | who, in which session, in which story: the steps of one purchase share a trace |
| ` + "`command`" + ` | the command's words |
| ` + "`dryRun`" + ` | nothing was spent or sent |
| ` + "`chainId`" + ` | of the active profile or the transaction |
| ` + "`payload`, `result`" + ` | objects, as the type declares |
| ` + "`ok`, `error`" + ` | ` + "`error`" + ` is null when ` + "`ok`" + ` |
| ` + "`source`, `eventId`" + ` | optional: where it came from; its number, when forwarded |

Readers ignore fields they do not know. An amount is an exact decimal number (` + "`priceApe`" + `) and, beside it,
base units as a string (` + "`priceWei`" + `): compare and add the latter. Paths are relative or begin with ` + "`~/`" + `.

## The types

A field with * is always there. *Failure*: ` + "`ok`" + ` is false. *Money*: on disk before the command says so.

`

func eventsDoc() (string, error) {
	var b strings.Builder
	b.WriteString("# Events\n\n" + generatedNote + eventsIntro)
	all := telemetry.Catalogue()
	table(&b, "type", "meaning", "emitted by")
	for _, t := range all {
		row(&b, fmt.Sprintf("[`%s`](#%s)", t.Name, eventAnchor(t.Name)), t.Meaning+marks(t), emitters(t))
	}
	for _, t := range all {
		payload, err := members(t.Payload)
		if err != nil {
			return "", fmt.Errorf("payload of %s: %w", t.Name, err)
		}
		result, err := members(t.Result)
		if err != nil {
			return "", fmt.Errorf("result of %s: %w", t.Name, err)
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s%s.\n\n- payload: %s\n- result: %s\n", t.Name, upperFirst(t.Meaning), marks(t), payload, result)
	}
	return b.String(), nil
}

func eventAnchor(name string) string {
	return strings.NewReplacer(".", "", "*", "").Replace(strings.ToLower(name))
}

func marks(t telemetry.Type) string {
	var m []string
	if t.Failure {
		m = append(m, "failure")
	}
	if t.Money {
		m = append(m, "money")
	}
	if len(m) == 0 {
		return ""
	}
	return " *(" + strings.Join(m, ", ") + ")*"
}

func emitters(t telemetry.Type) string {
	if len(t.Commands) == 0 {
		return "whatever runs models: `ai chat`, `ai mcp`, `serve`"
	}
	if slices.Equal(t.Commands, []string{"any"}) {
		return "any command"
	}
	return codes(t.Commands)
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// members lists the fields of an object's schema in the order of the declaration.
func members(schema json.RawMessage) (string, error) {
	var obj struct {
		Properties json.RawMessage
		Required   []string
		Additional *bool `json:"additionalProperties"`
	}
	if err := json.Unmarshal(schema, &obj); err != nil {
		return "", err
	}
	open := obj.Additional == nil || *obj.Additional
	if obj.Properties == nil {
		if open {
			return "any object", nil
		}
		return "empty", nil
	}
	var out []string
	dec := json.NewDecoder(bytes.NewReader(obj.Properties))
	if _, err := dec.Token(); err != nil {
		return "", err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return "", err
		}
		var property schemaOf
		if err := dec.Decode(&property); err != nil {
			return "", err
		}
		star := ""
		if slices.Contains(obj.Required, name.(string)) {
			star = "*"
		}
		out = append(out, fmt.Sprintf("`%s`%s %s", name, star, property.words()))
	}
	if open {
		out = append(out, "and others")
	}
	return strings.Join(out, ", "), nil
}

// schemaOf is as much of JSON Schema as the catalogue uses.
type schemaOf struct {
	Type    string
	Pattern string
	Minimum *json.Number
	Const   json.RawMessage
	Enum    []json.RawMessage
	Items   *schemaOf
	AnyOf   []schemaOf
}

// patterns gives the string forms of the catalogue a name, by how they begin.
var patterns = []struct{ begins, name string }{
	{"^(0|[1-9][0-9]*)$", "base units"},
	{"^0x[0-9a-fA-F]{64}$", "hash"},
	{"^0x[0-9a-fA-F]{40}$", "address"},
	{"^[0-9]{4}-[0-9]{2}-", "time"},
}

func (s schemaOf) words() string {
	switch {
	case s.Const != nil:
		return string(s.Const)
	case s.Enum != nil:
		var words []string
		for _, e := range s.Enum {
			words = append(words, strings.Trim(string(e), `"`))
		}
		return strings.Join(words, " or ")
	case s.AnyOf != nil:
		var words []string
		for _, a := range s.AnyOf {
			words = append(words, a.words())
		}
		return strings.Join(words, " or ")
	case s.Items != nil:
		return "list of " + s.Items.words()
	case s.Pattern != "":
		for _, p := range patterns {
			if strings.HasPrefix(s.Pattern, p.begins) {
				return p.name
			}
		}
	case s.Type == "":
		return "any"
	}
	return s.Type
}
