package plan

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
)

// Path is which items an access reads first: those of a Whole space, the one of a Point, those in Spans of
// a layout or in a Box of a Z-order index, those Behind the rows of another scan, those under Elements of an inverted
// index, or the rows at the Keys that other scans deliver, in their order.
//
//sumtype:decl
type Path interface{ path() }

// Entries are the items of one space that a path reads, rows of the table or entries of an index.
type Entries struct {
	Index *catalog.Index // nil: the table itself
	// Reads are the columns that are read, by their ordinals in the table; nil: those of the Scan. The Filter
	// sees them in this order. Where rows are looked up the primary key is among them, else they are
	// those of the Scan's Reads that the entries have.
	Reads  []int
	Filter []expr.Expr // the residual: it is checked on what is read, before any lookup
}

// Whole reads all of a space.
type Whole struct{ Entries }

// Point reads the one item of a unique layout whose key has the values of the bounds: each of one equality,
// one for each column of the key.
type Point struct {
	Entries
	Bounds []Bound
	Parts  int // of the layout
}

// Spans reads what the sides of an OR leave of a layout, or the one side that there is without any.
type Spans struct {
	Entries
	Sides []Side
	// Skip is how many leading parts of the layout keys are held against while they are read, so
	// that those between are jumped over; 0: none. Bounds on them that the spans do not use are
	// decided by that. Only one side can have any.
	Skip int
}

// Side is what conditions leave of a layout.
type Side struct {
	Bounds  []Bound // what the conditions say of columns of the layout
	Parts   int     // leading parts of the layout that make the spans; 0: all of it is read
	Counted int     // leading parts of which intervals are counted out to single values
	Tuple   *Tuple  // what the last of Parts and the ones behind it are compared with
}

// Box reads a box of a Z-order index, or one for each side of an OR.
type Box struct {
	Entries
	Sides [][]Bound
	// Edges are checked like the Filter, unless the statement shows when it runs that the boxes are exact:
	// that no cell of them holds a value outside of the bounds.
	Edges []expr.Expr
}

// Behind reads the rows of a child, which come behind those of its parent: an Interleaved join of the two reads both in
// one scan, that of its left side. The scan does not run by itself.
type Behind struct{ Entries }

func (Whole) path()  {}
func (Point) path()  {}
func (Spans) path()  {}
func (Box) path()    {}
func (Behind) path() {}
func (Keys) path()   {}

// Entries are those that an access reads; none of its own if it looks up rows at keys.
func (a *Access) Entries() Entries {
	switch p := a.Path.(type) {
	case Whole:
		return p.Entries
	case Point:
		return p.Entries
	case Spans:
		return p.Entries
	case Box:
		return p.Entries
	case Behind:
		return p.Entries
	case Elements:
		return p.Entries
	case Keys:
	}
	return Entries{}
}

// WithEntries is an access that reads others of the same space.
func (a Access) WithEntries(e Entries) Access {
	switch p := a.Path.(type) {
	case Whole:
		p.Entries = e
		a.Path = p
	case Point:
		p.Entries = e
		a.Path = p
	case Spans:
		p.Entries = e
		a.Path = p
	case Box:
		p.Entries = e
		a.Path = p
	case Behind:
		p.Entries = e
		a.Path = p
	case Elements:
		p.Entries = e
		a.Path = p
	case Keys:
	}
	return a
}

// Spans are those that an access reads, where it reads a space in its order: a point is one, and so is all
// of a space.
func (a *Access) Spans() (Spans, bool) {
	switch p := a.Path.(type) {
	case Whole:
		return Spans{Entries: p.Entries, Sides: []Side{{}}}, true
	case Point:
		return Spans{Entries: p.Entries, Sides: []Side{{Bounds: p.Bounds, Parts: p.Parts}}}, true
	case Spans:
		return p, true
	}
	return Spans{}, false
}

// Index is the index that an access reads, nil if that is the table.
func (a *Access) Index() *catalog.Index { return a.Entries().Index }

// Keys are those whose rows an access looks up.
func (a *Access) Keys() (Keys, bool) {
	keys, ok := a.Path.(Keys)
	return keys, ok
}

// RowFilter is what rows that are looked up are checked for.
func (a *Access) RowFilter() []expr.Expr {
	if a.Lookup == nil {
		return nil
	}
	return a.Lookup.Filter
}

// Partial says whether the index that is read has no entries of some rows.
func (a *Access) Partial() bool {
	x := a.Index()
	return x != nil && x.Partial()
}

// ReadsAll says whether no condition keeps the scan from any part of the layout, or only one
// from NULLs, and none from rows that a partial index leaves out. It may still end before it has
// read everything, when it has Most rows.
func (a *Access) ReadsAll() bool {
	sides, ok := a.Sides()
	if !ok || a.Partial() || len(sides) > 1 {
		return false
	}
	return !slices.ContainsFunc(sides[0], func(b Bound) bool {
		return slices.ContainsFunc(b.Terms, func(t Term) bool { return t.Op != TermNotNull })
	})
}

// Sides are the bounds of each side of an access by one space.
func (a *Access) Sides() ([][]Bound, bool) {
	if box, ok := a.Path.(Box); ok {
		return box.Sides, true
	}
	p, ok := a.Spans()
	out := make([][]Bound, len(p.Sides))
	for i, side := range p.Sides {
		out[i] = side.Bounds
	}
	return out, ok
}

// Parts is how many leading parts of the layout make spans.
func (p Spans) Parts() int {
	n := 0
	for _, side := range p.Sides {
		n = max(n, side.Parts)
	}
	return n
}

// Bounds are those of the only side. Each of several has bounds of its own.
func (p Spans) Bounds() []Bound {
	if len(p.Sides) != 1 {
		return nil
	}
	return p.Sides[0].Bounds
}
