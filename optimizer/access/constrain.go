// Package access turns a predicate and the layouts of a table into the path by which
// its rows are read: the longest matching prefix of an index, or a Z-order box, with
// what is left over to be checked. How values become bytes is not known here. Read Choose first.
package access

import (
	"zproxy/expr"
	"zproxy/planner/plan"
)

// constraint is what one condition says of one column.
type constraint struct {
	cond   int // place of the condition in Scan.Filter
	column int // place of the column in the table
	term   plan.Term
	exact  bool             // the term says all that the condition does
	lives  bool             // the condition is that of the table's TTL
	row    *expr.RowCompare // of which the term is what it says of the first field
}

// constrain finds the conditions that bound a column: comparisons with something fixed,
// IN, = ANY of an array, LIKE with a prefix, IS [NOT] NULL, and a boolean column by itself.
func constrain(s plan.Scan) []constraint {
	var out []constraint
	for i, cond := range s.Filter {
		if row, ok := cond.(expr.RowCompare); ok {
			out = append(out, boundRow(s, i, row)...)
			continue
		}
		col, term, exact, ok := plan.TermOf(cond)
		if ok {
			out = append(out, constraint{cond: i, column: s.Reads[col], term: term, exact: exact, lives: lives(s, cond)})
		}
	}
	return out
}

// boundRow reads (a, b) > (1, 2) as a >= 1, which the fields behind make stricter. Only
// the fields up to the first that is not a column beside something fixed count.
func boundRow(s plan.Scan, cond int, e expr.RowCompare) []constraint {
	row := expr.RowCompare{Op: e.Op}
	left, right := e.Left, e.Right
	if _, ok := plan.ColumnOf(left[0]); !ok {
		left, right, row.Op = right, left, e.Op.Flip()
	}
	for i := range left {
		c, ok := plan.ColumnOf(left[i])
		if !ok || !expr.Fixed(right[i]) {
			break
		}
		row.Left, row.Right = append(row.Left, c), append(row.Right, right[i])
	}
	if len(row.Left) == 0 {
		return nil
	}
	term := plan.Term{Op: plan.TermLE, Args: row.Right[:1]}
	if row.Op == expr.GT || row.Op == expr.GE {
		term.Op = plan.TermGE
	}
	first := row.Left[0].(expr.Column)
	return []constraint{{cond: cond, column: s.Reads[first.Index], term: term, row: &row, exact: len(row.Left) == len(e.Left)}}
}
