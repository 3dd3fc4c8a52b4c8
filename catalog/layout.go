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
	// NullsEqual says that NULLs of a unique key are equal to each other after all.
	NullsEqual bool `json:",omitempty"`
	// Key is the columns of the key as they were declared, where the parts are not just
	// these: what is unique, and what clients are told.
	Key []KeyColumn `json:",omitempty"`
}

// KeyColumn is a column of a key as it was declared.
type KeyColumn struct {
	ID   uint32
	Desc bool
}

// Part is one part of a key: a value that is computed from a row. Which of the fields
// mean something depends on the kind.
type Part struct {
	Kind   PartKind
	Column uint32 // ColumnPart, BucketPart
	Desc   bool   // ColumnPart
	// Count is the shards of a ShardPart, the hexadecimal digits of a PrefixPart, the
	// leading bits that a ZAddressPart keeps (0: all), and of a ColumnPart that is
	// random, how many values it takes from 0 on (0: it is not).
	Count  int         `json:",omitempty"`
	Of     []uint32    `json:",omitempty"` // ShardPart: the columns that are hashed
	Unit   BucketUnit  `json:",omitempty"` // BucketPart: the value is the start of its unit
	Format string      `json:",omitempty"` // BucketPart in a text: as to_char writes it
	Width  int         `json:",omitempty"` // integers and shards in a text: digits, padded with zeros
	Text   string      `json:",omitempty"` // LiteralPart
	Pieces []Part      `json:",omitempty"` // TextPart: what is joined; PrefixPart: what is hashed
	Curve  []Dimension `json:",omitempty"` // ZAddressPart
}

// PartKind is what a part is made of.
type PartKind uint8

// The kinds of parts.
const (
	ColumnPart   PartKind = iota // the value of a column, NULL last, or first when descending
	ZAddressPart                 // the interleaved bits of the dimensions
	ShardPart                    // a hash of columns modulo Count; in a text it counts from 1
	BucketPart                   // the minute, hour, day ... in which a time lies, in UTC
	PrefixPart                   // the first digits of the md5 of the pieces' text
	TextPart                     // the pieces' text
	LiteralPart                  // a text that is the same in every row; only a piece
)

// BucketUnit is how long a bucket is.
type BucketUnit string

// The units of buckets.
const (
	Minute BucketUnit = "minute"
	Hour   BucketUnit = "hour"
	Day    BucketUnit = "day"
	Week   BucketUnit = "week"
	Month  BucketUnit = "month"
	Year   BucketUnit = "year"
)

// BucketUnits are all units, from the shortest to the longest.
var BucketUnits = []BucketUnit{Minute, Hour, Day, Week, Month, Year}

// Limits of keys, those of DynamoDB: a layout means the same on every store.
const (
	MaxPartitionBytes = 2048
	MaxSortBytes      = 1024
	MaxShards         = 256
)

// Parts are the parts of the key proper, without the tie-breaker.
func (l *Layout) Parts() []Part { return slices.Concat(l.Partition, l.Sort) }

// Declared are the columns of the key as they were declared.
func (l *Layout) Declared() []KeyColumn {
	if l.Key != nil {
		return l.Key
	}
	var out []KeyColumn
	for _, p := range l.Parts() {
		for _, id := range p.Columns() {
			out = append(out, KeyColumn{ID: id, Desc: p.Desc})
		}
	}
	return out
}

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
		if p := &parts[i]; p.Kind == ColumnPart {
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
	named := slices.DeleteFunc(slices.Clone(l.Partition), func(p Part) bool {
		return p.Kind == ShardPart || p.Kind == TextPart || p.Count > 0
	})
	if len(named) == 0 {
		return false
	}
	return len(l.Partition) > 1 || named[0].Kind != ColumnPart || named[0].Column != l.Columns()[0]
}

// Random is the part that is chosen at random for each row, nil where there is none.
func (l *Layout) Random() *Part {
	for i := range l.Partition {
		if p := &l.Partition[i]; p.Kind == ColumnPart && p.Count > 0 {
			return p
		}
		for j := range l.Partition[i].Pieces {
			if p := &l.Partition[i].Pieces[j]; p.Kind == ColumnPart && p.Count > 0 {
				return p
			}
		}
	}
	return nil
}

// Columns are the columns that a part is computed from, each once.
func (p Part) Columns() []uint32 {
	switch p.Kind {
	case ColumnPart, BucketPart:
		return []uint32{p.Column}
	case ShardPart:
		return p.Of
	case ZAddressPart:
		ids := make([]uint32, len(p.Curve))
		for i, d := range p.Curve {
			ids[i] = d.Column
		}
		return ids
	}
	var ids []uint32
	for _, piece := range p.Pieces {
		for _, id := range piece.Columns() {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Sorted says whether keys have a sort part.
func (l *Layout) Sorted() bool { return len(l.Sort)+len(l.Tie) > 0 }
