package cost

import (
	"math"

	"zproxy/catalog/consistency"
	"zproxy/encoding/keys"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/spans"
	"zproxy/store"
	"zproxy/store/eventual"
)

// Reading is a scan of a plan, and how often it is thought to run for other bounds: for many of them at once, or not.
type Reading struct {
	Scan   plan.Scan
	Runs   float64
	AtOnce bool
}

// Readings are all scans of a plan. What runs once for each row of something else runs as often as
// that is thought to have rows.
func Readings(n plan.Node, rows func(plan.Node) float64) []Reading {
	r := readings{rows: rows}
	r.of(n, 1, false)
	return r.list
}

type readings struct {
	rows func(plan.Node) float64
	list []Reading
}

func (r *readings) of(n plan.Node, runs float64, atOnce bool) {
	inputs := n.Inputs()
	if s, ok := n.(plan.Scan); ok {
		r.list = append(r.list, Reading{s, runs, atOnce})
		inputs = nil // the estimate has what these read
	}
	for i, in := range inputs {
		times, batched := runs, false
		if j, ok := n.(plan.Join); ok && i == 1 && each(&j) {
			times *= math.Max(1, r.rows(j.Left))
			batched = j.Method != nil && len(j.Method.Slots) > 0
		}
		if _, ok := n.(plan.Nearest); ok && i == 1 {
			times = 0 // it is thought not to be needed
		}
		r.of(in, times, batched)
	}
	for _, s := range plan.Subqueries(n) {
		times := runs
		if len(s.Depends) > 0 {
			times *= math.Max(1, r.rows(n))
		}
		r.of(s.Plan.(plan.Sub).Node, times, false)
	}
}

// each says whether the right side of a join is read for the bounds of each left row.
func each(j *plan.Join) bool { return len(j.Slots) > 0 || j.Method != nil && len(j.Method.Slots) > 0 }

// Known is what is known of a run when its scans are priced.
type Known struct {
	Values   *expr.Context
	Store    store.Capabilities
	Eventual eventual.Reads
	// Validated says that all that is read is read again, to see whether it was of one moment.
	Validated bool
	// AtCommit says that an Insert leaves it to the commit whether keys are taken, and a Delete whether there is a row,
	// if they may.
	AtCommit bool
	// AsCharged says that units are wanted also of a store that is not charged by them: those that the same items would
	// cost in one that is.
	AsCharged bool
}

// eventual says whether all that a scan reads may miss the last commits.
func (k Known) eventual(s plan.Scan) bool {
	return k.Eventual.Of(consistency.IsEventual(s.Table.Options))
}

// MayLag says whether a scan reads what may miss the last commits, for a lower price: an index, or the table, too.
func (k Known) MayLag(s plan.Scan) bool { return k.eventual(s) || s.Access.Index().Eventual() }

// Units are the read units that a scan is thought to cost, of which reads that may miss the last
// commits cost a share.
func (k Known) Units(e plan.Estimate, s plan.Scan) float64 {
	switch {
	case k.eventual(s):
		return store.EventualShare * e.Units
	case s.Access.Index().Eventual():
		lookups := e.Lookups * e.Each
		return store.EventualShare*(e.Units-lookups) + lookups
	}
	return e.Units
}

// Scan is how many read units a scan is thought to cost.
func (k Known) Scan(s plan.Scan) float64 {
	s = k.limited(s)
	return k.Units(k.estimate(s), s)
}

// Keys is how many keys a scan is thought to examine, those of lookups among them.
func (k Known) Keys(s plan.Scan) float64 {
	e := k.estimate(k.limited(s))
	return e.Rows + e.Lookups
}

// estimate is what a scan is thought to read, where values are known by the spans and covers that they make.
func (k Known) estimate(s plan.Scan) plan.Estimate {
	e := s.Access.Estimate
	if box, ok := s.Access.Path.(plan.Box); ok {
		e = k.covered(s, box)
	} else if spans, ok := s.Access.Spans(); ok && spans.Parts() > 0 && s.Access.Most == nil &&
		s.Access.Each.Count == 0 {
		k.count(s, spans, &e)
	}
	if k.AsCharged && !k.Store.Units {
		asCharged(s, &e)
	}
	return e
}

// asCharged adds to an estimate for a store that is not charged in units those of one that is.
func asCharged(s plan.Scan, e *plan.Estimate) {
	requests := e.Requests
	e.Width, e.Each = s.Table.EntryBytes(s.Access.Index()), store.ReadUnits(s.Table.EntryBytes(nil))
	if e.Points {
		ChargeKeys(e, e.Ranges)
	} else {
		ChargeRanges(e, math.Max(1, e.Ranges))
	}
	e.Requests = requests
}

// covered is the estimate of a box by its cover.
func (k Known) covered(s plan.Scan, box plan.Box) plan.Estimate {
	codec, err := keys.NewCodec(s.Table, s.Layout())
	if err != nil {
		return s.Access.Estimate
	}
	boxes, some, err := spans.Boxes(box, codec, k.Values)
	if err != nil || !some || s.Access.Most != nil {
		return s.Access.Estimate
	}
	if cover, ok := CoverOf(s, &boxes, k.Store); ok {
		return cover.Estimate
	}
	return s.Access.Estimate
}

// count puts in place of how many spans there were thought to be how many there are.
func (k Known) count(s plan.Scan, path plan.Spans, e *plan.Estimate) {
	sets, err := spans.SetsByColumn(path.Bounds(), k.Values)
	if err != nil {
		return
	}
	codec, err := keys.NewCodec(s.Table, s.Layout())
	if err != nil {
		return
	}
	spans, err := spans.In(path, codec, sets, k.Values)
	if n := float64(len(spans)); err == nil && n != e.Ranges && e.Ranges > 0 {
		if e.Points {
			e.Rows, e.Lookups = e.Rows*n/e.Ranges, e.Lookups*n/e.Ranges
			ChargeKeys(e, n)
		} else {
			ChargeRanges(e, n)
		}
	}
}

// Spending is what a plan is thought to be charged for reading, in read units.
type Spending struct {
	Requests float64
	Units    float64
	Most     float64 // of them, by
	Dearest  plan.Scan
}

// Total is what a whole statement is thought to be charged, until its commit.
func (k Known) Total(n plan.Node, rows func(plan.Node) float64) Charge {
	read := k.Reads(n, rows)
	out, _, _ := k.Writes(n, rows)
	if k.Validated {
		read.Requests, read.Units = 2*read.Requests, 2*read.Units
	}
	out.Requests += read.Requests
	out.ReadUnits += read.Units
	return out
}

// requests are those of all runs of a scan. Keys and lookups of many runs at once share requests.
func (r Reading) requests(e plan.Estimate) float64 {
	lookups := math.Ceil(e.Lookups / plan.LookupBatch)
	switch {
	case !r.AtOnce:
		return r.Runs * e.Requests
	case e.Points:
		return math.Ceil(r.Runs*e.Ranges/plan.LookupBatch) + math.Ceil(r.Runs*e.Lookups/plan.LookupBatch)
	}
	return r.Runs*(e.Requests-lookups) + math.Ceil(r.Runs*e.Lookups/plan.LookupBatch)
}

// Reads adds up what the scans of a plan are thought to cost. What runs once for each row of something
// else is as often charged as that is thought to have rows.
func (k Known) Reads(n plan.Node, rows func(plan.Node) float64) (out Spending) {
	if d, ok := n.(plan.Delete); ok && d.Blind && k.AtCommit {
		return out
	}
	for _, r := range Readings(n, rows) {
		if r.Scan.Access == nil {
			continue
		}
		scan := k.limited(r.Scan)
		e := k.estimate(scan)
		units := r.Runs * k.Units(e, scan)
		out.Requests += r.requests(e)
		if out.Units += units; units > out.Most {
			out.Most, out.Dearest = units, r.Scan
		}
	}
	return out
}

// limited is a scan that ends by a LIMIT whose values are known.
func (k Known) limited(scan plan.Scan) plan.Scan {
	if most := scan.Access.Most; most != nil {
		a := Limited(*scan.Access, knownLimit(most, k.Values))
		scan.Access = &a
	}
	return scan
}

// knownLimit is a LIMIT with the numbers that its expressions have, as far as they are known.
func knownLimit(l *plan.Limit, known *expr.Context) *plan.Limit {
	value := func(e expr.Expr) expr.Expr {
		if e == nil {
			return nil
		}
		v, err := e.Eval(known, nil)
		if err != nil {
			return e // the run will tell
		}
		return expr.Const{Value: v, T: e.Type()}
	}
	return &plan.Limit{Count: value(l.Count), Offset: value(l.Offset)}
}
