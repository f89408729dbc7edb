package torture_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// frame is one block of an event stream.
type frame struct {
	id, name string
	data     []byte // valid until the next frame is read
	hasData  bool
	dataRows int
	hasID    bool
	retry    string
}

// sseReader reads an event stream as the HTML standard's section 9.2 says, and is
// strict where that is lenient: unknown fields and bytes that are not UTF-8 are
// errors, since serve has no reason to send any.
type sseReader struct {
	r     *bufio.Reader
	long  []byte   // a line that does not fit r's buffer
	rest  [][]byte // further lines of what was read: CR ends a line, too
	begun bool
	data  []byte
}

func newSSEReader(r io.Reader) *sseReader { return &sseReader{r: bufio.NewReaderSize(r, 64<<10)} }

// next returns the next block that a blank line ends. A block without data is
// returned, too: its id counts. What the stream's end cuts off is discarded, as the
// standard says.
func (s *sseReader) next() (frame, error) {
	var f frame
	s.data = s.data[:0]
	empty := true
	for {
		line, err := s.line()
		if err != nil {
			return frame{}, err
		}
		if len(line) == 0 {
			if empty {
				continue
			}
			f.data = bytes.TrimSuffix(s.data, []byte("\n"))
			return f, nil
		}
		if !utf8.Valid(line) {
			return frame{}, fmt.Errorf("a line is not UTF-8: %q", clip(line))
		}
		if line[0] == ':' {
			continue
		}
		empty = false
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			s.data = append(append(s.data, value...), '\n')
			f.hasData = true
			f.dataRows++
		case "id":
			if bytes.IndexByte(value, 0) >= 0 {
				return frame{}, fmt.Errorf("an id with NUL: %q", clip(line))
			}
			f.id, f.hasID = string(value), true
		case "event":
			f.name = string(value)
		case "retry":
			if len(value) == 0 || strings.Trim(string(value), "0123456789") != "" {
				return frame{}, fmt.Errorf("retry is no number: %q", clip(line))
			}
			f.retry = string(value)
		default:
			return frame{}, fmt.Errorf("unknown field: %q", clip(line))
		}
	}
}

// line returns the next line, which LF, CR or CRLF ends.
func (s *sseReader) line() ([]byte, error) {
	if len(s.rest) > 0 {
		line := s.rest[0]
		s.rest = s.rest[1:]
		return line, nil
	}
	row, err := s.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		s.long = append(s.long[:0], row...)
		for errors.Is(err, bufio.ErrBufferFull) {
			row, err = s.r.ReadSlice('\n')
			s.long = append(s.long, row...)
		}
		row = s.long
	}
	if err != nil {
		return nil, err
	}
	if !s.begun {
		row = bytes.TrimPrefix(row, []byte("\xef\xbb\xbf"))
		s.begun = true
	}
	row = bytes.TrimSuffix(row[:len(row)-1], []byte("\r"))
	if bytes.IndexByte(row, '\r') < 0 {
		return row, nil
	}
	lines := bytes.Split(bytes.Clone(row), []byte("\r"))
	s.rest = lines[1:]
	return lines[0], nil
}

func clip(b []byte) []byte {
	if len(b) > 200 {
		return slices.Concat(b[:200], []byte("…"))
	}
	return b
}

func TestReaderFollowsTheStandard(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"plain":                     {"data: a\n\n", `[- "" "a"]`},
		"two rows":                  {"data: a\ndata:b\n\n", `[- "" "a\nb"]`},
		"one space only":            {"data:  a\n\n", `[- "" " a"]`},
		"CRLF":                      {"id: 1\r\ndata: a\r\n\r\n", `[1 "" "a"]`},
		"CR ends a line":            {"data: a\rdata: b\r\r\n", `[- "" "a\nb"]`},
		"BOM":                       {"\xef\xbb\xbfdata: a\n\n", `[- "" "a"]`},
		"comment":                   {": x\n\ndata: a\n\n", `[- "" "a"]`},
		"an id alone":               {"id: 7\n\n", `[7 "" none]`},
		"a name":                    {"event: reset\nid: 7\ndata: {}\n\n", `[7 "reset" "{}"]`},
		"cut off":                   {"data: a\n\ndata: b\n", `[- "" "a"]`},
		"empty data":                {"data\n\n", `[- "" ""]`},
		"longer than any buffer":    {"data: " + strings.Repeat("x", 200<<10) + "\n\n", fmt.Sprintf("[- \"\" %q]", strings.Repeat("x", 200<<10))},
		"unknown field":             {"date: a\n\n", `unknown field: "date: a"`},
		"not UTF-8":                 {"data: \xff\n\n", `a line is not UTF-8: "data: \xff"`},
		"retry, and nothing beside": {"retry: 2000\n\n", `[- "" none]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out []string
			r := newSSEReader(iotest{strings.NewReader(tt.in)})
			for {
				f, err := r.next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					out = append(out, err.Error())
					break
				}
				id, data := "-", "none"
				if f.hasID {
					id = f.id
				}
				if f.hasData {
					data = fmt.Sprintf("%q", f.data)
				}
				out = append(out, fmt.Sprintf("[%s %q %s]", id, f.name, data))
			}
			if got := strings.Join(out, " "); got != tt.want {
				t.Errorf("got %s, want %s", clip([]byte(got)), clip([]byte(tt.want)))
			}
		})
	}
}

// iotest hands out a few bytes at a time.
type iotest struct{ r io.Reader }

func (r iotest) Read(p []byte) (int, error) { return r.r.Read(p[:min(3, len(p))]) }
