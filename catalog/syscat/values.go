package syscat

import (
	"maps"
	"slices"

	"zproxy/types"
)

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// text is a text or a name; an empty one stays empty.
func text(s string) types.Value { return types.NewText(s) }

// textOrNull is a text, or NULL for none.
func textOrNull(s string) types.Value {
	if s == "" {
		return types.Null
	}
	return types.NewText(s)
}

// letter is a value of type "char".
func letter(b byte) types.Value { return types.NewText(string([]byte{b})) }

func number[T int | int16 | int32 | int64 | uint32 | types.OID](n T) types.Value {
	return types.NewInt(int64(n))
}

func boolean(b bool) types.Value { return types.NewBool(b) }

// texts is an array of a type of texts, from 1.
func texts(element types.OID, list []string) types.Value {
	items := make([]types.Value, len(list))
	for i, s := range list {
		items[i] = types.NewText(s)
	}
	return types.NewItems(element, items)
}

// numbers is an array of some integer type, from 1.
func numbers[T int16 | int32 | int64 | uint32 | types.OID](element types.OID, list []T) types.Value {
	items := make([]types.Value, len(list))
	for i, n := range list {
		items[i] = types.NewInt(int64(n))
	}
	return types.NewItems(element, items)
}

// vector is an int2vector or an oidvector, which begins at 0.
func vector[T int16 | uint32 | types.OID](element types.OID, list []T) types.Value {
	v := numbers(element, list)
	a := *v.Array()
	if len(a.Dims) > 0 {
		a.Dims = []types.Dim{{Length: len(list), Lower: 0}}
	}
	return types.NewArray(&a)
}
