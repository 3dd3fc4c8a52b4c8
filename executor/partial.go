package executor

import (
	"fmt"
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// partial finds for each layout which rows have items in it: nil for one that has all, and nil
// if all have all. It is an error not to know that of a partial index.
func partial(layouts []*layout, holds []plan.Predicate, c *expr.Context) ([]expr.Predicate, error) {
	var out []expr.Predicate
	for j, l := range layouts {
		if l.index == nil || !l.index.Partial() {
			continue
		}
		at := slices.IndexFunc(holds, func(p plan.Predicate) bool { return p.Index == l.index.ID })
		if at < 0 {
			return nil, fmt.Errorf("no condition of the partial index %q", l.index.Name)
		}
		if out == nil {
			out = make([]expr.Predicate, len(layouts))
		}
		out[j] = expr.Predicates([]expr.Expr{holds[at].Cond}, c)[0]
	}
	return out, nil
}

// holds says whether a row has an item in the layout with a number.
func (w *writer) holds(layout int, row types.Row) (bool, error) {
	if w.layouts[layout].index == nil {
		return true, nil
	}
	var cond expr.Predicate
	if w.partial != nil {
		cond = w.partial[layout]
	}
	return inIndex(w, cond, row)
}

// inIndex says whether a row has entries in an index that holds the rows of a condition; nil: all.
func inIndex(w *writer, cond expr.Predicate, row types.Row) (bool, error) {
	if w.gone(row) {
		return false, nil
	}
	if cond == nil {
		return true, nil
	}
	return cond(row)
}

// holdings says whether the layout with a number has an item of the old row of a change, and
// notes whether it will have one of the new row.
func (w *writer) holdings(layout int, c change, p *placement) (was bool, err error) {
	if c.new != nil && w.layouts[layout].makes {
		if p.held, err = w.holds(layout, c.new); err != nil {
			return false, err
		}
	}
	return c.old != nil && w.had(layout, c.old), nil
}

// had says whether the layout with a number may have an item of a row that is stored. It has
// none of a row for which its condition is an error: the writer of the row would have met that.
func (w *writer) had(layout int, row types.Row) bool {
	was, err := w.holds(layout, row)
	return was && err == nil
}
