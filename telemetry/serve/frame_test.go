package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/serve"
)

// FuzzFrame: whatever a line holds, it arrives as one frame whose data is the
// line, byte for byte unless CRs stood inside it, and can't forge a field.
func FuzzFrame(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":1}`, "{\"a\":\r1}", "{}\r", "\r\r{}", "{ \"a\" : 1 }\r", `{"a":"\r\n\r\nevent: x"}`, `{"a":"data: x"}`, "{\"a\":\"\u2028\u2029\u0085\"}", "\xef\xbb\xbf{}",
		"not json\r\rdata: forged", " {}", ":", "id: 7", "\x00", "{\"a\":\"\x00\"}\r", "\ndata: x", "\xff\xfe\r", "retry: 1\r\r\r", strings.Repeat("a", 70000),
		`{"a":"` + strings.Repeat("é", 1<<19-4) + `"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		next := []byte(`{"next":true}`)
		wire, seen := serve.Encode(line, next)
		var got []frame
		readFrames(bytes.NewReader(wire), func(f frame) { got = append(got, f) })
		if len(got) != 2 || got[1] != (frame{id: "aa-2", data: string(next)}) {
			t.Fatalf("one line became %d frames: %.200q", len(got)-1, got)
		}
		if got[0].id != "aa-1" || got[0].name != "" || got[0].retry != "" || got[0].comment != "" {
			t.Fatalf("the line forged a field: %.200q", got[0])
		}
		if got[0].data != string(seen[0]) || !bytes.Equal(seen[1], next) {
			t.Fatalf("a filter sees %.200q", seen)
		}
		if want, exact := onOneLine(line); exact && got[0].data != want {
			t.Fatalf("got %.200q, want %.200q", got[0].data, want)
		}
		if alone, at := serve.AppendFrame(nil, "aa-1", line); !bytes.HasPrefix(wire, alone) || !bytes.HasPrefix(alone[at:], seen[0]) {
			t.Fatalf("a frame alone is %.200q", alone)
		}
	})
}

// onOneLine is what arrives of a line; exact is false for what is no JSON and so in
// no log.
func onOneLine(line []byte) (want string, exact bool) {
	line = bytes.TrimRight(line, "\r")
	if !bytes.ContainsAny(line, "\r\n") {
		return string(line), true
	}
	var out bytes.Buffer
	err := json.Compact(&out, line)
	return out.String(), err == nil
}

// FuzzTornStream: of a stream that breaks anywhere, read in pieces of any size, the
// client hands on exactly the frames that arrived whole.
func FuzzTornStream(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n{\"b\":2}\n{\"c\":\"data: x\"}"), uint32(1000), uint16(7))
	f.Add([]byte("{}\n \n{}\n  {}"), uint32(31), uint16(1))
	f.Add([]byte(strings.Repeat("x", 5000)+"\n{}"), uint32(5030), uint16(4096))
	f.Fuzz(func(t *testing.T, data []byte, cut uint32, step uint16) {
		var lines [][]byte
		for line := range bytes.SplitSeq(data, []byte{'\n'}) {
			if one, _ := onOneLine(line); one != "" && !strings.Contains(one, "\r") && len(lines) < 100 {
				lines = append(lines, []byte(one))
			}
		}
		wire, _ := serve.Encode(lines...)
		wire = append([]byte("retry: 2000\n\nid: aa-0\n\n"), wire...)
		wire = wire[:int(cut)%(len(wire)+1)]
		whole := bytes.Count(wire, []byte("\n\n")) - 2
		n := 0
		err := serve.ReadStream(t.Context(), &slowly{wire, int(step) + 1}, func(f serve.Frame) error {
			if n >= whole || f.ID != fmt.Sprintf("aa-%d", n+1) || !bytes.Equal(f.Data, lines[n]) {
				return fmt.Errorf("event %d of %d is %s %.200q", n, whole, f.ID, f.Data)
			}
			n++
			return nil
		})
		if n != max(whole, 0) {
			t.Fatalf("%d of %d events, %v", n, whole, err)
		}
	})
}

// FuzzHostileStream: whatever a server sends, the client ends, and holds no more
// than a frame.
func FuzzHostileStream(f *testing.F) {
	for _, s := range []string{
		"", "\n\n", "data\n\n", "data:\n\n", "event: reset\ndata: {\n\n", "event: reset\ndata: {\"from\":1}\n\n", "id: \x00\ndata: x\n\n",
		"data: a\ndata: b\n\n", "data: a\r\n\r\n", "\r\r", ":\n\n:\n\n", "retry: x\n\n", "\xef\xbb\xbfdata: x\n\n", "event: cursor\nid: aa-1\ndata: {}\n\n",
		strings.Repeat("x", 5000), "data: " + strings.Repeat("\r", 1000) + "\n\n", strings.Repeat("id: 1\n", 100) + "\n",
	} {
		f.Add([]byte(s), uint16(10))
	}
	f.Fuzz(func(t *testing.T, body []byte, step uint16) {
		total := 0
		err := serve.ReadStream(t.Context(), &slowly{body, int(step) + 1}, func(f serve.Frame) error {
			if f.Reset == nil && len(f.Data) == 0 {
				return errors.New("an event without data")
			}
			total += len(f.Data)
			return nil
		})
		if total > len(body) {
			t.Fatalf("%d bytes of events in %d of the body, %v", total, len(body), err)
		}
		whole, err := io.ReadAll(serve.WholeFrames(io.NopCloser(&slowly{body, int(step) + 1})))
		rest, ok := bytes.CutPrefix(body, whole)
		if end := []byte("\n\n"); err != nil || !ok || bytes.Contains(rest, end) || len(whole) > 0 && !bytes.HasSuffix(whole, end) {
			t.Fatalf("%q, %v of %q", whole, err, body)
		}
	})
}

func TestAFrameWithoutEndIsGivenUp(t *testing.T) {
	t.Parallel()
	endless := &slowly{bytes.Repeat([]byte("data: x"), 1<<20), 1 << 16}
	_, err := io.ReadAll(serve.WholeFrames(io.NopCloser(endless)))
	if !errors.Is(err, io.ErrShortBuffer) || len(endless.left) < 7<<20-serve.ClientBuffer-1<<20 {
		t.Errorf("%v with %d bytes left", err, len(endless.left))
	}
}

// slowly gives out no more than step bytes at once.
type slowly struct {
	left []byte
	step int
}

func (s *slowly) Read(p []byte) (int, error) {
	if len(s.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), s.step)], s.left)
	s.left = s.left[n:]
	return n, nil
}

// FuzzPage: any answer of a backlog is read or refused; ours comes back as it was.
func FuzzPage(f *testing.F) {
	for _, s := range []string{"", "{", "[]", `{"events":null,"cursor":"aa-1"}`, `{"events":[1, {"a":[2]} ,"x"],"cursor":"0-0","truncated":true,"more":{}}`,
		`{"events":{},"cursor":1}`, `{"cursor":"aa-1","events":[`, "{}\n{\"a\": 1 } \n", " [1]\t\n null"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, _ = serve.ParsePage(data)
		var lines []string
		for line := range strings.SplitSeq(string(data), "\n") {
			if json.Valid([]byte(line)) {
				lines = append(lines, line)
			}
		}
		got, cursor, err := serve.ParsePage([]byte(`{"events":[` + strings.Join(lines, ",") + `],"cursor":"aa-9"}` + "\n"))
		if err != nil || cursor.String() != "aa-9" || len(got) != len(lines) {
			t.Fatalf("%d of %d lines, %v, %v", len(got), len(lines), cursor, err)
		}
		for i, line := range got {
			if string(line) != lines[i] {
				t.Fatalf("line %d is %q, want %q", i, line, lines[i])
			}
		}
	})
}

func contextThatEnded(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx, cancel
}
