package cardinality

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// longest is how many bytes conditions may have whose estimates are corrected.
const longest = 2000

// learned is what the estimate of a scan's conditions is multiplied by, after runs that showed it to be wrong.
func (e *estimate) learned(n plan.Scan) float64 {
	if e.ByStatistics || n.Table.Stats.Learned.Version() == 0 {
		return 1
	}
	return n.Table.Stats.Learned.Factor(Conditions(n))
}

// Conditions are those of a scan as text, in an order of their own and without values, by which it is known what was
// learned of them. It is empty for conditions that are not the same in each run: with subqueries or columns of others.
func Conditions(n plan.Scan) string {
	var out []string
	size := 0
	for _, cond := range n.Filter {
		for _, c := range expr.Conjuncts(cond) {
			if expr.Any(c, dependsOnRun) {
				return ""
			}
			text := expr.Rewrite(c, func(x expr.Expr) expr.Expr { return withoutValue(n, x) }).String()
			if size += len(text); size > longest {
				return ""
			}
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " AND ")
}

// dependsOnRun says whether an expression has another value in each run of a scan.
func dependsOnRun(x expr.Expr) bool {
	switch x.(type) {
	case expr.Outer, expr.Subquery:
		return true
	}
	return false
}

// withoutValue replaces constants and parameters, and calls columns as the table does.
func withoutValue(n plan.Scan, x expr.Expr) expr.Expr {
	switch x := x.(type) {
	case expr.Const:
		return expr.Column{Name: "$", T: x.Type()}
	case expr.Param:
		return expr.Column{Name: "$", T: x.Type()}
	case expr.Column:
		if x.Index < len(n.Reads) && n.Reads[x.Index] >= 0 && n.Reads[x.Index] < len(n.Table.Columns) {
			x.Name = expr.QuoteIdent(n.Table.Columns[n.Reads[x.Index]].Name)
		}
		return x
	}
	return x
}
