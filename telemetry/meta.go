package telemetry

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strconv"
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
}

// segment is a file that is no longer appended to.
type segment struct {
	Name  string `json:"name"`
	First int64  `json:"first"` // position of its first byte
	End   int64  `json:"end"`   // position after its last
}

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

// newLogID returns a random id.
func newLogID() string { return store.NewID("")[:logIDLen] }

// nextLogID returns the id of the log with head h that came in the place of the
// log old ("" when there was none). It is computed, so that readers, which write
// nothing, and the next writer agree on it.
func nextLogID(old string, h *head) string {
	sum := sha256.Sum256([]byte(old + "\x00" + h.Sum))
	return logIDs.EncodeToString(sum[:])[:logIDLen]
}

// maxMeta bounds what is read of events.meta: many thousand segments.
const maxMeta = 4 << 20

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
// stay in the directory.
func (m meta) sound() bool {
	if m.Log == "" || m.Log == anyLog || len(m.Log) > maxLogID || !isLogID(m.Log) || m.Base < 0 {
		return false
	}
	for i, s := range m.Segments {
		next := m.Base
		if i+1 < len(m.Segments) {
			next = m.Segments[i+1].First
		}
		if s.First < 0 || s.End < s.First || s.End != next || s.Name == "" || strings.ContainsAny(s.Name, "/\x00") {
			return false
		}
	}
	return true
}

func (m meta) write(path string) error {
	if m.Segments == nil {
		m.Segments = []segment{}
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return store.WriteFile(path, append(b, '\n'))
}

// record is what the lock file says: up to which size some process has seen the
// active file of which log. It is a hint of fixed length, updated in place, that
// lets a process notice a cut that happened while it was not running, and tell the
// log's id when events.meta was lost.
type record struct {
	log string
	end int64
	sum string // of the file's head, or "" when events.meta says what no record can
}

// recordLen is the length of a record on disk: id, space, end, space, sum, newline,
// padded.
const recordLen = maxLogID + 1 + 20 + 1

// recordOf tells that the active file reaches to end.
func recordOf(m meta, end int64) record {
	r := record{log: m.Log, end: end}
	if m.Head != nil && m.Base == 0 && len(m.Segments) == 0 {
		r.sum = m.Head.Sum
	}
	return r
}

func (r record) bytes() []byte {
	b := append(make([]byte, 0, recordLen), r.log...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, r.end, 10)
	if len(b)+1+len(r.sum) < recordLen && r.sum != "" {
		b = append(append(b, ' '), r.sum...)
	}
	for len(b) < recordLen-1 {
		b = append(b, ' ')
	}
	return append(b, '\n')
}

// recall returns what events.meta, which is lost, must have said of the file with
// head h, or the zero meta.
func (r record) recall(h *head) meta {
	m := meta{Log: r.log, Head: h}
	if h == nil || r.sum == "" || r.sum != h.Sum || !m.sound() {
		return meta{}
	}
	return m
}

// isRecord reports whether f holds a record and nothing else, or nothing yet: a
// new file, or the zeros that a power cut leaves.
func isRecord(f io.ReaderAt) (bool, error) {
	var buf [recordLen + 1]byte
	n, err := f.ReadAt(buf[:], 0)
	if err != nil && err != io.EOF {
		return false, err
	}
	if n <= recordLen && len(bytes.Trim(buf[:n], "\x00")) == 0 {
		return true, nil
	}
	r := readRecord(f)
	return r.log != "" && isLogID(r.log) && bytes.Equal(r.bytes(), buf[:n]), nil
}

// readRecord reads the lock file's record; the zero record when there is none.
func readRecord(f io.ReaderAt) record {
	var buf [recordLen]byte
	if n, err := f.ReadAt(buf[:], 0); n < recordLen || err != nil && err != io.EOF {
		return record{}
	}
	log, rest, ok := strings.Cut(strings.TrimRight(string(buf[:]), " \n"), " ")
	num, sum, _ := strings.Cut(rest, " ")
	end, err := strconv.ParseInt(num, 10, 64)
	if !ok || err != nil || end < 0 || sum != "" && (len(sum) != sumLen || !isLogID(sum)) {
		return record{}
	}
	return record{log, end, sum}
}
