// Command ssebench opens many Server-Sent-Events subscriptions, appends numbered
// events to the file that the server follows, and reports what every subscription
// received. Exit status 0 only when all of them got every event once, in order.
//
//	ape-claw serve --state-dir state &
//	go run ./ssebench -url http://127.0.0.1:8787/events -file state/events.jsonl -n 200 -events 10000 -pid $!
//	go run ./ssebench ... -rate 500 -events 5000      # latency at a fixed rate
//	go run ./ssebench ... -n 100 -slow 1              # beside a client that never reads
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/ape-claw/ape-claw/bench/load"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ssebench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	c := load.Defaults()
	flag.StringVar(&c.URL, "url", c.URL, "the stream to subscribe to")
	flag.IntVar(&c.Clients, "n", c.Clients, "subscriptions")
	flag.IntVar(&c.Slow, "slow", c.Slow, "further clients that connect first and never read")
	flag.StringVar(&c.File, "file", c.File, "the file that the server follows, to append the events to")
	flag.IntVar(&c.Events, "events", c.Events, "events to publish")
	flag.Float64Var(&c.Rate, "rate", c.Rate, "events a second; 0: as fast as possible")
	flag.IntVar(&c.Size, "size", c.Size, "bytes of an event's line")
	flag.IntVar(&c.Batch, "batch", c.Batch, "events a write")
	flag.DurationVar(&c.Timeout, "timeout", c.Timeout, "give up this long after the first event")
	flag.DurationVar(&c.Idle, "idle", c.Idle, "give up when nothing arrived for this long after the last event")
	flag.DurationVar(&c.Settle, "settle", c.Settle, "pause between the last connect and the first event")
	flag.IntVar(&c.PID, "pid", c.PID, "the server's process, to report its CPU time and memory (Linux)")
	asJSON := flag.Bool("json", false, "print the result as JSON")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flag.Arg(0))
	}
	r, err := load.Run(ctx, c)
	if err != nil {
		return err
	}
	if err := show(r, *asJSON); err != nil {
		return err
	}
	if !r.OK() {
		return errors.New("not every client got every event once and in order")
	}
	return nil
}

func show(r load.Result, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(r)
	}
	fmt.Printf("%d/%d clients complete, %d deliveries in %.3f s = %.0f/s (%.0f MB/s); missing %d, duplicated %d, out of order %d, foreign %d, disconnected %d\n",
		r.Complete, r.Clients, r.Deliveries, r.WallSec, r.PerSec, r.MBPerSec, r.Missing, r.Dup, r.Disorder, r.Foreign, r.Disconnected)
	fmt.Printf("latency us: p50 %.0f  p99 %.0f  p99.9 %.0f  max %.0f; published %.0f/s; our CPU %.2f s\n",
		r.P50us, r.P99us, r.P999us, r.MaxUs, r.PublishPerSec, r.SelfCPU)
	if r.Measured {
		fmt.Printf("server CPU %.2f s (%.0f ns a delivery), memory idle %.0f MB, peak %.0f MB, at the end %.0f MB; CPU of others %.2f s\n",
			r.ServerCPU, r.ServerNs, r.ServerIdleMB, r.ServerPeakMB, r.ServerRSSMB, r.OtherCPU)
	}
	if r.Error != "" {
		fmt.Println("first error:", r.Error)
	}
	return nil
}
