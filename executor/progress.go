package executor

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"zproxy/planner/plan"
	"zproxy/store/tariff"
	"zproxy/types"
)

// Thought is what a run was thought to take. Errors that end it tell how far it came of that.
type Thought interface {
	// Keys is how many keys a scan of the plan examines in all its runs.
	Keys(s plan.Scan) float64
	// Rows is how many rows a node of the plan delivers.
	Rows(n plan.Node) float64
}

// metering is what a run has taken of what it may, and how far it is.
type metering struct {
	read    int64 // keys that were examined, if MaxRead bounds them; scans at once count here
	charged int64 // read units as bytes, if MaxUnits bounds them
	scans   *scanCounts
	spent   tariff.Sum // by the writes, if MaxWrites bounds them
	fills   bool       // the writes are to a table that no other transaction reads yet
	// top is what delivers rows to the client, and returned how many have come; nil: none does.
	top      plan.Node
	returned int64
	itemCounts
}

// itemCounts are of how many rows a part of a statement has written items.
type itemCounts struct {
	writes       plan.Node // nil: rows are only locked
	put, removed int64
}

// scanCounts are how many keys the scans of a plan have examined.
type scanCounts struct {
	mu sync.Mutex
	of map[*plan.Access]int64
}

// add counts keys of a scan, and gives how many there are.
func (c *scanCounts) add(s *plan.Access, keys int64) int64 {
	if c == nil { // of a run that is bounded without being counted
		return keys
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[s] += keys
	return c.of[s]
}

// top delivers the rows of a plan, and counts them where something bounds the run.
func (f frame) top(n plan.Node) Rows {
	in := rows(f, n)
	if f.env.MaxRead == 0 && f.env.MaxUnits == 0 {
		return in
	}
	f.env.metering.top = n
	return func(yield func(*types.Batch, error) bool) {
		for batch, err := range in {
			if err == nil {
				atomic.AddInt64(&f.env.returned, int64(batch.Len()))
			}
			if !yield(batch, err) {
				return
			}
		}
	}
}

// bounded is a reader whose statement may not read more than so much.
type bounded struct{ *reader }

// sofar tells how far a run is whose scan has examined so many keys.
func (r bounded) sofar(examined int64) string {
	out := fmt.Sprintf("The scan of table %q had examined %s", r.scan.Table.Name,
		ofAbout(examined, "key", func(t Thought) float64 { return t.Keys(r.scan) }, r.env.Thought))
	if top := r.env.metering.top; top != nil {
		out += fmt.Sprintf(", and the statement returned %s", ofAbout(atomic.LoadInt64(&r.env.returned), "row",
			func(t Thought) float64 { return t.Rows(top) }, r.env.Thought))
	}
	return out + "."
}

// written tells how many rows a run has written of how many.
func (e *Env) written() string {
	if e.writes == nil {
		return ""
	}
	thought := e.Thought
	if e.Stream != nil {
		thought = nil // only the client knows
	}
	return fmt.Sprintf("It came to %s of table %q, of which none is kept. ", ofAbout(max(e.put, e.removed), "row",
		func(t Thought) float64 { return t.Rows(e.writes.Inputs()[0]) }, thought), plan.Target(e.writes).Name)
}

// ofAbout counts what is done of what was thought to be done; nil: that is not known.
func ofAbout(done int64, noun string, of func(Thought) float64, thought Thought) string {
	all := 0.0
	if thought != nil {
		all = math.Ceil(of(thought))
	}
	if done != 1 || all > 1 {
		noun += "s"
	}
	switch {
	case all == 0:
		return fmt.Sprintf("%d %s", done, noun)
	case all >= float64(done):
		return fmt.Sprintf("%d of about %.0f %s", done, all, noun)
	}
	return fmt.Sprintf("%d %s (about %.0f expected)", done, noun, all)
}
