package v2_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	_ "modernc.org/sqlite" // money.db, read by queries of our own

	"github.com/ape-claw/ape-claw/sandbox"
)

// world is a sandbox with a home of its own and the contracts deployed.
type world struct {
	*sandbox.World
	t     *testing.T
	dir   string // holds the home and the working directory
	start *big.Int
	at    map[string]common.Address
}

func newWorld(t *testing.T) *world {
	t.Helper()
	binary(t)
	dir := t.TempDir()
	w := &world{t: t, dir: dir, at: map[string]common.Address{}}
	for _, d := range []string{w.home(), w.user(), w.wd()} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if w.World, err = sandbox.Start(t.Context(), sandbox.Options{Home: w.home(), Listings: 8}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	if w.start, err = w.Client().BalanceAt(t.Context(), w.Buyer().Address(), nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range w.must("v2", "deploy", "--execute", "--autonomous").Contracts {
		w.at[c.Name] = common.HexToAddress(c.Address)
	}
	return w
}

func (w *world) home() string { return filepath.Join(w.dir, "home") }
func (w *world) user() string { return filepath.Join(w.dir, "user") }
func (w *world) wd() string   { return filepath.Join(w.dir, "wd") }

// crash says when a command kills itself.
type crash struct {
	at  string // as APE_CLAW_CRASH_AT has it
	log string // where the points that are passed are listed
}

// outcome is what a command said, and how it ended.
type outcome struct {
	args   []string
	exit   int  // -1: by a signal
	killed bool // by SIGKILL
	text   string

	Code       string
	TxHash     string
	QuoteID    string
	SkillID    json.Number
	Open       []struct{ State string }
	Contracts  []struct{ Name, Address string }
	IsRecorded bool
	Agrees     *bool
}

func (o outcome) String() string {
	return fmt.Sprintf("%s: exit %d, killed %t\n%s", strings.Join(o.args, " "), o.exit, o.killed, o.text)
}

// run runs a command to its end. Every one that was not killed has to have said
// exactly one JSON document.
func (w *world) run(c crash, args ...string) outcome {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary(w.t), append(slices.Clone(args), "--json")...)
	cmd.Dir = w.wd()
	cmd.Env = []string{
		"HOME=" + w.user(), "APE_CLAW_HOME=" + w.home(), "APE_CLAW_PROFILE=sandbox", "NO_COLOR=1", "PATH=" + os.Getenv("PATH"),
		"APE_CLAW_CRASH_AT=" + c.at, "APE_CLAW_CRASH_LOG=" + c.log,
	}
	var out, side bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &side
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal to ask
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%v: %v", args, err)
	}
	o := outcome{args: args, exit: cmd.ProcessState.ExitCode(), text: out.String() + side.String()}
	if st, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		o.killed = st.Signal() == syscall.SIGKILL
	}
	w.checkKeys(o, out.Bytes())
	dec := json.NewDecoder(&out)
	switch err := dec.Decode(&o); {
	case err == nil && dec.More():
		w.t.Fatalf("more than one document\n%s", o)
	case err != nil && !o.killed:
		w.t.Fatalf("no document: %v\n%s", err, o)
	}
	return o
}

// checkKeys: every key of a document is in camelCase, however deep.
func (w *world) checkKeys(o outcome, doc []byte) {
	w.t.Helper()
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for k, e := range v {
				if k == "" || k[0] < 'a' || k[0] > 'z' || strings.ContainsAny(k, "_- ") {
					w.t.Errorf("key %q of %s", k, o)
				}
				walk(e)
			}
		}
	}
	var v any
	if json.Unmarshal(doc, &v) == nil { // what is none is seen by who reads it
		walk(v)
	}
}

// must runs a command that has to end well.
func (w *world) must(args ...string) outcome {
	w.t.Helper()
	o := w.run(crash{}, args...)
	if o.exit != 0 {
		w.t.Fatal(o)
	}
	return o
}

// killed runs a command that kills itself.
func (w *world) killed(at string, args ...string) {
	w.t.Helper()
	if o := w.run(crash{at: at}, args...); !o.killed {
		w.t.Fatalf("it was not killed at %q\n%s", at, o)
	}
}

// logs are the chain's logs of one event of a contract.
func (w *world) logs(contract, signature string) []types.Log {
	w.t.Helper()
	got, err := w.Client().FilterLogs(w.t.Context(), ethereum.FilterQuery{
		Addresses: []common.Address{w.at[contract]}, Topics: [][]common.Hash{{crypto.Keccak256Hash([]byte(signature))}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// event is what counts here of a line of the log.
type event struct {
	EventType string
	Result    struct {
		TxHash  string
		SkillID json.Number
		TraceID string
	}
}

// events reads the local log's events of a type.
func (w *world) events(typ string) []event {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.wd(), "state", "events.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	var out []event
	for line := range bytes.Lines(b) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			w.t.Errorf("a bad line in the log: %v\n%s", err, line)
		}
		if e.EventType == typ {
			out = append(out, e)
		}
	}
	return out
}

// checkBooks: nothing is open in journal and ledger, and what was settled is what left
// the account.
func (w *world) checkBooks() {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.home(), "sandbox", "money.db"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			w.t.Error(err)
		}
	}()
	var open int
	query := `SELECT (SELECT count(*) FROM tx WHERE state NOT IN ('confirmed', 'reverted', 'abandoned')) + (SELECT count(*) FROM spend WHERE state NOT IN ('settled', 'released'))`
	if err := db.QueryRowContext(w.t.Context(), query).Scan(&open); err != nil || open != 0 {
		w.t.Errorf("%d rows of the books are open, %v", open, err)
	}
	rows, err := db.QueryContext(w.t.Context(), `SELECT settled FROM spend WHERE state = 'settled'`)
	if err != nil {
		w.t.Fatal(err)
	}
	booked := new(big.Int)
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			w.t.Fatal(err)
		}
		n, ok := new(big.Int).SetString(text, 10)
		if !ok {
			w.t.Fatalf("a number in the books: %q", text)
		}
		booked.Add(booked, n)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		w.t.Fatal(err)
	}
	left, err := w.Client().BalanceAt(w.t.Context(), w.Buyer().Address(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if gone := new(big.Int).Sub(w.start, left); booked.Cmp(gone) != 0 {
		w.t.Errorf("booked are %s, and %s left the account", booked, gone)
	}
}
