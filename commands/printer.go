package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ape-claw/ape-claw/ai"
)

// encodeJSON marshals v on one line with a newline, leaving <, > and & readable.
func encodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Printer writes aligned text for people, coloured only on a terminal. Write
// errors are kept and returned by flush.
type Printer struct {
	w     io.Writer
	color bool
	err   error
}

// Styles, as SGR parameters.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func (p *Printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *Printer) flush() error { return p.err }

// style wraps s in a colour when colours are on.
func (p *Printer) style(sgr, s string) string {
	if !p.color || s == "" {
		return s
	}
	return "\x1b[" + sgr + "m" + s + "\x1b[0m"
}

// Line prints one line; what came from outside must pass through clean first.
func (p *Printer) Line(format string, args ...any) { p.printf(format+"\n", args...) }

// Head prints a headline.
func (p *Printer) Head(format string, args ...any) {
	p.printf("%s\n", p.style(bold, fmt.Sprintf(format, args...)))
}

// KV prints aligned name and value pairs; pairs with an empty value are left out.
func (p *Printer) KV(pairs ...string) {
	width := 0
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			width = max(width, len(pairs[i]))
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			p.printf("  %s%s  %s\n", p.style(dim, pairs[i]), strings.Repeat(" ", width-len(pairs[i])), clean(pairs[i+1]))
		}
	}
}

// List prints a heading and its items, nothing when there are none.
func (p *Printer) List(sgr, heading string, items []string) {
	if len(items) == 0 {
		return
	}
	p.printf("\n%s\n", p.style(sgr, heading))
	for _, it := range items {
		p.printf("  - %s\n", clean(it))
	}
}

// Table prints rows in aligned columns under a header.
func (p *Printer) Table(header []string, rows [][]string) {
	widths := make([]int, len(header))
	measure := func(cells []string) {
		for i, c := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(clean(c)))
		}
	}
	measure(header)
	for _, r := range rows {
		measure(r)
	}
	line := func(cells []string, sgr string) {
		var b strings.Builder
		for i, c := range cells {
			c = clean(c)
			b.WriteString(c)
			if i < len(cells)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+2))
			}
		}
		p.printf("%s\n", p.style(sgr, strings.TrimRight(b.String(), " ")))
	}
	line(header, dim)
	for _, r := range rows {
		line(r, "")
	}
}

// clean keeps text from outside from steering the terminal, and from hiding in it:
// what does not show as itself, line breaks too, becomes a mark. The joiner inside an
// emoji stays, and so do wide spaces.
func clean(s string) string { return cleaned(s, "") }

// cleanLines is clean for a sentence of ours that may have several lines.
func cleanLines(s string) string { return cleaned(s, "\n\t") }

func cleaned(s, keep string) string {
	var before rune
	return strings.Map(func(r rune) rune {
		shown := r
		switch {
		case !ai.Unseen(r), unicode.Is(unicode.Zs, r), strings.ContainsRune(keep, r):
		case r == '\u200d' && (unicode.Is(unicode.So, before) || unicode.Is(unicode.Sk, before) || before == '\ufe0f'):
		default:
			shown = unicode.ReplacementChar
		}
		before = r
		return shown
	}, s)
}

// counted is a number of things in words: "1 event", "2 events".
func counted[N ~int | ~int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
