package names

import (
	"maps"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/family"
	"zproxy/catalog/keytext"
	"zproxy/catalog/portable"
	"zproxy/catalog/reference"
	"zproxy/catalog/syscat"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/expr/inverted"
)

// indexDefinition is the CREATE INDEX that makes an index.
func (v *View) indexDefinition(x catalog.TableIndex, pretty bool) string {
	var b strings.Builder
	ref := x.Ref()
	method, options := string(x.Method()), x.Table.KeyOptions
	named := func(c *catalog.Column) string { return keyColumn(v, x.Table, c, system.Layout{Pretty: pretty}) }
	columns := keytext.Columns(x, named, func(k *inverted.Class) string { return className(v, k) })
	b.WriteString("CREATE ")
	if x.Index == nil || x.Index.Unique {
		b.WriteString("UNIQUE ")
	}
	if x.Index != nil {
		options = family.Options(v.Catalog, x.Index.Space, x.Index.Options)
	}
	if v.Portable {
		options = portable.Options(options)
		if x.Method() == catalog.ZOrder {
			method, columns = portable.Index(x, named)
		}
	}
	table := expr.QuoteIdent(x.Table.Schema) + "." + expr.QuoteIdent(x.Table.Name)
	if pretty {
		table = v.relationName(x.Table.ID)
	}
	if x.Table.Partitioning != nil {
		table = "ONLY " + table
	}
	b.WriteString("INDEX " + expr.QuoteIdent(ref.Name) + " ON " + table + " USING " + method + " (")
	b.WriteString(strings.Join(columns, ", ") + ")")
	b.WriteString(including(x))
	if x.Index != nil && x.Index.Layout.NullsEqual {
		b.WriteString(" NULLS NOT DISTINCT")
	}
	if len(options) > 0 {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(options)) {
			list = append(list, expr.QuoteIdent(name)+"="+optionValue(options[name]))
		}
		b.WriteString(" WITH (" + strings.Join(list, ", ") + ")")
	}
	if x.Index != nil && x.Index.Partial() {
		b.WriteString(" WHERE " + v.Condition(x, system.Layout{Pretty: pretty}))
	}
	return b.String()
}

// optionValue is the value of an option, quoted unless it is a name that needs no quotes, as in PostgreSQL.
func optionValue(text string) string {
	if expr.QuoteIdent(text) == text {
		return text
	}
	return expr.QuoteLiteral(text)
}

// className is the name of an operator class, with the schema of its extension where that is needed.
func className(v *View, k *inverted.Class) string {
	x := v.Catalog.Extension(k.Extension)
	if x == nil || slices.Contains(v.Path, x.Schema) {
		return k.Name
	}
	return expr.QuoteIdent(x.Schema) + "." + k.Name
}

// including is INCLUDE of an index, empty where it has no such columns.
func including(x catalog.TableIndex) string {
	var ids []uint32
	for _, c := range x.Columns() {
		if c.Included {
			ids = append(ids, c.ID)
		}
	}
	if ids == nil {
		return ""
	}
	return " INCLUDE (" + columnList(x.Table, ids) + ")"
}

func columnList(t *catalog.Table, ids []uint32) string {
	var out []string
	for _, id := range ids {
		out = append(out, expr.QuoteIdent(t.Columns[t.Ordinal(id)].Name))
	}
	return strings.Join(out, ", ")
}

// constraint finds a constraint by its number, which for a key is that of its index.
func (v *View) constraint(oid uint32) *system.Object {
	for _, t := range v.Catalog.Tables() {
		if t.PrimaryKey != "" && t.KeyID == oid {
			return constraintObject(t, t.PrimaryKey, t.KeyComment,
				clause(primaryClause(t, v.Portable)+columnList(t, t.Primary.Columns())+")"+
					including(catalog.TableIndex{Table: t})))
		}
		for i := range t.Indexes {
			if x := &t.Indexes[i]; x.Constraint && x.ID == oid {
				return constraintObject(t, x.Name, x.ConstraintComment,
					clause(uniqueClause(&x.Layout)+columnList(t, x.Layout.Columns())+")"+
						including(catalog.TableIndex{Table: t, Index: x})+x.Layout.Clauses()))
			}
		}
		if k := t.ForeignKeys.Numbered(oid); k != nil {
			return constraintObject(t, k.Name, k.Comment, clause(v.foreignKey(t, k)))
		}
		for _, c := range t.Checks {
			if syscat.CheckID(t, &c) == oid {
				return constraintObject(t, c.Name, c.Comment,
					func(l system.Layout) string {
						return "CHECK (" + v.check(t, c, l) + ")" + syscat.CheckClauses(&c, v.Portable)
					})
			}
		}
		for i := range t.Triggers.Triggers {
			if x := &t.Triggers.Triggers[i]; x.IsConstraint() && x.ConstraintID == oid {
				timing := reference.Timing{Deferrable: x.Deferrable, Deferred: x.Deferred}
				return constraintObject(t, x.Name, "", clause("TRIGGER"+timing.Clauses()))
			}
		}
	}
	return domainConstraint(v, oid)
}

func primaryClause(t *catalog.Table, portable bool) string {
	if t.Primary.Curve() != nil && !portable {
		return "PRIMARY KEY USING zorder ("
	}
	return "PRIMARY KEY ("
}

func uniqueClause(l *catalog.Layout) string {
	if l.NullsEqual {
		return "UNIQUE NULLS NOT DISTINCT ("
	}
	return "UNIQUE ("
}

func constraintObject(t *catalog.Table, name, comment string, definition func(system.Layout) string) *system.Object {
	return &system.Object{Name: name, Schema: t.Schema, Comment: comment, Definition: definition}
}

// clause is a definition that reads the same in every layout.
func clause(text string) func(system.Layout) string {
	return func(system.Layout) string { return text }
}
