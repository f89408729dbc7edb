package serve

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// answerLines answers several events, each by its line. It is an error only when
// nothing was taken and something refused.
func answerLines(w http.ResponseWriter, t *telemetry.Taken) {
	ok, status := t.Rejected == 0 || t.Accepted+t.Duplicates > 0, http.StatusOK
	if !ok {
		status = http.StatusBadRequest
	}
	b := make([]byte, 0, 160+96*len(t.Lines))
	b = strconv.AppendBool(append(b, `{"ok":`...), ok)
	for _, n := range [...]struct {
		name  string
		value int
	}{{"accepted", t.Accepted}, {"duplicates", t.Duplicates}, {"rejected", t.Rejected}, {"unknownTypes", t.UnknownTypes}, {"droppedFields", t.Dropped}} {
		b = append(append(append(b, `,"`...), n.name...), `":`...)
		b = strconv.AppendInt(b, int64(n.value), 10)
	}
	b = appendText(b, `,"cursor":`, t.Cursor.String())
	b = append(b, `,"results":[`...)
	for i := range t.Lines {
		l := &t.Lines[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"line":`...), int64(l.Line), 10)
		b = appendText(b, `,"status":`, l.Status)
		b = appendText(b, `,"eventId":`, l.EventID)
		b = appendText(b, `,"code":`, l.Code)
		b = appendText(b, `,"error":`, l.Error)
		b = appendText(b, `,"hint":`, l.Hint)
		b = appendText(b, `,"field":`, l.Field)
		b = append(b, '}')
	}
	b = append(b, "]}\n"...)
	w.Header().Set("Content-Length", strconv.Itoa(len(b))) // so that it is not sent in pieces
	writeBody(w, status, b)
}

// appendText appends a member, unless it is empty.
func appendText(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	b = append(b, name...)
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			quoted, err := json.Marshal(text)
			if err != nil { // no string has one
				quoted = []byte(`""`)
			}
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// answerOne answers one event.
func (s *Server) answerOne(w http.ResponseWriter, r *http.Request, t *telemetry.Taken) {
	l := &t.Lines[0]
	if l.Status != telemetry.LineRejected {
		b := appendText(make([]byte, 0, 160), `{"ok":true,"eventId":`, l.EventID)
		b = appendText(b, `,"cursor":`, t.Cursor.String())
		b = strconv.AppendBool(append(b, `,"duplicate":`...), l.Status == telemetry.LineDuplicate)
		writeBody(w, http.StatusOK, append(b, "}\n"...))
		return
	}
	s.metrics.refused(http.StatusBadRequest, fault.Usage)
	b := appendText(make([]byte, 0, 256), `{"error":`, l.Error)
	b = appendText(b, `,"code":`, l.Code)
	b = appendText(b, `,"hint":`, l.Hint)
	b = appendText(b, `,"field":`, l.Field)
	writeBody(w, http.StatusBadRequest, append(b, "}\n"...))
}

// takenCounts counts the events that came in.
type takenCounts struct{ accepted, duplicates, rejected, unknownTypes, dropped atomic.Int64 }

func (c *takenCounts) count(t *telemetry.Taken) {
	c.accepted.Add(int64(t.Accepted))
	c.duplicates.Add(int64(t.Duplicates))
	c.rejected.Add(int64(t.Rejected))
	c.unknownTypes.Add(int64(t.UnknownTypes))
	c.dropped.Add(int64(t.Dropped))
}
