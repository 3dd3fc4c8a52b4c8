package clause

import (
	"strconv"

	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
)

// The clauses whose expressions may be items of the select list.
const (
	OrderBy    = "ORDER BY"
	GroupBy    = "GROUP BY"
	DistinctOn = "DISTINCT ON"
)

// Listed makes an expression of a clause, which may mean an item of the select list. It tells the item, -1 for none.
func Listed[E analyze.Typed](a analyze.Analysis[E], e ast.Expr, clause string, list SelectList[E]) (
	out E, item int, err error) {
	if item, err = Item(e, clause, list); err != nil {
		return out, item, err
	}
	if item >= 0 {
		out, _ = list.Item(item)
	} else if out, err = a.Expr(e); err != nil {
		return out, item, err
	}
	out, err = a.KnownType(out, analyze.Start(e))
	return out, item, err
}

// Item is the item of a select list that an expression of a clause means by its number or its name, -1 for none. Items
// of one name must be the same. In GROUP BY a column of FROM comes first.
func Item[E analyze.Typed](e ast.Expr, clause string, list SelectList[E]) (int, error) {
	switch e := e.(type) {
	case *ast.Literal:
		if e.Kind != ast.LiteralInt {
			return -1, sqlerr.New(sqlerr.SyntaxError, "non-integer constant in %s", clause).At(int(e.Pos))
		}
		i, err := strconv.Atoi(e.Text)
		if err != nil || i < 1 || i > list.Len() {
			return -1, sqlerr.New(sqlerr.InvalidColumnReference, "%s position %s is not in select list", clause,
				e.Text).At(int(e.Pos))
		}
		return i - 1, nil
	case *ast.Column:
		if len(e.Parts) == 1 && (clause != GroupBy || !list.Reads(e)) {
			return itemNamed(e, clause, list)
		}
	}
	return -1, nil
}

func itemNamed[E analyze.Typed](e *ast.Column, clause string, list SelectList[E]) (int, error) {
	found := -1
	for i := range list.Len() {
		if _, name := list.Item(i); name != e.Parts[0] {
			continue
		}
		if found >= 0 && !list.Same(found, i) {
			return -1, sqlerr.New(sqlerr.AmbiguousColumn, "%s %q is ambiguous", clause, e.Parts[0]).At(int(e.Pos))
		}
		found = i
	}
	return found, nil
}
