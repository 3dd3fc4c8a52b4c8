package executor

import (
	"zproxy/expr/inverted"
	"zproxy/planner/plan"
)

// elementsReader reads the keys of the rows that an inverted index has under elements.
type elementsReader struct {
	*reader
	path plan.Elements
}

// asksElements says whether a scan delivers such keys.
func asksElements(s plan.Scan) bool {
	_, ok := s.Access.Path.(plan.Elements)
	return ok
}

// keys delivers the keys of the rows that have what all conditions ask for.
func (r elementsReader) keys() Rows {
	q, err := r.path.Query(r.env.Expr)
	if err != nil {
		return failed(err)
	}
	return r.under(q)
}

// under delivers the keys of the rows that a query finds.
func (r elementsReader) under(q inverted.Query) Rows {
	switch {
	case q.All:
		return r.everyRow()
	case q.Leaf():
		one := r.path.Under(q.Element, q.Prefix)
		one.Access.Reverse = r.scan.Access.Reverse
		return r.keysOf(plan.Keys{Table: r.scan.Table, Reverse: one.Access.Reverse}, r.table, one, scan(r.frame, one))
	}
	return produce(r.frame, plan.Width(plan.Keys{}), func(out *output) error {
		m := &keyMerger{out: out, least: q.Least, reverse: r.scan.Access.Reverse}
		defer m.close()
		for _, of := range q.Of {
			m.begin(r.under(of))
		}
		return m.run()
	})
}

// everyRow delivers the keys of all rows of the table, where a condition turns out to leave none out.
func (r elementsReader) everyRow() Rows {
	t := r.scan.Table
	all := plan.Scan{Table: t, Alias: r.scan.Alias, Reads: t.KeyOrdinals(), Access: &plan.Access{Path: plan.Whole{}}}
	all.Cols = plan.TableColumns(t, all.Reads)
	if r.env.ReadsAll != nil {
		if err := r.env.ReadsAll(all); err != nil {
			return failed(err)
		}
	}
	return r.keysOf(plan.Keys{Table: t, Reverse: r.scan.Access.Reverse}, r.table, all, scan(r.frame, all))
}
