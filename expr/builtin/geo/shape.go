package geo

import (
	"encoding/binary"
	"math"

	"zproxy/expr"
	"zproxy/expr/builtin/number"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/geo"
)

// shapeFunctions compare shapes as PostgreSQL does: boxes and circles by area, segments by length, paths by how many
// points they have, each but the last up to pointFuzz. No index or sort has such an order.
var shapeFunctions = []*expr.Function{
	{Name: "box_lt", Operator: "<", Args: pg.Sig{types.OIDBox, types.OIDBox}, Result: pg.Boolean, Doc: "Whether a box has a smaller area.", Fn2: sizes(boxArea, less)},
	{Name: "box_gt", Operator: ">", Args: pg.Sig{types.OIDBox, types.OIDBox}, Result: pg.Boolean, Doc: "Whether a box has a larger area.", Fn2: sizes(boxArea, greater)},
	{Name: "box_eq", Operator: "=", Args: pg.Sig{types.OIDBox, types.OIDBox}, Result: pg.Boolean, Doc: "Whether two boxes have the same area.", Fn2: sizes(boxArea, FuzzyEqual)},
	{Name: "box_le", Operator: "<=", Args: pg.Sig{types.OIDBox, types.OIDBox}, Result: pg.Boolean, Doc: "Whether a box has no larger area.", Fn2: sizes(boxArea, fuzzyLE)},
	{Name: "box_ge", Operator: ">=", Args: pg.Sig{types.OIDBox, types.OIDBox}, Result: pg.Boolean, Doc: "Whether a box has no smaller area.", Fn2: sizes(boxArea, fuzzyGE)},
	{Name: "circle_lt", Operator: "<", Args: pg.Sig{types.OIDCircle, types.OIDCircle}, Result: pg.Boolean, Doc: "Whether a circle has a smaller area.", Fn2: sizes(circleArea, less)},
	{Name: "circle_gt", Operator: ">", Args: pg.Sig{types.OIDCircle, types.OIDCircle}, Result: pg.Boolean, Doc: "Whether a circle has a larger area.", Fn2: sizes(circleArea, greater)},
	{Name: "circle_eq", Operator: "=", Args: pg.Sig{types.OIDCircle, types.OIDCircle}, Result: pg.Boolean, Doc: "Whether two circles have the same area.", Fn2: sizes(circleArea, FuzzyEqual)},
	{Name: "circle_ne", Operator: "<>", Args: pg.Sig{types.OIDCircle, types.OIDCircle}, Result: pg.Boolean, Doc: "Whether two circles have different areas.", Fn2: sizes(circleArea, fuzzyNE)},
	{Name: "circle_le", Operator: "<=", Args: pg.Sig{types.OIDCircle, types.OIDCircle}, Result: pg.Boolean, Doc: "Whether a circle has no larger area.", Fn2: sizes(circleArea, fuzzyLE)},
	{Name: "circle_ge", Operator: ">=", Args: pg.Sig{types.OIDCircle, types.OIDCircle}, Result: pg.Boolean, Doc: "Whether a circle has no smaller area.", Fn2: sizes(circleArea, fuzzyGE)},
	{Name: "lseg_eq", Operator: "=", Args: pg.Sig{types.OIDLseg, types.OIDLseg}, Result: pg.Boolean, Doc: "Whether two segments have the same ends.", Fn2: sameSegment(true)},
	{Name: "lseg_ne", Operator: "<>", Args: pg.Sig{types.OIDLseg, types.OIDLseg}, Result: pg.Boolean, Doc: "Whether two segments have different ends.", Fn2: sameSegment(false)},
	{Name: "lseg_lt", Operator: "<", Args: pg.Sig{types.OIDLseg, types.OIDLseg}, Result: pg.Boolean, Doc: "Whether a segment is shorter.", Fn2: sizes(segmentLength, less)},
	{Name: "lseg_gt", Operator: ">", Args: pg.Sig{types.OIDLseg, types.OIDLseg}, Result: pg.Boolean, Doc: "Whether a segment is longer.", Fn2: sizes(segmentLength, greater)},
	{Name: "lseg_le", Operator: "<=", Args: pg.Sig{types.OIDLseg, types.OIDLseg}, Result: pg.Boolean, Doc: "Whether a segment is no longer.", Fn2: sizes(segmentLength, fuzzyLE)},
	{Name: "lseg_ge", Operator: ">=", Args: pg.Sig{types.OIDLseg, types.OIDLseg}, Result: pg.Boolean, Doc: "Whether a segment is no shorter.", Fn2: sizes(segmentLength, fuzzyGE)},
	{Name: "path_n_lt", Operator: "<", Args: pg.Sig{types.OIDPath, types.OIDPath}, Result: pg.Boolean, Doc: "Whether a path has fewer points.", Fn2: sizes(pathPoints, func(a, b float64) bool { return a < b })},
	{Name: "path_n_gt", Operator: ">", Args: pg.Sig{types.OIDPath, types.OIDPath}, Result: pg.Boolean, Doc: "Whether a path has more points.", Fn2: sizes(pathPoints, func(a, b float64) bool { return a > b })},
	{Name: "path_n_eq", Operator: "=", Args: pg.Sig{types.OIDPath, types.OIDPath}, Result: pg.Boolean, Doc: "Whether two paths have as many points.", Fn2: sizes(pathPoints, func(a, b float64) bool { return a == b })},
	{Name: "path_n_le", Operator: "<=", Args: pg.Sig{types.OIDPath, types.OIDPath}, Result: pg.Boolean, Doc: "Whether a path has no more points.", Fn2: sizes(pathPoints, func(a, b float64) bool { return a <= b })},
	{Name: "path_n_ge", Operator: ">=", Args: pg.Sig{types.OIDPath, types.OIDPath}, Result: pg.Boolean, Doc: "Whether a path has no fewer points.", Fn2: sizes(pathPoints, func(a, b float64) bool { return a >= b })},
	{Name: "on_pb", Operator: "<@", Args: pg.Sig{point, types.OIDBox}, Result: pg.Boolean, Doc: "Whether a point is in a box.", Fn2: swapped(boxContains)},
	{Name: "box_contain_pt", Operator: "@>", Args: pg.Sig{types.OIDBox, point}, Result: pg.Boolean, Doc: "Whether a box contains a point.", Fn2: boxContains},
	{Name: "pt_contained_circle", Operator: "<@", Args: pg.Sig{point, types.OIDCircle}, Result: pg.Boolean, Doc: "Whether a point is in a circle.", Fn2: swapped(circleContains)},
	{Name: "circle_contain_pt", Operator: "@>", Args: pg.Sig{types.OIDCircle, point}, Result: pg.Boolean, Doc: "Whether a circle contains a point.", Fn2: circleContains},
	{Name: "line_eq", Operator: "=", Args: pg.Sig{types.OIDLine, types.OIDLine}, Result: pg.Boolean, Doc: "Whether two lines are the same.", Fn2: sameLine},
}

func fuzzyLE(a, b float64) bool { return a <= b+pointFuzz }
func fuzzyGE(a, b float64) bool { return a+pointFuzz >= b }
func fuzzyNE(a, b float64) bool { return !FuzzyEqual(a, b) }

// sizes compares what two shapes measure.
func sizes(measure func(types.Value) (types.Value, error), holds func(a, b float64) bool) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		x, err := measure(a)
		if err != nil {
			return types.Null, err
		}
		y, err := measure(b)
		if err != nil {
			return types.Null, err
		}
		return types.NewBool(holds(x.Float(), y.Float())), nil
	}
}

// numbersOf are those that a shape of numbers alone is held as.
func numbersOf(v types.Value) []types.Value {
	numbers := geo.Numbers(v.Bytes())
	out := make([]types.Value, len(numbers))
	for i, f := range numbers {
		out[i] = types.NewFloat(f)
	}
	return out
}

func boxArea(v types.Value) (types.Value, error) {
	f := numbersOf(v) // the upper right corner, the lower left one
	width, err := number.SubFloat8(f[0], f[2])
	if err != nil {
		return types.Null, err
	}
	height, err := number.SubFloat8(f[1], f[3])
	if err != nil {
		return types.Null, err
	}
	return number.MulFloat8(width, height)
}

func circleArea(v types.Value) (types.Value, error) {
	r := numbersOf(v)[2]
	square, err := number.MulFloat8(r, r)
	if err != nil {
		return types.Null, err
	}
	return number.MulFloat8(square, types.NewFloat(math.Pi))
}

func segmentLength(v types.Value) (types.Value, error) {
	f := numbersOf(v)
	return pointDistance(nil, types.NewPoint(f[0].Float(), f[1].Float()), types.NewPoint(f[2].Float(), f[3].Float()))
}

func pathPoints(v types.Value) (types.Value, error) {
	return types.NewFloat(float64(binary.BigEndian.Uint32(v.Bytes()[1:]))), nil
}

func sameSegment(same bool) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		x, y := numbersOf(a), numbersOf(b)
		for i := range x {
			p, q := x[i].Float(), y[i].Float()
			if !FuzzyEqual(p, q) && !(math.IsNaN(p) && math.IsNaN(q)) {
				return types.NewBool(!same), nil
			}
		}
		return types.NewBool(same), nil
	}
}

// sameLine holds that lines are the same whose numbers are in proportion.
func sameLine(_ *expr.Context, a, b types.Value) (types.Value, error) {
	x, y := numbersOf(a), numbersOf(b)
	ratio, exact := types.NewFloat(1), false
	for i := range x {
		exact = exact || math.IsNaN(x[i].Float()) || math.IsNaN(y[i].Float())
	}
	for i := range y {
		if !exact && !FuzzyEqual(y[i].Float(), 0) {
			var err error
			if ratio, err = number.DivFloat8(x[i], y[i]); err != nil {
				return types.Null, err
			}
			break
		}
	}
	for i := range x {
		p, q := x[i].Float(), y[i].Float()
		if exact && types.Compare(x[i], y[i]) != 0 || !exact && !FuzzyEqual(p, ratio.Float()*q) {
			return types.NewBool(false), nil
		}
	}
	return types.NewBool(true), nil
}
