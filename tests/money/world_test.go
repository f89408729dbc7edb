package money_test

import (
	"bytes"
	"context"
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

	"github.com/ape-claw/ape-claw/chain/units"
	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/opensea"
)

// slug is the collection that everything here is bought from.
const slug = "demo-apes"

// world is a sandbox with a home of its own; every listing has one price.
type world struct {
	*sandbox.World
	t     *testing.T
	dir   string // holds the home and the working directories
	price units.Wei
	start *big.Int // the buyer's balance at first
	list  []opensea.Listed
}

// newWorld starts a sandbox with so many listings. What a failed test leaves is kept.
func newWorld(t *testing.T, listings int) *world {
	t.Helper()
	binary(t) // built before anything is timed
	dir, err := os.MkdirTemp("", "ape-claw-money-")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, price: ape(t, "1")}
	for _, d := range []string{w.home(), w.user()} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if w.World, err = sandbox.Start(t.Context(), sandbox.Options{Home: w.home(), Listings: listings, Price: w.price, Balance: ape(t, "5000")}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("seed %d; what it left is kept in %s", *seed, dir)
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
	return w
}

func (w *world) home() string { return filepath.Join(w.dir, "home") }
func (w *world) user() string { return filepath.Join(w.dir, "user") }

// setCap replaces the daily cap of the sandbox's policy.
func (w *world) setCap(limit units.Wei) {
	w.t.Helper()
	path := filepath.Join(w.home(), "sandbox", "policy.json")
	b, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil {
		w.t.Fatal(err)
	}
	doc["execution"].(map[string]any)["dailySpendCap"] = limit.Decimal(units.APEDecimals)
	if b, err = json.Marshal(doc); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// place is a working directory, with the state directory that commands make there.
type place struct {
	*world
	name string
}

func (w *world) place(name string) place {
	w.t.Helper()
	p := place{w, name}
	if err := os.MkdirAll(p.wd(), 0o700); err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (p place) wd() string { return filepath.Join(p.dir, "at-"+p.name) }

// crash says when a command kills itself.
type crash struct {
	at  string // as APE_CLAW_CRASH_AT has it
	log string // where the points that are passed are listed
}

// process is a command that runs.
type process struct {
	cmd      *exec.Cmd
	args     []string
	out, err bytes.Buffer
	cancel   context.CancelFunc
}

// begin starts a command in the place.
func (p place) begin(c crash, args ...string) *process {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	r := &process{cmd: exec.CommandContext(ctx, binary(p.t), append(args, "--json")...), args: args, cancel: cancel}
	r.cmd.Dir = p.wd()
	r.cmd.Env = []string{
		"HOME=" + p.user(), "APE_CLAW_HOME=" + p.home(), "APE_CLAW_PROFILE=sandbox", "NO_COLOR=1", "PATH=" + os.Getenv("PATH"),
		"APE_CLAW_CRASH_AT=" + c.at, "APE_CLAW_CRASH_LOG=" + c.log,
	}
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.err
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal to ask
	if err := r.cmd.Start(); err != nil {
		cancel()
		p.t.Fatal(err)
	}
	return r
}

// outcome is what a command said, and how it ended.
type outcome struct {
	args   []string
	exit   int  // -1: by a signal
	killed bool // by SIGKILL
	text   string

	OK            bool                     `json:"ok"`
	Code          string                   `json:"code"`
	Sent          string                   `json:"sent"`
	State         string                   `json:"state"`
	QuoteID       string                   `json:"quoteId"`
	PlanID        string                   `json:"planId"`
	TxHash        string                   `json:"txHash"`
	MaxFeeWei     string                   `json:"maxFeeWei"`
	ConfirmPhrase string                   `json:"confirmPhrase"`
	Open          []struct{ State string } `json:"open"`
	Quote         json.RawMessage          `json:"quote"`
	Planned       []struct {
		QuoteID string `json:"quoteId"`
		TokenID string `json:"tokenId"`
	} `json:"planned"`
}

func (o outcome) String() string {
	return fmt.Sprintf("%s: exit %d, killed %t\n%s", strings.Join(o.args, " "), o.exit, o.killed, o.text)
}

// wait returns how the command ended. Every one that was not killed has to have
// said exactly one JSON document.
func (r *process) wait(t *testing.T) outcome {
	t.Helper()
	defer r.cancel()
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v", r.args, err)
	}
	o := outcome{args: r.args, exit: r.cmd.ProcessState.ExitCode(), text: r.out.String() + r.err.String()}
	if st, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		o.killed = st.Signal() == syscall.SIGKILL
	}
	dec := json.NewDecoder(&r.out)
	switch err := dec.Decode(&o); {
	case err == nil && dec.More():
		t.Fatalf("more than one document\n%s", o)
	case err != nil && !o.killed:
		t.Fatalf("no document: %v\n%s", err, o)
	}
	return o
}

// run runs a command to its end.
func (p place) run(args ...string) outcome {
	p.t.Helper()
	return p.begin(crash{}, args...).wait(p.t)
}

// must runs a command that has to end well.
func (p place) must(args ...string) outcome {
	p.t.Helper()
	o := p.run(args...)
	if o.exit != 0 {
		p.t.Fatal(o)
	}
	return o
}

// purchase is one quote, and the process arguments that buy it.
type purchase struct {
	quote string
	token *big.Int
}

func (b purchase) buy() []string {
	return []string{"nft", "buy", "--quote", b.quote, "--execute", "--autonomous"}
}

// prepare quotes and simulates the i-th listing.
func (p place) prepare(i int) purchase {
	p.t.Helper()
	b := purchase{token: p.list[i].TokenID}
	b.quote = p.must("nft", "quote", "--collection", slug, "--token-id", b.token.String(), "--max-price", p.price.Decimal(units.APEDecimals)).QuoteID
	p.must("nft", "simulate", "--quote", b.quote)
	return b
}

// owned reports whether the token is the buyer's by now.
func (w *world) owned(token *big.Int) bool {
	w.t.Helper()
	owner, err := w.OwnerOf(w.t.Context(), slug, token)
	if err != nil {
		w.t.Fatal(err)
	}
	return owner == w.Buyer().Address()
}

// nonces are what the node counts of the buyer: mined, and with those that wait.
func (w *world) nonces() (mined, pending uint64) {
	w.t.Helper()
	mined, err := w.Client().NonceAt(w.t.Context(), w.Buyer().Address(), nil)
	if err == nil {
		pending, err = w.Client().PendingNonceAt(w.t.Context(), w.Buyer().Address())
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return mined, pending
}

func ape(t testing.TB, s string) units.Wei {
	t.Helper()
	w, err := units.Parse(s, units.APEDecimals)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// after starts a timer that kills the command.
func (r *process) killAfter(d time.Duration) (stop func() bool) {
	return time.AfterFunc(d, func() { _ = r.cmd.Process.Kill() }).Stop // it may have ended
}
