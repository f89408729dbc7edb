package telemetry

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// timeLayout is the published format of ts.
const timeLayout = "2006-01-02T15:04:05.000Z"

// partBudget is what payload and result may take of a line each when the line
// would be too long: well under half of it, so that the envelope always fits.
const partBudget = 480 << 10

// keepMember is the longest member of a cut object that stays in it.
const (
	keepMember = 512
	keepTotal  = 16 << 10
)

// encoder is a buffer with a JSON encoder on it, reused.
type encoder struct {
	buf bytes.Buffer
	enc *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.enc = json.NewEncoder(&e.buf)
	e.enc.SetEscapeHTML(false)
	return e
}}

// encodeLine returns the redacted line of one event, without its newline.
func encodeLine(red *Redactor, now time.Time, s Scope, d Draft) ([]byte, error) {
	if err := CheckType(d.Type); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	payload, err := object(d.Type, "payload", d.Payload)
	if err != nil {
		return nil, err
	}
	result, err := object(d.Type, "result", d.Result)
	if err != nil {
		return nil, err
	}
	if d.Err != "" { // before it is cut, so that no secret is cut in half
		d.Err = shorten(red.String(d.Err), maxError)
	}
	line := make([]byte, 0, 512+len(payload)+len(result)+len(d.Err))
	line = appendEnvelope(line, now, s, d, payload, result)
	out, _ := red.redact(line, 0)
	if len(out)+1 > MaxLine {
		payload, result = cutPart(red, payload), cutPart(red, result)
		out, _ = red.redact(appendEnvelope(line[:0], now, s, d, payload, result), 0)
	}
	if len(out)+1 > MaxLine {
		return nil, fault.New(fault.Internal, "event %s: a line of %d bytes is too long", d.Type, len(out))
	}
	if kindOfLine(out) != goodLine { // each part is valid, but the envelope is one level more
		return nil, fault.New(fault.Usage, "event %s: no reader could read its line: payload or result is nested too deep", d.Type).
			Hintf("at most %d objects and lists may be inside one another", maxDepth-1)
	}
	return out, nil
}

// cutPart redacts part before it is measured: what stands for a secret may be
// longer than that was.
func cutPart(red *Redactor, part []byte) []byte {
	out, _ := red.redact(part, 0)
	if len(out) <= partBudget {
		return out
	}
	return cut(out)
}

func appendEnvelope(b []byte, now time.Time, s Scope, d Draft, payload, result []byte) []byte {
	chain := d.ChainID
	if chain == 0 {
		chain = s.ChainID
	}
	b = append(b, `{"v":1,"ts":"`...)
	b = now.UTC().AppendFormat(b, timeLayout)
	b = appendString(append(b, `","eventType":`...), d.Type)
	b = appendString(append(b, `,"agentId":`...), s.AgentID)
	b = appendString(append(b, `,"sessionId":`...), s.SessionID)
	b = appendString(append(b, `,"traceId":`...), s.TraceID)
	b = appendString(append(b, `,"command":`...), s.Command)
	b = strconv.AppendBool(append(b, `,"dryRun":`...), d.DryRun)
	b = strconv.AppendInt(append(b, `,"chainId":`...), chain, 10)
	b = append(append(b, `,"payload":`...), payload...)
	b = append(append(b, `,"result":`...), result...)
	b = strconv.AppendBool(append(b, `,"ok":`...), d.Err == "")
	b = append(b, `,"error":`...)
	if d.Err == "" {
		b = append(b, "null"...)
	} else {
		b = appendString(b, d.Err)
	}
	if s.Source != "" {
		b = appendString(append(b, `,"source":`...), s.Source)
	}
	return append(b, '}')
}

// object marshals v, which must become a JSON object; nil becomes {}.
func object(typ, part string, v any) ([]byte, error) {
	if v == nil {
		return []byte("{}"), nil
	}
	e := encoders.Get().(*encoder)
	defer func() {
		if e.buf.Cap() <= 64<<10 { // don't keep the memory of a rare large one
			encoders.Put(e)
		}
	}()
	e.buf.Reset()
	if err := e.enc.Encode(v); err != nil {
		return nil, fault.Wrap(err, fault.Internal, "event %s: its %s can't be written as JSON", typ, part)
	}
	b := bytes.TrimRight(e.buf.Bytes(), "\n")
	if string(b) == "null" {
		return []byte("{}"), nil
	}
	if b[0] != '{' {
		return nil, fault.New(fault.Internal, "event %s: its %s is not an object", typ, part)
	}
	return tidy(bytes.Clone(b)), nil
}

// tidy finishes what a json.RawMessage may have brought in unchecked: bytes
// that are not UTF-8, and the two separators that JSON allows and line readers
// do not. Both occur in strings only.
func tidy(b []byte) []byte {
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\ufffd"))
	}
	if bytes.Contains(b, []byte("\u2028")) {
		b = bytes.ReplaceAll(b, []byte("\u2028"), []byte(`\u2028`))
	}
	if bytes.Contains(b, []byte("\u2029")) {
		b = bytes.ReplaceAll(b, []byte("\u2029"), []byte(`\u2029`))
	}
	return b
}

// cut replaces an object that is too long by its small members and a marker:
// {…,"truncated":true,"bytes":N}, N being its size before.
func cut(obj []byte) []byte {
	out := []byte{'{'}
	list, _ := members(obj)
	for _, m := range list {
		if m.key == "truncated" || m.key == "bytes" || len(m.key)+len(m.value) > keepMember || len(out) > keepTotal {
			continue
		}
		out = append(append(appendString(out, m.key), ':'), m.value...)
		out = append(out, ',')
	}
	out = append(out, `"truncated":true,"bytes":`...)
	out = strconv.AppendInt(out, int64(len(obj)), 10)
	return append(out, '}')
}

// shorten cuts s to at most limit bytes at a rune's start and says so.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "… (" + strconv.Itoa(len(s)) + " bytes)"
}
