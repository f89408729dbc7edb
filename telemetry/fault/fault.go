// Package fault defines the one error type that reaches a user: a stable code,
// a message that is safe to show, a hint that can be run, and whether a
// transaction may have left this machine. Exit codes come from here alone.
package fault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Code is the stable name of a kind of failure. Codes are never renamed.
type Code string

// Whether a transaction left this machine before the failure.
const (
	SentNo    = "no"    // nothing was broadcast
	SentMaybe = "maybe" // signed bytes may have reached a node
	SentYes   = "yes"   // a node accepted the transaction
)

// Error is a failure a person can act on. Message and Hint are shown; Err is
// the cause and goes to the operator's log only.
type Error struct {
	Code    Code           `json:"code"`
	Message string         `json:"error"`
	Hint    string         `json:"hint,omitempty"`
	Sent    string         `json:"sent,omitempty"`
	Details map[string]any `json:"details,omitempty"`
	Err     error          `json:"-"`
}

// New returns an error with a code and a formatted message that is safe to show.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap is New with a cause. The cause's text is not shown: put what the user
// needs from it into the message.
func Wrap(err error, code Code, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.Err = err
	return e
}

// Hintf sets the hint, a next step the user can take, and returns e.
func (e *Error) Hintf(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// suggested is a command in a suggestion, by its first word.
var suggested = regexp.MustCompile(`\bape-claw ([a-z][a-z0-9]*)`)

// prose is what follows the program's name where a sentence is about it.
var prose = []string{"and", "asks", "computed", "has", "is", "itself", "knows", "makes", "may", "that", "to", "writes", "wrote"}

// Suggest returns a suggestion with its commands begun by cli, which names the
// profile of the run, where they are not yet. Commands that are of no profile stay.
func Suggest(cli, text string) string {
	return suggested.ReplaceAllStringFunc(text, func(s string) string {
		command := strings.TrimPrefix(s, "ape-claw ")
		if slices.Contains([]string{"sandbox", "demo", "version"}, command) || slices.Contains(prose, command) {
			return s
		}
		return cli + " " + command
	})
}

// WithSent records whether a transaction left, and returns e.
func (e *Error) WithSent(sent string) *Error {
	e.Sent = sent
	return e
}

// With adds one machine-readable detail and returns e.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// Error returns the message without the cause.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an *Error with the same code, so that
// errors.Is(err, &fault.Error{Code: fault.QuoteUsed}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && (t.Message == "" || t.Message == e.Message)
}

// CodeOf returns the code of err: its own, Canceled for a cancelled context,
// Internal for a foreign error, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}

// From turns any error into an *Error. A foreign error becomes Internal with a
// message that does not show its text, since that may hold anything.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	if errors.Is(err, context.Canceled) {
		return Wrap(err, Canceled, "canceled").WithSent(SentNo)
	}
	return Wrap(err, Internal, "internal error").
		Hintf("run again with --log-level debug to see the cause").WithSent(SentMaybe)
}

// MarshalJSON writes ok:false first, so that a reader finds it at a glance.
func (e *Error) MarshalJSON() ([]byte, error) {
	type plain Error
	b, err := json.Marshal((*plain)(e))
	if err != nil {
		return nil, err
	}
	return append([]byte(`{"ok":false,`), b[1:]...), nil
}
