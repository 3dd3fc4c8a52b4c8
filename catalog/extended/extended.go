// Package extended has what extended statistics say of some columns of a table together: how many different values they
// have, how far one follows from others, and which combinations of values are common. What CREATE STATISTICS makes is
// catalog.Statistics; the rows are read by executor, and optimizer/cost estimates with what they have shown. Read Data
// first.
package extended

import (
	"slices"

	"zproxy/types"
)

// Kind is something that extended statistics say, by PostgreSQL's word.
type Kind string

// The kinds, in PostgreSQL's order.
const (
	Distinct     Kind = "ndistinct"
	Dependencies Kind = "dependencies"
	Common       Kind = "mcv"
)

// Kinds are all kinds.
func Kinds() []Kind { return []Kind{Distinct, Dependencies, Common} }

// Letter is what pg_statistic_ext has for a kind.
func (k Kind) Letter() byte {
	switch k {
	case Distinct:
		return 'd'
	case Dependencies:
		return 'f'
	default:
		return 'm'
	}
}

// MostColumns is over how many columns statistics are at the most.
const MostColumns = 8

// Data is what the rows have shown of the columns of one statistics object.
type Data struct {
	Columns      []uint32     // by their IDs, ascending, and behind them Expressions
	Expressions  []Expression `json:",omitempty"`
	Groups       []Group      `json:",omitempty"` // of two columns and more, the largest ones first
	Dependencies []Dependency
	// Common are the most common combinations of values of all columns, the most common one first.
	Common []Combination `json:"-"` // kept as texts of their types
}

// Expression is one over columns of the table of whose values something is known, as of those of a column.
type Expression struct {
	ID    uint32
	Type  types.T
	Reads []uint32 // columns
}

// TypeOf is the type of one of the expressions; false: the number is that of a column.
func (d *Data) TypeOf(id uint32) (types.T, bool) {
	for _, e := range d.Expressions {
		if e.ID == id {
			return e.Type, true
		}
	}
	return types.T{}, false
}

// Depends says whether something is known that depends on a column.
func (d *Data) Depends(column uint32) bool {
	return slices.Contains(d.Columns, column) ||
		slices.ContainsFunc(d.Expressions, func(e Expression) bool { return slices.Contains(e.Reads, column) })
}

// Group is how many different values some columns have together, NULL among them. Fewer than the product of those of
// each say that the columns depend on each other.
type Group struct {
	Columns  []uint32 // by their IDs, ascending
	Distinct float64
}

// Dependency is the share of the rows for which the values of some columns leave one value for another one.
type Dependency struct {
	From   []uint32 // ascending
	To     uint32
	Degree float64
}

// Combination is values that many rows have in the columns of Data.
type Combination struct {
	Values []types.Value
	Share  float64 // of all rows
	Base   float64 // what Share would be if the columns were independent of each other
}

// Subsets are those of so many columns and more, the smallest ones first, as PostgreSQL lists them.
func Subsets(columns []uint32, least int) [][]uint32 {
	var out [][]uint32
	for n := least; n <= len(columns); n++ {
		out = append(out, choose(columns, n)...)
	}
	return out
}

// choose are the ways to take so many of some columns, in their order.
func choose(columns []uint32, n int) [][]uint32 {
	if n == 0 {
		return [][]uint32{nil}
	}
	var out [][]uint32
	for i := 0; i+n <= len(columns); i++ {
		for _, rest := range choose(columns[i+1:], n-1) {
			out = append(out, slices.Concat(columns[i:i+1], rest))
		}
	}
	return out
}
