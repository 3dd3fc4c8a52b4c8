package access

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
)

// An index over an expression has a column with the values of the expression, which rows do not store. A condition that
// names the expression is taken as one on that column: that is how it bounds keys, and how entries are checked, which
// have the column. Rows that were looked up are checked by the condition as it was written.

// keyed are the conditions of a scan with columns in place of the expressions that indexes of its table are over, and
// the ordinals in the table of the columns of such a row: those that the scan reads, then those of expressions.
func keyed(s plan.Scan) (conds []expr.Expr, reads []int) {
	of := expressionsOf(s)
	if len(of) == 0 {
		return s.Filter, s.Reads
	}
	conds, reads = slices.Clone(s.Filter), slices.Clone(s.Reads)
	for _, e := range of {
		reads = append(reads, e.ordinal)
	}
	for i := range conds {
		conds[i] = replaced(conds[i], func(x expr.Expr) (expr.Expr, bool) {
			at := slices.IndexFunc(of, func(e expression) bool { return expr.Equal(e.of, x) })
			if at < 0 {
				return nil, false
			}
			c := s.Table.Columns[of[at].ordinal]
			return expr.Column{Index: len(s.Reads) + at, Name: c.Name, T: x.Type()}, true
		})
	}
	return conds, reads
}

// expression is one that an index is over, over the rows of a scan, with the ordinal of its column in the table.
type expression struct {
	of      expr.Expr
	ordinal int
}

// expressionsOf are those of which a scan reads all columns.
func expressionsOf(s plan.Scan) (out []expression) {
	for _, p := range s.Computed {
		at := s.Table.Ordinal(p.Index)
		if at < 0 {
			continue // it is that of a statistics object
		}
		lacks := false
		of := expr.Renumber(p.Cond, func(column int) int {
			read := slices.Index(s.Reads, column)
			lacks = lacks || read < 0
			return read
		})
		if !lacks {
			out = append(out, expression{of, at})
		}
	}
	return out
}

// KeyColumn is the ordinal in the table of a scan of the column that has the values of an expression over its rows: a
// column that it reads, or the one of an expression that an index is over; false: there is none.
func KeyColumn(s plan.Scan, e expr.Expr) (int, bool) {
	if c, is := e.(expr.Column); is {
		return s.Reads[c.Index], true
	}
	for _, x := range expressionsOf(s) {
		if expr.Equal(x.of, e) {
			return x.ordinal, true
		}
	}
	return 0, false
}

// replaced is an expression with others in place of those in it for which there are any, the outermost first.
func replaced(e expr.Expr, by func(expr.Expr) (expr.Expr, bool)) expr.Expr {
	if out, ok := by(e); ok {
		return out
	}
	in := slices.Clone(e.Inputs())
	if len(in) == 0 {
		return e
	}
	for i := range in {
		in[i] = replaced(in[i], by)
	}
	return e.WithInputs(in)
}

// residual is a condition that is still to be checked: as it was written, over rows of the scan, and over entries of an
// index, in which the columns of expressions are; nil: they lack a column.
type residual struct{ row, entry expr.Expr }

// residuals gives the conditions by their numbers with regard to an index.
func (c *conditions) residuals(x *catalog.Index) func(i int) residual {
	stored := c.scan.Table.StoredOrdinals(x)
	held := func(e expr.Expr) bool {
		return !slices.ContainsFunc(c.columnsOf(e), func(column int) bool { return !slices.Contains(stored, column) })
	}
	return func(i int) residual {
		out := residual{row: c.scan.Filter[i]}
		switch {
		case held(out.row):
			out.entry = out.row
		case x != nil && held(c.keyed[i]):
			out.entry = c.keyed[i]
		}
		return out
	}
}

// reachesBeyond says whether a condition reads a column of an expression.
func (c *conditions) reachesBeyond(cond expr.Expr) bool {
	return expr.Any(cond, func(e expr.Expr) bool {
		column, ok := e.(expr.Column)
		return ok && column.Index >= len(c.scan.Reads)
	})
}

// asWritten are conditions over rows.
func asWritten(list []residual) []expr.Expr {
	out := make([]expr.Expr, len(list))
	for i, r := range list {
		out[i] = r.row
	}
	return out
}
