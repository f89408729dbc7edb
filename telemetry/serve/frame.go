package serve

import (
	"bytes"
	"encoding/json"
	"sort"
	"sync/atomic"

	"github.com/ape-claw/ape-claw/telemetry"
)

// block is a run of consecutive frames, encoded once and shared by all clients.
// But for gone, it does not change after it was made.
type block struct {
	gone       atomic.Bool      // the hub dropped it: only clients in the middle of it may hold it
	start, end telemetry.Cursor // what it covers; lines that are not good may lie between its frames
	buf        []byte           // the frames, back to back
	frames     []frameRef
}

// frameRef finds one frame, and the event in it, in the block's bytes.
type frameRef struct {
	at         int64 // position after the event, in the log of the block
	data, stop int   // the event is buf[data:stop-2]; the frame ends at stop
}

func newBlock(start, end telemetry.Cursor, lines []telemetry.Line) *block {
	size := 0
	for _, l := range lines {
		size += len(l.Data) + 64
	}
	b := &block{start: start, end: end, buf: make([]byte, 0, size), frames: make([]frameRef, 0, len(lines))}
	for _, l := range lines {
		var data int
		b.buf, data = appendFrame(b.buf, l.At.String(), l.Data)
		b.frames = append(b.frames, frameRef{at: l.At.Pos, data: data, stop: len(b.buf)})
	}
	return b
}

// line returns the event of frame i.
func (b *block) line(i int) []byte { return b.buf[b.frames[i].data : b.frames[i].stop-2] }

// from returns the offset of frame i.
func (b *block) from(i int) int {
	if i == 0 {
		return 0
	}
	return b.frames[i-1].stop
}

// after returns the index of the first frame after pos.
func (b *block) after(pos int64) int {
	return sort.Search(len(b.frames), func(i int) bool { return b.frames[i].at > pos })
}

// appendFrame appends the event as one SSE frame without a name, and returns
// where the event's bytes begin. A CR at the end is the rest of a CRLF and no part
// of the event. SSE ends a line at a bare CR too, so a foreign line that has one
// between its tokens is compacted; no valid JSON has one inside a string.
func appendFrame(dst []byte, id string, line []byte) (frame []byte, data int) {
	dst = append(append(append(dst, "id: "...), id...), "\ndata: "...)
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
	return bytes.Map(func(r rune) rune {
		if r == '\r' || r == '\n' {
			return ' '
		}
		return r
	}, line)
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
