package planner

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/encoding/cells"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// timeRange says which versions of the cells of a table a SELECT reads: the newest of those that were written at some
// timestamps, or several of these, each as a row of its own.
type timeRange struct {
	min, max int64 // milliseconds, from min to before max
	several  int64 // 0: the newest
	table    *catalog.Table
	layout   *cells.Layout
}

// readTimes is the range that the hints of a SELECT give for a table, which is in all of theirs; nil where they give
// none.
func readTimes(t *catalog.Table, n ast.Name, hints []ast.Hint) (*timeRange, error) {
	out := timeRange{min: cells.Start, max: math.MaxInt64, table: t}
	given := false
	for _, h := range hints {
		switch {
		case !h.Timed():
			continue
		case !celltime.Has(t):
			return nil, untimed(t, n, h)
		case h.Name == versionsHint && h.Number == 0:
			return nil, sqlerr.New(sqlerr.SyntaxError, "hint %s takes a positive number", h.Name).At(int(h.Pos))
		case h.Name == versionsHint:
			out.several = h.Number
		case h.Name == timeHint:
			out.min, out.max = max(out.min, h.Number), min(out.max, h.Number+1)
		case h.Name == "_l_ts_min_":
			out.min = max(out.min, h.Number)
		case h.Name == "_l_ts_max_":
			out.max = min(out.max, h.Number)
		}
		given = true
	}
	if !given {
		return nil, nil
	}
	out.layout = celltime.Layout(t)
	return &out, nil
}

// of makes of a scan of a table one of the versions in the range. A row without such is not found, and other cells
// are NULL. Conditions on cells are conditions on what is left of them, so no index on cells decides them.
func (r *timeRange) of(scan plan.Scan) plan.Node {
	if r.several == 0 {
		scan.Filter = append(slices.Clone(scan.Filter), r.call(r.written(), types.Bool))
		return r.picked(scan, scan.Cols, number(0))
	}
	n := plan.ProjectSet{Input: scan, Calls: []expr.Call{r.call(r.ranks(), types.Int8, number(r.several))}}
	rank := plan.Column{Name: n.Calls[0].Fn.Name, Type: types.Int8}
	n.Cols = append(slices.Clone(scan.Cols), rank)
	return r.picked(n, scan.Cols, expr.Column{Index: len(scan.Cols), Name: rank.Name, T: rank.Type})
}

// picked is the columns of a table with the versions of a rank instead of cells, and the timestamps of those.
func (r *timeRange) picked(in plan.Node, cols []plan.Column, rank expr.Expr) plan.Node {
	out := plan.Project{Input: in, Cols: cols}
	for i, c := range cols {
		out.Exprs = append(out.Exprs, expr.Column{Index: i, Name: c.Name, T: c.Type})
	}
	for _, c := range r.layout.Columns {
		cell := out.Exprs[c.Ordinal]
		out.Exprs[c.Ordinal] = r.call(cellBetween, cell.Type(), rank, number(int64(c.ID)), cell)
	}
	times := r.layout.Times
	out.Exprs[times] = r.call(cellsBetween, cols[times].Type, rank)
	return out
}

// call calls a function with what says which versions may be picked, and more.
func (r *timeRange) call(f *expr.Function, t types.T, more ...expr.Expr) expr.Call {
	at := r.layout.Times
	c := r.table.Columns[at]
	args := []expr.Expr{expr.Column{Index: at, Name: c.Name, T: c.Type}, number(r.min), number(r.max),
		number(int64(r.layout.Versions))}
	return expr.Call{Fn: f, Args: append(args, more...), T: t}
}

func number(n int64) expr.Expr { return expr.Const{Value: types.NewInt(n), T: types.Int8} }

// timesOfNone refuses hints about timestamps where no table is read that has such.
func timesOfNone(hints []ast.Hint) error {
	for _, h := range hints {
		if h.Timed() {
			return sqlerr.Unsupported("hint %s without a table whose cells have timestamps", h.Name).At(int(h.Pos))
		}
	}
	return nil
}
