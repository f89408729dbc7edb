package telemetry

import (
	"strconv"
	"strings"
)

// A shape is the declared form of a payload or a result: its fields, and
// whether others may stand beside them. It prints itself as JSON Schema and
// checks values itself, so that nothing has to be compiled when a command
// starts. A test holds both against a real JSON Schema implementation.
type shape struct {
	fields []field
	open   bool
}

type field struct {
	name     string
	required bool
	nullable bool
	kind     kind
}

// kind is what a value may be: a JSON Schema fragment, and the same as code.
type kind struct {
	schema string // members of the schema object: "type":"string"
	fits   func(value []byte) bool
}

// newShape reads a declaration: "name kind" pairs with commas. "name!" is
// required, "kind?" may be null, "…" alone lets other fields stand beside them.
// A kind is a name of kinds, a constant "=true", or words "a|b|c".
func newShape(spec string) shape {
	var s shape
	for part := range strings.SplitSeq(spec, ",") {
		part = strings.TrimSpace(part)
		switch part {
		case "":
			continue
		case "…":
			s.open = true
			continue
		}
		name, k, _ := strings.Cut(part, " ")
		f := field{}
		f.name, f.required = strings.CutSuffix(name, "!")
		k, f.nullable = strings.CutSuffix(k, "?")
		f.kind = kindOf(k)
		s.fields = append(s.fields, f)
	}
	return s
}

func kindOf(name string) kind {
	if word, ok := strings.CutPrefix(name, "="); ok {
		return kind{`"const":` + word, func(v []byte) bool { return string(v) == word }}
	}
	if words := strings.Split(name, "|"); len(words) > 1 {
		enum := `"enum":["` + strings.Join(words, `","`) + `"]`
		return kind{enum, func(v []byte) bool {
			s, ok := stringValue(v)
			if !ok {
				return false
			}
			for _, w := range words {
				if s == w {
					return true
				}
			}
			return false
		}}
	}
	switch name {
	case "text":
		return kind{`"type":"string"`, isString}
	case "id":
		return stringKind(`"minLength":1`, func(s string) bool { return s != "" })
	case "bool":
		return kind{`"type":"boolean"`, func(v []byte) bool { return string(v) == "true" || string(v) == "false" }}
	case "number":
		return kind{`"type":"number"`, isNumber}
	case "int":
		return kind{`"type":"integer"`, isInteger}
	case "count":
		return kind{`"type":"integer","minimum":0`, func(v []byte) bool { return isInteger(v) && (v[0] != '-' || isZero(v)) }}
	case "wei":
		return stringKind(`"pattern":"^(0|[1-9][0-9]*)$"`, isWei)
	case "hash":
		return stringKind(`"pattern":"^0x[0-9a-fA-F]{64}$"`, func(s string) bool { return isHexText(s, 64) })
	case "address":
		return stringKind(`"pattern":"^0x[0-9a-fA-F]{40}$"`, func(s string) bool { return isHexText(s, 40) })
	case "time":
		return stringKind(`"pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z$"`, isTime)
	case "object":
		return kind{`"type":"object"`, func(v []byte) bool { return v[0] == '{' }}
	case "array":
		return kind{`"type":"array"`, func(v []byte) bool { return v[0] == '[' }}
	case "texts":
		return listKind(`"type":"string"`, isString)
	case "hashes":
		h := kindOf("hash")
		return listKind(h.schema, h.fits)
	case "objects":
		return listKind(`"type":"object"`, func(v []byte) bool { return v[0] == '{' })
	case "any":
		return kind{"", func([]byte) bool { return true }}
	}
	// Only a wrong declaration comes here; the test of the catalogue finds it.
	return kind{`"not":{}`, func([]byte) bool { return false }}
}

func stringKind(schema string, fits func(string) bool) kind {
	return kind{`"type":"string",` + schema, func(v []byte) bool {
		s, ok := stringValue(v)
		return ok && fits(s)
	}}
}

func listKind(item string, fits func([]byte) bool) kind {
	return kind{`"type":"array","items":{` + item + `}`, func(v []byte) bool {
		all := v[0] == '['
		if all {
			eachElement(v, func(e []byte) { all = all && fits(e) })
		}
		return all
	}}
}

// eachElement calls fn with the elements of the array b, which is valid JSON.
func eachElement(b []byte, fn func([]byte)) {
	for i := skipSpace(b, 1); i < len(b) && b[i] != ']'; {
		end, ok := skipValue(b, i, 0)
		if !ok {
			return
		}
		fn(b[i:end])
		if i = skipSpace(b, end); i < len(b) && b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
}

func isString(v []byte) bool { return v[0] == '"' }

func stringValue(v []byte) (string, bool) {
	if v[0] != '"' {
		return "", false
	}
	return string(unquote(v)), true
}

func isNumber(v []byte) bool { return v[0] == '-' || v[0] >= '0' && v[0] <= '9' }

// isInteger takes 1, -1, 1.0 and 1e3 as JSON Schema does; a number with an
// exponent is one when its fraction is no longer than the exponent.
func isInteger(v []byte) bool {
	if !isNumber(v) {
		return false
	}
	mantissa, exp, hasExp := strings.Cut(strings.ToLower(string(v)), "e")
	shift := 0
	if hasExp {
		n, err := strconv.Atoi(exp)
		if err != nil {
			return false
		}
		shift = n
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	frac = strings.TrimRight(frac, "0")
	if frac == "" && shift < 0 {
		whole = strings.TrimLeft(whole, "-")
		return len(whole)-len(strings.TrimRight(whole, "0")) >= -shift || strings.Trim(whole, "0") == ""
	}
	return len(frac) <= max(shift, 0)
}

func isZero(v []byte) bool { return strings.Trim(string(v), "-0.") == "" }

func isWei(s string) bool {
	if s == "" || len(s) > 1 && s[0] == '0' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func isHexText(s string, digits int) bool {
	if len(s) != digits+2 || s[0] != '0' || s[1] != 'x' {
		return false
	}
	for i := 2; i < len(s); i++ {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}

// isTime takes UTC in RFC 3339 with up to nine digits of a second.
func isTime(s string) bool {
	const form = "0000-00-00T00:00:00"
	if len(s) < len(form)+1 || s[len(s)-1] != 'Z' {
		return false
	}
	for i := range len(form) {
		digit := s[i] >= '0' && s[i] <= '9'
		if form[i] == '0' && !digit || form[i] != '0' && s[i] != form[i] {
			return false
		}
	}
	frac := s[len(form) : len(s)-1]
	if frac == "" {
		return true
	}
	if frac[0] != '.' || len(frac) < 2 || len(frac) > 10 {
		return false
	}
	for i := 1; i < len(frac); i++ {
		if frac[i] < '0' || frac[i] > '9' {
			return false
		}
	}
	return true
}

// jsonSchema prints s as a JSON Schema (2020-12).
func (s shape) jsonSchema() []byte {
	b := []byte(`{"type":"object"`)
	var required []string
	for _, f := range s.fields {
		if f.required {
			required = append(required, f.name)
		}
	}
	if len(required) > 0 {
		b = append(b, `,"required":["`+strings.Join(required, `","`)+`"]`...)
	}
	if len(s.fields) > 0 {
		b = append(b, `,"properties":{`...)
		for i, f := range s.fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, f.name), ':')
			b = append(b, f.schema()...)
		}
		b = append(b, '}')
	}
	if !s.open {
		b = append(b, `,"additionalProperties":false`...)
	}
	return append(b, '}')
}

func (f field) schema() string {
	if f.nullable {
		return `{"anyOf":[{` + f.kind.schema + `},{"type":"null"}]}`
	}
	return "{" + f.kind.schema + "}"
}

// check returns what is wrong with the object obj, or "".
func (s shape) check(obj []byte) string {
	list, ok := members(obj)
	if !ok {
		return "it is not an object"
	}
	seen := make(map[string]bool, len(list))
	for _, m := range list {
		seen[m.key] = true
		f, known := s.field(m.key)
		switch {
		case !known && !s.open:
			return strconv.Quote(m.key) + " is not declared"
		case !known || f.nullable && string(m.value) == "null":
		case !f.kind.fits(m.value):
			return strconv.Quote(m.key) + " is not what the schema says: " + f.schema()
		}
	}
	for _, f := range s.fields {
		if f.required && !seen[f.name] {
			return strconv.Quote(f.name) + " is missing"
		}
	}
	return ""
}

func (s shape) field(name string) (field, bool) {
	for _, f := range s.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}
