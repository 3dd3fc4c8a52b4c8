package clause

import (
	"strconv"

	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Column is a column that several rows or queries have in common.
type Column struct {
	Name string
	Type types.T
}

// Values makes the rows of VALUES, with each column brought to one type.
func Values[E analyze.Typed](a analyze.Analysis[E], trees [][]ast.Expr) (rows [][]E, cols []Column, err error) {
	rows, pos := make([][]E, len(trees)), make([][]ast.Pos, len(trees))
	for i, tree := range trees {
		for _, e := range tree {
			if rows[i], err = a.Append(rows[i], e); err != nil {
				return nil, nil, err
			}
			for len(pos[i]) < len(rows[i]) {
				pos[i] = append(pos[i], analyze.Start(e))
			}
		}
		if len(rows[i]) != len(rows[0]) {
			return nil, nil, UnequalRows(tree)
		}
	}
	width := len(rows[0])
	if err := CheckTargets(width); err != nil {
		return nil, nil, err
	}
	cols = make([]Column, width)
	column, starts := make([]E, len(rows)), make([]ast.Pos, len(rows))
	for k := range cols {
		for i := range rows {
			column[i], starts[i] = rows[i][k], pos[i][k]
		}
		all, t, err := a.Common(column, "VALUES", starts)
		if err != nil {
			return nil, nil, err
		}
		for i := range rows {
			rows[i][k] = all[i]
		}
		cols[k] = Column{"column" + strconv.Itoa(k+1), t}
	}
	return rows, cols, nil
}

// UnequalRows is the error for a row of VALUES that is not as long as the first one.
func UnequalRows(row []ast.Expr) error {
	return sqlerr.New(sqlerr.SyntaxError, "VALUES lists must all be the same length").At(int(analyze.Start(row[0])))
}

// RowCount makes the argument of LIMIT or OFFSET.
func RowCount[E analyze.Typed](a analyze.Analysis[E], e ast.Expr, clause string) (out E, err error) {
	return Argument(a, e, clause, types.Int8)
}

// Argument is an expression of a clause that takes a value of one type.
func Argument[E analyze.Typed](a analyze.Analysis[E], e ast.Expr, clause string, t types.T) (out E, err error) {
	given, err := a.Expr(e)
	if err != nil {
		return out, err
	}
	out, ok, err := a.Coerce(given, t, types.Assignment, analyze.Start(e))
	if err == nil && !ok {
		err = notOfType(clause, t, given.Type(), analyze.Start(e))
	}
	return out, err
}

func notOfType(clause string, want, t types.T, pos ast.Pos) error {
	return sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type %s, not type %s", clause, want.Bare(),
		t.Bare()).At(int(pos))
}
