package define

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/tableoid"
	"zproxy/sqlerr"
)

// Statistics is a statistics object over columns and expressions of a table, without a name and without numbers for
// the expressions.
func Statistics(b Builder, tree *ast.Statistics, t *catalog.Table) (*catalog.Statistics, error) {
	if len(tree.Columns) > extended.MostColumns {
		return nil, sqlerr.New(sqlerr.TooManyColumns, "cannot have more than %d columns in statistics",
			extended.MostColumns)
	}
	out := &catalog.Statistics{Table: t.ID}
	for i, name := range tree.Columns {
		if name == "" {
			e, c, err := computed(b, tree, i, t)
			if err != nil {
				return nil, err
			}
			if c != nil {
				out.Expressions = append(out.Expressions, *c)
				if len(tree.Columns) > 1 && !analyze.Ordered(e.Type()) {
					return nil, sqlerr.New(sqlerr.FeatureNotSupported, "expression cannot be used in multivariate "+
						"statistics because its type %s has no default btree operator class", e.Type())
				}
				continue
			}
			name = t.Columns[e.(expr.Column).Index].Name
		}
		at, err := columnOfStatistics(t, name)
		if err != nil {
			return nil, err
		}
		out.Columns = append(out.Columns, t.Columns[at].ID)
	}
	if err := kindsOf(tree, out); err != nil {
		return nil, err
	}
	slices.Sort(out.Columns)
	if len(slices.Compact(slices.Clone(out.Columns))) < len(out.Columns) {
		return nil, sqlerr.New(sqlerr.DuplicateColumn, "duplicate column name in statistics definition")
	}
	for i := range out.Expressions {
		same := func(c catalog.Condition) bool { return c.Text == out.Expressions[i].Text }
		if slices.ContainsFunc(out.Expressions[:i], same) {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, "duplicate expression in statistics definition")
		}
	}
	return out, nil
}

// computed is an expression of a statistics object; without a condition where it is a column alone.
func computed(b Builder, tree *ast.Statistics, at int, t *catalog.Table) (expr.Expr, *catalog.Condition, error) {
	c, e, err := stated(b, t, tree.Texts[at], func(c *catalog.Condition) (expr.Expr, map[int]bool, error) {
		return b.Stored().BindComputed(t, c, tree.Exprs[at])
	})
	if err != nil {
		return nil, nil, err
	}
	if _, isColumn := e.(expr.Column); isColumn {
		return e, nil, nil
	}
	return e, c, nil
}

// columnOfStatistics is the ordinal of a column that statistics may be of.
func columnOfStatistics(t *catalog.Table, name string) (int, error) {
	at := t.Column(name)
	switch {
	case tableoid.IsSystem(name), at >= 0 && t.Columns[at].Hidden, at < 0 && name == t.Name: // the last is a whole row
		return 0, sqlerr.New(sqlerr.FeatureNotSupported, "statistics creation on system columns is not supported")
	case at < 0:
		return 0, sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", name)
	case !analyze.Ordered(t.Columns[at].Type):
		return 0, sqlerr.New(sqlerr.FeatureNotSupported,
			"column %q cannot be used in statistics because its type %s has no default btree operator class", name,
			t.Columns[at].Type)
	}
	return at, nil
}

// kindsOf says what statistics are of. Those of one expression are of its values alone.
func kindsOf(tree *ast.Statistics, out *catalog.Statistics) error {
	for _, kind := range tree.Kinds {
		if !slices.Contains(extended.Kinds(), extended.Kind(kind)) {
			return sqlerr.New(sqlerr.SyntaxError, "unrecognized statistics kind %q", kind)
		}
	}
	if len(out.Columns)+len(out.Expressions) < 2 {
		if len(out.Expressions) == 0 {
			return sqlerr.New(sqlerr.InvalidObjectDefinition, "extended statistics require at least 2 columns")
		}
		if len(tree.Kinds) > 0 {
			return sqlerr.New(sqlerr.FeatureNotSupported,
				"when building statistics on a single expression, statistics kinds may not be specified")
		}
		return nil
	}
	for _, kind := range extended.Kinds() {
		if len(tree.Kinds) == 0 || slices.Contains(tree.Kinds, string(kind)) {
			out.Kinds = append(out.Kinds, kind)
		}
	}
	return nil
}

// StatisticsName is the name of a statistics object that was given none, as PostgreSQL makes it.
func StatisticsName(t *catalog.Table, columns []string, taken func(name string) bool) string {
	joined := ""
	for _, name := range columns {
		if joined != "" {
			joined += "_"
		}
		if name == "" {
			name = "expr"
		}
		if joined += name; len(joined) > maxName {
			break
		}
	}
	return freeName(t.Name, strings.ToValidUTF8(joined[:min(len(joined), maxName)], ""), "stat", taken)
}

// boundsIn are columns of a table in another one that has columns of the same names.
func boundsIn(to, from *catalog.Table, list []catalog.Bound) []catalog.Bound {
	return renumberedBounds(list, func(id uint32) uint32 {
		return to.Columns[to.Column(from.Columns[from.Ordinal(id)].Name)].ID
	})
}

// Renumbered is a statistics object of a table whose columns have got other numbers.
func Renumbered(x *catalog.Statistics, from, to *catalog.Table) *catalog.Statistics {
	c := *x
	c.Version++
	c.Columns = nil
	for _, id := range x.Columns {
		name := from.Columns[from.Ordinal(id)].Name
		c.Columns = append(c.Columns, to.Columns[to.Column(name)].ID)
	}
	slices.Sort(c.Columns)
	c.Expressions = slices.Clone(c.Expressions)
	for i := range c.Expressions {
		over := &c.Expressions[i].Over
		over.Columns = boundsIn(to, from, over.Columns)
	}
	return &c
}
