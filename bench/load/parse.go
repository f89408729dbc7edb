package load

import (
	"bytes"
	"errors"
)

// dechunker undoes HTTP/1.1's chunked coding. feed may be called with the stream
// cut at any byte.
type dechunker struct {
	on    bool // the response is chunked
	state chunkState
	left  int // bytes left of this chunk
	size  int // being read
	eof   bool
}

type chunkState uint8

const (
	chunkSize chunkState = iota
	chunkExtension
	chunkData
	chunkEnd
)

var errChunk = errors.New("bad chunk header")

// feed appends the body bytes in raw to dst.
func (d *dechunker) feed(dst, raw []byte) ([]byte, error) {
	if !d.on {
		return append(dst, raw...), nil
	}
	for len(raw) > 0 && !d.eof {
		switch d.state {
		case chunkData:
			k := min(d.left, len(raw))
			dst = append(dst, raw[:k]...)
			raw = raw[k:]
			if d.left -= k; d.left == 0 {
				d.state = chunkEnd
			}
		case chunkEnd:
			if raw[0] == '\n' {
				d.state = chunkSize
			}
			raw = raw[1:]
		default:
			if err := d.header(raw[0]); err != nil {
				return dst, err
			}
			raw = raw[1:]
		}
	}
	return dst, nil
}

// header takes one byte of the line that says how long the next chunk is.
func (d *dechunker) header(c byte) error {
	switch {
	case c == '\n':
		d.left, d.size, d.state = d.size, 0, chunkData
		d.eof = d.left == 0
	case c == '\r' || d.state == chunkExtension:
	case c == ';' || c == ' ':
		d.state = chunkExtension
	case c >= '0' && c <= '9':
		d.size = d.size<<4 | int(c-'0')
	case c >= 'a' && c <= 'f':
		d.size = d.size<<4 | int(c-'a'+10)
	case c >= 'A' && c <= 'F':
		d.size = d.size<<4 | int(c-'A'+10)
	default:
		return errChunk
	}
	return nil
}

// tally is what one subscription saw.
type tally struct {
	seen     []uint64 // a bit for each number from 1
	uniq     int
	got      uint64 // this run's events
	dup      uint64
	disorder uint64
	foreign  uint64 // data lines of another run, or of none
	frames   uint64 // blank lines that ended at least one field
	bytes    uint64
	maxN     int64
	lastAt   int64
	open     bool // a field came since the last blank line
	lat      hist
}

// lines takes whole lines off b and returns the unfinished rest. now is when the
// read that brought them returned; events published before since are another
// run's.
func (t *tally) lines(b []byte, now, since int64) []byte {
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			return b
		}
		l := b[:i]
		b = b[i+1:]
		if len(l) > 0 && l[len(l)-1] == '\r' {
			l = l[:len(l)-1]
		}
		switch {
		case len(l) == 0:
			if t.open {
				t.frames++
			}
			t.open = false
		case l[0] == 'd' && len(l) > 5 && string(l[:5]) == "data:":
			t.open = true
			t.data(l[5:], now, since)
		case l[0] != ':':
			t.open = true
		}
	}
}

var (
	needleN = []byte(`"n":`)
	needleT = []byte(`"t0":`)
)

// data counts one event.
func (t *tally) data(l []byte, now, since int64) {
	n, rest, okN := numberAfter(l, needleN)
	t0, _, okT := numberAfter(rest, needleT)
	if !okN || !okT || t0 < since || n < 1 || int(n>>6) >= len(t.seen) {
		t.foreign++
		return
	}
	t.got++
	t.lastAt = now
	t.lat.add(now - t0)
	if n < t.maxN {
		t.disorder++
	}
	t.maxN = max(t.maxN, n)
	w, m := &t.seen[n>>6], uint64(1)<<(n&63)
	if *w&m != 0 {
		t.dup++
		return
	}
	*w |= m
	t.uniq++
}

// numberAfter returns the digits after name, and what follows name.
func numberAfter(b, name []byte) (v int64, rest []byte, ok bool) {
	i := bytes.Index(b, name)
	if i < 0 {
		return 0, nil, false
	}
	b = b[i+len(name):]
	n := 0
	for n < len(b) && b[n]-'0' <= 9 {
		v = v*10 + int64(b[n]-'0')
		n++
	}
	return v, b[n:], n > 0
}
