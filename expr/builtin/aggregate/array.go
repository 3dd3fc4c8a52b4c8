package aggregate

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/types"
)

// arrayAggregates make arrays of the values of a group and choose among arrays.
var arrayAggregates = []*expr.Aggregate{
	{Name: "array_agg", Args: pg.Sig{pg.AnyNonArray}, Result: pg.AnyArray, Doc: "Values as an array.", Keeps: true, New: newArrayAgg},
	{Name: "array_agg", Args: pg.Sig{pg.AnyArray}, Result: pg.AnyArray, Doc: "Arrays of one shape as an array of one dimension more.", Keeps: true, New: newArraysAgg},
	{Name: "min", Args: pg.Sig{pg.AnyArray}, Result: pg.AnyArray, Doc: "Least value.", New: newMin},
	{Name: "max", Args: pg.Sig{pg.AnyArray}, Result: pg.AnyArray, Doc: "Greatest value.", New: newMax},
	{Name: "min", Args: pg.Sig{pg.AnyEnum}, Result: pg.AnyEnum, Doc: "Least value.", New: newMin},
	{Name: "max", Args: pg.Sig{pg.AnyEnum}, Result: pg.AnyEnum, Doc: "Greatest value.", New: newMax},
}

// arrayAgg gathers the values of a group.
type arrayAgg struct {
	element types.OID
	Values  work.List[types.Value]
	first   types.Value
	arrays  bool
}

func newArrayAgg(of []types.T) expr.Accumulator { return &arrayAgg{element: of[0].OID} }

func newArraysAgg(of []types.T) expr.Accumulator {
	return &arrayAgg{element: types.InfoOf(of[0].OID).Element, arrays: true}
}

// Add implements Accumulator.
func (a *arrayAgg) Add(_ *expr.Context, args []types.Value) error {
	if a.Values.Len() == 0 {
		a.first = args[0]
	}
	a.Values.Add(args[0])
	if !a.arrays {
		return nil
	}
	return expr.CanGather(a.first, args[0])
}

// Result implements Accumulator.
func (a *arrayAgg) Result(c *expr.Context) (types.Value, error) {
	list, err := a.Values.All(c)
	switch {
	case len(list) == 0 || err != nil:
		return types.Null, err
	case a.arrays:
		return types.ArrayOfArrays(a.element, list, c.Env)
	}
	return types.ArrayOfItems(a.element, list, c.Env)
}
