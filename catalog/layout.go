package catalog

import "slices"

// Layout is how columns make the key of a table or an index: the parts of the partition
// key, then those of the sort key, then, to tell entries with equal keys apart, the
// primary key.
type Layout struct {
	Partition []Part
	Sort      []Part
	// Tie follows the key so that no two items share one. In a unique index it does so
	// only where a key column is NULL, since NULLs are not equal to each other.
	Tie    []Part
	Unique bool
}

// Part is one part of a key.
type Part struct {
	Kind   PartKind
	Column uint32 // of a column part
	Desc   bool
	Curve  []Dimension // of a Z-address
}

// PartKind is what a part is made of.
type PartKind uint8

// The kinds of parts.
const (
	ColumnPart   PartKind = iota // the value of a column, NULL last, or first when descending
	ZAddressPart                 // the interleaved bits of the dimensions
)

// Dimension is one column of a Z-address and its binary representation: names,
// order and representation are the whole schema of a Z-order index.
type Dimension struct {
	Column  uint32
	Bits    int
	Map     MapKind
	Knots   []uint64 // of a learned map, see zorder.Map
	Version int      // of the map
}

// MapKind is how a dimension spreads its values over its bits.
type MapKind string

// The kinds of maps: the encoding as it is, one straight piece between the known bounds,
// pieces that hold equally many rows.
const (
	MapRaw      MapKind = "raw"
	MapRange    MapKind = "range"
	MapQuantile MapKind = "quantile"
)

// Parts are the parts of the key proper, without the tie-breaker.
func (l *Layout) Parts() []Part { return slices.Concat(l.Partition, l.Sort) }

// Columns are the columns of the key proper, in key order.
func (l *Layout) Columns() []uint32 {
	var ids []uint32
	for _, p := range l.Parts() {
		ids = append(ids, p.Columns()...)
	}
	return ids
}

// Columns are the columns that a part is made of.
func (p Part) Columns() []uint32 {
	if p.Kind == ColumnPart {
		return []uint32{p.Column}
	}
	ids := make([]uint32, len(p.Curve))
	for i, d := range p.Curve {
		ids[i] = d.Column
	}
	return ids
}

// Sorted says whether keys have a sort part.
func (l *Layout) Sorted() bool { return len(l.Sort)+len(l.Tie) > 0 }
