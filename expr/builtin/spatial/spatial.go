// Package spatial is the functions and operators of geometries, by the names and errors of PostGIS. The geometries
// themselves are in package types/spatial. Begin with predicates.
package spatial

import (
	"math"
	"slices"

	"github.com/peterstace/simplefeatures/geom"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/spatial"
)

// Functions are all functions and operators of this family.
var Functions = slices.Concat(makers, properties, measures, predicates)

const geometry = types.OIDGeometry

// decode is the geometry that a value holds.
func decode(c *expr.Context, v types.Value) (spatial.Geometry, error) {
	held := v.Bytes()
	if err := c.Tick(len(held)); err != nil {
		return spatial.Geometry{}, err
	}
	return spatial.Decode(held)
}

// pair decodes two geometries of one reference system.
func pair(c *expr.Context, name string, a, b types.Value) (g, h spatial.Geometry, err error) {
	if g, err = decode(c, a); err == nil {
		h, err = decode(c, b)
	}
	if err == nil && g.SRID != h.SRID {
		err = sqlerr.New(sqlerr.InvalidParameterValue, "%s: Operation on mixed SRID geometries (%s, %d) != (%s, %d)",
			name, g.Type(), g.SRID, h.Type(), h.SRID)
	}
	return g, h, err
}

// measures are numbers that are computed of geometries.
var measures = []*expr.Function{
	{Name: "st_distance", OID: 9604, Args: pg.Sig{geometry, geometry}, Result: pg.Float8, Doc: "Distance of two geometries in the plane.", Fn2: distanceOf("ST_Distance")},
	{Name: "geometry_distance_centroid", OID: 9636, Operator: "<->", Args: pg.Sig{geometry, geometry}, Result: pg.Float8, Doc: "Distance of two geometries in the plane.", Fn2: distanceOf("distance")},
	{Name: "st_area", OID: 9634, Args: pg.Sig{geometry}, Result: pg.Float8, Doc: "Area of a geometry in the plane.", Fn1: measure(area)},
	{Name: "st_length", OID: 9635, Args: pg.Sig{geometry}, Result: pg.Float8, Doc: "Length of the lines of a geometry in the plane.", Fn1: measure(length)},
}

// distanceOf is NULL where a geometry is empty.
func distanceOf(name string) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		g, h, err := pair(c, name, a, b)
		if err != nil {
			return types.Null, err
		}
		if d, ok, err := distance(c, g.Geometry, h.Geometry); ok || err != nil {
			return types.NewFloat(d), err
		}
		return types.Null, nil
	}
}

// distance is the least of the parts of two geometries. It says false where one is empty.
func distance(c *expr.Context, g, h geom.Geometry) (least float64, ok bool, err error) {
	least = math.Inf(1)
	err = eachPair(c, g, h, func(part, other geom.Geometry) bool {
		if d, any := distanceOfParts(part, other); any {
			least, ok = min(least, d), true
		}
		return least > 0
	})
	return least, ok, err
}

// distanceOfParts does not square the distance of points, so that it does not overflow.
func distanceOfParts(g, h geom.Geometry) (float64, bool) {
	p, isPoint := g.AsPoint()
	q, arePoints := h.AsPoint()
	if !isPoint || !arePoints {
		return geom.Distance(g, h)
	}
	a, ok := p.XY()
	b, both := q.XY()
	return math.Hypot(a.X-b.X, a.Y-b.Y), ok && both
}

// eachPair goes through the pairs of parts of two geometries until one is enough. Between pairs the statement may end.
func eachPair(c *expr.Context, g, h geom.Geometry, f func(part, other geom.Geometry) (more bool)) error {
	parts, others := g.Dump(), h.Dump()
	sizes := make([]int, len(others))
	for i, other := range others {
		sizes[i] = size(other)
	}
	for _, part := range parts {
		n := size(part)
		for i, other := range others {
			if err := c.Tick(n + sizes[i]); err != nil {
				return err
			}
			if !f(part, other) {
				return nil
			}
		}
	}
	return nil
}

// size is about the bytes of a geometry.
func size(g geom.Geometry) int { return 16 * (1 + g.DumpCoordinates().Length()) }

func measure(f func(g geom.Geometry) float64) expr.Function1 {
	return func(c *expr.Context, v types.Value) (types.Value, error) {
		g, err := decode(c, v)
		if err != nil {
			return types.Null, err
		}
		return types.NewFloat(f(g.Geometry)), nil
	}
}

func area(g geom.Geometry) float64 { return g.Area() }

func length(g geom.Geometry) float64 { return g.Length() }
