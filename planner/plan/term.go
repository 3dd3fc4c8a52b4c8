package plan

import (
	"zproxy/encoding/span"
	"zproxy/planner/expr"
	"zproxy/types"
)

// Term says of a column what its operator says, against expressions that are fixed
// while the statement runs.
type Term struct {
	Op   TermOp
	Args []expr.Expr
}

// TermOp is how a Term bounds its column.
type TermOp uint8

// The terms.
const (
	TermEQ TermOp = iota
	TermLT
	TermLE
	TermGT
	TermGE
	TermIn
	TermAny    // an element of the array Args[0]
	TermPrefix // a text that begins with Args[0]
	TermNull
	TermNotNull
)

// Set is what the term leaves of its column. A comparison with NULL is never true, so it leaves
// nothing.
func (t Term) Set(c *expr.Context) (span.Set, error) {
	switch t.Op {
	case TermNull:
		return span.OnlyNull, nil
	case TermNotNull:
		return span.NotNull, nil
	}
	values := make([]types.Value, len(t.Args))
	for i, arg := range t.Args {
		v, err := arg.Eval(c, nil)
		if err != nil {
			return span.Set{}, err
		}
		values[i] = v
	}
	if t.Op == TermIn || t.Op == TermEQ {
		return span.Points(values...), nil
	}
	v := values[0]
	if v.IsNull() {
		return span.Set{}, nil
	}
	switch t.Op {
	case TermAny:
		return span.Points(v.Array().Items...), nil
	case TermLT:
		return span.Of(span.Interval{High: v, HighOpen: true}), nil
	case TermLE:
		return span.Of(span.Interval{High: v}), nil
	case TermGT:
		return span.Of(span.Interval{Low: v, LowOpen: true}), nil
	case TermGE:
		return span.Of(span.Interval{Low: v}), nil
	default:
		return span.Of(span.Prefix(v.Text())), nil
	}
}

// TermOf reads a condition that bounds a column as a term on it: a comparison with something fixed,
// IN, = ANY of an array, LIKE with a prefix, IS [NOT] NULL, or a boolean column by itself. An exact
// one says all that the condition does.
func TermOf(cond expr.Expr) (col int, term Term, exact, ok bool) {
	switch e := cond.(type) {
	case expr.Compare:
		return boundCompare(e)
	case expr.In:
		c, isColumn := ColumnOf(e.Arg)
		if !isColumn || e.Not || !allFixed(e.List) {
			return 0, term, false, false
		}
		return c.Index, Term{Op: TermIn, Args: e.List}, true, true
	case expr.Quantified:
		return boundAny(e)
	case expr.IsNull:
		c, isColumn := ColumnOf(e.Arg)
		op := TermNull
		if e.Not {
			op = TermNotNull
		}
		return c.Index, Term{Op: op}, true, isColumn
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

func equalsBool(v bool) Term {
	return Term{Op: TermEQ, Args: []expr.Expr{expr.Const{Value: types.NewBool(v), T: types.Bool}}}
}

func allFixed(list []expr.Expr) bool {
	for _, e := range list {
		if !expr.Fixed(e) {
			return false
		}
	}
	return true
}

var termOf = map[expr.CompareOp]TermOp{
	expr.EQ: TermEQ, expr.LT: TermLT, expr.LE: TermLE, expr.GT: TermGT, expr.GE: TermGE,
}

func boundCompare(e expr.Compare) (col int, term Term, exact, ok bool) {
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
func boundAny(e expr.Quantified) (col int, term Term, exact, ok bool) {
	column, isColumn := ColumnOf(e.Arg)
	test, isCompare := e.Test.(expr.Compare)
	if e.All || !isColumn || !isCompare || test.Op != expr.EQ || !expr.Fixed(e.Array) {
		return 0, term, false, false
	}
	term = Term{Op: TermAny, Args: []expr.Expr{e.Array}}
	switch a := e.Array.(type) {
	case expr.ArrayOf:
		if !a.Nested {
			term = Term{Op: TermIn, Args: a.Items}
		}
	case expr.Const:
		term = Term{Op: TermIn}
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
func boundLike(e expr.Call) (col int, term Term, exact, ok bool) {
	if e.Fn.Operator != "~~" {
		return 0, term, false, false
	}
	column, isColumn := ColumnOf(e.Args[0])
	pattern, isConst := e.Args[1].(expr.Const)
	if !isColumn || !isConst || pattern.Value.Kind() != types.KindText || column.T.Kind() != types.KindText {
		return 0, term, false, false
	}
	prefix, rest := expr.LikePrefix(pattern.Value.Text())
	term = Term{Op: TermPrefix, Args: []expr.Expr{expr.Const{Value: types.NewText(prefix), T: types.Text}}}
	if rest == "" {
		term.Op = TermEQ
	}
	return column.Index, term, rest == "" || rest == "%", prefix != "" || rest == ""
}
