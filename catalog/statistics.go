package catalog

import (
	"cmp"
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
	Kinds   []extended.Kind
	// Target is how many common combinations are kept at the most; NULL: as many as usual, 0: nothing is collected.
	Target  *int   `json:",omitempty"`
	Comment string `json:",omitempty"`
	Rights
}

func (*Statistics) object() {}

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
	for of, data := range s.Extended {
		if of != id {
			kept[of] = data
		}
	}
	s.Extended = kept
	return s
}
