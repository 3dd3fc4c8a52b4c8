// Package partition says how the rows of a partitioned table are divided among its partitions, which are tables
// themselves: by ranges of values, by lists of them, or by their hashes. The tables are in package catalog, and a
// snapshot of it knows which partitions a table has. Read By and Of first; bounds.go compares what partitions take.
package partition

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"zproxy/types"
)

// Strategy is what the rows of a table are divided by.
type Strategy string

// The strategies, by the words of PARTITION BY.
const (
	Range Strategy = "range"
	List  Strategy = "list"
	Hash  Strategy = "hash"
)

// By says how the rows of a partitioned table are divided. The table itself has no rows.
type By struct {
	Strategy Strategy `json:",omitempty"`
	Keys     []Key    `json:",omitempty"`
}

// Key is a column by whose values rows are divided, or an expression.
type Key struct {
	Column uint32 `json:",omitempty"` // 0: the next one of the expressions, which the table keeps
	Type   types.T
	Class  string `json:",omitempty"` // the operator class, if it is not the default one
}

// Columns are the columns among the keys.
func (b *By) Columns() (out []uint32) {
	for _, k := range b.Keys {
		if k.Column != 0 {
			out = append(out, k.Column)
		}
	}
	return out
}

// Computed says whether an expression is among the keys.
func (b *By) Computed() bool { return len(b.Columns()) < len(b.Keys) }

// Of makes a table a partition of another one. Its columns are those of the parent: equal IDs, names and types at equal
// ordinals, so that rows of the one are rows of the other.
type Of struct {
	Parent  uint32
	By      By
	Default bool `json:",omitempty"` // it has the rows that no other partition takes

	From, To           []Edge        `json:"-"` // of a range: From <= values < To; kept apart, with values as texts
	In                 []types.Value `json:"-"` // of a list, NULL among them; kept apart likewise
	Modulus, Remainder int           `json:",omitempty"`

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

// Edge is one value of an end of the range of a partition.
type Edge struct {
	Infinity int8 // -1: MINVALUE, 1: MAXVALUE, 0: Value
	Value    types.Value
}

// Compare orders edges.
func (e Edge) Compare(o Edge) int {
	if e.Infinity != 0 || o.Infinity != 0 {
		return cmp.Compare(e.Infinity, o.Infinity)
	}
	return types.Compare(e.Value, o.Value)
}

// CompareEnds orders ends of ranges. What stands behind MINVALUE or MAXVALUE does not count.
func CompareEnds(a, b []Edge) int {
	for i := range min(len(a), len(b)) {
		if c := a[i].Compare(b[i]); c != 0 || a[i].Infinity != 0 {
			return c
		}
	}
	return 0
}

// Text is how FOR VALUES of a partition is written.
func (p *Of) Text() string {
	switch {
	case p.Default:
		return "DEFAULT"
	case p.By.Strategy == Hash:
		return "FOR VALUES WITH (modulus " + strconv.Itoa(p.Modulus) + ", remainder " + strconv.Itoa(p.Remainder) + ")"
	case p.By.Strategy == List:
		var out []string
		for _, v := range p.In {
			out = append(out, valueText(v, p.By.Keys[0].Type))
		}
		return "FOR VALUES IN (" + strings.Join(out, ", ") + ")"
	}
	return "FOR VALUES FROM " + p.By.EndText(p.From) + " TO " + p.By.EndText(p.To)
}

// EndText is how FOR VALUES has an end of a range.
func (b *By) EndText(end []Edge) string {
	var out []string
	for i, e := range end {
		switch {
		case e.Infinity < 0:
			out = append(out, "MINVALUE")
		case e.Infinity > 0:
			out = append(out, "MAXVALUE")
		default:
			out = append(out, valueText(e.Value, b.Keys[i].Type))
		}
	}
	return "(" + strings.Join(out, ", ") + ")"
}

// valueText is how FOR VALUES has a value of a type. As in PostgreSQL only numbers and truth values stand without
// quotes.
func valueText(v types.Value, t types.T) string {
	if v.IsNull() {
		return "NULL"
	}
	if t.OID == types.OIDBool {
		return strconv.FormatBool(v.Bool())
	}
	text := types.FormatText(v, t, nil)
	digit := text != "" && text[0] >= '0' && text[0] <= '9'
	if digit && (t.OID == types.OIDInt4 || t.OID == types.OIDNumeric && strings.ContainsAny(text, ".e")) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// Same says whether two values of a list are one.
func Same(a, b types.Value) bool {
	if a.IsNull() || b.IsNull() {
		return a.IsNull() && b.IsNull()
	}
	return types.Compare(a, b) == 0
}

// Lists says whether a list has a value.
func Lists(list []types.Value, v types.Value) bool {
	return slices.ContainsFunc(list, func(o types.Value) bool { return Same(o, v) })
}
