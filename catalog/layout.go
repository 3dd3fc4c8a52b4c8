package catalog

import (
	"slices"

	"zproxy/catalog/axis"
	"zproxy/catalog/part"
	"zproxy/catalog/reference"
	"zproxy/types"
)

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
	// NullsEqual says that NULLs of a unique key are equal to each other after all.
	NullsEqual bool `json:",omitempty"`
	// Timing is that of a unique constraint. Rows of a transaction may have equal keys of a deferrable one until they
	// are checked: the keys of those that come later are then followed by Tie, too.
	reference.Timing
	// Typed says that the partition and what sorts are each one text or whole number, which a store that other programs
	// read keeps as such.
	Typed bool `json:",omitempty"`
	// Key is the columns of the key as they were declared, where the parts are not just
	// these: what is unique, and what clients are told.
	Key []KeyColumn `json:",omitempty"`
}

// KeyColumn is a column of a key as it was declared.
type KeyColumn struct {
	ID   uint32
	Desc bool
	// NullsSwapped says that NULLs are first if the values ascend, and last if they descend.
	NullsSwapped bool `json:",omitempty"`
}

// Direction is the order of the column as DDL has it behind the column.
func (k KeyColumn) Direction() string {
	return (&Part{Desc: k.Desc, NullsSwapped: k.NullsSwapped}).Direction()
}

// Part is one part of a key: a value that is computed from a row.
type Part = part.Part

// MaxShards is how many shards keys may have.
const MaxShards = 256

// Parts are the parts of the key proper, without the tie-breaker. They are the layout's own: not to be changed.
func (l *Layout) Parts() []Part {
	switch {
	case len(l.Sort) == 0:
		return slices.Clip(l.Partition)
	case len(l.Partition) == 0:
		return slices.Clip(l.Sort)
	}
	return slices.Concat(l.Partition, l.Sort)
}

// Declared are the columns of the key as they were declared.
func (l *Layout) Declared() []KeyColumn {
	if l.Key != nil {
		return l.Key
	}
	var out []KeyColumn
	for _, p := range l.Parts() {
		for _, id := range p.Columns() {
			out = append(out, KeyColumn{ID: id, Desc: p.Desc, NullsSwapped: p.NullsSwapped})
		}
	}
	return out
}

// Distinct says whether no two rows ever have equal keys, not even before a transaction has checked them.
func (l *Layout) Distinct() bool { return l.Unique && !l.Deferrable }

// Columns are the columns of the key as they were declared. In a unique layout no two rows
// have equal ones.
func (l *Layout) Columns() []uint32 {
	ids := make([]uint32, 0, len(l.Key)+len(l.Partition)+len(l.Sort))
	for _, k := range l.Key {
		ids = append(ids, k.ID)
	}
	if l.Key == nil {
		ids = appendColumns(appendColumns(ids, l.Partition), l.Sort)
	}
	return ids
}

// Sources are all columns that keys are made from, each once: those declared, then the
// hidden ones. Of a row that is all that is needed to find its item.
func (l *Layout) Sources() []uint32 {
	ids := l.Columns()
	if l.Key == nil {
		return ids
	}
	for _, id := range appendColumns(nil, l.Parts()) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func appendColumns(ids []uint32, parts []Part) []uint32 {
	for i := range parts {
		if p := &parts[i]; p.Plain() {
			ids = append(ids, p.Column)
		} else {
			ids = append(ids, p.Columns()...)
		}
	}
	return ids
}

// Partitioned says whether the partition of a table has columns that only PARTITION BY can have
// named: no option tells of them.
func (t *Table) Partitioned() bool {
	l := &t.Primary
	parts := slices.DeleteFunc(slices.Clone(l.Partition), func(p Part) bool { return p.Kind == part.Heavy })
	named := slices.DeleteFunc(slices.Clone(parts), func(p Part) bool {
		return p.Sharded() || p.Kind == part.Text || p.Kind == part.ZAddress
	})
	if len(named) == 0 {
		return false
	}
	return len(parts) > 1 || l.Curve() != nil || !named[0].Is(l.Columns()[0])
}

// Random is the part that is chosen at random for each row, nil where there is none.
func (l *Layout) Random() *Part {
	for i := range l.Partition {
		if p := &l.Partition[i]; p.Random() {
			return p
		}
		for j := range l.Partition[i].Pieces {
			if p := &l.Partition[i].Pieces[j]; p.Random() {
				return p
			}
		}
	}
	return nil
}

// Sorted says whether keys have a sort part.
func (l *Layout) Sorted() bool { return len(l.Sort)+len(l.Tie) > 0 }

// Curve is the dimensions of a Z-order index, nil for other layouts.
func (l *Layout) Curve() []Dimension {
	if len(l.Sort) == 0 {
		return nil
	}
	return l.Sort[0].Curve
}

// TopBits is how many leading bits of a Z-address are the partition, 0 in other layouts.
func (l *Layout) TopBits() int {
	if len(l.Partition) == 0 || l.Partition[0].Kind != part.ZAddress {
		return 0
	}
	return l.Partition[0].Count
}

// Source implements part.Table.
func (t *Table) Source(id uint32) part.Source {
	at := t.Ordinal(id)
	if at < 0 {
		return part.Source{ID: id, Ordinal: at}
	}
	c := &t.Columns[at]
	if axis.Is(id) { // a point may be empty
		return part.Source{ID: id, Ordinal: at, Name: axis.Name(id, c.Name), Type: types.Float8}
	}
	return part.Source{ID: id, Ordinal: at, Name: c.Name, Type: c.Type, Filled: c.NotNull}
}

// KeyBytes implements part.Table.
func (t *Table) KeyBytes(id uint32) float64 { return t.keyBytes(t.Ordinal(id)) }
