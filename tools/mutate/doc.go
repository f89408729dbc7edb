// Command mutate asks what the tests of a package hold: it breaks the package in
// one small way at a time (a mutant) and runs the tests. A mutant that they let
// live is a line that could be wrong without anybody noticing.
//
// Usage: mutate [-o REPORT.json] [-again REPORT.json] [-jobs N] [-sample N] [-for DURATION] [-seed S] [-only N,N] [-files REGEXP] [-tests PKG,PKG] [-skip REGEXP] [-args ARGS] [-least DURATION] PACKAGE...
//
// The usual tools compile and link once a mutant, which for packages with
// go-ethereum beneath them is minutes each. Here all mutants of a package are
// compiled into one test binary, each behind a switch, and a run chooses one
// through the environment; processes that tests start inherit it. Each test is
// first run alone, to see how long it takes and which mutants it reaches. A
// mutant is then run against those tests alone, the likeliest to see it and the
// fastest first, until one fails.
//
// What is changed: conditions (if, a case without a tag, a bool that is returned)
// are forced to true and to false, the condition of a loop to false; an operand
// of && or || is dropped; a comparison is negated, moved by one at its boundary,
// and where it is with a number, moved to the other side too; + and - of integers
// are exchanged; true and false are exchanged; a call, an assignment, ++ or -- is
// left out; a loop over a range is not entered. && and || are not exchanged, since
// whatever sees one of the operands missing sees that too.
package main
