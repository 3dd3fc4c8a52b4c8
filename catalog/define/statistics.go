package define

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
)

// Statistics is a statistics object over columns of a table, without a name.
func Statistics(tree *ast.Statistics, t *catalog.Table) (*catalog.Statistics, error) {
	if len(tree.Columns) > extended.MostColumns {
		return nil, sqlerr.New(sqlerr.TooManyColumns, "cannot have more than %d columns in statistics",
			extended.MostColumns)
	}
	out := &catalog.Statistics{Table: t.ID}
	for _, name := range tree.Columns {
		at := t.Column(name)
		switch {
		case isSystemColumn(name) || at >= 0 && t.Columns[at].Hidden:
			return nil, sqlerr.New(sqlerr.FeatureNotSupported,
				"statistics creation on system columns is not supported")
		case at < 0:
			return nil, sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", name)
		case !analyze.Ordered(t.Columns[at].Type):
			return nil, sqlerr.New(sqlerr.FeatureNotSupported,
				"column %q cannot be used in statistics because its type %s has no default btree operator class", name,
				t.Columns[at].Type)
		}
		out.Columns = append(out.Columns, t.Columns[at].ID)
	}
	for _, kind := range tree.Kinds {
		if !slices.Contains(extended.Kinds(), extended.Kind(kind)) {
			return nil, sqlerr.New(sqlerr.SyntaxError, "unrecognized statistics kind %q", kind)
		}
	}
	for _, kind := range extended.Kinds() {
		if len(tree.Kinds) == 0 || slices.Contains(tree.Kinds, string(kind)) {
			out.Kinds = append(out.Kinds, kind)
		}
	}
	if len(out.Columns) < 2 {
		return nil, sqlerr.New(sqlerr.InvalidObjectDefinition, "extended statistics require at least 2 columns")
	}
	slices.Sort(out.Columns)
	if len(slices.Compact(slices.Clone(out.Columns))) < len(out.Columns) {
		return nil, sqlerr.New(sqlerr.DuplicateColumn, "duplicate column name in statistics definition")
	}
	return out, nil
}

// isSystemColumn says whether PostgreSQL has a column of a name in each table.
func isSystemColumn(name string) bool {
	switch name {
	case "ctid", "xmin", "cmin", "xmax", "cmax", "tableoid":
		return true
	}
	return false
}

// StatisticsName is the name of a statistics object that was given none, as PostgreSQL makes it.
func StatisticsName(t *catalog.Table, columns []string, taken func(name string) bool) string {
	joined := ""
	for _, name := range columns {
		if joined != "" {
			joined += "_"
		}
		if joined += name; len(joined) > maxName {
			break
		}
	}
	return freeName(t.Name, strings.ToValidUTF8(joined[:min(len(joined), maxName)], ""), "stat", taken)
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
	return &c
}
