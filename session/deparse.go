package session

import (
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/syscat"
	"zproxy/planner/deparse"
	"zproxy/planner/expr"
)

// deparser prints what the catalog keeps, as the session sees it.
func (o objects) deparser() *deparse.Deparser {
	snap := o.s.schema()
	return &deparse.Deparser{
		Catalog: snap, Path: o.s.path(snap), Env: o.s.Env(), ParseExpr: parseExpr, ParseQuery: parseQuery,
		RelationName: names(o).relationName,
	}
}

func style(l expr.Layout) deparse.Style {
	return deparse.Style{Pretty: l.Pretty, Wrap: l.Wrap, Indent: true}
}

// viewDefinition is the query of a view. What cannot be printed stands as it was written.
func (o objects) viewDefinition(v *catalog.View, l expr.Layout) string {
	text, err := o.deparser().View(v, style(l))
	if err != nil {
		return " " + strings.TrimRight(v.Query, "; \n\t") + ";"
	}
	return text
}

// defaultText is the default of a column.
func (o objects) defaultText(c catalog.Column, l expr.Layout) string {
	text, err := o.deparser().Default(c, style(l))
	if err != nil {
		return c.Default
	}
	return text
}

// check is the condition of a CHECK constraint.
func (o objects) check(t *catalog.Table, c catalog.Check, l expr.Layout) string {
	text, err := o.deparser().Check(t, c, style(l))
	if err != nil {
		return "(" + c.Text + ")"
	}
	return text
}

// indexCondition is which rows a partial index holds.
func (o objects) indexCondition(x catalog.TableIndex, l expr.Layout) string {
	text, err := o.deparser().Condition(x.Table, x.Index.Where, style(l))
	if err != nil {
		return "(" + x.Index.Where.Text + ")"
	}
	return text
}

// Expression implements expr.Objects.
func (o objects) Expression(text string, relation uint32, l expr.Layout) (string, bool) {
	var r catalog.Relation
	if relation != 0 {
		if r = o.s.schema().Numbered(relation); r == nil {
			return "", false
		}
	}
	if t, ok := r.(*catalog.Table); ok {
		if out, ok := o.kept(text, t, l); ok {
			return out, true
		}
	}
	out, err := o.deparser().Expression(text, r, style(l))
	if err != nil {
		return text, true
	}
	return out, true
}

// kept prints a text that pg_attrdef, pg_constraint or pg_index has for a table from what it was made of,
// since a text that is read again may mean a little less.
func (o objects) kept(text string, t *catalog.Table, l expr.Layout) (string, bool) {
	for _, c := range t.Checks {
		if o.check(t, c, expr.Layout{}) == text {
			return o.check(t, c, l), true
		}
	}
	for _, c := range t.Columns {
		if c.Default != "" && o.defaultText(c, expr.Layout{}) == text {
			return o.defaultText(c, l), true
		}
	}
	for i := range t.Indexes {
		x := catalog.TableIndex{Table: t, Index: &t.Indexes[i]}
		if x.Index.Partial() && o.indexCondition(x, expr.Layout{}) == text {
			return o.indexCondition(x, l), true
		}
	}
	return "", false
}

// rule is the rule that makes the rows of a view.
func (o objects) rule(oid uint32) *expr.Object {
	for _, v := range o.s.schema().Views() {
		if syscat.RuleOf(v.ID) != oid {
			continue
		}
		return &expr.Object{Name: "_RETURN", Definition: func(l expr.Layout) string {
			name := expr.QuoteIdent(v.Schema) + "." + expr.QuoteIdent(v.Name)
			if l.Pretty {
				name = names(o).relationName(v.ID)
			}
			return "CREATE RULE \"_RETURN\" AS\n    ON SELECT TO " + name + " DO INSTEAD " + o.viewDefinition(v, l)
		}}
	}
	return nil
}
