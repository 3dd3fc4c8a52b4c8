package expr

import (
	"zproxy/expr/work"
	"zproxy/types"
)

// arrayAggregates make arrays of the values of a group and choose among arrays.
var arrayAggregates = []*Aggregate{
	{Name: "array_agg", Args: sig{anyNonArray}, Result: anyArray, Doc: "Values as an array.", Keeps: true, New: newArrayAgg},
	{Name: "array_agg", Args: sig{anyArray}, Result: anyArray, Doc: "Arrays of one shape as an array of one dimension more.", Keeps: true, New: newArraysAgg},
	{Name: "min", Args: sig{anyArray}, Result: anyArray, Doc: "Least value.", New: newMin},
	{Name: "max", Args: sig{anyArray}, Result: anyArray, Doc: "Greatest value.", New: newMax},
}

// arrayAgg gathers the values of a group.
type arrayAgg struct {
	element types.OID
	Values  work.List[types.Value]
	first   types.Value
	arrays  bool
}

func newArrayAgg(of []types.T) Accumulator { return &arrayAgg{element: of[0].OID} }

func newArraysAgg(of []types.T) Accumulator {
	return &arrayAgg{element: types.InfoOf(of[0].OID).Element, arrays: true}
}

// Add implements Accumulator.
func (a *arrayAgg) Add(_ *Context, args []types.Value) error {
	if a.Values.Len() == 0 {
		a.first = args[0]
	}
	a.Values.Add(args[0])
	if !a.arrays {
		return nil
	}
	return CanGather(a.first, args[0])
}

// Result implements Accumulator.
func (a *arrayAgg) Result(c *Context) (types.Value, error) {
	list, err := a.Values.All(c)
	switch {
	case len(list) == 0 || err != nil:
		return types.Null, err
	case a.arrays:
		return types.ArrayOfArrays(a.element, list, c.Env)
	}
	return types.ArrayOfItems(a.element, list, c.Env)
}
