package spatial

import (
	"github.com/peterstace/simplefeatures/geom"

	"zproxy/sqlerr"
)

// What is computed of geometries ends only when it is done. So their sizes are bounded, and with them the time: that of
// checking one is about how many rings it has, times how many points.
const (
	maxPoints     = 250_000
	maxRingPoints = 100_000_000
)

// Valid is what a geometry is held as, unless its shape is none: a ring that crosses itself, a line to infinity.
func Valid(g Geometry) ([]byte, error) {
	if g.IsPoint() {
		return g.Encode(), nil
	}
	if err := complete(g.Geometry); err != nil {
		return nil, err
	}
	if err := g.Validate(); err != nil {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "geometry is not valid").WithDetail("%s", err)
	}
	return g.Encode(), nil
}

// complete refuses lines and rings that PostGIS refuses, too, and geometries that are too large.
func complete(g geom.Geometry) error {
	points := g.DumpCoordinates().Length()
	rings := 0
	for _, part := range g.Dump() {
		rings++
		if line, ok := part.AsLineString(); ok && line.Coordinates().Length() == 1 {
			return sqlerr.New(sqlerr.InvalidParameterValue, "geometry requires more points")
		}
		if area, ok := part.AsPolygon(); ok {
			rings += area.NumInteriorRings()
			if err := completeRings(area); err != nil {
				return err
			}
		}
	}
	if points > maxPoints || rings*points > maxRingPoints {
		return sqlerr.New(sqlerr.StatementTooComplex, "geometry has too many points").
			WithHint("A geometry may have %d points, and %d times its number of lines and rings.", maxPoints, maxRingPoints)
	}
	return nil
}

func completeRings(area geom.Polygon) error {
	for _, ring := range area.DumpRings() {
		points := ring.Coordinates()
		n := points.Length()
		switch {
		case n < 4:
			return sqlerr.New(sqlerr.InvalidParameterValue, "geometry requires more points")
		case points.GetXY(0) != points.GetXY(n-1):
			return sqlerr.New(sqlerr.InvalidParameterValue, "geometry contains non-closed rings")
		}
	}
	return nil
}
