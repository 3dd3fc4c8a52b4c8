package names

import (
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
)

// statisticsObject describes a statistics object, nil when there is none with a number.
func (v *View) statisticsObject(oid uint32) *system.Object {
	x := v.Catalog.StatisticsByID(oid)
	if x == nil {
		return nil
	}
	out := &system.Object{Name: x.Name, Schema: x.Schema, Comment: x.Comment}
	for _, schema := range v.Path {
		if found := v.Catalog.StatisticsNamed(schema, x.Name); found != nil && !temporary(schema) {
			out.Visible = found == x
			break
		}
	}
	out.Definition = func(l system.Layout) string { return v.statisticsDefinition(x, l) }
	return out
}

func temporary(schema string) bool { return strings.HasPrefix(schema, catalog.TemporaryPrefix) }

// statisticsDefinition is the CREATE STATISTICS that makes a statistics object, or only its columns.
func (v *View) statisticsDefinition(x *catalog.Statistics, l system.Layout) string {
	t, ok := v.Catalog.ByID(x.Table).(*catalog.Table)
	if !ok {
		return ""
	}
	columns := columnList(t, x.Columns)
	if l.Columns {
		return columns
	}
	schema := x.Schema
	if temporary(schema) {
		schema = "pg_temp"
	}
	kinds := ""
	if len(x.Kinds) < len(extended.Kinds()) {
		var list []string
		for _, kind := range x.Kinds {
			list = append(list, string(kind))
		}
		kinds = " (" + strings.Join(list, ", ") + ")"
	}
	return "CREATE STATISTICS " + expr.QuoteIdent(schema) + "." + expr.QuoteIdent(x.Name) + kinds + " ON " + columns +
		" FROM " + v.relationName(t.ID)
}
