package planner

import (
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/plan"
	"zproxy/types"
)

// withValues puts values in the first of the rows that sets make side by side, of which there is at least one: a set of
// one number is one more of them. It tells the first row, in which alone the values are computed.
func (fs *functions) withValues(item *ast.FromFunction, cols []plan.Column) plan.Node {
	scan := plan.FunctionScan{Calls: append(fs.calls, single()), Ordinality: item.Ordinality, Alias: fs.name}
	at := make([]int, len(cols)) // of those of sets, in the scan
	for i, c := range fs.cols {
		if fs.of[i] >= 0 {
			at[i] = len(scan.Cols)
			scan.Cols = append(scan.Cols, c)
		}
	}
	first := expr.Column{Index: len(scan.Cols), Name: "first", T: types.Int4}
	scan.Cols = append(scan.Cols, plan.Column{Name: first.Name, Type: first.T})
	if item.Ordinality {
		at[len(cols)-1] = len(scan.Cols)
		scan.Cols = append(scan.Cols, cols[len(cols)-1])
	}
	whole := plan.Project{Input: scan}
	for i, c := range scan.Cols {
		whole.Exprs = append(whole.Exprs, expr.Column{Index: i, Name: c.Name, T: c.Type})
	}
	whole.Cols = append(whole.Cols, scan.Cols...)
	for _, e := range fs.values {
		when := expr.When{Cond: expr.IsNull{Arg: first, Not: true}, Result: e}
		whole.Exprs = append(whole.Exprs, expr.Case{Whens: []expr.When{when}, T: e.Type()})
		whole.Cols = append(whole.Cols, plan.Column{Name: fs.name, Type: e.Type()})
	}
	return plan.Project{Input: whole, Exprs: fs.inOrder(cols, at, whole.Cols), Cols: cols}
}

// inOrder are the columns as they are written, over those of the scan and the values behind them.
func (fs *functions) inOrder(cols []plan.Column, at []int, whole []plan.Column) (out []expr.Expr) {
	field := make([]int, len(fs.values))
	for i, c := range cols {
		if i >= len(fs.of) || fs.of[i] >= 0 {
			out = append(out, expr.Column{Index: at[i], Name: c.Name, T: c.Type})
			continue
		}
		value := -fs.of[i] - 1
		index := len(whole) - len(fs.values) + value
		var e expr.Expr = expr.Column{Index: index, Name: whole[index].Name, T: whole[index].Type}
		if fs.widths[value] > 0 {
			e = expr.Field{Arg: e, Ordinal: field[value], Name: c.Name, T: c.Type}
			field[value]++
		}
		out = append(out, e)
	}
	return out
}

// single is a set of one number.
func single() expr.Call {
	one := expr.Const{Value: types.NewInt(1), T: types.Int4}
	integers := analyze.Given{Types: []types.T{types.Int4, types.Int4}}
	series, _ := analyze.ChooseFunction(builtin.Functions("generate_series"), integers)
	return expr.Call{Fn: series.Fn, Args: []expr.Expr{one, one}, T: types.Int4}
}
