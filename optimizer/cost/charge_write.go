package cost

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/planner/plan"
	"zproxy/store"
)

// Charge is what writing is thought to cost, with the requests that it takes.
type Charge struct{ Requests, ReadUnits, WriteUnits float64 }

// batchWrites is how many puts that stand for themselves a request takes. Deletes behind a commit have
// conditions, and go one by one.
const batchWrites = 25

// The requests of a commit by intents besides one for each intent and one to make it real: for the record of the
// transaction, and for lists of keys.
const (
	recordRequests = 3
	keysPerList    = 5000
	// intentBytes is about what an intent adds to an item besides its new state, and its key to the record.
	intentBytes = 60
)

// ChargeOf is what work costs for so many rows: what it reads by keys, and the commit. Writes that are
// made together or not at all cost twice what one by itself does. More than the store writes by one request have
// intents beside the items that they replace.
func ChargeOf(w Work, t *catalog.Table, rows float64, c store.Capabilities) Charge {
	together := 0.0
	for _, s := range w.Steps {
		if s.Together() {
			together += rows * float64(s.Times)
		}
	}
	sum := summed{work: w, table: t, rows: rows, staged: c.MostTogether > 0 && together > float64(c.MostTogether)}
	for _, s := range w.Steps {
		sum.add(s)
	}
	if together > 1 {
		sum.WriteUnits *= store.AtomicWrites
	}
	sum.WriteUnits += sum.separate
	sum.Requests += math.Ceil(sum.before/batchWrites) + sum.after
	if sum.staged {
		lists := math.Ceil(together / keysPerList)
		sum.Requests += 2*together + recordRequests + lists
		sum.WriteUnits += recordRequests + store.WriteUnits(together*intentBytes)
	} else {
		sum.Requests += math.Min(together, 1)
	}
	return sum.Charge
}

// summed is the charge of some steps.
type summed struct {
	Charge
	work                    Work
	table                   *catalog.Table
	rows                    float64
	staged                  bool
	before, after, separate float64 // writes, and what they cost
}

func (c *summed) add(s Step) {
	times, size := c.rows*float64(s.Times), s.bytes(c.table)
	if s.Do == Find || s.Do == Look || s.Do == Hold || s.Do == Read && c.work.finds {
		c.Requests += math.Ceil(times / plan.LookupBatch)
		c.ReadUnits += times * store.ReadUnits(size)
	}
	switch {
	case !s.Writes():
	case s.Follows && c.staged: // once, when the intents of the rows are made real
		c.separate += times * store.WriteUnits(size)
	case s.Separate && s.Do == Remove:
		c.after, c.separate = c.after+times, c.separate+times*store.WriteUnits(size)
	case s.Separate:
		c.before, c.separate = c.before+times, c.separate+times*store.WriteUnits(size)
	case c.staged:
		if s.Do == Put && c.work.reads(s.Of) {
			size *= 2
		}
		c.WriteUnits += times * store.WriteUnits(size+intentBytes)
	default:
		c.WriteUnits += times * store.WriteUnits(size)
	}
}

// reads says whether there is an item of a table or an index before the work.
func (w Work) reads(of string) bool {
	return slices.ContainsFunc(w.Steps, func(s Step) bool { return s.Do == Read && s.Of == of })
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
