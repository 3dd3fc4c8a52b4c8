package spatial

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/sqlerr"
)

// The modifier of a type geometry has the reference system from bit 8 on and the shape from bit 2 on, as in PostGIS.
const (
	sridShift  = 8
	shapeShift = 2
	shapeBits  = 63
)

// Modifier is what geometry(Point) and geometry(Point, 4326) make.
func Modifier(words []string, numbers []int) (int32, error) {
	if len(words) != 1 || len(numbers) > 1 {
		return -1, sqlerr.New(sqlerr.InvalidParameterValue, "invalid type modifier")
	}
	s, err := shapeNamed(words[0])
	if err != nil || len(numbers) == 0 {
		return modifier(s, 0), err
	}
	srid, err := ReferenceSystem(numbers[0])
	return modifier(s, srid), err
}

func modifier(s shape, srid int) int32 { return int32(srid)<<sridShift | int32(s)<<shapeShift }

func shapeNamed(word string) (shape, error) {
	at := slices.IndexFunc(shapeNames[:], func(name string) bool { return strings.EqualFold(name, word) })
	if at >= 0 {
		return shape(at), nil
	}
	upper := strings.ToUpper(word)
	if slices.Contains(otherShapes, upper) {
		return 0, otherShape(upper)
	}
	for _, dimension := range []string{"ZM", "Z", "M"} {
		if flatName, ok := strings.CutSuffix(upper, dimension); ok {
			if _, err := shapeNamed(flatName); err == nil {
				return 0, flat()
			}
		}
	}
	return 0, sqlerr.New(sqlerr.InvalidParameterValue, "Invalid geometry type modifier: %s", word)
}

func modified(mod int32) (s shape, srid int) {
	return min(shape(mod>>shapeShift)&shapeBits, collection), int(mod >> sridShift)
}

// ModifierText writes a modifier: (Point), (Point,4326).
func ModifierText(mod int32) string {
	s, srid := modified(mod)
	switch {
	case srid > 0:
		return fmt.Sprintf("(%s,%d)", s, srid)
	case s != anyShape:
		return "(" + s.String() + ")"
	}
	return ""
}

// OfPoints says whether a modifier allows no other shape than points.
func OfPoints(mod int32) bool {
	s, _ := modified(mod)
	return mod >= 0 && s == point
}

// Fit refuses a geometry that is not as the modifier says. One of an unknown reference system gets that of the
// modifier.
func Fit(held []byte, mod int32) ([]byte, error) {
	want, srid := modified(mod)
	has := SRID(held)
	if srid > 0 && has > 0 && has != srid {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "Geometry SRID (%d) does not match column SRID (%d)",
			has, srid)
	}
	if is := shapeOf(held); want != anyShape && is != want && !(want == collection && is >= multiPoint) {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "Geometry type (%s) does not match column type (%s)",
			is, want)
	}
	if srid == 0 || has == srid {
		return held, nil
	}
	g, err := Decode(held)
	g.SRID = srid
	return g.Encode(), err
}
