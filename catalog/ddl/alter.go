package ddl

import (
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Skips tells of a relation that IF EXISTS does not find.
func (d *Definer) Skips(ifExists bool, n ast.Name) (bool, error) {
	if !ifExists {
		return false, nil
	}
	if r, err := d.Planner(d.Txn.Changed().Snap).Relation(n); r != nil || err != nil {
		return false, err
	}
	return true, d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "relation %q does not exist, skipping", n.Name))
}
