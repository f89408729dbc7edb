package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// EventsImportIn names the file.
type EventsImportIn struct {
	File   string `json:"file" arg:"file" required:"true" complete:"files" help:"an events.jsonl, or - for standard input"`
	Strict bool   `json:"strict" help:"import nothing when a line is no event"`
	DryRun bool   `json:"dryRun" help:"say what would happen; write nothing"`
}

// EventsImportOut says what was imported.
type EventsImportOut struct {
	OK     bool   `json:"ok"`
	File   string `json:"file"`
	DryRun bool   `json:"dryRun"`
	telemetry.ImportResult
}

func newEventsImport() Command {
	return define(Spec{Name: "events import", Short: "Append the events of another log to this one",
		Long: `Append the events of another events.jsonl to the log, in their order: of the original
program, of another machine, or what "events export" wrote. It can be repeated: events
that are in the log already are not appended again, also when an import was killed, or
when the file has grown since. Equal lines stay as many as they are.

What the published schema has a default for is filled in: agentId, sessionId, dryRun
(true), chainId (33139), v, and source ("import"). "data" is read as payload, a number as
unix time; an event without ts gets that of the line before it. Secrets are redacted.
Lines that are no events are reported and left out, or with --strict stop it before
anything is written. Types that the catalogue does not have are imported and counted.

Imported events stand behind those that are in the log, with the times they had.`,
		Example: `  ape-claw events import ../old/state/events.jsonl --dry-run
  ape-claw events import ../old/state/events.jsonl --strict
  ssh host ape-claw events export | ape-claw events import -`,
		Events: []string{"events.import.started", "events.imported"}, Offline: true, Late: true, Risk: RiskWrite, Permission: "events:import", AI: Exposure{Class: AINever}},
		eventsImport,
		printImport)
}

func eventsImport(ctx context.Context, d *Deps, in EventsImportIn) (EventsImportOut, error) {
	out := EventsImportOut{OK: true, File: stdoutName, DryRun: in.DryRun}
	if in.File != stdoutName {
		out.File = store.Display(in.File)
	}
	f, size, err := d.importFile(ctx, in.File)
	if err != nil {
		return out, err
	}
	defer func() { _ = f.Close() }() // only read: nothing to lose
	log, err := d.log()
	if err != nil {
		return out, err
	}
	bar, stage := d.newProgress(false), ""
	defer bar.end()
	out.ImportResult, err = log.Import(ctx, f, size, telemetry.ImportOptions{
		Strict: in.Strict, DryRun: in.DryRun, Redactor: d.redactor(),
		Begin: func(ctx context.Context) error {
			return d.Record(ctx, telemetry.Draft{Type: "events.import.started", Payload: map[string]any{"file": out.File}})
		},
		Progress: func(s string, done, total int64) {
			if s != stage {
				stage = s
				bar.again()
			}
			bar.at(s, done, total)
		},
	})
	bar.end()
	if err != nil {
		return out, importFault(err, out)
	}
	if out.Invalid > 0 && out.Invalid == out.Lines {
		first := out.Problems[0]
		return out, fault.New(fault.Usage, "%s holds no events: line %d: %s", out.File, first.Line, first.Reason).
			Hintf("an events.jsonl has one JSON object a line").With("invalid", out.Invalid).With("problems", out.Problems)
	}
	if in.DryRun {
		return out, nil // nothing at all is written
	}
	// Durable, and with it what stands before it in the file: whoever has imported may
	// delete the source.
	return out, d.Record(ctx, telemetry.Draft{Type: "events.imported", Money: true, Payload: map[string]any{"file": out.File},
		Result: map[string]any{"imported": out.Imported, "known": out.Known, "invalid": out.Invalid, "lines": out.Lines,
			"unknownTypes": out.UnknownTypes, "redacted": out.Redacted}})
}

// importFault says how far it came, and that it can go on.
func importFault(err error, out EventsImportOut) error {
	var own *fault.Error
	switch {
	case errors.Is(err, context.Canceled):
		return fault.Wrap(err, fault.Canceled, "interrupted after %s", counted(out.Imported, "event")).
			Hintf("run it again: it goes on where it stopped").With("imported", out.Imported)
	case errors.As(err, &own) && out.Imported > 0:
		return own.With("imported", out.Imported)
	}
	return err
}

// importFile opens what is to be imported. What can't be read twice is copied first,
// into a file without a name.
func (d *Deps) importFile(ctx context.Context, name string) (*os.File, int64, error) {
	if name == stdoutName {
		return spool(ctx, d.host.Stdin)
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fault.Wrap(err, fault.NotFound, "%s does not exist", store.Display(name)).
			Hintf("name an events.jsonl that is there, or - for standard input")
	}
	if err != nil {
		return nil, 0, fault.Wrap(err, fault.Usage, "%s can't be read", store.Display(name)).Hintf("check its owner and mode")
	}
	fi, err := f.Stat()
	switch {
	case err == nil && fi.IsDir():
		err = fault.New(fault.Usage, "%s is a directory", store.Display(name)).Hintf("name the file in it: events.jsonl")
	case err == nil && fi.Mode().IsRegular():
		return f, fi.Size(), nil
	case err == nil:
		defer func() { _ = f.Close() }() // only read: nothing to lose
		return spool(ctx, f)
	}
	return nil, 0, errors.Join(err, f.Close())
}

// spool copies r to a temporary file that has no name any more. Whoever types at a
// terminal can interrupt: the read is left behind then.
func spool(ctx context.Context, r io.Reader) (*os.File, int64, error) {
	f, err := os.CreateTemp("", "ape-claw-*")
	if err == nil {
		err = os.Remove(f.Name())
	}
	if err != nil {
		return nil, 0, fault.Wrap(err, fault.StateUnusable, "no temporary file can be made for standard input").
			Hintf("name a file, or point TMPDIR to a directory with space")
	}
	type copied struct {
		n   int64
		err error
	}
	done := make(chan copied, 1)
	go func() {
		n, err := io.Copy(f, r)
		done <- copied{n, err}
	}()
	select {
	case <-ctx.Done():
		return nil, 0, fault.Wrap(ctx.Err(), fault.Canceled, "interrupted: nothing was imported").
			Hintf("run it again, or give it a file")
	case c := <-done:
		if c.err != nil {
			return nil, 0, errors.Join(fault.Wrap(c.err, fault.StateUnusable, "standard input can't be read, or the temporary directory is full").
				Hintf("name a file, or point TMPDIR to a directory with space"), f.Close())
		}
		return f, c.n, nil
	}
}

// shownProblems is how many a person is shown; the document has more.
const shownProblems = 5

func printImport(p *Printer, out EventsImportOut) {
	done, skipped := "Imported", "Left out"
	if out.DryRun {
		done, skipped = "Would import", "Would leave out"
	}
	p.Line("%s %d of %s from %s.", done, out.Imported, counted(out.Lines-out.Invalid, "event"), clean(out.File))
	p.KV("in the log already", someOf(out.Known), "redacted or cut", someOf(out.Redacted),
		"filled in", tally(out.Filled), "unknown types", tally(out.Types))
	if out.Invalid == 0 {
		return
	}
	p.Line("%s %s, no event:", skipped, counted(out.Invalid, "line"))
	for _, bad := range out.Problems[:min(len(out.Problems), shownProblems)] {
		p.Line("  line %d: %s", bad.Line, clean(bad.Reason))
	}
	if out.Invalid > shownProblems {
		p.Line("  … %s", tally(out.Reasons))
	}
}

func someOf(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// tally lists counts by name: "chainId 3, ts 1".
func tally(counts map[string]int64) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(out, ", ")
}
