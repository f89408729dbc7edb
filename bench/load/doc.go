// Package load opens many Server-Sent-Events subscriptions, appends numbered
// events to the file that the server follows, and says what every subscription
// received of them: loss, duplicates, order, latency, and what it cost the server.
//
// It shares the machine with the server. Its own work per delivery is kept small
// (one read, two searches, a bit and a bucket), but it is there.
package load

import (
	"context"
	"fmt"
	"net/url"
	"time"
)

// Config says what to open and what to publish.
type Config struct {
	URL     string // of the stream, http only
	Clients int    // subscriptions that read
	Slow    int    // further ones that connect first and never read

	File   string  // what the events are appended to
	Events int     // how many
	Rate   float64 // a second; 0: as fast as one process writes
	Size   int     // bytes of an event's line, its newline included
	Batch  int     // events a write

	Timeout time.Duration // from the first event on
	Idle    time.Duration // nothing arrived for so long after the last event: given up
	Settle  time.Duration // between the last connect and the first event

	PID int // the server's process, for its CPU time and memory; 0: not measured
}

// Defaults is the configuration that flags and tests start from.
func Defaults() Config {
	return Config{
		URL: "http://127.0.0.1:8787/events", Clients: 1, File: "events.jsonl", Events: 1000, Size: 450, Batch: 1,
		Timeout: time.Minute, Idle: 5 * time.Second, Settle: 300 * time.Millisecond,
	}
}

// Result is what a run came to. Rates are per second, latencies run from just
// before the write of an event to the return of the read that completed it.
type Result struct {
	Clients   int     `json:"clients"`
	Slow      int     `json:"slow"`
	Events    int     `json:"events"`
	Rate      float64 `json:"rate"`
	Connected int     `json:"connected"`

	ConnectSec    float64 `json:"connect_s"`
	PublishSec    float64 `json:"publish_s"`
	PublishPerSec float64 `json:"published_per_s"`
	WallSec       float64 `json:"wall_s"` // first event to last delivery
	Deliveries    uint64  `json:"deliveries"`
	PerSec        float64 `json:"deliveries_per_s"`
	MBPerSec      float64 `json:"mb_per_s"`

	Complete     int    `json:"clients_complete"` // that got every event
	Missing      int64  `json:"missing"`
	Dup          uint64 `json:"duplicated"`
	Disorder     uint64 `json:"out_of_order"`
	Foreign      uint64 `json:"foreign"` // data lines that are not this run's
	Frames       uint64 `json:"frames"`
	Disconnected int    `json:"disconnected"`

	P50us  float64 `json:"p50_us"`
	P99us  float64 `json:"p99_us"`
	P999us float64 `json:"p999_us"`
	MaxUs  float64 `json:"max_us"`

	Measured     bool    `json:"server_measured"` // the server's CPU time and memory are known
	ServerCPU    float64 `json:"server_cpu_s"`
	ServerNs     float64 `json:"server_cpu_ns_per_delivery"`
	ServerIdleMB float64 `json:"server_idle_rss_mb"` // before the first connect
	ServerRSSMB  float64 `json:"server_rss_mb"`      // at the end
	ServerPeakMB float64 `json:"server_peak_rss_mb"` // since the first connect
	SelfCPU      float64 `json:"bench_cpu_s"`
	OtherCPU     float64 `json:"other_cpu_s"` // of the machine, neither ours nor the server's

	TimedOut bool   `json:"timed_out"`
	Error    string `json:"error,omitempty"` // the first one
}

// OK reports whether every client got every event, each once and in order.
func (r Result) OK() bool {
	return r.Error == "" && r.Connected == r.Clients && r.Complete == r.Clients && r.Missing == 0 && r.Dup == 0 && r.Disorder == 0
}

// Run connects, publishes, waits for what arrives and returns the counts. An
// error means that nothing could be measured; trouble of single clients is in
// the result.
func Run(ctx context.Context, c Config) (Result, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return Result{}, err
	}
	if u.Scheme != "http" || u.Port() == "" {
		return Result{}, fmt.Errorf("%s: want http://host:port/path", c.URL)
	}
	if c.Clients < 1 || c.Events < 1 || c.Batch < 1 {
		return Result{}, fmt.Errorf("clients, events and batch must be at least 1")
	}
	s := &session{cfg: c, host: u.Host, request: request(u)}
	defer s.close()
	if err := s.open(ctx); err != nil {
		return s.result, err
	}
	err = s.measure(ctx)
	return s.result, err
}

func request(u *url.URL) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", u.RequestURI(), u.Host)
}
