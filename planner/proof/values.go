package proof

import (
	"maps"
	"slices"

	"zproxy/expr"
	"zproxy/types"
)

// mostRows is on how many rows a condition is tried.
const mostRows = 64

// byValues proves a condition by trying it on every row that its columns can make, where each
// has only a few values.
func (p *prover) byValues(cond expr.Expr) bool {
	if expr.Mutable(cond) {
		return false
	}
	reads := map[int]bool{}
	expr.Columns(cond, reads)
	columns := slices.Sorted(maps.Keys(reads))
	rows := []types.Row{nil}
	for _, c := range columns {
		values, ok := p.pointsOf(c)
		if !ok || len(values)*len(rows) > mostRows {
			return false
		}
		var longer []types.Row
		for _, row := range rows {
			for _, v := range values {
				next := make(types.Row, c+1)
				copy(next, row)
				next[c] = v
				longer = append(longer, next)
			}
		}
		rows = longer
	}
	return !slices.ContainsFunc(rows, func(row types.Row) bool { return !isTrue(cond, row) })
}

// isTrue says whether a condition is true of a row, and no error.
func isTrue(cond expr.Expr, row types.Row) bool {
	v, err := cond.Eval(brief(), row)
	return err == nil && v.IsTrue()
}

// pointsOf are the values that a column can have, if they are few. Of kinds with values that are
// equal and yet not the same, such as 1.0 and 1.00, they are not all known.
func (p *prover) pointsOf(column int) ([]types.Value, bool) {
	set := p.valuesOf(expr.Column{Index: column})
	if !set.Discrete() {
		return nil, false
	}
	var out []types.Value
	if set.Null {
		out = append(out, types.Null)
	}
	for _, i := range set.Intervals {
		switch i.Low.Kind() {
		case types.KindBool, types.KindInt, types.KindText, types.KindBytes, types.KindDate, types.KindTimestamp,
			types.KindTime, types.KindUUID, types.KindEnum:
			out = append(out, i.Low)
		default:
			return nil, false
		}
	}
	return out, true
}
