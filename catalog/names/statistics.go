package names

import (
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/parser"
	"zproxy/parser/ast"
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
	if t, ok := v.Catalog.ByID(x.Table).(*catalog.Table); ok && len(x.Expressions) > 0 {
		out.Expressions = func(l system.Layout) []string { return v.computed(t, x, l) }
	}
	return out
}

// computed are the expressions of a statistics object. What cannot be printed stands as it was written.
func (v *View) computed(t *catalog.Table, x *catalog.Statistics, l system.Layout) []string {
	var out []string
	for i := range x.Expressions {
		text, err := v.deparser().Computed(t, &x.Expressions[i], style(l))
		if err != nil {
			text = "(" + x.Expressions[i].Text + ")"
		}
		out = append(out, text)
	}
	return out
}

// members are the columns and expressions of a statistics object. An expression that is no call of a function is in
// parentheses.
func (v *View) members(t *catalog.Table, x *catalog.Statistics) string {
	var list []string
	if len(x.Columns) > 0 {
		list = append(list, columnList(t, x.Columns))
	}
	for i, text := range v.computed(t, x, system.Layout{Pretty: true}) {
		if tree, err := parser.Expression(x.Expressions[i].Text); err != nil || !isCall(tree) {
			text = "(" + text + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func isCall(tree ast.Expr) bool {
	_, is := tree.(*ast.Call)
	return is
}

func temporary(schema string) bool { return strings.HasPrefix(schema, catalog.TemporaryPrefix) }

// statisticsDefinition is the CREATE STATISTICS that makes a statistics object, or only its columns.
func (v *View) statisticsDefinition(x *catalog.Statistics, l system.Layout) string {
	t, ok := v.Catalog.ByID(x.Table).(*catalog.Table)
	if !ok {
		return ""
	}
	columns := v.members(t, x)
	if l.Columns {
		return columns
	}
	schema := x.Schema
	if temporary(schema) {
		schema = "pg_temp"
	}
	kinds := ""
	if len(x.Kinds) > 0 && len(x.Kinds) < len(extended.Kinds()) {
		var list []string
		for _, kind := range x.Kinds {
			list = append(list, string(kind))
		}
		kinds = " (" + strings.Join(list, ", ") + ")"
	}
	return "CREATE STATISTICS " + expr.QuoteIdent(schema) + "." + expr.QuoteIdent(x.Name) + kinds + " ON " + columns +
		" FROM " + v.relationName(t.ID)
}
