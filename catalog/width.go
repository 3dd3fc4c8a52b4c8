package catalog

import (
	"math"
	"math/bits"
	"strconv"

	"zproxy/store"
	"zproxy/types"
)

// EntryBytes is how many bytes an entry of an index is thought to take in a store that is charged by
// them, or with nil a row of the table: the key, and the columns that it stores under their names.
func (t *Table) EntryBytes(x *Index) float64 {
	key := &t.Primary
	if x != nil {
		key = &x.Layout
	}
	sum := float64(store.ItemOverhead(key.Sorted())) + t.layoutBytes(key)
	for _, at := range t.StoredOrdinals(x) {
		if x == nil && t.Columns[at].Blank(t) {
			continue
		}
		sum += (float64(len(t.Columns[at].Name)) + t.valueBytes(at)) * t.filled(at)
	}
	return sum
}

// layoutBytes is what the key of an entry is thought to take.
func (t *Table) layoutBytes(l *Layout) float64 {
	if l.Unique {
		return t.partsBytes(l.Parts())
	}
	return t.partsBytes(append(l.Parts(), l.Tie...))
}

func (t *Table) partsBytes(parts []Part) (sum float64) {
	for i := range parts {
		sum += parts[i].Bytes(t)
	}
	return sum
}

const (
	// shortText is how long a text is thought to be of which nothing is known.
	shortText = 32
	// delimiters are what a key has for a text besides its bytes.
	delimiters = 3
)

// filled is the share of rows that have a value in a column.
func (t *Table) filled(column int) float64 { return 1 - t.Stats.Columns[t.Columns[column].ID].Nulls }

// keyBytes is how many bytes a value of a column is thought to take in a key.
func (t *Table) keyBytes(column int) float64 {
	switch t.Columns[column].Type.Kind() {
	case types.KindInt:
		return 1 + math.Ceil(float64(bits.Len64(t.greatest(column)))/8)
	case types.KindBool:
		return 1
	case types.KindDate:
		return 3
	case types.KindTimestamp, types.KindTime, types.KindFloat:
		return 9
	case types.KindUUID:
		return 17
	}
	return t.textBytes(column) + delimiters
}

// valueBytes is how many bytes a value of a column is thought to take that is stored under a name:
// numbers by their digits, and what has no type of its own in such a store as text.
func (t *Table) valueBytes(column int) float64 {
	typ := t.Columns[column].Type
	switch typ.Kind() {
	case types.KindInt:
		return float64(len(strconv.FormatUint(t.greatest(column), 10)))/2 + 1
	case types.KindFloat:
		return 10
	case types.KindBool:
		return 1
	case types.KindUUID:
		return 36
	case types.KindDate:
		return 10
	case types.KindTime, types.KindTimetz:
		return 15
	case types.KindTimestamp:
		return 25
	case types.KindNumeric:
		const head = 8 // of its binary form, which has two bytes for four digits
		return math.Max(t.textBytes(column)-head, 2) + 1
	}
	return t.textBytes(column)
}

// textBytes is how long a value is.
func (t *Table) textBytes(column int) float64 {
	if w := t.Stats.Columns[t.Columns[column].ID].Width; w > 0 {
		return w
	}
	if t.Columns[column].Type.Kind() == types.KindNumeric {
		return 12
	}
	return longText(t)
}

// longText is how long the texts are thought to be of a table that has no statistics: what the mean row has more than
// the rest of it takes is shared among them.
func longText(t *Table) float64 {
	width := t.Stats.Extent.Get().Width
	if t.Stats.Known || width == 0 {
		return shortText
	}
	plain, texts := *t, 0.0
	plain.Stats = Stats{}
	for i := range t.Columns {
		switch t.Columns[i].Type.Kind() {
		case types.KindText, types.KindCollated, types.KindBytes, types.KindJSON, types.KindJSONB, types.KindArray,
			types.KindRange:
			texts++
		}
	}
	if texts == 0 {
		return shortText
	}
	return math.Max(1, shortText+(width-plain.EntryBytes(nil))/texts)
}

// greatest is the magnitude that the integers of a column are thought to have at the most: most of the
// numbers up to one have as many digits.
func (t *Table) greatest(column int) uint64 {
	c := &t.Columns[column]
	s := t.Stats.Columns[c.ID]
	if !s.Min.IsNull() && !s.Max.IsNull() && s.Max.Kind() == types.KindInt {
		return max(magnitude(s.Min.Int()), magnitude(s.Max.Int()))
	}
	switch c.Type.OID {
	case types.OIDInt2:
		return 9999
	case types.OIDInt4:
		return 999_999
	}
	return 9_999_999_999
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}
