package rows

import (
	"encoding/binary"
	"math"

	"zproxy/types"
)

// appendArray appends, behind their length, the type of the elements, the number of
// dimensions with length and lower bound of each, and of every item its tag plus one and
// its payload; a NULL is 0.
func appendArray(dst []byte, a *types.ArrayValue) []byte {
	body := binary.AppendUvarint(nil, uint64(a.Element))
	body = binary.AppendUvarint(body, uint64(len(a.Dims)))
	for _, d := range a.Dims {
		body = binary.AppendUvarint(body, uint64(d.Length))
		body = binary.AppendVarint(body, int64(d.Lower))
	}
	for _, v := range a.Items {
		if v.IsNull() {
			body = append(body, 0)
			continue
		}
		body = appendPayload(append(body, tagOf(v)+1), v)
	}
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	return append(dst, body...)
}

// array reads an array and says how long it is, negative when damaged.
func (d *Decoder) array(p []byte) (types.Value, int) {
	body, n := counted(p)
	if n < 0 {
		return types.Null, -1
	}
	element, at := uvarint(body)
	if at <= 0 || element > math.MaxUint32 {
		return types.Null, -1
	}
	a := &types.ArrayValue{Element: types.OID(element)}
	items, body, ok := dims(a, body[at:])
	if !ok || items > len(body) {
		return types.Null, -1
	}
	if items > 0 {
		a.Items = make([]types.Value, items)
	}
	kind := types.Of(a.Element).Kind()
	if kind == types.KindArray {
		return types.Null, -1 // arrays are no elements
	}
	for i := range a.Items {
		if len(body) == 0 {
			return types.Null, -1
		}
		tag := body[0]
		if body = body[1:]; tag == 0 {
			continue
		}
		v, size := d.value(tag-1, body, kind)
		if size < 0 {
			return types.Null, -1
		}
		a.Items[i], body = v, body[size:]
	}
	if len(body) > 0 {
		return types.Null, -1
	}
	return types.NewArray(a), n
}

// dims reads the dimensions, says how many items they hold, and returns what follows.
func dims(a *types.ArrayValue, p []byte) (items int, rest []byte, ok bool) {
	count, n := uvarint(p)
	if n <= 0 || count > types.MaxDims {
		return 0, nil, false
	}
	p = p[n:]
	items = int(min(count, 1))
	for range count {
		length, n := uvarint(p)
		if n <= 0 || length > types.MaxItems {
			return 0, nil, false
		}
		lower, m := varint(p[n:])
		if m <= 0 || lower != int64(int32(lower)) {
			return 0, nil, false
		}
		p = p[n+m:]
		if items *= int(length); items > types.MaxItems {
			return 0, nil, false
		}
		a.Dims = append(a.Dims, types.Dim{Length: int(length), Lower: int(lower)})
	}
	return items, p, true
}
