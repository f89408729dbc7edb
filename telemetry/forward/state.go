package forward

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry"
)

// The files of an outbox, in the directory of its log.
const (
	stateName = "outbox.json"
	lockName  = "outbox.lock"
	deadName  = "outbox-dead.jsonl"
)

// Bounds of what is believed of outbox.json: its directory may be anybody's.
const (
	maxState = 1 << 20
	maxLanes = 256
	maxMarks = 16
)

// state is outbox.json. It is replaced atomically, by who holds outbox.lock.
type state struct {
	V int `json:"v"`
	// ID names the outbox to receivers, as the first half of every eventId. A
	// directory that was copied, and a log that was replaced, get another one: the
	// receiver keeps the highest position of each.
	ID   string `json:"outbox"`
	Lock inode  `json:"lock"`
	// Start is where the lane of an agent that was not seen yet begins.
	Start place  `json:"start"`
	Marks []mark `json:"marks,omitempty"` // of Start, when it was set
	// Keeper is the agent that events of nobody in particular go with.
	Keeper string           `json:"keeper,omitempty"`
	Lanes  map[string]*lane `json:"lanes"`
	Lost   int64            `json:"lostBytes,omitempty"`
	// Sent is what was sent in lanes that are forgotten.
	Sent int64 `json:"sent,omitempty"`
}

// lane is what is known of one agent's events.
type lane struct {
	Cursor place `json:"cursor"` // all before it was answered for
	Sent   int64 `json:"sent"`
	// Limit is how many events go into one request; 0 for as many as may.
	Limit int `json:"limit,omitempty"`
	// Refused is how many events in a row were refused, that a serve would have taken.
	Refused int `json:"refused,omitempty"`
	// Target tells the remote and the credentials that the pause is about from others.
	Target      string    `json:"target,omitempty"`
	Failures    int       `json:"failures"`
	OpenUntil   time.Time `json:"openUntil,omitzero"`
	LastStatus  int       `json:"lastStatus,omitempty"`
	LastError   string    `json:"lastError,omitempty"`
	LastSuccess time.Time `json:"lastSuccess,omitzero"`
	// Marks are lines that were answered for. Where a log was cut, the last that is
	// still there says how far.
	Marks []mark `json:"marks,omitempty"`
}

// mark is one line: the positions before and after it, and its sum.
type mark struct {
	From int64  `json:"from"`
	At   int64  `json:"at"`
	Sum  string `json:"sum"`
}

// markOf marks the line that ends at a position, with its newline.
func markOf(line []byte, at int64) mark {
	sum := sha256.Sum256(line)
	return mark{at - int64(len(line)) - 1, at, hex.EncodeToString(sum[:8])}
}

// inode tells a file from a copy of it.
type inode struct {
	Dev uint64 `json:"dev"`
	Ino uint64 `json:"ino"`
}

func inodeOf(path string) (inode, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return inode{}, err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return inode{}, nil
	}
	// The types of these fields differ between systems.
	return inode{uint64(st.Dev), uint64(st.Ino)}, nil //nolint:unconvert // as said
}

// place is a cursor as text.
type place struct{ telemetry.Cursor }

// MarshalText implements encoding.TextMarshaler.
func (p place) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *place) UnmarshalText(b []byte) (err error) {
	p.Cursor, err = telemetry.ParseCursor(string(b))
	return err
}

// errNoState: nothing was forwarded from this directory yet, or what says so makes
// no sense.
var errNoState = errors.New("no outbox yet")

func readState(dir string) (*state, error) {
	f, err := store.OpenToRead(filepath.Join(dir, stateName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoState
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read: nothing to lose
	b, err := io.ReadAll(io.LimitReader(f, maxState+1))
	if err != nil {
		return nil, err
	}
	s := &state{}
	if len(b) > maxState || json.Unmarshal(b, s) != nil || !s.sound() {
		return nil, errNoState
	}
	return s, nil
}

func (s *state) sound() bool {
	if s.V != 1 || !isOutboxID(s.ID) || len(s.Lanes) > maxLanes || len(s.Marks) > maxMarks || s.Sent < 0 {
		return false
	}
	if s.Lanes == nil {
		s.Lanes = map[string]*lane{}
	}
	for _, l := range s.Lanes {
		if l == nil || l.Failures < 0 || l.Limit < 0 || l.Refused < 0 || len(l.Marks) > maxMarks {
			return false
		}
	}
	return true
}

// isOutboxID reports whether s is an id as newID makes them.
func isOutboxID(s string) bool {
	if len(s) < 8 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// first is the place before which nobody needs anything; the zero cursor when that
// can't be said.
func (s *state) first() telemetry.Cursor {
	first := s.Start.Cursor
	for _, l := range s.Lanes {
		switch {
		case l.Cursor.Log != first.Log:
			return telemetry.Cursor{}
		case l.Cursor.Pos < first.Pos:
			first = l.Cursor.Cursor
		}
	}
	return first
}

func newID() string { return store.NewID("ob-") }

func (s *state) write(dir string) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return store.WriteFile(filepath.Join(dir, stateName), append(b, '\n'))
}
