package ordered

import (
	"zproxy/types"
)

// The end of an array's items is below every tag, so that an array is below every longer
// one that begins with it.
const arrayEnd = 0x01

// appendArray writes the items, their end, and the shape, which tells arrays of the same
// items apart.
func appendArray(dst []byte, a *types.ArrayValue) []byte {
	dst = append(dst, tagArray)
	for _, v := range a.Items {
		dst = appendAscending(dst, v)
	}
	dst = appendInt(append(dst, arrayEnd), int64(len(a.Dims)))
	for _, d := range a.Dims {
		dst = appendInt(dst, int64(d.Length))
	}
	for _, d := range a.Dims {
		dst = appendInt(dst, int64(d.Lower))
	}
	return dst
}

// arrayLen is the number of bytes of an array's encoding.
func arrayLen(key []byte, desc bool) (int, error) {
	flip := flipped(desc)
	n := 1
	for n < len(key) && key[n] != arrayEnd^flip {
		if key[n]^flip == tagArray {
			return 0, errCorrupt // arrays are no elements
		}
		size, err := Len(key[n:], desc)
		if err != nil {
			return 0, err
		}
		n += size
	}
	if n++; n > len(key) {
		return 0, errCorrupt
	}
	dims, rest, err := Decode(key[n:], types.Int8, desc)
	if err != nil || dims.Int() < 0 || dims.Int() > types.MaxDims {
		return 0, errCorrupt
	}
	for range 2 * dims.Int() {
		if _, rest, err = Decode(rest, types.Int8, desc); err != nil {
			return 0, err
		}
	}
	return len(key) - len(rest), nil
}

// decodeArray reads one whole ascending encoding.
func decodeArray(enc []byte, t types.T) (types.Value, error) {
	element, ok := types.ElementOf(t)
	if !ok {
		return types.Null, errCorrupt
	}
	a := &types.ArrayValue{Element: element.OID}
	rest := enc[1:]
	for rest[0] != arrayEnd {
		var item types.Value
		var err error
		if item, rest, err = Decode(rest, element, false); err != nil {
			return types.Null, err
		}
		a.Items = append(a.Items, item)
	}
	numbers := []int(nil)
	for rest = rest[1:]; len(rest) > 0; {
		var n types.Value
		var err error
		if n, rest, err = Decode(rest, types.Int8, false); err != nil {
			return types.Null, err
		}
		numbers = append(numbers, int(n.Int()))
	}
	size := min(numbers[0], 1)
	for i := range numbers[0] {
		d := types.Dim{Length: numbers[1+i], Lower: numbers[1+numbers[0]+i]}
		if a.Dims = append(a.Dims, d); a.Check() != nil {
			return types.Null, errCorrupt
		}
		size *= d.Length
	}
	if size != len(a.Items) {
		return types.Null, errCorrupt
	}
	return types.NewArray(a), nil
}
