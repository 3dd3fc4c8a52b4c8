package types

import (
	"bytes"
	"slices"

	"zproxy/types/collation"
)

// Collation is which collation a type has, of texts or of what consists of texts. The zero one is that of the type
// itself, which is by bytes.
type Collation struct {
	OID   uint32          `json:",omitempty"`
	Order collation.Order `json:",omitzero"`
}

// Mixed is the collation of what was made of texts of several, which nothing compares.
var Mixed = Collation{OID: ^uint32(0)}

// What a value knows of a collated text besides its order.
const (
	blanksBit = 1 << 32 // it is a char(n), whose blanks do not count
	keyBit    = 1 << 33 // it is a sort key, of a text that is not known
)

// Collating is a number for how a text is collated, 0 where it is by bytes. Recollated takes it.
func (v Value) Collating() uint64 {
	if v.kind != KindCollated {
		return 0
	}
	return v.b
}

// Recollated is a text that is collated as another one was; it says false for a number that none has.
func (v Value) Recollated(as uint64) (Value, bool) {
	if as == 0 {
		return v, v.kind != KindCollated
	}
	v.kind, v.b = KindCollated, as
	return v, as&^(1<<32-1|blanksBit|keyBit) == 0 && v.Order().Valid()
}

// In is the type with a collation.
func (t T) In(c Collation) T {
	t.Collation = c
	return t
}

// Collates says whether types with that OID have collations: those of texts, and of arrays of them.
func (oid OID) Collates() bool {
	info := InfoOf(oid)
	if info.Element != OIDInvalid {
		return info.Element.Collates()
	}
	switch oid {
	case OIDChar, OIDUnknown, OIDCstring:
		return false
	}
	return info.Category == CategoryString
}

// Order is the order of a text by its collation, 0 where it is by bytes.
func (v Value) Order() collation.Order {
	if v.kind != KindCollated {
		return 0
	}
	return collation.Order(uint32(v.b))
}

// Collate gives a text, or the texts in an array, the collation of the type.
func (t T) Collate(v Value) Value {
	switch v.kind {
	case KindText, KindBpchar, KindCollated:
		return v.ordered(t.Collation.Order)
	case KindArray:
		a := *v.Array()
		a.Items = make([]Value, len(a.Items))
		for i, item := range v.Array().Items {
			a.Items[i] = t.Collate(item)
		}
		return NewArray(&a)
	}
	return v
}

// Within gives a value of the type, which may come with the collation of an expression elsewhere, that of the type.
func (t T) Within(v Value) Value {
	if t.Collation.Order != 0 || v.collated() {
		return t.Collate(v)
	}
	return v
}

// collated says whether a value is a text that is not ordered by bytes, or an array of such.
func (v Value) collated() bool {
	switch v.kind {
	case KindCollated:
		return true
	case KindArray: // all its texts are of one collation
		items := v.Array().Items
		at := slices.IndexFunc(items, func(item Value) bool { return !item.IsNull() })
		return at >= 0 && items[at].collated()
	}
	return false
}

// WithText is another text of the same kind and collation.
func (v Value) WithText(s string) Value {
	t := NewText(s)
	v.ref, v.a = t.ref, t.a
	return v
}

// ordered is a text with another order.
func (v Value) ordered(o collation.Order) Value {
	blanks := v.kind == KindBpchar || v.kind == KindCollated && v.b&blanksBit != 0
	switch {
	case o != 0:
		v.kind, v.b = KindCollated, uint64(o)
		if blanks {
			v.b |= blanksBit
		}
	case blanks:
		v.kind, v.b = KindBpchar, 0
	default:
		v.kind, v.b = KindText, 0
	}
	return v
}

// collate is Collate after something that may have made another text, where the type has an order.
func (t T) collate(v Value, err error) (Value, error) {
	if t.Collation.Order == 0 || err != nil {
		return v, err
	}
	return t.Collate(v), nil
}

// compareCollated orders two texts of one collation.
func compareCollated(a, b Value) int {
	if (a.b|b.b)&keyBit != 0 {
		return bytes.Compare(a.SortKey(), b.SortKey())
	}
	return a.Order().Compare(a.Compared(), b.Compared())
}

// SortKey is what a text is ordered by in its collation, as bytes.
func (v Value) SortKey() []byte {
	if v.b&keyBit != 0 {
		return v.Bytes()
	}
	return v.Order().AppendKey(nil, v.Compared())
}

// OfSortKey is any text of the type that has a sort key: all that a key tells of those that are equal.
func (t T) OfSortKey(key []byte) Value {
	v := t.Collate(NewText(string(key)))
	v.b |= keyBit
	return v
}
