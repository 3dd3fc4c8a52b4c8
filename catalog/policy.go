package catalog

import "slices"

// Policy is a policy of row security of a table: which rows there are for some roles, and which they may write.
type Policy struct {
	ID   uint32
	Name string
	// Restrictive says that rows must meet it. Of the others, they must meet any.
	Restrictive bool        `json:",omitempty"`
	Command     string      `json:",omitempty"` // select, insert, update or delete; empty: all of them
	Roles       []uint32    // Public: everybody
	Using       *StoredText `json:",omitempty"` // of rows that are there; nil: it says nothing of them
	Check       *StoredText `json:",omitempty"` // of rows that are written; nil: Using
	Comment     string      `json:",omitempty"`
}

// StoredText is an expression whose names and constants go on to mean what they did when it was written.
type StoredText struct {
	Text string
	Path []string // the search path that it was read with
	Uses []Use    // the relations that it names, the one whose row it is over first, and functions
	Read *Literals
}

// guards are the row security of a table.
type guards struct {
	Policies    []Policy `json:",omitempty"`
	RowSecurity bool     `json:",omitempty"` // policies are enforced
	ForOwner    bool     `json:",omitempty"` // also for the owner
}

// Policy finds a policy by its name, nil when there is none.
func (g *guards) Policy(name string) *Policy {
	at := slices.IndexFunc(g.Policies, func(p Policy) bool { return p.Name == name })
	if at < 0 {
		return nil
	}
	return &g.Policies[at]
}

// PolicyNumbered finds a policy by its number, nil when there is none.
func (g *guards) PolicyNumbered(id uint32) *Policy {
	at := slices.IndexFunc(g.Policies, func(p Policy) bool { return p.ID == id })
	if at < 0 {
		return nil
	}
	return &g.Policies[at]
}
