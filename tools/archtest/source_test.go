package archtest_test

import (
	"slices"
	"testing"

	"github.com/ape-claw/ape-claw/tools/archtest"
)

var (
	// edge is where the machine comes in: everything else is handed its streams,
	// clock, environment and transport.
	edge = []string{"cmd", "commands", "tools", "tests", "bench"}
	// forTests is imported by tests alone, which TestImports holds it to.
	forTests = "telemetry/telemetrytest"

	money = []string{"policy", "nft", "bridge", "v2", "market", "chain", "commands"}
)

var rules = []archtest.Rule{
	{Names: []string{"os.Getenv", "os.LookupEnv", "os.Environ", "os.Setenv", "os.Args"}, Only: edge,
		Why: "the environment is read once, in commands"},
	{Names: []string{"os.Stdin", "os.Stdout", "os.Stderr", "fmt.Print", "fmt.Printf", "fmt.Println"}, Only: edge,
		Why: "stdout is the result, and commands writes it"},
	{Names: []string{"os.Exit", "log.Fatal*", "runtime.Goexit"}, Only: []string{"cmd", "tools", "tests", "bench"},
		Why: "main alone ends the process, with the status of fault.ExitCode"},
	{Names: []string{"time.Now", "time.Since", "time.Until"}, Only: slices.Concat(edge, []string{forTests}),
		Why: "the clock is handed in as Now"},
	{Names: []string{"time.Sleep"},
		Why: "a wait is a select on the context and a timer"},
	{Names: []string{"net/http.DefaultClient", "net/http.DefaultTransport", "net/http.Get", "net/http.Post", "net/http.PostForm", "net/http.Head"}, Only: edge,
		Why: "outgoing HTTP goes through the transport that is handed in"},
	{Names: []string{"import math/rand", "import math/rand/v2"}, Only: []string{"bench", "sandbox", "commands"},
		Why: "randomness is handed in as an io.Reader, or is crypto/rand's; commands hands in jitter, and the sandbox's world grows from a seed"},
	{Names: []string{"import log"}, Only: []string{"cmd"},
		Why: "loggers are passed in; main alone silences what libraries print"},
	{Names: []string{"log/slog.Default", "log/slog.SetDefault", "log/slog.Debug", "log/slog.Info", "log/slog.Warn", "log/slog.Error"},
		Why: "loggers are passed in"},
	{Names: []string{"import testing", "import testing/*"}, Only: []string{forTests},
		Why: "production code does not know of tests"},
	{Names: []string{"func init"},
		Why: "nothing runs before main: start-up time is a feature"},
	{Names: []string{"float32", "float64", "strconv.ParseFloat", "strconv.FormatFloat", "math/big.Float", "math/big.NewFloat", "math/big.ParseFloat"}, Within: money,
		Why: "no float near an amount"},
	{Names: []string{"import github.com/spf13/cobra*", "import github.com/spf13/viper", "import github.com/spf13/pflag"}, Only: []string{"commands", "tools/gendocs", "bench/floor"},
		Why: "commands alone knows Cobra and Viper"},
	{Names: []string{
		"import crypto/ecdsa", "import " + geth + "/accounts/keystore", "import " + geth + "/accounts/external",
		geth + "/crypto.Sign", geth + "/crypto.HexToECDSA", geth + "/crypto.ToECDSA*", geth + "/crypto.GenerateKey", geth + "/crypto.LoadECDSA", geth + "/crypto.FromECDSA",
		geth + "/core/types.SignTx", geth + "/core/types.SignNewTx", geth + "/core/types.MustSign*",
		geth + "/accounts/abi/bind.NewKeyed*", geth + "/accounts/abi/bind/v2.NewKeyed*",
	}, Only: []string{"chain", "sandbox"},
		Why: "only chain touches a user's key; sandbox has throwaway keys of its own"},
	{Names: []string{"import unsafe", "import plugin", "import C"},
		Why: "nothing here needs it, and the build has no cgo"},
}

var exceptions = []archtest.Exception{
	{"store/crash_on.go", "os.Getenv", "a build for tests that kill processes, which no user has"},
	{"sandbox/sandbox.go", "time.Now", "the clock of a practice world when its starter, a test mostly, hands in none"},
	{"v2/canon/number.go", "strconv.ParseFloat", "a number of JSON is a double, and is hashed as ECMAScript writes it; no amount is computed from it"},
	{"v2/canon/number.go", "strconv.FormatFloat", "as above"},
	{"telemetry/serve/client.go", "import math/rand/v2", "the jitter between two connection attempts, where no secret depends on it"},
}

// Long files hide their parts. The style guide asks for about 400 lines; a table
// of test cases may be longer.
const maxLines, maxTestLines = 420, 800

func load(t *testing.T) []*archtest.File {
	t.Helper()
	files, err := archtest.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 30 {
		t.Fatalf("found %d files: is %s the module's root?", len(files), root)
	}
	return files
}

func TestSource(t *testing.T) {
	t.Parallel()
	for _, problem := range archtest.Check(load(t), rules, exceptions) {
		t.Error(problem)
	}
}

func TestOpenEnds(t *testing.T) {
	t.Parallel()
	for _, problem := range archtest.OpenEnds(load(t)) {
		t.Errorf("%s: name the issue, as in T%s", problem, "ODO(#12)")
	}
}

func TestFileLength(t *testing.T) {
	t.Parallel()
	for _, problem := range archtest.TooLong(load(t), maxLines, maxTestLines) {
		t.Error(problem)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const src = `// Package a is one.
package a

import (
	"os"
	clock "time"

	"x.example/lib/v2"
)

var now = clock.Now

func init() { os.Exit(1) }

func f(x float64, s S) { lib.Go(); s.Exit() }
`
	parse := func(name string) *archtest.File {
		f, err := archtest.Parse(name, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	tests := map[string]struct {
		file       string
		rule       archtest.Rule
		exceptions []archtest.Exception
		want       []string
	}{
		"renamed import":    {"a/a.go", archtest.Rule{Names: []string{"time.Now"}, Why: "w"}, nil, []string{"a/a.go:11: time.Now: w"}},
		"prefix":            {"a/a.go", archtest.Rule{Names: []string{"os.E*"}, Why: "w"}, nil, []string{"a/a.go:13: os.Exit: w"}},
		"major version":     {"a/a.go", archtest.Rule{Names: []string{"x.example/lib/v2.Go"}, Why: "w"}, nil, []string{"a/a.go:15: x.example/lib/v2.Go: w"}},
		"import":            {"a/a.go", archtest.Rule{Names: []string{"import x.example/*"}, Why: "w"}, nil, []string{"a/a.go: import x.example/lib/v2: w"}},
		"bare":              {"a/a.go", archtest.Rule{Names: []string{"float64"}, Why: "w"}, nil, []string{"a/a.go:15: float64: w"}},
		"init":              {"a/a.go", archtest.Rule{Names: []string{"func init"}, Why: "w"}, nil, []string{"a/a.go:13: func init: w"}},
		"allowed folder":    {"a/b/a.go", archtest.Rule{Names: []string{"os.Exit"}, Only: []string{"a"}}, nil, nil},
		"like its name":     {"ab/a.go", archtest.Rule{Names: []string{"os.Exit"}, Only: []string{"a"}, Why: "w"}, nil, []string{"ab/a.go:13: os.Exit: w"}},
		"elsewhere":         {"b/a.go", archtest.Rule{Names: []string{"float64"}, Within: []string{"a"}}, nil, nil},
		"test file":         {"a/a_test.go", archtest.Rule{Names: []string{"os.Exit"}}, nil, nil},
		"test file, told":   {"a/a_test.go", archtest.Rule{Names: []string{"os.Exit"}, Tests: true, Why: "w"}, nil, []string{"a/a_test.go:13: os.Exit: w"}},
		"excused":           {"a/a.go", archtest.Rule{Names: []string{"os.Exit"}}, []archtest.Exception{{File: "a/a.go", Name: "os.Exit"}}, nil},
		"excused elsewhere": {"a/a.go", archtest.Rule{Names: []string{"os.Exit"}, Why: "w"}, []archtest.Exception{{File: "a/b.go", Name: "os.Exit"}}, []string{"a/a.go:13: os.Exit: w", "a/b.go: exception for os.Exit is not needed: remove it"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := archtest.Check([]*archtest.File{parse(tt.file)}, []archtest.Rule{tt.rule}, tt.exceptions)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFileChecks(t *testing.T) {
	t.Parallel()
	parse := func(name, src string) *archtest.File {
		f, err := archtest.Parse(name, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	todo := "T" + "ODO" // so that this file passes its own test
	files := []*archtest.File{
		parse("a.go", "package a\n\n// "+todo+": later\n\n/* fine\n"+todo+"(#3): with an issue */\n"),
		parse("b.go", "// Code generated by x. DO NOT EDIT.\n\npackage a\n\n// "+todo+"\n"),
		parse("a_test.go", "package a\n\n\n\n\n\n"),
	}
	if got, want := archtest.OpenEnds(files), []string{"a.go:3: // " + todo + ": later"}; !slices.Equal(got, want) {
		t.Errorf("open ends: got %q, want %q", got, want)
	}
	if got, want := archtest.TooLong(files, 4, 5), []string{"a.go: 6 lines, at most 4", "a_test.go: 6 lines, at most 5"}; !slices.Equal(got, want) {
		t.Errorf("too long: got %q, want %q", got, want)
	}
}
