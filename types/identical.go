package types

import (
	"slices"

	"zproxy/types/json"
	"zproxy/types/numeric"
)

// Identical says whether two values of one type, or NULLs, are stored as the same bytes. Equal ones
// need not be: 1.0 and 1.00, 0 and -0, '1 mon' and '30 days', a char(n) of more blanks. What holds copies
// of values has them anew unless they are identical.
func Identical(a, b Value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case KindText, KindBytes, KindBpchar, KindCitext, KindCollated, KindJSON, KindEnum:
		return a.Text() == b.Text()
	case KindNumeric:
		x, small := a.Small()
		y, too := b.Small()
		return small == too && x == y && (small || numeric.Identical(a.Numeric(), b.Numeric()))
	case KindJSONB:
		return json.Identical(a.JSONB(), b.JSONB())
	case KindJSONPath:
		return pathText(a) == pathText(b)
	case KindArray:
		x, y := a.Array(), b.Array()
		return x.Element == y.Element && slices.Equal(x.Dims, y.Dims) && slices.EqualFunc(x.Items, y.Items, Identical)
	case KindRange:
		return identicalRanges(a.Range(), b.Range())
	case KindRecord:
		x, y := a.Record(), b.Record()
		return slices.EqualFunc(x.Types, y.Types, T.Same) && slices.EqualFunc(x.Values, y.Values, Identical)
	}
	return a.a == b.a && a.b == b.b
}

// OneForm says whether equal values of the type are identical.
func (t T) OneForm() bool {
	switch t.Kind() {
	case KindBool, KindInt, KindText, KindBytes, KindDate, KindTimestamp, KindUUID, KindTime,
		KindEnum:
		return true
	case KindCollated:
		return t.Collation.Order.Deterministic() && (t.OID != OIDBpchar || t.Mod >= 0)
	case KindNumeric, KindBpchar:
		return t.Mod >= 0 // all have as many digits behind the point, or blanks up to the same length
	case KindRange:
		return t.Range() != nil && t.Range().Subtype.OneForm()
	}
	return false
}
