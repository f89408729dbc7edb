package telemetry

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"unicode"
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
// text that begins with = + - @ or their full-width forms, with a tab or a line
// break, gets an apostrophe in front. So does what follows a semicolon, a tab or a
// line break inside of a text: with other settings than ours, cells begin there. In
// JSON such a semicolon is \u003b. Control characters but tab and line break become
// U+FFFD.
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
		return safeJSON(string(value))
	}
	return safeText(stringOf(value))
}

// safeText puts an apostrophe in front of whatever part of a text may be run.
func safeText(s string) string {
	s = strings.Map(func(r rune) rune {
		if isControl(r) && !strings.ContainsRune("\t\r\n", r) {
			return utf8.RuneError
		}
		return r
	}, s)
	var b strings.Builder
	if lead := strings.TrimLeftFunc(s, isBlank); isFormula(s) || lead != "" && strings.ContainsRune("\t\r\n", rune(lead[0])) {
		b.WriteByte('\'')
	}
	for {
		n := strings.IndexAny(s, ";\t\r\n") + 1
		if n == 0 {
			break
		}
		b.WriteString(s[:n])
		if s = s[n:]; isFormula(s) {
			b.WriteByte('\'')
		}
	}
	b.WriteString(s)
	return b.String()
}

// safeJSON escapes the semicolons that may make a cell of their own out of what
// follows them: they stand in strings only, and the JSON says the same.
func safeJSON(s string) string {
	var b strings.Builder
	for {
		head, tail, found := strings.Cut(s, ";")
		b.WriteString(head)
		switch s = tail; {
		case !found:
			return b.String()
		case isFormula(tail):
			b.WriteString(`\u003b`)
		default:
			b.WriteByte(';')
		}
	}
}

// isFormula reports whether a cell with the text s may be run: spreadsheets undo
// quotes, and some of them drop blanks.
func isFormula(s string) bool {
	first, size := utf8.DecodeRuneInString(strings.TrimLeftFunc(s, isBlank))
	return size > 0 && strings.ContainsRune("=+-@＝＋－＠", first)
}

// isBlank: quotes, spaces, and characters without a look.
func isBlank(r rune) bool { return r == '"' || unicode.In(r, unicode.Zs, unicode.Cf) }
