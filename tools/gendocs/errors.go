package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/fault"
)

const errorsIntro = `
Every failure has a stable code and, by it, an exit code. With ` + "`--json`" + ` stdout holds one document:

` + "```json" + `
{"ok":false,"error":"...","code":"tx_unknown","hint":"...","sent":"maybe","command":"ape-claw nft buy"}
` + "```" + `

` + "`sent`" + ` says whether a transaction may have left this machine: ` + "`no`, `maybe` or `yes`" + `. A script that
retries should look at the code and at ` + "`sent`" + `, never at the text.
An error can carry further fields (` + "`txHash`, `quoteId`, `gate`, `missing`" + ` …). Success is exit 0; a result need not carry an ` + "`ok`" + `.
Exit code 2 is the Go runtime's own, for a program that could not even fail in order: treat it as ` + "`sent: maybe`" + `, as 1.

`

const linesIntro = `
## Codes of single events

An event that others wrote and that is refused has a code of its own, in the answer of ` + "`POST /api/events`" + ` (` + "`field`" + ` names
the field) and in the list of ` + "`events import`" + `. Such an event stays refused, however often it is sent.

`

func errorsDoc() string {
	var b strings.Builder
	b.WriteString("# Errors and exit codes\n\n" + generatedNote + errorsIntro)
	table(&b, "exit", "code", "means", "run it again?")
	row(&b, "0", "", "done", "")
	for _, e := range fault.Table {
		means := e.Means
		if e.Gate {
			means += " *(a gate: recorded as `policy.blocked`)*"
		}
		row(&b, fmt.Sprint(e.Exit), code(string(e.Code)), means, e.Retry)
	}
	b.WriteString(linesIntro)
	table(&b, "code", "means")
	for _, l := range telemetry.LineCodes() {
		row(&b, code(l.Code), l.Means)
	}
	return b.String()
}

// exitTable is the short form: a line for each exit code.
func exitTable() string {
	var b strings.Builder
	table(&b, "exit", "codes", "run it again?")
	row(&b, "0", "", "done")
	var exits []int
	for _, e := range fault.Table {
		if !slices.Contains(exits, e.Exit) {
			exits = append(exits, e.Exit)
		}
	}
	for _, exit := range exits {
		var names, retries []string
		for _, e := range fault.Table {
			if e.Exit != exit {
				continue
			}
			names = append(names, string(e.Code))
			retries = append(retries, e.Retry)
		}
		row(&b, fmt.Sprint(exit), codes(names), again(names, retries))
	}
	return b.String()
}

// again says of the codes of one exit whether to run it again: what holds of most
// without their names, then what holds of others.
func again(names, retries []string) string {
	var answers []string
	of := map[string][]string{}
	for i, r := range retries {
		if of[r] == nil {
			answers = append(answers, r)
		}
		of[r] = append(of[r], names[i])
	}
	var out []string
	for _, a := range answers {
		if 2*len(of[a]) > len(names) {
			out = append([]string{a}, out...)
		} else {
			out = append(out, codes(of[a])+": "+a)
		}
	}
	return strings.Join(out, "; ")
}
