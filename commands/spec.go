// Package commands is the Cobra tree: one file a command, each a declaration, a
// typed input and output, and one operation that the CLI, the AI tools and MCP
// share. It alone knows Cobra and Viper, and it composes the domain packages.
package commands

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/spf13/cobra"

	"github.com/ape-claw/ape-claw/ai"
)

// Risk says what a command can do, and so who may run it.
type Risk string

// The risks, from harmless to what only a person may do at a terminal.
const (
	RiskRead  Risk = "read"  // looks; changes nothing but the event log
	RiskWrite Risk = "write" // changes local state
	RiskHigh  Risk = "high"  // can move money or act on chain
	RiskHuman Risk = "human" // only a person; never a tool
)

// HumanAlways commands do not even begin without a terminal.
const HumanAlways = "always"

// Spec is the declaration of a command. Documentation, completion, tests, AI
// tools and MCP read it; nothing about a command is declared anywhere else.
type Spec struct {
	Name       string   // the words: "nft quote"
	Aliases    []string // other full names: "nft quote-buy"
	Short      string   // one line, no full stop
	Long       string
	Example    string
	Events     []string // event types it can emit, beside command.failed
	Risk       Risk
	Permission string // what a tool caller must hold, as noun:verb
	// Human says when the command asks a person at the terminal and goes on only
	// with a yes typed there: HumanAlways, or in words. "" never does.
	Human string
	// Quiet commands emit no event and create no state directory: help, version,
	// completion, reads of the log, serve, sandbox status.
	Quiet bool
	// Streams says that --json prints NDJSON, the last line being the result.
	Streams bool
	// Late commands find out by themselves whether there is anything to write: until
	// then they make no state directory.
	Late bool
	// Offline commands need neither chain nor marketplace: they work under the
	// sandbox profile while no sandbox runs. So do quiet ones.
	Offline bool
	// Anywhere commands work when configuration is broken: they report it.
	Anywhere bool
	// Protocol commands speak to a program at stdout: nothing else is written there,
	// errors go to stderr, also with --json.
	Protocol bool
	// AI says whether models have the command as a tool, and how.
	AI Exposure
}

// Exposure is what a command is to models. There is no default: a test fails for a
// command that says nothing.
type Exposure struct {
	Class       string   // AITool, AIOperator, AINever
	Grade       ai.Grade // of a tool
	Identifiers []string // of a tool of high grade: the facts that a person retypes
	Untrusted   bool     // the result holds text from outside
	// About is what models are told in place of Short and Long, where those speak of
	// flags that models don't have.
	About string
}

// The classes of commands. What is the operator's, and what is never a tool, a
// model is not told of.
const (
	AITool     = "tool"
	AIOperator = "operator" // set-up and upkeep by who runs this machine
	AINever    = "never"    // credentials, approvals, what makes identities
)

// Op is what a command does: typed input to typed output, no Cobra in sight.
type Op[In, Out any] func(ctx context.Context, d *Deps, in In) (Out, error)

// Command is a Spec with its input type and a way to run it.
type Command struct {
	Spec
	In  reflect.Type // a struct; its fields are the flags, by their tags
	Out reflect.Type
	// bind makes flags for a fresh In on cmd and returns what runs with it.
	bind func(cmd *cobra.Command, d *Deps) bound
	// fill makes a fresh In from the arguments of a tool call.
	// Each of also gets it, a pointer, to add what no argument says.
	fill func(d *Deps, args json.RawMessage, also ...func(in any) error) (bound, error)
	// text prints an Out for people.
	text func(p *Printer, out any)
}

// define ties a declaration, an operation and its text output together.
func define[In, Out any](spec Spec, op Op[In, Out], text func(p *Printer, out Out)) Command {
	return Command{
		Spec: spec,
		In:   reflect.TypeFor[In](),
		Out:  reflect.TypeFor[Out](),
		bind: func(cmd *cobra.Command, d *Deps) bound {
			in := new(In)
			fields := bindFields(cmd, d, reflect.ValueOf(in).Elem())
			return bound{
				check: func() error {
					if err := fields.check(cmd); err != nil {
						return err
					}
					if c, ok := any(*in).(checker); ok {
						return c.Check()
					}
					return nil
				},
				run: func(ctx context.Context) (any, error) { return op(ctx, d, *in) },
			}
		},
		fill: func(d *Deps, args json.RawMessage, also ...func(in any) error) (bound, error) {
			in := new(In)
			if err := fillFields(reflect.ValueOf(in).Elem(), args); err != nil {
				return bound{}, err
			}
			for _, add := range also { // what is no argument
				if err := add(in); err != nil {
					return bound{}, err
				}
			}
			return bound{
				check: func() error {
					if c, ok := any(*in).(checker); ok {
						return c.Check()
					}
					return nil
				},
				run: func(ctx context.Context) (any, error) { return op(ctx, d, *in) },
			}, nil
		},
		text: func(p *Printer, out any) { text(p, out.(Out)) },
	}
}

// bound is an operation with the input of one command line.
type bound struct {
	check func() error // what is missing or too much on the command line
	run   func(ctx context.Context) (any, error)
}

// checker is an In that knows what is wrong with it before anything is asked or
// written.
type checker interface{ Check() error }

// failer is an Out that describes a failure itself, as doctor's does: it is
// printed as the result, and the error decides the exit status.
type failer interface{ Failure() error }
