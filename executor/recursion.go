package executor

import (
	"zproxy/planner/plan"
	"zproxy/types"
)

// recursion delivers the rows of its base, and then again and again those of its step over
// the rows that came last, until none come.
func recursion(f frame, n plan.Recursion) Rows {
	return produce(f, len(n.Cols), func(out *output) error {
		r := &recursive{frame: f, width: len(n.Cols), working: f.hold(), held: f.hold()}
		defer func() { r.working.release(); r.held.release() }()
		if n.Distinct {
			seen := newRowSet(&r.held, columnTypes(n.Cols)...)
			r.seen = &seen
		}
		last, err := r.round(f.input(n.Base))
		for err == nil && len(last) > 0 {
			// Each round goes out on its own, since it may be all that is wanted.
			for i := 0; err == nil && i < len(last); i++ {
				err = out.append(last[i])
			}
			if err == nil {
				err = out.flush()
			}
			if err == nil {
				last, err = r.step(n, last)
			}
		}
		return err
	})
}

// recursive is one run of a recursion.
type recursive struct {
	frame
	width   int
	seen    *rowSet // all rows that came, when each counts once
	working hold    // of the rows that came last
	held    hold
}

// step is a round over the rows that came last. It ends before any of its rows goes out,
// so that no one else meets them under the recursion's number.
func (r *recursive) step(n plan.Recursion, last []types.Row) ([]types.Row, error) {
	defer r.env.refer(n.Number, func() Rows { return listed(r.frame, r.width, last) })()
	return r.round(r.input(n.Step, n.Base))
}

// round collects rows that are new.
func (r *recursive) round(in Rows) ([]types.Row, error) {
	kept := slab{width: r.width}
	next := r.hold()
	var rows []types.Row
	err := r.each(in, func(row types.Row) error {
		if r.seen != nil {
			if added, err := r.seen.add(row); err != nil || !added {
				return err
			}
		}
		rows = append(rows, kept.keep(row))
		return next.addRow(row)
	})
	r.working.release()
	r.working = next
	return rows, err
}

// listed delivers rows that are kept.
func listed(f frame, width int, rows []types.Row) Rows {
	return produce(f, width, func(out *output) error {
		return out.appendAll(rows)
	})
}
