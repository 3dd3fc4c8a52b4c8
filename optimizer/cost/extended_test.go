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

// equal is a condition that a column has one of some values.
func equal(column uint32, values ...int64) plan.Bound {
	term := plan.Term{Op: plan.TermIn}
	for _, v := range values {
		term.Args = append(term.Args, expr.Const{Value: types.NewInt(v), T: types.Int8})
	}
	return plan.Bound{Column: column, Terms: []plan.Term{term}}
}

// above is a condition that a column is above a value.
func above(column uint32, value int64) plan.Bound {
	arg := expr.Const{Value: types.NewInt(value), T: types.Int8}
	return plan.Bound{Column: column, Terms: []plan.Term{{Op: plan.TermGT, Args: []expr.Expr{arg}}}}
}

// withExtended is a table of 10,000 rows of which statistics objects know something.
func withExtended(data ...extended.Data) *catalog.Table {
	table := &catalog.Table{Name: "t"}
	for id := range uint32(3) {
		table.Columns = append(table.Columns, catalog.Column{ID: id + 1, Type: types.Int8})
	}
	table.Stats = catalog.Stats{Known: true, Rows: 10_000, Columns: map[uint32]catalog.ColumnStats{},
		Extended: map[uint32]extended.Data{}}
	for id, n := range map[uint32]float64{1: 100, 2: 10, 3: 50} {
		table.Stats.Columns[id] = catalog.ColumnStats{Distinct: n}
	}
	for i, d := range data {
		table.Stats.Extended[uint32(100+i)] = d
	}
	return table
}

// together is the share of the rows that bounds keep together of which each keeps a share alone.
func together(table *catalog.Table, keeps []float64, bounds ...plan.Bound) float64 {
	share, g := 1.0, cost.Together{Table: table, Values: &expr.Context{}}
	for i, b := range bounds {
		share *= keeps[i]
		g.Add(b, keeps[i])
	}
	return share * g.Correction()
}

// TestDependencies holds what follows from a dependency of a degree: P(a, b) = P(a) * (d + (1 - d) * P(b)).
func TestDependencies(t *testing.T) {
	table := withExtended(extended.Data{Columns: []uint32{1, 2, 3}, Dependencies: []extended.Dependency{
		{From: []uint32{1}, To: 2, Degree: 0.8}, {From: []uint32{2}, To: 3, Degree: 0.5},
		{From: []uint32{1, 2}, To: 3, Degree: 0.9},
	}})
	for _, c := range []struct {
		name   string
		bounds []plan.Bound
		keeps  []float64
		want   float64
	}{
		{"one follows", []plan.Bound{equal(1, 5), equal(2, 1)}, []float64{0.01, 0.1}, 0.01 * (0.8 + 0.2*0.1)},
		{"in any order", []plan.Bound{equal(2, 1), equal(1, 5)}, []float64{0.1, 0.01}, 0.01 * (0.8 + 0.2*0.1)},
		{"at most the rarer one", []plan.Bound{equal(1, 5, 6), equal(2, 1)}, []float64{0.5, 0.1}, 0.8*0.1 + 0.2*0.5*0.1},
		{"two follow", []plan.Bound{equal(1, 5), equal(2, 1), equal(3, 7)}, []float64{0.1, 0.2, 0.5},
			0.1 * (0.8 + 0.2*0.2) * math.Min(1, 0.9+0.1*0.5)},
		{"none from one to the other", []plan.Bound{equal(1, 5), equal(3, 1)}, []float64{0.01, 0.1}, 0.001},
		{"no single values", []plan.Bound{above(1, 5), equal(2, 1)}, []float64{0.3, 0.1}, 0.03},
	} {
		if got := together(table, c.keeps, c.bounds...); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g of the rows, want %g", c.name, got, c.want)
		}
	}
}

// TestCommonCombinations holds what follows from common combinations: their own share for those that are met, and for
// others what is left.
func TestCommonCombinations(t *testing.T) {
	combination := func(share, base float64, values ...any) extended.Combination {
		c := extended.Combination{Share: share, Base: base}
		for _, v := range values {
			value := types.Null
			if n, ok := v.(int); ok {
				value = types.NewInt(int64(n))
			}
			c.Values = append(c.Values, value)
		}
		return c
	}
	null := plan.Bound{Column: 2, Terms: []plan.Term{{Op: plan.TermNull}}}
	table := withExtended(extended.Data{Columns: []uint32{1, 2}, Common: []extended.Combination{
		combination(0.5, 0.3, 1, 1), combination(0.2, 0.06, 2, 2), combination(0.1, 0.02, 3, nil),
	}})
	for _, c := range []struct {
		name   string
		bounds []plan.Bound
		keeps  []float64
		want   float64
	}{
		{"a common one", []plan.Bound{equal(1, 1), equal(2, 1)}, []float64{0.5, 0.6}, 0.5},
		{"with NULL", []plan.Bound{equal(1, 3), null}, []float64{0.1, 0.2}, 0.1},
		{"two of four", []plan.Bound{equal(1, 1, 2), equal(2, 1, 2)}, []float64{0.7, 0.8}, 0.7 + 0.2},
		{"none that is common", []plan.Bound{equal(1, 1), equal(2, 2)}, []float64{0.5, 0.3}, 0.1},
		{"a rare one", []plan.Bound{equal(1, 8), equal(2, 9)}, []float64{0.01, 0.02}, 0.0002},
		{"more than single values", []plan.Bound{above(1, 1), equal(2, 2)}, []float64{0.4, 0.3}, 0.2 + 0.06},
		{"one column", []plan.Bound{equal(1, 1)}, []float64{0.5}, 0.5},
		{"with another column", []plan.Bound{equal(1, 1), equal(2, 1), equal(3, 4)}, []float64{0.5, 0.6, 0.1}, 0.05},
	} {
		if got := together(table, c.keeps, c.bounds...); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g of the rows, want %g", c.name, got, c.want)
		}
	}
}
