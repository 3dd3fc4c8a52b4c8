package names

import (
	"zproxy/catalog"
	"zproxy/catalog/syscat"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/parser/ast"
)

// userType finds a type that a user made, along search_path if the name has no schema; nil when there is none.
func userType(v *View, parts []string) *catalog.Type {
	path, name := pathOf(v, parts)
	for _, schema := range path {
		if t := v.Catalog.TypeNamed(schema, name); t != nil {
			return t
		}
	}
	return nil
}

// pathOf are the schemas in which a name is looked for, and the name without its schema.
func pathOf(v *View, parts []string) (path []string, name string) {
	last := len(parts) - 1
	if last > 0 {
		return []string{meantSchema(v, parts[last-1])}, parts[last]
	}
	return v.Path, parts[last]
}

// meantSchema is the schema that a text names: pg_temp is the session's own.
func meantSchema(v *View, name string) string {
	if name == ast.TemporarySchema && v.Temporary != "" {
		return v.Temporary
	}
	return name
}

// userTypeName qualifies the name of a type that a user made with its schema unless search_path leads to it.
func userTypeName(t *catalog.Type, array, visible bool) string {
	name := expr.QuoteIdent(t.Name)
	if !visible {
		name = expr.QuoteIdent(t.Schema) + "." + name
	}
	if array {
		name += "[]"
	}
	return name
}

// compositeType is the composite type that is a relation of a number, nil when there is none.
func compositeType(v *View, oid uint32) *catalog.Type {
	if t := v.Catalog.TypeByID(oid); t != nil && t.Composite {
		return t
	}
	return nil
}

// compositeObject is a composite type as a relation.
func compositeObject(t *catalog.Type, visible bool) *system.Object {
	out := &system.RelationObject{Kind: system.CompositeRelation}
	for _, f := range t.Fields {
		out.Columns = append(out.Columns, system.ObjectColumn{Number: int64(f.ID), Name: f.Name, Comment: f.Comment})
	}
	return &system.Object{Name: t.Name, Schema: t.Schema, Visible: visible, Relation: out}
}

// domainConstraint is a check of a domain.
func domainConstraint(v *View, oid uint32) *system.Object {
	for _, t := range v.Catalog.Types() {
		if t.Domain == nil {
			continue
		}
		for _, c := range t.Domain.Checks {
			if c.ID == oid {
				return &system.Object{Name: c.Name, Schema: t.Schema, Comment: c.Comment,
					Definition: func(l system.Layout) string { return "CHECK (" + domainCheck(v, t, c, l) }}
			}
		}
	}
	return nil
}

// domainCheck is the condition of a check of a domain, and what is behind it.
func domainCheck(v *View, t *catalog.Type, c catalog.Check, l system.Layout) string {
	text, err := v.deparser().DomainCheck(t.Domain.Base, c, style(l))
	if err != nil {
		text = "(" + c.Text + ")"
	}
	return text + ")" + syscat.CheckClauses(&c, v.Portable)
}

func userTypeObject(v *View, t *catalog.Type, array, visible bool) *system.Object {
	out := &system.Object{Name: t.Name, Schema: t.Schema, Comment: t.Comment, Visible: visible}
	if t.Domain != nil && t.Domain.Default != "" {
		c := t.AsColumn()
		c.Type = v.Catalog.Defined(c.Type)
		out.Definition = func(l system.Layout) string { return v.defaultText(c, l) }
	}
	if array {
		out.Name, out.Comment = "_"+t.Name, ""
	}
	return out
}
