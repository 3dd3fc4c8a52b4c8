package catalog

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"zproxy/catalog/axis"
	"zproxy/catalog/elements"
	"zproxy/catalog/extended"
	"zproxy/catalog/extent"
	"zproxy/catalog/learned"
	"zproxy/types"
)

// Stats is what is known of the rows of a table, as far as ANALYZE or an index build
// has seen them.
type Stats struct {
	Known bool
	Rows  float64
	// Analyzed is when ANALYZE last made them, and Renewed when the process last did by itself; zero: never.
	Analyzed, Renewed time.Time
	Columns           map[uint32]ColumnStats // by column ID
	// Sketches tell of each Z-order index, by its ID, how its entries lie along the curve: the
	// first 64 bits of Z-addresses, in ascending order, with equally many entries between them.
	Sketches map[uint32][]uint64
	// Groups are columns that are the first ones of a key together.
	Groups []extended.Group
	// Extended is what was found for statistics objects, by their IDs.
	Extended map[uint32]extended.Data
	// Held are the shares of the rows that partial indexes hold, by their IDs.
	Held map[uint32]float64
	// Extent is about how large a table is of which nothing else is known, and how the values of its keys lie, as the
	// process learns it.
	Extent *extent.Cell
	// Growth is what was written beyond the least and greatest values of these statistics, as the process learns it.
	Growth *extent.Growth
	// Learned is by how much estimates that these statistics make have been wrong, as the process learns it.
	Learned *learned.Cell
}

// ColumnStats is what is known of the values of a column. Min and Max are NULL when
// nothing is known.
type ColumnStats struct {
	Min, Max types.Value
	Distinct float64
	Nulls    float64 // the share of rows that are NULL
	Width    float64 // bytes of a value that is not NULL, on average; 0: not known
	// Common are the values that are far more common than others, the most common one first.
	Common []Common
	// Histogram are values in ascending order, the least and the greatest among them, with
	// equally many of the rows between each two that have neither NULL nor a Common value.
	Histogram []types.Value
	// Correlation is that of the order of the values with the order of the table's keys, between
	// -1 and 1; 0 also where values have no order.
	Correlation float64
	// Elements is what is known of the elements of arrays and jsonb documents; nil: nothing.
	Elements *elements.Stats
	// Grown is the share of the rows written since the statistics before these whose values are above all of that
	// time; 0: not known.
	Grown float64
	// Beyond is what was written below Min and above Max since.
	Beyond extent.Tails
}

// Column is what is known of the values of a column, from the rows that the process has written if there are no
// statistics.
func (s *Stats) Column(id uint32) ColumnStats {
	known := s.Columns[id]
	if s.Known {
		known.Beyond = s.Growth.Of(id)
		return known
	}
	if seen, ok := s.Extent.Column(id, s.rowCount()); ok {
		known.Distinct, known.Nulls, known.Histogram = seen.Distinct, seen.Nulls, seen.Histogram
		for _, c := range seen.Common {
			known.Common = append(known.Common, Common(c))
		}
	}
	return known
}

// Sketch is how the entries of a Z-order index lie along the curve, as Sketches say it; nil: that is not known.
func (s *Stats) Sketch(index uint32) []uint64 {
	if q := s.Sketches[index]; q != nil || s.Known {
		return q
	}
	return s.Extent.Sketch(index, s.rowCount())
}

// Combinations is how many different values columns have together, of which each has so many, taking each group of the
// statistics that they hold, the largest first, as what it is known to have, and others to be independent.
func (s *Stats) Combinations(columns []uint32, each func(column uint32) float64) float64 {
	product, left := 1.0, slices.Clone(columns)
	for _, g := range s.groups() {
		if slices.ContainsFunc(g.Columns, func(id uint32) bool { return !slices.Contains(left, id) }) {
			continue
		}
		product *= g.Distinct
		left = slices.DeleteFunc(left, func(id uint32) bool { return slices.Contains(g.Columns, id) })
	}
	for _, id := range left {
		product *= each(id)
	}
	return product
}

// groups are those of keys and of statistics objects, the largest ones first.
func (s *Stats) groups() []extended.Group {
	if len(s.Extended) == 0 {
		return s.Groups
	}
	out := slices.Clone(s.Groups)
	for _, id := range slices.Sorted(maps.Keys(s.Extended)) {
		out = append(out, s.Extended[id].Groups...)
	}
	slices.SortStableFunc(out, func(a, b extended.Group) int { return cmp.Compare(len(b.Columns), len(a.Columns)) })
	return out
}

// Together says whether it is known of some columns how many different values they have together.
func (s *Stats) Together(is func(extended.Group) bool) bool {
	return slices.ContainsFunc(s.groups(), is)
}

// Common is a value that many rows have.
type Common struct {
	Value types.Value
	Share float64 // of all rows
}

// Expression is the one of a statistics object with a number, when something is known of its values.
func (s *Stats) Expression(id uint32) (extended.Expression, bool) {
	for _, d := range s.Extended {
		for _, e := range d.Expressions {
			if e.ID == id {
				return e, true
			}
		}
	}
	return extended.Expression{}, false
}

// Made is when the statistics were made; zero: that is not known.
func (s *Stats) Made() time.Time {
	if s.Analyzed.After(s.Renewed) {
		return s.Analyzed
	}
	return s.Renewed
}

// isOf says whether statistics were made at the same time as others.
func (s *Stats) isOf(other *Stats) bool {
	return s.Known == other.Known && s.Made().Equal(other.Made())
}

// defaultRows is how many rows a table is thought to have before anything is known.
const defaultRows = 1000

// RowCount is the number of rows to reckon with.
func (t *Table) RowCount() float64 { return t.Stats.rowCount() }

func (s *Stats) rowCount() float64 {
	if s.Known {
		return s.Rows
	}
	// The rows that were written just now are not in what is known of the size yet.
	if e := s.Extent.Get(); e.Rows > 0 {
		return math.Max(e.Rows, s.Extent.Added())
	}
	return math.Max(defaultRows, s.Extent.Added())
}

// WithRows are the statistics with another number of rows.
func (s Stats) WithRows(n float64) Stats {
	s.Known, s.Rows = true, n
	return s
}

// EntryCount is how many entries an index is thought to have of the rows that Stats tells of:
// of one that was not there then, rows with NULL in several columns are taken to be there by chance.
func (t *Table) EntryCount(x *Index) float64 {
	rows := t.Stats.Rows
	if x.Where == nil {
		return rows
	}
	if share, ok := t.Stats.Held[x.ID]; ok {
		return math.Round(rows * share)
	}
	for _, id := range x.Where.NotNull {
		rows *= 1 - t.Stats.Columns[id].Nulls
	}
	return math.Round(rows)
}

// Without are the statistics without those of a column, whose values are others now, and of the
// indexes that may have it.
func (s Stats) Without(column uint32) Stats {
	s.Sketches, s.Held = nil, nil
	s.Columns = maps.Clone(s.Columns)
	maps.DeleteFunc(s.Columns, func(id uint32, _ ColumnStats) bool { return axis.Column(id) == column })
	s.Groups = slices.DeleteFunc(slices.Clone(s.Groups),
		func(g extended.Group) bool { return slices.Contains(g.Columns, column) })
	for id, d := range s.Extended {
		if d.Depends(column) {
			s = s.WithoutExtended(id)
		}
	}
	return s
}

// exchanged are the statistics when the entries of two indexes are each other's.
func (s Stats) exchanged(a, b uint32) Stats {
	one, other := s.Sketches[a], s.Sketches[b]
	s.Sketches = maps.Clone(s.Sketches)
	delete(s.Sketches, a)
	delete(s.Sketches, b)
	if other != nil {
		s.Sketches[a] = other
	}
	if one != nil {
		s.Sketches[b] = one
	}
	return s
}
