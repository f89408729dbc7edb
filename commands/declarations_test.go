package commands

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ape-claw/ape-claw/telemetry"
)

// Every command is declared whole: what tools, documentation and completion are
// made from.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Specs() {
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			if seen[name] {
				t.Errorf("%s is declared twice", name)
			}
			seen[name] = true
		}
		if c.Short == "" || strings.HasSuffix(c.Short, ".") || len(c.Short) > 80 {
			t.Errorf("%s: short description %q", c.Name, c.Short)
		}
		if !slices.Contains([]Risk{RiskRead, RiskWrite, RiskHigh, RiskHuman}, c.Risk) {
			t.Errorf("%s: risk %q", c.Name, c.Risk)
		}
		if !regexp.MustCompile(`^[a-z0-9]+(:[a-z]+){1,2}$`).MatchString(c.Permission) {
			t.Errorf("%s: permission %q", c.Name, c.Permission)
		}
		if c.Quiet != (len(c.Events) == 0) {
			t.Errorf("%s: a quiet command declares no event, the others do: %v", c.Name, c.Events)
		}
		if c.Risk == RiskHuman && c.Human == "" {
			t.Errorf("%s: it does not say when it asks a person", c.Name)
		}
		for _, f := range InputFields(c.In) {
			if f.Tag.Get("help") == "" {
				t.Errorf("%s: field %s has no help", c.Name, f.Name)
			}
			currency := c.Name == "bridge quote" && f.Name == "Token" // currencyName tells its values from secrets
			if secretFlag(Kebab(jsonName(f))) != (f.Tag.Get("secret") == "true") && !currency {
				t.Errorf("%s: field %s: the secret tag and the list of sensitive flags differ", c.Name, f.Name)
			}
		}
	}
}

// A command declares the events that the catalogue says it emits, and no other.
func TestDeclaredEventsAreTheCatalogues(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, c := range Specs() {
		names[c.Name] = true
		for _, event := range c.Events {
			typ, ok := telemetry.Lookup(event)
			if !ok {
				t.Errorf("%s: event %s is not in the catalogue", c.Name, event)
			}
			if c.Name != "demo" && len(typ.Commands) > 0 && !slices.Contains(typ.Commands, c.Name) && !slices.Contains(typ.Commands, "*") {
				t.Errorf("%s declares %s, which the catalogue gives to %v", c.Name, event, typ.Commands)
			}
		}
	}
	for _, typ := range telemetry.Catalogue() {
		for _, name := range typ.Commands {
			for _, c := range Specs() {
				if c.Name == name && !slices.Contains(c.Events, typ.Name) {
					t.Errorf("the catalogue gives %s to %s, which does not declare it", typ.Name, name)
				}
			}
		}
	}
}

// Every flag of every command fills its field, in kebab-case and in camelCase.
func TestFlagsFillTheInput(t *testing.T) {
	t.Parallel()
	for _, c := range Specs() {
		for _, camel := range []bool{false, true} {
			cmd := &cobra.Command{Use: "x"}
			cmd.SetGlobalNormalizationFunc(normalize)
			in := reflect.New(c.In).Elem()
			set := bindFields(cmd, newDeps(Host{Env: func(string) (string, bool) { return "", false }}), in)
			for i, sf := range InputFields(c.In) {
				f := set[i]
				value := "7"
				switch {
				case f.enum != nil:
					value = f.enum[0]
				case f.value.Kind() == reflect.Bool:
					value = "true"
				}
				if f.arg {
					continue
				}
				name := f.name
				if camel {
					name = jsonName(sf)
				}
				if err := cmd.ParseFlags([]string{"--" + name + "=" + value}); err != nil {
					t.Errorf("%s --%s=%s: %v", c.Name, name, value, err)
					continue
				}
				if got := in.FieldByIndex(sf.Index); got.IsZero() {
					t.Errorf("%s --%s=%s did not reach %s", c.Name, name, value, sf.Name)
				}
			}
		}
	}
}
