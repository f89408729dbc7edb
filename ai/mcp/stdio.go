package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// maxMessage is what one message may hold, on either transport.
const maxMessage = 1 << 20

// Run serves the one client at in and out until it leaves or ctx ends. Out gets
// lines of JSON-RPC and nothing else. That the client left, or ctx ended, is no error.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	w := &lineWriter{w: out}
	r := &lineReader{in: in, lines: bufio.NewReaderSize(in, 64<<10), answer: w}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	defer context.AfterFunc(ctx, s.end)() // a call is not waited for by who has to leave
	err := s.forPreset(s.opts.Preset).Run(ctx, &sdk.IOTransport{Reader: r, Writer: w, MaxLineLength: maxMessage + 1})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fault.Wrap(err, fault.StateUnusable, "the connection to the MCP client broke").WithSent(fault.SentNo)
	}
	return nil
}

// lineWriter writes whole lines, one at a time.
type lineWriter struct {
	mu sync.Mutex
	w  io.WriteCloser
}

func (l *lineWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (l *lineWriter) Close() error { return l.w.Close() }

// lineReader passes on the lines that are messages. The SDK ends the connection at
// one that is none; here the client is told, and its next line is read.
type lineReader struct {
	in     io.Closer
	lines  *bufio.Reader
	rest   []byte
	answer io.Writer
}

func (l *lineReader) Close() error { return l.in.Close() }

func (l *lineReader) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.line()
		if err != nil {
			return 0, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if code, why := broken(line); code != 0 {
			if err := l.refuse(code, why); err != nil {
				return 0, err
			}
			continue
		}
		l.rest = append(bytes.TrimSpace(line), '\n')
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// line reads a line; of one that is too long only the beginning is kept. The last
// one may lack its end.
func (l *lineReader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := l.lines.ReadSlice('\n')
		if room := maxMessage + 1 - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		default:
			return nil, err
		}
	}
}

// broken says what is wrong with a line, as a code of JSON-RPC; 0 is nothing.
func broken(line []byte) (code int64, why string) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) > maxMessage:
		return jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message holds at most %d bytes", maxMessage)
	case !utf8.Valid(line), !json.Valid(line):
		return jsonrpc.CodeParseError, "each line must be one message in JSON"
	case line[0] == '[':
		return jsonrpc.CodeInvalidRequest, "batches are not taken: send the messages one by one"
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return jsonrpc.CodeInvalidRequest, "this is no message of JSON-RPC 2.0"
	}
	return 0, ""
}

func (l *lineReader) refuse(code int64, why string) error {
	type wireError struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
	b, err := json.Marshal(struct {
		Version string    `json:"jsonrpc"`
		ID      *string   `json:"id"`
		Error   wireError `json:"error"`
	}{"2.0", nil, wireError{code, why}})
	if err != nil {
		return err
	}
	_, err = l.answer.Write(append(b, '\n'))
	return err
}
