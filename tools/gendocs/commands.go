package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/commands"
)

func commandsDoc() string {
	var b strings.Builder
	b.WriteString("# Commands\n\n" + generatedNote + `
Every command takes ` + "`--json`" + ` (one JSON document on stdout, errors included; help excepted), ` + "`--help`" + `, and the global
flags of [configuration.md](configuration.md). Flags are kebab-case; the camelCase of the original program
(` + "`--maxPrice`" + `) works too. Exit codes: [errors.md](errors.md). Events: [events.md](events.md).

Risk: *read* looks and changes nothing but the event log, *write* changes local state, *high* can move
money or act on chain, *human* is for a person at a terminal and is never a tool.

`)
	table(&b, "command", "what it does", "risk")
	all := commands.Specs()
	for _, c := range all {
		row(&b, fmt.Sprintf("[`%s`](#%s)", c.Name, anchor(c.Name)), c.Short, string(c.Risk))
	}
	for _, c := range all {
		command(&b, c)
	}
	return b.String()
}

// anchor is the fragment that a Markdown heading "ape-claw NAME" gets.
func anchor(name string) string { return "ape-claw-" + strings.ReplaceAll(name, " ", "-") }

func command(b *strings.Builder, c commands.Command) {
	var usage string
	for _, f := range fields(c.In) {
		if f.arg != "" && f.required {
			usage += " <" + f.arg + ">"
		} else if f.arg != "" {
			usage += " [" + f.arg + "]"
		}
	}
	fmt.Fprintf(b, "\n## ape-claw %s\n\n", c.Name)
	if usage != "" {
		fmt.Fprintf(b, "`ape-claw %s%s`\n\n", c.Name, usage)
	}
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	fmt.Fprintf(b, "%s\n\n", strings.TrimSpace(text))
	if c.Example != "" {
		fmt.Fprintf(b, "```sh\n%s\n```\n\n", dedent(c.Example))
	}
	if len(c.Aliases) > 0 {
		fmt.Fprintf(b, "- also: %s\n", codes(c.Aliases))
	}
	fmt.Fprintf(b, "- risk: %s; permission: %s\n", c.Risk, code(c.Permission))
	if c.Human != "" {
		fmt.Fprintf(b, "- a person at a terminal has to agree: %s\n", c.Human)
	}
	if events := append(slices.Clone(c.Events), "command.failed"); c.Quiet {
		b.WriteString("- events: none\n")
	} else {
		fmt.Fprintf(b, "- events: %s\n", codes(unique(events)))
	}
	if c.Streams {
		b.WriteString("- with `--json` it prints a line for each thing it reports; the last one is the result\n")
	}
	if in := fields(c.In); len(in) > 0 {
		b.WriteString("\n")
		table(b, "flag or argument", "", "default")
		for _, f := range in {
			row(b, f.usage(), f.help+f.note(), code(f.def))
		}
	}
	if out := outFields(c.Out); len(out) > 0 {
		fmt.Fprintf(b, "\nResult: %s\n", codes(out))
	}
}

// field is a field of a command's input, by its tags.
type field struct {
	name, arg, help, def, enum, value string
	required, secret                  bool
}

func fields(t reflect.Type) []field {
	var out []field
	for _, sf := range commands.InputFields(t) {
		name := jsonName(sf)
		f := field{
			name: commands.Kebab(name), arg: sf.Tag.Get("arg"), help: sf.Tag.Get("help"), def: sf.Tag.Get("default"),
			enum: sf.Tag.Get("enum"), required: sf.Tag.Get("required") == "true", secret: sf.Tag.Get("secret") == "true",
		}
		switch sf.Type.Kind() {
		case reflect.Bool:
		case reflect.Int, reflect.Int64:
			f.value = "n"
		case reflect.Slice:
			f.value = "a,b"
		default:
			f.value = "string"
		}
		f.help, f.value = unquote(f.help, f.value)
		out = append(out, f)
	}
	return out
}

// unquote takes the name of the value out of a help text: "the `file` to read".
func unquote(help, value string) (string, string) {
	head, rest, ok := strings.Cut(help, "`")
	word, tail, ok2 := strings.Cut(rest, "`")
	if !ok || !ok2 {
		return help, value
	}
	return head + word + tail, word
}

func (f field) usage() string {
	if f.arg != "" {
		return code(f.arg)
	}
	return code(strings.TrimSpace("--" + f.name + " " + strings.ToUpper(f.value)))
}

func (f field) note() string {
	var notes []string
	if f.required {
		notes = append(notes, "required")
	}
	if f.enum != "" {
		notes = append(notes, "one of "+codes(strings.Split(f.enum, ",")))
	}
	if f.secret {
		notes = append(notes, "secret: never shown or logged")
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

// outFields names what a result holds, as its JSON does.
func outFields(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	// A type that writes its own JSON says nothing by its fields.
	marshaler := reflect.TypeFor[json.Marshaler]()
	if t.Kind() != reflect.Struct || t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) {
		return nil
	}
	var out []string
	for i := range t.NumField() {
		sf := t.Field(i)
		name := jsonName(sf)
		switch {
		case sf.Anonymous && name == "":
			out = append(out, outFields(sf.Type)...)
		case sf.IsExported() && name != "-" && name != "":
			out = append(out, name)
		}
	}
	return out
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// unique returns the words without repetitions, in their order.
func unique(words []string) []string {
	var out []string
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// dedent takes the indentation that all lines share.
func dedent(s string) string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	least := -1
	for _, l := range lines {
		if n := len(l) - len(strings.TrimLeft(l, " ")); strings.TrimSpace(l) != "" && (least < 0 || n < least) {
			least = n
		}
	}
	for i, l := range lines {
		lines[i] = l[min(max(least, 0), len(l)):]
	}
	return strings.Join(lines, "\n")
}

func settingsTable() string {
	var b strings.Builder
	table(&b, "setting", "flag", "environment", "default", "config file", "")
	for _, s := range commands.Settings() {
		flag := ""
		if s.Flag != "" {
			flag = "--" + s.Flag
		}
		env := code(s.Env)
		if s.Alias != "" {
			env += ", " + code(s.Alias)
		}
		file := ""
		if s.InFile {
			file = code(s.Key)
		}
		help, _ := unquote(s.Help, "")
		if s.Secret {
			help += " (secret)"
		}
		row(&b, s.Key, code(flag), env, code(s.Default), file, help)
	}
	return b.String()
}
