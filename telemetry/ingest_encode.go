package telemetry

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// reading turns what one request brings into lines of the log.
type reading struct {
	g      *Ingest
	scan   strictScan
	now    time.Time
	utf8   bool   // all of the body is
	random []byte // what is left of fresh
	fresh  [64 * idBytes]byte
	buf    []byte // the lines, with their newlines
	room   []good // for batch.lines
}

// good is a line that may be appended.
type good struct {
	from, to int // in reading.buf
	result   int // in Taken.Lines
	agent    string
	id       eventID
	own      bool // it came with its id
	money    bool
	unknown  bool // the catalogue does not have its type
	dropped  int
	twice    bool // the log has it
	at       int  // where it ends in the block that is appended
}

// line adds an envelope to buf. Of a line that is refused nothing stays there.
func (r *reading) line(raw []byte, in *Incoming, whole bool) (l good, id string, p *lineProblem) {
	m, p := r.readIncoming(raw)
	if p != nil {
		return l, "", p
	}
	m.whole = whole
	l.from, l.dropped = len(r.buf), m.dropped
	given, p := m.id(inEventID, "")
	if p != nil {
		return l, "", p
	}
	if l.own = len(given) > 0; l.own {
		id = string(given)
	} else {
		id = r.newID()
	}
	buf, p := r.encode(&m, in, &l, id)
	if p != nil {
		r.buf = r.buf[:l.from]
		if !l.own {
			id = ""
		}
		return l, id, p
	}
	if l.own {
		l.id = parseID(l.agent, id)
	}
	r.buf, l.to = append(buf, '\n'), len(buf)+1
	return l, id, nil
}

func (r *reading) encode(m *incomingLine, in *Incoming, l *good, id string) (b []byte, p *lineProblem) {
	if v := m.value[inVersion]; v != nil && !isOne(v) {
		return nil, &lineProblem{code: newerCode, field: "v", reason: "v is not 1"}
	}
	name, p := m.id(inType, "")
	if p == nil && len(name) == 0 {
		p = &lineProblem{code: noTypeCode, field: "eventType", reason: "it has no eventType"}
	}
	if p != nil {
		return nil, p
	}
	if p = r.agent(m, in, l); p != nil {
		return nil, p
	}
	k, known := find(string(name))
	l.unknown, l.money = !known, known && k.decl.money
	b = append(r.buf, `{"v":1,"ts":"`...)
	if b, p = r.moment(b, m); p != nil {
		return nil, p
	}
	b = appendString(append(b, `","eventType":`...), name)
	b = appendString(append(b, `,"agentId":`...), l.agent)
	session, p := m.id(inSession, DefaultSessionID)
	if p != nil {
		return nil, p
	}
	b = appendString(append(b, `,"sessionId":`...), session)
	trace, p := m.id(inTrace, "")
	if p != nil {
		return nil, p
	}
	b = append(b, `,"traceId":`...)
	if len(trace) > 0 {
		b = appendString(b, trace)
	} else {
		b = appendString(b, r.traceOf(id))
	}
	command, p := m.text(inCommand, "")
	if p != nil {
		return nil, p
	}
	b = appendString(append(b, `,"command":`...), r.command(command))
	dry, p := m.flag(inDryRun, true)
	if p != nil {
		return nil, p
	}
	b = strconv.AppendBool(append(b, `,"dryRun":`...), dry)
	chain, p := m.chain()
	if p != nil {
		return nil, p
	}
	b = strconv.AppendInt(append(b, `,"chainId":`...), chain, 10)
	return r.encodeParts(b, m, id)
}

func (r *reading) encodeParts(b []byte, m *incomingLine, id string) ([]byte, *lineProblem) {
	from, head := len(r.buf), len(b)
	field := inPayload
	if m.value[inPayload] == nil {
		field = inData
	} else if m.value[inData] != nil {
		m.dropped++
	}
	payload, p := m.part(field)
	if p != nil {
		return nil, p
	}
	result, p := m.part(inResult)
	if p != nil {
		return nil, p
	}
	text, p := m.outcome(result)
	if p != nil {
		return nil, p
	}
	if len(text) > maxError { // redacted before it is cut, so that no secret is cut in half
		text = shorten(r.g.red.String(text), maxError)
	}
	source, p := m.id(inSource, "")
	if p != nil {
		return nil, p
	}
	for range 2 {
		b = append(append(b[:head], `,"payload":`...), payload...)
		b = append(append(b, `,"result":`...), result...)
		if text == "" {
			b = append(b, `,"ok":true,"error":null`...)
		} else {
			b = appendString(append(b, `,"ok":false,"error":`...), text)
		}
		if len(source) > 0 {
			b = appendString(append(b, `,"source":`...), source)
		}
		own := len(b)
		b = append(appendString(append(b, `,"eventId":`...), id), '}')
		line, changed := b[from:], false
		if r.g.red.mayHold(line) {
			line, changed = r.g.red.redact(line, 0)
		}
		if changed && !bytes.HasSuffix(line, b[own:]) { // nothing would tell a repetition
			return nil, &lineProblem{code: badIDCode, field: inName[inEventID], reason: "eventId looks like a secret, which is not kept"}
		}
		switch {
		case len(line)+1 > MaxLine:
			payload, result = cutPart(r.g.red, payload), cutPart(r.g.red, result)
			continue
		case changed:
			b = append(b[:from], line...)
		}
		return b, nil
	}
	return nil, &lineProblem{code: tooLongCode, reason: "it is too long"}
}

// agent finds whose event it is.
func (r *reading) agent(m *incomingLine, in *Incoming, l *good) *lineProblem {
	own, p := m.id(inAgent, DefaultAgentID)
	if p != nil {
		return p
	}
	if l.agent = in.AgentID; l.agent != "" {
		return nil
	}
	l.agent = string(own)
	if in.AllowID == nil {
		return nil
	}
	if err := in.AllowID(l.agent); err != nil {
		f := fault.From(err)
		return &lineProblem{code: badIDCode, field: "agentId", reason: f.Message, hint: f.Hint}
	}
	return nil
}

// command bounds the words of a command, however long and odd they are.
func (r *reading) command(c []byte) []byte {
	if len(c) > maxImportedCommand {
		c = []byte(shorten(r.g.red.String(string(c)), maxImportedCommand))
	}
	if !hasControl(c) {
		return c
	}
	return bytes.Map(func(c rune) rune {
		if isControl(c) {
			return ' '
		}
		return c
	}, c)
}

// ingestPrefix begins the eventId of a line that came without one.
const ingestPrefix = "in-"

// idBytes are the random bytes of such an id.
const idBytes = 12

func (r *reading) newID() string {
	var b [len(ingestPrefix) + 2*idBytes]byte
	copy(b[:], ingestPrefix)
	hex.Encode(b[len(ingestPrefix):], r.take(idBytes))
	return string(b[:])
}

// take returns n random bytes, good until the next call.
func (r *reading) take(n int) []byte {
	if len(r.random) < n {
		r.random = r.fresh[:]
		_, _ = rand.Read(r.random) // it never fails: the program ends instead
	}
	b := r.random[:n]
	r.random = r.random[n:]
	return b
}

// traceOf makes a trace id for an event that names none.
func (r *reading) traceOf(id string) string {
	b := append(make([]byte, 0, 32), "trace_"...)
	b = append(strconv.AppendInt(b, r.now.UnixMilli(), 10), '_')
	return string(append(b, strings.ReplaceAll(id[max(0, len(id)-8):], "/", "_")...))
}
