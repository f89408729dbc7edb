package telemetry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// importPrefix begins the eventId of a line that had none where it came from:
// import-<hash of the line>/<which of the equal ones>.
const importPrefix = "import-"

// importSource marks imported events that name no source.
const importSource = "import"

// lineKey tells lines apart: a hash of what they say, or of the id they bear.
type lineKey [16]byte

// keyOf returns the key of a line of a log, ours or another. own says that the line
// bears an id of its own, so that a second one with it is the same event; without
// one, equal lines are told apart by their number. A secret under a sensitive name,
// which may be short enough to guess, is not in the hash.
func keyOf(line []byte) (key lineKey, own bool) {
	line = bytes.TrimSpace(line)
	if bytes.Contains(line, []byte(`"eventId"`)) {
		if s := stringOf(valueOf(line, "eventId")); s != "" && CheckID("", s) == nil {
			if hash, ok := strings.CutPrefix(s, importPrefix); ok {
				hash, _, _ = strings.Cut(hash, "/")
				if b, err := hex.DecodeString(hash); err == nil && len(b) == len(key) {
					return lineKey(b), false
				}
			}
			sum := sha256.Sum256([]byte("eventId\x00" + s))
			return lineKey(sum[:len(key)]), true
		}
	}
	var patterns *Redactor // knows no exact secrets: the same for everybody
	sum := sha256.Sum256(patterns.Foreign(line))
	return lineKey(sum[:len(key)]), false
}

// importedID is the eventId of the n-th of equal lines.
func importedID(key lineKey, n uint32) string {
	return importPrefix + hex.EncodeToString(key[:]) + "/" + strconv.FormatUint(uint64(n), 10)
}

// Why a line can't be imported.
const (
	notJSONLineCode = "not_json"
	nulCode         = "nul"
	utf8Code        = "utf8"
	tooLongCode     = "too_long"
	tornCode        = "torn"
	noTypeCode      = "no_type"
	badTimeCode     = "bad_ts"
	badFieldCode    = "bad_field"
	newerCode       = "newer_version"
)

// ImportProblem says what is wrong with a line.
type ImportProblem struct {
	Line   int64  `json:"line"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

func problem(code, reason string) *ImportProblem { return &ImportProblem{Code: code, Reason: reason} }

// importLine is a line of another log on its way into this one.
type importLine struct {
	raw             map[string][]byte
	at              time.Time
	scope           Scope
	draft           Draft
	payload, result []byte
	eventID         string
	filled          []string // fields that were missing
}

// readImport reads a line. Before is the time of the line before it, zero when
// there is none.
//
// What the published schema has a default for is filled in. A missing time is not
// "now", as for an event that is sent: it happened in the past, and not before what
// stands above it in a file that only grows. So it is given that line's time.
func readImport(line []byte, before time.Time) (*importLine, *ImportProblem) {
	switch {
	case bytes.IndexByte(line, 0) >= 0:
		return nil, problem(nulCode, "it holds NUL bytes")
	case !utf8.Valid(line):
		return nil, problem(utf8Code, "it is not UTF-8")
	case !validObject(line):
		return nil, problem(notJSONLineCode, "it is no JSON object")
	}
	m := &importLine{raw: map[string][]byte{}}
	eachMember(line, func(key, value []byte) {
		if string(value) == "null" { // as good as missing, and the last of equal names counts
			delete(m.raw, string(key))
			return
		}
		m.raw[string(key)] = value
	})
	for _, read := range []func() *ImportProblem{
		m.readVersion, m.readType, func() *ImportProblem { return m.readTime(before) }, m.readIDs, m.readFlags, m.readParts, m.readOutcome,
	} {
		if p := read(); p != nil {
			return nil, p
		}
	}
	return m, nil
}

// has reports whether the field is there, and notes it as filled in if not.
func (m *importLine) has(name string) bool {
	if m.raw[name] == nil {
		m.filled = append(m.filled, name)
		return false
	}
	return true
}

func (m *importLine) readVersion() *ImportProblem {
	if !m.has("v") || isOne(m.raw["v"]) {
		return nil
	}
	return problem(newerCode, "its v is not 1")
}

func isOne(value []byte) bool {
	n, err := strconv.ParseFloat(string(value), 64)
	return err == nil && n == Version
}

func (m *importLine) readType() *ImportProblem {
	name := stringOf(m.raw["eventType"])
	if name == "" {
		return problem(noTypeCode, "it has no eventType")
	}
	m.draft.Type = name
	return badText("eventType", name)
}

// badText is the problem of a text that no envelope can hold.
func badText(name, value string) *ImportProblem {
	if len(value) > maxID {
		return problem(badFieldCode, name+" is longer than "+strconv.Itoa(maxID)+" bytes")
	}
	if strings.ContainsFunc(value, isControl) {
		return problem(badFieldCode, name+" has a control character")
	}
	return nil
}

func (m *importLine) readTime(before time.Time) *ImportProblem {
	if !m.has("ts") {
		m.at = before
		if before.IsZero() {
			return problem(badTimeCode, "it has no ts, and no line before it has one")
		}
		return nil
	}
	at, ok := timeOf(m.raw["ts"])
	if !ok {
		return problem(badTimeCode, "its ts is neither a time with its zone (2026-02-18T12:00:00Z) nor unix seconds")
	}
	m.at = at
	return nil
}

func (m *importLine) readIDs() *ImportProblem {
	for _, f := range []struct {
		name, def string
		into      *string
	}{
		{"agentId", DefaultAgentID, &m.scope.AgentID}, {"sessionId", DefaultSessionID, &m.scope.SessionID},
		{"traceId", "", &m.scope.TraceID}, {"source", importSource, &m.scope.Source}, {"command", "", &m.scope.Command},
	} {
		*f.into = f.def
		if f.name != "source" && !m.has(f.name) || m.raw[f.name] == nil {
			continue
		}
		if m.raw[f.name][0] != '"' {
			return problem(badFieldCode, f.name+" is not text")
		}
		s := stringOf(m.raw[f.name])
		if f.name == "command" {
			m.scope.Command = s // however long and odd: it is cut when it is written
			continue
		}
		if p := badText(f.name, s); p != nil {
			return p
		}
		if s != "" {
			*f.into = s
		}
	}
	if id := stringOf(m.raw["eventId"]); badText("", id) == nil {
		m.eventID = id
	}
	return nil
}

func (m *importLine) readFlags() *ImportProblem {
	m.draft.DryRun = true // the published default
	if m.has("dryRun") {
		b, ok := boolOf(m.raw["dryRun"])
		if !ok {
			return problem(badFieldCode, "dryRun is neither true nor false")
		}
		m.draft.DryRun = b
	}
	m.scope.ChainID = DefaultChainID
	if m.has("chainId") {
		n, err := strconv.ParseInt(strings.Trim(string(m.raw["chainId"]), `"`), 10, 64)
		if err != nil || n < 0 {
			return problem(badFieldCode, "chainId is not a whole number")
		}
		m.scope.ChainID = n
	}
	return nil
}

func boolOf(value []byte) (b, ok bool) {
	return string(value) == "true", string(value) == "true" || string(value) == "false"
}

// readParts reads payload and result. Data is the published alias of payload; what
// is no object becomes the member "value" of one.
func (m *importLine) readParts() *ImportProblem {
	if m.raw["payload"] == nil && m.raw["data"] != nil {
		m.raw["payload"] = m.raw["data"]
	}
	m.payload, m.result = m.part("payload"), m.part("result")
	return nil
}

func (m *importLine) part(name string) []byte {
	switch {
	case !m.has(name):
		return []byte("{}")
	case m.raw[name][0] == '{':
		return WholeText(tidy(m.raw[name]))
	}
	m.filled = append(m.filled, name+".value")
	return WholeText(tidy(append(append([]byte(`{"value":`), m.raw[name]...), '}')))
}

// noError stands for the text of a failure that was recorded without one.
const noError = "failed, and no error was recorded"

// readOutcome brings ok and error together: error is null exactly when ok.
func (m *importLine) readOutcome() *ImportProblem {
	text := errorText(m.raw["error"])
	if !m.has("ok") {
		m.draft.Err = text
		return nil
	}
	ok, isBool := boolOf(m.raw["ok"])
	switch {
	case !isBool:
		return problem(badFieldCode, "ok is neither true nor false")
	case ok && text != "":
		return problem(badFieldCode, "ok is true, and error says something else")
	case ok:
		return nil
	}
	if text == "" {
		m.filled = append(m.filled, "error")
		if text = reasonIn(m.result); text == "" {
			text = noError
		}
	}
	m.draft.Err = text
	return nil
}

// errorText is the text of an error: a string, or what an object says as one.
func errorText(value []byte) string {
	if len(value) == 0 || value[0] == '"' {
		return stringOf(value)
	}
	var e struct{ Message string }
	if json.Unmarshal(value, &e) == nil && e.Message != "" {
		return e.Message
	}
	if string(value) == "false" {
		return ""
	}
	return string(value)
}

// reasonIn finds why something failed in its result, where the original wrote it.
func reasonIn(result []byte) (reason string) {
	eachMember(result, func(key, value []byte) {
		if (string(key) == "reason" || string(key) == "error") && reason == "" {
			reason = stringOf(value)
		}
	})
	return reason
}

// maxImportedCommand leaves room for the note that a command was cut.
const maxImportedCommand = maxCommand - 40

// encode returns the line as this log holds it, redacted. id is for a line that
// bears none.
func (m *importLine) encode(red *Redactor, id string) (line []byte, redacted bool, p *ImportProblem) {
	scope, draft := m.scope, m.draft
	if m.eventID != "" {
		id = m.eventID
	}
	if scope.TraceID == "" { // the same however often it is imported
		sum := sha256.Sum256([]byte(id))
		scope.TraceID = "trace_" + strconv.FormatInt(m.at.UnixMilli(), 10) + "_" + hex.EncodeToString(sum[:4])
	}
	// Redacted before they are cut, so that no secret is cut in half.
	scope.Command = strings.Map(func(r rune) rune {
		if isControl(r) {
			return ' '
		}
		return r
	}, shorten(red.String(scope.Command), maxImportedCommand))
	draft.Err = shorten(red.String(draft.Err), maxError)
	payload, result := m.payload, m.result
	for range 2 {
		line = appendEnvelope(nil, m.at, scope, draft, payload, result)
		line = appendString(append(line[:len(line)-1], `,"eventId":`...), id)
		line, redacted = red.redact(append(line, '}'), 0)
		if len(line)+1 <= MaxLine {
			break
		}
		payload, result = cutPart(red, payload), cutPart(red, result)
	}
	redacted = redacted || scope.Command != m.scope.Command || draft.Err != m.draft.Err
	switch {
	case len(line)+1 > MaxLine:
		return nil, false, problem(tooLongCode, "it is too long")
	case kindOfLine(line) != goodLine:
		return nil, false, problem(badFieldCode, "its payload or result is nested too deep")
	}
	return line, redacted, nil
}
