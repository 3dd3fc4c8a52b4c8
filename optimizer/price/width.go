package price

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// unknownWidth is how many bytes a value of varying length is thought to have, as in PostgreSQL.
const unknownWidth = 32

// widths are how many bytes the columns of a node take in memory, as far as it tells by those of its inputs.
func widths(n plan.Node, in []priced) []float64 {
	columns := n.Columns()
	switch n := n.(type) {
	case plan.Scan:
		return scanWidths(n)
	case plan.Project:
		return computedWidths(n.Exprs, in[0].columns)
	case plan.Aggregate:
		return append(computedWidths(n.Groups, in[0].columns), typeWidths(columns[len(n.Groups):])...)
	case plan.GroupingSets:
		return append(computedWidths(n.Groups, in[0].columns), typeWidths(columns[len(n.Groups):])...)
	case plan.Insert, plan.Update, plan.Delete, plan.MergeInto, plan.WriteEach, plan.Instead:
		return typeWidths(columns)
	case plan.With:
		return in[1].columns
	}
	var below []float64
	for _, of := range in {
		if below = append(below, of.columns...); len(below) >= len(columns) {
			return below[:len(columns)]
		}
	}
	return append(below, typeWidths(columns[len(below):])...)
}

func scanWidths(n plan.Scan) []float64 {
	out := typeWidths(n.Cols)
	for i, at := range n.Reads {
		if at >= 0 && at < len(n.Table.Columns) {
			out[i] = columnWidth(n.Table, at)
		}
	}
	return out
}

// columnWidth is that of a column of a table, by its statistics.
func columnWidth(t *catalog.Table, at int) float64 {
	c := &t.Columns[at]
	if w := t.Stats.Columns[c.ID].Width; w > 0 && types.InfoOf(c.Type.OID).Size < 0 {
		return w
	}
	return typeWidth(c.Type)
}

func computedWidths(list []expr.Expr, in []float64) []float64 {
	out := make([]float64, len(list))
	for i, e := range list {
		if c, ok := e.(expr.Column); ok && c.Index < len(in) {
			out[i] = in[c.Index]
		} else {
			out[i] = typeWidth(e.Type())
		}
	}
	return out
}

func typeWidths(columns []plan.Column) []float64 {
	out := make([]float64, len(columns))
	for i, c := range columns {
		out[i] = typeWidth(c.Type)
	}
	return out
}

func typeWidth(t types.T) float64 {
	if size := types.InfoOf(t.OID).Size; size > 0 {
		return float64(size)
	}
	return unknownWidth
}
