package serve

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Gauge is a number that is not the server's own: Name comes after "ape_claw_".
type Gauge struct {
	Name, Help string
	Value      int64
}

// gaugesWait bounds how long a scrape waits for them.
const gaugesWait = 2 * time.Second

// gauges shows Options.Gauges to Prometheus. Which there are is known only then, so
// it describes none.
type gauges func(ctx context.Context) []Gauge

// Describe implements prometheus.Collector.
func (gauges) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (g gauges) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), gaugesWait)
	defer cancel()
	for _, one := range g(ctx) {
		out <- prometheus.MustNewConstMetric(prometheus.NewDesc("ape_claw_"+one.Name, one.Help, nil, nil), prometheus.GaugeValue, float64(one.Value))
	}
}
