package clause

import (
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
)

// Open says whether the literals of the select list of a query take their types from where the query stands, as a side
// of a set operation or as the rows of an INSERT.
func Open(s *ast.Select) bool { return !s.Distinct && s.SetOp == nil && s.Values == nil }

// Output is a column of a side of a set operation; a literal of an open side is itself.
type Output[E analyze.Typed] struct {
	Expr E
	Name string
	Pos  ast.Pos
}

var setNames = map[ast.SetKind]string{ast.Union: "UNION", ast.Intersect: "INTERSECT", ast.Except: "EXCEPT"}

// Matched brings the columns of the sides of a set operation to common types, under the names of the left.
func Matched[E analyze.Typed](c analyze.Coercion[E], op *ast.SetOp, left, right []Output[E]) (
	cols []Column, sides [2][]E, err error) {
	if len(left) != len(right) {
		pos := op.Right.Pos
		if len(right) > 0 {
			pos = right[0].Pos
		}
		return nil, sides, sqlerr.New(sqlerr.SyntaxError, "each %s query must have the same number of columns",
			setNames[op.Kind]).At(int(pos))
	}
	for i, l := range left {
		r := right[i]
		both, t, err := c.Common([]E{l.Expr, r.Expr}, setNames[op.Kind], []ast.Pos{l.Pos, r.Pos})
		if err != nil {
			return nil, sides, err
		}
		cols = append(cols, Column{l.Name, t})
		sides[0], sides[1] = append(sides[0], both[0]), append(sides[1], both[1])
	}
	return cols, sides, nil
}
