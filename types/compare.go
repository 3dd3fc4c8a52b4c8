package types

import (
	"cmp"
	"encoding/binary"
	"strings"

	"zproxy/types/float"
	"zproxy/types/json"
	"zproxy/types/numeric"
)

// Compare orders two values of one kind that are not NULL: -1, 0 or 1. Text goes by
// bytes; NaN is above every number and equal to itself, as in PostgreSQL. Points,
// json and jsonpath have no order in SQL; theirs here only has to be one.
func Compare(a, b Value) int {
	switch a.kind {
	case KindInt, KindDate, KindTimestamp, KindTime:
		return cmp.Compare(int64(a.a), int64(b.a))
	case KindTimetz:
		return cmp.Or(cmp.Compare(UTCOfTimetz(a), UTCOfTimetz(b)), cmp.Compare(a.West(), b.West()))
	case KindInterval:
		days1, micros1 := a.Interval().Ordered()
		days2, micros2 := b.Interval().Ordered()
		return cmp.Or(cmp.Compare(days1, days2), cmp.Compare(micros1, micros2))
	case KindText, KindBytes, KindJSON, KindEnum:
		return strings.Compare(a.Text(), b.Text())
	case KindBpchar, KindCitext:
		return strings.Compare(a.Compared(), b.Compared())
	case KindCollated:
		return compareCollated(a, b)
	case KindFloat:
		return float.Compare(a.Float(), b.Float())
	case KindNumeric:
		x, small := a.Small()
		if y, too := b.Small(); small && too {
			return x.Compare(y)
		}
		return numeric.Compare(a.Numeric(), b.Numeric())
	case KindArray:
		return compareArrays(a.Array(), b.Array())
	case KindRange:
		return compareRanges(a.Range(), b.Range())
	case KindRecord:
		return compareRecords(a.Record(), b.Record())
	case KindJSONB:
		return json.Compare(a.JSONB(), b.JSONB())
	case KindJSONPath:
		return strings.Compare(pathText(a), pathText(b))
	case KindPoint:
		return cmp.Or(
			float.Compare(bitsFloat(a.a), bitsFloat(b.a)),
			float.Compare(bitsFloat(a.b), bitsFloat(b.b)))
	default: // bool and uuid, whose halves are big-endian
		return cmp.Or(cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b))
	}
}

// Equal says whether two values of one kind that are not NULL are equal.
func Equal(a, b Value) bool {
	switch a.kind {
	case KindFloat, KindNumeric, KindPoint, KindInterval, KindBpchar, KindCitext, KindArray, KindRecord, KindRange,
		KindJSONB, KindJSONPath:
		return Compare(a, b) == 0
	case KindCollated:
		if a.Order().Deterministic() && b.Order() == a.Order() {
			return a.Compared() == b.Compared()
		}
		return compareCollated(a, b) == 0
	case KindText, KindBytes, KindJSON, KindEnum:
		return a.Text() == b.Text()
	default:
		return a.a == b.a && a.b == b.b
	}
}

// AppendKey appends bytes that are equal exactly for equal values of one kind, NULL
// being equal to itself: 1.0 and 1.00, 0 and -0, NaN and NaN. Keys may follow each
// other, since a key's length follows from its start. They are for hashing and have no
// order.
func AppendKey(dst []byte, v Value) []byte {
	dst = append(dst, byte(v.kind))
	switch v.kind {
	case KindNull:
		return dst
	case KindBool:
		return append(dst, byte(v.a))
	case KindText, KindBytes, KindJSON, KindEnum:
		dst = binary.AppendUvarint(dst, v.a)
		return append(dst, v.Text()...)
	case KindBpchar, KindCitext:
		s := v.Compared()
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		return append(dst, s...)
	case KindFloat:
		return binary.BigEndian.AppendUint64(dst, float.Key(v.Float()))
	case KindNumeric:
		if s, is := v.Small(); is {
			return s.AppendKey(dst)
		}
		return numeric.AppendKey(dst, v.Numeric())
	case KindCollated:
		s := v.Compared()
		if !v.Order().Deterministic() {
			s = string(v.SortKey())
		}
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		return append(dst, s...)
	case KindArray:
		return appendArrayKey(dst, v.Array())
	case KindRange:
		return appendRangeKey(dst, v.Range())
	case KindRecord:
		return appendRecordKey(dst, v.Record())
	case KindJSONB:
		return json.AppendKey(dst, v.JSONB())
	case KindJSONPath:
		text := pathText(v)
		dst = binary.AppendUvarint(dst, uint64(len(text)))
		return append(dst, text...)
	case KindPoint:
		dst = binary.BigEndian.AppendUint64(dst, float.Key(v.Float()))
		return binary.BigEndian.AppendUint64(dst, float.Key(bitsFloat(v.b)))
	case KindInterval:
		days, micros := v.Interval().Ordered()
		dst = binary.BigEndian.AppendUint64(dst, uint64(days))
		return binary.BigEndian.AppendUint64(dst, uint64(micros))
	case KindUUID, KindTimetz:
		dst = binary.BigEndian.AppendUint64(dst, v.a)
		return binary.BigEndian.AppendUint64(dst, v.b)
	default:
		return binary.BigEndian.AppendUint64(dst, v.a)
	}
}
