package approve_test

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
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the databases, read and changed by queries of our own

	"github.com/ape-claw/ape-claw/ai/operator"
	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/model"
	"github.com/ape-claw/ape-claw/sandbox/opensea"
	"github.com/ape-claw/ape-claw/store"
	"github.com/ape-claw/ape-claw/tests/pty"
)

const (
	// slug is the collection that everything here is bought from.
	slug       = "demo-apes"
	passphrase = "seven green parrots"
)

// world is a sandbox with a home of its own, where a passphrase is set; every listing
// costs 1 APE.
type world struct {
	*sandbox.World
	t     *testing.T
	bin   string
	dir   string   // holds the home and the working directory
	start *big.Int // the buyer's balance at first
	list  []opensea.Listed
}

// newWorld starts a sandbox with so many listings. What a failed test leaves is kept.
func newWorld(t *testing.T, bin string, listings int) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "ape-claw-approve-")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, bin: bin, dir: dir}
	for _, d := range []string{w.base(), w.user(), w.wd()} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if w.World, err = sandbox.Start(t.Context(), sandbox.Options{Home: w.base(), Listings: listings, Price: ape(t, "1"), Balance: ape(t, "5000")}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("what it left is kept in %s", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if w.start, err = w.Client().BalanceAt(t.Context(), w.Buyer().Address(), nil); err != nil {
		t.Fatal(err)
	}
	if w.list, err = w.Listings(t.Context(), slug); err != nil || len(w.list) < listings {
		t.Fatalf("%d listings, %v", len(w.list), err)
	}
	setPassphrase(t, w.home())
	return w
}

// setPassphrase does what ai auth init does, at a cost that tests can pay.
func setPassphrase(t *testing.T, home string) {
	t.Helper()
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := store.OpenAI(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	op := operator.New(operator.Options{DB: func(context.Context) (*sql.DB, error) { return db, nil }, Home: home, Now: time.Now,
		Cost: operator.Cost{Time: 1, Memory: 64, Threads: 1}})
	if err := errors.Join(op.Init(t.Context(), "", passphrase), db.Close()); err != nil {
		t.Fatal(err)
	}
}

func (w *world) base() string { return filepath.Join(w.dir, "home") }
func (w *world) home() string { return w.Current().Home }
func (w *world) user() string { return filepath.Join(w.dir, "user") }
func (w *world) wd() string   { return filepath.Join(w.dir, "at") }

func ape(t testing.TB, s string) units.Wei {
	t.Helper()
	v, err := units.Parse(s, units.APEDecimals)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// env is a command's environment, with what is said beside; later values win.
func (w *world) env(more ...string) []string {
	return append([]string{"HOME=" + w.user(), "APE_CLAW_HOME=" + w.base(), "APE_CLAW_PROFILE=sandbox", "NO_COLOR=1", "PATH=" + os.Getenv("PATH")}, more...)
}

// outcome is what a command said, and how it ended.
type outcome struct {
	args   []string
	exit   int  // -1: by a signal
	killed bool // by SIGKILL
	text   string

	OK      bool              `json:"ok"`
	Code    string            `json:"code"`
	Sent    any               `json:"sent"` // of an error, or how many a deployment sent
	Error   string            `json:"error"`
	QuoteID string            `json:"quoteId"`
	Action  act               `json:"action"`
	Actions []act             `json:"actions"`
	Open    json.RawMessage   `json:"open"`
	Differs []string          `json:"differs"`
	Details map[string]any    `json:"details"`
	Quote   map[string]any    `json:"quote"`
	History []json.RawMessage `json:"history"`
}

// act is what counts here of an action.
type act struct {
	ID       string `json:"id"`
	State    string `json:"state"`
	Version  int    `json:"version"`
	Reported bool   `json:"reported"`
	TraceID  string `json:"traceId"`
	Outcome  struct {
		Outcome    string `json:"outcome"`
		Code       string `json:"code"`
		Cause      string `json:"cause"`
		TxHash     string `json:"txHash"`
		Reconciled bool   `json:"reconciled"`
	} `json:"outcome"`
}

func (o outcome) String() string {
	return fmt.Sprintf("%s: exit %d, killed %t\n%s", strings.Join(o.args, " "), o.exit, o.killed, o.text)
}

// decode reads the one document that a command says unless it is killed.
func (o *outcome) decode(t *testing.T, stdout string) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(stdout))
	switch err := dec.Decode(o); {
	case err == nil && dec.More():
		t.Fatalf("more than one document\n%s", o)
	case err != nil && o.exit != -1:
		t.Fatalf("no document: %v\n%s", err, o)
	}
}

// run runs a command to its end, without a terminal.
func (w *world) run(args ...string) outcome {
	w.t.Helper()
	return w.runAs(nil, args...)
}

func (w *world) runAs(more []string, args ...string) outcome {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, w.bin, append(args, "--json")...)
	cmd.Dir, cmd.Env = w.wd(), w.env(more...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal to ask
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%v: %v", args, err)
	}
	o := outcome{args: args, exit: cmd.ProcessState.ExitCode(), text: out.String() + complaint.String()}
	if st, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		o.killed = st.Signal() == syscall.SIGKILL
	}
	o.decode(w.t, out.String())
	return o
}

// must runs a command that has to end well.
func (w *world) must(args ...string) outcome {
	w.t.Helper()
	o := w.run(args...)
	if o.exit != 0 {
		w.t.Fatal(o)
	}
	return o
}

// action is how one stands, after what a look brings up to date.
func (w *world) action(id string) act {
	w.t.Helper()
	for _, a := range w.must("ai", "actions", "list").Actions {
		if a.ID == id {
			return a
		}
	}
	w.t.Fatalf("no action %s in the list", id)
	return act{}
}

// stateDB and moneyDB name the databases.
func (w *world) stateDB() string { return filepath.Join(w.wd(), "state", store.StateFile) }
func (w *world) moneyDB() string { return filepath.Join(w.home(), "money.db") }

// sql changes a database from outside and returns how many rows changed.
func (w *world) sql(path, query string, args ...any) int64 {
	w.t.Helper()
	db := w.open(path)
	defer db.Close() //nolint:errcheck // what was changed is committed
	r, err := db.ExecContext(w.t.Context(), query, args...)
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	n, err := r.RowsAffected()
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *world) open(path string) *sql.DB {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(20000)")
	if err != nil {
		w.t.Fatal(err)
	}
	return db
}

// rows reads a query's rows, each as its columns in one line.
func (w *world) rows(path, query string, args ...any) []string {
	w.t.Helper()
	db := w.open(path)
	defer db.Close() //nolint:errcheck // only read
	rows, err := db.QueryContext(w.t.Context(), query, args...)
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close() //nolint:errcheck // Err says what reading ran into
	names, err := rows.Columns()
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for rows.Next() {
		values, into := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			w.t.Fatal(err)
		}
		var line []string
		for _, v := range values {
			line = append(line, v.String)
		}
		out = append(out, strings.Join(line, " "))
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// count reads a number.
func (w *world) count(path, query string, args ...any) int {
	w.t.Helper()
	r := w.rows(path, query, args...)
	var n int
	if len(r) != 1 {
		w.t.Fatalf("%s: %q", query, r)
	}
	if _, err := fmt.Sscan(r[0], &n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// purchase is what a model proposed, and its token.
type purchase struct {
	id    string // of the action
	quote string
	token *big.Int
}

// talks connects a model that quotes, simulates and proposes the i-th listing, and
// says one thing to everything else.
func (w *world) talks(i int) *model.Server {
	w.t.Helper()
	return w.plays(
		model.Use("nft_quote", fmt.Sprintf(`{"collection":%q,"tokenId":%q,"maxPrice":"1"}`, slug, w.list[i].TokenID.String())),
		model.Use("nft_simulate", `{"quote":"$.nft_quote.quoteId"}`),
		model.Use("nft_buy", `{"quote":"$.nft_quote.quoteId"}`),
		model.Say("It waits for you."),
	)
}

// plays connects a model with a script.
func (w *world) plays(steps ...model.Step) *model.Server {
	w.t.Helper()
	m, err := model.Start(w.t.Context(), model.Options{Script: model.Script{Otherwise: &model.Step{Say: "I have seen it."}, Steps: steps}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := m.Close(); err != nil {
			w.t.Error(err)
		}
	})
	at := pty.Start(w.t, w.bin, []string{"ai", "connections", "add", "--preset", "other", "--base-url", m.URL, "--name", "main", "--model", "scripted", "--key-env", "MODEL_KEY", "--default"},
		w.env("MODEL_KEY=k-"+strings.Repeat("0", 20)), pty.Dir(w.wd()))
	at.Expect("passphrase, to ")
	at.Expect(": ")
	at.Send(passphrase)
	if code := at.Wait(); code != 0 {
		w.t.Fatalf("ai connections add: exit %d\n%s", code, at.Screen())
	}
	return m
}

// chat says something to the model; what it says comes back in lines.
func (w *world) chat(args ...string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, w.bin, append([]string{"ai", "chat"}, args...)...)
	cmd.Dir, cmd.Env = w.wd(), w.env("MODEL_KEY=k-"+strings.Repeat("0", 20))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("ai chat %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// proposed is the one action that waits for a person.
func (w *world) proposed(token *big.Int) purchase {
	w.t.Helper()
	r := w.rows(w.stateDB(), `SELECT id, json_extract(doc, '$.reference') FROM ai_actions WHERE state = 'proposed'`)
	if len(r) != 1 {
		w.t.Fatalf("proposed: %q", r)
	}
	id, quote, _ := strings.Cut(r[0], " ")
	return purchase{id, quote, token}
}
