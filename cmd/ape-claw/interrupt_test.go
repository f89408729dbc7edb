package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ape-claw/ape-claw/sandbox"
)

// inSandbox starts a sandbox for the world's home and points its commands at it.
func (w *world) inSandbox() *sandbox.World {
	w.t.Helper()
	s, err := sandbox.Start(context.Background(), sandbox.Options{Home: filepath.Join(w.dir, "user", ".ape-claw")})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			w.t.Error(err)
		}
	})
	w.env = append(w.env, "APE_CLAW_PROFILE=sandbox")
	return s
}

// doc runs a command with --json and returns its document and exit status.
func (w *world) doc(args ...string) (map[string]any, int) {
	w.t.Helper()
	cmd := w.command(append(args, "--json")...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	exit := status(cmd.Run())
	var doc map[string]any
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		w.t.Fatalf("ape-claw %s: %v\n%s%s", strings.Join(args, " "), err, &stdout, &stderr)
	}
	return doc, exit
}

func status(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -2
}

// simulated quotes and simulates the n-th cheapest demo token.
func (w *world) simulated(n int) (quote string) {
	w.t.Helper()
	listings, _ := w.doc("market", "listings", "--collection", "demo-apes", "--limit", "5")
	first := listings["listings"].([]any)[n].(map[string]any)
	q, exit := w.doc("nft", "quote", "--collection", "demo-apes", "--token-id", first["tokenId"].(string), "--max-price", "100")
	if exit != 0 {
		w.t.Fatalf("quote: %v", q)
	}
	quote = q["quoteId"].(string)
	if s, exit := w.doc("nft", "simulate", "--quote", quote); exit != 0 {
		w.t.Fatalf("simulate: %v", s)
	}
	return quote
}

// types returns the event types of the log that are about purchases.
func (w *world) purchases() (types []string) {
	w.t.Helper()
	for _, line := range w.logLines() {
		var e struct{ EventType string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			w.t.Fatal(err)
		}
		if strings.HasPrefix(e.EventType, "nft.buy.") {
			types = append(types, strings.TrimPrefix(e.EventType, "nft.buy."))
		}
	}
	return types
}

// submitted starts a purchase while no block is made, and returns when it has
// told that it sent.
func (w *world) submitted(quote string) (cmd *exec.Cmd, stdout *bytes.Buffer) {
	w.t.Helper()
	cmd, stdout = w.command("nft", "buy", "--quote", quote, "--execute", "--autonomous", "--json"), &bytes.Buffer{}
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	before := len(w.purchases())
	deadline := time.Now().Add(20 * time.Second)
	for ; len(w.purchases()) == before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("nothing was submitted: %s", stdout)
		}
	}
	return cmd, stdout
}

// Ctrl-C after the transaction left ends as unknown, with the hash and what to do;
// and once it is mined, the next run settles it and buys nothing twice.
func TestInterruptAfterSending(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	quote, other := w.simulated(0), w.simulated(1)
	if err := s.SetFault("rpc-no-mining"); err != nil {
		t.Fatal(err)
	}
	cmd, stdout := w.submitted(quote)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	exit := status(cmd.Wait())
	var doc struct{ Code, Hint, Sent, TxHash string }
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	if exit != 7 || doc.Code != "tx_unknown" || doc.Sent != "yes" || !strings.HasPrefix(doc.TxHash, "0x") || !strings.Contains(doc.Hint, "nft resume") {
		t.Errorf("exit %d, %s", exit, stdout)
	}
	// While it is open, nothing else is sent by this account.
	if d, exit := w.doc("nft", "buy", "--quote", other, "--execute", "--autonomous"); exit != 10 || d["code"] != "conflict" || d["txHash"] != doc.TxHash {
		t.Errorf("a second purchase: exit %d, %v", exit, d)
	}
	if d, exit := w.doc("nft", "buy", "--quote", quote, "--execute", "--autonomous"); exit != 10 || d["code"] != "quote_used" {
		t.Errorf("the same quote again: exit %d, %v", exit, d)
	}
	if d, exit := w.doc("nft", "resume"); exit != 7 || d["ok"] != false || len(d["open"].([]any)) != 1 {
		t.Errorf("resume while it is open: exit %d, %v", exit, d)
	}
	s.ClearFaults()
	if err := s.Mine(); err != nil {
		t.Fatal(err)
	}
	if d, exit := w.doc("nft", "resume"); exit != 0 || len(d["open"].([]any)) != 0 || d["settled"].([]any)[0].(map[string]any)["state"] != "confirmed" {
		t.Errorf("resume after it was mined: exit %d, %v", exit, d)
	}
	w.settles(s, other, "submitted", "unknown", "confirmed", "submitted", "confirmed")
}

// A process that is killed while it waits leaves what the next one needs.
func TestKillAfterSending(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	quote, other := w.simulated(0), w.simulated(1)
	if err := s.SetFault("rpc-no-mining"); err != nil {
		t.Fatal(err)
	}
	cmd, _ := w.submitted(quote)
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed, as it says
	if d, exit := w.doc("nft", "buy", "--quote", quote); exit != 10 || d["code"] != "quote_used" {
		t.Errorf("a dry run of what may have been bought: exit %d, %v", exit, d)
	}
	w.settles(s, other, "submitted", "confirmed", "submitted", "confirmed")
}

// A HALT that a person writes while a node stalls, after every gate was passed,
// still stops the signature.
func TestHaltWhileTheNodeStalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	quote := w.simulated(0)
	node, err := url.Parse(strings.TrimSuffix(s.RPCURL(), "/rpc"))
	if err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	home := filepath.Join(w.dir, "user", ".ape-claw", "sandbox")
	forward := httputil.NewSingleHostReverseProxy(node)
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		switch {
		case bytes.Contains(body, []byte("eth_getTransactionCount")):
			if err := os.WriteFile(filepath.Join(home, "HALT"), []byte("a person\n"), 0o600); err != nil {
				t.Error(err)
			}
		case bytes.Contains(body, []byte("eth_sendRawTransaction")):
			sent.Add(1)
		}
		r.Host = node.Host
		forward.ServeHTTP(rw, r)
	}))
	defer proxy.Close()
	current := filepath.Join(home, "current.json")
	b, err := os.ReadFile(current)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(current, bytes.Replace(b, []byte(s.RPCURL()), []byte(proxy.URL+"/rpc"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	d, exit := w.doc("nft", "buy", "--quote", quote, "--execute", "--autonomous")
	if exit != 3 || d["code"] != "halted" || d["sent"] != "no" || sent.Load() != 0 {
		t.Errorf("exit %d, %v, %d sent", exit, d, sent.Load())
	}
}

// One failed start in the background is one failure in the log.
func TestDetachedFailureIsToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.inSandbox()
	port := s.RPCURL()[strings.LastIndexByte(strings.TrimSuffix(s.RPCURL(), "/rpc"), ':')+1:]
	d, exit := w.doc("sandbox", "up", "--detach", "--home", filepath.Join(w.dir, "other"), "--port", strings.TrimSuffix(port, "/rpc"))
	if exit != 10 || d["code"] != "conflict" {
		t.Fatalf("exit %d, %v", exit, d)
	}
	if n := len(w.logLines()); n != 1 {
		t.Errorf("%d events of one failure: %v", n, w.logLines())
	}
}

// settles lets blocks be made, buys another quote, and checks that the log has
// the whole story of both.
func (w *world) settles(s *sandbox.World, other string, want ...string) {
	w.t.Helper()
	s.ClearFaults()
	if err := s.Mine(); err != nil {
		w.t.Fatal(err)
	}
	if d, exit := w.doc("nft", "buy", "--quote", other, "--execute", "--autonomous"); exit != 0 {
		w.t.Fatalf("the other quote: %v", d)
	}
	if got := w.purchases(); strings.Join(got, " ") != strings.Join(want, " ") {
		w.t.Errorf("the log tells %v, want %v", got, want)
	}
}
