package provider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

var (
	errNotJSON = errors.New("the answer is no JSON")
	errPage    = errors.New("the answer is a web page")
)

// tooLarge is the error of an answer beyond so many bytes.
type tooLarge int64

func (t tooLarge) Error() string { return fmt.Sprintf("more than %d bytes", int64(t)) }

// frames turns what a service streams into frames that the library's reader can't
// misread: one line of data each, an empty line after it, no comments, no other
// fields. A body that is plain JSON is a stream of one frame.
type frames struct {
	body io.ReadCloser
	x    *exchange
	src  *bufio.Reader
	left int64
	any  bool   // a line was seen
	data []byte // of the frame that is being read
	out  []byte // not yet handed on
	err  error
}

func newFrames(body io.ReadCloser, x *exchange) *frames {
	f := &frames{body: body, x: x, left: maxStream}
	f.src = bufio.NewReader(readFunc(func(p []byte) (int, error) {
		n, err := body.Read(p)
		if n > 0 {
			x.beat()
		}
		return n, err
	}))
	return f
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func (f *frames) Close() error { return f.body.Close() }

func (f *frames) Read(p []byte) (int, error) {
	for len(f.out) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		f.err = f.line()
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	return n, nil
}

// line reads one line, and makes it a frame if it completes one.
func (f *frames) line() error {
	line, err := f.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	ended := err
	line = bytes.TrimRight(line, "\r\n")
	if !f.any {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
		if t := bytes.TrimLeft(line, " \t"); len(t) > 0 {
			f.any = true
			switch t[0] {
			case '{', '[':
				return f.whole(line, ended)
			case '<':
				return errPage
			}
		}
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	switch {
	case len(line) == 0:
		if len(f.data) > 0 && ended == nil {
			return errNotJSON // a frame is over, and is none
		}
	case string(field) == "data":
		if len(f.data) > 0 {
			f.data = append(f.data, '\n')
		}
		f.data = append(f.data, bytes.TrimPrefix(value, []byte(" "))...)
		if len(f.data) > maxFrame {
			return tooLarge(maxFrame)
		}
		f.emit()
	}
	if ended != nil && len(f.data) > 0 {
		return io.ErrUnexpectedEOF
	}
	return ended
}

// emit hands the frame on as soon as it is whole: not all services put an empty
// line between two.
func (f *frames) emit() {
	data := bytes.TrimSpace(f.data)
	switch {
	case len(data) == 0:
		f.data = f.data[:0]
	case string(data) == "[DONE]":
		f.out, f.data = append(f.out, "data: [DONE]\n\n"...), f.data[:0]
	case json.Valid(data):
		f.out, f.data = appendFrame(f.out, data), f.data[:0]
	}
}

// appendFrame writes the frame in one line. The space behind the first brace
// keeps the library from taking {"error": for the beginning of an error, which it
// then loses if a comment came before, and which {"error":null,"choices":…} is not.
func appendFrame(out, data []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return out // it was valid
	}
	one := b.Bytes()
	out = append(out, "data: "...)
	if one[0] == '{' {
		out, one = append(out, "{ "...), one[1:]
	}
	return append(append(out, one...), "\n\n"...)
}

// whole reads a body that is JSON from its first line on.
func (f *frames) whole(line []byte, ended error) error {
	body := bytes.Clone(line)
	for ended == nil {
		var next []byte
		next, ended = f.next()
		body = append(append(body, '\n'), next...)
		if len(body) > maxFrame {
			return tooLarge(maxFrame)
		}
	}
	if !errors.Is(ended, io.EOF) {
		return ended
	}
	if body = bytes.TrimSpace(body); !json.Valid(body) {
		return errNotJSON
	}
	f.out = append(appendFrame(f.out, body), "data: [DONE]\n\n"...)
	return io.EOF
}

// next returns a line with its end, or what there is of one with io.EOF.
func (f *frames) next() ([]byte, error) {
	var line []byte
	for {
		part, err := f.src.ReadSlice('\n')
		f.left -= int64(len(part))
		switch {
		case f.left < 0:
			return nil, tooLarge(maxStream)
		case len(line)+len(part) > maxFrame:
			return nil, tooLarge(maxFrame)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
