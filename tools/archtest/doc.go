// Package archtest holds the tests of the repository's shape: which package may
// import which, what only the edge of the program may touch, where floating
// point and private keys must not be seen, and how long a file may grow. The
// tables in its tests are the rules, each with its reason.
package archtest
