package cost

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/store/tariff"
)

// Charge is what writing is thought to cost, with the requests that it takes.
type Charge struct{ Requests, ReadUnits, WriteUnits float64 }

// batchWrites is how many puts that stand for themselves a request takes. Deletes behind a commit have
// conditions, and go one by one.
const batchWrites = 25

// keysPerList is how many keys a list of a commit by intents has.
const keysPerList = 5000

// ChargeOf is what work costs for so many rows: what it reads by keys, and the commit. More than the store writes by
// one request have intents beside the items that they replace.
func ChargeOf(w Work, t *catalog.Table, rows float64, c store.Capabilities) Charge {
	sum := summed{work: w, table: t, rows: rows, Sum: tariff.Sum{Most: c.MostTogether}}
	for _, s := range w.Steps {
		sum.add(s)
	}
	sum.WriteUnits = sum.Units()
	sum.Requests += math.Ceil(sum.before/batchWrites) + sum.after
	if sum.Staged() {
		sum.Requests += 2*sum.Together() + tariff.RecordWrites + math.Ceil(sum.Together()/keysPerList)
	} else {
		sum.Requests += math.Min(sum.Together(), 1)
	}
	return sum.Charge
}

// summed is the charge of some steps.
type summed struct {
	Charge
	tariff.Sum
	work          Work
	table         *catalog.Table
	rows          float64
	before, after float64 // writes by themselves
}

func (c *summed) add(s Step) {
	times, size := c.rows*float64(s.Times), s.bytes(c.table)
	if s.Do == Find || s.Do == Look || s.Do == Hold || s.Do == Read && c.work.finds {
		c.Requests += math.Ceil(times / plan.LookupBatch)
		c.ReadUnits += times * store.ReadUnits(size)
	}
	if !s.Writes() {
		return
	}
	w := tariff.Write{Times: times, Bytes: size}
	if s.Do == Put && c.work.reads(s.Of) {
		w.Over = size
	}
	switch {
	case s.Follows:
		w.Kind = tariff.Follows
	case c.work.fills:
		w.Kind = tariff.Fills
	case s.Separate && s.Do == Remove:
		w.Kind, c.after = tariff.Separate, c.after+times
	case s.Separate:
		w.Kind, c.before = tariff.Separate, c.before+times
	}
	c.Add(w)
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
