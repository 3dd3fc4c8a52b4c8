// Package aggregate has what an aggregate of CREATE AGGREGATE is besides a function: its state, and the functions that
// change the state by a row and make the result of it. Functions have their numbers in pg_proc, also those that are
// built in. The planner makes calls of them, which the executor evaluates. Read Definition first.
package aggregate

import "zproxy/types"

// Definition is an aggregate of the catalog without its name and arguments, which it has as a function.
type Definition struct {
	State
	Moving *State `json:",omitempty"` // for frames that move; it is kept, and not used
	// Combine, Serialize and Deserialize are for parallel queries, of which there are none.
	Combine, Serialize, Deserialize uint32 `json:",omitempty"`
	Sort                            uint32 `json:",omitempty"` // the operator that an index may answer by
}

// State is what is known of the rows so far, and the functions of it; 0: none.
type State struct {
	Type        types.T
	Space       int     `json:",omitempty"` // about how many bytes it has; 0: as many as its type
	Initial     *string `json:",omitempty"` // nil: NULL
	Transition  uint32
	Inverse     uint32 `json:",omitempty"`
	Final       uint32 `json:",omitempty"`
	FinalExtra  bool   `json:",omitempty"` // Final is given a NULL for each argument besides
	FinalModify string // of pg_aggregate: r, s, w
}

// Functions are the numbers of the functions that the aggregate is made of.
func (d *Definition) Functions() (out []uint32) {
	all := []uint32{d.Transition, d.Final, d.Combine, d.Serialize, d.Deserialize}
	if d.Moving != nil {
		all = append(all, d.Moving.Transition, d.Moving.Inverse, d.Moving.Final)
	}
	for _, id := range all {
		if id != 0 {
			out = append(out, id)
		}
	}
	return out
}
