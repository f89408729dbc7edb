package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A package whose tests hold some of it. The report says of each change whether
// they see it, by which test, and what none of them comes by.
func TestTiny(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report.json")
	o := options{out: out, jobs: 2, least: time.Second}
	if err := run(io.Discard, io.Discard, o, []string{"./testdata/tiny"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var reports []Report
	if err := json.Unmarshal(data, &reports); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range reports[0].Mutants {
		got = append(got, fmt.Sprintf("%d %s -> %s: %s %s", m.Line, m.Was, m.Now, m.Status, m.By))
	}
	want := []string{
		"5 age >= 18 -> true: killed TestGrown",
		"5 age >= 18 -> false: killed TestGrown",
		"5 age >= 18 -> age > 18: killed TestGrown",
		"5 age >= 18 -> age >= 18 - 1: killed TestGrown",
		"9 n > limit -> true: killed TestClamp",
		"9 n > limit -> false: killed TestClamp",
		"9 n > limit -> n >= limit: survived ", // the same function
		"10 n = limit -> left out: killed TestClamp",
		"17 for _, n := range of -> not entered: killed TestSum",
		"21 sum += n -> left out: killed TestSum",
		"18 n < 0 -> true: killed TestSum",
		"18 n < 0 -> false: survived ", // nobody tries a negative number
		"18 n < 0 -> n <= 0: survived ",
		"18 n < 0 -> n < 0 - 1: survived ",
		"27 a && b -> true: not covered ",
		"27 a && b -> false: not covered ",
		"27 a -> true: not covered ",
		"27 b -> true: not covered ",
		"31 !done -> false: survived ",
		"31 false -> true: survived ",
		"32 done = stop() -> left out: timed out TestForever",
	}
	if !slices.Equal(got, want) {
		for i := range max(len(got), len(want)) {
			g, w := "", ""
			if i < len(got) {
				g = got[i]
			}
			if i < len(want) {
				w = want[i]
			}
			if g != w {
				t.Errorf("got  %s\nwant %s", g, w)
			}
		}
	}

	// What is known to be killed is not tried again.
	o.again, o.out, o.sample = out, filepath.Join(t.TempDir(), "again.json"), 3
	r, err := try(io.Discard, o, "./testdata/tiny", func(Report) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if k, s := r.count(killed, late), r.count(survived, uncovered); k != 11 || s != 3 || r.tried() != 14 {
		t.Errorf("after the second run %d are killed and %d are not, of %d; want 11, 3, 14", k, s, r.tried())
	}
}

func TestCulprit(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b\n--- FAIL: TestC":  "TestA",
		"panic: test timed out after 1s\n\trunning tests:\n\t\tTestB (1s)": "TestB",
		"panic: no\n\ngoroutine 1 [running]:":                              "panic: no",
		"exit status 2":                                                    "",
	}
	for out, want := range tests {
		if got := culprit([]byte(out)); got != want {
			t.Errorf("culprit(%q) is %q, want %q", out, got, want)
		}
	}
}
