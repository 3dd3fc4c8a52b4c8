package part

import (
	"slices"

	"zproxy/encoding/ordered"
	"zproxy/types"
)

// Part is one part of a key: a value that is computed from a row. Which of the fields
// mean something depends on the kind.
type Part struct {
	Kind   Kind
	Column uint32 // of a part that is computed from one column
	Desc   bool   // of a Column
	// NullsSwapped says that NULLs are first if the values ascend, and last if they descend.
	NullsSwapped bool `json:",omitempty"`
	// Count is the shards of a Shard, the hexadecimal digits of a Prefix, the leading bits
	// that a ZAddress keeps (0: all), and of a Column that is random, how many values it
	// takes from 0 on (0: it is not).
	Count  int         `json:",omitempty"`
	Of     []uint32    `json:",omitempty"` // of a Shard and of Heavy: the columns that are hashed
	Unit   Unit        `json:",omitempty"` // of a Bucket: the value is the start of its unit
	Format string      `json:",omitempty"` // of a Bucket in a text: as to_char writes it
	Width  int         `json:",omitempty"` // of a number in a text: digits, padded with zeros
	Size   string      `json:",omitempty"` // of a NumberBucket of numerics: how wide it is; Count says it of integers
	Text   string      `json:",omitempty"` // of a Literal
	Pieces []Part      `json:",omitempty"` // of a Text: what is joined; of a Prefix: what is hashed
	Curve  []Dimension `json:",omitempty"` // of a ZAddress
	Keys   []heavyKey  `json:",omitempty"` // of Heavy: those of Column that have shards, in their order
}

// Kind is what a part is made of. The catalog stores the number.
type Kind uint8

// kinds are all kinds.
var kinds = [...]kind{
	Column:       column{},
	ZAddress:     zAddress{},
	Shard:        shard{},
	Bucket:       bucket{},
	Prefix:       prefix{},
	Text:         text{},
	Literal:      literal{},
	NumberBucket: numberBucket{},
	Heavy:        heavy{},
}

// kind is what the parts of one kind have in common. A kind embeds base for what it has nothing
// to say about.
type kind interface {
	// columns are those that a part is computed from, each once.
	columns(p *Part) []uint32
	// bind finds the columns in a table.
	bind(p *Part, t Table) (Bound, error)
	// describe says what a part is made of: shard(a, b) of 16, month(at).
	describe(p *Part, t Table) string
	// partitions is how many values there are whatever the rows are, 0 if rows decide.
	partitions(p *Part) int
	// count says what n values are: 3 of 16 shards, 12 months of at.
	count(p *Part, t Table, n int) string
	// follows is the column in whose order the values come.
	follows(p *Part) (column uint32, ok bool)
	sized
	written
}

// sized is what a kind says of lengths.
type sized interface {
	// leastBytes is no more than the bytes that a part has in any key.
	leastBytes(p *Part, t Table) int
	// bytes is what a part is thought to take in a key.
	bytes(p *Part, t Table) float64
	// leastText is no more than the bytes that a part has in any text.
	leastText(p *Part) int
}

// written is what a kind says of parts in a text.
type written interface {
	// template writes a part as the option partition_key has it.
	template(p *Part, t Table) string
	// keeps says whether the value of the column can be read back from a text with the part in it.
	keeps(p *Part, t Table) bool
	// varies says whether a part may have more than one length in a text. It could go on with each of
	// some bytes: text before it must not end with one of before, nor text behind it begin with one of
	// behind, which is empty where it could go on with any.
	varies(p *Part, t Table) (before, behind string, ok bool)
}

func (p *Part) kind() kind {
	switch {
	case p.Random():
		return random{}
	case p.Kind == ZAddress && p.Count > 0:
		return topBits{}
	case int(p.Kind) >= len(kinds):
		return later{}
	}
	return kinds[p.Kind]
}

// Columns are the columns that a part is computed from, each once.
func (p Part) Columns() []uint32 { return p.kind().columns(&p) }

// Plain says whether a part is the value of a column as it is.
func (p *Part) Plain() bool { return p.Kind == Column && p.Count == 0 }

// Marker is the encoding of a part that is the same in every key, nil for another part.
func (p *Part) Marker() []byte {
	if p.Kind != Literal {
		return nil
	}
	return ordered.Append(nil, types.NewText(p.Text), p.Desc)
}

// With is the part of another table, which has other columns for its columns.
func (p Part) With(of func(column uint32) uint32) Part {
	if p.Column != 0 {
		p.Column = of(p.Column)
	}
	p.Of = slices.Clone(p.Of)
	for i, id := range p.Of {
		p.Of[i] = of(id)
	}
	return p
}

// NullsFirst says whether NULLs come before the values.
func (p *Part) NullsFirst() bool { return p.Desc != p.NullsSwapped }

// Direction is the order of a column as DDL has it behind the column.
func (p *Part) Direction() string {
	switch {
	case p.Desc && p.NullsSwapped:
		return " DESC NULLS LAST"
	case p.Desc:
		return " DESC"
	case p.NullsSwapped:
		return " NULLS FIRST"
	}
	return ""
}

// Is says whether a part is the value of one column as it is.
func (p *Part) Is(column uint32) bool { return p.Plain() && p.Column == column }

// Random says whether a part is chosen at random for each row, and kept in a hidden column.
func (p *Part) Random() bool { return p.Kind == Column && p.Count > 0 }

// Sharded says whether a part is the number of a shard.
func (p *Part) Sharded() bool { return p.Kind == Shard || p.Kind == Heavy || p.Random() }

// Describe says what a part is made of: shard(a, b) of 16, month(at).
func (p Part) Describe(t Table) string { return p.kind().describe(&p, t) }

// Template writes a part as the option partition_key has it: {invoice_number}-{shard}.
// DDL reads it back as the same part.
func (p Part) Template(t Table) string { return p.kind().template(&p, t) }

// LeastBytes is no more than the bytes that a part has in any key.
func (p *Part) LeastBytes(t Table) int { return p.kind().leastBytes(p, t) }

// Bytes is what a part is thought to take in a key.
func (p *Part) Bytes(t Table) float64 { return p.kind().bytes(p, t) }

// Partitions is how many values a part has whatever the rows are, 0 if rows decide.
func (p *Part) Partitions() int { return p.kind().partitions(p) }

// Values says what n values of a part are: 3 of 16 shards, 12 months of at.
func (p Part) Values(t Table, n int) string { return p.kind().count(&p, t, n) }

// Follows is the column in whose order the values come: equal or smaller values of the column
// never have a larger one.
func (p *Part) Follows() (column uint32, ok bool) { return p.kind().follows(p) }

// Keeps says whether the value of the column can be read back from a text with the part in it:
// that of a column as it is, and a date by a pattern that determines it.
func (p *Part) Keeps(t Table) bool { return p.kind().keeps(p, t) }

// Varies says whether a part may have more than one length in a text. It could go on with each of
// some bytes: text before it must not end with one of before, nor text behind it begin with one of
// behind. Both are empty where it could go on with any.
func (p *Part) Varies(t Table) (before, behind string, ok bool) { return p.kind().varies(p, t) }
