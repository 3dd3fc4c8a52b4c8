package define

import (
	"slices"

	"zproxy/parser/ast"
)

// withoutDuplicates leaves out the UNIQUE constraints of a new table that say the same as its primary key or an earlier
// one. That gets the name of one that is left out, if it has none, as in PostgreSQL.
func withoutDuplicates(s *ast.CreateTable) *ast.CreateTable {
	var kept []ast.Unique
	if len(s.PrimaryKey) > 0 {
		kept = append(kept, ast.Unique{Name: s.PrimaryName, Columns: s.PrimaryKey, KeyClauses: s.KeyClauses})
	}
	primary := len(kept)
	for _, u := range s.Uniques {
		at := slices.IndexFunc(kept, func(k ast.Unique) bool { return sameKey(&k, &u) })
		switch {
		case at < 0:
			kept = append(kept, u)
		case kept[at].Name == "":
			kept[at].Name = u.Name
		}
	}
	out := *s
	if out.Uniques = kept[primary:]; primary > 0 {
		out.PrimaryName = kept[0].Name
	}
	return &out
}

// sameKey says whether two keys have the same columns in the same order, and treat them alike.
func sameKey(a, b *ast.Unique) bool {
	return a.NullsEqual == b.NullsEqual && a.Timing == b.Timing && a.KeyMethod == b.KeyMethod &&
		slices.EqualFunc(a.KeyInclude, b.KeyInclude, func(m, n ast.ColumnName) bool { return m.Name == n.Name }) &&
		slices.EqualFunc(a.Columns, b.Columns, func(m, n ast.KeyPart) bool {
			return m.Expr == nil && n.Expr == nil && m.Column == n.Column && m.Desc == n.Desc && m.Nulls == n.Nulls &&
				m.OpClass == n.OpClass && m.Collation == n.Collation
		})
}
