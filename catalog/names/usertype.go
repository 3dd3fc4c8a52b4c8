package names

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
)

// userType finds a type that a user made, along search_path if the name has no schema; nil when there is none.
func userType(v *View, parts []string) *catalog.Type {
	path, name := v.Path, parts[len(parts)-1]
	if len(parts) > 1 {
		path = parts[len(parts)-2 : len(parts)-1]
	}
	for _, schema := range path {
		if t := v.Catalog.TypeNamed(schema, name); t != nil {
			return t
		}
	}
	return nil
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

func userTypeObject(t *catalog.Type, array, visible bool) *system.Object {
	out := &system.Object{Name: t.Name, Schema: t.Schema, Comment: t.Comment, Visible: visible}
	if array {
		out.Name, out.Comment = "_"+t.Name, ""
	}
	return out
}
