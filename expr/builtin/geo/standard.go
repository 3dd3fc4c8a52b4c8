package geo

import (
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/float"
)

// standardFunctions are those of the standard SQL/MM for points, by the names and errors of PostGIS.
var standardFunctions = []*expr.Function{
	{Name: "st_point", OID: 9600, Args: pg.Sig{pg.Float8, pg.Float8}, Result: point, Doc: "Point with two coordinates.", Fn2: makePoint},
	{Name: "st_makepoint", OID: 9601, Args: pg.Sig{pg.Float8, pg.Float8}, Result: point, Doc: "Point with two coordinates.", Fn2: makePoint},
	{Name: "st_x", OID: 9602, Args: pg.Sig{point}, Result: pg.Float8, Doc: "First coordinate of a point.", Fn1: coordinate(0)},
	{Name: "st_y", OID: 9603, Args: pg.Sig{point}, Result: pg.Float8, Doc: "Second coordinate of a point.", Fn1: coordinate(1)},
	{Name: "st_distance", OID: 9604, Args: pg.Sig{point, point}, Result: pg.Float8, Doc: "Distance of two points in the plane.", Fn2: pointDistance},
	{Name: "st_dwithin", OID: 9605, Args: pg.Sig{point, point, pg.Float8}, Result: pg.Boolean, Doc: "Whether the distance of two points in the plane is at most a number.", FnN: pointsWithin},
	{Name: "st_astext", OID: 9606, Args: pg.Sig{point}, Result: pg.Text, Doc: "Point as well-known text.", Fn1: wellKnownText},
	{Name: "st_geomfromtext", OID: 9607, Args: pg.Sig{pg.Text}, Result: point, Doc: "Point that a well-known text describes.", Fn1: pointOfText},
}

func coordinate(i int) expr.Function1 {
	return func(_ *expr.Context, p types.Value) (types.Value, error) {
		return types.NewFloat(coordinates(p)[i]), nil
	}
}

func pointsWithin(c *expr.Context, args []types.Value) (types.Value, error) {
	most := args[2].Float()
	if most < 0 {
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "Tolerance cannot be less than zero")
	}
	distance, err := pointDistance(c, args[0], args[1])
	return types.NewBool(err == nil && distance.Float() <= most), err
}

func wellKnownText(_ *expr.Context, p types.Value) (types.Value, error) {
	at := coordinates(p)
	text := append(float.Append([]byte("POINT("), at[0], 64), ' ')
	return types.NewText(string(append(float.Append(text, at[1], 64), ')'))), nil
}

// otherShapes are the well-known names of shapes that no type holds.
var otherShapes = []string{"LINESTRING", "POLYGON", "MULTI", "GEOMETRYCOLLECTION", "CIRCULARSTRING", "COMPOUNDCURVE",
	"CURVEPOLYGON", "POLYHEDRALSURFACE", "TRIANGLE", "TIN", "SRID"}

// pointOfText reads POINT(1 2), in any case of letters, with blanks around each word.
func pointOfText(_ *expr.Context, text types.Value) (types.Value, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(text.Text()), "(")
	body, closed := strings.CutSuffix(rest, ")")
	name = strings.ToUpper(strings.TrimSpace(name))
	for _, other := range otherShapes {
		if strings.HasPrefix(name, other) {
			return types.Null, sqlerr.Unsupported("a geometry other than a point")
		}
	}
	var at [2]float64
	words := strings.Fields(body)
	if name != "POINT" || !closed || len(words) != len(at) {
		return types.Null, invalidGeometry()
	}
	for i, word := range words {
		var err error
		if at[i], err = float.Parse(word, 64); err != nil {
			return types.Null, invalidGeometry()
		}
	}
	return types.NewPoint(at[0], at[1]), nil
}

func invalidGeometry() error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "parse error - invalid geometry")
}
