package json

import (
	"encoding/binary"
	"slices"

	"zproxy/types/numeric"
)

// Identical says whether two documents are stored as the same bytes: equal ones whose numbers have equal scales.
func Identical(a, b *Value) bool {
	if a.Kind != b.Kind || a.Bool != b.Bool || a.Text != b.Text || !slices.Equal(a.Keys, b.Keys) {
		return false
	}
	if a.Kind == Number {
		return numeric.Identical(a.Number, b.Number)
	}
	return slices.EqualFunc(a.Items, b.Items, func(x, y Value) bool { return Identical(&x, &y) })
}

// AppendKey is AppendKey for jsonb.
func AppendKey(dst []byte, j *Value) []byte {
	dst = append(dst, byte(j.Kind))
	switch j.Kind {
	case String:
		return appendCounted(dst, j.Text)
	case Number:
		return numeric.AppendKey(dst, j.Number)
	case Bool:
		if j.Bool {
			return append(dst, 't')
		}
		return append(dst, 'f')
	}
	dst = binary.AppendUvarint(dst, uint64(len(j.Items)))
	for i := range j.Items {
		if j.Kind == Object {
			dst = appendCounted(dst, j.Keys[i])
		}
		dst = AppendKey(dst, &j.Items[i])
	}
	return dst
}

func appendCounted(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
