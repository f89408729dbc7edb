package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// node is a schema, or a part of one. It has the words of JSON Schema that are
// checked here; a schema with another word is refused, so that none is decoration.
type node struct {
	Type        string           `json:"type"`
	Description string           `json:"description,omitempty"`
	Properties  map[string]*node `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	Additional  *bool            `json:"additionalProperties,omitempty"`
	Enum        []string         `json:"enum,omitempty"`
	Pattern     string           `json:"pattern,omitempty"`
	MinLength   int              `json:"minLength,omitempty"`
	MaxLength   int              `json:"maxLength,omitempty"`
	Minimum     *int64           `json:"minimum,omitempty"`
	Maximum     *int64           `json:"maximum,omitempty"`
	Items       *node            `json:"items,omitempty"`
	MinItems    int              `json:"minItems,omitempty"`
	MaxItems    int              `json:"maxItems,omitempty"`
	Default     any              `json:"default,omitempty"`

	pattern *regexp.Regexp
}

func parseSchema(raw json.RawMessage) (*node, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	n := &node{}
	if err := dec.Decode(n); err != nil {
		return nil, err
	}
	if n.Type != "object" || n.open() {
		return nil, errors.New("it is not a closed object")
	}
	return n, n.sound("")
}

// open reports whether an object may hold anything: the arguments of another tool,
// which are held against that one's schema.
func (n *node) open() bool { return n.Additional != nil && *n.Additional }

// sound says whether the schema bounds whatever fits it.
func (n *node) sound(at string) (err error) {
	bad := func(what string) error { return fmt.Errorf("%s: %s", at, what) }
	switch n.Type {
	case "object":
		if n.Additional == nil || n.open() && len(n.Properties) > 0 {
			return bad("an object says additionalProperties: false")
		}
		for _, name := range n.Required {
			if n.Properties[name] == nil {
				return bad("it requires " + name + ", which it does not have")
			}
		}
		for name, p := range n.Properties {
			if err := p.sound(at + "/" + name); err != nil {
				return err
			}
		}
	case "string":
		if n.MaxLength <= 0 && len(n.Enum) == 0 {
			return bad("a string has a maxLength or an enum")
		}
		if n.Pattern == "" {
			return nil
		}
		if !strings.HasPrefix(n.Pattern, "^") || !strings.HasSuffix(n.Pattern, "$") {
			return bad("a pattern has both its ends")
		}
		n.pattern, err = regexp.Compile(n.Pattern)
		return err
	case "integer":
		if n.Minimum == nil || n.Maximum == nil {
			return bad("an integer has a minimum and a maximum")
		}
	case "boolean":
	case "array":
		if n.Items == nil || n.MaxItems <= 0 {
			return bad("an array has items and maxItems")
		}
		return n.Items.sound(at + "/0")
	default:
		return bad("its type is " + strconv.Quote(n.Type))
	}
	return nil
}

// check holds a value against the schema.
func (n *node) check(v value, at string) error {
	if v.kind != n.Type && (n.Type != "integer" || v.kind != kindNumber) {
		return invalid(at, n.expected()).With("got", v.kind)
	}
	switch n.Type {
	case "object":
		return n.checkObject(v, at)
	case "string":
		return n.checkString(v.text, at)
	case "integer":
		i, err := strconv.ParseInt(v.text, 10, 64)
		if err != nil || v.text != strconv.FormatInt(i, 10) || i < *n.Minimum || i > *n.Maximum {
			return invalid(at, n.expected()).With("got", v.kind)
		}
	case "array":
		if len(v.items) > n.MaxItems || len(v.items) < n.MinItems {
			return invalid(at, n.expected()).With("got", fmt.Sprintf("%d items", len(v.items)))
		}
		for i, it := range v.items {
			if err := n.Items.check(it, at+"/"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *node) checkObject(v value, at string) error {
	if n.open() {
		return nil
	}
	for _, m := range v.members {
		p, ok := n.Properties[m.name]
		if !ok {
			return invalid(at+"/"+pointed(m.name), "no such argument: "+n.names())
		}
		if err := p.check(m.value, at+"/"+pointed(m.name)); err != nil {
			return err
		}
	}
	for _, name := range n.Required {
		if !slices.ContainsFunc(v.members, func(m member) bool { return m.name == name }) {
			return invalid(at+"/"+name, n.Properties[name].expected()).With("got", "nothing")
		}
	}
	return nil
}

func (n *node) checkString(s, at string) error {
	length := utf8.RuneCountInString(s)
	switch {
	case len(n.Enum) > 0 && !slices.Contains(n.Enum, s),
		length < n.MinLength, n.MaxLength > 0 && length > n.MaxLength,
		n.pattern != nil && !n.pattern.MatchString(s):
		return invalid(at, n.expected())
	}
	return nil
}

// names lists what an object may hold.
func (n *node) names() string {
	if len(n.Properties) == 0 {
		return "there are none"
	}
	names := make([]string, 0, len(n.Properties))
	for name := range n.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return "only " + strings.Join(names, ", ")
}

// expected puts the schema into words.
func (n *node) expected() string {
	switch n.Type {
	case "object":
		return "an object of " + n.names()
	case "string":
		switch {
		case len(n.Enum) > 0:
			return "one of the strings " + strings.Join(n.Enum, ", ")
		case n.Pattern != "":
			return fmt.Sprintf("a string of the form %s, at most %d characters", n.Pattern, n.MaxLength)
		case n.MinLength > 0:
			return fmt.Sprintf("a string of %d to %d characters", n.MinLength, n.MaxLength)
		}
		return fmt.Sprintf("a string of at most %d characters", n.MaxLength)
	case "integer":
		return fmt.Sprintf("a whole number from %d to %d, in digits alone", *n.Minimum, *n.Maximum)
	case "array":
		return fmt.Sprintf("a list of %d to %d, each %s", n.MinItems, n.MaxItems, n.Items.expected())
	case "boolean":
		return "true or false"
	}
	return "something else"
}
