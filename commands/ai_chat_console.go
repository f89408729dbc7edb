package commands

import (
	"context"
	"errors"
	"io"
	"strings"

	"golang.org/x/term"
)

// Console is the controlling terminal as a conversation uses it: key by key, so
// that Ctrl-C stops an answer and not the program.
type Console interface {
	io.Writer
	// Keys waits for keys until ctx ends, and returns its error then.
	Keys(ctx context.Context, p []byte) (int, error)
	Size() (width, height int)
	Raw() error     // keys come as they are typed, unseen
	Restore() error // as it was: others may ask there
	Close() error
}

// Keys that a conversation knows itself; the others are the line editor's.
const (
	keyInterrupt  = '\x03'
	keyLineEnd    = '\x05' // to the end of the line
	keyKill       = '\x15' // what is before the cursor
	keyReturn     = '\r'
	pasteBegin    = "\x1b[200~"
	pasteEnd      = "\x1b[201~"
	pastedNewline = '␤' // how a line break of a paste shows while it is edited
)

// lineEditor reads lines at a console, with editing and history.
type lineEditor struct {
	con     Console
	ctx     context.Context // of the line that is being read
	t       *term.Terminal
	hist    history
	ahead   []byte // typed while an answer was written
	part    string // the beginning of a mark, until the rest of it comes
	pasting bool
	empty   bool // nothing was typed since the line began, or since Ctrl-C
	hint    func()
}

func newLineEditor(con Console, prompt string, hint func()) *lineEditor {
	e := &lineEditor{con: con, hint: hint}
	e.t = term.NewTerminal(e, prompt)
	e.t.History = &e.hist
	return e
}

// line reads a line. io.EOF is the person's wish to leave.
func (e *lineEditor) line(ctx context.Context) (string, error) {
	e.ctx, e.empty = ctx, true
	if w, h := e.con.Size(); w > 0 && h > 0 {
		if err := e.t.SetSize(w, h); err != nil {
			return "", err
		}
	}
	if _, err := io.WriteString(e.con, "\x1b[?2004h"); err != nil { // pastes are marked as such
		return "", err
	}
	s, err := e.t.ReadLine()
	if _, offErr := io.WriteString(e.con, "\x1b[?2004l"); err == nil {
		err = offErr
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return strings.ReplaceAll(s, string(pastedNewline), "\n"), err
}

// Write shows what the editor draws.
func (e *lineEditor) Write(p []byte) (int, error) { return e.con.Write(p) }

// Read feeds the editor with keys.
func (e *lineEditor) Read(p []byte) (int, error) {
	buf := make([]byte, 256)
	for {
		if len(e.ahead) == 0 {
			n, err := e.con.Keys(e.ctx, buf)
			if err != nil {
				return 0, err
			}
			e.ahead = e.translate(buf[:n])
		}
		if n := copy(p, e.ahead); n > 0 {
			e.ahead = e.ahead[n:]
			return n, nil
		}
	}
}

// translate turns Ctrl-C into an empty line and line breaks of a paste into a mark:
// what was pasted is looked at before it is sent.
func (e *lineEditor) translate(keys []byte) []byte {
	var out []byte
	rest := e.part + string(keys)
	for e.part = ""; rest != ""; {
		switch {
		case rest != pasteBegin && strings.HasPrefix(pasteBegin, rest), rest != pasteEnd && strings.HasPrefix(pasteEnd, rest):
			e.part = rest
			return out
		case strings.HasPrefix(rest, pasteBegin):
			e.pasting, rest = true, rest[len(pasteBegin):]
			continue
		case strings.HasPrefix(rest, pasteEnd):
			e.pasting, rest = false, rest[len(pasteEnd):]
			continue
		}
		c := rest[0]
		rest = rest[1:]
		switch {
		case e.pasting && (c == keyReturn || c == '\n'):
			out = append(out, string(pastedNewline)...)
		case e.pasting && c < 0x20 && c != '\t':
			// a control character in a paste does nothing
		case c == keyInterrupt:
			if e.empty {
				e.hint()
			}
			e.empty = true
			out = append(out, keyLineEnd, keyKill)
			continue
		default:
			out = append(out, c)
		}
		e.empty = false
	}
	return out
}

// watch reads keys while an answer is written: Ctrl-C and /stop call stop, anything
// else is kept for the next line, unsent. It returns when ctx ends.
func (e *lineEditor) watch(ctx context.Context, stop func()) error {
	buf := make([]byte, 256)
	var typed []byte
	for {
		n, err := e.con.Keys(ctx, buf)
		if err != nil {
			e.ahead = append(e.ahead, e.translate(typed)...)
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		for _, c := range buf[:n] {
			switch c {
			case keyInterrupt:
				typed = nil
				stop()
			case keyReturn, '\n':
				if strings.TrimSpace(string(typed)) == "/stop" {
					typed = nil
					stop()
				} else if len(typed) > 0 {
					typed = append(typed, ' ')
				}
			default:
				if len(typed) < 4<<10 {
					typed = append(typed, c)
				}
			}
		}
	}
}

// history is what was typed, the newest last.
type history struct{ lines []string }

// maxLines is how many lines a history keeps.
const maxLines = 500

// Add implements term.History.
func (h *history) Add(line string) {
	if strings.TrimSpace(line) == "" || (len(h.lines) > 0 && h.lines[len(h.lines)-1] == line) {
		return
	}
	if h.lines = append(h.lines, line); len(h.lines) > maxLines {
		h.lines = h.lines[1:]
	}
}

// Len implements term.History.
func (h *history) Len() int { return len(h.lines) }

// At implements term.History: 0 is the newest.
func (h *history) At(i int) string { return h.lines[len(h.lines)-1-i] }

var errNoConsole = errors.New("there is no terminal")

// console opens the controlling terminal for a conversation.
func (d *Deps) console() (Console, error) {
	if d.host.OpenConsole == nil {
		return nil, errNoConsole
	}
	return d.host.OpenConsole()
}
