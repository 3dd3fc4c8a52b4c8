package bind

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pg"
)

// Functions are the overloads that a name means; without a schema, along the search path.
func (n *Names) Functions(schema, name string) []*expr.Function {
	all := builtin.FunctionsIn(schema, name)
	n.eachExtension(schema, func(table string) { all = append(slices.Clip(all), builtin.FunctionsIn(table, name)...) })
	return all
}

// Operators are the overloads that a sign means along the search path, but for the comparisons that are Compare.
func (n *Names) Operators(sign string, operands int) []*expr.Function {
	return slices.Concat(builtin.Operators(sign, operands), n.ExtensionOperators(sign, operands))
}

// ExtensionOperators are those of extensions alone.
func (n *Names) ExtensionOperators(sign string, operands int) (all []*expr.Function) {
	n.eachExtension("", func(table string) { all = append(all, builtin.OperatorsIn(table, sign, operands)...) })
	return all
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
