package telemetry

import (
	"bytes"
	"io"
	"strconv"
	"strings"
)

// record is what the lock file says: up to which position some process has seen
// whole lines of which log. It is a hint of fixed length, updated in place, that
// lets a process notice a cut that happened while it was not running, and tell the
// log's id when events.meta was lost.
type record struct {
	log string
	end int64
	sum string // of the file's head, or rotatedSum when events.meta says what no record can
}

// rotatedSum is the sum of a log that was rotated, or is about to be. A program from
// before there were rotations takes no record that says so: it refuses to append,
// where it would begin a new log in the middle of this one.
const rotatedSum = "rotated"

// recordLen is the length of a record on disk: id, space, end, space, sum, newline,
// padded.
const recordLen = maxLogID + 1 + 20 + 1

// recordOf tells that the log has whole lines up to the position end.
func recordOf(m meta, end int64) record {
	r := record{log: m.Log, end: end}
	if m.Base > 0 || len(m.Segments) > 0 || m.Next != nil {
		r.sum = rotatedSum
	} else if m.Head != nil {
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
	if !ok || err != nil || end < 0 || sum != "" && sum != rotatedSum && (len(sum) != sumLen || !isLogID(sum)) {
		return record{}
	}
	return record{log, end, sum}
}
