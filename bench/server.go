package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The servers, in the order of the table's columns.
const (
	node    = "node"
	r3labs  = "r3labs"
	r3per   = "r3labs-per"
	ring    = "ring"
	ringRaw = "ring-raw"
	apeClaw = "ape-claw"

	postHTTP = "post-http" // these two only take events
	postRaw  = "post-raw"
)

var (
	allServers = []string{node, r3labs, r3per, ring, ringRaw, apeClaw}
	titles     = map[string]string{
		node: "Node, the original's shape", r3labs: "plain r3labs", r3per: "r3labs, a stream a client, gathered",
		ring: "shared ring on net/http", ringRaw: "the ring, hijacked", apeClaw: "**`serve`**",
		postHTTP: "net/http that appends under a lock, nothing else", postRaw: "a TCP loop that answers, nothing else",
	}
)

// fast reports whether a server writes what is shared and ready.
func fast(kind string) bool { return kind == ring || kind == ringRaw || kind == apeClaw }

// logName is what ape-claw calls its log; the others are told.
const logName = "events.jsonl"

// startTimeout bounds how long a server may take to say where it listens.
const startTimeout = 15 * time.Second

// running is a server that listens.
type running struct {
	url  string // its base
	file string // what it follows
	pid  int
	cmd  *exec.Cmd
	errs *bytes.Buffer
}

// start runs a server over an empty log of its own; clients is how many it must take.
func (b *bench) start(ctx context.Context, kind string, clients int) (*running, error) {
	dir, err := os.MkdirTemp(b.dir, kind+"-")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, logName), nil, 0o600); err != nil {
		return nil, err
	}
	return b.startIn(ctx, kind, dir, clients)
}

// startIn runs a server over the log in dir.
func (b *bench) startIn(ctx context.Context, kind, dir string, clients int) (*running, error) {
	file := filepath.Join(dir, logName)
	cmd := b.command(ctx, kind, dir, file, clients)
	r := &running{file: file, cmd: cmd, errs: &bytes.Buffer{}}
	cmd.Dir, cmd.Stderr = dir, r.errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", kind, err)
	}
	r.pid = cmd.Process.Pid
	if r.url, err = address(ctx, out); err != nil {
		r.stop()
		return nil, fmt.Errorf("start %s: %w: %s", kind, err, strings.TrimSpace(r.errs.String()))
	}
	return r, b.pause(ctx, b.settle) // what a start leaves to do is over, and its memory is idle
}

func (b *bench) command(ctx context.Context, kind, dir, file string, clients int) *exec.Cmd {
	switch kind {
	case node:
		cmd := exec.CommandContext(ctx, b.node, filepath.Join(b.source, "peers", "node-server.mjs"))
		cmd.Env = append(append(os.Environ(), "FILE="+file, "PORT=0"), nodeAgent()...)
		return cmd
	case apeClaw:
		cmd := exec.CommandContext(ctx, b.binary, "serve", "--addr", "127.0.0.1:0", "--json", "--state-dir", dir, "--max-clients", strconv.Itoa(clients+16))
		cmd.Env = b.env()
		return cmd
	}
	return exec.CommandContext(ctx, filepath.Join(b.dir, "peers"), "-kind", kind, "-file", file)
}

// env keeps ape-claw out of its user's home.
func (b *bench) env() []string {
	return []string{"HOME=" + b.dir, "APE_CLAW_HOME=" + filepath.Join(b.dir, "home"), "PATH=" + os.Getenv("PATH")}
}

// address reads the line in which a server says where it listens.
func address(ctx context.Context, out io.Reader) (string, error) {
	type answer struct {
		line []byte
		err  error
	}
	said := make(chan answer, 1)
	go func() { // ends with the process, which ends with ctx at the latest
		line, err := bufio.NewReader(out).ReadBytes('\n')
		said <- answer{line, err}
	}()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case a := <-said:
		var doc struct {
			URL   string `json:"url"`
			Error string `json:"error"`
		}
		if err := json.Unmarshal(a.line, &doc); err != nil {
			return "", errors.Join(a.err, err)
		}
		if doc.URL == "" {
			return "", fmt.Errorf("it said no address: %s", doc.Error)
		}
		return doc.URL, nil
	}
}

// stop kills the server; what it wrote goes with the whole temporary directory.
func (r *running) stop() {
	_ = r.cmd.Process.Kill() // unless it has ended by itself
	_ = r.cmd.Wait()         // says that it was killed
}

func (b *bench) pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
