package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// child is a run within this one, on somebody's behalf: it has its own input, recorder
// and trace, reads policy and allowlist anew, and shares what is open: the log, the
// databases, the node, what is known of secrets. It has no terminal and no streams.
// Its policy and its spending are those of the agent that this process acts as: to be
// called by a model leads out of no cap.
func (d *Deps) child(spec Spec, s ai.Scope) *Deps {
	h := d.host
	h.Stdin, h.Stdout, h.Stderr = strings.NewReader(""), io.Discard, io.Discard
	h.StdinTTY, h.StdoutTTY, h.StderrTTY = false, false, false
	h.OpenTerminal = nil
	h.OpenURL = func(string) error { return errors.New("nobody is there to look at it") }
	c := newDeps(h)
	c.parent, c.caller, c.spec, c.wantJSON, c.log, c.journal = d, s, spec, true, d.log, d.journal
	c.Config = sync.OnceValues(func() (*Config, error) {
		cfg, err := d.Config()
		if err != nil {
			return nil, err
		}
		own := *cfg
		own.TraceID = Setting{s.TraceID, FromFlag}
		if s.TraceID == "" { // one of its own, until it joins that of a quote
			own.TraceID = Setting{telemetry.NewTraceID(h.Now()), FromDefault}
		}
		if s.SessionID != "" {
			own.SessionID = Setting{s.SessionID, FromFlag}
		}
		c.loaded.Store(&own)
		return &own, nil
	})
	return c
}

// trace is what the events of this run are found by.
func (d *Deps) trace() string {
	cfg, err := d.Config()
	if err != nil {
		return ""
	}
	return cfg.TraceID.Value
}

// call runs the command in this process, as run does for a command line: the same
// checks of its input, in the same order, and the same record of a failure. d is a
// child of its own. It does not panic. A result that describes its failure itself is
// returned without an error.
func (c Command) call(ctx context.Context, d *Deps, args json.RawMessage) (any, error) {
	return c.carry(ctx, d, func() (bound, error) { return c.fill(d, args) })
}

// callWith is call for an input that is no tool's argument: what the engine adds after
// an approval.
func (c Command) callWith(ctx context.Context, d *Deps, run func(ctx context.Context) (any, error)) (any, error) {
	return c.carry(ctx, d, func() (bound, error) { return bound{check: func() error { return nil }, run: run}, nil })
}

func (c Command) carry(ctx context.Context, d *Deps, fill func() (bound, error)) (out any, err error) {
	defer func() {
		if v := recover(); v != nil {
			d.logger().Error("panic", "command", c.Name, "value", fmt.Sprint(v), "stack", string(debug.Stack()))
			out, err = nil, fault.New(fault.Internal, "internal error: %s failed", c.Name).
				Hintf("run ape-claw doctor, and report this").WithSent(fault.SentMaybe)
		}
		if err != nil {
			d.recordFailure(ctx, c, fault.From(err))
		}
	}()
	op, err := fill()
	if err == nil {
		err = op.check()
	}
	if err != nil {
		return nil, err
	}
	if !c.Anywhere {
		cfg, err := d.Config()
		if err == nil && !c.Offline && !c.Quiet {
			err = cfg.SandboxErr
		}
		if err != nil {
			return nil, err
		}
	}
	if c.Human == HumanAlways || c.Risk == RiskHuman {
		return nil, fault.New(fault.ApprovalRequired, "only a person at a terminal may run %s", c.Name).WithSent(fault.SentNo)
	}
	if c.Risk != RiskRead && !c.Quiet && !c.Late {
		if err := d.recordable(); err != nil {
			return nil, err
		}
	}
	return op.run(ctx)
}

// fillFields sets the fields of in from the arguments of a tool call: defaults first,
// then what is given, held to the rules that a flag is held to.
func fillFields(in reflect.Value, args json.RawMessage) error {
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal(args, &given); err != nil {
		return fault.Wrap(err, fault.InvalidArguments, "the arguments are no JSON object").WithSent(fault.SentNo)
	}
	var missing []string
	for _, sf := range InputFields(in.Type()) {
		f, err := newField(sf, in)
		if err != nil {
			return fault.Wrap(err, fault.Internal, "a field can't be set").WithSent(fault.SentNo)
		}
		name := jsonName(sf)
		raw, ok := given[name]
		delete(given, name)
		if ok {
			if err := f.take(raw); err != nil {
				return badArgument(name, err)
			}
		}
		if f.required && f.value.IsZero() {
			missing = append(missing, name)
		}
	}
	for name := range given {
		return badArgument(shownArg(name), errors.New("there is no such argument"))
	}
	if len(missing) > 0 {
		return badArgument(missing[0], errors.New("it is required")).With("missing", missing)
	}
	return nil
}

func badArgument(name string, why error) *fault.Error {
	return fault.New(fault.InvalidArguments, "/%s: %v", name, why).With("pointer", "/"+name).WithSent(fault.SentNo)
}

// take sets the field from JSON of its own type: a number is no text, and the
// reverse.
func (f *field) take(raw json.RawMessage) error {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return err
	}
	kind := f.value.Kind()
	switch t := v.(type) {
	case string:
		if kind != reflect.String && kind != reflect.Pointer {
			break
		}
		if f.isEmpty(t) {
			return errEmpty
		}
		return f.assign(t)
	case bool:
		if kind == reflect.Bool {
			f.value.SetBool(t)
			return nil
		}
	case json.Number:
		if kind == reflect.Int || kind == reflect.Int64 {
			return f.assign(t.String())
		}
	case []any:
		if kind == reflect.Slice {
			return f.takeList(t)
		}
	}
	return errors.New("it is of another type")
}

func (f *field) takeList(items []any) error {
	f.value.SetZero()
	for _, it := range items {
		s, ok := it.(string)
		if !ok {
			return errors.New("not all of it is text")
		}
		if s = strings.TrimSpace(s); strings.Trim(s, " ,") == "" {
			return errEmpty
		}
		if strings.Contains(s, ",") { // a flag takes it for two
			return errors.New("one of it has a comma in it")
		}
		if f.enum != nil && !slices.Contains(f.enum, s) {
			return fmt.Errorf("one is none of %s", strings.Join(f.enum, ", "))
		}
		f.value.Set(reflect.Append(f.value, reflect.ValueOf(s)))
	}
	return nil
}
