package telemetry

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Type declares one event type: what it means, who emits it, and the JSON
// Schemas of its payload and result.
type Type struct {
	Name     string          `json:"type"` // as in an event's eventType
	Meaning  string          `json:"meaning"`
	Commands []string        `json:"commands"` // the command words that emit it; none yet for types of later parts
	Payload  json.RawMessage `json:"payload"`
	Result   json.RawMessage `json:"result"`
	Failure  bool            `json:"failure,omitempty"` // tells that something failed or was refused: ok is false
	Money    bool            `json:"money,omitempty"`   // durable before the command says it happened
}

// declaration is a Type as the tables of the domains write it. The forms of
// payload and result are newShape's.
type declaration struct {
	name, meaning   string
	commands        []string
	payload, result string
	failure, money  bool
}

// known is one type of the catalogue, its schemas made when first asked for.
type known struct {
	decl    declaration
	shapes  func() [2]shape // payload, result
	printed func() Type
}

// catalogue is built when the first event is recorded or looked up.
var catalogue = sync.OnceValue(func() map[string]*known {
	all := make(map[string]*known)
	for _, table := range [][]declaration{
		policyTypes(), systemTypes(), identityTypes(), marketTypes(), nftTypes(), bridgeTypes(), v2Types(), sandboxTypes(), aiTypes(), podTypes(), skillTypes(),
	} {
		for _, d := range table {
			k := &known{decl: d}
			k.shapes = sync.OnceValue(func() [2]shape { return [2]shape{newShape(d.payload), newShape(d.result)} })
			k.printed = sync.OnceValue(k.print)
			all[d.name] = k
		}
	}
	return all
})

func (k *known) print() Type {
	s := k.shapes()
	return Type{
		Name: k.decl.name, Meaning: k.decl.meaning, Commands: append([]string{}, k.decl.commands...),
		Payload: s[0].jsonSchema(), Result: s[1].jsonSchema(),
		Failure: k.decl.failure, Money: k.decl.money,
	}
}

// CustomType is the declaration of the names that users and their agents may
// choose freely for events of their own.
const (
	CustomType   = "custom.*"
	customPrefix = "custom."
)

// find returns the declaration of name, that of CustomType for "custom.…".
func find(name string) (*known, bool) {
	if strings.HasPrefix(name, customPrefix) && CheckType(name) == nil {
		name = CustomType
	}
	k, ok := catalogue()[name]
	return k, ok
}

// emitCommand is the command that records events of any type that is not ours.
const emitCommand = "ape-claw events emit"

// findOwn is find for a line of the log: what "events emit" recorded may have
// any name in a domain that is not ours. What another command records must be
// declared.
func findOwn(name, command string) (*known, bool) {
	if k, ok := find(name); ok || command != emitCommand || CheckType(name) != nil {
		return k, ok
	}
	domain, _, _ := strings.Cut(name, ".")
	for declared := range catalogue() {
		if ours, _, _ := strings.Cut(declared, "."); ours == domain {
			return nil, false
		}
	}
	return find(CustomType)
}

// Catalogue returns every declared type, sorted by name. The slice is the
// caller's, what it points to is not.
func Catalogue() []Type {
	out := make([]Type, 0, len(catalogue()))
	for _, k := range catalogue() {
		out = append(out, k.printed())
	}
	slices.SortFunc(out, func(a, b Type) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Description is the catalogue as it is published, whoever asks.
type Description struct {
	V        int             `json:"v"`        // the envelope's version
	Envelope json.RawMessage `json:"envelope"` // JSON Schema of a line
	Count    int             `json:"count"`
	Types    []Type          `json:"types"`
}

// Describe returns the whole catalogue for "", or the part about one type.
func Describe(name string) (Description, bool) {
	d := Description{V: Version, Envelope: EnvelopeSchema(), Types: Catalogue()}
	if name != "" {
		t, ok := Lookup(name)
		if !ok {
			return Description{}, false
		}
		d.Types = []Type{t}
	}
	d.Count = len(d.Types)
	return d, true
}

// Lookup returns the declaration of one type, that of CustomType for "custom.…".
func Lookup(name string) (Type, bool) {
	k, ok := find(name)
	if !ok {
		return Type{}, false
	}
	return k.printed(), true
}

// flags returns how events of type name are to be treated, without making its
// schemas.
func flags(name string) (failure, money bool) {
	k, ok := find(name)
	return ok && k.decl.failure, ok && k.decl.money
}
