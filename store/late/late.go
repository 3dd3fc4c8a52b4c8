// Package late lets a store that makes columns leave out items before it has made all of their columns (Abadi, Myers,
// DeWitt, Madden: Materialization Strategies in a Column-Oriented DBMS, 2007). A scan says which columns decide, and
// is asked which rows of a batch it wants by these. The store makes the other columns of those rows alone. What a
// store does not leave out is delivered as if there were no such thing: the scan checks its conditions again.
package late

import "zproxy/types"

// Columns says which columns of a scan may be made later.
type Columns struct {
	// Early says of each of the columns to deliver whether Keep needs it.
	Early []bool
	// Keep gives the numbers of the rows of a batch that are wanted, ascending. Columns that are not Early are not set.
	Keep func(*types.Batch) ([]int32, error)
}
