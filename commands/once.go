package commands

import (
	"bytes"
	"fmt"
	"log/slog"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// shownOnce is a token that was made just now and that its command prints, once,
// as its result. Everything shown passes the redactor, and this is the only
// exception: printResult asks a result that is a tokenBearer, and nothing else
// does. Printed, logged or marshalled by any other way, it is hidden.
type shownOnce struct{ secret string }

// String hides the token.
func (shownOnce) String() string { return hidden }

// GoString hides the token from %#v too.
func (shownOnce) GoString() string { return hidden }

// LogValue hides the token from logs.
func (shownOnce) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON hides the token as the redactor would.
func (shownOnce) MarshalJSON() ([]byte, error) { return []byte(redactedValue), nil }

const redactedValue = `"` + telemetry.Redacted + `"`

// tokenBearer is a result with a new token, of the agent owner, in its field "token".
type tokenBearer interface {
	newToken() shownOnce
	owner() string
}

// tokenField is what that field is called, where a result does not say otherwise.
const tokenField = "token"

// fieldOf is the field of a result that shows its token.
func fieldOf(b tokenBearer) string {
	if named, ok := b.(interface{ field() string }); ok {
		return named.field()
	}
	return tokenField
}

// showToken puts the token into its one place in a redacted result. Inside a string
// the quotes would be escaped: there is no other such place.
func showToken(doc []byte, field string, t shownOnce) ([]byte, error) {
	place := []byte(`"` + field + `":` + redactedValue)
	if bytes.Count(doc, place) != 1 {
		return doc, fault.New(fault.Internal, "the result has no place for its token")
	}
	return bytes.Replace(doc, place, []byte(`"`+field+`":"`+t.secret+`"`), 1), nil
}

// printToken shows the token to people, on a line of its own to copy.
func (d *Deps) printToken(t shownOnce) error {
	_, err := fmt.Fprintf(d.host.Stdout, "\n%s\n", t.secret)
	return err
}
