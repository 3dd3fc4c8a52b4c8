package spatial

import (
	"fmt"

	"github.com/peterstace/simplefeatures/geom"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/spatial"
)

// properties are what is read off one geometry.
var properties = []*expr.Function{
	{Name: "st_x", OID: 9602, Args: pg.Sig{geometry}, Result: pg.Float8, Doc: "First coordinate of a point.", Fn1: coordinate("ST_X", 0)},
	{Name: "st_y", OID: 9603, Args: pg.Sig{geometry}, Result: pg.Float8, Doc: "Second coordinate of a point.", Fn1: coordinate("ST_Y", 1)},
	{Name: "st_xmin", OID: 9629, Args: pg.Sig{geometry}, Result: pg.Float8, Doc: "Least first coordinate of a geometry.", Fn1: extreme(func(low, _ geom.XY) float64 { return low.X })},
	{Name: "st_ymin", OID: 9630, Args: pg.Sig{geometry}, Result: pg.Float8, Doc: "Least second coordinate of a geometry.", Fn1: extreme(func(low, _ geom.XY) float64 { return low.Y })},
	{Name: "st_xmax", OID: 9631, Args: pg.Sig{geometry}, Result: pg.Float8, Doc: "Greatest first coordinate of a geometry.", Fn1: extreme(func(_, high geom.XY) float64 { return high.X })},
	{Name: "st_ymax", OID: 9632, Args: pg.Sig{geometry}, Result: pg.Float8, Doc: "Greatest second coordinate of a geometry.", Fn1: extreme(func(_, high geom.XY) float64 { return high.Y })},
	{Name: "st_srid", OID: 9610, Args: pg.Sig{geometry}, Result: pg.Int4, Doc: "Number of the spatial reference system of a geometry, 0 if it is not known.", Fn1: srid},
	{Name: "st_geometrytype", OID: 9612, Args: pg.Sig{geometry}, Result: pg.Text, Doc: "Type of a geometry: ST_Point.", Fn1: typeName},
	{Name: "st_isempty", OID: 9627, Args: pg.Sig{geometry}, Result: pg.Boolean, Doc: "Whether a geometry has no points.", Fn1: isEmpty},
	{Name: "st_astext", OID: 9606, Args: pg.Sig{geometry}, Result: pg.Text, Doc: "Geometry as well-known text.", Fn1: asText},
	{Name: "st_asewkt", OID: 9624, Args: pg.Sig{geometry}, Result: pg.Text, Doc: "Geometry as well-known text, with its spatial reference system in front of it.", Fn1: asExtendedText},
	{Name: "st_asbinary", OID: 9622, Args: pg.Sig{geometry}, Result: pg.Bytea, Doc: "Geometry as well-known binary, without its spatial reference system.", Fn1: asBinary},
	{Name: "st_asewkb", OID: 9623, Args: pg.Sig{geometry}, Result: pg.Bytea, Doc: "Geometry as well-known binary with its spatial reference system.", Fn1: asExtendedBinary},
}

// coordinate is NULL for an empty point.
func coordinate(name string, axis int) expr.Function1 {
	return func(_ *expr.Context, v types.Value) (types.Value, error) {
		x, y, ok := spatial.XY(v.Bytes())
		switch {
		case ok:
			return types.NewFloat([2]float64{x, y}[axis]), nil
		case spatial.Shape(v.Bytes()) == "Point":
			return types.Null, nil
		}
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "Argument to %s() must have type POINT", name)
	}
}

// extreme is NULL for an empty geometry.
func extreme(f func(low, high geom.XY) float64) expr.Function1 {
	return func(c *expr.Context, v types.Value) (types.Value, error) {
		g, err := decode(c, v)
		if err != nil {
			return types.Null, err
		}
		if low, high, ok := g.Envelope().MinMaxXYs(); ok {
			return types.NewFloat(f(low, high)), nil
		}
		return types.Null, nil
	}
}

func srid(_ *expr.Context, v types.Value) (types.Value, error) {
	return types.NewInt(int64(spatial.SRID(v.Bytes()))), nil
}

func typeName(_ *expr.Context, v types.Value) (types.Value, error) {
	return types.NewText("ST_" + spatial.Shape(v.Bytes())), nil
}

func isEmpty(c *expr.Context, v types.Value) (types.Value, error) {
	g, err := decode(c, v)
	return types.NewBool(err == nil && g.IsEmpty()), err
}

func asText(c *expr.Context, v types.Value) (types.Value, error) { return text(c, v, false) }

func asExtendedText(c *expr.Context, v types.Value) (types.Value, error) { return text(c, v, true) }

// text has at the most about three hundred digits for each number of eight bytes.
func text(c *expr.Context, v types.Value, extended bool) (types.Value, error) {
	g, err := decode(c, v)
	if err != nil {
		return types.Null, err
	}
	var out []byte
	if extended && g.SRID != 0 {
		out = fmt.Appendf(out, "SRID=%d;", g.SRID)
	}
	if err := c.Make(int64(len(v.Bytes())) * 4); err != nil {
		return types.Null, err
	}
	out = g.AppendWKT(out)
	return types.NewText(string(out)), nil
}

func asBinary(c *expr.Context, v types.Value) (types.Value, error) {
	g, err := decode(c, v)
	if err != nil {
		return types.Null, err
	}
	g.SRID = 0
	return types.NewBytes(g.Encode()), nil
}

func asExtendedBinary(_ *expr.Context, v types.Value) (types.Value, error) { return v, nil }
