package bind

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pg"
	"zproxy/parser/ast"
	"zproxy/types"
)

// Functions are the overloads that a name means; without a schema, along the search path.
func (n *Names) Functions(schema, name string) []*expr.Function {
	all := builtin.FunctionsIn(schema, name)
	n.eachExtension(schema, func(table string) { all = append(slices.Clip(all), builtin.FunctionsIn(table, name)...) })
	first, last := n.routines(schema, name)
	if first == nil && last == nil {
		return all
	}
	return slices.Concat(first, all, last)
}

// Operators are the overloads that a sign means along the search path, but for the comparisons that are Compare.
func (n *Names) Operators(sign string, operands int) []*expr.Function {
	if schema, bare := signIn(sign); schema == catalog.PgCatalogName {
		return builtin.Operators(bare, operands)
	}
	first, last := n.UserOperators(sign, operands)
	return slices.Concat(first, builtin.Operators(sign, operands), n.ExtensionOperators(sign, operands), last)
}

// ExtensionOperators are those of extensions alone. The sign may have a schema before it.
func (n *Names) ExtensionOperators(sign string, operands int) (all []*expr.Function) {
	schema, sign := signIn(sign)
	n.eachExtension(schema, func(table string) { all = append(all, builtin.OperatorsIn(table, sign, operands)...) })
	return all
}

// signIn is the schema of an operator, empty where none is written, and its sign.
func signIn(name string) (schema, sign string) {
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		return name[:at], name[at+1:]
	}
	return "", name
}

// extensionType finds a type of an extension, nil when there is none.
func extensionType(n *Names, name ast.Name) (found *types.Info) {
	n.eachExtension(name.Schema, func(table string) {
		extension, _ := pg.ExtensionOf(table)
		if info := types.InExtension(extension, name.Name); info != nil {
			found = info
		}
	})
	return found
}

// eachExtension calls with the schema that the table of functions has for an extension, for each whose names are found
// in a schema, or without one along the search path. In expressions that are stored, which have no path, those of all
// are found.
func (n *Names) eachExtension(schema string, f func(table string)) {
	if n.Catalog == nil || schema == catalog.PgCatalogName {
		return
	}
	for _, x := range n.Catalog.Extensions() {
		found := x.Schema == schema
		switch {
		case n.SearchPath == nil:
			found = true
		case schema == "":
			found = x.Schema == catalog.PgCatalogName || slices.Contains(n.SearchPath, x.Schema)
		}
		if found && !x.BuiltIn() {
			f(pg.OfExtension(x.Name))
		}
	}
}
