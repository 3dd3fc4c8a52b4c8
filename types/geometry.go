package types

import "zproxy/types/geo"

// geometricTypes are the shapes besides point. They are held as in their binary format,
// and have no order: PostgreSQL compares them by their sizes.
var geometricTypes = []Info{
	{
		OID: OIDLseg, Name: "lseg", SQL: "lseg", Array: 1018,
		Kind: KindBytes, Category: CategoryGeometric, Size: 32, Unordered: true,
		forms: forms{
			appendText: shapeText(geo.AppendLseg), parseText: heldRead(geo.ParseLseg),
			appendBinary: appendBinaryBytes, parseBinary: fixedBytes(32),
		},
	},
	{
		OID: OIDPath, Name: "path", SQL: "path", Array: 1019,
		Kind: KindBytes, Category: CategoryGeometric, Size: -1, Unordered: true,
		forms: forms{
			appendText: shapeText(geo.AppendPath), parseText: heldRead(geo.ParsePath),
			appendBinary: appendBinaryBytes, parseBinary: heldReceived(geo.ParseBinaryPath),
		},
	},
	{
		OID: OIDBox, Name: "box", SQL: "box", Array: 1020, Separator: ';',
		Kind: KindBytes, Category: CategoryGeometric, Size: 32, Unordered: true,
		forms: forms{
			appendText: shapeText(geo.AppendBox), parseText: heldRead(geo.ParseBox),
			appendBinary: appendBinaryBytes, parseBinary: heldReceived(geo.ParseBinaryBox),
		},
	},
	{
		OID: OIDPolygon, Name: "polygon", SQL: "polygon", Array: 1027,
		Kind: KindBytes, Category: CategoryGeometric, Size: -1, Unordered: true,
		forms: forms{
			appendText: shapeText(geo.AppendPolygon), parseText: heldRead(geo.ParsePolygon),
			appendBinary: appendBinaryBytes, parseBinary: heldReceived(geo.ParseBinaryPolygon),
		},
	},
	{
		OID: OIDLine, Name: "line", SQL: "line", Array: 629,
		Kind: KindBytes, Category: CategoryGeometric, Size: 24, Unordered: true,
		forms: forms{
			appendText: shapeText(geo.AppendLine), parseText: heldRead(geo.ParseLine),
			appendBinary: appendBinaryBytes, parseBinary: heldReceived(geo.ParseBinaryLine),
		},
	},
	{
		OID: OIDCircle, Name: "circle", SQL: "circle", Array: 719,
		Kind: KindBytes, Category: CategoryGeometric, Size: 24, Unordered: true,
		forms: forms{
			appendText: shapeText(geo.AppendCircle), parseText: heldRead(geo.ParseCircle),
			appendBinary: appendBinaryBytes, parseBinary: heldReceived(geo.ParseBinaryCircle),
		},
	},
}

// geometricCasts make one shape of another.
var geometricCasts = []castRow{
	{OIDPoint, OIDBox, Cast{Assignment, pointToBox}},
	{OIDLseg, OIDPoint, Cast{Explicit, shapeToPoint(geo.Midpoint)}},
	{OIDBox, OIDPoint, Cast{Explicit, shapeToPoint(geo.Midpoint)}},
	{OIDBox, OIDLseg, Cast{Explicit, keep}},
	{OIDBox, OIDPolygon, Cast{Assignment, shapeToShape(geo.PolygonOfBox)}},
	{OIDBox, OIDCircle, Cast{Explicit, shapeToShape(geo.CircleOfBox)}},
	{OIDPath, OIDPolygon, Cast{Assignment, heldCast(geo.PolygonOfPath)}},
	{OIDPolygon, OIDPath, Cast{Assignment, shapeToShape(geo.PathOfPolygon)}},
	{OIDPolygon, OIDPoint, Cast{Explicit, shapeToPoint(geo.Center)}},
	{OIDPolygon, OIDBox, Cast{Explicit, shapeToShape(geo.BoxOfPolygon)}},
	{OIDPolygon, OIDCircle, Cast{Explicit, shapeToShape(geo.CircleOfPolygon)}},
	{OIDCircle, OIDPoint, Cast{Explicit, shapeToPoint(geo.CenterOfCircle)}},
	{OIDCircle, OIDBox, Cast{Explicit, shapeToShape(geo.BoxOfCircle)}},
	{OIDCircle, OIDPolygon, Cast{Explicit, heldCast(geo.PolygonOfCircle)}},
}

func appendPoint(dst []byte, v Value, env *Env) []byte {
	x, y := v.Point()
	return geo.AppendPoint(dst, x, y, env.shortFloats())
}

func parsePoint(s string, _ *Env) (Value, error) {
	x, y, err := geo.ParsePoint(s)
	if err != nil {
		return Null, err
	}
	return NewPoint(x, y), nil
}

func shapeText(f func(dst, shape []byte, short int) []byte) func(dst []byte, v Value, env *Env) []byte {
	return func(dst []byte, v Value, env *Env) []byte { return f(dst, v.Bytes(), env.shortFloats()) }
}

func pointToBox(v Value, _ T, _ *Env) (Value, error) { return NewBytes(geo.BoxOfPoint(v.Point())), nil }

func shapeToPoint(f func(shape []byte) (x, y float64)) func(v Value, _ T, _ *Env) (Value, error) {
	return func(v Value, _ T, _ *Env) (Value, error) { return NewPoint(f(v.Bytes())), nil }
}

func shapeToShape(f func(shape []byte) []byte) func(v Value, _ T, _ *Env) (Value, error) {
	return func(v Value, _ T, _ *Env) (Value, error) { return NewBytes(f(v.Bytes())), nil }
}
