package cost_test

import (
	"math"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestTogether holds what bounds on single values keep together of a table of which it is known how many values some
// columns have together.
func TestTogether(t *testing.T) {
	table := &catalog.Table{Name: "t"}
	distinct := map[uint32]float64{1: 100, 2: 50, 3: 10, 4: 20}
	table.Stats = catalog.Stats{Known: true, Rows: 100_000, Columns: map[uint32]catalog.ColumnStats{}}
	table.Stats.Groups = []extended.Group{
		{Columns: []uint32{1, 2, 3}, Distinct: 1000}, {Columns: []uint32{1, 2}, Distinct: 100},
	}
	for id, n := range distinct {
		table.Stats.Columns[id] = catalog.ColumnStats{Distinct: n}
	}
	one := expr.Const{Value: types.NewInt(1), T: types.Int4}
	for _, c := range []struct {
		name    string
		op      plan.TermOp
		columns []uint32
		want    float64
	}{
		{"one column", plan.TermEQ, []uint32{1}, 1. / 100},
		{"one follows from the other", plan.TermEQ, []uint32{2, 1}, 1. / 100},
		{"all of a group", plan.TermEQ, []uint32{1, 2, 3}, 1. / 1000},
		{"others are independent", plan.TermEQ, []uint32{1, 2, 4}, 1. / 100 / 20},
		{"no group", plan.TermEQ, []uint32{1, 3}, 1. / 100 / 10},
		{"no single values", plan.TermGE, []uint32{1, 2}, 1. / 100 / 50},
	} {
		share, together := 1.0, cost.Together{Table: table}
		for _, id := range c.columns {
			keeps := 1 / distinct[id]
			share *= keeps
			together.Add(plan.Bound{Column: id, Terms: []plan.Term{{Op: c.op, Args: []expr.Expr{one}}}}, keeps)
		}
		if got := share * together.Correction(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g of the rows, want %g", c.name, got, c.want)
		}
	}
}
