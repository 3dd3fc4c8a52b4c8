package executor

import "zproxy/types"

// Unseen are the rows, complete, that an Insert has put without a look at their keys; nil: it has
// looked. When the commit then meets a conflict, which a key that is taken is to the store, they are
// to be inserted once more with a look, so that the error says which.
type Unseen struct{ Rows []types.Row }

// putsUnseen says whether these are all rows of an Insert, which it puts unseen.
func (in *inserter) putsUnseen(rows []types.Row) bool {
	return in.Unseen && in.env.Unseen != nil && in.lines == nil && len(rows) <= in.chunk()
}
