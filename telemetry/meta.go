package telemetry

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/ape-claw/ape-claw/store"
)

// meta is events.meta: which log this is, and how positions map to files. It is
// written under the lock by an atomic rename, and only when it changes.
type meta struct {
	Log      string    `json:"log"`
	Base     int64     `json:"base"`     // position of the active file's first byte
	Segments []segment `json:"segments"` // older files, in order
	Head     *head     `json:"head,omitempty"`
	Next     *rotation `json:"next,omitempty"`  // a rotation that is under way
	Carry    *carrying `json:"carry,omitempty"` // a carry-over that is under way
}

// segment is a file that is no longer appended to, but by who has it still open.
type segment struct {
	Name  string `json:"name"`
	First int64  `json:"first"`          // position of its first byte
	End   int64  `json:"end"`            // position after its last
	Late  int64  `json:"late,omitempty"` // how many bytes after those were carried over
	Head  *head  `json:"head,omitempty"`
}

// size is how many bytes of the file are the log's.
func (s segment) size() int64 { return s.End - s.First }

// fresh says that the active file is the new one after a rotation, or about to be
// made: whatever is in it belongs to the log, also the lines of others that come
// before ours. It gets its fingerprint once it has a line.
func (m *meta) fresh() bool { return m.Log != "" && m.Head == nil }

// head is the fingerprint of the active file's first bytes. A file with another
// head is another log, even under the same inode number.
type head struct {
	Bytes int    `json:"bytes"`
	Sum   string `json:"sum"`
}

// headMax bounds how much of the first line the fingerprint covers: the
// envelope's time, trace and command are in it.
const headMax = 256

// sumLen is the length of a fingerprint's sum.
const sumLen = 24

// headOf makes the fingerprint of the file that begins with b: of its first
// line, or of the first headMax bytes. It is nil while the first line is not
// complete, because it may still become anything.
func headOf(b []byte) *head {
	if len(b) > headMax {
		b = b[:headMax]
	}
	if i := strings.IndexByte(string(b), '\n'); i >= 0 {
		b = b[:i+1]
	} else if len(b) < headMax {
		return nil
	}
	sum := sha256.Sum256(b)
	return &head{len(b), hex.EncodeToString(sum[:sumLen/2])}
}

// readHead reads the fingerprint of f.
func readHead(f io.ReaderAt) (*head, error) {
	var buf [headMax]byte
	n, err := f.ReadAt(buf[:], 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return headOf(buf[:n]), nil
}

// isHeadOf reports whether f begins as h says.
func (h *head) isHeadOf(f io.ReaderAt) (bool, error) {
	if h.Bytes <= 0 || h.Bytes > headMax {
		return false, nil
	}
	var buf [headMax]byte
	n, err := f.ReadAt(buf[:h.Bytes], 0)
	if err != nil && err != io.EOF {
		return false, err
	}
	if n < h.Bytes {
		return false, nil
	}
	sum := sha256.Sum256(buf[:n])
	return h.Sum == hex.EncodeToString(sum[:sumLen/2]), nil
}

var logIDs = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// logIDLen is the length of a log's id: 40 bits.
const logIDLen = 8

// nextLogID returns the id of the log with head h that came in the place of the
// log old ("" when there was none). It is computed, so that readers, which write
// nothing, and the next writer agree on it.
func nextLogID(old string, h *head) string {
	sum := sha256.Sum256([]byte(old + "\x00" + h.Sum))
	return logIDs.EncodeToString(sum[:])[:logIDLen]
}

// maxMeta bounds what is read of events.meta: maxSegments at their longest.
const maxMeta = 8 << 20

// maxBase bounds the positions that are believed, far from where they overflow.
const maxBase = 1 << 62

// readMeta reads events.meta. A missing one, or one that makes no sense, is a log
// that nobody has named yet: the zero meta.
func readMeta(path string) (meta, error) {
	f, err := store.OpenToRead(path)
	if errors.Is(err, fs.ErrNotExist) {
		return meta{}, nil
	}
	if err != nil {
		return meta{}, err
	}
	defer func() { _ = f.Close() }() // only read: nothing to lose
	return metaIn(f)
}

func metaIn(f io.Reader) (meta, error) {
	b, err := io.ReadAll(io.LimitReader(f, maxMeta))
	if err != nil {
		return meta{}, err
	}
	var m meta
	if json.Unmarshal(b, &m) != nil || !m.sound() {
		return meta{}, nil
	}
	return m, nil
}

// sound checks what the rest relies on: positions rise without gaps, and names
// are those of segments in the directory, which a stranger's events.meta could
// otherwise make us read and remove.
func (m *meta) sound() bool {
	if m.Log == "" || m.Log == anyLog || len(m.Log) > maxLogID || !isLogID(m.Log) || m.Base < 0 || m.Base > maxBase {
		return false
	}
	for i, s := range m.Segments {
		next := m.Base
		if i+1 < len(m.Segments) {
			next = m.Segments[i+1].First
		}
		if s.First < 0 || s.End < s.First || s.End != next || s.Late < 0 || !isSegmentName(s.Name) {
			return false
		}
	}
	if n := m.Next; n != nil && (!isSegmentName(n.Name) || n.Floor < m.Base || m.Head == nil) {
		return false
	}
	c := m.Carry
	return c == nil || isSegmentName(c.Name) && c.From >= 0 && c.Len > 0 && c.Len <= maxCarry && c.At >= m.Base && len(c.Mark) == markLen
}

// bytes is what events.meta holds.
func (m meta) bytes() ([]byte, error) {
	if m.Segments == nil {
		m.Segments = []segment{}
	}
	b, err := json.Marshal(m)
	return append(b, '\n'), err
}
