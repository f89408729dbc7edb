// Command peers serves a file's new lines as Server-Sent Events in the ways that
// ape-claw's serve is held against. They are prototypes: no resumption, no
// filters, no limits, no patience; what is left is the cost of the fan-out.
//
//	r3labs     one stream of r3labs/sse for all clients, as its README shows
//	r3labs-per a stream of r3labs/sse for each client, flushes gathered
//	ring       shared encoded frames with a cursor for each client, on net/http
//	ring-raw   the same on hijacked connections, without chunked coding
//	post-http  takes posted events on net/http, and only appends them under a lock
//	post-raw   answers posted events, and does nothing with them
//
// It prints {"url":...} when it listens and runs until it is killed. The Node
// server of the original's shape is node-server.mjs.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run() error {
	kind := flag.String("kind", "ring", "r3labs, r3labs-per, ring, ring-raw, post-http or post-raw")
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	file := flag.String("file", "events.jsonl", "the file whose new lines are served")
	limit := flag.Int("limit", 256<<10, "bytes a write, for the rings")
	flag.Parse()

	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	if *kind == "post-raw" {
		if err := said(l); err != nil {
			return err
		}
		return answerPosts(l)
	}
	follow, err := openTail(*file)
	if err != nil {
		return err
	}
	var publish func(lines []byte)
	mux := http.NewServeMux()
	switch *kind {
	case "r3labs":
		publish = oneStream(mux)
	case "r3labs-per":
		publish = streamPerClient(mux)
	case "ring":
		publish = ringServer(mux, *limit, serveRing)
	case "ring-raw":
		publish = ringServer(mux, *limit, serveRingRaw)
	case "post-http":
		if err := appendPosts(mux, *file); err != nil {
			return err
		}
		publish = func([]byte) {}
	default:
		return fmt.Errorf("unknown kind %q", *kind)
	}
	mux.HandleFunc("GET /events/backlog", backlogHandler(*file))
	ended := make(chan error, 2)
	if *kind != "post-http" {
		go func() { ended <- follow.run(publish) }()
	}
	srv := http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { ended <- srv.Serve(l) }()
	if err := said(l); err != nil {
		return err
	}
	return <-ended
}

// said prints where the server listens.
func said(l net.Listener) error {
	return json.NewEncoder(os.Stdout).Encode(map[string]string{"url": "http://" + l.Addr().String()})
}
