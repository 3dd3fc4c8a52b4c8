// Package metrics tells Prometheus what a server does. Everything is read when Prometheus
// asks; nothing here runs when statements do.
package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"zproxy/internal/cpu"
	"zproxy/internal/memory"
	"zproxy/internal/routine"
	"zproxy/monitor"
	"zproxy/session"
	"zproxy/store"
	"zproxy/wire"
)

// Sources are what metrics are read from.
type Sources struct {
	DB    *session.DB
	Wire  *wire.Server
	Store store.Store
}

// Handler answers with all metrics.
func Handler(s Sources) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(newCollector(s), collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(collectors.MetricsScheduler)), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// collector reads the metrics of the table.
type collector struct {
	sources Sources
	table   []metric
	descs   []*prometheus.Desc // of the table
}

func newCollector(s Sources) *collector {
	c := &collector{sources: s, table: table()}
	for _, m := range c.table {
		c.descs = append(c.descs, prometheus.NewDesc(m.name, m.help, m.labels, nil))
	}
	return c
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	err := routine.Do(func() error { // Prometheus calls this in a goroutine of its own
		st := c.sources.read()
		for i, m := range c.table {
			m.read(st, &sink{to: to, desc: c.descs[i], kind: m.kind})
		}
		return nil
	})
	if err != nil {
		to <- prometheus.NewInvalidMetric(c.descs[0], err)
	}
}

// state is everything at one time.
type state struct {
	summary  *monitor.Summary
	activity []session.Activity
	dropped  int64
	wire     wire.Counts
	memory   memory.Counts
	turns    cpu.Counts
	measures map[string]float64
	pressure store.Pressure
	hot      []session.HotPartition
}

func (s Sources) read() *state {
	st := &state{summary: s.DB.Totals(), activity: s.DB.Activity(), dropped: s.DB.StatementsDropped(),
		wire: s.Wire.Counts(), memory: s.DB.Memory(), turns: s.DB.Turns()}
	if m, ok := s.Store.(store.Measured); ok {
		st.measures = m.Measures()
	}
	if p, ok := s.Store.(store.Pressed); ok {
		st.pressure, st.hot = p.Pressure(), s.DB.HotPartitions()
	}
	return st
}

// sink takes the values of one metric.
type sink struct {
	to   chan<- prometheus.Metric
	desc *prometheus.Desc
	kind kind
}

func (s *sink) value(v float64, labels ...string) {
	t := prometheus.GaugeValue
	if s.kind == counter {
		t = prometheus.CounterValue
	}
	s.to <- prometheus.MustNewConstMetric(s.desc, t, v, labels...)
}

func (s *sink) histogram(h *monitor.Histogram, labels ...string) {
	buckets, sum := map[float64]uint64{}, uint64(0)
	for i, bound := range monitor.LatencyBounds() {
		sum += uint64(h.Counts[i])
		buckets[bound.Seconds()] = sum
	}
	s.to <- prometheus.MustNewConstHistogram(s.desc, uint64(h.Count()), h.Sum.Seconds(), buckets, labels...)
}
