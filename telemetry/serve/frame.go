package serve

import (
	"bytes"
	"encoding/json"
	"sort"
	"strconv"
	"sync/atomic"

	"github.com/ape-claw/ape-claw/telemetry"
)

// segmentBytes is the room for frames of one segment, and so the most that one
// write takes and that a client stuck in it holds in memory; a single event may be
// larger.
const segmentBytes = 256 << 10

// segment is a run of consecutive frames, encoded once and shared by all clients.
// What is in buf and frames never changes; the newest segment of the hub grows, and
// who reads it takes a chunk.
type segment struct {
	log    string
	start  int64 // position before the first event; lines that are not good may lie between frames
	live   bool  // its frames say when the hub saw them
	oldest bool  // the log begins with it
	gone   atomic.Bool

	// Guarded by hub.mu while the hub adds to it.
	buf    []byte // the frames, back to back
	frames []frameRef
	end    int64 // position up to where the log is covered
}

const frameRefBytes = 16

// frameRef finds one frame and its event in the segment's bytes.
type frameRef struct {
	at   int64  // position after the event
	stop uint32 // where the frame ends in buf
	seen uint32 // tick at which the hub had it
}

// chunk is a segment as it was at one moment.
type chunk struct {
	seg    *segment
	buf    []byte
	frames []frameRef
	end    int64
}

func newChunk(after telemetry.Cursor, room int) chunk {
	s := &segment{log: after.Log, start: after.Pos, end: after.Pos}
	return chunk{seg: s, buf: make([]byte, 0, room), end: after.Pos}
}

// cost is the memory that c holds.
func (c chunk) cost() int { return cap(c.buf) + cap(c.frames)*frameRefBytes }

// frameRoom is the most that the frame of l takes.
func frameRoom(l telemetry.Line) int {
	return len("id: ") + len(l.At.Log) + len("-9223372036854775807") + len("\ndata: ") + len(l.Data) + len("\n\n")
}

// add appends the frame of l; the caller alone adds to the segment. It reports
// false when there is no room.
func (c *chunk) add(l telemetry.Line, tick uint32) bool {
	if len(c.buf)+frameRoom(l) > cap(c.buf) {
		return false
	}
	buf := append(append(append(c.buf, "id: "...), l.At.Log...), '-')
	c.buf, _ = appendData(strconv.AppendInt(buf, l.At.Pos, 10), l.Data)
	c.frames = append(c.frames, frameRef{at: l.At.Pos, stop: uint32(len(c.buf)), seen: tick})
	c.end = l.At.Pos
	return true
}

// cursor returns the place after c.
func (c chunk) cursor() telemetry.Cursor { return telemetry.Cursor{Log: c.seg.log, Pos: c.end} }

// from returns the offset of frame i, which may be the one after the last.
func (c chunk) from(i int) int {
	if i == 0 {
		return 0
	}
	return int(c.frames[i-1].stop)
}

// line returns the event of frame i.
func (c chunk) line(i int) []byte {
	frame := c.buf[c.from(i):c.frames[i].stop]
	data := bytes.IndexByte(frame, '\n') + 1 + len("data: ")
	return frame[data : len(frame)-len("\n\n")]
}

// after returns the index of the first frame after pos.
func (c chunk) after(pos int64) int {
	return sort.Search(len(c.frames), func(i int) bool { return c.frames[i].at > pos })
}

// appendFrame appends the event as one SSE frame without a name, and returns
// where the event's bytes begin.
func appendFrame(dst []byte, id string, line []byte) (frame []byte, data int) {
	return appendData(append(append(dst, "id: "...), id...), line)
}

// appendData completes a frame that has its id. A CR at the end is the rest of a
// CRLF and no part of the event. SSE ends a line at a bare CR too, so a foreign line
// that has one between its tokens is compacted; no valid JSON has one inside a string.
func appendData(dst, line []byte) (frame []byte, data int) {
	dst = append(dst, "\ndata: "...)
	data = len(dst)
	line = bytes.TrimRight(line, "\r")
	if bytes.IndexByte(line, '\r') >= 0 || bytes.IndexByte(line, '\n') >= 0 {
		line = compact(line)
	}
	dst = append(dst, line...)
	return append(dst, "\n\n"...), data
}

func compact(line []byte) []byte {
	var out bytes.Buffer
	if json.Compact(&out, line) == nil {
		return out.Bytes()
	}
	// Not JSON: the log does not hand such lines out, but framing must hold anyway.
	return bytes.ReplaceAll(bytes.ReplaceAll(line, []byte{'\r'}, []byte{' '}), []byte{'\n'}, []byte{' '})
}

// appendNamed appends a frame with an event name, which EventSource does not
// give to onmessage.
func appendNamed(dst []byte, name, id string, data []byte) []byte {
	dst = append(append(dst, "event: "...), name...)
	if id != "" {
		dst = append(append(dst, "\nid: "...), id...)
	}
	dst = append(append(dst, "\ndata: "...), data...)
	return append(dst, "\n\n"...)
}

// resetData tells a client that its position can't be served.
type resetData struct {
	From   string `json:"from"`   // what the client asked for
	Oldest string `json:"oldest"` // the oldest position there is
	Reason string `json:"reason"` // gone or unknown
}
