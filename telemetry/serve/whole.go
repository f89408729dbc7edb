package serve

import (
	"bytes"
	"io"
	"net/http"
	"slices"
)

// wholeFrames hands on only complete SSE frames of an answer. r3labs would give
// out what it has when a connection breaks in the middle of a frame, and
// remember the id of that torn event, so that it would be lost.
type wholeFrames struct{ next http.RoundTripper }

func (t wholeFrames) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusOK {
		resp.Body = &frameReader{body: resp.Body}
	}
	return resp, err
}

// frameReader passes bytes up to the last blank line read. Our server ends
// lines with LF only.
type frameReader struct {
	body io.ReadCloser
	buf  []byte
	off  int // buf[off:full] are whole frames not yet given out
	full int
	err  error
}

// readSize is what is asked of the connection at once.
const readSize = 32 << 10

func (f *frameReader) Read(p []byte) (int, error) {
	for f.off == f.full {
		if f.err != nil {
			return 0, f.err // what is left of buf is a torn frame
		}
		if err := f.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.buf[f.off:f.full])
	f.off += n
	return n, nil
}

// fill reads once, keeping only the frame that is not whole yet.
func (f *frameReader) fill() error {
	if f.full > 0 { // else a server that sends byte by byte would make us move all of them each time
		f.buf = append(f.buf[:0], f.buf[f.full:]...)
		f.off, f.full = 0, 0
	}
	if len(f.buf) > clientBuffer {
		return io.ErrShortBuffer
	}
	seen := max(0, len(f.buf)-1) // the blank line may be split over two reads
	if cap(f.buf)-len(f.buf) < readSize/8 {
		f.buf = slices.Grow(f.buf, readSize)
	}
	n, err := f.body.Read(f.buf[len(f.buf):min(cap(f.buf), len(f.buf)+readSize)])
	f.buf, f.err = f.buf[:len(f.buf)+n], err
	if i := bytes.LastIndex(f.buf[seen:], []byte("\n\n")); i >= 0 {
		f.full = seen + i + 2
	}
	return nil
}

func (f *frameReader) Close() error { return f.body.Close() }
