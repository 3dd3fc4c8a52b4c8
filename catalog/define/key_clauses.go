package define

import (
	"zproxy/parser/ast"
)

// keyClauses keeps what stands behind the columns of a primary key. Rows are stored whole, so that INCLUDE asks for
// what is there, and the parameters are those of PostgreSQL.
func (t *NewTable) keyClauses(of ast.KeyClauses) error {
	if of.KeyInclude != nil {
		ids, err := includedIDs(t.Table, of.KeyInclude, " named in key")
		if err != nil {
			return err
		}
		t.KeyInclude = ids
	}
	for _, o := range of.KeyOptions {
		if err := storageOption(o, ofIndex); err != nil {
			return err
		}
		if t.KeyOptions == nil {
			t.KeyOptions = map[string]string{}
		}
		t.KeyOptions[o.Name] = valueOf(o)
	}
	return once(of.KeyOptions)
}
