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
	return appendLabels(appendPayload(append(dst, head), v), v)
}

// appendLabels appends the label of an enum's value behind its key, and behind an array of them those of all. What has
// a column has the labels from its type.
func appendLabels(dst []byte, v types.Value) []byte {
	switch v.Kind() {
	case types.KindEnum:
		return appendCounted(dst, v.Label())
	case types.KindArray:
		if a := v.Array(); a.Element.IsEnum() {
			for _, item := range a.Items {
				if !item.IsNull() {
					dst = appendCounted(dst, item.Label())
				}
			}
		}
	}
	return dst
}

// labels reads what appendLabels wrote for a value, and says how long it is, negative when it is damaged.
func (d *Decoder) labels(v types.Value, p []byte) (types.Value, int) {
	if v.Kind() == types.KindEnum {
		label, n := d.text(p)
		return types.NewEnum(v.Text(), label), n
	}
	if v.Kind() != types.KindArray || !v.Array().Element.IsEnum() {
		return v, 0
	}
	at := 0
	for i, item := range v.Array().Items {
		if item.IsNull() {
			continue
		}
		one, n := d.labels(item, p[at:])
		if n < 0 {
			return types.Null, -1
		}
		v.Array().Items[i], at = one, at+n
	}
	return v, at
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
	v, m := d.labels(v, p[1+n:])
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
