package catalog

import (
	"cmp"
	"maps"
	"slices"

	"zproxy/catalog/extended"
)

// Statistics is an object of CREATE STATISTICS. What ANALYZE finds for it is among the Stats of its table.
type Statistics struct {
	ID      uint32
	Version uint32
	Schema  string
	Name    string
	Table   uint32
	Columns []uint32 // by their IDs, ascending
	// Computed are the numbers of Expressions over the columns of the table, by which what is known of their values is
	// kept as that of columns is.
	Computed    []uint32    `json:",omitempty"`
	Expressions []Condition `json:",omitempty"`
	Kinds       []extended.Kind
	// Target is how many common combinations are kept at the most; NULL: as many as usual, 0: nothing is collected.
	Target  *int   `json:",omitempty"`
	Comment string `json:",omitempty"`
	Rights
}

func (*Statistics) object() {}

// Members are the numbers of the columns, and of the expressions behind them.
func (s *Statistics) Members() []uint32 { return slices.Concat(s.Columns, s.Computed) }

// Over says whether the statistics are of a column, or of an expression that names it.
func (s *Statistics) Over(column uint32) bool {
	return slices.Contains(s.Columns, column) ||
		slices.ContainsFunc(s.Expressions, func(c Condition) bool { return c.over(column) })
}

// Ref names a statistics object as a relation is named. Its name is free for relations, too.
func (s *Statistics) Ref() Ref { return Ref{"statistics object", s.ID, s.Schema, s.Name} }

// statistics are the statistics objects of a snapshot.
type statistics map[uint32]*Statistics

// StatisticsByID finds a statistics object, nil when there is none.
func (s statistics) StatisticsByID(id uint32) *Statistics { return s[id] }

// StatisticsNamed finds a statistics object by its name, nil when there is none.
func (s statistics) StatisticsNamed(schema, name string) *Statistics {
	for _, x := range s {
		if x.Schema == schema && x.Name == name {
			return x
		}
	}
	return nil
}

// Statistics are the statistics objects of a table, or with 0 all, by their IDs.
func (s statistics) Statistics(table uint32) []*Statistics {
	var out []*Statistics
	for _, x := range s {
		if table == 0 || x.Table == table {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b *Statistics) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// WithoutExtended are statistics without what was found for a statistics object.
func (s Stats) WithoutExtended(id uint32) Stats {
	kept := map[uint32]extended.Data{}
	s.Columns = maps.Clone(s.Columns)
	for of, data := range s.Extended {
		if of != id {
			kept[of] = data
			continue
		}
		for _, e := range data.Expressions {
			delete(s.Columns, e.ID)
		}
	}
	s.Extended = kept
	return s
}
