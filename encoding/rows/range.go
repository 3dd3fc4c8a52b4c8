package rows

import (
	"encoding/binary"
	"math"

	"zproxy/types"
	"zproxy/types/ranges"
)

// multi is the head of a multirange, single that of a range.
const (
	single = 0
	multi  = 1
)

// appendRange appends the length of the rest, the type of the bounds, whether it is a multirange, the number of ranges,
// and of each its flags and its bounds. What has a column has the labels of enums from its type.
func appendRange(dst []byte, r *types.RangeValue) []byte {
	body := binary.AppendUvarint(nil, uint64(r.Subtype))
	head := byte(single)
	if r.Multi {
		head = multi
	}
	body = binary.AppendUvarint(append(body, head), uint64(len(r.Ranges)))
	for i := range r.Ranges {
		of := &r.Ranges[i]
		body = append(body, of.Flags())
		body = AppendValue(AppendValue(body, of.Lower.Value), of.Upper.Value)
	}
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	return append(dst, body...)
}

// ranges reads a range or a multirange and says how long it is, negative when damaged.
func (d *Decoder) ranges(p []byte) (types.Value, int) {
	p, length := counted(p)
	subtype, at := uvarint(p)
	if length < 0 || at <= 0 || subtype > math.MaxUint32 || at == len(p) || d.depth == maxDepth {
		return types.Null, -1
	}
	d.depth++
	defer func() { d.depth-- }()
	r := &types.RangeValue{Subtype: types.OID(subtype), Multi: p[at] == multi}
	count, n := uvarint(p[at+1:])
	if n <= 0 || count > uint64(len(p)) || !r.Multi && count != 1 {
		return types.Null, -1
	}
	for at += 1 + n; count > 0; count-- {
		if at == len(p) {
			return types.Null, -1
		}
		flags := p[at]
		at++
		var bounds [2]types.Value
		for i := range bounds {
			if bounds[i], n = d.anyValue(p[at:]); n < 0 {
				return types.Null, -1
			}
			at += n
		}
		r.Ranges = append(r.Ranges, ranges.WithFlags(flags, bounds[0], bounds[1]))
	}
	return types.NewRange(r), length
}
