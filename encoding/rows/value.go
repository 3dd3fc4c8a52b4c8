package rows

import (
	"encoding/binary"
	"fmt"
	"math"

	"zproxy/types"
)

// trueBit is set in the first byte of a true boolean.
const trueBit = 0x80

// AppendValue appends a value of any kind, so that ReadValue finds it again without a column:
// its kind and its payload. Nothing that is stored has this form.
func AppendValue(dst []byte, v types.Value) []byte {
	head := byte(v.Kind())
	if v.IsTrue() {
		head |= trueBit
	}
	return appendTraits(appendPayload(append(dst, head), v), v)
}

// appendTraits appends what belongs to a value besides its payload: the label of an enum's value, the collation of a
// text, and behind an array those of all. What has a column has them from its type.
func appendTraits(dst []byte, v types.Value) []byte {
	switch v.Kind() {
	case types.KindEnum:
		return appendCounted(dst, v.Label())
	case types.KindCollated:
		return binary.AppendUvarint(dst, v.Collating())
	case types.KindArray:
		a := v.Array()
		collating := uint64(0) // all texts have one
		for _, item := range a.Items {
			if a.Element.IsEnum() && !item.IsNull() {
				dst = appendCounted(dst, item.Label())
			}
			collating = max(collating, item.Collating())
		}
		if a.Element.Collates() {
			dst = binary.AppendUvarint(dst, collating)
		}
	}
	return dst
}

// traits reads what appendTraits wrote for a value of a kind, and says how long it is, negative when it is damaged.
func (d *Decoder) traits(kind types.Kind, v types.Value, p []byte) (types.Value, int) {
	switch kind {
	case types.KindCollated:
		one := []types.Value{v}
		n := recollate(one, p)
		return one[0], n
	case types.KindEnum:
		label, n := d.text(p)
		return types.NewEnum(v.Text(), label), n
	case types.KindArray:
		a := v.Array()
		switch {
		case a.Element.IsEnum():
			return v, d.eachTraits(a.Items, p)
		case a.Element.Collates():
			return v, recollate(a.Items, p)
		}
	}
	return v, 0
}

// eachTraits is traits of the items of an array.
func (d *Decoder) eachTraits(items []types.Value, p []byte) (at int) {
	for i, item := range items {
		if item.IsNull() {
			continue
		}
		one, n := d.traits(item.Kind(), item, p[at:])
		if n < 0 {
			return -1
		}
		items[i], at = one, at+n
	}
	return at
}

// recollate gives texts the collation that bytes begin with, and says how long that is, negative when it is damaged.
func recollate(texts []types.Value, p []byte) int {
	collating, n := uvarint(p)
	if n <= 0 {
		return -1
	}
	for i := range texts {
		if texts[i].IsNull() || collating == 0 {
			continue
		}
		var ok bool
		if texts[i], ok = texts[i].Recollated(collating); !ok {
			return -1
		}
	}
	return n
}

// ReadValue reads what AppendValue wrote, and returns what follows it.
func (d *Decoder) ReadValue(p []byte) (v types.Value, rest []byte, err error) {
	v, n := d.anyValue(p)
	if n < 0 {
		return types.Null, nil, fmt.Errorf("%w: value", ErrCorrupt)
	}
	return v, p[n:], nil
}

// anyValue is ReadValue that says how long the value is, negative when it is damaged.
func (d *Decoder) anyValue(p []byte) (types.Value, int) {
	if len(p) == 0 {
		return types.Null, -1
	}
	kind := types.Kind(p[0] &^ trueBit)
	if int(kind) >= len(tags) {
		return types.Null, -1
	}
	v, n := d.value(tags[kind]+p[0]/trueBit, p[1:], kind)
	if n < 0 {
		return types.Null, -1
	}
	v, m := d.traits(kind, v, p[1+n:])
	if m < 0 {
		return types.Null, -1
	}
	return v, 1 + n + m
}

// appendRecord appends the length of the rest, the number of fields, and of each its name, its type and its value. What
// has a column has the names and types of its type, which may have got more fields.
func appendRecord(dst []byte, r *types.RecordValue) []byte {
	body := binary.AppendUvarint(nil, uint64(len(r.Values)))
	for i, v := range r.Values {
		body = appendCounted(body, r.Names[i])
		body = binary.AppendUvarint(body, uint64(r.Types[i].OID))
		body = AppendValue(binary.AppendVarint(body, int64(r.Types[i].Mod)), v)
	}
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	return append(dst, body...)
}

// record reads a record and says how long it is, negative when damaged.
func (d *Decoder) record(p []byte) (types.Value, int) {
	p, length := counted(p)
	if length < 0 {
		return types.Null, -1
	}
	count, at := uvarint(p)
	if at <= 0 || count > uint64(len(p)) || d.depth == maxDepth {
		return types.Null, -1
	}
	d.depth++
	defer func() { d.depth-- }()
	r := &types.RecordValue{
		Names: make([]string, count), Types: make([]types.T, count), Values: make([]types.Value, count),
	}
	for i := range r.Values {
		n := 0
		if r.Names[i], n = d.text(p[at:]); n < 0 {
			return types.Null, -1
		}
		at += n
		if r.Types[i], n = fieldType(p[at:]); n < 0 {
			return types.Null, -1
		}
		at += n
		if r.Values[i], n = d.anyValue(p[at:]); n < 0 {
			return types.Null, -1
		}
		at += n
	}
	return types.NewRecord(r), length
}

// fieldType reads the type of a record's field.
func fieldType(p []byte) (types.T, int) {
	oid, n := uvarint(p)
	if n <= 0 || oid > math.MaxUint32 {
		return types.T{}, -1
	}
	mod, m := varint(p[n:])
	if m < 0 || mod != int64(int32(mod)) {
		return types.T{}, -1
	}
	return types.T{OID: types.OID(oid), Mod: int32(mod)}, n + m
}

// jsonpath reads the text of a jsonpath.
func (d *Decoder) jsonpath(p []byte) (types.Value, int) {
	text, n := d.text(p)
	if n < 0 {
		return types.Null, -1
	}
	v, err := types.ParseText(text, types.Of(types.OIDJSONPath), nil)
	if err != nil {
		return types.Null, -1
	}
	return v, n
}
