package plan

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/expr"
)

// Access is how a Scan reads its table: through which layout, which part of it, and
// what must still be checked. It may read too many rows, never too few: conditions that
// the ranges do not decide are in EntryFilter and RowFilter.
type Access struct {
	Index   *catalog.Index // nil: the table itself
	Bounds  []Bound        // what the conditions say of columns of the layout
	Parts   int            // leading parts of the layout that make the spans; 0: all of it is read
	Counted int            // leading parts of which intervals are counted out to single values
	// Skip is how many leading parts of the layout keys are held against while they are read, so
	// that those between are jumped over; 0: none. Bounds on them that the spans do not use are
	// decided by that.
	Skip    int
	Either  []Alternative // in place of Bounds and Tuple: the spans are those of all alternatives
	Tuple   *Tuple        // what the last of Parts and the ones behind it are compared with
	Box     bool          // a Z-order layout: Bounds make a box, or each of Either does
	Reverse bool          // read from the high end
	Ordered bool          // what comes out is in the order that the statement asked for
	Merge   *Merge        // how Ordered comes about where the spans are not in that order one after the other
	// Cond are the conditions that spans or the box decide, or narrow.
	Cond []expr.Expr
	// EntryFilter is checked on what the index holds, before any lookup; without a
	// lookup it is all that is checked.
	EntryFilter []expr.Expr
	// BoxFilter, too, is checked on what the index holds, unless the statement shows when it runs
	// that the box is exact: that no cell of it holds a value outside of the bounds.
	BoxFilter []expr.Expr
	// Lookup says that the row is fetched from the table by primary key. EntryReads are
	// then the columns read from the index, by their places in the table: EntryFilter
	// sees them in this order, and the primary key is among them. Without a lookup they are
	// those of the Scan's Reads that the entries have, or nil when they have all.
	Lookup     bool
	EntryReads []int
	// Verify says that entries may be ahead of rows, or that rows may change between the two reads, so
	// that each entry is held against the row that is looked up: EntryReads have the columns of the index's
	// key, too, and no condition relies on other values of an entry than those that its key tells.
	Verify bool
	// RowFilter is checked on the row that was looked up.
	RowFilter []expr.Expr
	// Keys, in place of all that is above but Cond and RowFilter: the rows that are looked up, in
	// their order. Cond, too, is checked on them again.
	Keys *Keys
	// Most is the Limit above, when no more rows than its are needed and none is
	// dropped on the way.
	Most *Limit
	// Estimate is what the planner thinks it will read.
	Estimate Estimate
	// Candidates are all paths that were thought of, the chosen one first.
	Candidates []Candidate
	// Notices are what the client should know, such as a hint that could not be followed.
	Notices []string
	// Waits says what is settled when the values are known that conditions wait for. The Scan has what is
	// to be decided again: conditions, hints and the order asked for.
	Waits Waits
}

// Waits says what of an access depends on values that show when the statement runs.
type Waits uint8

// What is settled when they are known.
const (
	WaitsForNothing Waits = iota
	WaitsForPrice         // what the access is thought to cost: it stays the same
	WaitsForChoice        // which access it is. A rule that relies on more of it than on its rows sets WaitsForNothing
)

// LookupBatch is how many rows are looked up together: as many keys as a BatchGetItem of
// DynamoDB takes.
const LookupBatch = 100

// Merge is how streams, each in order, become one. Spans with equal values of the leading
// Parts of the layout make a stream, in their order. By is the order of what comes out; with
// Access.Reverse, by which it may come about, every stream is read from its high end, and
// of equal rows that of the last stream comes first.
type Merge struct {
	Parts int
	By    []Order
}

// Alternative is what one side of an OR leaves of a layout, as an Access has it.
type Alternative struct {
	Bounds  []Bound
	Parts   int
	Counted int
	Tuple   *Tuple
}

// Bound is what the conditions say of one column: all terms hold.
type Bound struct {
	Column uint32
	Terms  []Term
}

// Tuple is a comparison of several parts of a layout in a row with expressions that are
// fixed while the plan runs: (a, b) > ($1, $2). Of a longer row it may be the beginning.
type Tuple struct {
	Values  []expr.Expr
	Greater bool
	Equal   bool
}

// ReadsAll says whether no condition keeps the scan from any part of the layout, or only one
// from NULLs, and none from rows that a partial index leaves out. It may still end before it has
// read everything, when it has Most rows.
func (a *Access) ReadsAll() bool {
	if a.Partial() || len(a.Either) > 0 || a.Keys != nil {
		return false
	}
	return !slices.ContainsFunc(a.Bounds, func(b Bound) bool {
		return slices.ContainsFunc(b.Terms, func(t Term) bool { return t.Op != TermNotNull })
	})
}

// Partial says whether the index that is read has no entries of some rows.
func (a *Access) Partial() bool { return a.Index != nil && a.Index.Partial() }

// Spans are those of a path whose bounds leave some sets.
func (a *Access) Spans(codec *keys.Codec, sets keys.Sets, c *expr.Context) ([]span.Span, error) {
	if len(a.Either) > 0 {
		return a.eitherSpans(codec, c)
	}
	if a.Tuple == nil {
		return codec.Spans(a.walk(), sets), nil
	}
	t := keys.Tuple{Greater: a.Tuple.Greater, Equal: a.Tuple.Equal}
	for _, e := range a.Tuple.Values {
		v, err := e.Eval(c, nil)
		if err != nil {
			return nil, err
		}
		if v.IsNull() { // the comparison is NULL once it comes to this value
			t.Equal = false
			break
		}
		t.Values = append(t.Values, v)
	}
	if len(t.Values) == 0 {
		return nil, nil
	}
	return codec.TupleSpans(a.walk(), sets, t), nil
}

// Boxes are those of a path through a Z-order index. It says false when no row can match.
func (a *Access) Boxes(codec *keys.Codec, c *expr.Context) (keys.Boxes, bool, error) {
	var alternatives []keys.Sets
	add := func(bounds []Bound) error {
		sets, ok, err := SetsOf(bounds, c)
		if ok {
			alternatives = append(alternatives, sets)
		}
		return err
	}
	if len(a.Either) == 0 {
		if err := add(a.Bounds); err != nil {
			return keys.Boxes{}, false, err
		}
	}
	for _, alt := range a.Either {
		if err := add(alt.Bounds); err != nil {
			return keys.Boxes{}, false, err
		}
	}
	boxes, ok := codec.Boxes(alternatives...)
	return boxes, ok, nil
}

// eitherSpans are the spans of all alternatives.
func (a *Access) eitherSpans(codec *keys.Codec, c *expr.Context) ([]span.Span, error) {
	var all []span.Span
	for _, alt := range a.Either {
		sets, ok, err := SetsOf(alt.Bounds, c)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		one := Access{Parts: alt.Parts, Counted: alt.Counted, Tuple: alt.Tuple}
		spans, err := one.Spans(codec, sets, c)
		if err != nil {
			return nil, err
		}
		all = append(all, spans...)
	}
	return codec.Union(all), nil
}

// SetsOf is what bounds leave of each column. It says false when that is nothing.
func SetsOf(bounds []Bound, c *expr.Context) (keys.Sets, bool, error) {
	sets := make([]span.Set, len(bounds))
	for i, b := range bounds {
		var err error
		if sets[i], err = b.Set(c); err != nil || sets[i].Empty() {
			return nil, false, err
		}
	}
	return byColumn(bounds, sets), true, nil
}

// SetsByColumn is what bounds leave of each column, which may be nothing.
func SetsByColumn(bounds []Bound, c *expr.Context) (keys.Sets, error) {
	sets := make([]span.Set, len(bounds))
	for i, b := range bounds {
		var err error
		if sets[i], err = b.Set(c); err != nil {
			return nil, err
		}
	}
	return byColumn(bounds, sets), nil
}

// byColumn finds the set that a bound leaves of a column; what is not bounded is anything.
func byColumn(bounds []Bound, sets []span.Set) keys.Sets {
	return func(column uint32) span.Set {
		if i := slices.IndexFunc(bounds, func(b Bound) bool { return b.Column == column }); i >= 0 {
			return sets[i]
		}
		return span.Everything
	}
}

func (a *Access) walk() keys.Walk { return keys.Walk{Parts: a.Parts, Counted: a.Counted} }

// Set computes the values that a bound leaves.
func (b Bound) Set(c *expr.Context) (span.Set, error) {
	set := span.Everything
	for _, t := range b.Terms {
		s, err := t.Set(c)
		if err != nil {
			return span.Set{}, err
		}
		set = set.Intersect(s)
	}
	return set, nil
}

// String shows a bound whose values are not known yet.
func (b Bound) String() string {
	list := make([]string, len(b.Terms))
	for i, t := range b.Terms {
		if list[i] = t.String(); t.Op == TermEQ {
			list[i] = t.Args[0].String()
		}
	}
	return strings.Join(list, " ")
}

// Estimate is what reading is thought to cost.
type Estimate struct {
	Requests float64
	Spans    float64 // that are read, each by a request or a seek at least
	Ranges   float64 // of keys that are read, or whole keys
	Rows     float64 // entries read from the layout
	Seeks    float64 // jumps over entries
	Waste    float64 // entries read for each that is in a box; 0: no box is read
	Matches  float64 // of them, rows that are kept
	Guessed  bool    // conditions are not counted in Matches, since nothing is known of what they keep
	Lookups  float64
	Units    float64 // read units; 0: the store is not charged in them
	// Width is how many bytes an entry has, and Each what looking up a row costs in read units,
	// where the store is charged in them; else they are 0.
	Width, Each float64
	Points      bool // the Ranges are whole keys, read as such
	// ZOrder is set for a box: what the formula says.
	ZOrder *ZEstimate
}

// ZEstimate holds the numbers behind the choice of a Z-order index: of N entries V are in the
// box, which of m cells of one entry a side cuts P; the cost in rows is V + 4 (P - V). Of
// several boxes it is the sum. The search space has n = 2^Bits addresses, of which
// n^((a-b)/a) are in the box, for a dimensions and the fractions b that bounds exclude of each,
// together.
type ZEstimate struct {
	N, V, P, Cost float64
	Fractions     []float64 // of the entries, that the bound on each dimension keeps; of one box
	Pieces        []float64 // in how many intervals
	Boxes         int
	Dims          int     // a
	Side          float64 // m = N^(1/a)
	Excluded      float64 // b
	Bits          int
	Addresses     string
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
