package cost

import (
	"math"

	"zproxy/catalog"
	"zproxy/planner/plan"
	"zproxy/store"
)

// Charge is what writing is thought to cost, with the requests that it takes.
type Charge struct{ Requests, ReadUnits, WriteUnits float64 }

// batchWrites is how many puts that stand for themselves a request takes. Deletes behind a commit have
// conditions, and go one by one.
const batchWrites = 25

// ChargeOf is what work costs for so many rows: what it reads by keys, and the commit. Writes that are
// made together or not at all cost twice what one by itself does.
func ChargeOf(w Work, t *catalog.Table, rows float64) Charge {
	var c Charge
	var together, before, after, separate float64
	for _, s := range w.Steps {
		times, size := rows*float64(s.Times), s.bytes(t)
		switch {
		case s.Do == Find || s.Do == Look || s.Do == Read && w.finds:
			c.Requests += math.Ceil(times / plan.LookupBatch)
			c.ReadUnits += times * store.ReadUnits(size)
		case s.Do == Hold:
			c.Requests += math.Ceil(times / plan.LookupBatch)
			c.ReadUnits += times * store.ReadUnits(size)
			c.WriteUnits += times * store.WriteUnits(size)
			together += times
		case s.Do == Read: // by the scan below
		case s.Separate && s.Do == Remove:
			after, separate = after+times, separate+times*store.WriteUnits(size)
		case s.Separate:
			before, separate = before+times, separate+times*store.WriteUnits(size)
		default:
			together += times
			c.WriteUnits += times * store.WriteUnits(size)
		}
	}
	if together > 1 {
		c.WriteUnits *= store.AtomicWrites
	}
	c.WriteUnits += separate
	c.Requests += math.Min(together, 1) + math.Ceil(before/batchWrites) + after
	return c
}

// bytes is how large the items of a step are thought to be.
func (s Step) bytes(t *catalog.Table) float64 {
	switch {
	case s.Do == Reserve:
		return 0 // of nothing
	case s.Do == Hold:
		return s.parent.EntryBytes(nil)
	case s.Of == t.Name:
		return t.EntryBytes(nil)
	}
	return t.EntryBytes(t.Index(s.Of))
}

// Worse is the greater of each.
func (c Charge) Worse(d Charge) Charge {
	return Charge{math.Max(c.Requests, d.Requests), math.Max(c.ReadUnits, d.ReadUnits),
		math.Max(c.WriteUnits, d.WriteUnits)}
}
