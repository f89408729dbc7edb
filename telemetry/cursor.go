package telemetry

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// Cursor is a place in the log: after the byte Pos of all bytes ever appended
// to the log called Log, over all its segments. The zero Cursor stands before
// the first event of whatever log there is or will be.
type Cursor struct {
	Log string // short id: lower-case letters and digits
	Pos int64
}

// anyLog is the printed id of the zero Cursor's log. No real log is called so.
const anyLog = "0"

// maxLogID bounds the id of a log when a cursor is parsed.
const maxLogID = 32

// String returns "<log>-<position>", "0-0" for the zero Cursor.
func (c Cursor) String() string {
	log := c.Log
	if log == "" {
		log = anyLog
	}
	b := make([]byte, 0, len(log)+20)
	b = append(b, log...)
	b = append(b, '-')
	return string(strconv.AppendInt(b, c.Pos, 10))
}

// IsZero reports whether c is the zero Cursor.
func (c Cursor) IsZero() bool { return c == Cursor{} }

// ParseCursor reads what String prints, and nothing else: parse and print are
// each other's inverse. Anything else is a usage error.
func ParseCursor(s string) (Cursor, error) {
	log, num, found := strings.Cut(s, "-")
	if !found || log == "" || len(log) > maxLogID || !isLogID(log) {
		return Cursor{}, badCursor(s)
	}
	pos, err := strconv.ParseInt(num, 10, 64)
	if err != nil || pos < 0 || strconv.FormatInt(pos, 10) != num {
		return Cursor{}, badCursor(s)
	}
	if log == anyLog {
		if pos != 0 {
			return Cursor{}, badCursor(s)
		}
		return Cursor{}, nil
	}
	return Cursor{Log: log, Pos: pos}, nil
}

func isLogID(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func badCursor(s string) error {
	if len(s) > 64 {
		s = s[:64] + "…"
	}
	return fault.New(fault.Usage, "cursor %q is not <log>-<position>", s).
		Hintf("every answer says where it ended, and the stream names each event by its cursor; 0-0 is before the oldest event")
}

// Why a cursor can't be served.
const (
	ResetGone    = "gone"    // its bytes were removed; continue at the oldest
	ResetUnknown = "unknown" // it belongs to another log, or to no place in this one; continue live
)

// ResetError says that a read can't continue at the cursor From. Oldest is
// where the log starts now.
type ResetError struct {
	From, Oldest Cursor
	Reason       string // ResetGone or ResetUnknown
}

// Error describes the reset.
func (e *ResetError) Error() string {
	return fmt.Sprintf("cursor %s is %s: the log starts at %s", e.From, e.Reason, e.Oldest)
}
