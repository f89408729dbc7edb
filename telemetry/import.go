package telemetry

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// importLockName is the lock that imports of one log hold: two at once would each
// find that the other's lines are not there yet.
const importLockName = "import.lock"

const (
	// maxImportLine is the longest line that is read of another log: its payload is
	// cut to fit a line of ours.
	maxImportLine = 16 << 20
	// importSync is how many lines may be lost in a power cut, and be imported again.
	importSync = 1000
	// maxProblems and maxUnknown bound what a result lists.
	maxProblems, maxUnknown = 20, 50
)

// ImportOptions says how to import.
type ImportOptions struct {
	// Strict refuses all of it when a line can't be imported.
	Strict bool
	// DryRun appends nothing.
	DryRun   bool
	Redactor *Redactor
	// Begin, when set, appends an event before the first imported one if there is no
	// log yet. A log is named by its first line: two that began with the lines of one
	// file would be taken for each other.
	Begin func(ctx context.Context) error
	// Progress, when set, is told how many bytes of how many are done of a stage:
	// "check", "compare" or "import".
	Progress func(stage string, done, total int64)
}

// ImportResult is what an import did, or would do.
type ImportResult struct {
	Lines    int64 `json:"lines"`    // but blank ones
	Imported int64 `json:"imported"` // appended
	Known    int64 `json:"known"`    // in the log already
	Invalid  int64 `json:"invalid"`  // left out
	Redacted int64 `json:"redacted"` // appended, with something taken out or cut
	// UnknownTypes counts events whose type the catalogue does not have; Types lists
	// some of their types.
	UnknownTypes int64            `json:"unknownTypes"`
	Types        map[string]int64 `json:"types,omitempty"`
	// Filled counts the fields that were missing.
	Filled map[string]int64 `json:"filled,omitempty"`
	// Reasons counts the invalid lines by their problem's code; Problems lists the first.
	Reasons  map[string]int64 `json:"reasons,omitempty"`
	Problems []ImportProblem  `json:"problems,omitempty"`
}

// Import appends the events of another log, the first size bytes of src, in their
// order. What is in this log already is not appended again: a line is known by its
// eventId, and one that has none by its content, of which its eventId here is made.
// So the mark and the event are one write, and an import that was killed at any point
// goes on where it stopped; so does one of a file that has grown. Equal lines of src
// stay as many as they are.
//
// It reads src twice, and this log once; it keeps some fifty bytes a line of src.
func (l *Log) Import(ctx context.Context, src io.ReaderAt, size int64, opt ImportOptions) (res ImportResult, err error) {
	im := importer{l: l, src: src, size: size, opt: opt, seen: map[lineKey]*seenLine{}}
	if err := im.check(ctx); err != nil {
		return im.res, err
	}
	if n := im.res.Invalid; opt.Strict && n > 0 {
		first := im.res.Problems[0]
		return im.res, fault.New(fault.Usage, "not every line is an event (%d); line %d: %s", n, first.Line, first.Reason).
			Hintf("nothing was imported; without --strict such lines are left out").With("invalid", n).With("problems", im.res.Problems)
	}
	if !opt.DryRun {
		lock, ok, err := store.TryLock(filepath.Join(l.dir, importLockName))
		if err != nil {
			return im.res, err
		}
		if !ok {
			return im.res, fault.New(fault.Conflict, "another import into this log is under way").Hintf("wait for it to end")
		}
		defer func() { _ = lock.Unlock() }() // the file's end is the lock's
	}
	if err := im.compare(ctx); err != nil {
		return im.res, err
	}
	if err := im.begin(ctx); err != nil {
		return im.res, err
	}
	start, err := im.l.End(ctx)
	if err != nil {
		return im.res, err
	}
	if err := im.run(ctx); err != nil || im.res.Imported == 0 || opt.DryRun {
		return im.res, err
	}
	return im.res, im.l.syncSegments(ctx, start)
}

// syncSegments makes what was appended after the cursor durable, but for the active
// file: the next durable append is about that one alone.
func (l *Log) syncSegments(ctx context.Context, after Cursor) error {
	v, err := l.look(ctx)
	if err != nil || !v.exists() {
		return err
	}
	defer v.release()
	for _, s := range v.segs {
		if after.Log == v.log && s.End <= after.Pos {
			continue
		}
		f, err := store.OpenToRead(filepath.Join(l.dir, s.Name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since: keepBytes is small
		}
		if err == nil {
			err = errors.Join(l.sys.sync(f), f.Close())
		}
		if err != nil {
			return fault.Wrap(err, fault.NotDurable, "the events are in the log but could not be synced to disk: %s", reasonOf(err)).
				Hintf("check the disk, and keep the file that was imported")
		}
	}
	return nil
}

// begin lets the caller write the first line of a log.
func (im *importer) begin(ctx context.Context) error {
	if im.opt.DryRun || im.opt.Begin == nil || im.res.Invalid == im.res.Lines {
		return nil
	}
	end, err := im.l.End(ctx)
	if err != nil || !end.IsZero() {
		return err
	}
	return im.opt.Begin(ctx)
}

// importer is one import.
type importer struct {
	l    *Log
	src  io.ReaderAt
	size int64
	opt  ImportOptions
	seen map[lineKey]*seenLine
	res  ImportResult
}

// seenLine counts equal lines: in this log before, and in the source up to here.
type seenLine struct{ known, taken uint32 }

// check reads all of the source: what is in it, and what is wrong with it.
func (im *importer) check(ctx context.Context) error {
	return im.each(ctx, "check", func(n int64, raw []byte, m *importLine, p *ImportProblem) error {
		im.res.Lines++
		if p == nil && im.opt.Strict {
			_, _, p = m.encode(im.opt.Redactor, importedID(lineKey{}, 1))
		}
		if p != nil {
			im.invalid(n, p)
			return nil
		}
		if key, _ := keyOf(raw); im.seen[key] == nil {
			im.seen[key] = &seenLine{}
		}
		return nil
	})
}

func (im *importer) invalid(n int64, p *ImportProblem) {
	p.Line = n
	im.res.Invalid++
	count(&im.res.Reasons, p.Code)
	if len(im.res.Problems) < maxProblems {
		im.res.Problems = append(im.res.Problems, *p)
	}
}

func count(m *map[string]int64, key string) {
	if *m == nil {
		*m = map[string]int64{}
	}
	(*m)[key]++
}

// compare finds the source's lines in this log.
func (im *importer) compare(ctx context.Context) error {
	opt := ExportOptions{}
	if im.opt.Progress != nil {
		opt.Progress = func(done, total int64) { im.opt.Progress("compare", done, total) }
	}
	_, err := im.l.Export(ctx, opt, func(line []byte) error {
		key, _ := keyOf(line)
		if s := im.seen[key]; s != nil {
			s.known++
		}
		return nil
	})
	return err
}

// run appends what is not known.
func (im *importer) run(ctx context.Context) error {
	return im.each(ctx, "import", func(n int64, raw []byte, m *importLine, p *ImportProblem) error {
		if p != nil {
			return nil // counted by check
		}
		key, own := keyOf(raw)
		s := im.seen[key]
		if s == nil {
			return fault.New(fault.Conflict, "the file was changed while it was imported: line %d", n).Hintf("run the command again")
		}
		s.taken++
		if s.taken <= s.known || own && s.taken+s.known > 1 {
			im.res.Known++
			return nil
		}
		line, redacted, p := m.encode(im.opt.Redactor, importedID(key, s.taken))
		if p != nil {
			im.invalid(n, p)
			return nil
		}
		if !im.opt.DryRun {
			if _, err := im.l.Append(ctx, line, im.res.Imported%importSync == importSync-1); err != nil {
				return err
			}
		}
		im.imported(m, redacted)
		return nil
	})
}

func (im *importer) imported(m *importLine, redacted bool) {
	im.res.Imported++
	if redacted {
		im.res.Redacted++
	}
	for _, name := range m.filled {
		count(&im.res.Filled, name)
	}
	if _, known := find(m.draft.Type); !known {
		im.res.UnknownTypes++
		if im.res.Types[m.draft.Type] > 0 || len(im.res.Types) < maxUnknown {
			count(&im.res.Types, m.draft.Type)
		}
	}
}

// each calls fn for every line of the source that is not blank, with its number.
func (im *importer) each(ctx context.Context, stage string, fn func(n int64, raw []byte, m *importLine, p *ImportProblem) error) error {
	r := importReader{r: bufio.NewReaderSize(io.NewSectionReader(im.src, 0, im.size), 256<<10)}
	var before time.Time
	for n := int64(1); ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		raw, whole, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fault.Wrap(err, fault.StateUnusable, "the file can't be read on at line %d", n)
		}
		if n == 1 {
			raw = bytes.TrimPrefix(raw, []byte("\ufeff")) // some editors' mark of UTF-8
		}
		if im.opt.Progress != nil {
			im.opt.Progress(stage, r.read, im.size)
		}
		var m *importLine
		var p *ImportProblem
		switch {
		case raw == nil:
			p = problem(tooLongCode, "it is longer than 16 MiB")
		case skipSpace(raw, 0) == len(raw):
			continue
		default:
			if m, p = readImport(raw, before); p != nil && p.Code == notJSONLineCode && !whole {
				p = problem(tornCode, "the file ends in the middle of it")
			}
		}
		if m != nil {
			before = m.at
		}
		if err := fn(n, raw, m, p); err != nil {
			return err
		}
	}
}

// importReader reads lines of any length.
type importReader struct {
	r    *bufio.Reader
	buf  []byte
	read int64
}

// next returns a line without its newline, nil for one that is too long. whole says
// that the newline was there. The bytes are good until the next call.
func (r *importReader) next() (line []byte, whole bool, err error) {
	r.buf = r.buf[:0]
	long := false
	for {
		part, err := r.r.ReadSlice('\n')
		r.read += int64(len(part))
		if long = long || len(r.buf)+len(part) > maxImportLine; !long {
			r.buf = append(r.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(r.buf) == 0 && !long, err != nil && err != io.EOF:
			return nil, false, err
		case long:
			return nil, err == nil, nil
		}
		return bytes.TrimSuffix(r.buf, []byte{'\n'}), err == nil, nil
	}
}
