package types

// ArrayValue is an array of any number of dimensions.
type ArrayValue struct {
	Element OID     // the type of the elements
	Dims    []Dim   // empty for the empty array
	Items   []Value // in row-major order
}

// Dim is one dimension of an array.
type Dim struct{ Length, Lower int }

// withArrays adds the array type of every type that has one.
func withArrays(families ...[]Info) (all []Info) {
	for _, family := range families {
		all = append(all, family...)
	}
	return all
}

// ArrayOfItems is an array of one dimension. Items that are arrays themselves, all of one
// shape, make one of more dimensions.
func ArrayOfItems(element OID, items []Value) (Value, error) {
	a := &ArrayValue{Element: element, Items: items}
	if len(items) > 0 {
		a.Dims = []Dim{{Length: len(items), Lower: 1}}
	}
	return NewArray(a), nil
}
