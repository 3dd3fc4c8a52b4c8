package types

import (
	"math"

	"zproxy/sqlerr"
)

// shapeCast makes a value of the numbers that a shape is made of.
type shapeCast = func(n []float64) (Value, error)

// geometricCasts make one shape of another.
var geometricCasts = []castRow{
	{OIDPoint, OIDBox, Cast{Assignment, func(v Value, _ T, _ *Env) (Value, error) {
		x, y := v.Point()
		return floatBytes([]float64{x, y, x, y}), nil
	}}},
	castShape(OIDLseg, OIDPoint, Explicit, midpoint),
	castShape(OIDBox, OIDPoint, Explicit, midpoint),
	castShape(OIDBox, OIDLseg, Explicit, func(n []float64) (Value, error) { return floatBytes(n), nil }),
	castShape(OIDBox, OIDPolygon, Assignment, func(n []float64) (Value, error) {
		return NewBytes(countedPoints([]float64{n[2], n[3], n[2], n[1], n[0], n[1], n[0], n[3]})), nil
	}),
	castShape(OIDBox, OIDCircle, Explicit, func(n []float64) (Value, error) {
		x, y := (n[0]+n[2])/2, (n[1]+n[3])/2
		return floatBytes([]float64{x, y, math.Hypot(x-n[0], y-n[1])}), nil
	}),
	{OIDPath, OIDPolygon, Cast{Assignment, pathToPolygon}},
	{OIDPolygon, OIDPath, Cast{Assignment, func(v Value, _ T, _ *Env) (Value, error) {
		return NewBytes(append([]byte{1}, v.Bytes()...)), nil
	}}},
	castShape(OIDPolygon, OIDPoint, Explicit, func(n []float64) (Value, error) {
		x, y := center(n)
		return NewPoint(x, y), nil
	}),
	castShape(OIDPolygon, OIDBox, Explicit, boundsOf),
	castShape(OIDPolygon, OIDCircle, Explicit, polygonToCircle),
	castShape(OIDCircle, OIDPoint, Explicit, func(n []float64) (Value, error) { return NewPoint(n[0], n[1]), nil }),
	castShape(OIDCircle, OIDBox, Explicit, func(n []float64) (Value, error) {
		d := n[2] / math.Sqrt2
		return floatBytes([]float64{n[0] + d, n[1] + d, n[0] - d, n[1] - d}), nil
	}),
	castShape(OIDCircle, OIDPolygon, Explicit, circleToPolygon),
}

func castShape(from, to OID, context CastContext, f shapeCast) castRow {
	skip := 0
	if from == OIDPolygon {
		skip = 4
	}
	return castRow{from, to, Cast{context, func(v Value, _ T, _ *Env) (Value, error) { return f(floatsOf(v.Bytes()[skip:])) }}}
}

func midpoint(n []float64) (Value, error) { return NewPoint((n[0]+n[2])/2, (n[1]+n[3])/2), nil }

func pathToPolygon(v Value, _ T, _ *Env) (Value, error) {
	if v.Bytes()[0] == 0 {
		return Null, sqlerr.New(sqlerr.InvalidParameterValue, "open path cannot be converted to polygon")
	}
	return NewBytes(v.Bytes()[1:]), nil
}

// center is the mean of points.
func center(n []float64) (x, y float64) {
	for i := 0; i < len(n); i += 2 {
		x, y = x+n[i], y+n[i+1]
	}
	count := float64(len(n) / 2)
	return x / count, y / count
}

// boundsOf is the least box around points.
func boundsOf(n []float64) (Value, error) {
	out := []float64{n[0], n[1], n[0], n[1]}
	for i := 2; i < len(n); i += 2 {
		out[0], out[1] = max(out[0], n[i]), max(out[1], n[i+1])
		out[2], out[3] = min(out[2], n[i]), min(out[3], n[i+1])
	}
	return floatBytes(out), nil
}

// polygonToCircle has the mean distance of the points as its radius.
func polygonToCircle(n []float64) (Value, error) {
	x, y := center(n)
	radius := 0.0
	for i := 0; i < len(n); i += 2 {
		radius += math.Hypot(n[i]-x, n[i+1]-y)
	}
	return floatBytes([]float64{x, y, radius / float64(len(n)/2)}), nil
}

// circleToPolygon makes twelve points.
func circleToPolygon(n []float64) (Value, error) {
	const count = 12
	if n[2] == 0 {
		return Null, sqlerr.New(sqlerr.FeatureNotSupported, "cannot convert circle with radius zero to polygon")
	}
	var out []float64
	for i := range count {
		angle := float64(i) * (2 * math.Pi / count)
		out = append(out, n[0]-n[2]*math.Cos(angle), n[1]+n[2]*math.Sin(angle))
	}
	return NewBytes(countedPoints(out)), nil
}
