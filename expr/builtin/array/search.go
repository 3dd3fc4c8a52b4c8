package array

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
)

// searchFunctions look for elements in arrays.
var searchFunctions = []*expr.Function{
	{Name: "array_position", Args: pg.Sig{pg.AnyCompatibleArray, pg.AnyCompatible}, Result: pg.Int4, NotStrict: true, Doc: "Subscript of the first element that equals a value.", Typed: arrayPosition},
	{Name: "array_position", Args: pg.Sig{pg.AnyCompatibleArray, pg.AnyCompatible, pg.Int4}, Result: pg.Int4, NotStrict: true, Doc: "Subscript of the first element from a place on that equals a value.", Typed: arrayPosition},
	{Name: "width_bucket", Args: pg.Sig{pg.AnyCompatible, pg.AnyCompatibleArray}, Result: pg.Int4, Doc: "Number of the bucket that a value is in, by their lower bounds in order.", Fn2: widthBucketOf},
	{Name: "array_positions", Args: pg.Sig{pg.AnyCompatibleArray, pg.AnyCompatible}, Result: pg.Int4Array, NotStrict: true, Doc: "Subscripts of the elements that equal a value.", Typed: arrayPositions},
	{Name: "array_remove", Args: pg.Sig{pg.AnyCompatibleArray, pg.AnyCompatible}, Result: pg.AnyCompatibleArray, NotStrict: true, Doc: "Array without the elements that equal a value.", Typed: arrayRemove},
	{Name: "array_replace", Args: pg.Sig{pg.AnyCompatibleArray, pg.AnyCompatible, pg.AnyCompatible}, Result: pg.AnyCompatibleArray, NotStrict: true, Doc: "Array with one value put in for another.", Typed: arrayReplace},
	{Name: "arraycontains", Operator: "@>", Args: pg.Sig{pg.AnyArray, pg.AnyArray}, Result: pg.Boolean, Doc: "Whether the first array has all elements of the second.", Typed: arrayContains},
	{Name: "arraycontained", Operator: "<@", Args: pg.Sig{pg.AnyArray, pg.AnyArray}, Result: pg.Boolean, Doc: "Whether the second array has all elements of the first.", Typed: arrayContained},
	{Name: "arrayoverlap", Operator: "&&", Args: pg.Sig{pg.AnyArray, pg.AnyArray}, Result: pg.Boolean, Doc: "Whether the arrays have an element in common.", Typed: arrayOverlap},
}

// alike says whether two elements are not distinct.
func alike(a, b types.Value) bool {
	if a.IsNull() || b.IsNull() {
		return a.IsNull() && b.IsNull()
	}
	return types.Compare(a, b) == 0
}

// equatable refuses arrays whose elements cannot be compared.
func equatable(array types.T) error {
	element, _ := types.ElementOf(array)
	switch element.Kind() {
	case types.KindJSON, types.KindPoint:
		return sqlerr.New(sqlerr.UndefinedFunction, "could not identify an equality operator for type %s", element)
	}
	return nil
}

// searched is an array that can be searched; NULL for a NULL.
func searched(of []types.T, args []types.Value, doing string) (*types.ArrayValue, error) {
	if args[0].IsNull() {
		return nil, nil
	}
	if len(args[0].Array().Dims) > 1 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "%s multidimensional arrays is not supported", doing)
	}
	return args[0].Array(), equatable(of[0])
}

func arrayPosition(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	a, err := searched(of, args, "searching for elements in")
	if err != nil || a == nil {
		return types.Null, err
	}
	if len(args) > 2 && args[2].IsNull() && len(a.Items) > 0 {
		return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed, "initial position must not be null")
	}
	for i, item := range a.Items {
		if err := c.Tick(work.CompareUnits); err != nil {
			return types.Null, err
		}
		at := int64(a.Dims[0].Lower + i)
		if (len(args) < 3 || at >= args[2].Int()) && alike(item, args[1]) {
			return types.NewInt(at), nil
		}
	}
	return types.Null, nil
}

func arrayPositions(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	a, err := searched(of, args, "searching for elements in")
	if err != nil || a == nil {
		return types.Null, err
	}
	found := c.NewValues()
	for i, item := range a.Items {
		if err := c.Tick(work.CompareUnits); err != nil {
			return types.Null, err
		}
		if alike(item, args[1]) && !found.Add(types.NewInt(int64(a.Dims[0].Lower+i))) {
			return types.Null, found.Err
		}
	}
	list, err := found.All()
	return types.NewItems(pg.Int4, list), err
}

func arrayRemove(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	a, err := searched(of, args, "removing elements from")
	if err != nil || a == nil {
		return types.Null, err
	}
	kept := c.NewValues()
	for _, item := range a.Items {
		if err := c.Tick(work.CompareUnits); err != nil {
			return types.Null, err
		}
		if !alike(item, args[1]) && !kept.Add(item) {
			return types.Null, kept.Err
		}
	}
	list, err := kept.All()
	if err != nil {
		return types.Null, err
	}
	return withItems(a, list)
}

func arrayReplace(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	if args[0].IsNull() {
		return types.Null, nil
	}
	if err := equatable(of[0]); err != nil {
		return types.Null, err
	}
	out := *args[0].Array()
	items, err := work.Join(c, out.Items)
	if err != nil {
		return types.Null, err
	}
	out.Items = items
	for i, item := range out.Items {
		if err := c.Tick(work.CompareUnits); err != nil {
			return types.Null, err
		}
		if alike(item, args[1]) {
			out.Items[i] = args[2]
		}
	}
	return types.NewArray(&out), nil
}

// common looks for an element of part that is in whole, or is not. NULL equals nothing.
func common(c *expr.Context, whole, part *types.ArrayValue, in bool) (bool, error) {
	for _, v := range part.Items {
		found := false
		for _, item := range whole.Items {
			if err := c.Tick(work.CompareUnits); err != nil {
				return false, err
			}
			if found = !v.IsNull() && alike(item, v); found {
				break
			}
		}
		if found == in {
			return true, nil
		}
	}
	return false, nil
}

func arrayContains(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	return containsAll(c, of, args[0], args[1])
}

func arrayContained(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	return containsAll(c, of, args[1], args[0])
}

func containsAll(c *expr.Context, of []types.T, whole, part types.Value) (types.Value, error) {
	if err := equatable(of[0]); err != nil {
		return types.Null, err
	}
	missing, err := common(c, whole.Array(), part.Array(), false)
	return types.NewBool(!missing), err
}

func arrayOverlap(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	if err := equatable(of[0]); err != nil {
		return types.Null, err
	}
	common, err := common(c, args[0].Array(), args[1].Array(), true)
	return types.NewBool(common), err
}

// widthBucketOf counts the thresholds, which are sorted, that a value reaches.
func widthBucketOf(c *expr.Context, a, b types.Value) (types.Value, error) {
	array := b.Array()
	if len(array.Dims) > 1 {
		return types.Null, sqlerr.New(sqlerr.ArraySubscriptError, "thresholds must be one-dimensional array")
	}
	low, high := 0, len(array.Items)
	for _, v := range array.Items {
		if err := c.Tick(1); err != nil {
			return types.Null, err
		}
		if v.IsNull() {
			return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed, "thresholds array must not contain NULLs")
		}
	}
	for low < high {
		if middle := (low + high) / 2; types.Compare(a, array.Items[middle]) < 0 {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return types.NewInt(int64(low)), nil
}
