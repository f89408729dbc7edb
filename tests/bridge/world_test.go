package bridge

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	ethcommon "github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	_ "modernc.org/sqlite" // money.db, read by queries of our own

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/demo"
	"github.com/ape-claw/ape-claw/sandbox/devchain"
	"github.com/ape-claw/ape-claw/tests/program"
)

var (
	full = flag.Bool("full", false, "the full form: every step of every currency")
	seed = flag.Uint64("seed", 1, "what the random choices follow from")
)

// patience bounds every wait: nothing here depends on speed.
const patience = 3 * time.Minute

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "3"); err != nil { // each scenario starts processes
		panic(err)
	}
	code := m.Run()
	program.Remove()
	os.Exit(code)
}

// world is a sandbox with a home and a state directory of its own.
type world struct {
	*sandbox.World
	t     *testing.T
	dir   string
	start map[string]*big.Int // what the buyer held at first, by place and symbol
}

func newWorld(t *testing.T) *world {
	t.Helper()
	program.Crashing.For(t) // built before anything is timed
	w := &world{t: t, dir: t.TempDir(), start: map[string]*big.Int{}}
	for _, d := range []string{"home", "user", "at"} {
		if err := os.Mkdir(filepath.Join(w.dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	price, err := units.Parse("30", units.APEDecimals)
	if err != nil {
		t.Fatal(err)
	}
	if w.World, err = sandbox.Start(t.Context(), sandbox.Options{Home: filepath.Join(w.dir, "home"), Price: price}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, c := range w.Demo().Currencies() {
		w.start[name(c)] = w.holds(c)
	}
	return w
}

func name(c demo.Currency) string { return fmt.Sprintf("%d %s", c.ChainID, c.Symbol) }

func (w *world) holds(c demo.Currency) *big.Int {
	w.t.Helper()
	n, err := w.BalanceOf(w.t.Context(), c, w.Buyer().Address())
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// currency is one of the sandbox's.
func (w *world) currency(chainID int64, symbol string) demo.Currency {
	w.t.Helper()
	c, ok := w.Demo().Currency(chainID, symbol)
	if !ok {
		w.t.Fatalf("no %s on %d", symbol, chainID)
	}
	return c
}

// chainOf is the id of a chain by its name.
func (w *world) chainOf(name string) int64 {
	if name == "ethereum" {
		return devchain.EthereumChainID
	}
	return w.ChainID()
}

// process is a command that runs.
type process struct {
	cmd      *exec.Cmd
	args     []string
	out, err bytes.Buffer
	cancel   context.CancelFunc
}

// begin starts a command, which kills itself at a crash point, if one is named, and lists
// those that it passes in a file, if one is.
func (w *world) begin(crashAt, crashLog string, args ...string) *process {
	w.t.Helper()
	return w.launch(crashAt, crashLog, nil, args...)
}

// beginWith starts a command with open files, from descriptor 3 on.
func (w *world) beginWith(files []*os.File, args ...string) *process {
	w.t.Helper()
	return w.launch("", "", files, args...)
}

func (w *world) launch(crashAt, crashLog string, files []*os.File, args ...string) *process {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	r := &process{cmd: exec.CommandContext(ctx, program.Crashing.For(w.t), append(args, "--json")...), args: args, cancel: cancel}
	r.cmd.Dir = filepath.Join(w.dir, "at")
	r.cmd.Env = []string{"HOME=" + filepath.Join(w.dir, "user"), "APE_CLAW_HOME=" + filepath.Join(w.dir, "home"), "APE_CLAW_PROFILE=sandbox", "NO_COLOR=1",
		"PATH=" + os.Getenv("PATH"), "APE_CLAW_CRASH_AT=" + crashAt, "APE_CLAW_CRASH_LOG=" + crashLog}
	r.cmd.Stdout, r.cmd.Stderr, r.cmd.ExtraFiles = &r.out, &r.err, files
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal to ask
	if err := r.cmd.Start(); err != nil {
		cancel()
		w.t.Fatal(err)
	}
	return r
}

// outcome is what a command said, and how it ended.
type outcome struct {
	args   []string
	exit   int
	killed bool
	text   string
	Status string `json:"-"`

	Code        string                  `json:"code"`
	Sent        string                  `json:"sent"`
	RequestID   string                  `json:"requestId"`
	QuoteID     string                  `json:"quoteId"`
	State       any                     `json:"status"` // of a transfer, or a number: of an answer
	RelayStatus string                  `json:"relayStatus"`
	Warning     string                  `json:"warning"`
	Received    string                  `json:"received"`
	MinOut      string                  `json:"minAmountOut"`
	Phrase      string                  `json:"confirmPhrase"`
	WouldBlock  []struct{ Code string } `json:"wouldBlock"`
	Open        []any                   `json:"open"`
}

func (o outcome) String() string {
	return fmt.Sprintf("%s: exit %d, killed %t\n%s", strings.Join(o.args, " "), o.exit, o.killed, o.text)
}

// wait returns how a command ended, which has said one document unless it was killed.
func (r *process) wait(t *testing.T) (o outcome) {
	t.Helper()
	defer r.cancel()
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v", r.args, err)
	}
	o = outcome{args: r.args, exit: r.cmd.ProcessState.ExitCode(), text: r.out.String() + r.err.String()}
	if st, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		o.killed = st.Signal() == syscall.SIGKILL
	}
	dec := json.NewDecoder(&r.out)
	defer func() { o.Status, _ = o.State.(string) }()
	switch err := dec.Decode(&o); {
	case err == nil && dec.More():
		t.Fatalf("more than one document\n%s", o)
	case err != nil && !o.killed:
		t.Fatalf("no document: %v\n%s", err, o)
	}
	return o
}

func (w *world) run(args ...string) outcome {
	w.t.Helper()
	return w.begin("", "", args...).wait(w.t)
}

func (w *world) must(args ...string) outcome {
	w.t.Helper()
	o := w.run(args...)
	if o.exit != 0 {
		w.t.Fatal(o)
	}
	return o
}

// transfer is what a scenario moves.
type transfer struct{ from, to, token, amount string }

var transfers = []transfer{
	{"ethereum", "apechain", "ETH", "0.02"},
	{"ethereum", "apechain", "USDC", "12.5"},
	{"apechain", "ethereum", "APE", "30"},
}

func (x transfer) quote() []string {
	return []string{"bridge", "quote", "--from", x.from, "--to", x.to, "--token", x.token, "--amount", x.amount}
}

func execute(request string) []string {
	return []string{"bridge", "execute", "--request", request, "--execute", "--autonomous"}
}

func status(request string) []string { return []string{"bridge", "status", "--request", request} }

// deposits are the ids that the buyer paid for at a depository.
func (w *world) deposits(chainID int64) int {
	w.t.Helper()
	c, err := w.ClientOn(w.t.Context(), chainID)
	if err != nil {
		w.t.Fatal(err)
	}
	logs, err := c.FilterLogs(w.t.Context(), ethereum.FilterQuery{FromBlock: new(big.Int), Addresses: []ethcommon.Address{demo.Depository(chainID)}})
	if err != nil {
		w.t.Fatal(err)
	}
	return len(logs)
}

// spent sums what the buyer's transactions on a chain cost it in the chain's own
// currency, and counts them.
func (w *world) spent(chainID int64) (sum *big.Int, n int) {
	w.t.Helper()
	c, err := w.ClientOn(w.t.Context(), chainID)
	if err != nil {
		w.t.Fatal(err)
	}
	head, err := c.BlockNumber(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	sum = new(big.Int)
	signer := types.LatestSignerForChainID(big.NewInt(chainID))
	for i := uint64(1); i <= head; i++ {
		b, err := c.BlockByNumber(w.t.Context(), new(big.Int).SetUint64(i))
		if err != nil {
			w.t.Fatal(err)
		}
		for _, tx := range b.Transactions() {
			if from, err := types.Sender(signer, tx); err != nil || from != w.Buyer().Address() {
				continue
			}
			r, err := c.TransactionReceipt(w.t.Context(), tx.Hash())
			if err != nil {
				w.t.Fatal(err)
			}
			n++
			sum.Add(sum, new(big.Int).Mul(new(big.Int).SetUint64(r.GasUsed), r.EffectiveGasPrice))
			if r.Status == types.ReceiptStatusSuccessful {
				sum.Add(sum, tx.Value())
			}
		}
	}
	return sum, n
}

// booked is what the ledger has of a chain's own currency, and of a token; open says
// that something is still reserved, or a transaction without an end.
func (w *world) booked(chainID int64, token string) (own, other *big.Int, open int) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.dir, "home", "sandbox", "money.db"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // only read
	own, other = new(big.Int), new(big.Int)
	rows, err := db.QueryContext(w.t.Context(), `SELECT asset, state, coalesce(settled, '0') FROM spend WHERE chain_id = ?`, chainID)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close() //nolint:errcheck // read to its end
	for rows.Next() {
		var asset, state, settled string
		if err := rows.Scan(&asset, &state, &settled); err != nil {
			w.t.Fatal(err)
		}
		n, ok := new(big.Int).SetString(settled, 10)
		if !ok {
			w.t.Fatalf("the ledger has %q", settled)
		}
		switch {
		case state == "reserved":
			open++
		case asset == "native":
			own.Add(own, n)
		case strings.EqualFold(asset, token):
			other.Add(other, n)
		default:
			w.t.Errorf("the ledger has %s of %s", n, asset)
		}
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	var unsettled int
	if err := db.QueryRowContext(w.t.Context(), `SELECT count(*) FROM tx WHERE state NOT IN ('confirmed','reverted','abandoned','cancelled')`).Scan(&unsettled); err != nil {
		w.t.Fatal(err)
	}
	return own, other, open + unsettled
}

// nothingSpent holds that no transaction of the buyer is on either chain.
func (w *world) nothingSpent(what string) {
	w.t.Helper()
	for _, id := range []int64{w.ChainID(), devchain.EthereumChainID} {
		if _, n := w.spent(id); n != 0 {
			w.t.Errorf("%s: %d transactions of the buyer on chain %d", what, n, id)
		}
	}
}

// events counts the types in the log; no line that tells of money is there twice.
func (w *world) events() map[string]int {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, "at", "state", "events.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	out, seen := map[string]int{}, map[string]bool{}
	for line := range bytes.Lines(b) {
		var e struct {
			EventType string `json:"eventType"`
		}
		if err := json.Unmarshal(line, &e); err != nil || e.EventType == "" {
			w.t.Errorf("a bad line in the log: %v\n%s", err, line)
		}
		if seen[string(line)] && e.EventType != "bridge.status.read" { // two may read it in one millisecond
			w.t.Errorf("a line is twice in the log\n%s", line)
		}
		seen[string(line)] = true
		out[e.EventType]++
	}
	return out
}

// moved holds that a transfer was paid for exactly once, that the ledger has what left,
// and what the buyer gained of the currencies.
func (w *world) moved(x transfer, back bool) {
	w.t.Helper()
	origin := w.chainOf(x.from)
	if n := w.deposits(origin); n != 1 {
		w.t.Errorf("%d deposits on %s", n, x.from)
	}
	c := w.currency(origin, x.token)
	sum, _ := w.spent(origin)
	own, other, open := w.booked(origin, c.Address.Hex())
	if own.Cmp(sum) != 0 || open != 0 {
		w.t.Errorf("the ledger has %s of %s's own currency, and the transactions cost %s; %d are open", own, x.from, sum, open)
	}
	amount, err := units.Parse(x.amount, c.Decimals)
	if err != nil {
		w.t.Fatal(err)
	}
	left := new(big.Int).Sub(w.start[name(c)], w.holds(c))
	want := amount.Big()
	if back {
		want = new(big.Int)
	}
	if c.Native() {
		fees := new(big.Int).Sub(sum, amount.Big())
		want = new(big.Int).Add(want, fees)
	} else if other.Cmp(amount.Big()) != 0 {
		w.t.Errorf("the ledger has %s of %s, and %s was deposited", other, x.token, amount)
	}
	if left.Cmp(want) != 0 {
		w.t.Errorf("%s of %s are gone, want %s", left, x.token, want)
	}
}
