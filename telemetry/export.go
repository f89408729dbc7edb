package telemetry

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Selection chooses events as a Filter does, and by session and time.
type Selection struct {
	Filter  Filter
	Session string
	// Since is the first moment of the events wanted, Until the first one after
	// them; zero is open.
	Since, Until time.Time
}

// Match reports whether the line's envelope fits s. A line whose time can't be
// read is in no period.
func (s Selection) Match(line []byte) bool {
	if !s.Filter.Match(line) {
		return false
	}
	timed := !s.Since.IsZero() || !s.Until.IsZero()
	if s.Session == "" && !timed {
		return true
	}
	if s.Session != "" && stringOf(valueOf(line, "sessionId")) != s.Session {
		return false
	}
	if !timed {
		return true
	}
	at, ok := TimeOf(line)
	return ok && !at.Before(s.Since) && (s.Until.IsZero() || at.Before(s.Until))
}

// TimeOf returns the time of a line of the log, by its ts: RFC 3339, or unix time as
// others write it.
func TimeOf(line []byte) (time.Time, bool) { return timeOf(valueOf(line, "ts")) }

// ParseTime reads a moment as the ts of an event may say it: RFC 3339, or a number of
// seconds since 1970, or milliseconds where only they make sense.
func ParseTime(s string) (time.Time, bool) {
	if s != "" && strings.Trim(s, "0123456789.") == "" {
		return timeOf([]byte(s))
	}
	t, err := time.Parse(time.RFC3339, s)
	return t, err == nil && inRange(t)
}

// valueOf returns the value of a member of the object line, nil when it has none.
func valueOf(line []byte, name string) (value []byte) {
	eachMember(line, func(key, v []byte) {
		if string(key) == name {
			value = v
		}
	})
	return value
}

// eachMember calls fn for the members of the object line, in their order. As for
// every JSON reader, the last of equal names counts.
func eachMember(line []byte, fn func(key, value []byte)) {
	i := skipSpace(line, 0)
	if i == len(line) || line[i] != '{' {
		return
	}
	skipMembers(line, i, 1, func(key, keyEnd, val, valEnd int) {
		fn(unquote(line[key:keyEnd]), line[val:valEnd])
	})
}

// maxUnix is the first second of the year 10000, which no envelope can name.
const maxUnix = 253402300800

// minMillis is the number from which a numeric time can't be meant as seconds: it
// would be in the year 5138. JavaScript's clock has milliseconds.
const minMillis = 100_000_000_000

// timeOf reads a ts: RFC 3339, or a number of seconds since 1970, or milliseconds
// where only they make sense.
func timeOf(value []byte) (time.Time, bool) {
	if len(value) == 0 {
		return time.Time{}, false
	}
	if value[0] == '"' {
		t, err := time.Parse(time.RFC3339, stringOf(value))
		return t, err == nil && inRange(t)
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil || n < 0 {
		return time.Time{}, false
	}
	if n < minMillis {
		n *= 1000
	}
	if n >= maxUnix*1000 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(n + 0.5)), true
}

func inRange(t time.Time) bool { return t.Year() >= 0 && t.Unix() < maxUnix }

// exportChunk is how many bytes of lines an export holds at once, but for a line that
// is longer.
const exportChunk = 256 << 10

// ExportOptions says what of a log to export.
type ExportOptions struct {
	After    Cursor // the zero Cursor: from the oldest event
	Match    func(line []byte) bool
	Redactor *Redactor
	// Progress, when set, is told how many bytes of how many were looked at.
	Progress func(done, total int64)
}

// ExportResult is how an export ended.
type ExportResult struct {
	Count  int64  // events
	Cursor Cursor // a later export goes on there
}

// Export calls put for every event that matches, oldest first, as it stands in the
// log (and redacted, as for every reader), up to the end that the log has now:
// writers who are faster do not make it endless. It holds a small part at a time. A
// cursor that can't be served is a *ResetError; a log that is cut or trimmed past
// the reader is a Conflict, since events would be missing.
func (l *Log) Export(ctx context.Context, opt ExportOptions, put func(line []byte) error) (ExportResult, error) {
	end, err := l.End(ctx)
	if err != nil {
		return ExportResult{}, err
	}
	oldest, err := l.Oldest(ctx)
	if err != nil {
		return ExportResult{}, err
	}
	if oldest.Log != end.Log {
		return ExportResult{}, cutWhileRead(nil)
	}
	at := opt.After
	if at.IsZero() {
		at = oldest
	}
	from := at
	res := ExportResult{Cursor: at}
	for at.Log == "" || at.Pos < end.Pos || at == opt.After {
		lines, next, err := l.ReadAfter(ctx, at, 0, exportChunk)
		var reset *ResetError
		if errors.As(err, &reset) && at != opt.After {
			return res, cutWhileRead(err)
		}
		if err != nil {
			return res, err
		}
		for _, line := range lines {
			if line.At.Pos > end.Pos {
				break
			}
			if opt.Match != nil && !opt.Match(line.Data) {
				continue
			}
			if err := put(opt.Redactor.Foreign(line.Data)); err != nil {
				return res, err
			}
			res.Count++
		}
		if opt.Progress != nil {
			opt.Progress(min(next.Pos, end.Pos)-from.Pos, end.Pos-from.Pos)
		}
		if next == at {
			break
		}
		at = next
	}
	if at.Pos > end.Pos {
		at.Pos = end.Pos
	}
	res.Cursor = at
	return res, nil
}

func cutWhileRead(err error) error {
	return fault.Wrap(err, fault.Conflict, "the event log was cut or replaced while it was read").Hintf("run the command again")
}
