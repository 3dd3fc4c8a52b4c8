package bind

import (
	"zproxy/catalog"
	"zproxy/catalog/privilege"
	"zproxy/sqlerr"
)

// Need is what a statement wants to do with a relation, to be allowed before it runs.
type Need struct {
	Relation uint32
	privilege.Wanted
	As uint32 // whose rights count; 0: those of the role that runs the statement
}

// Need notes what the statement wants to do with a relation. Inside of a view the rights of
// its owner count.
func (n *Names) Need(r catalog.Relation, what catalog.Privileges) []*Need {
	need := &Need{Relation: r.Ref().ID, Wanted: privilege.Wanted{Privileges: what}, As: n.as}
	n.Needs = append(n.Needs, need)
	return []*Need{need}
}

// Also adds to what is wanted.
func Also(needs []*Need, what catalog.Privileges) {
	for _, n := range needs {
		n.Privileges |= what
	}
}

// mayUse wants the role to have the right to use a schema that a statement names.
func (n *Names) mayUse(schema string) error {
	s := n.Catalog.Schema(schema)
	if s == nil || n.Role == 0 || n.as != 0 {
		return nil
	}
	if have, _ := n.Catalog.Privileges(n.Role, s); have&catalog.MayUse == 0 {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for schema %s", schema)
	}
	return nil
}
