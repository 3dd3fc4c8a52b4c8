package spatial

import (
	"github.com/peterstace/simplefeatures/geom"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/spatial"
)

// makers are the functions that return geometries.
var makers = []*expr.Function{
	{Name: "st_point", OID: 9600, Args: pg.Sig{pg.Float8, pg.Float8}, Result: geometry, Doc: "Point with two coordinates.", Fn2: makePoint},
	{Name: "st_point", OID: 9609, Args: pg.Sig{pg.Float8, pg.Float8, pg.Int4}, Result: geometry, Doc: "Point with two coordinates in a spatial reference system.", FnN: makePointIn},
	{Name: "st_makepoint", OID: 9601, Args: pg.Sig{pg.Float8, pg.Float8}, Result: geometry, Doc: "Point with two coordinates.", Fn2: makePoint},
	{Name: "st_makeline", OID: 9633, Args: pg.Sig{geometry, geometry}, Result: geometry, Doc: "Line through the points of two points or lines.", Fn2: makeLine},
	{Name: "st_makeenvelope", OID: 9614, Args: pg.Sig{pg.Float8, pg.Float8, pg.Float8, pg.Float8}, Result: geometry, Doc: "Rectangle between xmin, ymin, xmax and ymax.", FnN: makeEnvelope},
	{Name: "st_makeenvelope", OID: 9615, Args: pg.Sig{pg.Float8, pg.Float8, pg.Float8, pg.Float8, pg.Int4}, Result: geometry, Doc: "Rectangle between xmin, ymin, xmax and ymax in a spatial reference system.", FnN: makeEnvelope},
	{Name: "st_geomfromtext", OID: 9607, Args: pg.Sig{pg.Text}, Result: geometry, Doc: "Geometry that a well-known text describes.", Fn1: fromText},
	{Name: "st_geomfromtext", OID: 9608, Args: pg.Sig{pg.Text, pg.Int4}, Result: geometry, Doc: "Geometry that a well-known text describes, in a spatial reference system.", Fn2: in(fromText)},
	{Name: "st_geomfromewkt", OID: 9640, Args: pg.Sig{pg.Text}, Result: geometry, Doc: "Geometry that a well-known text describes, with the spatial reference system in front of it.", Fn1: fromText},
	{Name: "st_geomfromwkb", OID: 9625, Args: pg.Sig{pg.Bytea}, Result: geometry, Doc: "Geometry of well-known binary.", Fn1: fromBinary},
	{Name: "st_geomfromwkb", OID: 9626, Args: pg.Sig{pg.Bytea, pg.Int4}, Result: geometry, Doc: "Geometry of well-known binary, in a spatial reference system.", Fn2: in(fromBinary)},
	{Name: "st_setsrid", OID: 9611, Args: pg.Sig{geometry, pg.Int4}, Result: geometry, Doc: "Geometry in another spatial reference system, with the same coordinates.", Fn2: in(same)},
	{Name: "st_envelope", OID: 9613, Args: pg.Sig{geometry}, Result: geometry, Doc: "Bounding box of a geometry.", Fn1: envelope},
	{Name: "st_expand", OID: 9628, Args: pg.Sig{geometry, pg.Float8}, Result: geometry, Doc: "Bounding box of a geometry, larger by a distance on each side.", Fn2: expand},
}

func held(p []byte, err error) (types.Value, error) {
	if err != nil {
		return types.Null, err
	}
	return types.NewBytes(p), nil
}

func made(g geom.Geometry, srid int) (types.Value, error) {
	return held(spatial.Valid(spatial.Geometry{Geometry: g, SRID: srid}))
}

func makePoint(_ *expr.Context, x, y types.Value) (types.Value, error) {
	return types.NewBytes(spatial.Point(x.Float(), y.Float())), nil
}

func makePointIn(c *expr.Context, args []types.Value) (types.Value, error) {
	p, err := makePoint(c, args[0], args[1])
	if err != nil {
		return types.Null, err
	}
	return in(same)(c, p, args[2])
}

func fromText(c *expr.Context, v types.Value) (types.Value, error) {
	if err := c.Tick(len(v.Text())); err != nil {
		return types.Null, err
	}
	return held(spatial.ParseText(v.Text()))
}

func fromBinary(c *expr.Context, v types.Value) (types.Value, error) {
	if err := c.Tick(len(v.Bytes())); err != nil {
		return types.Null, err
	}
	return held(spatial.ParseBinary(v.Bytes()))
}

func same(_ *expr.Context, g types.Value) (types.Value, error) { return g, nil }

// in puts what is made into a reference system.
func in(maker expr.Function1) expr.Function2 {
	return func(c *expr.Context, v, number types.Value) (types.Value, error) {
		srid, err := spatial.ReferenceSystem(int(number.Int()))
		if err != nil {
			return types.Null, err
		}
		if v, err = maker(c, v); err != nil {
			return types.Null, err
		}
		g, err := decode(c, v)
		if err != nil {
			return types.Null, err
		}
		g.SRID = srid
		return types.NewBytes(g.Encode()), nil
	}
}

func makeLine(c *expr.Context, a, b types.Value) (types.Value, error) {
	g, h, err := pair(c, "ST_MakeLine", a, b)
	if err != nil {
		return types.Null, err
	}
	var numbers []float64
	for _, part := range []geom.Geometry{g.Geometry, h.Geometry} {
		if !part.IsPoint() && !part.IsLineString() {
			return types.Null, sqlerr.New(sqlerr.InvalidParameterValue,
				"Both arguments to ST_MakeLine must be points or lines")
		}
		points := part.DumpCoordinates()
		for i := range points.Length() {
			p := points.GetXY(i)
			if n := len(numbers); i == 0 && n > 0 && numbers[n-2] == p.X && numbers[n-1] == p.Y && part.IsLineString() {
				continue // the line begins where the one before it ends
			}
			numbers = append(numbers, p.X, p.Y)
		}
	}
	return made(geom.NewLineString(geom.NewSequence(numbers, geom.DimXY)).AsGeometry(), g.SRID)
}

func makeEnvelope(c *expr.Context, args []types.Value) (types.Value, error) {
	box := geom.NewEnvelope(geom.XY{X: args[0].Float(), Y: args[1].Float()},
		geom.XY{X: args[2].Float(), Y: args[3].Float()})
	g, err := made(box.AsGeometry(), 0)
	if err != nil || len(args) == 4 {
		return g, err
	}
	return in(same)(c, g, args[4])
}

// envelope of an empty geometry is that geometry.
func envelope(c *expr.Context, v types.Value) (types.Value, error) {
	g, err := decode(c, v)
	if err != nil || g.IsEmpty() {
		return v, err
	}
	return made(g.Envelope().AsGeometry(), g.SRID)
}

// expand by less than nothing may leave nothing.
func expand(c *expr.Context, v, by types.Value) (types.Value, error) {
	g, err := decode(c, v)
	if err != nil || g.IsEmpty() {
		return v, err
	}
	low, high, _ := g.Envelope().MinMaxXYs()
	d := geom.XY{X: by.Float(), Y: by.Float()}
	low, high = low.Sub(d), high.Add(d)
	if low.X > high.X || low.Y > high.Y {
		return made(geom.Polygon{}.AsGeometry(), g.SRID)
	}
	return made(geom.NewEnvelope(low, high).AsGeometry(), g.SRID)
}
