package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"
)

// page collects what docs/benchmarks.md is made of.
type page struct {
	rows     []string // of the table of servers
	notes    []string // under it
	verdicts []string
	sections []string
	noisy    bool
	missed   int // verdicts that are not as wanted
}

// cell fills one server's place in a row.
type cell func(kind string) string

// row adds a line to the table of servers. Where why gives a reason, it stands in
// place of the figure.
func (p *page) row(name string, r runs, value cell, why map[string]string) {
	line := "| " + name
	for _, kind := range allServers {
		text := "-"
		if w := why[kind]; w != "" {
			text = w
		} else if len(r[kind]) > 0 {
			text = value(kind) + r.mark(kind)
			p.noisy = p.noisy || r.mark(kind) != ""
		}
		line += " | " + text
	}
	p.rows = append(p.rows, line+" |")
}

// verdict adds a figure that is wanted of ape-claw.
func (p *page) verdict(name, wanted, got string, ok bool) {
	word := "yes"
	if !ok {
		word = "**no**"
		p.missed++
	}
	p.verdicts = append(p.verdicts, fmt.Sprintf("| %s | %s | %s | %s |", name, wanted, got, word))
}

func (p *page) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}
func (p *page) section(text string) { p.sections = append(p.sections, text) }

// markdown is the whole page.
func (p *page) markdown(how string, took time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Benchmarks

<!-- Written by `+"`make bench`"+`. -->

Measured with %s on %s/%s, %d cores%s, in %s%s.
Compare ratios rather than times: what is compared ran in turns on the same machine. How to run one part, and what these
figures can't say, is in [bench/README.md](../bench/README.md).
`, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), cpuModel(), took.Round(time.Second), how)
	if len(p.verdicts) > 0 {
		b.WriteString("\n## Wanted of ape-claw\n\n| | wanted | measured | as wanted |\n|---|---|---|---|\n" + strings.Join(p.verdicts, "\n") + "\n")
	}
	if len(p.rows) > 0 {
		b.WriteString("\n## The stream, beside other servers\n\nEvents of 450 bytes, appended to the file that each server follows; clients and publisher share the cores with the\nserver. Median of the rounds. Memory is the peak above the idle process's.\n\n|")
		for _, kind := range allServers {
			b.WriteString(" | " + titles[kind])
		}
		b.WriteString(" |\n|---" + strings.Repeat("|---", len(allServers)) + "|\n" + strings.Join(p.rows, "\n") + "\n")
		for _, n := range p.notes {
			b.WriteString("\n" + n + "\n")
		}
	}
	if p.noisy {
		b.WriteString("\n\\* Others used more than a tenth of the machine during a run that counts here.\n")
	}
	for _, s := range p.sections {
		b.WriteString("\n" + s)
	}
	return b.String()
}

// count writes a number as people read it: 3.21 M, 209 k.
func count(v float64) string {
	switch {
	case v >= 999_500:
		return fmt.Sprintf("%.2f M", v/1e6)
	case v >= 9_950:
		return fmt.Sprintf("%.0f k", v/1e3)
	case v >= 1000:
		return fmt.Sprintf("%.1f k", v/1e3)
	}
	return fmt.Sprintf("%.0f", v)
}

// megabytes writes memory; what is measured may fall below the idle process's.
func megabytes(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.1f GB", v/1024)
	}
	return fmt.Sprintf("%.0f MB", math.Max(0, v))
}

// beside writes a ratio to the ring after a figure, if the ring was measured.
func beside(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf(", %.2fx", x)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

// cpuModel names the processor where the system tells.
func cpuModel() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return ", " + strings.TrimSpace(value)
		}
	}
	return ""
}
