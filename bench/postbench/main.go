// Command postbench posts events to a server as fast as it answers, over connections
// that stay open, and prints what that came to as JSON. Exit status 0 only when every
// request was taken whole.
//
//	ape-claw serve --state-dir state &
//	TOKEN=claw_… go run ./postbench -url http://127.0.0.1:8787/api/events -agent my-agent-1 -requests 20000 -pid $!
//	TOKEN=claw_… go run ./postbench ... -batch 100
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"

	"github.com/ape-claw/ape-claw/bench/load"
)

func main() {
	runtime.GOMAXPROCS(1) // it waits most of the time, and threads that wake one another take from the server
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "postbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	c := load.PostConfig{Token: os.Getenv("TOKEN")}
	flag.StringVar(&c.URL, "url", "http://127.0.0.1:8787/api/events", "what to post to")
	flag.StringVar(&c.AgentID, "agent", "bench-agent", "the agent's id; its token is in the variable TOKEN")
	flag.IntVar(&c.Conns, "n", 4, "connections")
	flag.IntVar(&c.Requests, "requests", 1000, "requests on all of them together")
	flag.IntVar(&c.Warm, "warm", 0, "requests before, not counted")
	flag.IntVar(&c.Batch, "batch", 1, "envelopes a request")
	flag.BoolVar(&c.IDs, "ids", false, "give each envelope an eventId of its own")
	flag.IntVar(&c.Size, "size", 450, "bytes of an envelope")
	flag.IntVar(&c.PID, "pid", 0, "the server's process, to report its CPU time (Linux)")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flag.Arg(0))
	}
	r, err := load.Post(ctx, c)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}
