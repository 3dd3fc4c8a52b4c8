package geo

import (
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/number"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

const point = types.OIDPoint

// pointFunctions are those of points. Points and coordinates that are closer than
// pointFuzz count as equal, as in PostgreSQL.
var pointFunctions = []*expr.Function{
	{Name: "point", Args: pg.Sig{pg.Float8, pg.Float8}, Result: point, Doc: "Point with two coordinates.", Fn2: makePoint},
	{Name: "point_add", Operator: "+", Args: pg.Sig{point, point}, Result: point, Doc: "Point moved by another one.", Fn2: eachCoordinate(number.AddFloat8)},
	{Name: "point_sub", Operator: "-", Args: pg.Sig{point, point}, Result: point, Doc: "Point moved back by another one.", Fn2: eachCoordinate(number.SubFloat8)},
	{Name: "point_mul", Operator: "*", Args: pg.Sig{point, point}, Result: point, Doc: "Product of points as complex numbers, which scales and rotates.", Fn2: pointMul},
	{Name: "point_div", Operator: "/", Args: pg.Sig{point, point}, Result: point, Doc: "Quotient of points as complex numbers, which scales and rotates.", Fn2: pointDiv},
	{Name: "point_distance", Operator: "<->", Args: pg.Sig{point, point}, Result: pg.Float8, Doc: "Distance of two points.", Fn2: pointDistance},
	{Name: "point_eq", Operator: "~=", Args: pg.Sig{point, point}, Result: pg.Boolean, Doc: "Whether two points are the same.", Fn2: samePoint(true)},
	{Name: "point_ne", Operator: "<>", Args: pg.Sig{point, point}, Result: pg.Boolean, Doc: "Whether two points are not the same.", Fn2: samePoint(false)},
	{Name: "point_left", Operator: "<<", Args: pg.Sig{point, point}, Result: pg.Boolean, Doc: "Whether a point is left of another one.", Fn2: CompareCoordinate(0, less)},
	{Name: "point_right", Operator: ">>", Args: pg.Sig{point, point}, Result: pg.Boolean, Doc: "Whether a point is right of another one.", Fn2: CompareCoordinate(0, greater)},
	{Name: "point_below", Operator: "<<|", Args: pg.Sig{point, point}, Result: pg.Boolean, Doc: "Whether a point is below another one.", Fn2: CompareCoordinate(1, less)},
	{Name: "point_above", Operator: "|>>", Args: pg.Sig{point, point}, Result: pg.Boolean, Doc: "Whether a point is above another one.", Fn2: CompareCoordinate(1, greater)},
	{Name: "ishorizontal", Operator: "?-", Args: pg.Sig{point, point}, Result: pg.Boolean, Doc: "Whether two points are beside each other.", Fn2: CompareCoordinate(1, FuzzyEqual)},
	{Name: "isvertical", Operator: "?|", Args: pg.Sig{point, point}, Result: pg.Boolean, Doc: "Whether two points are above each other.", Fn2: CompareCoordinate(0, FuzzyEqual)},
	{Name: "slope", Args: pg.Sig{point, point}, Result: pg.Float8, Doc: "Slope of the line through two points.", Fn2: slope},
}

const pointFuzz = 1e-6

// FuzzyEqual says whether two coordinates are equal, as far as PostgreSQL looks at them.
func FuzzyEqual(a, b float64) bool { return a == b || math.Abs(a-b) <= pointFuzz }

func less(a, b float64) bool { return a+pointFuzz < b }

func greater(a, b float64) bool { return a > b+pointFuzz }

func coordinates(p types.Value) (c [2]float64) {
	c[0], c[1] = p.Point()
	return c
}

func makePoint(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewPoint(a.Float(), b.Float()), nil
}

func eachCoordinate(f func(a, b types.Value) (types.Value, error)) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		p, q := coordinates(a), coordinates(b)
		x, err := f(types.NewFloat(p[0]), types.NewFloat(q[0]))
		if err != nil {
			return types.Null, err
		}
		y, err := f(types.NewFloat(p[1]), types.NewFloat(q[1]))
		if err != nil {
			return types.Null, err
		}
		return types.NewPoint(x.Float(), y.Float()), nil
	}
}

// floats computes with checks for overflow, and keeps the first error.
type floats struct{ err error }

func (f *floats) do(op func(a, b types.Value) (types.Value, error), a, b float64) float64 {
	if f.err != nil {
		return 0
	}
	v, err := op(types.NewFloat(a), types.NewFloat(b))
	if err != nil {
		f.err = err
		return 0
	}
	return v.Float()
}

func (f *floats) add(a, b float64) float64 { return f.do(number.AddFloat8, a, b) }
func (f *floats) sub(a, b float64) float64 { return f.do(number.SubFloat8, a, b) }
func (f *floats) mul(a, b float64) float64 { return f.do(number.MulFloat8, a, b) }
func (f *floats) div(a, b float64) float64 { return f.do(number.DivFloat8, a, b) }

func (f *floats) point(x, y float64) (types.Value, error) {
	if f.err != nil {
		return types.Null, f.err
	}
	return types.NewPoint(x, y), nil
}

func pointMul(_ *expr.Context, a, b types.Value) (types.Value, error) {
	var f floats
	p, q := coordinates(a), coordinates(b)
	x := f.sub(f.mul(p[0], q[0]), f.mul(p[1], q[1]))
	y := f.add(f.mul(p[0], q[1]), f.mul(p[1], q[0]))
	return f.point(x, y)
}

func pointDiv(_ *expr.Context, a, b types.Value) (types.Value, error) {
	var f floats
	p, q := coordinates(a), coordinates(b)
	square := f.add(f.mul(q[0], q[0]), f.mul(q[1], q[1]))
	x := f.div(f.add(f.mul(p[0], q[0]), f.mul(p[1], q[1])), square)
	y := f.div(f.sub(f.mul(p[1], q[0]), f.mul(p[0], q[1])), square)
	return f.point(x, y)
}

// pointDistance scales by the larger leg, so that the square does not overflow.
func pointDistance(_ *expr.Context, a, b types.Value) (types.Value, error) {
	var f floats
	p, q := coordinates(a), coordinates(b)
	x, y := math.Abs(f.sub(p[0], q[0])), math.Abs(f.sub(p[1], q[1]))
	switch {
	case f.err != nil:
		return types.Null, f.err
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return types.NewFloat(math.Inf(1)), nil
	case math.IsNaN(x) || math.IsNaN(y):
		return types.NewFloat(math.NaN()), nil
	}
	long, short := max(x, y), min(x, y)
	if short == 0 {
		return types.NewFloat(long), nil
	}
	ratio := short / long
	d := f.mul(long, math.Sqrt(1+float64(ratio*ratio)))
	return types.NewFloat(d), f.err
}

// samePoint takes NaN as equal to itself and to nothing else.
func samePoint(want bool) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		p, q := coordinates(a), coordinates(b)
		equal := FuzzyEqual
		if slices.ContainsFunc([]float64{p[0], p[1], q[0], q[1]}, math.IsNaN) {
			equal = func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		}
		return types.NewBool((equal(p[0], q[0]) && equal(p[1], q[1])) == want), nil
	}
}

// CompareCoordinate compares two points by one of their coordinates.
func CompareCoordinate(axis int, holds func(a, b float64) bool) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		return types.NewBool(holds(coordinates(a)[axis], coordinates(b)[axis])), nil
	}
}

func slope(_ *expr.Context, a, b types.Value) (types.Value, error) {
	var f floats
	p, q := coordinates(a), coordinates(b)
	switch {
	case FuzzyEqual(p[0], q[0]):
		return types.NewFloat(math.Inf(1)), nil
	case FuzzyEqual(p[1], q[1]):
		return types.NewFloat(0), nil
	}
	rise := f.div(f.sub(p[1], q[1]), f.sub(p[0], q[0]))
	return types.NewFloat(rise), f.err
}
