package ast

// Comparisons is BETWEEN as two comparisons; NOT negates both.
func (e *Between) Comparisons() Expr {
	inside := func(low, high Expr) Expr {
		lo, hi, or := ">=", "<=", false
		if e.Not {
			lo, hi, or = "<", ">", true
		}
		return &Logic{Or: or, Pos: e.Pos, Args: []Expr{
			&Operator{Name: lo, Left: e.Arg, Right: low, Pos: e.Pos},
			&Operator{Name: hi, Left: e.Arg, Right: high, Pos: e.Pos},
		}}
	}
	if !e.Symmetric {
		return inside(e.Low, e.High)
	}
	return &Logic{Or: !e.Not, Pos: e.Pos, Args: []Expr{inside(e.Low, e.High), inside(e.High, e.Low)}}
}

// Operation is LIKE and ILIKE as an operator.
func (e *Like) Operation() Expr {
	sign := "~~"
	if e.Insensitive {
		sign = "~~*"
	}
	if e.Not {
		sign = "!" + sign
	}
	right := e.Pattern
	if e.Escape != nil {
		right = &Call{Name: "like_escape", Args: []Expr{e.Pattern, e.Escape}, Pos: e.Pos}
	}
	return &Operator{Name: sign, Left: e.Arg, Right: right, Pos: e.Pos}
}

// Rows are the two rows that are written out on the sides of an operator.
func (e *Operator) Rows() (left, right *Row, ok bool) {
	if left, ok = e.Left.(*Row); ok {
		right, ok = e.Right.(*Row)
	}
	return left, right, ok
}

// RowSubquery reads (a, b) = (SELECT x, y ...), where the subquery has at most one row.
func (e *Operator) RowSubquery() (*Subquery, bool) {
	row, ok := e.Left.(*Row)
	sub, is := e.Right.(*Subquery)
	if !ok || !is || sub.Kind != ScalarSubquery {
		return nil, false
	}
	return &Subquery{Kind: ScalarSubquery, Select: sub.Select, Left: row, Operator: e.Name, Pos: e.Pos}, true
}

// Negated is the number that a minus stands before, which the grammar reads as an operator.
func (e *Operator) Negated() (*Literal, bool) {
	number, ok := e.Right.(*Literal)
	return number, ok && e.Left == nil && e.Name == "-" && number.Kind == LiteralInt
}

// NullsFirst says whether NULLs come first in an order.
func (s Sort) NullsFirst() bool {
	return s.Nulls == NullsFirst || s.Nulls == NullsDefault && s.Desc
}
