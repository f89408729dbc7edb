package serve

import "github.com/prometheus/client_golang/prometheus"

// takenCollector tells Prometheus of takenCounts.
type takenCollector struct {
	c                       *takenCounts
	events, unknown, fields *prometheus.Desc
}

func newTakenCollector(c *takenCounts) *takenCollector {
	return &takenCollector{
		c:       c,
		events:  prometheus.NewDesc("ape_claw_ingest_events_total", "Events that others sent, by what became of them.", []string{"status"}, nil),
		unknown: prometheus.NewDesc("ape_claw_ingest_unknown_types_total", "Accepted events whose type is not declared.", nil, nil),
		fields:  prometheus.NewDesc("ape_claw_ingest_dropped_fields_total", "Fields of accepted events that no envelope has.", nil, nil),
	}
}

// Describe implements prometheus.Collector.
func (t *takenCollector) Describe(out chan<- *prometheus.Desc) {
	out <- t.events
	out <- t.unknown
	out <- t.fields
}

// Collect implements prometheus.Collector.
func (t *takenCollector) Collect(out chan<- prometheus.Metric) {
	count := func(d *prometheus.Desc, v int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	count(t.events, t.c.accepted.Load(), "accepted")
	count(t.events, t.c.duplicates.Load(), "duplicate")
	count(t.events, t.c.rejected.Load(), "rejected")
	count(t.unknown, t.c.unknownTypes.Load())
	count(t.fields, t.c.dropped.Load())
}
