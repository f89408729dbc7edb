package serve

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/agents"
)

// lateBody is the body of a request whose credentials are asked for before it is read.
// It may take a minute to come, in which an agent can be revoked: at its end it is asked
// once more, unless it came at once.
type lateBody struct {
	io.ReadCloser
	srv   *Server
	ctx   context.Context
	c     *caller
	began time.Time
	err   error // how it ended
}

func (b *lateBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		err = b.end()
	}
	b.err = err
	return n, err
}

// end is io.EOF when the caller is still who it was.
func (b *lateBody) end() error {
	if late := b.srv.opt.Now().Sub(b.began); b.c.proof == nil || late >= 0 && late < leaseCheck {
		return io.EOF
	}
	holds, err := b.srv.opt.Auth.Holds(b.ctx, *b.c.proof)
	switch {
	case err != nil:
		return err
	case !holds:
		return agents.Refused()
	}
	return io.EOF
}
