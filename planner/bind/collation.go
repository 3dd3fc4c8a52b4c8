package bind

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/collate"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/collation"
)

// Collate implements analyze.Caster.
func (b caster) Collate(list []expr.Expr) ([]expr.Expr, types.Collation, error) {
	return collate.Together(b.Catalog, list)
}

// InCollation implements analyze.Caster.
func (b caster) InCollation(e expr.Expr, to types.Collation) expr.Expr {
	return expr.InCollation(e, to)
}

// CollationNamed implements analyze.Maker.
func (m maker) CollationNamed(name ast.Name) (types.Collation, error) {
	return m.Names.Collation(name)
}

// Collation resolves the name of a collation.
func (n *Names) Collation(name ast.Name) (types.Collation, error) {
	if name.Schema != "" && name.Schema != ast.TemporarySchema && n.Catalog.Schema(name.Schema) == nil {
		return types.Collation{}, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist",
			name.Schema).At(int(name.Pos))
	}
	if name.Schema == "" {
		for _, id := range stoodFor(n, regcollation, name.Name) {
			if p := n.Catalog.PlainByID(id); p != nil {
				return types.Collation{OID: p.ID, Order: p.Collation.Order}, nil
			}
		}
	}
	path, err := usablePath(n, name.Schema)
	if err != nil {
		return types.Collation{}, err
	}
	if name.Schema == "" {
		path = pathOf(n, "")
	}
	if name.Schema == "" && !slices.Contains(path, catalog.PgCatalogName) {
		path = slices.Concat([]string{catalog.PgCatalogName}, path)
	}
	for _, schema := range path {
		if schema == catalog.PgCatalogName {
			if known, ok := collation.ByName(name.Name); ok {
				return types.Collation{OID: known.OID, Order: known.Order}, nil
			}
		}
		for _, p := range n.Catalog.PlainsNamed(catalog.CollationKind, schema, name.Name) {
			notes(n, regcollation, p.Name, p.ID)
			usesPlain(n, p)
			return types.Collation{OID: p.ID, Order: p.Collation.Order}, nil
		}
	}
	return types.Collation{}, sqlerr.New(sqlerr.UndefinedObject, "collation %q for encoding \"UTF8\" does not exist",
		Dotted(name)).At(int(name.Pos))
}
