package types

import (
	"zproxy/sqlerr"
	"zproxy/types/spatial"
)

// spatialTypes are the types of PostGIS. They are held as in their binary form.
var spatialTypes = []Info{
	{
		OID: OIDGeometry, Name: "geometry", SQL: "geometry", Array: 8101,
		Kind: KindBytes, Category: CategoryUser, Size: -1, Separator: ':',
		forms: forms{
			appendText: heldText(spatial.AppendHex), parseText: heldRead(spatial.Parse),
			appendBinary: appendBinaryBytes, parseBinary: heldReceived(spatial.ParseBinary),
			modText: spatial.ModifierText, applyMod: fitGeometry,
		},
	},
}

// spatialCasts let functions of geometries take points, and columns of points keep what they return. In PostGIS these
// casts must be written.
var spatialCasts = []castRow{
	{OIDPoint, OIDGeometry, Cast{Implicit, pointToGeometry}},
	{OIDGeometry, OIDPoint, Cast{Assignment, geometryToPoint}},
	{OIDGeometry, OIDBytea, Cast{Assignment, keep}},
	{OIDBytea, OIDGeometry, Cast{Assignment, heldCast(spatial.ParseBinary)}},
}

func fitGeometry(v Value, mod int32, _ bool, _ *Env) (Value, error) {
	return bytesValue(spatial.Fit(v.Bytes(), mod))
}

func pointToGeometry(v Value, _ T, _ *Env) (Value, error) {
	return NewBytes(spatial.Point(v.Point())), nil
}

// geometryToPoint makes NULL of an empty point.
func geometryToPoint(v Value, _ T, _ *Env) (Value, error) {
	x, y, ok := spatial.XY(v.Bytes())
	switch {
	case ok:
		return NewPoint(x, y), nil
	case spatial.Shape(v.Bytes()) == "Point":
		return Null, nil
	}
	return Null, sqlerr.New(sqlerr.InvalidParameterValue, "geometry_to_point only accepts Points")
}
