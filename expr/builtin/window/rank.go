// Package window is the functions that are only for windows: ranks, and the values of other rows. Aggregates
// are window functions, too. Begin with Functions.
package window

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Functions is the table of the functions that are only for windows.
var Functions = slices.Concat(rankFunctions, valueFunctions)

var rankFunctions = []*expr.WindowFunction{
	{Name: "row_number", Result: pg.Int8, Doc: "Number of the row in its partition, from 1.", New: each(rowNumber)},
	{Name: "rank", Result: pg.Int8, Doc: "Number of the first row that equals this one.", New: each(rank)},
	{Name: "dense_rank", Result: pg.Int8, Doc: "Number of the group of equal rows, from 1.", New: func() expr.WindowEval { return &denseRank{last: -1} }},
	{Name: "percent_rank", Result: pg.Float8, Doc: "Part of the other rows that come before, from 0 to 1.", New: each(percentRank)},
	{Name: "cume_dist", Result: pg.Float8, Doc: "Part of the rows that come before or are equal, up to 1.", New: each(cumeDist)},
	{Name: "ntile", Args: pg.Sig{pg.Int4}, Result: pg.Int4, Doc: "Number of the bucket, when the rows are split as evenly as they can be.", New: func() expr.WindowEval { return &ntile{} }},
}

// windowFunc is a window function that remembers nothing.
type windowFunc func(c *expr.Context, p expr.Partition) (types.Value, error)

// Value implements WindowEval.
func (f windowFunc) Value(c *expr.Context, p expr.Partition) (types.Value, error) { return f(c, p) }

func each(f windowFunc) func() expr.WindowEval { return func() expr.WindowEval { return f } }

func rowNumber(_ *expr.Context, p expr.Partition) (types.Value, error) {
	return types.NewInt(int64(p.Row()) + 1), nil
}

func rank(_ *expr.Context, p expr.Partition) (types.Value, error) {
	first, _ := p.Peers()
	return types.NewInt(int64(first) + 1), nil
}

func percentRank(_ *expr.Context, p expr.Partition) (types.Value, error) {
	if p.Len() < 2 {
		return types.NewFloat(0), nil
	}
	first, _ := p.Peers()
	return types.NewFloat(float64(first) / float64(p.Len()-1)), nil
}

func cumeDist(_ *expr.Context, p expr.Partition) (types.Value, error) {
	_, end := p.Peers()
	return types.NewFloat(float64(end) / float64(p.Len())), nil
}

// denseRank counts the groups of equal rows.
type denseRank struct {
	last   int // where the present group begins
	groups int64
}

// Value implements WindowEval.
func (d *denseRank) Value(_ *expr.Context, p expr.Partition) (types.Value, error) {
	if first, _ := p.Peers(); first != d.last {
		d.last = first
		d.groups++
	}
	return types.NewInt(d.groups), nil
}

// ntile takes the number of buckets from the first row.
type ntile struct{ buckets types.Value }

// Value implements WindowEval.
func (n *ntile) Value(c *expr.Context, p expr.Partition) (types.Value, error) {
	if p.Row() == 0 {
		args, err := p.Args(c, 0)
		if err != nil {
			return types.Null, err
		}
		n.buckets = args[0]
	}
	if n.buckets.IsNull() {
		return types.Null, nil
	}
	buckets, row := n.buckets.Int(), int64(p.Row())
	if buckets <= 0 {
		return types.Null, sqlerr.New(sqlerr.InvalidArgumentForNtile, "argument of ntile must be greater than zero")
	}
	size, larger := int64(p.Len())/buckets, int64(p.Len())%buckets
	if row < larger*(size+1) {
		return types.NewInt(row/(size+1) + 1), nil
	}
	return types.NewInt((row-larger)/size + 1), nil
}
