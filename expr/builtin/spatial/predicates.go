package spatial

import (
	"github.com/peterstace/simplefeatures/geom"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// predicates say how two geometries lie to each other. An empty one intersects nothing and contains nothing.
var predicates = []*expr.Function{
	{Name: "st_dwithin", OID: 9605, Args: pg.Sig{geometry, geometry, pg.Float8}, Result: pg.Boolean, Doc: "Whether the distance of two geometries in the plane is at most a number.", FnN: dWithin},
	{Name: "st_contains", OID: 9616, Args: pg.Sig{geometry, geometry}, Result: pg.Boolean, Doc: "Whether the second geometry is in the first, not only on its boundary.", Fn2: relation("ST_Contains", contains)},
	{Name: "st_within", OID: 9617, Args: pg.Sig{geometry, geometry}, Result: pg.Boolean, Doc: "Whether the first geometry is in the second, not only on its boundary.", Fn2: relation("ST_Within", swapped(contains))},
	{Name: "st_covers", OID: 9618, Args: pg.Sig{geometry, geometry}, Result: pg.Boolean, Doc: "Whether no point of the second geometry is outside of the first.", Fn2: relation("ST_Covers", covers)},
	{Name: "st_coveredby", OID: 9619, Args: pg.Sig{geometry, geometry}, Result: pg.Boolean, Doc: "Whether no point of the first geometry is outside of the second.", Fn2: relation("ST_CoveredBy", swapped(covers))},
	{Name: "st_intersects", OID: 9620, Args: pg.Sig{geometry, geometry}, Result: pg.Boolean, Doc: "Whether two geometries have a point in common.", Fn2: relation("ST_Intersects", intersects)},
	{Name: "st_disjoint", OID: 9621, Args: pg.Sig{geometry, geometry}, Result: pg.Boolean, Doc: "Whether two geometries have no point in common.", Fn2: relation("ST_Disjoint", disjoint)},
	{Name: "geometry_overlaps", OID: 9637, Operator: "&&", Args: pg.Sig{geometry, geometry}, Result: pg.Boolean, Doc: "Whether the bounding boxes of two geometries have a point in common.", Fn2: overlaps},
}

func dWithin(c *expr.Context, args []types.Value) (types.Value, error) {
	most := args[2].Float()
	if most < 0 {
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "Tolerance cannot be less than zero")
	}
	g, h, err := pair(c, "ST_DWithin", args[0], args[1])
	if err != nil {
		return types.Null, err
	}
	d, ok, err := distance(c, g.Geometry, h.Geometry)
	return types.NewBool(ok && d <= most), err
}

// relates decides a predicate.
type relates func(c *expr.Context, g, h geom.Geometry) (bool, error)

func relation(name string, holds relates) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		g, h, err := pair(c, name, a, b)
		if err != nil {
			return types.Null, err
		}
		ok, err := holds(c, g.Geometry, h.Geometry)
		return types.NewBool(ok), err
	}
}

func swapped(holds relates) relates {
	return func(c *expr.Context, g, h geom.Geometry) (bool, error) { return holds(c, h, g) }
}

// contains decides for points by what the relation is defined as: the point is in g and not on its boundary. To relate
// whole geometries takes much longer.
func contains(c *expr.Context, g, h geom.Geometry) (bool, error) {
	switch {
	case !g.Envelope().Covers(h.Envelope()):
		return false, nil
	case h.IsPoint() && !g.IsGeometryCollection():
		return geom.Intersects(g, h) && !geom.Intersects(g.Boundary(), h), nil
	}
	return whole(c, g, h, geom.Contains)
}

func covers(c *expr.Context, g, h geom.Geometry) (bool, error) {
	switch {
	case !g.Envelope().Covers(h.Envelope()):
		return false, nil
	case h.IsPoint():
		return geom.Intersects(g, h), nil
	}
	return whole(c, g, h, geom.Covers)
}

func intersects(c *expr.Context, g, h geom.Geometry) (meet bool, err error) {
	if !g.Envelope().Intersects(h.Envelope()) {
		return false, nil
	}
	err = eachPair(c, g, h, func(part, other geom.Geometry) bool {
		meet = part.Envelope().Intersects(other.Envelope()) && geom.Intersects(part, other)
		return !meet
	})
	return meet, err
}

func disjoint(c *expr.Context, g, h geom.Geometry) (bool, error) {
	meet, err := intersects(c, g, h)
	return !meet, err
}

// maxCrossings bounds how many points two geometries could have in common, or a line with itself. Relating them makes a
// graph of all of these.
const maxCrossings = 2_000_000

// nodeBytes is about what that graph has for each point.
const nodeBytes = 500

// whole relates two geometries by all of their points.
func whole(c *expr.Context, g, h geom.Geometry, holds func(g, h geom.Geometry) (bool, error)) (bool, error) {
	n, m := g.DumpCoordinates().Length(), h.DumpCoordinates().Length()
	crossings := n * m
	for _, one := range []geom.Geometry{g, h} {
		if one.Dimension() == 1 || one.IsGeometryCollection() {
			crossings = max(crossings, one.DumpCoordinates().Length()*one.DumpCoordinates().Length())
		}
	}
	if crossings > maxCrossings {
		return false, sqlerr.New(sqlerr.StatementTooComplex, "geometries have too many points to be related").
			WithHint("The product of their numbers of points may be %d.", maxCrossings)
	}
	if err := c.Make(int64(n+m) * nodeBytes); err != nil {
		return false, err
	}
	return holds(g, h)
}

// overlaps does not look at reference systems, as in PostGIS.
func overlaps(c *expr.Context, a, b types.Value) (types.Value, error) {
	g, err := decode(c, a)
	if err != nil {
		return types.Null, err
	}
	h, err := decode(c, b)
	return types.NewBool(err == nil && g.Envelope().Intersects(h.Envelope())), err
}
