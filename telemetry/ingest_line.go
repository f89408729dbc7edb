package telemetry

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// The fields of an envelope as they may come in.
const (
	inVersion = iota
	inTime
	inType
	inAgent
	inSession
	inTrace
	inCommand
	inDryRun
	inChain
	inPayload
	inData // payload's published alias
	inResult
	inOK
	inError
	inSource
	inEventID
	inFields
)

// inName is inField's inverse.
var inName = [inFields]string{"v", "ts", "eventType", "agentId", "sessionId", "traceId", "command", "dryRun", "chainId",
	"payload", "data", "result", "ok", "error", "source", "eventId"}

func inField(key []byte) int {
	for i := range inName {
		if string(key) == inName[i] {
			return i
		}
	}
	return -1
}

// Further codes of why a line is refused.
const (
	tooDeepCode = "too_deep"
	twiceCode   = "duplicate_key"
	bomCode     = "bom"
	badIDCode   = "bad_id"
)

// lineProblem says what is wrong with an incoming line, and with which field.
type lineProblem struct{ code, field, reason, hint string }

func badKind(field int, want string) *lineProblem {
	return &lineProblem{code: badFieldCode, field: inName[field], reason: inName[field] + " is not " + want}
}

// incomingLine is a line on its way in: the values as they stand in it, nil for what
// is missing or null.
type incomingLine struct {
	value   [inFields][]byte
	dropped int
	whole   bool // there is no space that a line can't hold, and no separator of lines
}

// readIncoming reads one envelope. The values are parts of line.
func (r *reading) readIncoming(line []byte) (m incomingLine, p *lineProblem) {
	s := &r.scan
	s.reset(line)
	i := skipSpace(line, 0)
	if i == len(line) || line[i] != '{' {
		return m, r.noObject(line, i)
	}
	end, ok := s.object(i, 1, func(key, value []byte) {
		if f := inField(key); f < 0 {
			m.dropped++
		} else if string(value) != "null" {
			m.value[f] = value
		}
	})
	if !ok {
		if bytes.IndexByte(line, 0) >= 0 {
			return m, &lineProblem{code: nulCode, reason: "it holds NUL bytes"}
		}
		return m, s.problem(end)
	}
	if end = skipSpace(line, end); end != len(line) {
		return m, &lineProblem{code: notJSONLineCode, reason: "something follows the JSON object, at byte " + strconv.Itoa(end+1),
			hint: "several events are sent one a line, as application/x-ndjson"}
	}
	if !r.utf8 && !utf8.Valid(line) {
		return m, &lineProblem{code: utf8Code, reason: "it is not UTF-8"}
	}
	return m, nil
}

func (r *reading) noObject(line []byte, i int) *lineProblem {
	switch {
	case bytes.HasPrefix(line, []byte("\ufeff")):
		return &lineProblem{code: bomCode, reason: "it begins with a byte order mark", hint: "send UTF-8 without one"}
	case bytes.IndexByte(line, 0) >= 0:
		return &lineProblem{code: nulCode, reason: "it holds NUL bytes"}
	case i < len(line) && line[i] == '[':
		return &lineProblem{code: notJSONLineCode, reason: "it is a list, not an event", hint: "several events are sent one a line, as application/x-ndjson"}
	}
	return &lineProblem{code: notJSONLineCode, reason: "it is no JSON object"}
}

// text returns the text of a field, def when it is missing or empty. It is a part of
// the line unless there are escapes in it.
func (m *incomingLine) text(field int, def string) ([]byte, *lineProblem) {
	v := m.value[field]
	if v == nil {
		return []byte(def), nil
	}
	if v[0] != '"' {
		return nil, badKind(field, "text")
	}
	t := unquote(v)
	if len(t) == 0 {
		return []byte(def), nil
	}
	return t, nil
}

// id is text that an envelope can hold as an id.
func (m *incomingLine) id(field int, def string) ([]byte, *lineProblem) {
	t, p := m.text(field, def)
	if p != nil {
		return nil, p
	}
	if len(t) > maxID {
		return nil, &lineProblem{code: badIDCode, field: inName[field], reason: inName[field] + " is longer than " + strconv.Itoa(maxID) + " bytes"}
	}
	if hasControl(t) {
		return nil, &lineProblem{code: badIDCode, field: inName[field], reason: inName[field] + " has a control character"}
	}
	return t, nil
}

func hasControl(t []byte) bool {
	for _, c := range t {
		if c < 0x20 || c >= 0x7f {
			return bytes.ContainsFunc(t, isControl)
		}
	}
	return false
}

func (m *incomingLine) flag(field int, def bool) (bool, *lineProblem) {
	v := m.value[field]
	if v == nil {
		return def, nil
	}
	b, ok := boolOf(v)
	if !ok {
		return false, badKind(field, "true or false")
	}
	return b, nil
}

// part is payload or result, as one piece of a line.
func (m *incomingLine) part(field int) ([]byte, *lineProblem) {
	v := m.value[field]
	switch {
	case v == nil:
		return []byte("{}"), nil
	case v[0] != '{':
		return nil, badKind(field, "an object")
	}
	if !m.whole {
		v = WholeText(tidy(joinLines(v)))
	}
	return v, nil
}

// joinLines returns JSON without the ends of lines, which only stand between values.
func joinLines(b []byte) []byte {
	if bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, '\r') < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		switch b[i] {
		case '"':
			end, _ := skipString(b, i)
			out = append(out, b[i:end]...)
			i = end
		case ' ', '\t', '\r', '\n':
			i++
		default:
			out = append(out, b[i])
			i++
		}
	}
	return out
}

// moment appends ts as an envelope has it.
func (r *reading) moment(dst []byte, m *incomingLine) ([]byte, *lineProblem) {
	v := m.value[inTime]
	if v == nil {
		return r.now.AppendFormat(dst, timeLayout), nil
	}
	at, ok := timeOf(v)
	if !ok {
		return nil, &lineProblem{code: badTimeCode, field: "ts", reason: "ts is neither a time with its zone (2026-02-18T12:00:00Z) nor unix seconds"}
	}
	if len(v) == len(timeLayout)+2 && v[len(v)-2] == 'Z' && isTime(string(v[1:len(v)-1])) {
		return append(dst, v[1:len(v)-1]...), nil
	}
	return at.UTC().AppendFormat(dst, timeLayout), nil
}

// outcome returns error, "" when the event tells of none. It is null exactly when ok.
func (m *incomingLine) outcome(result []byte) (string, *lineProblem) {
	if v := m.value[inError]; v != nil && v[0] != '"' {
		return "", badKind(inError, "text or null")
	}
	text := stringOf(m.value[inError])
	ok, p := m.flag(inOK, text == "")
	switch {
	case p != nil:
		return "", p
	case ok && text != "":
		return "", &lineProblem{code: badFieldCode, field: "error", reason: "ok is true, and error says something else"}
	case !ok && text == "":
		if text = reasonIn(result); text == "" {
			text = noError
		}
	}
	return text, nil
}

func (m *incomingLine) chain() (int64, *lineProblem) {
	v := m.value[inChain]
	if v == nil {
		return DefaultChainID, nil
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil || n < 0 {
		return 0, badKind(inChain, "a whole number")
	}
	return n, nil
}
