// Command server serves the event log of a state directory, for tests that
// need the server and not the whole program. It prints its address as one line
// of JSON and stops when it is told to or when its standard input ends. With --ai
// it has approvals too, and takes a JSON line each on its standard input.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ape-claw/ape-claw/telemetry"
	"github.com/ape-claw/ape-claw/telemetry/serve"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	dir := flag.String("state-dir", "state", "state directory")
	addr := flag.String("addr", "127.0.0.1:0", "host:port")
	ai := flag.Bool("ai", false, "with approvals, of a tool that only pretends")
	v2 := flag.Bool("v2", false, "with contracts that say what a test says")
	fleet := flag.Bool("machines", false, "with an agent that may log in")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	log := telemetry.NewLog(*dir, telemetry.LogOptions{})
	defer log.Close()
	opt := serve.Options{Log: log, Addr: *addr, Now: time.Now, Version: "test",
		Profile: serve.ProfileInfo{Sandbox: true, ChainID: 7733139}}
	var stage *stage
	if *ai {
		var err error
		if stage, err = newStage(ctx, *dir, log); err != nil {
			return err
		}
		defer stage.close()
		opt.Auth, opt.Mounts, opt.Now = stage.callers, stage.mounts(), stage.now
	}
	var contracts *chain
	if *v2 {
		contracts = &chain{}
		opt.Mounts = contracts.mounts()
	}
	var known *machines
	if *fleet {
		var err error
		if known, err = newMachines(ctx, *dir); err != nil {
			return err
		}
		defer known.state.Close()
		opt.Auth, opt.Registrar, opt.Mounts = known.registry, known.registry, known.mounts()
	}
	s, err := serve.New(opt)
	if err != nil {
		return err
	}
	if _, err := s.Listen(); err != nil {
		return err
	}
	first := map[string]any{"ok": true, "url": s.URL()}
	if stage != nil {
		first["token"] = stage.token
	}
	if known != nil {
		first["token"] = known.token
	}
	if err := say(first); err != nil {
		return err
	}
	go func() { // a test that died leaves no server behind
		switch {
		case stage != nil:
			stage.listen(ctx, os.Stdin)
		case contracts != nil:
			contracts.listen(os.Stdin)
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return s.Serve(ctx)
}

func say(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	return nil
}
