// Package access turns a predicate and the layouts of a table into the path by which
// its rows are read: the longest matching prefix of an index, or a Z-order box, with
// what is left over to be checked.
package access

import (
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// constraint is what one condition says of one column.
type constraint struct {
	cond   int // place of the condition in Scan.Filter
	column int // place of the column in the table
	term   plan.Term
	exact  bool             // the term says all that the condition does
	lives  bool             // the condition is that of the table's TTL
	row    *expr.RowCompare // of which the term is what it says of the first field
}

// constrain finds the conditions that bound a column: comparisons with something fixed,
// IN, = ANY of an array, LIKE with a prefix, IS [NOT] NULL, and a boolean column by itself.
func constrain(s plan.Scan) []constraint {
	var out []constraint
	for i, cond := range s.Filter {
		if row, ok := cond.(expr.RowCompare); ok {
			out = append(out, boundRow(s, i, row)...)
			continue
		}
		col, term, exact, ok := Bounds(cond)
		if ok {
			out = append(out, constraint{cond: i, column: s.Reads[col], term: term, exact: exact, lives: lives(s, cond)})
		}
	}
	return out
}

// Bounds reads one condition as a term on a column of the scan's rows. An exact one says all
// that the condition does.
func Bounds(cond expr.Expr) (col int, term plan.Term, exact, ok bool) {
	switch e := cond.(type) {
	case expr.Compare:
		return boundCompare(e)
	case expr.In:
		c, isColumn := ColumnOf(e.Arg)
		if !isColumn || e.Not || !allFixed(e.List) {
			return 0, term, false, false
		}
		return c.Index, plan.Term{Op: plan.TermIn, Args: e.List}, true, true
	case expr.Quantified:
		return boundAny(e)
	case expr.IsNull:
		c, isColumn := ColumnOf(e.Arg)
		op := plan.TermNull
		if e.Not {
			op = plan.TermNotNull
		}
		return c.Index, plan.Term{Op: op}, true, isColumn
	case expr.Column:
		return e.Index, equalsBool(true), true, true
	case expr.Not:
		c, isColumn := e.Arg.(expr.Column)
		return c.Index, equalsBool(false), true, isColumn
	case expr.Call:
		return boundLike(e)
	}
	return 0, term, false, false
}

// ColumnOf sees a column through casts that change nothing.
func ColumnOf(e expr.Expr) (expr.Column, bool) {
	c, ok := expr.Uncast(e).(expr.Column)
	return c, ok
}

func equalsBool(v bool) plan.Term {
	return plan.Term{Op: plan.TermEQ, Args: []expr.Expr{expr.Const{Value: types.NewBool(v), T: types.Bool}}}
}

func allFixed(list []expr.Expr) bool {
	for _, e := range list {
		if !expr.Fixed(e) {
			return false
		}
	}
	return true
}

var termOf = map[expr.CompareOp]plan.TermOp{
	expr.EQ: plan.TermEQ, expr.LT: plan.TermLT, expr.LE: plan.TermLE, expr.GT: plan.TermGT, expr.GE: plan.TermGE,
}

func boundCompare(e expr.Compare) (col int, term plan.Term, exact, ok bool) {
	column, isColumn := ColumnOf(e.Left)
	value, op := e.Right, e.Op
	if !isColumn {
		column, isColumn = ColumnOf(e.Right)
		value, op = e.Left, e.Op.Flip()
	}
	term.Op, ok = termOf[op]
	if !isColumn || !ok || !expr.Fixed(value) {
		return 0, term, false, false
	}
	term.Args = []expr.Expr{value}
	return column.Index, term, true, true
}

// boundAny reads column = ANY (array). The items of an array that is known, or written
// out, are points as in IN.
func boundAny(e expr.Quantified) (col int, term plan.Term, exact, ok bool) {
	column, isColumn := ColumnOf(e.Arg)
	test, isCompare := e.Test.(expr.Compare)
	if e.All || !isColumn || !isCompare || test.Op != expr.EQ || !expr.Fixed(e.Array) {
		return 0, term, false, false
	}
	term = plan.Term{Op: plan.TermAny, Args: []expr.Expr{e.Array}}
	switch a := e.Array.(type) {
	case expr.ArrayOf:
		if !a.Nested {
			term = plan.Term{Op: plan.TermIn, Args: a.Items}
		}
	case expr.Const:
		term = plan.Term{Op: plan.TermIn}
		if a.Value.IsNull() {
			break
		}
		element, _ := types.ElementOf(a.T)
		for _, item := range a.Value.Array().Items {
			term.Args = append(term.Args, expr.Const{Value: item, T: element})
		}
	}
	return column.Index, term, true, true
}

// boundLike reads column LIKE 'prefix...'. Texts are in byte order, so a prefix is an
// interval; what follows the prefix is left to the residual.
func boundLike(e expr.Call) (col int, term plan.Term, exact, ok bool) {
	if e.Fn.Operator != "~~" {
		return 0, term, false, false
	}
	column, isColumn := ColumnOf(e.Args[0])
	pattern, isConst := e.Args[1].(expr.Const)
	if !isColumn || !isConst || pattern.Value.Kind() != types.KindText || column.T.Kind() != types.KindText {
		return 0, term, false, false
	}
	prefix, rest := expr.LikePrefix(pattern.Value.Text())
	term = plan.Term{Op: plan.TermPrefix, Args: []expr.Expr{expr.Const{Value: types.NewText(prefix), T: types.Text}}}
	if rest == "" {
		term.Op = plan.TermEQ
	}
	return column.Index, term, rest == "" || rest == "%", prefix != "" || rest == ""
}

// boundRow reads (a, b) > (1, 2) as a >= 1, which the fields behind make stricter. Only
// the fields up to the first that is not a column beside something fixed count.
func boundRow(s plan.Scan, cond int, e expr.RowCompare) []constraint {
	row := expr.RowCompare{Op: e.Op}
	left, right := e.Left, e.Right
	if _, ok := ColumnOf(left[0]); !ok {
		left, right, row.Op = right, left, e.Op.Flip()
	}
	for i := range left {
		c, ok := ColumnOf(left[i])
		if !ok || !expr.Fixed(right[i]) {
			break
		}
		row.Left, row.Right = append(row.Left, c), append(row.Right, right[i])
	}
	if len(row.Left) == 0 {
		return nil
	}
	term := plan.Term{Op: plan.TermLE, Args: row.Right[:1]}
	if row.Op == expr.GT || row.Op == expr.GE {
		term.Op = plan.TermGE
	}
	first := row.Left[0].(expr.Column)
	return []constraint{{cond: cond, column: s.Reads[first.Index], term: term, row: &row, exact: len(row.Left) == len(e.Left)}}
}
