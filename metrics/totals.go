package metrics

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Totals are the sums over all statements. The zero value is empty; any goroutine may add.
type Totals struct {
	succeeded [kinds]atomic.Int64
	latency   [kinds]histogram
	usage     [counters]atomic.Int64

	mu     sync.Mutex
	failed map[Result]int64 // there are few of them, so they may wait for each other
}

// Result is how a kind of statement ended.
type Result struct {
	Kind    Kind
	Outcome string // ok, or the class of an SQLSTATE
}

// Add adds a statement that has ended.
func (t *Totals) Add(r *Run) {
	t.latency[r.Kind].add(r.Duration)
	t.AddUsage(&r.Usage)
	if r.State == "" {
		t.succeeded[r.Kind].Add(1)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = map[Result]int64{}
	}
	t.failed[Result{r.Kind, r.Outcome()}]++
}

// AddUsage adds what no statement is answerable for.
func (t *Totals) AddUsage(u *Usage) {
	for c, n := range u {
		if n != 0 {
			t.usage[c].Add(n)
		}
	}
}

// Summary is what Totals were at one time.
type Summary struct {
	Statements map[Result]int64
	Latency    map[Kind]Histogram // of the kinds that there were
	Usage      Usage
}

// Read sums up. Statements that end meanwhile may be in part of it.
func (t *Totals) Read() *Summary {
	t.mu.Lock()
	s := &Summary{Statements: maps.Clone(t.failed), Latency: map[Kind]Histogram{}}
	t.mu.Unlock()
	if s.Statements == nil {
		s.Statements = map[Result]int64{}
	}
	for k := range kinds {
		if n := t.succeeded[k].Load(); n > 0 {
			s.Statements[Result{k, ok}] = n
		}
		if h := t.latency[k].read(); h.Count() > 0 {
			s.Latency[k] = h
		}
	}
	for c := range s.Usage {
		s.Usage[c] = t.usage[c].Load()
	}
	return s
}
