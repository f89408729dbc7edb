package commands

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// The tags of an In field:
//
//	json:"maxPrice"          its name for tools; the flag is --max-price
//	help:"highest price"     the flag's help; a `word` in backquotes names the value
//	required:"true"          missing is a usage error
//	default:"20"             the value when the flag is not given
//	arg:"slug"               a positional argument instead of a flag
//	complete:"collections"   what shell completion offers
//	enum:"a,b"               the only values
//	secret:"true"            never shown, logged or put into an event
//	empty:"true"             an empty value means something
//	min:"1"                  the least number that can be given
//
// And for models, of a command that is a tool:
//
//	ai:"expose"              in the tool's schema; "engine" is set by the engine alone,
//	                         "operator" by a person alone
//	kind:"decimal"           the form of a text: one of those in kinds
//	maxlen:"100"             the most characters of a text, or of each in a list
//	max:"500"                the greatest number
type field struct {
	name     string // flag name or argument name
	required bool
	arg      bool
	enum     []string
	empty    bool
	min      int64
	set      bool
	again    bool // may be set twice: Cobra parses a line twice to complete it
	value    reflect.Value
}

type fieldSet []*field

// Kebab turns a camelCase name into the kebab-case of a flag: maxPrice -> max-price.
func Kebab(name string) string {
	if !strings.ContainsFunc(name, unicode.IsUpper) {
		return name // every flag of every run passes here
	}
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) {
			// An upper-case run (tokenID) is one word.
			startsWord := i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]) ||
				(unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])))
			if startsWord {
				b.WriteByte('-')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// jsonName is the name before the comma of a json tag.
func jsonName(f reflect.StructField) string {
	return strings.SplitN(f.Tag.Get("json"), ",", 2)[0]
}

// InputFields lists the fields of an In struct that can be given, those of
// embedded structs in their place.
func InputFields(t reflect.Type) []reflect.StructField {
	var out []reflect.StructField
	for _, sf := range reflect.VisibleFields(t) {
		if name := jsonName(sf); !sf.Anonymous && sf.IsExported() && name != "-" && name != "" {
			out = append(out, sf)
		}
	}
	return out
}

// newField reads the tags of a field of in and gives it its default.
func newField(sf reflect.StructField, in reflect.Value) (*field, error) {
	f := &field{name: Kebab(jsonName(sf)), required: sf.Tag.Get("required") == "true", empty: sf.Tag.Get("empty") == "true", value: in.FieldByIndex(sf.Index)}
	if e := sf.Tag.Get("enum"); e != "" {
		f.enum = strings.Split(e, ",")
	}
	if least := sf.Tag.Get("min"); least != "" {
		var err error
		if f.min, err = strconv.ParseInt(least, 10, 64); err != nil {
			return nil, fmt.Errorf("min of %s: %w", f.name, err)
		}
	}
	if def := sf.Tag.Get("default"); def != "" {
		if err := f.assign(def); err != nil {
			return nil, fmt.Errorf("default of %s: %w", f.name, err)
		}
	}
	return f, nil
}

func bindFields(cmd *cobra.Command, d *Deps, in reflect.Value) fieldSet {
	var set fieldSet
	for _, sf := range InputFields(in.Type()) {
		f, err := newField(sf, in)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", cmd.CommandPath(), err)) // a mistake in the source
		}
		f.again = d.completing()
		set = append(set, f)
		if arg := sf.Tag.Get("arg"); arg != "" {
			f.arg, f.name = true, arg
			continue
		}
		help := sf.Tag.Get("help")
		switch {
		case f.required && f.enum != nil:
			help += " (required: " + strings.Join(f.enum, ", ") + ")"
		case f.required:
			help += " (required)"
		case f.enum != nil:
			help += " (" + strings.Join(f.enum, ", ") + ")"
		}
		fl := cmd.Flags().VarPF(f, f.name, "", help)
		fl.DefValue = sf.Tag.Get("default")
		if f.value.Kind() == reflect.Bool {
			fl.NoOptDefVal = "true"
		}
		if c := completer(d, sf.Tag.Get("complete"), f.enum); c != nil {
			// The flag was defined a line above, the only reason for an error.
			_ = cmd.RegisterFlagCompletionFunc(f.name, c)
		}
	}
	return set
}

// errEmpty refuses what is mostly a variable of the shell that is not set: it would
// mean "all", or the default, where something was to be named.
var errEmpty = errors.New("it is empty: leave it out, or give a value")

// Set implements pflag.Value. A flag that is given twice is an error: of two
// prices or quote ids, neither may be the one that silently counts.
func (f *field) Set(s string) error {
	if f.set && f.value.Kind() != reflect.Slice && !f.again {
		return errors.New("it is given twice")
	}
	if f.value.Kind() != reflect.Bool && strings.HasPrefix(s, "--") {
		return errors.New("it looks like a flag: the value before it is missing")
	}
	if f.isEmpty(s) && !f.again {
		return errEmpty
	}
	if f.again && f.value.Kind() == reflect.Slice {
		f.value.SetZero()
	}
	f.set = true
	return f.assign(s)
}

// isEmpty reports whether a value says nothing where something has to be said.
func (f *field) isEmpty(s string) bool { return strings.Trim(s, " ,") == "" && !f.empty }

func (f *field) assign(s string) error {
	if f.enum != nil && slices.Contains(f.enum, Kebab(s)) {
		s = Kebab(s)
	}
	if f.enum != nil && !slices.Contains(f.enum, s) {
		return fmt.Errorf("it is none of %s", strings.Join(f.enum, ", "))
	}
	switch f.value.Kind() {
	case reflect.Pointer: // an optional string: given and empty is not the same as not given
		f.value.Set(reflect.ValueOf(&s))
	case reflect.String:
		f.value.SetString(s)
	case reflect.Bool:
		b, err := strconv.ParseBool(s)
		if err != nil {
			return errors.New("it is neither true nor false")
		}
		f.value.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < f.min {
			return fmt.Errorf("it is not a whole number of %d or more", f.min)
		}
		f.value.SetInt(n)
	case reflect.Slice:
		for part := range strings.SplitSeq(s, ",") {
			if part = strings.TrimSpace(part); part != "" {
				f.value.Set(reflect.Append(f.value, reflect.ValueOf(part)))
			}
		}
	default:
		return fmt.Errorf("flags of type %s are not supported", f.value.Type())
	}
	return nil
}

// String implements pflag.Value. Defaults are shown from the tag instead.
func (f *field) String() string { return "" }

// Type implements pflag.Value; it names the value in help.
func (f *field) Type() string {
	if f == nil || !f.value.IsValid() {
		return "string"
	}
	switch f.value.Kind() {
	case reflect.Bool:
		return "bool"
	case reflect.Int, reflect.Int64:
		return "int"
	case reflect.Slice:
		return "list"
	}
	return "string"
}

// positional fills the arguments from the command line, in the order of the fields.
func (s fieldSet) positional(cmd *cobra.Command, args []string) error {
	for _, f := range s {
		if !f.arg || len(args) == 0 {
			continue
		}
		if f.value.Kind() == reflect.Slice {
			for _, a := range args {
				if a == "" {
					return fault.New(fault.Usage, "argument %q of %s: %v", a, cmd.CommandPath(), errEmpty).Hintf("%s --help", cmd.CommandPath())
				}
				f.value.Set(reflect.Append(f.value, reflect.ValueOf(a)))
			}
			args = nil
			break
		}
		if err := f.Set(args[0]); err != nil {
			return fault.New(fault.Usage, "argument %q of %s: %v", shownArg(args[0]), cmd.CommandPath(), err).
				Hintf("%s --help", cmd.CommandPath())
		}
		args = args[1:]
	}
	if len(args) > 0 {
		return fault.New(fault.Usage, "%s takes no argument %q", cmd.CommandPath(), shownArg(args[0])).
			Hintf("%s --help", cmd.CommandPath())
	}
	return nil
}

// check reports every required field that is missing, in one error.
func (s fieldSet) check(cmd *cobra.Command) error {
	if err := s.positional(cmd, cmd.Flags().Args()); err != nil {
		return err
	}
	var missing []string
	for _, f := range s {
		if f.required && f.value.IsZero() {
			if f.arg {
				missing = append(missing, "<"+f.name+">")
			} else {
				missing = append(missing, "--"+f.name)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.New(fault.Usage, "Required: %s", strings.Join(missing, ", ")).
		Hintf("%s --help", cmd.CommandPath()).With("missing", missing)
}
