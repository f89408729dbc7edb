package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ape-claw/ape-claw/telemetry/serve"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	log.add(events("a.b", 0, 10)...)
	s := start(t, serve.Options{Log: log, MaxClients: 3})
	live := s.stream("")
	filtered := s.stream("?type=x.y")
	log.add(events("a.b", 10, 30)...)
	last := live.want(events("a.b", 10, 30)...)
	log.add(event("x.y", 30))
	filtered.want(event("x.y", 30))
	live.want(event("x.y", 30))
	stuck := rawStream(t, s, "?after=zz-9") // a reset, and it never reads
	defer stuck.Close()
	if _, err := dialRaw(s, ""); err == nil {
		t.Error("a fourth stream is open")
	}
	s.get("/nowhere")
	s.get("/events/backlog?limit=x")
	size := 0
	for _, l := range log.lines[10:] {
		size += len(l.Data) + 1
	}
	for name, want := range map[string]float64{
		"ape_claw_log_lines_total":                                               21,
		"ape_claw_log_bytes_total":                                               float64(size),
		`ape_claw_log_bad_lines_total{kind="nul"}`:                               1,
		`ape_claw_log_bad_lines_total{kind="not_json"}`:                          2,
		`ape_claw_log_bad_lines_total{kind="utf8"}`:                              0,
		"ape_claw_log_segments":                                                  3,
		"ape_claw_stream_clients":                                                3,
		"ape_claw_stream_filter_events_total":                                    21,
		`ape_claw_stream_resets_total{reason="unknown"}`:                         1,
		`ape_claw_stream_resets_total{reason="gone"}`:                            0,
		`ape_claw_http_refusals_total{code="upstream",status="503"}`:             1,
		`ape_claw_http_requests_total{route="GET /events",status="200"}`:         3,
		`ape_claw_http_requests_total{route="GET /events",status="503"}`:         1,
		`ape_claw_http_requests_total{route="/",status="404"}`:                   1,
		`ape_claw_http_requests_total{route="GET /events/backlog",status="400"}`: 1,
	} {
		if got := s.metric(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	// Counted just after the write that the client has seen.
	eventually(t, "22 events were not sent", func() bool { return s.metric("ape_claw_stream_events_sent_total") == 22 })
	eventually(t, "a stream is behind", func() bool { return s.metric("ape_claw_stream_lag_bytes") == 0 })
	for _, name := range []string{"ape_claw_stream_bytes_sent_total", "ape_claw_ring_bytes", "ape_claw_stream_lag_seconds_count",
		"ape_claw_log_end_bytes", "go_goroutines"} {
		if s.metric(name) <= 0 {
			t.Errorf("%s is not above 0", name)
		}
	}
	resp, body := s.get("/metrics")
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") || strings.Contains(body, "nowhere") {
		t.Errorf("%d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	if last.id == "" {
		t.Error("no id")
	}
}

// How far a client is behind, as others see it while it is stuck.
func TestLagOfAStuckClient(t *testing.T) {
	t.Parallel()
	log := newMemLog("aa")
	s := start(t, serve.Options{Log: log})
	rawStream(t, s, "?after=0-0")
	st := s.stream("")
	all, _ := padded(3000, 8000)
	log.add(all...)
	st.want(all...)
	// It holds what its socket's buffers do, and no more comes.
	eventually(t, "no lag is shown", func() bool { return s.metric("ape_claw_stream_lag_bytes") > 1<<20 })
	log.replace("bb", all[:2000]...)
	eventually(t, "a client of a log that is gone is not behind", func() bool {
		return s.metric("ape_claw_stream_lag_bytes") == float64(log.lines[1999].At.Pos)
	})
}
