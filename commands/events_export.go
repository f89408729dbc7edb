package commands

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// EventsExportIn says which events to write, how and where.
type EventsExportIn struct {
	Format string `json:"format" enum:"jsonl,csv" default:"jsonl" help:"lines as they stand in the log, or a table for spreadsheets"`
	Out    string `json:"out" default:"-" complete:"files" help:"the new file, or - for standard output"`
	Force  bool   `json:"force" help:"replace the file if it exists"`
	EventsSelectIn
	After string `json:"after" help:"only events after this cursor, such as the one that the last export ended with"`
}

// stdoutName stands for a standard stream where a file's name is expected.
const stdoutName = "-"

const formatCSV = "csv" // the other format is the log's own

// EventsExportOut says what was written.
type EventsExportOut struct {
	OK     bool   `json:"ok"`
	File   string `json:"file"`
	Format string `json:"format"`
	Count  int64  `json:"count"`
	Bytes  int64  `json:"bytes"`
	Cursor string `json:"cursor"` // --after it exports what comes later
	Bad    int64  `json:"badLines,omitempty"`
}

// shown: the events are all that belongs on standard output.
func (o EventsExportOut) shown() bool { return o.File == stdoutName }

func newEventsExport() Command {
	return define(Spec{Name: "events export", Short: "Write the log, or part of it, to a file", Quiet: true,
		Long: `Write events to a file or to standard output, oldest first, over all segments: as they
stand in the log (jsonl, which "events import" reads again), or as CSV with the columns
` + "`v, ts, eventType, agentId, sessionId, traceId, command, dryRun, chainId, payload, result,\nok, error, source, eventId`" + `. In CSV, payload and result are JSON text, and a text, or a
part of one, that a spreadsheet would run as a formula (it begins with = + - @, a tab or
a line break) gets an apostrophe in front.

The file appears when it is whole, mode 0600; an interrupt leaves none. A file that
exists is kept unless --force is given, and nothing is written through a link. Memory
stays flat however large the log is; on a terminal, stderr shows how far it is.`,
		Example: `  ape-claw events export --out events.jsonl
  ape-claw events export --format csv --type 'nft.buy.*' --since 30d --out buys.csv
  ape-claw events export --ok false | jq .error`,
		Risk: RiskWrite, Permission: "events:export", AI: Exposure{Class: AINever}},
		eventsExport,
		func(p *Printer, out EventsExportOut) {
			p.Line("Wrote %s (%s) to %s.", counted(out.Count, "event"), showBytes(out.Bytes), clean(out.File))
			p.Line("  later ones: --after %s", out.Cursor)
		})
}

func eventsExport(ctx context.Context, d *Deps, in EventsExportIn) (EventsExportOut, error) {
	out := EventsExportOut{OK: true, File: in.Out, Format: in.Format}
	sel, err := in.selection(d.host.Now())
	if err != nil {
		return out, err
	}
	after, err := parseAfter(in.After)
	if err != nil {
		return out, err
	}
	if d.wantJSON && in.Out == stdoutName {
		return out, fault.New(fault.Usage, "with --json standard output holds one document: the events need a file").
			Hintf("--out events.%s, or leave --json out", in.Format)
	}
	cfg, err := d.Config()
	if err != nil {
		return out, err
	}
	log, err := d.log()
	if err != nil {
		return out, err
	}
	d.remoteOnlyNotice()
	e := exporter{d: d, log: log, progress: d.newProgress(in.Out == stdoutName),
		opt: telemetry.ExportOptions{After: after, Match: sel.Match, Redactor: d.redactor()}}
	e.opt.Progress = func(done, total int64) { e.progress.at("export", done, total) }
	if in.Out == stdoutName {
		out.Count, out.Bytes, out.Cursor, err = e.to(ctx, d.host.Stdout, in.Format)
		if bad := log.Stats().Bad.Total(); err == nil && bad > 0 {
			d.warn("left out of the export: %s of the log that can't be read as events", counted(bad, "line"))
		}
		return out, quiet(err)
	}
	f, err := newOutFile(in.Out, cfg.StateDir, in.Force)
	if err != nil {
		return out, err
	}
	out.File = store.Display(in.Out)
	out.Count, out.Bytes, out.Cursor, err = e.to(ctx, f, in.Format)
	out.Bad = log.Stats().Bad.Total()
	switch {
	case ctx.Err() != nil:
		return out, errors.Join(fault.Wrap(ctx.Err(), fault.Canceled, "interrupted: %s was not written", out.File), f.abort())
	case err != nil:
		var own *fault.Error
		if !errors.As(err, &own) {
			err = f.fault(err)
		}
		return out, errors.Join(err, f.abort())
	}
	return out, f.commit()
}

// exporter writes events in a format.
type exporter struct {
	d        *Deps
	log      *telemetry.Log
	opt      telemetry.ExportOptions
	progress *progress
}

// to writes to w, and says how many events and bytes, and where it ended.
func (e *exporter) to(ctx context.Context, w io.Writer, format string) (events, bytes int64, cursor string, err error) {
	defer e.progress.end()
	counted := &countingWriter{w: w}
	buf := bufio.NewWriterSize(counted, 256<<10)
	put := func(line []byte) error {
		if _, err := buf.Write(line); err != nil {
			return err
		}
		return buf.WriteByte('\n')
	}
	finish := buf.Flush
	if format == formatCSV {
		table := telemetry.NewCSVWriter(buf)
		if err := table.Header(); err != nil {
			return 0, 0, "", err
		}
		put = table.Write
		finish = func() error { return errors.Join(table.Flush(), buf.Flush()) }
	}
	res, err := e.log.Export(ctx, e.opt, put)
	if err == nil {
		err = finish()
	}
	return res.Count, counted.n, res.Cursor.String(), resetFault(err)
}

// countingWriter counts what passes.
type countingWriter struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
