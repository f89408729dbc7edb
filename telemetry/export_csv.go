package telemetry

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// CSVColumns are the columns of an export as CSV: the fields of the envelope, in
// its order.
func CSVColumns() []string {
	return []string{"v", "ts", "eventType", "agentId", "sessionId", "traceId", "command", "dryRun", "chainId",
		"payload", "result", "ok", "error", "source", "eventId"}
}

// CSVWriter writes events as CSV (RFC 4180, lines ending in \n) under a fixed
// header. Payload and result are JSON text; what is missing or null is empty; other
// fields are left out.
//
// Spreadsheets run what looks like a formula, and events hold text of strangers: a
// text that begins with = + - @, with a tab or a line break, or with their full-width
// forms, gets an apostrophe in front. Control characters but tab and line break
// become U+FFFD.
type CSVWriter struct {
	w       *csv.Writer
	columns []string
	row     []string
}

// NewCSVWriter returns a CSVWriter on w. Its Flush must be called at the end.
func NewCSVWriter(w io.Writer) *CSVWriter {
	columns := CSVColumns()
	return &CSVWriter{w: csv.NewWriter(w), columns: columns, row: make([]string, len(columns))}
}

// Header writes the header.
func (c *CSVWriter) Header() error { return c.w.Write(c.columns) }

// Write writes the row of a line of the log.
func (c *CSVWriter) Write(line []byte) error {
	clear(c.row)
	payload, data := slices.Index(c.columns, "payload"), ""
	eachMember(line, func(key, value []byte) {
		name := string(key)
		if name == "data" { // the published alias of payload
			data = cellOf(value, true)
		} else if i := slices.Index(c.columns, name); i >= 0 {
			c.row[i] = cellOf(value, name == "payload" || name == "result")
		}
	})
	if c.row[payload] == "" {
		c.row[payload] = data
	}
	return c.w.Write(c.row)
}

// Flush writes what is buffered and returns the first error of any write.
func (c *CSVWriter) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

// cellOf is the cell of a JSON value. No JSON text begins as a formula does, but
// for negative numbers, which are what they are.
func cellOf(value []byte, asJSON bool) string {
	switch {
	case string(value) == "null":
		return ""
	case asJSON || value[0] != '"':
		return string(value)
	}
	return safeCell(stringOf(value))
}

func safeCell(s string) string {
	s = strings.Map(func(r rune) rune {
		if isControl(r) && r != '\t' && r != '\n' && r != '\r' {
			return utf8.RuneError
		}
		return r
	}, s)
	if rest := strings.TrimLeft(s, " "); rest != "" {
		if first, _ := utf8.DecodeRuneInString(rest); strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
			return "'" + s
		}
	}
	return s
}
