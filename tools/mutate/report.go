package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// What may become of a mutant.
const (
	killed    = "killed"
	late      = "timed out" // killed too: the tests did not end
	survived  = "survived"
	uncovered = "not covered" // no test comes by
	untried   = "not tried"   // left out of the sample
)

// Report is what was found out about one package.
type Report struct {
	Package string    `json:"package"`
	Tests   int       `json:"tests"`
	Mutants []*Mutant `json:"mutants"`
}

// count returns how many mutants have one of the statuses.
func (r Report) count(statuses ...string) int {
	n := 0
	for _, m := range r.Mutants {
		for _, s := range statuses {
			if m.Status == s {
				n++
			}
		}
	}
	return n
}

func (r Report) tried() int { return len(r.Mutants) - r.count(untried) }

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%d.%d%%", part*100/whole, part*1000/whole%10)
}

// write prints the reports as a table, and what lives beneath it.
func write(w io.Writer, reports []Report) error {
	p := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
	p("| package | mutants | tried | killed | survived | not covered | killed of tried | killed of reached |\n|---|---|---|---|---|---|---|---|\n")
	for _, r := range reports {
		k := r.count(killed, late)
		p("| %s | %d | %d | %d (%d by time) | %d | %d | %s | %s |\n", r.Package, len(r.Mutants), r.tried(), k, r.count(late),
			r.count(survived), r.count(uncovered), percent(k, r.tried()), percent(k, k+r.count(survived)))
	}
	for _, r := range reports {
		for _, status := range []string{survived, uncovered} {
			for _, m := range r.Mutants {
				if m.Status == status {
					p("%s: %s %d %s:%d:%d: %s -> %s\n", status, r.Package, m.N, m.File, m.Line, m.Column, short(m.Was), short(m.Now))
				}
			}
		}
	}
	return nil
}

func short(s string) string {
	if len(s) > 160 {
		return s[:160] + "…"
	}
	return s
}

func save(path string, reports []Report) error {
	data, err := json.MarshalIndent(reports, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// again takes over what an earlier report says was killed, by what was changed
// and where, so that only the others are tried again.
func again(path string, r *Report) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var old []Report
	if err := json.Unmarshal(data, &old); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	key := func(m *Mutant) string { return fmt.Sprint(m.File, ":", m.Line, ":", m.Column, " ", m.Was, " ", m.Now) }
	dead := map[string]*Mutant{}
	for _, o := range old {
		for _, m := range o.Mutants {
			if o.Package == r.Package && (m.Status == killed || m.Status == late) {
				dead[key(m)] = m
			}
		}
	}
	for _, m := range r.Mutants {
		if o := dead[key(m)]; o != nil {
			m.Status, m.By = o.Status, o.By
		}
	}
	return nil
}
