package policy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

// HaltFile is the file in the home whose presence stops everything that spends.
const HaltFile = "HALT"

// Halted returns why spending is halted: a line of <home>/HALT each, nothing
// when there is no such file. An empty file halts too, and one that can't be
// read: whoever made it meant to stop something.
func Halted(home string) []string {
	path := filepath.Join(home, HaltFile)
	b, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return []string{store.Display(path) + " can't be read: " + fault.From(err).Message}
	}
	var causes []string
	for _, line := range strings.Split(string(b), "\n") {
		if line = printable(strings.TrimSpace(line)); line != "" {
			causes = append(causes, line)
		}
	}
	if causes == nil {
		return []string{store.Display(path) + " is there and gives no cause"}
	}
	return causes
}

// HaltedBy returns the lines of a cause in <home>/HALT. A file that can't be read
// or gives no cause is anybody's: it counts for every cause.
func HaltedBy(home, cause string) []string {
	lines := Halted(home)
	if len(lines) == 0 || unnamed(home) {
		return lines
	}
	return slices.DeleteFunc(lines, func(l string) bool { return l != cause && !strings.HasPrefix(l, cause+":") })
}

// unnamed reports whether the halt file says nothing that can be read.
func unnamed(home string) bool {
	b, err := readSmall(filepath.Join(home, HaltFile))
	return err != nil || strings.TrimSpace(string(b)) == ""
}

// haltCause is how a cause begins its lines.
var haltCause = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`) })

// haltWait is how long a halt waits for whoever changes the policy: many times what
// such a write takes, and little for somebody who wants to stop something. haltAgain
// is how long it then looks whether its line stays.
const (
	haltWait  = 500 * time.Millisecond
	haltAgain = 2 * time.Second
)

// WriteHalt halts spending: it adds the line "<cause>: <reason> (<time>)" to
// <home>/HALT. The same cause and reason again add nothing. A file that can't be
// read halts already; then it is said that the line could not be added. Nobody can
// keep it from that by holding the lock: the line is then added without.
func WriteHalt(home, cause, reason string, now time.Time) error {
	if !haltCause().MatchString(cause) {
		return fault.New(fault.Usage, "cause %q: expected a lower-case word such as policy", printable(cause)).WithSent(fault.SentNo)
	}
	reason = oneLine(reason)
	if reason == "" {
		reason = "no reason given"
	}
	head := cause + ": " + reason
	line := head + " (" + now.UTC().Format(time.RFC3339) + ")"
	add := func(write func(lines []string) error) error {
		lines, err := haltLines(home)
		if err != nil || slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, head+" (") }) {
			return err
		}
		return write(lines)
	}
	locked := false
	inTurn := func() error {
		locked = true
		return add(func(lines []string) error {
			return store.WriteFile(filepath.Join(home, HaltFile), []byte(strings.Join(append(lines, line), "\n")+"\n"))
		})
	}
	if err := editingWithin(home, haltWait, inTurn); locked || fault.CodeOf(err) == fault.Usage {
		return err
	}
	if err := add(func([]string) error { return appendHalt(home, line) }); err != nil {
		return err
	}
	// Whoever has the lock may have read the file before, and write it without the line.
	if err := editingWithin(home, haltAgain, inTurn); locked {
		return err
	}
	return add(func([]string) error { return appendHalt(home, line) })
}

// appendHalt adds a line in one write, to what is there by then.
func appendHalt(home, line string) error {
	path := filepath.Join(home, HaltFile)
	f, err := store.OpenPrivate(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n" + line + "\n") // the line before may lack its end
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fault.Wrap(err, fault.StateUnusable, "%s can't be written: %s", store.Display(path), because(err)).WithSent(fault.SentNo)
	}
	return store.SyncDir(home)
}

// ClearHalt removes the lines of a cause from <home>/HALT, all lines for "", and
// the file once none is left. With shown, only lines that are among them go: what
// was added since a person looked stays. It returns the lines that it removed.
func ClearHalt(home, cause string, shown ...string) (removed []string, err error) {
	err = editing(home, func() error {
		path := filepath.Join(home, HaltFile)
		if !exists(path) {
			return nil
		}
		lines, err := haltLines(home)
		if err != nil {
			return err
		}
		var left []string
		for _, l := range lines {
			is := cause == "" || l == cause || strings.HasPrefix(l, cause+":")
			if is && (shown == nil || slices.Contains(shown, printable(l))) {
				removed = append(removed, printable(l))
			} else {
				left = append(left, l)
			}
		}
		switch {
		case len(left) > 0 && removed == nil:
			return nil
		case len(left) > 0:
			return store.WriteFile(path, []byte(strings.Join(left, "\n")+"\n"))
		case cause != "" && removed == nil:
			return nil // an empty file is nobody's
		}
		if removed == nil {
			removed = Halted(home)
		}
		if err := os.Remove(path); err != nil {
			return fault.Wrap(err, fault.StateUnusable, "%s can't be removed: %s", store.Display(path), because(err)).WithSent(fault.SentNo)
		}
		return store.SyncDir(home)
	})
	return removed, err
}

// haltLines are the lines of the halt file that say something, as they are.
func haltLines(home string) ([]string, error) {
	path := filepath.Join(home, HaltFile)
	if there, err := writable(path); !there || err != nil {
		return nil, err
	}
	b, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range strings.Split(string(b), "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out, nil
}

// oneLine is text as one printable line, short enough that a time fits behind it.
func oneLine(s string) string {
	const most = 140
	s = printable(strings.Join(strings.Fields(s), " "))
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}

// printable replaces what a terminal would not show as it is, and cuts a line to
// a readable length.
func printable(s string) string {
	const most = 200
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
