package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/ape-claw/ape-claw/bench/load"
)

// How POST /api/events is measured.
const (
	ingestConns = 4
	ingestBatch = 100
	ingestAgent = "bench-agent"
)

// way is how events are sent.
type way struct {
	kind  string
	batch int
	ids   bool
}

var (
	nodeSingle  = way{node, 1, false}
	httpSingle  = way{postHTTP, 1, false}
	rawSingle   = way{postRaw, 1, false}
	oursSingle  = way{apeClaw, 1, false}
	oursBatched = way{apeClaw, ingestBatch, false}
	oursIDs     = way{apeClaw, 1, true}
	oursForward = way{apeClaw, ingestBatch, true}
)

// ingest measures events that are posted, one and many a request, beside Node.
func (b *bench) ingest(ctx context.Context, p *page) error {
	if _, err := b.build(ctx, "postbench", "./postbench"); err != nil {
		return err
	}
	ways := []way{nodeSingle, rawSingle, httpSingle, oursSingle, oursBatched, oursIDs, oursForward}
	all := map[way][]load.PostResult{}
	noisy := map[way]bool{}
	for range b.size.rounds {
		for _, w := range ways {
			if !b.wants(w.kind) {
				continue
			}
			r, err := b.post(ctx, w)
			if err != nil {
				return fmt.Errorf("%s, %d a request: %w", w.kind, w.batch, err)
			}
			all[w] = append(all[w], r)
			others := r.OtherCPU / r.WallSec / float64(runtime.NumCPU())
			noisy[w] = noisy[w] || others > 0.1
			b.logf("%-10s %3d a request, ids %-5t: %8.0f events/s, p50 %.2f ms, p99 %.2f ms, others %.0f %% of the machine",
				w.kind, w.batch, w.ids, r.PerSec, r.P50us/1e3, r.P99us/1e3, 100*others)
		}
	}
	text := fmt.Sprintf(`## Taking events in

`+"`POST /api/events`"+`: envelopes of %d bytes with an agent's credentials on %d connections, each server writing its log;
Node takes one envelope a request, and is compared by events. An event with an eventId is on disk (fsync) before it is
answered, so that its sender can forget it; the others are as durable as Node's. Two servers beside it show what a request
costs at least: one on net/http that asks nobody for credentials, checks nothing, and appends under the lock that processes
share; and one that reads bytes off a socket and answers. Median of %d rounds in turns.

| | events/s | beside Node | p50 / p99 of a request | server CPU an event |
|---|---|---|---|---|
`, eventSize, ingestConns, b.size.rounds)
	for _, w := range ways {
		if len(all[w]) == 0 {
			continue
		}
		star := ""
		if noisy[w] {
			star, p.noisy = " *", true
		}
		text += fmt.Sprintf("| %s | %s%s | %s | %.2f / %.2f ms | %s |\n", w, count(middle(all[w], eventsPerSec)), star, w.beside(all),
			middle(all[w], func(r load.PostResult) float64 { return r.P50us / 1e3 }), middle(all[w], func(r load.PostResult) float64 { return r.P99us / 1e3 }), cpuAnEvent(all[w]))
	}
	p.section(text)
	if len(all[nodeSingle]) > 0 && len(all[oursSingle]) > 0 {
		single, batched := ratioOf(all[oursSingle], all[nodeSingle]), ratioOf(all[oursBatched], all[nodeSingle])
		p.verdict("POST, one event a request, beside Node, the original's shape", ">= 2.5x", fmt.Sprintf("%.2fx", single), single >= 2.5)
		p.verdict(fmt.Sprintf("POST, %d events a request, beside Node's one", ingestBatch), ">= 20x", fmt.Sprintf("%.1fx", batched), batched >= 20)
	}
	return nil
}

// String names a way in the table.
func (w way) String() string {
	s := titles[w.kind] + ", one a request"
	if w.batch > 1 {
		s = fmt.Sprintf("%s, %d a request", titles[w.kind], w.batch)
	}
	if w.ids {
		s += ", each with an eventId"
	}
	return s
}

func (w way) beside(all map[way][]load.PostResult) string {
	if w == nodeSingle || len(all[nodeSingle]) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1fx", ratioOf(all[w], all[nodeSingle]))
}

func eventsPerSec(r load.PostResult) float64 { return r.PerSec }

func middle(rs []load.PostResult, figure func(load.PostResult) float64) float64 {
	var v []float64
	for _, r := range rs {
		v = append(v, figure(r))
	}
	return median(v)
}

func cpuAnEvent(rs []load.PostResult) string {
	for _, r := range rs {
		if !r.Measured {
			return "not measured"
		}
	}
	return fmt.Sprintf("%.1f µs", middle(rs, func(r load.PostResult) float64 { return r.ServerNs / 1e3 }))
}

// ratioOf is the median over the rounds of the rate of one by that of the other.
func ratioOf(a, b []load.PostResult) float64 {
	var v []float64
	for i := range min(len(a), len(b)) {
		v = append(v, a[i].PerSec/b[i].PerSec)
	}
	return median(v)
}

// post measures one way with a fresh server, and makes sure that its log has what was sent.
func (b *bench) post(ctx context.Context, w way) (r load.PostResult, err error) {
	dir, err := os.MkdirTemp(b.dir, w.kind+"-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, logName), nil, 0o600); err != nil {
		return r, err
	}
	token := "claw_" + hex.EncodeToString(make([]byte, 32))
	if w.kind == apeClaw {
		if token, err = b.register(ctx, dir); err != nil {
			return r, err
		}
	}
	srv, err := b.startIn(ctx, w.kind, dir, ingestConns)
	if err != nil {
		return r, err
	}
	defer srv.stop()
	requests := b.size.posts
	if w.batch > 1 {
		requests = b.size.batches
	}
	if w.ids {
		requests = max(requests/5, 2*ingestConns) // each waits for the disk
	}
	warm := max(requests/10, ingestConns)
	cmd := exec.CommandContext(ctx, filepath.Join(b.dir, "postbench"), "-url", srv.url+"/api/events", "-agent", ingestAgent, "-n", strconv.Itoa(ingestConns),
		"-requests", strconv.Itoa(requests), "-warm", strconv.Itoa(warm), "-batch", strconv.Itoa(w.batch), "-ids="+strconv.FormatBool(w.ids), "-size", strconv.Itoa(eventSize), "-pid", strconv.Itoa(srv.pid))
	cmd.Env = append(os.Environ(), "TOKEN="+token)
	var side bytes.Buffer
	cmd.Stderr = &side
	out, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("%w: %s%s", err, side.Bytes(), srv.errs)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return r, err
	}
	sent := (requests/ingestConns + warm/ingestConns) * ingestConns * w.batch
	n, err := ticks(dir)
	if err == nil && n != sent && w.kind != postRaw {
		err = fmt.Errorf("%d events were sent, and the log has %d", sent, n)
	}
	return r, err
}

// register makes ape-claw's agent; Node is told of its own.
func (b *bench) register(ctx context.Context, dir string) (token string, err error) {
	cmd := exec.CommandContext(ctx, b.binary, "clawbot", "register", "--agent-id", ingestAgent, "--state-dir", dir, "--json")
	cmd.Dir, cmd.Env = dir, b.env()
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("register an agent: %w: %s", err, out)
	}
	var doc struct{ Token string }
	err = json.Unmarshal(out, &doc)
	return doc.Token, err
}

// ticks counts this benchmark's events in all parts of a log.
func ticks(dir string) (n int, err error) {
	parts, err := filepath.Glob(filepath.Join(dir, "events*.jsonl"))
	for _, part := range parts {
		text, err := os.ReadFile(part)
		if err != nil {
			return n, err
		}
		n += bytes.Count(text, []byte(`"eventType":"bench.tick"`))
	}
	return n, err
}

// nodeAgent tells Node whose token it takes.
func nodeAgent() []string {
	sum := sha256.Sum256([]byte("claw_" + hex.EncodeToString(make([]byte, 32))))
	return []string{"AGENT_ID=" + ingestAgent, "TOKEN_HASH=" + hex.EncodeToString(sum[:])}
}
