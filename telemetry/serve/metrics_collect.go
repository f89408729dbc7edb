package serve

import (
	"log/slog"
	"maps"
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// collector shows a server's counters to Prometheus.
type collector struct {
	s *Server
	m *metrics

	lines, bytes, end, segments, bad  *prometheus.Desc
	clients, events, sent, lag, lagBy *prometheus.Desc
	filtered, resets, ring            *prometheus.Desc
	refusals, requests                *prometheus.Desc
}

func collectorOf(s *Server, m *metrics) *collector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("ape_claw_"+name, help, labels, nil)
	}
	return &collector{
		s: s, m: m,
		lines:    desc("log_lines_total", "Events that came into the log while it was served."),
		bytes:    desc("log_bytes_total", "Bytes that the log grew by while it was served."),
		end:      desc("log_end_bytes", "Position of the log's end, counted over all its files."),
		segments: desc("log_segments", "Files of the log that are no longer appended to."),
		bad:      desc("log_bad_lines_total", "Lines that readers skip, by what is wrong with them.", "kind"),
		clients:  desc("stream_clients", "Open streams."),
		events:   desc("stream_events_sent_total", "Events written to streams, each counted once a stream."),
		sent:     desc("stream_bytes_sent_total", "Bytes of events written to streams."),
		lag:      desc("stream_lag_bytes", "How far the stream that is farthest behind is from the log's end."),
		lagBy:    desc("stream_lag_seconds", "Time from when the server saw an event to when it was written to a stream, one observation a write."),
		filtered: desc("stream_filter_events_total", "Events that filters looked at, once for all streams with the same filter."),
		resets:   desc("stream_resets_total", "Cursors that could not be served, by reason.", "reason"),
		ring:     desc("ring_bytes", "Memory of the encoded events that all streams share."),
		refusals: desc("http_refusals_total", "Requests that were turned away, by error code and status.", "code", "status"),
		requests: desc("http_requests_total", "Requests by route and status; a stream counts when it opens.", "route", "status"),
	}
}

func (c *collector) handler() http.Handler {
	reg := prometheus.NewRegistry()
	reg.MustRegister(c, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if c.s.opt.Ingest != nil {
		reg.MustRegister(newTakenCollector(&c.m.taken))
	}
	if c.s.opt.Gauges != nil {
		reg.MustRegister(gauges(c.s.opt.Gauges))
	}
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(c.s.opt.Logger.Handler(), slog.LevelWarn),
		MaxRequestsInFlight: 4,
	})
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.lines, c.bytes, c.end, c.segments, c.bad, c.clients, c.events, c.sent, c.lag, c.lagBy,
		c.filtered, c.resets, c.ring, c.refusals, c.requests} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	count := func(d *prometheus.Desc, v int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	gauge := func(d *prometheus.Desc, v int64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v))
	}
	st := c.s.opt.Log.Stats()
	count(c.lines, c.m.lines.Load())
	count(c.bytes, c.m.bytes.Load())
	gauge(c.end, st.Bytes)
	gauge(c.segments, int64(st.Segments))
	count(c.bad, st.Bad.NUL, "nul")
	count(c.bad, st.Bad.UTF8, "utf8")
	count(c.bad, st.Bad.NotJSON, "not_json")
	count(c.bad, st.Bad.TooLong, "too_long")
	gauge(c.clients, c.s.clients.Load())
	count(c.events, c.m.sentEvents.Load())
	count(c.sent, c.m.sentBytes.Load())
	count(c.filtered, c.m.filtered.Load())
	count(c.resets, c.m.gone.Load(), "gone")
	count(c.resets, c.m.unknown.Load(), "unknown")
	gauge(c.lag, c.m.farthest(c.s.hub.place()))
	out <- c.m.lag.metric(c.lagBy)
	gauge(c.ring, int64(c.s.hub.held()+c.s.hub.files.held()))

	c.m.mu.Lock()
	refusals, requests := maps.Clone(c.m.refusals), maps.Clone(c.m.requests)
	c.m.mu.Unlock()
	for r, n := range refusals {
		count(c.refusals, n, string(r.code), strconv.Itoa(r.status))
	}
	for r, n := range requests {
		count(c.requests, n, r.route, strconv.Itoa(r.status))
	}
}

func (h *lagHistogram) metric(d *prometheus.Desc) prometheus.Metric {
	buckets := make(map[float64]uint64, len(lagBounds))
	var n uint64
	for i := range h.buckets {
		n += uint64(h.buckets[i].Load())
		if i < len(lagBounds) {
			buckets[lagBounds[i]] = n
		}
	}
	return prometheus.MustNewConstHistogram(d, n, float64(h.micros.Load())/1e6, buckets)
}
