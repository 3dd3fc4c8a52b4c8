package planner

import (
	"zproxy/catalog"
	"zproxy/sqlerr"
)

// Need is what a statement wants to do with a relation, to be allowed before it runs.
type Need struct {
	Relation   uint32
	Privileges catalog.Privileges
	As         uint32 // whose rights count; 0: those of the role that runs the statement
}

// need notes what the statement wants to do with a relation. Inside of a view the rights of
// its owner count.
func (p *Planner) need(r catalog.Relation, what catalog.Privileges) []*Need {
	n := &Need{Relation: r.Ref().ID, Privileges: what, As: p.as}
	p.Needs = append(p.Needs, n)
	return []*Need{n}
}

// also adds to what is wanted.
func also(needs []*Need, what catalog.Privileges) {
	for _, n := range needs {
		n.Privileges |= what
	}
}

// mayUse wants the role to have the right to use a schema that a statement names.
func (p *Planner) mayUse(schema string) error {
	s := p.Catalog.Schema(schema)
	if s == nil || p.Role == 0 || p.as != 0 {
		return nil
	}
	if have, _ := p.Catalog.Privileges(p.Role, s); have&catalog.MayUse == 0 {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for schema %s", schema)
	}
	return nil
}
