package types

import (
	"cmp"
	"encoding/binary"

	"zproxy/sqlerr"
)

// RecordValue is one row as a value.
type RecordValue struct {
	Names  []string // f1, f2, ... where the query gave none
	Types  []T
	Values []Value
	// Numbers are those of the attributes that a row from a store has; nil: one after the other from 1.
	Numbers []uint32
	depth   int // how many records are within one another in it, itself with them
}

// appendRecord writes (1,"a b",), a NULL as nothing.
func appendRecord(dst []byte, r *RecordValue, env *Env) []byte {
	dst = append(dst, '(')
	for i, v := range r.Values {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.IsNull() {
			continue
		}
		start := len(dst)
		dst = AppendText(dst, v, r.Types[i], env)
		if text := dst[start:]; len(text) > 0 && !hasAny(text, `"\(),`) {
			continue
		}
		if dst = quoteFrom(dst, start, doubled, env); len(dst) == start {
			return dst
		}
	}
	return append(dst, ')')
}

// doubled is the character before a quote or a backslash that is the same again.
const doubled = 0

// quoteFrom puts a text, which is what dst has from start on, in quotes, with a character before each quote and
// backslash in it. The text is gone when the statement is to end, or has no memory for so much: values within
// each other become twice as long with each.
func quoteFrom(dst []byte, start int, escape byte, env *Env) []byte {
	if env.Make(2*int64(len(dst)-start)) != nil {
		return dst[:start]
	}
	text := string(dst[start:])
	dst = append(dst[:start], '"')
	for i := range len(text) {
		if c := text[i]; c == '"' || c == '\\' {
			dst = append(dst, cmp.Or(escape, c))
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}

// appendBinaryRecord writes the number of fields, and of each its type and its value
// behind its length.
func appendBinaryRecord(dst []byte, r *RecordValue) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(r.Values)))
	for i, v := range r.Values {
		dst = binary.BigEndian.AppendUint32(dst, uint32(r.Types[i].Number()))
		dst = appendCountedBinary(dst, v, InfoOf(r.Types[i].OID))
	}
	return dst
}

// appendCountedBinary writes the length of a value's binary format before it, -1 for NULL.
func appendCountedBinary(dst []byte, v Value, info *Info) []byte {
	if v.IsNull() {
		return binary.BigEndian.AppendUint32(dst, 1<<32-1)
	}
	start := len(dst)
	dst = info.binary(append(dst, 0, 0, 0, 0), v)
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

// compareRecords goes by the first fields that differ, then by their number.
func compareRecords(a, b *RecordValue) int {
	return cmp.Or(compareLists(a.Values, b.Values), cmp.Compare(len(a.Values), len(b.Values)))
}

// compareLists goes by the first items that differ, as far as both lists reach. NULL is
// above everything and equal to itself, as in a sort. Items of records may be of
// different kinds.
func compareLists(a, b []Value) int {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		order := 0
		switch {
		case x.IsNull() || y.IsNull():
			order = cmp.Compare(nullRank(x), nullRank(y))
		case x.kind != y.kind:
			order = cmp.Compare(x.kind, y.kind)
		default:
			order = Compare(x, y)
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// CompareRows compares two values. Rows, field by field, must be of the same types as far as the
// first difference.
func CompareRows(a, b Value) (int, error) {
	if a.kind != KindRecord || b.kind != KindRecord {
		return Compare(a, b), nil
	}
	x, y := a.Record(), b.Record()
	for i := range min(len(x.Values), len(y.Values)) {
		if s, t := x.Types[i], y.Types[i]; s.OID != t.OID {
			return 0, sqlerr.New(sqlerr.DatatypeMismatch,
				"cannot compare dissimilar column types %s and %s at record column %d", s.Bare(), t.Bare(), i+1)
		}
		if order := compareLists(x.Values[i:i+1], y.Values[i:i+1]); order != 0 {
			return order, nil
		}
	}
	if len(x.Values) != len(y.Values) {
		return 0, sqlerr.New(sqlerr.DatatypeMismatch, "cannot compare record types with different numbers of columns")
	}
	return 0, nil
}

func nullRank(v Value) int {
	if v.IsNull() {
		return 1
	}
	return 0
}

func appendRecordKey(dst []byte, r *RecordValue) []byte {
	return appendListKey(dst, r.Values)
}

func appendListKey(dst []byte, items []Value) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(items)))
	for _, v := range items {
		dst = AppendKey(dst, v)
	}
	return dst
}
