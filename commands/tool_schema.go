package commands

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/ai"
)

// Who sets a field of a tool's command.
const (
	fieldExposed  = "expose"   // the model
	fieldEngine   = "engine"   // the engine, after an approval
	fieldOperator = "operator" // only who types the command
)

// kind is a form that a text has.
type kind struct {
	pattern, words string
	max            int
}

var kinds = map[string]kind{
	"decimal": {`^[0-9]{1,40}(\.[0-9]{1,18})?$`, `as a decimal string such as "12.5"`, 60},
	"tokenId": {`^(0|[1-9][0-9]{0,77})$`, `as a string such as "42"`, 78},
	"id":      {`^[A-Za-z0-9_.:@-]+$`, "", 128},
	"slug":    {`^[a-z0-9][a-z0-9-]*$`, "", 64},
	"address": {`^0x[0-9a-fA-F]{40}$`, "", 42},
	"hash":    {`^0x[0-9a-fA-F]{64}$`, "", 66},
	"hex":     {`^0x([0-9a-fA-F]{2})*$`, "", 4096},
}

// Bounds of what has none by itself.
const (
	maxToolText  = 512
	maxToolList  = 50
	maxToolCount = 1_000_000
)

// property is a field in a tool's schema.
type property struct {
	Type        string    `json:"type"`
	Description string    `json:"description,omitempty"`
	Enum        []string  `json:"enum,omitempty"`
	Pattern     string    `json:"pattern,omitempty"`
	MinLength   int       `json:"minLength,omitempty"`
	MaxLength   int       `json:"maxLength,omitempty"`
	Minimum     *int64    `json:"minimum,omitempty"`
	Maximum     *int64    `json:"maximum,omitempty"`
	Items       *property `json:"items,omitempty"`
	MaxItems    int       `json:"maxItems,omitempty"`
	Default     any       `json:"default,omitempty"`
}

// toolSchema describes the fields of a command that a model may set.
func toolSchema(c Command) (json.RawMessage, error) {
	doc := struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required,omitempty"`
		Additional bool                `json:"additionalProperties"`
	}{Type: "object", Properties: map[string]property{}}
	for _, sf := range InputFields(c.In) {
		name := jsonName(sf)
		switch class := sf.Tag.Get("ai"); class {
		case fieldEngine, fieldOperator:
			continue
		case fieldExposed:
		default:
			return nil, fmt.Errorf("%s: field %s says %q of models", c.Name, sf.Name, class)
		}
		p, err := propertyOf(c, sf)
		if err != nil {
			return nil, fmt.Errorf("%s: field %s: %w", c.Name, sf.Name, err)
		}
		doc.Properties[name] = p
		if sf.Tag.Get("required") == "true" {
			doc.Required = append(doc.Required, name)
		}
	}
	slices.Sort(doc.Required)
	return rawJSON(doc)
}

func propertyOf(c Command, sf reflect.StructField) (p property, err error) {
	p.Description = withoutFlags(c, strings.ReplaceAll(sf.Tag.Get("help"), "`", ""))
	def := sf.Tag.Get("default")
	switch sf.Type.Kind() {
	case reflect.Bool:
		p.Type = "boolean"
	case reflect.Int, reflect.Int64:
		p.Type = "integer"
		least, most := int64(0), int64(maxToolCount)
		for tag, to := range map[string]*int64{"min": &least, "max": &most} {
			if t := sf.Tag.Get(tag); t != "" {
				if *to, err = strconv.ParseInt(t, 10, 64); err != nil {
					return p, err
				}
			}
		}
		p.Minimum, p.Maximum = &least, &most
		if def != "" {
			p.Default = json.Number(def)
		}
	case reflect.Slice:
		items, err := textOf(sf)
		p.Type, p.MaxItems, p.Items = "array", maxToolList, &items
		return p, err
	case reflect.String, reflect.Pointer:
		t, err := textOf(sf)
		t.Description = p.Description + t.Description
		if def != "" {
			t.Default = def
		}
		return t, err
	default:
		return p, fmt.Errorf("a %s has no schema", sf.Type)
	}
	return p, nil
}

// textOf is the schema of a text; its description is what its form adds.
func textOf(sf reflect.StructField) (property, error) {
	p := property{Type: "string", MaxLength: maxToolText}
	if e := sf.Tag.Get("enum"); e != "" {
		p.Enum, p.MaxLength = strings.Split(e, ","), 0
		return p, nil
	}
	if name := sf.Tag.Get("kind"); name != "" {
		k, ok := kinds[name]
		if !ok {
			return p, fmt.Errorf("there is no kind %q", name)
		}
		p.Pattern, p.MaxLength = k.pattern, k.max
		if k.words != "" {
			p.Description = "; " + k.words
		}
	}
	if pattern := sf.Tag.Get("pattern"); pattern != "" {
		p.Pattern = pattern
	}
	if most := sf.Tag.Get("maxlen"); most != "" {
		var err error
		if p.MaxLength, err = strconv.Atoi(most); err != nil {
			return p, err
		}
	}
	if sf.Tag.Get("empty") != "true" {
		p.MinLength = 1
	}
	return p, nil
}

// maxAbout is what a model is told of a tool at the most, in characters.
const maxAbout = 600

// about tells a model what a command does: static text, and what its grade means.
func about(c Command) string {
	text := c.AI.About
	if text == "" {
		text = c.Short + "."
		if first, _, _ := strings.Cut(c.Long, "\n\n"); first != "" {
			text += " " + strings.Join(strings.Fields(first), " ")
		}
	}
	note := ""
	switch c.AI.Grade {
	case ai.GradeWrite:
		note = " Runs nothing: it makes a card that a person approves."
	case ai.GradeHigh:
		note = " Runs nothing: it makes a card that a person approves step by step."
	}
	text = withoutFlags(c, text)
	if over := utf8.RuneCountInString(text) + utf8.RuneCountInString(note) - maxAbout; over > 0 {
		r := []rune(text)
		text = string(r[:len(r)-over-1]) + "…"
	}
	return text + note
}
