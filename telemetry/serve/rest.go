package serve

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// A client that is still sending when it is answered would not see the answer if the
// connection closed: this much of what nobody wants is read, for this long.
const (
	drainBody = 16 << 20
	drainTime = 2 * time.Second
)

// restBody is the body of a request as it comes, and how far it came.
type restBody struct {
	io.ReadCloser
	began, ended bool
}

func (b *restBody) Read(p []byte) (int, error) {
	b.began = true
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err != nil
	return n, err
}

// drainRest lets a client that was answered before its body had been read get to the
// answer.
func (s *Server) drainRest(w http.ResponseWriter, r *http.Request, b *restBody) {
	if b.ended || !b.began && r.ContentLength == 0 {
		return
	}
	// net/http too waits for the rest, for as long as a body may take.
	rc := http.NewResponseController(w)
	err := errors.Join(rc.Flush(), rc.SetReadDeadline(s.opt.Now().Add(drainTime)))
	if err == nil && (b.began || r.Header.Get("Expect") == "") { // who waits to be told to go on sends nothing
		_, err = io.CopyN(io.Discard, b, drainBody)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.opt.Logger.Debug("rest of a body that was not wanted", "err", err)
	}
}
