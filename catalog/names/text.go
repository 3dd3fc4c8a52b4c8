package names

import (
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/syscat"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/parser"
	"zproxy/planner/deparse"
)

// deparser prints what the catalog keeps, as the session sees it.
func (v *View) deparser() *deparse.Deparser {
	snap := v.Catalog
	return &deparse.Deparser{
		Catalog: snap, Path: v.Path, Env: v.Env, ParseExpr: parser.Expression, ParseQuery: parser.Query,
		RelationName: v.relationName,
	}
}

func style(l system.Layout) deparse.Style {
	return deparse.Style{Pretty: l.Pretty, Wrap: l.Wrap, Indent: true}
}

// viewDefinition is the query of a view. What cannot be printed stands as it was written.
func (v *View) viewDefinition(of *catalog.View, l system.Layout) string {
	text, err := v.deparser().View(of, style(l))
	if err != nil {
		return " " + strings.TrimRight(of.Query, "; \n\t") + ";"
	}
	return text
}

// defaultText is the default of a column.
func (v *View) defaultText(c catalog.Column, l system.Layout) string {
	text, err := v.deparser().Default(c, style(l))
	if err != nil {
		return c.Default
	}
	return text
}

// generatedText is the expression of a generated column.
func generatedText(v *View, t *catalog.Table, c catalog.Column, l system.Layout) string {
	text, err := v.deparser().Generated(t, c, style(l))
	if err != nil {
		return c.Generated.Text
	}
	return text
}

// keyColumn is a column of the key of an index: its name, or its expression.
func keyColumn(v *View, t *catalog.Table, c *catalog.Column, l system.Layout) string {
	if !c.Expression() {
		return expr.QuoteIdent(c.Name)
	}
	text, err := v.deparser().Indexed(t, *c, style(l))
	if err != nil {
		return c.Name
	}
	return text
}

// indexExpressions are the expressions of the key of an index.
func indexExpressions(v *View, x catalog.TableIndex, l system.Layout) string {
	var out []string
	for _, c := range x.Columns() {
		if of := x.Table.Columns[x.Table.Ordinal(c.ID)]; of.Expression() {
			out = append(out, generatedText(v, x.Table, of, l))
		}
	}
	return strings.ReplaceAll(strings.Join(out, ", "), " \n", "\n")
}

// check is the condition of a CHECK constraint.
func (v *View) check(t *catalog.Table, c catalog.Check, l system.Layout) string {
	text, err := v.deparser().Check(t, c, style(l))
	if err != nil {
		return "(" + c.Text + ")"
	}
	return text
}

// policyObject is a policy of row security, of which the expressions are those of USING and of WITH CHECK.
func policyObject(v *View, oid uint32) *system.Object {
	for _, t := range v.Catalog.Tables() {
		for i := range t.Policies {
			if p := &t.Policies[i]; p.ID == oid {
				return &system.Object{Name: p.Name, Comment: p.Comment, Expressions: func(l system.Layout) []string {
					return []string{policyText(v, t, p.Using, l), policyText(v, t, p.Check, l)}
				}}
			}
		}
	}
	return nil
}

// filters are which rows of its tables a publication has, empty: all.
func filters(v *View, p *catalog.Plain, l system.Layout) []string {
	out := make([]string, len(p.Publication.Tables))
	for i, of := range p.Publication.Tables {
		t, ok := v.Catalog.ByID(of.ID).(*catalog.Table)
		c := p.Filters[of.ID]
		if !ok || c == nil {
			continue
		}
		var err error
		if out[i], err = v.deparser().Condition(t, c, style(l)); err != nil {
			out[i] = "(" + c.Text + ")"
		}
	}
	return out
}

// policyText is what a policy says; empty: nothing.
func policyText(v *View, t *catalog.Table, text *catalog.StoredText, l system.Layout) string {
	if text == nil {
		return ""
	}
	out, err := v.deparser().Policy(t, text, style(l))
	if err != nil {
		return text.Text
	}
	return out
}

// Condition is which rows a partial index holds.
func (v *View) Condition(x catalog.TableIndex, l system.Layout) string {
	text, err := v.deparser().Condition(x.Table, x.Index.Where, style(l))
	if err != nil {
		return "(" + x.Index.Where.Text + ")"
	}
	return text
}

// Expression implements system.Objects.
func (v *View) Expression(text string, relation uint32, l system.Layout) (string, bool) {
	var r catalog.Relation
	if relation != 0 {
		if r = v.Catalog.Numbered(relation); r == nil {
			return "", false
		}
	}
	if t, ok := r.(*catalog.Table); ok {
		if out, ok := v.kept(text, t, l); ok {
			return out, true
		}
	}
	out, err := v.deparser().Expression(text, r, style(l))
	if err != nil {
		return text, true
	}
	return out, true
}

// kept prints a text that pg_attrdef, pg_constraint, pg_index or pg_statistic_ext has for a table from what it was made
// of, since a text that is read again may mean a little less.
func (v *View) kept(text string, t *catalog.Table, l system.Layout) (string, bool) {
	for _, c := range t.Checks {
		if v.check(t, c, system.Layout{}) == text {
			return v.check(t, c, l), true
		}
	}
	for _, c := range t.Columns {
		if c.Generated != nil && generatedText(v, t, c, system.Layout{}) == text {
			return generatedText(v, t, c, l), true
		}
		if c.Default != "" && v.defaultText(c, system.Layout{}) == text {
			return v.defaultText(c, l), true
		}
	}
	for i := range t.Indexes {
		x := catalog.TableIndex{Table: t, Index: &t.Indexes[i]}
		if x.Index.Partial() && v.Condition(x, system.Layout{}) == text {
			return v.Condition(x, l), true
		}
		if text != "" && indexExpressions(v, x, system.Layout{}) == text {
			return indexExpressions(v, x, l), true
		}
	}
	for _, p := range t.Policies {
		for _, says := range []*catalog.StoredText{p.Using, p.Check} {
			if says != nil && policyText(v, t, says, system.Layout{}) == text {
				return policyText(v, t, says, l), true
			}
		}
	}
	for _, x := range v.Catalog.Statistics(t.ID) {
		if strings.Join(v.computed(t, x, system.Layout{}), ", ") == text {
			return strings.Join(v.computed(t, x, l), ", "), true
		}
	}
	return "", false
}

// rule is the rule that makes the rows of a view.
func (v *View) rule(oid uint32) *system.Object {
	_, queries := catalog.Queries(v.Catalog)
	for _, view := range queries {
		if syscat.RuleOf(view.ID) != oid {
			continue
		}
		return &system.Object{Name: "_RETURN", Definition: func(l system.Layout) string {
			name := expr.QuoteIdent(view.Schema) + "." + expr.QuoteIdent(view.Name)
			if l.Pretty {
				name = v.relationName(view.ID)
			}
			return "CREATE RULE \"_RETURN\" AS\n    ON SELECT TO " + name + " DO INSTEAD " + v.viewDefinition(view, l)
		}}
	}
	return nil
}
