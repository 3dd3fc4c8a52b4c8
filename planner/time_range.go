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

// timeRange are the timestamps in milliseconds, from min to before max, of the cells that a SELECT reads.
type timeRange struct{ min, max int64 }

// readTimes is the range that the hints of a SELECT give for a table, which is in all of theirs; nil where they give
// none.
func readTimes(t *catalog.Table, n ast.Name, hints []ast.Hint) (*timeRange, error) {
	var out *timeRange
	for _, h := range hints {
		of := timeRange{0, math.MaxInt64}
		switch {
		case !h.Timed():
			continue
		case !celltime.Has(t):
			return nil, untimed(t, n, h)
		case h.Name == timeHint:
			of = timeRange{h.Number, h.Number + 1}
		case h.Name == "_l_ts_min_":
			of.min = h.Number
		case h.Name == "_l_ts_max_":
			of.max = h.Number
		default:
			return nil, sqlerr.Unsupported("hint %s", h.Name).At(int(h.Pos)).
				WithDetail("Of each cell only the newest version is stored.")
		}
		if out != nil {
			of = timeRange{max(of.min, out.min), min(of.max, out.max)}
		}
		out = &of
	}
	return out, nil
}

// of makes of a scan of a table one of the cells in the range. A row without such cells is not found, and other cells
// are NULL. Conditions on cells are conditions on what is left of them, so no index on cells decides them.
func (r *timeRange) of(scan plan.Scan) plan.Node {
	scan.Filter = append(slices.Clone(scan.Filter), r.written(scan.Table))
	out := plan.Project{Input: scan, Cols: scan.Cols}
	for i, c := range scan.Cols {
		out.Exprs = append(out.Exprs, expr.Column{Index: i, Name: c.Name, T: c.Type})
	}
	for _, c := range celltime.Layout(scan.Table).Columns {
		cell := out.Exprs[c.Ordinal]
		written := r.written(scan.Table, expr.Const{Value: types.NewInt(int64(c.ID)), T: types.Int8})
		out.Exprs[c.Ordinal] = expr.Case{Whens: []expr.When{{Cond: written, Result: cell}}, T: cell.Type()}
	}
	return out
}

// written is the condition for a cell of a row, or any, to be in the range.
func (r *timeRange) written(t *catalog.Table, column ...expr.Expr) expr.Expr {
	at := celltime.Layout(t).Times
	args := []expr.Expr{
		expr.Column{Index: at, Name: t.Columns[at].Name, T: t.Columns[at].Type},
		expr.Const{Value: types.NewInt(r.min), T: types.Int8},
		expr.Const{Value: types.NewInt(r.max), T: types.Int8},
	}
	return expr.Call{Fn: writtenBetween, Args: append(args, column...), T: types.Bool}
}

// writtenBetween says whether a cell with the number of a column was written in a range of milliseconds, or any cell if
// no column is given.
var writtenBetween = &expr.Function{
	Name: "written_between", Args: []types.OID{types.OIDBytea, types.OIDInt8, types.OIDInt8, types.OIDInt8},
	Result: types.OIDBool, FnN: func(_ *expr.Context, args []types.Value) (types.Value, error) {
		s, err := cells.Decode(args[0].Bytes())
		if err != nil {
			return types.Null, err
		}
		return types.NewBool(slices.ContainsFunc(s.Cells, func(c cells.Cell) bool {
			at := c.At.Milli()
			return at >= args[1].Int() && at < args[2].Int() && (len(args) == 3 || int64(c.Column) == args[3].Int())
		})), nil
	},
}

// timesOfNone refuses hints about timestamps where no table is read that has such.
func timesOfNone(hints []ast.Hint) error {
	for _, h := range hints {
		if h.Timed() {
			return sqlerr.Unsupported("hint %s without a table whose cells have timestamps", h.Name).At(int(h.Pos))
		}
	}
	return nil
}
