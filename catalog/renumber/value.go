package renumber

import (
	"slices"

	"zproxy/types"
)

// InValues says whether values of a type may have numbers of objects: those of oid and of the reg family, arrays of
// them, and rows with such fields.
func InValues(t types.T) bool {
	if types.IsOID(t.OID) {
		return true
	}
	if element, ok := types.ElementOf(t); ok {
		return InValues(element)
	}
	return t.IsComposite() && t.Def != nil && slices.ContainsFunc(t.Def.Types, InValues)
}

// Value is a value of a type with other numbers. Numbers that next does not have stay, such as those of large objects.
func Value(v types.Value, t types.T, next map[uint64]uint64) types.Value {
	if v.IsNull() || !InValues(t) {
		return v
	}
	w := replacing(next)
	if types.IsOID(t.OID) {
		if of := types.OID(v.Int()); w.typeOID(of) != of {
			return types.NewInt(int64(w.typeOID(of)))
		}
		return types.NewInt(int64(w.of(uint64(v.Int()))))
	}
	if element, ok := types.ElementOf(t); ok {
		a := *v.Array()
		a.Items = slices.Clone(a.Items)
		for i := range a.Items {
			a.Items[i] = Value(a.Items[i], element, next)
		}
		return types.NewArray(&a)
	}
	r := *v.Record()
	r.Values = slices.Clone(r.Values)
	for i := range r.Values {
		r.Values[i] = Value(r.Values[i], r.Types[i], next)
	}
	return types.NewRecord(&r)
}
