package executor

import "zproxy/types"

// BlindInsert is the rows, complete, that an Insert has put without a look at their keys; nil: it has
// looked. When the commit then meets a conflict, which a key that is taken is to the store, they are
// to be inserted once more with a look, so that the error says which.
type BlindInsert struct{ Rows []types.Row }

// insertsBlindly says whether these are all rows of an Insert, which it puts blindly. Rows of which the cells are kept
// have been looked at for what is left of a deleted row.
func (in *inserter) insertsBlindly(rows []types.Row) bool {
	return in.Blind && in.env.Blind != nil && len(rows) <= in.chunk() && in.table.cells == nil
}
