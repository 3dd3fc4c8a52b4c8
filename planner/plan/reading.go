package plan

import (
	"math"

	"zproxy/encoding/keys"
)

// Reading is a scan of a plan, and how often it is thought to run for other bounds.
type Reading struct {
	Scan Scan
	Runs float64
}

// Readings are all scans of a plan. What runs once for each row of something else runs as often as
// that is thought to have rows.
func Readings(n Node, rows func(Node) float64) []Reading {
	r := readings{rows: rows}
	r.of(n, 1)
	return r.list
}

type readings struct {
	rows func(Node) float64
	list []Reading
}

func (r *readings) of(n Node, runs float64) {
	inputs := n.Inputs()
	if s, ok := n.(Scan); ok {
		r.list = append(r.list, Reading{s, runs})
		inputs = nil // the estimate has what these read
	}
	for i, in := range inputs {
		times := runs
		if j, ok := n.(Join); ok && i == 1 && each(&j) {
			times *= math.Max(1, r.rows(j.Left))
		}
		r.of(in, times)
	}
	for _, s := range Subqueries(n) {
		times := runs
		if !s.Once() {
			times *= math.Max(1, r.rows(n))
		}
		r.of(s.Plan.(Sub).Node, times)
	}
}

// each says whether the right side of a join is read for the bounds of each left row.
func each(j *Join) bool { return len(j.Slots) > 0 || j.Method != nil && len(j.Method.Slots) > 0 }

// ReadUnits is what a scan is thought to cost by its estimate, and where values are known by the
// spans and covers that they make.
func (x *Explainer) ReadUnits(s Scan) float64 {
	e := s.Access.Estimate
	switch a := s.Access; {
	case a.Box:
		e = x.box(s).estimate
	case a.Parts > 0 && a.Most == nil:
		x.count(s, &e)
	}
	return x.readUnits(e, s.Access)
}

// count puts in place of how many spans there were thought to be how many there are.
func (x *Explainer) count(s Scan, e *Estimate) {
	sets, ok := x.sets(s.Access)
	if !ok {
		return
	}
	codec, err := keys.NewCodec(s.Table, layoutOf(s))
	if err != nil {
		return
	}
	spans, err := s.Access.Spans(codec, sets, x.Context)
	if n := float64(len(spans)); err == nil && n != e.Ranges && e.Ranges > 0 {
		if e.Points {
			e.Rows, e.Lookups = e.Rows*n/e.Ranges, e.Lookups*n/e.Ranges
			e.ChargeKeys(n)
		} else {
			e.Charge(n)
		}
	}
}
