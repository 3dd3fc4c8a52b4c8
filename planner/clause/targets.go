// Package clause is PostgreSQL's analysis of the clauses of queries, whatever is made from them, as package analyze
// is that of expressions: what the items of a select list, ORDER BY, GROUP BY and DISTINCT ON stand for, and the
// common types of several rows or queries. Package planner plans the queries that run, package bound has the trees
// that are printed. Package bind resolves names of columns. Read SelectList and Targets first.
package clause

import (
	"cmp"

	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
)

// SelectList is the select list of a query, of expressions of one kind.
type SelectList[E analyze.Typed] interface {
	// Star adds the columns that * or t.* stands for.
	Star(e *ast.Star) error
	// Add adds an expression under the name that its column has.
	Add(e E, name string, pos ast.Pos)
	Len() int
	Item(i int) (e E, name string)
	// Same says whether two items have the same value.
	Same(i, k int) bool
	// Reads says whether a name is that of a column of the query's FROM.
	Reads(e *ast.Column) bool
}

// maxTargets is how many columns PostgreSQL returns; the protocol counts them in 16 bits.
const maxTargets = 1664

// CheckTargets refuses a select list that is too long.
func CheckTargets(n int) error {
	if n > maxTargets {
		return sqlerr.New(sqlerr.TooManyColumns, "target lists can have at most %d entries", maxTargets)
	}
	return nil
}

// Targets makes a select list. Literals and parameters of an open one stay without a type.
func Targets[E analyze.Typed](a analyze.Analysis[E], list []ast.Target, open bool, out SelectList[E]) error {
	for _, t := range list {
		if err := target(a, t, open, out); err != nil {
			return err
		}
	}
	return CheckTargets(out.Len())
}

func target[E analyze.Typed](a analyze.Analysis[E], t ast.Target, open bool, out SelectList[E]) error {
	switch e := t.Expr.(type) {
	case *ast.Star:
		return out.Star(e)
	case *ast.Field:
		if e.Name != "*" {
			break
		}
		fields, names, err := a.Starred(e)
		for i, name := range names {
			out.Add(fields[i], name, e.Pos)
		}
		return err
	}
	e, err := a.Expr(t.Expr)
	if err == nil && !open {
		e, err = a.KnownType(e, t.Pos)
	}
	if err != nil {
		return err
	}
	out.Add(e, cmp.Or(t.Alias, ColumnName(t.Expr)), analyze.Start(t.Expr))
	return nil
}
