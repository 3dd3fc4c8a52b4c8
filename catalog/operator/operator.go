// Package operator has what an operator of CREATE OPERATOR is besides its name: the types of its operands and the
// function that it calls. The planner takes it for that function, so that nothing else needs to know of operators.
// What PostgreSQL's planner is told of it, such as its estimators, is kept for those who ask. Read Definition first.
package operator

import "zproxy/types"

// Definition is an operator of the catalog without its name.
type Definition struct {
	Left, Right types.OID // Left of a prefix operator is 0
	Result      types.OID
	// Function is the number in pg_proc of what the operator calls. 0: others name the operator, which is not made yet.
	Function            uint32 `json:",omitempty"`
	Commutator, Negator uint32 `json:",omitempty"` // operators; 0: none
	Restrict, Join      uint32 `json:",omitempty"` // functions; 0: none
	Hashes, Merges      bool   `json:",omitempty"`
}

// Takes says whether the operands have some types.
func (d *Definition) Takes(left, right types.OID) bool { return d.Left == left && d.Right == right }

// Operands are the types of the operands, one or two.
func (d *Definition) Operands() []types.OID {
	if d.Left == 0 {
		return []types.OID{d.Right}
	}
	return []types.OID{d.Left, d.Right}
}

// Without is the definition without what it says of another operator.
func (d *Definition) Without(other uint32) *Definition {
	c := *d
	if c.Commutator == other {
		c.Commutator = 0
	}
	if c.Negator == other {
		c.Negator = 0
	}
	return &c
}
