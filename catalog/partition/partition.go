// Package partition has the ranges of values that divide the rows of a partitioned table among its partitions, which
// are tables themselves. The tables are in package catalog, and a snapshot of it knows which partitions a table has.
// Read Of first.
package partition

import (
	"cmp"
	"strings"

	"zproxy/types"
)

// By says how the rows of a partitioned table are divided: by ranges of a column. The table itself has no rows.
type By struct {
	Column uint32
}

// Of makes a table a partition of another one. Its columns are those of the parent: equal IDs, names and types at equal
// ordinals, so that rows of the one are rows of the other.
type Of struct {
	Parent   uint32
	Column   uint32 // which the parent is partitioned by
	Default  bool   `json:",omitempty"` // it has the rows that no other partition takes, and no range
	From, To Edge   // From <= value < To
	// Ahead says that it was made ahead of the rows that it is for. While it has none it gives way to another partition
	// of its range, and to another table of its name.
	Ahead bool `json:",omitempty"`
	// Export is where its rows are written to, or were; nil: nowhere.
	Export *Export `json:",omitempty"`
}

// Exported says whether there is a file with the rows of the partition.
func (p *Of) Exported() bool { return p.Export != nil && p.Export.Done }

// Export is a file with the rows that a partition had when it was old enough.
type Export struct {
	File string // its name, which stays the same when another process goes on with it
	By   uint64 `json:",omitempty"` // the process that writes it; 0: one that has the store for itself
	Done bool   `json:",omitempty"` // the file is there, and whole
}

// Edge is one end of the range of a partition.
type Edge struct {
	Infinity int8        `json:",omitempty"` // -1: MINVALUE, 1: MAXVALUE, 0: Value
	Value    types.Value `json:"-"`          // kept apart, as the text of its type
}

// Compare orders edges.
func (e Edge) Compare(o Edge) int {
	if e.Infinity != 0 || o.Infinity != 0 {
		return cmp.Compare(e.Infinity, o.Infinity)
	}
	return types.Compare(e.Value, o.Value)
}

// Takes says whether a partition that is not the default one has the rows with a value.
func (p *Of) Takes(v types.Value) bool {
	return !v.IsNull() && p.From.Compare(Edge{Value: v}) <= 0 && p.To.Compare(Edge{Value: v}) > 0
}

// Overlaps says whether the ranges of two partitions have values in common, or both are the default one.
func (p *Of) Overlaps(o *Of) bool {
	if p.Default || o.Default {
		return p.Default && o.Default
	}
	return p.From.Compare(o.To) < 0 && o.From.Compare(p.To) < 0
}

// Compare orders the partitions of a table by their ranges, the default one last.
func (p *Of) Compare(o *Of) int {
	if p.Default || o.Default {
		return map[bool]int{true: 1, false: -1}[p.Default]
	}
	return p.From.Compare(o.From)
}

// Text is how FOR VALUES of a partition by a column of a type is written.
func (p *Of) Text(t types.T) string {
	if p.Default {
		return "DEFAULT"
	}
	return "FOR VALUES FROM " + p.From.Text(t) + " TO " + p.To.Text(t)
}

// Text is how FOR VALUES has an edge among values of a type. As in PostgreSQL only numbers stand without quotes.
func (e Edge) Text(t types.T) string {
	switch {
	case e.Infinity < 0:
		return "(MINVALUE)"
	case e.Infinity > 0:
		return "(MAXVALUE)"
	}
	text := types.FormatText(e.Value, t, nil)
	digit := text != "" && text[0] >= '0' && text[0] <= '9'
	if digit && (t.OID == types.OIDInt4 || t.OID == types.OIDNumeric && strings.ContainsAny(text, ".e")) {
		return "(" + text + ")"
	}
	return "('" + strings.ReplaceAll(text, "'", "''") + "')"
}
