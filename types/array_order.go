package types

import (
	"cmp"
	"encoding/binary"
)

// compareArrays goes by the first items that differ, then by how many there are, then by
// the shape.
func compareArrays(a, b *ArrayValue) int {
	order := cmp.Or(
		compareLists(a.Items, b.Items),
		cmp.Compare(len(a.Items), len(b.Items)),
		cmp.Compare(len(a.Dims), len(b.Dims)))
	for i := 0; order == 0 && i < len(a.Dims); i++ {
		order = cmp.Compare(a.Dims[i].Length, b.Dims[i].Length)
	}
	for i := 0; order == 0 && i < len(a.Dims); i++ {
		order = cmp.Compare(a.Dims[i].Lower, b.Dims[i].Lower)
	}
	return order
}

func appendArrayKey(dst []byte, a *ArrayValue) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(a.Dims)))
	for _, d := range a.Dims {
		dst = binary.AppendUvarint(dst, uint64(d.Length))
		dst = binary.AppendVarint(dst, int64(d.Lower))
	}
	return appendListKey(dst, a.Items)
}
