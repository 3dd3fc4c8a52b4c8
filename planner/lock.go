package planner

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// lock makes the scans that FOR UPDATE names guard their rows.
func (q *query) lock(s *ast.Select) error {
	for _, l := range s.Locking {
		switch {
		case s.Distinct:
			return noLock(l, "DISTINCT clause")
		case s.GroupBy != nil:
			return noLock(l, "GROUP BY clause")
		case s.Having != nil:
			return noLock(l, "HAVING clause")
		case len(q.Aggs.Calls) > 0:
			return noLock(l, "aggregate functions")
		case len(q.Windows.Calls) > 0:
			return noLock(l, "window functions")
		case len(q.Sets.Calls) > 0:
			return noLock(l, "set-returning functions in the target list")
		}
		if len(l.Tables) == 0 {
			bind.Also(q.Scope.Needs(), catalog.MayUpdate)
		}
		for _, t := range l.Tables {
			if r := q.Scope.Named([]string{t.Name}); r != nil {
				bind.Also(r.Needs, catalog.MayUpdate)
			} else {
				return sqlerr.New(sqlerr.UndefinedTable, "relation %q in FOR %s clause not found in FROM clause",
					t.Name, strings.ToUpper(l.Strength)).At(int(t.Pos))
			}
		}
		q.input = locked(q.input, l)
	}
	return nil
}

func noLock(l ast.Locking, what string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "FOR %s is not allowed with %s", strings.ToUpper(l.Strength), what).
		At(int(l.Pos))
}

func locked(n plan.Node, l ast.Locking) plan.Node {
	if scan, ok := n.(plan.Scan); ok {
		named := slices.ContainsFunc(l.Tables, func(t ast.Name) bool { return t.Name == scan.Alias })
		scan.Lock = (scan.Lock || named || len(l.Tables) == 0) && scan.Table.Foreign == nil // nothing can lock its rows
		return scan
	}
	in := n.Inputs()
	if len(in) == 0 {
		return n
	}
	out := make([]plan.Node, len(in))
	for i, x := range in {
		out[i] = locked(x, l)
	}
	return n.WithInputs(out)
}
