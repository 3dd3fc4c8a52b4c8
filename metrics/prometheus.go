package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"zproxy/internal/cpu"
	"zproxy/internal/memory"
	"zproxy/internal/routine"
	"zproxy/store"
)

// Sources are what metrics are read from.
type Sources struct {
	DB    Database
	Wire  Listener
	Store store.Store
	// Rows is what the cache of rows did, and holds now; nil: there is none.
	Rows func() (hits, misses, rows, bytes int64)
	// Plans is what the cache of plans did, and how many bytes it has; nil: there is none.
	Plans func() (hits, misses, bytes int64)
}

// Database counts what its sessions do.
type Database interface {
	Totals() *Summary
	StatementsDropped() int64      // texts that made room for others
	SessionStates() map[string]int // how many sessions are in which state, of all states
	Memory() memory.Counts
	Scheduler() cpu.Counts
	// Hot is where requests concentrate: the partitions that refuse most, and the keys with most requests.
	Hot() ([]HotPartition, []HotKey)
}

// HotPartition is a partition at which the store refused requests for their load, in terms of SQL.
type HotPartition struct {
	Where     string // a table or an index
	Partition string
	Refused   int64
}

// HotKey is a key of a table or an index that is asked for often, in terms of SQL.
type HotKey struct {
	Where     string
	Key       string
	PerSecond float64 // requests of this process
}

// Listener counts its connections.
type Listener interface{ Counts() Connections }

// Connections is how many connections there are and were.
type Connections struct {
	Open         int64
	Accepted     int64 // also those that were refused
	Refused      int64 // there were too many
	Unauthorized int64 // the client did not show who it is, or may not connect
}

// Handler answers with all metrics.
func Handler(s Sources) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(newCollector(s),
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(collectors.MetricsScheduler)),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
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
	summary   *Summary
	sessions  map[string]int
	dropped   int64
	wire      Connections
	memory    memory.Counts
	scheduler cpu.Counts
	measures  map[string]float64
	pressure  store.Pressure
	hot       []HotPartition
	keys      []HotKey
	rows      [4]int64 // as Sources.Rows has them
	plans     [3]int64 // as Sources.Plans has them
}

func (s Sources) read() *state {
	st := &state{summary: s.DB.Totals(), sessions: s.DB.SessionStates(), dropped: s.DB.StatementsDropped(),
		wire: s.Wire.Counts(), memory: s.DB.Memory(), scheduler: s.DB.Scheduler()}
	st.hot, st.keys = s.DB.Hot()
	if s.Rows != nil {
		st.rows[0], st.rows[1], st.rows[2], st.rows[3] = s.Rows()
	}
	if s.Plans != nil {
		st.plans[0], st.plans[1], st.plans[2] = s.Plans()
	}
	if m, ok := s.Store.(store.Measured); ok {
		st.measures = m.Measures()
	}
	if p, ok := s.Store.(store.Pressed); ok {
		st.pressure = p.Pressure()
	}
	return st
}

// sink takes the values of one metric.
type sink struct {
	to   chan<- prometheus.Metric
	desc *prometheus.Desc
	kind metricType
}

func (s *sink) value(v float64, labels ...string) {
	t := prometheus.GaugeValue
	if s.kind == typeCounter {
		t = prometheus.CounterValue
	}
	s.to <- prometheus.MustNewConstMetric(s.desc, t, v, labels...)
}

func (s *sink) histogram(h *Histogram, labels ...string) {
	buckets, sum := map[float64]uint64{}, uint64(0)
	for i, bound := range latencyBounds {
		sum += uint64(h.Counts[i])
		buckets[bound.Seconds()] = sum
	}
	s.to <- prometheus.MustNewConstHistogram(s.desc, uint64(h.Count()), h.Sum.Seconds(), buckets, labels...)
}
