package plan

import "zproxy/expr"

// Access is how a Scan reads its table: which items of which space, in what order they come, whether rows
// are looked up for them, and what must still be checked. It may read too many rows, never too few:
// conditions that the path does not decide are in its residual, the Filter of its Entries, and in that of
// the Lookup. An access is a value, and nothing in it knows how it was chosen.
type Access struct {
	Path     Path
	Cond     []expr.Expr // the conditions that the path decides, or narrows; those of keys are checked again
	Lookup   *Lookups    // nil: what is read first has all that is wanted
	Delivery             // the order of what comes out
	// Most is the Limit above, when no more rows than its are needed and none is
	// dropped on the way.
	Most *Limit
	// Soft says that some may be dropped on the way all the same, and others wanted instead.
	Soft bool
	// Estimate is what the planner thinks it will read.
	Estimate Estimate
	// Leads says that scans below the same join read what is theirs in the same partitions by the same requests, which
	// the Estimate has; With, not empty, names the scan that leads this one.
	Leads bool
	With  string
	choice
}

// Shares says whether a scan may read by the same requests as others.
func (a *Access) Shares() bool { return a.Leads || a.With != "" }

// Divides says whether parts of the ranges of the path can be read apart from each other, each to its end.
func (a *Access) Divides() bool {
	_, spans := a.Spans()
	return spans && a.Most == nil && a.Merge == nil && a.Each.Count == 0
}

// Lookups is the fetching of rows from the table by the primary keys that entries have.
type Lookups struct {
	// Verify says that entries may be ahead of rows, or that rows may change between the two reads, so
	// that each entry is held against the row that is looked up: the columns that are read of entries
	// include those of the index's key, and no condition relies on other values of an entry than those
	// that its key tells.
	Verify bool
	Filter []expr.Expr // is checked on the row that was looked up
}

// Delivery is the order in which rows come.
type Delivery struct {
	Reverse bool   // read from the high end
	Ordered bool   // what comes out is in the order that the statement asked for
	Merge   *Merge // how Ordered comes about where the spans are not in that order one after the other
	// Each says that of the entries which agree in leading parts of the layout only the first are read. There may come
	// more of them.
	Each each
}

// each is the first Count of what agrees in the first Of parts, or columns; of all: Count is 0.
type each struct {
	Of    int
	Count int64
}

// Merge is how streams, each in order, become one. Spans with equal values of the leading
// Parts of the layout make a stream, in their order. By is the order of what comes out; with
// Access.Reverse, by which it may come about, every stream is read from its high end, and
// of equal rows that of the last stream comes first.
type Merge struct {
	Parts int
	By    []Order
}

// choice is what is told of how a path was chosen, and whether it is chosen again.
type choice struct {
	// Candidates are all paths that were thought of, the chosen one first.
	Candidates []Candidate
	// Notices are what the client should know, such as a hint that could not be followed.
	Notices []string
	// Rechosen says that the access waits for values, and is chosen again when they are known: the Scan has
	// what is to be decided, which are conditions, hints and the order asked for. A rule that relies on more
	// of an access than on its rows takes it away.
	Rechosen bool
	// Repriced says that only what the access is thought to cost waits for them.
	Repriced bool
}

// LookupBatch is how many rows are looked up together: as many keys as a BatchGetItem of
// DynamoDB takes.
const LookupBatch = 100

// Estimate is what reading is thought to cost.
type Estimate struct {
	Requests float64
	Spans    float64 // that are read, each by a request or a seek at least
	Ranges   float64 // of keys that are read, or whole keys
	Rows     float64 // entries read from the layout
	Seeks    float64 // jumps over entries
	Waste    float64 // entries read for each whose values are in a box; 0: no box is read
	Matches  float64 // of them, rows that are kept
	Guessed  bool    // conditions are not counted in Matches, since nothing is known of what they keep
	Lookups  float64
	Units    float64 // read units; 0: the store is not charged in them
	// Width is how many bytes an entry has, and Each what looking up a row costs in read units,
	// where the store is charged in them; else they are 0.
	Width, Each float64
	Points      bool    // the Ranges are whole keys, read as such
	Price       float64 // what reading costs without the Lookups, in rows: entries read in their order
	// ZOrder is set for a box: what the formula says.
	ZOrder *ZEstimate
}

// ZEstimate holds the numbers behind the choice of a Z-order index: of N entries V have addresses in
// the box, which of m cells of one entry a side cuts P; the cost in rows is V + 4 (P - V). Of
// several boxes it is the sum.
type ZEstimate struct {
	N, V, P, Cost float64
	Wanted        float64   // of V, those whose values are in the bounds, and not only their codes
	Fractions     []float64 // of the entries, that the bound on each dimension keeps; of one box
	Pieces        []float64 // in how many intervals
	Boxes         int
	Dims          int     // a
	Side          float64 // m = N^(1/a)
}

// Candidate is one path that was thought of, for EXPLAIN (WHY).
type Candidate struct {
	Path     string // idx2, primary key, union of idx1, idx2
	Equal    int    // equality-bound parts in a row
	Range    bool   // and a range on the next
	Covers   bool
	Ordered  bool
	Estimate Estimate
	Cost     float64 // in rows
	Removed  bool    // it cannot serve the scan; nothing was estimated
	Verdict  string  // chosen, or the rule that ranked it below or removed it
	Note     string  // what else there is to say of the path; empty: nothing
}
