package part

import (
	"zproxy/encoding/ordered"
	"zproxy/types"
)

// Bound is a part whose columns were found in a table. It never changes, and may be shared.
type Bound struct {
	Source         // of the value of a column
	Type   types.T // of the value that stands in the key
	Desc   bool
	// NullsSwapped is that of the part.
	NullsSwapped bool
	Of           Computed // nil: the value of a column
	Fixed        bool     // values are bytes of one length, which need no end in a key
	form
}

// Source is a column that parts are made from.
type Source struct {
	ID      uint32
	Ordinal int // in a row of the table
	Name    string
	Type    types.T
	Filled  bool // it is never NULL
}

// Computed is how the value of a part comes from columns.
type Computed interface {
	// Value is that of a row.
	Value(row types.Row) types.Value
	// Take says from what the value follows, and answers as Known does.
	Take(k Known) bool
}

// form is how a value is written into a text.
type form struct {
	width   int     // digits of a number, padded with zeros; 0: as many as it has
	from    int64   // what a number counts from
	pattern Pattern // of a time
	kept    bool    // the value of the column can be read back
}

// piece is what a computed part that stands in a text also tells.
type piece interface {
	Computed
	// nulls are the columns where NULL leaves no value.
	nulls() []Source
	// misfit says what is wrong with the value in a row, and of which column; it is empty where
	// nothing is.
	misfit(row types.Row, at spot) (why string, ordinal int)
}

// Bind finds the columns of a part in a table.
func (p *Part) Bind(t Table) (Bound, error) {
	out, err := p.kind().bind(p, t)
	out.width = p.Width
	return out, err
}

// BindAll finds the columns of parts in a table.
func BindAll(parts []Part, t Table) ([]Bound, error) {
	out := make([]Bound, len(parts))
	for i := range parts {
		var err error
		if out[i], err = parts[i].Bind(t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sourcesOf are columns by their IDs.
func sourcesOf(t Table, ids ...uint32) []Source {
	out := make([]Source, len(ids))
	for i, id := range ids {
		out[i] = t.Source(id)
	}
	return out
}

// Value is that of a row.
func (b *Bound) Value(row types.Row) types.Value {
	if b.Of != nil {
		return b.Of.Value(row)
	}
	return row[b.Ordinal]
}

// Append appends the encoding of a value in the order of the part.
func (b *Bound) Append(dst []byte, v types.Value) []byte {
	if b.NullsSwapped && v.IsNull() {
		return ordered.AppendNullBelow(dst, b.Desc)
	}
	return ordered.Append(dst, v, b.Desc)
}

// Take says from what the value follows, and answers as Known does.
func (b *Bound) Take(k Known) bool {
	if b.Of != nil {
		return b.Of.Take(k)
	}
	return k.Column(b)
}
