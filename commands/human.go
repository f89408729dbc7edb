package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/ape-claw/ape-claw/ai"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Terminal is the controlling terminal itself, which a pipe can't stand in for.
// What is read is typed after the question; the end of the context ends it, and
// io.EOF is a person who ends the input instead.
type Terminal interface {
	io.WriteCloser
	ReadLine(ctx context.Context, question string) (string, error)
	ReadSecret(ctx context.Context, question string) (string, error) // without echo
}

// terminal opens it, for what only a person may do.
func (d *Deps) terminal(act string) (Terminal, error) {
	if err := d.notChild(act); err != nil {
		return nil, err
	}
	if d.host.OpenTerminal != nil {
		if t, err := d.host.OpenTerminal(); err == nil {
			return t, nil
		}
	}
	return nil, fault.New(fault.ApprovalRequired, "only a person at a terminal may %s, and there is none", act).
		Hintf("run the command in a terminal").WithSent(fault.SentNo)
}

// somebody says whether there is a terminal to ask at, before anything is looked at
// for a command that always asks.
func (d *Deps) somebody(command string) error {
	if cfg, err := d.Config(); err == nil && cfg.IsSandbox() {
		return nil
	}
	t, err := d.terminal("run " + command)
	if err != nil {
		return err
	}
	return t.Close()
}

// needTerminal asks the person at the terminal to agree to act, after it has shown
// the facts, a line each. Nothing but the word yes, typed there, is agreement: no
// flag, variable or pipe. The sandbox profile has nothing to guard and asks nobody.
func (d *Deps) needTerminal(ctx context.Context, act string, facts ...string) error {
	if cfg, err := d.Config(); err == nil && cfg.IsSandbox() {
		return nil
	}
	typed, err := d.ask(ctx, act, facts, "ape-claw: "+act+"? Type yes: ")
	if err != nil {
		return err
	}
	if strings.TrimSpace(typed) != "yes" {
		return notAgreed()
	}
	return nil
}

func notAgreed() *fault.Error {
	return fault.New(fault.ApprovalRequired, "not agreed: nothing was changed").WithSent(fault.SentNo)
}

// ask shows the facts and a question at the terminal, for act, and returns the line
// that is typed there.
func (d *Deps) ask(ctx context.Context, act string, facts []string, question string) (string, error) {
	return d.atTerminal(ctx, act, facts, question, Terminal.ReadLine)
}

// askSecret reads a secret from the terminal without echo.
func (d *Deps) askSecret(ctx context.Context, what string) (string, error) {
	return d.atTerminal(ctx, "type the "+what, nil, what+": ", Terminal.ReadSecret)
}

func (d *Deps) atTerminal(ctx context.Context, act string, facts []string, question string, read func(t Terminal, ctx context.Context, question string) (string, error)) (string, error) {
	t, err := d.terminal(act)
	if err != nil {
		return "", err
	}
	defer t.Close() //nolint:errcheck // nothing was written that could be lost
	var b strings.Builder
	for _, f := range facts {
		b.WriteString(shownFact(d.redactor().String(f)) + "\n")
	}
	if _, err := io.WriteString(t, b.String()); err != nil {
		return "", fault.Wrap(err, fault.ApprovalRequired, "the terminal can't be written to").WithSent(fault.SentNo)
	}
	line, err := read(t, ctx, shownFact(question))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, io.EOF):
		_, _ = fmt.Fprintln(t) // the answer that was not typed ended no line
		return "", notAgreed()
	case err != nil:
		return "", fault.Wrap(err, fault.ApprovalRequired, "the terminal can't be read").WithSent(fault.SentNo)
	}
	return line, nil
}

// longestFact keeps a name from outside from pushing what matters off the screen.
const longestFact = 400

// shownFact is a line for the terminal. What a person decides by must be what it
// looks like: whatever does not print as itself, steers the cursor or turns the
// direction of text around shows as a mark.
func shownFact(s string) string {
	s = strings.Map(func(r rune) rune {
		if ai.Unseen(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
	if r := []rune(s); len(r) > longestFact {
		return string(r[:longestFact]) + "…"
	}
	return s
}
