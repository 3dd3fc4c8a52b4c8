package aggregate

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// hypotheticalAggregates tell the place that a row would have among those of WITHIN GROUP.
var hypotheticalAggregates = []*expr.Aggregate{
	{Name: "rank", Args: pg.Sig{types.OIDAny}, Result: pg.Int8, Ordered: true, Hypothetical: true, Doc: "Number that the first row which equals this one would have.", New: newHypothetical(hypotheticalRank)},
	{Name: "dense_rank", Args: pg.Sig{types.OIDAny}, Result: pg.Int8, Ordered: true, Hypothetical: true, Doc: "Number that the group of rows which equal this one would have.", New: newHypothetical(hypotheticalDenseRank)},
	{Name: "percent_rank", Args: pg.Sig{types.OIDAny}, Result: pg.Float8, Ordered: true, Hypothetical: true, Doc: "Part of the rows that would come before this one, from 0 to 1.", New: newHypothetical(hypotheticalPercentRank)},
	{Name: "cume_dist", Args: pg.Sig{types.OIDAny}, Result: pg.Float8, Ordered: true, Hypothetical: true, Doc: "Part of the rows that would come before this one or equal it, with itself.", New: newHypothetical(hypotheticalCumeDist)},
}

// hypothetical counts the rows around one that is not there. Its arguments are the values
// of that row, and then those of one that is.
type hypothetical struct {
	before, equal, rows int64
	groups              int64 // of rows before that equal each other
	last                types.Row
	compare             func(a, b types.Row) int
	result              func(h *hypothetical) types.Value
}

func newHypothetical(result func(h *hypothetical) types.Value) func([]types.T) expr.Accumulator {
	return func([]types.T) expr.Accumulator { return &hypothetical{result: result} }
}

// OrderBy says how the rows are ordered.
func (h *hypothetical) OrderBy(compare func(a, b types.Row) int) { h.compare = compare }

// Add implements Accumulator.
func (h *hypothetical) Add(_ *expr.Context, args []types.Value) error {
	h.rows++
	row, present := types.Row(args[:len(args)/2]), types.Row(args[len(args)/2:])
	switch order := h.compare(present, row); {
	case order == 0:
		h.equal++
	case order < 0:
		h.before++
		if h.last == nil || h.compare(h.last, present) != 0 {
			h.groups++
			h.last = append(h.last[:0], present...)
		}
	}
	return nil
}

// Result implements Accumulator.
func (h *hypothetical) Result(*expr.Context) (types.Value, error) { return h.result(h), nil }

func hypotheticalRank(h *hypothetical) types.Value { return types.NewInt(h.before + 1) }

func hypotheticalDenseRank(h *hypothetical) types.Value { return types.NewInt(h.groups + 1) }

func hypotheticalPercentRank(h *hypothetical) types.Value {
	if h.rows == 0 {
		return types.NewFloat(0)
	}
	return types.NewFloat(float64(h.before) / float64(h.rows))
}

func hypotheticalCumeDist(h *hypothetical) types.Value {
	return types.NewFloat(float64(h.before+h.equal+1) / float64(h.rows+1))
}
