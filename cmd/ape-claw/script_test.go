package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/telemetry"
)

// TestMain makes the real main available to the scripts as "ape-claw".
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ape-claw": func() {
		// Without a session of its own the child would ask whoever runs the tests
		// in a terminal. It fails only for a process that leads a group already.
		_, _ = syscall.Setsid()
		main()
	}})
}

// TestScripts runs every script of commands/testdata/script: the binary as a
// newcomer, an agent or a CI job runs it, in a directory of its own with nothing
// configured. UPDATE=1 rewrites what cmp compares.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "commands", "testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "user"))
			e.Setenv("NO_COLOR", "1")
			// Nothing may leave the machine: the built-in RPC is out of reach at once.
			e.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
			e.Defer(func() {
				// A script that failed in between must not leave its sandbox behind.
				home := filepath.Join(e.WorkDir, "user", ".ape-claw")
				if cur, err := sandbox.Load(home); err != nil || cur.PID == os.Getpid() {
					return
				}
				if _, err := (sandbox.Control{Home: home}).Down(context.Background()); err != nil {
					t.Logf("sandbox down: %v", err)
				}
			})
			return os.MkdirAll(filepath.Join(e.WorkDir, "user"), 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"json":    cmdJSON,
			"jsonenv": cmdJSONEnv,
			"trail":   cmdTrail,
			"exits":   cmdExits,
			"sandbox": cmdSandbox,
			"fault":   cmdFault,
			"perm":    cmdPerm,
			"secret":  cmdSecret,
		},
	})
}

// cmdJSON is `json FILE PATH VALUE`: the value at a dotted path of the one JSON
// document in FILE is VALUE, "null", or, with a leading ~, contains it. A path
// ending in len is a length. It fails when FILE holds more than one document.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH VALUE")
	}
	got := lookup(ts, args[0], args[1])
	want, sub := strings.CutPrefix(args[2], "~")
	match := got == args[2] || (sub && strings.Contains(got, want))
	if match == neg {
		ts.Fatalf("%s of %s is %q, %v want %q", args[1], args[0], got, map[bool]string{false: "", true: "don't"}[neg], args[2])
	}
}

// cmdJSONEnv is `jsonenv NAME FILE PATH`: put the value into a variable.
func cmdJSONEnv(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: jsonenv NAME FILE PATH")
	}
	ts.Setenv(args[0], lookup(ts, args[1], args[2]))
}

func lookup(ts *testscript.TestScript, file, path string) string {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		ts.Fatalf("%s holds no JSON: %v\n%s", file, err, ts.ReadFile(file))
	}
	if dec.More() {
		ts.Fatalf("%s holds more than one JSON document:\n%s", file, ts.ReadFile(file))
	}
	for part := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			if part == "len" {
				return strconv.Itoa(len(x))
			}
			v = x[part]
		case []any:
			if part == "len" {
				return strconv.Itoa(len(x))
			}
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(x) {
				ts.Fatalf("no element %q of %d in %s", part, len(x), path)
			}
			v = x[i]
		default:
			ts.Fatalf("no %q in %s of %s:\n%s", part, path, file, ts.ReadFile(file))
		}
	}
	switch x := v.(type) {
	case string:
		return x
	case nil:
		return "null"
	}
	b, err := json.Marshal(v)
	ts.Check(err)
	return string(b)
}

// cmdTrail is `trail DIR TYPE…`: the log of a state directory holds events of
// exactly these types in this order, and every line fits the catalogue. A first
// argument -trace=ID keeps to one trace.
func cmdTrail(ts *testscript.TestScript, _ bool, args []string) {
	trace := ""
	if len(args) > 0 && strings.HasPrefix(args[0], "-trace=") {
		trace, args = strings.TrimPrefix(args[0], "-trace="), args[1:]
	}
	if len(args) == 0 {
		ts.Fatalf("usage: trail [-trace=ID] DIR TYPE…")
	}
	var got []string
	for line := range strings.Lines(ts.ReadFile(filepath.Join(args[0], "events.jsonl"))) {
		line = strings.TrimSuffix(line, "\n")
		var e telemetry.Event
		ts.Check(json.Unmarshal([]byte(line), &e))
		// Types of somebody's own have no declaration.
		if _, declared := telemetry.Lookup(e.EventType); declared || e.Command != "ape-claw events emit" {
			if err := telemetry.Validate([]byte(line)); err != nil {
				ts.Fatalf("line does not fit the catalogue: %v\n%s", err, line)
			}
		}
		if trace == "" || e.TraceID == trace {
			got = append(got, e.EventType)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(args[1:]) {
		ts.Fatalf("the trail is\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(args[1:], "\n  "))
	}
}

// cmdExits is `exits STATUS COMMAND…`: run it and compare the exit status, which
// plain `! exec` does not tell apart.
func cmdExits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// cmdPerm is `perm MODE PATH`: the file's permission bits.
func cmdPerm(ts *testscript.TestScript, _ bool, args []string) {
	fi, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%04o", fi.Mode().Perm()); got != args[0] {
		ts.Fatalf("%s has mode %s, want %s", args[1], got, args[0])
	}
}

// cmdSecret is `secret VALUE [DIR…]`: VALUE stands nowhere in the output of the
// last command, nor in a file of the directories but the auth profile.
func cmdSecret(ts *testscript.TestScript, _ bool, args []string) {
	value := args[0]
	for _, stream := range []string{"stdout", "stderr"} {
		if strings.Contains(ts.ReadFile(stream), value) {
			ts.Fatalf("the secret stands in %s", stream)
		}
	}
	for _, dir := range args[1:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Base(path) == "auth.json" {
				return err
			}
			b, err := os.ReadFile(path)
			if err == nil && strings.Contains(string(b), value) {
				err = fmt.Errorf("the secret stands in %s", path)
			}
			return err
		}))
	}
}

// worlds holds the sandbox of each script.
var worlds sync.Map

// cmdSandbox is `sandbox [LISTINGS [PRICE]]`: start one for this script's home,
// in this process, and set SANDBOX_HOME to the profile's own.
func cmdSandbox(ts *testscript.TestScript, _ bool, args []string) {
	opt := sandbox.Options{Home: filepath.Join(ts.Getenv("HOME"), ".ape-claw")}
	if len(args) > 0 {
		n, err := strconv.Atoi(args[0])
		ts.Check(err)
		opt.Listings = n
	}
	if len(args) > 1 {
		price, err := units.Parse(args[1], units.APEDecimals)
		ts.Check(err)
		opt.Price = price
	}
	w, err := sandbox.Start(context.Background(), opt)
	ts.Check(err)
	worlds.Store(ts.Getenv("WORK"), w)
	ts.Defer(func() {
		worlds.Delete(ts.Getenv("WORK"))
		if err := w.Close(); err != nil {
			ts.Logf("close the sandbox: %v", err)
		}
	})
	cur, err := sandbox.Load(opt.Home)
	ts.Check(err)
	ts.Setenv("SANDBOX_HOME", cur.Home)
	ts.Setenv("SANDBOX_RPC", cur.RPCURL)
}

// cmdFault is `fault NAME[=VALUE]`: only this fault is in force now; none clears all.
func cmdFault(ts *testscript.TestScript, _ bool, args []string) {
	v, ok := worlds.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("no sandbox in this script")
	}
	w := v.(*sandbox.World)
	w.ClearFaults()
	if args[0] != "none" {
		ts.Check(w.SetFault(args[0]))
	}
}
