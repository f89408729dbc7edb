package policy

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
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
