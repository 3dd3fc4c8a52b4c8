package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// userTypes converts the statements about types that users make.
type userTypes struct{ *converter }

func (c userTypes) createEnum(n *pg.CreateEnumStmt) ast.Statement {
	return &ast.CreateEnum{Name: c.nameOf(names(n.TypeName)), Labels: names(n.Vals)}
}

// alterEnum is ALTER TYPE ... ADD VALUE or RENAME VALUE. The grammar leaves no trace of a neighbor that is the empty
// text, which no label is.
func (c userTypes) alterEnum(n *pg.AlterEnumStmt) ast.Statement {
	out := &ast.AlterEnum{Name: c.nameOf(names(n.TypeName)), New: n.NewVal, IfNotExists: n.SkipIfNewValExists,
		After: n.NewValIsAfter}
	if n.OldVal != "" {
		out.Old = &n.OldVal
	}
	if n.NewValNeighbor != "" {
		out.Neighbor = &n.NewValNeighbor
	}
	return out
}
