package define

import (
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// storedType resolves the name of the type of a column. It is not that of the rows of a relation: rows in the store
// would have to follow each change of the relation's columns.
func (b Builder) storedType(n ast.TypeName) (types.T, error) {
	t, err := b.TypeNamed(n)
	if id, _ := t.OID.Relation(); err == nil && id != 0 {
		err = sqlerr.Unsupported("a column with the rows of a table").At(int(n.Pos)).
			WithHint("Give the table the columns themselves, or a column of type jsonb.")
	}
	return t, err
}
