package torture_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var hashSeed = maphash.MakeSeed()

func hashOf(b []byte) uint64 { return maphash.Bytes(hashSeed, b) }

// entry is a good line of the log.
type entry struct {
	data []byte
	hash uint64
	end  int64 // position after it
}

// truth is the log as its files have it.
type truth struct {
	log    string
	oldest int64
	end    int64
	lines  []entry
	bad    int
	raw    [][]byte // every line of every file, good or bad, carried over or not
	byHash map[uint64]int
	files  int
}

// metaFile is events.meta.
type metaFile struct {
	Log      string `json:"log"`
	Base     int64  `json:"base"`
	Segments []struct {
		Name       string `json:"name"`
		First, End int64
	} `json:"segments"`
}

func readMetaFile(dir string) (metaFile, error) {
	var m metaFile
	b, err := os.ReadFile(filepath.Join(dir, "events.meta"))
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(b, &m)
}

// readTruth reads the files of a log. Where somebody changes them meanwhile, it
// tries again.
func readTruth(t testing.TB, dir string) *truth {
	t.Helper()
	var tr *truth
	var err error
	until(t, func() string { return "a log whose files agree: " + err.Error() }, func() bool {
		tr, err = tryTruth(dir)
		return err == nil
	})
	return tr
}

func tryTruth(dir string) (*truth, error) {
	m, err := readMetaFile(dir)
	if err != nil {
		return nil, err
	}
	tr := &truth{log: m.Log, oldest: m.Base, byHash: map[uint64]int{}, files: 1 + len(m.Segments)}
	at := m.Base
	if len(m.Segments) > 0 {
		at = m.Segments[0].First
		tr.oldest = at
	}
	for _, s := range m.Segments {
		b, err := os.ReadFile(filepath.Join(dir, s.Name))
		if err != nil {
			return nil, err
		}
		if s.First != at || s.End-s.First > int64(len(b)) || s.Name != fmt.Sprintf("events-%d.jsonl", s.First) {
			return nil, fmt.Errorf("segment %+v has %d bytes, and the one before it ends at %d", s, len(b), at)
		}
		tr.add(b[:s.End-s.First], s.First)
		tr.raw = append(tr.raw, bytes.Split(b[s.End-s.First:], []byte("\n"))...)
		at = s.End
	}
	if at != m.Base {
		return nil, fmt.Errorf("the active file begins at %d, and the last segment ends at %d", m.Base, at)
	}
	b, err := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	tr.add(b, m.Base)
	tr.end = m.Base + int64(len(b))
	again, err := readMetaFile(dir)
	if err == nil && !reflect.DeepEqual(m, again) {
		err = errors.New("events.meta changes")
	}
	return tr, err
}

// add takes the bytes of one file, which begins at a position of the log.
func (tr *truth) add(b []byte, first int64) {
	at := first
	for len(b) > 0 {
		line, rest, ended := bytes.Cut(b, []byte("\n"))
		at += int64(len(b) - len(rest))
		b = rest
		tr.raw = append(tr.raw, line)
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case !ended || !isGood(line):
			tr.bad++
		default:
			h := hashOf(line)
			tr.byHash[h] = len(tr.lines)
			tr.lines = append(tr.lines, entry{line, h, at})
		}
	}
}

func isGood(line []byte) bool {
	return len(line) < 1<<20 && utf8.Valid(line) && bytes.IndexByte(line, 0) < 0 &&
		bytes.TrimLeft(line, " \t\r")[0] == '{' && json.Valid(line)
}

// name says which line that is.
func (tr *truth) name(r rec) string {
	i, ok := tr.byHash[r.hash]
	if !ok {
		return fmt.Sprintf("%d bytes at %d that are no line of the log", r.size, r.pos)
	}
	name := "a line without a name"
	if id, ok := idOf(tr.lines[i].data); ok {
		name = id.String()
	}
	return fmt.Sprintf("%s, line %d of the log, which ends at %d; its id said %d", name, i, tr.lines[i].end, r.pos)
}

// checkAll compares clients that followed from the start with the whole log, which
// was never cut. The first that differ tell their stories.
func (tr *truth) checkAll(t testing.TB, clients []*follower) {
	t.Helper()
	wrong := 0
	for _, f := range clients {
		what := tr.compare(f, tr.lines)
		if n := len(f.resetsSeen()); n > 0 && what == "" {
			what = fmt.Sprintf("%d resets; the log was never cut", n)
		}
		if what == "" {
			continue
		}
		if wrong++; wrong <= 2 {
			t.Errorf("%s: %s\n%s", f.name, what, f.where())
		}
	}
	if wrong > 2 {
		t.Errorf("%d of %d clients are wrong", wrong, len(clients))
	}
}

// check compares what a client got with lines of the log.
func (tr *truth) check(t testing.TB, f *follower, want []entry) {
	t.Helper()
	if what := tr.compare(f, want); what != "" {
		t.Errorf("%s: %s\n%s", f.name, what, f.where())
	}
}

// compare tells the first difference.
func (tr *truth) compare(f *follower, want []entry) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.problem != nil {
		return f.problem.Error()
	}
	for i := range max(len(want), len(f.got)) {
		switch {
		case i == len(want):
			return fmt.Sprintf("got %d events, of %d; the first beyond is %s", len(f.got), len(want), tr.name(f.got[i]))
		case i == len(f.got):
			return fmt.Sprintf("got %d events of %d; the next should be %s", len(f.got), len(want), tr.name(recOf(want[i])))
		case f.got[i].hash != want[i].hash || f.got[i].pos != want[i].end || f.logs[f.got[i].log] != tr.log:
			again := ""
			if k := slices.IndexFunc(f.got[:i], func(r rec) bool { return r.hash == f.got[i].hash }); k >= 0 {
				again = fmt.Sprintf(" (which it also got as event %d)", k)
			}
			return fmt.Sprintf("event %d of log %s is %s%s; of log %s it should be %s", i, f.logs[f.got[i].log], tr.name(f.got[i]), again,
				tr.log, tr.name(recOf(want[i])))
		}
	}
	return ""
}

func recOf(e entry) rec { return rec{hash: e.hash, pos: e.end, size: int32(len(e.data))} }

// checkWritten compares the log with what its writers were told: each acknowledged
// line is there once, byte for byte and where it was said to be, a failed one at
// most once, and nothing else is there. A line of a writer that takes no lock may be
// lost to another such writer that was in the middle of a line: then it is seen there.
func (tr *truth) checkWritten(t testing.TB, writers []*writer, more ...id) {
	t.Helper()
	count := make(map[id]int, len(tr.lines))
	where := make(map[id]int64, len(tr.lines))
	for i, e := range tr.lines {
		name, ok := idOf(e.data)
		if !ok {
			t.Errorf("line %d, which ends at %d, is nobody's: %s", i, e.end, clip(e.data))
			return
		}
		count[name]++
		where[name] = e.end
	}
	// Two that write halves can make a line of one's first and the other's second.
	sizes, halves := map[int]int{}, false
	for _, w := range writers {
		if w.part.How == byHalves {
			halves = true
		} else {
			sizes[w.part.Writer] = w.part.Size
		}
	}
	for _, e := range tr.lines {
		name, _ := idOf(e.data)
		if size, ok := sizes[name.writer]; ok && !bytes.Equal(e.data, lineOf(name, size)) {
			t.Errorf("%s at %d was written as\n%s\nand is\n%s", name, e.end, lineOf(name, size), e.data)
			return
		}
	}
	for _, w := range writers {
		for _, o := range w.said() {
			n := count[o.id]
			switch {
			case n > 1 && w.part.How != byHalves:
				t.Errorf("%s, %s: %d times in the log", o.id, w.part.How, n)
			case o.failed != "" || w.part.How == byHalves:
			case n == 1 && w.part.How == byAppend && o.cursor != tr.log+"-"+strconv.FormatInt(where[o.id], 10):
				t.Errorf("%s was acknowledged at %s and is at %s-%d", o.id, o.cursor, tr.log, where[o.id])
			case n == 1:
			case w.part.How != byAppend && halves && tr.swallowed(lineOf(o.id, w.part.Size)):
			default:
				t.Errorf("%s, %s: acknowledged at %q and not in the log\n%s", o.id, w.part.How, o.cursor, tr.mentions(o.id))
			}
			if t.Failed() {
				return
			}
		}
	}
	for _, i := range more {
		if count[i] != 1 {
			t.Errorf("%s: %d times in the log", i, count[i])
		}
	}
}

// swallowed reports whether line became the end of another writer's unfinished one.
func (tr *truth) swallowed(line []byte) bool {
	return slices.ContainsFunc(tr.raw, func(raw []byte) bool {
		return len(raw) > len(line) && bytes.HasSuffix(raw, line) && !isGood(raw)
	})
}

// mentions shows where the files speak of a line.
func (tr *truth) mentions(i id) string {
	var out strings.Builder
	for k, raw := range tr.raw {
		if bytes.Contains(raw, []byte(`"`+i.String()+`"`)) {
			fmt.Fprintf(&out, "  raw line %d of %d: %s\n", k, len(tr.raw), raw)
		}
	}
	if out.Len() == 0 {
		return "  no file speaks of it"
	}
	return out.String()
}

// has reports whether the files hold every line that w was told is there.
func (tr *truth) has(w *writer) bool {
	for _, o := range w.said() {
		line := lineOf(o.id, w.part.Size)
		if _, ok := tr.byHash[hashOf(line)]; !ok && o.failed == "" && w.part.How != byHalves && !tr.swallowed(line) {
			return false
		}
	}
	return true
}
