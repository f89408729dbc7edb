// Command server serves the event log of a state directory, for tests that
// need the server and not the whole program. It prints its address as one line
// of JSON and stops when it is told to or when its standard input ends.
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
	flag.Parse()
	log := telemetry.NewLog(*dir, telemetry.LogOptions{})
	defer log.Close()
	s, err := serve.New(serve.Options{Log: log, Addr: *addr, Now: time.Now, Version: "test",
		Profile: serve.ProfileInfo{Sandbox: true, ChainID: 7733139}})
	if err != nil {
		return err
	}
	if _, err := s.Listen(); err != nil {
		return err
	}
	line, err := json.Marshal(map[string]any{"ok": true, "url": s.URL()})
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	go func() { // a test that died leaves no server behind
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return s.Serve(ctx)
}
