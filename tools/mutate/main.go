package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

type options struct {
	out, again, seed, only, tests, skip, args, files string
	jobs, sample                                     int
	least, most                                      time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.out, "o", "", "file for the report, as JSON")
	flag.StringVar(&o.again, "again", "", "report whose killed mutants stay so and are not tried")
	flag.IntVar(&o.jobs, "jobs", 3, "test binaries at once")
	flag.IntVar(&o.sample, "sample", 0, "try this many mutants of each package, drawn by the seed; 0: all")
	flag.StringVar(&o.seed, "seed", "1", "what a sample is drawn by")
	flag.StringVar(&o.only, "only", "", "numbers of the mutants to try, with commas")
	flag.StringVar(&o.tests, "tests", "", "packages whose tests judge too, with commas")
	flag.StringVar(&o.skip, "skip", "", "tests to leave out, a regular expression")
	flag.StringVar(&o.files, "files", "", "files whose mutants are tried, a regular expression")
	flag.StringVar(&o.args, "args", "", "more arguments for the test binaries")
	flag.DurationVar(&o.most, "for", 0, "stop after so long; what was tried by then is drawn by the seed")
	flag.DurationVar(&o.least, "least", 20*time.Second, "what tests are given at the least, beside eight times what they take")
	flag.Parse()
	if err := run(os.Stdout, os.Stderr, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(stdout, stderr io.Writer, o options, patterns []string) error {
	if len(patterns) == 0 {
		return errors.New("no package is named")
	}
	var reports []Report
	for _, p := range patterns {
		r, err := try(stderr, o, p, func(r Report) error {
			if o.out == "" {
				return nil
			}
			return save(o.out, append(slices.Clone(reports), r))
		})
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	return write(stdout, reports)
}

// try finds out about one package; keep is handed the report from time to time.
func try(stderr io.Writer, o options, name string, keep func(Report) error) (Report, error) {
	start := time.Now()
	log := func(format string, args ...any) {
		fmt.Fprintf(stderr, "%6.0fs %s\n", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
	}
	skip, err := pattern(o.skip, "^$")
	if err != nil {
		return Report{}, err
	}
	files, err := pattern(o.files, "")
	if err != nil {
		return Report{}, err
	}
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return Report{}, err
	}
	defer os.RemoveAll(dir)
	s, err := load(name)
	if err != nil {
		return Report{}, err
	}
	list, sites, err := overlay(s, find(s), dir)
	if err != nil {
		return Report{}, err
	}
	report := Report{Package: s.path}
	for _, st := range sites {
		report.Mutants = append(report.Mutants, st.mutants...)
	}
	if o.again != "" {
		if err := again(o.again, &report); err != nil {
			return report, err
		}
	}
	choose(o, files, report.Mutants)

	r := &runner{dir: dir, jobs: o.jobs, least: o.least, args: strings.Fields(o.args), log: log, kills: map[string]map[*test]int{}}
	var tests []*test
	for _, pkg := range append([]string{name}, split(o.tests)...) {
		log("%s: compiling its tests with %d mutants of %s in them", pkg, len(report.Mutants), s.path)
		b, err := r.compile(list, pkg)
		if err != nil {
			return report, err
		}
		log("%s: running each test alone", pkg)
		more, err := r.baseline(b, skip)
		if err != nil {
			return report, err
		}
		tests = append(tests, more...)
	}
	report.Tests = len(tests)

	var todo []*Mutant
	for _, m := range report.Mutants {
		if m.Status == "" {
			todo = append(todo, m)
		}
	}
	log("%d tests, %d mutants to try", len(tests), len(todo))
	if o.sample > 0 || o.most > 0 {
		slices.SortFunc(todo, drawn(o.seed))
	}
	var mu sync.Mutex
	done, noted, begun := 0, time.Now(), time.Now()
	err = each(o.jobs, len(todo), func(i int) error {
		if o.most > 0 && time.Since(begun) > o.most {
			mu.Lock()
			todo[i].Status = untried
			mu.Unlock()
			return nil
		}
		m := *todo[i]
		if err := r.judge(&m, tests); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		*todo[i] = m
		if done++; time.Since(noted) < 15*time.Second {
			return nil
		}
		noted = time.Now()
		log("%d of %d: %d killed (%d by time), %d survived, %d not covered", done, len(todo),
			report.count(killed, late), report.count(late), report.count(survived), report.count(uncovered))
		return keep(report)
	})
	if err != nil {
		return report, err
	}
	return report, keep(report)
}

// choose marks as untried what the options leave out.
func choose(o options, files *regexp.Regexp, mutants []*Mutant) {
	for _, m := range mutants {
		if m.Status == "" && !files.MatchString(m.File) {
			m.Status = untried
		}
	}
	rest := slices.DeleteFunc(slices.Clone(mutants), func(m *Mutant) bool { return m.Status != "" })
	if o.only != "" {
		for _, m := range rest {
			if !slices.Contains(split(o.only), fmt.Sprint(m.N)) {
				m.Status = untried
			}
		}
		return
	}
	if o.sample <= 0 || o.sample >= len(rest) {
		return
	}
	slices.SortFunc(rest, drawn(o.seed))
	for _, m := range rest[o.sample:] {
		m.Status = untried
	}
}

// drawn is the order in which a seed draws: by the hash of seed and number.
func drawn(seed string) func(a, b *Mutant) int {
	rank := func(m *Mutant) string {
		sum := sha256.Sum256([]byte(fmt.Sprint(seed, " ", m.N)))
		return string(sum[:])
	}
	return func(a, b *Mutant) int { return strings.Compare(rank(a), rank(b)) }
}

func pattern(s, empty string) (*regexp.Regexp, error) {
	if s == "" {
		s = empty
	}
	return regexp.Compile(s)
}

func split(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}
