package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// columnsOf adds the columns that expressions read to used.
func columnsOf(used map[int]bool, list ...expr.Expr) {
	for _, e := range list {
		if e != nil {
			expr.Columns(e, used)
		}
	}
}

// splitColumns are those columns of a join that are of each side, of which the left one has a number of columns.
func splitColumns(columns map[int]bool, width int) (ofLeft, ofRight map[int]bool) {
	ofLeft, ofRight = map[int]bool{}, map[int]bool{}
	for i := range columns {
		if i < width {
			ofLeft[i] = true
		} else {
			ofRight[i-width] = true
		}
	}
	return ofLeft, ofRight
}

// side says which sides of a join an expression over both reads.
type side uint8

const (
	neither side = 0
	left    side = 1
	right   side = 2
	both    side = left | right
)

// sideOf says which sides of a join, whose left side has a number of columns, an
// expression reads.
func sideOf(e expr.Expr, width int) side {
	used := map[int]bool{}
	expr.Columns(e, used)
	var s side
	for i := range used {
		if i < width {
			s |= left
		} else {
			s |= right
		}
	}
	return s
}

// rewritten has other expressions, inside out, where a function says so.
func rewritten(n plan.Node, other func(expr.Expr) (expr.Expr, bool)) (plan.Node, bool) {
	return plan.MapExprs(n, func(e expr.Expr) (expr.Expr, bool) {
		changed := false
		out := expr.Rewrite(e, func(x expr.Expr) expr.Expr {
			y, ok := other(x)
			if !ok {
				return x
			}
			changed = true
			return y
		})
		return out, changed
	})
}

// picked is columns of a node, of each the ordinal below, under the names of a list.
func picked(input plan.Node, cols []plan.Column, at func(int) int) plan.Project {
	exprs := make([]expr.Expr, len(cols))
	for i, c := range cols {
		exprs[i] = expr.Column{Index: at(i), Name: c.Name, T: c.Type}
	}
	return plan.Project{Input: input, Exprs: exprs, Cols: cols}
}

// columnsAsExprs are the columns of a node.
func columnsAsExprs(n plan.Node) []expr.Expr {
	out := make([]expr.Expr, 0, plan.Width(n))
	for i, c := range n.Columns() {
		out = append(out, expr.Column{Index: i, Name: c.Name, T: c.Type})
	}
	return out
}

// substitute puts expressions in place of the columns that they stand for.
func substitute(e expr.Expr, list []expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		if c, ok := x.(expr.Column); ok {
			return list[c.Index]
		}
		return x
	})
}

// readsVolatile says whether a condition over a select list would compute something
// volatile of the list once more.
func readsVolatile(cond expr.Expr, list []expr.Expr) bool {
	used := map[int]bool{}
	expr.Columns(cond, used)
	for i := range used {
		if volatile(list[i]) {
			return true
		}
	}
	return false
}

// volatile says whether an expression may have another value each time that it is
// computed for the same row. A subquery that runs once has one value.
func volatile(e expr.Expr) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case expr.Call:
			return x.Fn.Volatility == expr.Volatile
		case expr.Subquery:
			return len(x.Depends) > 0 && holdsVolatile(x.Plan.(plan.Sub).Node)
		}
		return false
	})
}

// holdsVolatile says whether a plan computes something volatile anywhere.
func holdsVolatile(n plan.Node) bool {
	return slices.ContainsFunc(plan.Exprs(n), volatile) || slices.ContainsFunc(n.Inputs(), holdsVolatile)
}

// filtered puts a condition above a node; none leaves it as it is.
func filtered(n plan.Node, conds []expr.Expr) plan.Node {
	if len(conds) == 0 {
		return n
	}
	return plan.Filter{Input: n, Cond: expr.Conjoin(conds)}
}
