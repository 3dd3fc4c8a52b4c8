package partition

import (
	"cmp"
	"slices"

	"zproxy/types"
	"zproxy/types/rowhash"
)

// Takes says whether a partition that is not the default one has the rows with some values of the keys.
func (p *Of) Takes(values []types.Value) bool {
	switch p.By.Strategy {
	case Hash:
		return rowhash.Takes(values, p.Modulus, p.Remainder)
	case List:
		return Lists(p.In, values[0])
	}
	if slices.ContainsFunc(values, types.Value.IsNull) {
		return false
	}
	return CompareEnds(p.From, Ends(values)) <= 0 && CompareEnds(p.To, Ends(values)) > 0
}

// Ends are values as the end of a range.
func Ends(values []types.Value) []Edge {
	out := make([]Edge, len(values))
	for i, v := range values {
		out[i].Value = v
	}
	return out
}

// Overlaps says whether two partitions could have rows in common, or both are the default one.
func (p *Of) Overlaps(o *Of) bool {
	switch {
	case p.Default || o.Default:
		return p.Default && o.Default
	case p.By.Strategy == Hash:
		m := min(p.Modulus, o.Modulus)
		return p.Remainder%m == o.Remainder%m
	case p.By.Strategy == List:
		return slices.ContainsFunc(p.In, func(v types.Value) bool { return Lists(o.In, v) })
	}
	return CompareEnds(p.From, o.To) < 0 && CompareEnds(o.From, p.To) < 0
}

// Compare orders the partitions of a table by what they take, the default one last.
func (p *Of) Compare(o *Of) int {
	switch {
	case p.Default || o.Default:
		return map[bool]int{true: 1, false: -1}[p.Default]
	case p.By.Strategy == Hash:
		return cmp.Or(cmp.Compare(p.Modulus, o.Modulus), cmp.Compare(p.Remainder, o.Remainder))
	case p.By.Strategy == List:
		return compareLeast(least(p.In), least(o.In))
	}
	return CompareEnds(p.From, o.From)
}

// least is the least value of a list, NULL if there is no other one.
func least(list []types.Value) types.Value {
	out := types.Null
	for _, v := range list {
		if !v.IsNull() && (out.IsNull() || types.Compare(v, out) < 0) {
			out = v
		}
	}
	return out
}

func compareLeast(a, b types.Value) int {
	switch {
	case a.IsNull() || b.IsNull():
		return cmp.Compare(map[bool]int{true: 1}[a.IsNull()], map[bool]int{true: 1}[b.IsNull()])
	}
	return types.Compare(a, b)
}

// InOrder says whether a partition is of ranges of nothing but one column, so that those of a table are one behind the
// other in its order.
func (p *Of) InOrder(column uint32) bool {
	return !p.Default && p.By.Strategy == Range && len(p.By.Keys) == 1 && p.By.Keys[0].Column == column
}
