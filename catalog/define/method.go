package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// clausesOf refuses of an index without order, hashed or inverted, the clauses that PostgreSQL has for others alone.
func clausesOf(s *ast.CreateIndex) error {
	m := catalog.Method(s.Method)
	switch {
	case s.Unique:
		return lacking(m, "unique indexes")
	case len(s.Include) > 0 && m != catalog.GiST:
		return lacking(m, "included columns")
	case len(s.Keys) > 1 && m == catalog.Hash:
		return lacking(m, "multicolumn indexes")
	case slices.ContainsFunc(s.Keys, func(k ast.KeyPart) bool { return k.Desc }):
		return lacking(m, "ASC/DESC options")
	case slices.ContainsFunc(s.Keys, func(k ast.KeyPart) bool { return k.Nulls != ast.NullsDefault }):
		return lacking(m, "NULLS FIRST/LAST options")
	}
	return nil
}

// lacking is the error about something that indexes of a method do not have.
func lacking(m catalog.Method, what string) *sqlerr.Error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "access method %q does not support %s", m, what)
}
