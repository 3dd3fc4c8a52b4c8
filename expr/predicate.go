package expr

import "zproxy/types"

// Predicate says whether a condition is true for a row: neither false nor NULL.
type Predicate func(row types.Row) (bool, error)

// Predicates prepares conditions for many rows of one run: what is fixed is computed
// once. An error of what is fixed belongs to the first row that meets it, so such a
// condition is left to Eval.
func Predicates(conds []Expr, c *Context) []Predicate {
	out := make([]Predicate, len(conds))
	for i, cond := range conds {
		out[i] = predicate(cond, c)
	}
	return out
}

func predicate(cond Expr, c *Context) Predicate {
	var p Predicate
	switch e := cond.(type) {
	case Compare:
		p = againstFixed(e, c)
	case Call:
		p = boundCall(e, c)
	}
	if p != nil {
		return p
	}
	return func(row types.Row) (bool, error) {
		v, err := cond.Eval(c, row)
		return v.IsTrue(), err
	}
}

// againstFixed compares a column with something fixed, nil if the condition is another.
func againstFixed(e Compare, c *Context) Predicate {
	column, ok := e.Left.(Column)
	fixed, op := e.Right, e.Op
	if !ok {
		column, ok = e.Right.(Column)
		fixed, op = e.Left, e.Op.Flip()
	}
	if !ok || !Fixed(fixed) {
		return nil
	}
	v, err := fixed.Eval(c, nil)
	switch {
	case err != nil, v.Kind() == types.KindRecord: // of which the comparison may be an error
		return nil
	case v.IsNull():
		return func(types.Row) (bool, error) { return false, nil }
	case v.Kind() == types.KindInt:
		return againstInt(column.Index, op, v.Int())
	}
	return func(row types.Row) (bool, error) {
		x := row[column.Index]
		return !x.IsNull() && op.Holds(types.Compare(x, v)), nil
	}
}

// boundCall prepares a function for a fixed second argument, nil if it cannot be.
func boundCall(e Call, c *Context) Predicate {
	if e.Fn.Bind == nil || !Fixed(e.Args[1]) {
		return nil
	}
	v, err := e.Args[1].Eval(c, nil)
	if err != nil || v.IsNull() {
		return nil
	}
	test := e.Fn.Bind(c, v)
	return func(row types.Row) (bool, error) {
		a, err := e.Args[0].Eval(c, row)
		if err != nil || a.IsNull() {
			return false, err
		}
		return test(a)
	}
}

// againstInt spares the commonest comparison the look at kinds.
func againstInt(column int, op CompareOp, n int64) Predicate {
	return func(row types.Row) (bool, error) {
		x := row[column]
		if x.IsNull() {
			return false, nil
		}
		switch v := x.Int(); {
		case v < n:
			return op == LT || op == LE || op == NE, nil
		case v > n:
			return op == GT || op == GE || op == NE, nil
		default:
			return op == EQ || op == LE || op == GE, nil
		}
	}
}
