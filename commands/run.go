package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// run is the life of one command: configuration, the operation, its output, its
// events, its error.
func (d *Deps) run(ctx context.Context, c Command, op bound) error {
	d.ran = true
	d.spec = c.Spec
	// The command line first: a typo must leave nothing behind.
	if err := op.check(); err != nil {
		return d.finish(ctx, c, nil, err)
	}
	if c.Risk == RiskHuman || d.executes || c.Permission == "clawbot:write" || c.Permission == "skill:install" || c.Permission == "skill:write" {
		if err := d.notChild("run " + c.Name); err != nil {
			return d.finish(ctx, c, nil, err)
		}
	}
	if !c.Anywhere {
		cfg, err := d.Config()
		if err == nil && !c.Offline && !c.Quiet {
			err = cfg.SandboxErr
		}
		if err != nil {
			return d.finish(ctx, c, nil, err)
		}
	}
	if c.Human == HumanAlways {
		if err := d.somebody(c.Name); err != nil {
			return d.finish(ctx, c, nil, err)
		}
	}
	if c.Risk != RiskRead && !c.Quiet && !c.Late {
		// What writes or spends must not go unrecorded.
		if err := d.recordable(); err != nil {
			return d.finish(ctx, c, nil, err)
		}
	}
	stop := d.forwardMeanwhile(ctx, c)
	out, err := op.run(ctx)
	stop()
	return d.finish(ctx, c, out, err)
}

// finish prints the result or the error and records what was not recorded yet.
// It returns the error that decides the exit status.
func (d *Deps) finish(ctx context.Context, c Command, out any, err error) error {
	if err == nil {
		if f, ok := out.(failer); ok {
			err = f.Failure()
		}
		if printErr := d.printResult(c, out); printErr != nil {
			e := fault.Wrap(printErr, fault.StateUnusable, "standard output can't be written: what the command did is in the event log").
				WithSent(fault.SentMaybe)
			if b, ok := out.(tokenBearer); ok {
				e = fault.Wrap(printErr, fault.StateUnusable, "standard output can't be written: the new token of %s is lost", b.owner()).
					Hintf("ape-claw clawbot rotate --agent-id %s gives it another one", b.owner())
				if r, ok := out.(interface{ again() string }); ok {
					e = e.Hintf("%s", r.again())
				}
			}
			d.tellError(c, e)
			return e
		}
		return err
	}
	e := fault.From(err)
	if e.Code == fault.Internal {
		d.logger().Error("internal", "command", c.Name, "cause", d.redactor().String(causes(err)))
	} else if e.Err != nil {
		d.logger().Debug("failed", "command", c.Name, "code", string(e.Code), "cause", d.redactor().String(causes(e.Err)))
	}
	d.recordFailure(ctx, c, e)
	d.printError(c, e)
	return e
}

func causes(err error) string {
	s := err.Error()
	for {
		u := errors.Unwrap(err)
		if u == nil {
			return s
		}
		s += ": " + u.Error()
		err = u
	}
}

// recordFailure adds command.failed, unless the operation told its failure itself.
func (d *Deps) recordFailure(ctx context.Context, c Command, e *fault.Error) {
	if c.Quiet || d.told || (d.rec != nil && d.rec.HasFailure()) {
		return
	}
	cfg, err := d.Config()
	if err != nil {
		return // nowhere known to write to
	}
	if e.Code == fault.Usage {
		if _, err := os.Stat(cfg.StateDir); err != nil {
			return // a typo must not create a state directory
		}
	}
	// The command has failed already; that its record failed too is a warning,
	// unless that is what it failed for.
	if err := d.Record(context.WithoutCancel(ctx), telemetry.Draft{
		Type: "command.failed", Err: e.Message,
		Result: map[string]any{"code": string(e.Code), "exit": fault.ExitCode(e)},
	}); err != nil && e.Code != fault.StateUnusable {
		d.warn("%s", fault.From(err).Message)
	}
}

// printResult writes the one result document, or the text for people.
func (d *Deps) printResult(c Command, out any) error {
	if s, ok := out.(interface{ shown() bool }); out == nil || (ok && s.shown()) {
		return nil
	}
	bearer, bears := out.(tokenBearer)
	if !d.wantJSON {
		p := d.printer()
		c.text(p, out)
		if err := p.flush(); err != nil || !bears {
			return err
		}
		return d.printToken(bearer.newToken())
	}
	b, err := encodeJSON(out)
	if err != nil {
		return err
	}
	if b = d.redactor().Bytes(b); bears {
		if b, err = showToken(b, fieldOf(bearer), bearer.newToken()); err != nil {
			return err
		}
	}
	return d.writeOut(b)
}

// printError tells what went wrong: one JSON document, or two lines for people.
func (d *Deps) printError(c Command, e *fault.Error) {
	if !d.wantJSON || c.Protocol {
		d.tellError(c, e)
		return
	}
	red := d.redactor()
	sent := e.Sent
	if sent == "" {
		sent = fault.SentNo
	}
	doc := orderedDoc{
		{"ok", false}, {"error", e.Message}, {"code", e.Code}, {"hint", d.inProfile(hintOf(c, e))}, {"sent", sent}, {"command", fullName(c.Name)},
	}
	for _, k := range slices.Sorted(maps.Keys(e.Details)) {
		doc = append(doc, pair{k, e.Details[k]})
	}
	b, err := encodeJSON(doc)
	if err != nil {
		b = []byte(`{"ok":false,"error":"internal error","code":"internal","sent":"maybe"}` + "\n")
	}
	if err := d.writeOut(red.Bytes(b)); err != nil {
		fmt.Fprintf(d.host.Stderr, "ape-claw: error: %s\n", red.String(e.Message))
	}
}

// tellError is printError for people.
func (d *Deps) tellError(c Command, e *fault.Error) {
	red := d.redactor()
	fmt.Fprintf(d.host.Stderr, "ape-claw: error: %s\n", cleanLines(red.String(e.Message)))
	for _, line := range toLookAt(e) {
		fmt.Fprintf(d.host.Stderr, "  %s\n", clean(red.String(line)))
	}
	if hint := d.inProfile(hintOf(c, e)); hint != "" {
		fmt.Fprintf(d.host.Stderr, "ape-claw: hint: %s\n", cleanLines(red.String(hint)))
	}
	if e.Sent == fault.SentMaybe || e.Sent == fault.SentYes {
		fmt.Fprintf(d.host.Stderr, "ape-claw: sent: %s\n", e.Sent)
	}
}

// hintOf is the error's own hint, else where to look.
func hintOf(c Command, e *fault.Error) string {
	switch {
	case e.Hint != "":
		return e.Hint
	case e.Code == fault.Usage:
		return fullName(c.Name) + " --help"
	case e.Code == fault.StateUnusable && c.Name != "doctor":
		return "ape-claw doctor says what is wrong with the directories and the files in them"
	}
	return ""
}

func fullName(name string) string {
	if name == "" {
		return "ape-claw"
	}
	return "ape-claw " + name
}

// writeOut writes to stdout; a reader that went away is no fault of the command.
func (d *Deps) writeOut(b []byte) error {
	_, err := d.host.Stdout.Write(b)
	return err
}

// stream prints one NDJSON line of a streaming command.
func (d *Deps) stream(v any) error {
	b, err := encodeJSON(v)
	if err != nil {
		return err
	}
	return d.writeOut(d.redactor().Bytes(b))
}

// showNow prints a result of a command that goes on running: as a line of its
// stream, or as text.
func showNow[Out any](d *Deps, out Out, text func(*Printer, Out)) error {
	if d.wantJSON {
		return d.stream(out)
	}
	p := d.printer()
	text(p, out)
	return p.flush()
}

// pair and orderedDoc print an object with its fields in a chosen order.
type pair struct {
	key   string
	value any
}
type orderedDoc []pair

// MarshalJSON writes the pairs as one object.
func (o orderedDoc) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, p := range o {
		if i > 0 {
			b = append(b, ',')
		}
		k, err := json.Marshal(p.key)
		if err != nil {
			return nil, err
		}
		v, err := encodeJSON(p.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, k...), ':'), v[:len(v)-1]...)
	}
	return append(b, '}'), nil
}
