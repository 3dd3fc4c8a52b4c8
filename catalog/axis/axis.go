// Package axis numbers the coordinates of points in columns, the axes. A Z-order index on such a column has both axes
// as dimensions. The number of an axis is that of the column with a bit set, so that bounds and statistics of axes are
// kept like those of columns. So are bounds of the normal forms of texts, which a dimension may have the codes of.
package axis

import (
	"zproxy/types"
	"zproxy/types/normal"
	"zproxy/types/spatial"
)

// The bits of the two axes.
const (
	axisX uint32 = 1 << 30
	axisY uint32 = 1 << 31
)

// Of are the axes of a column, none where its values are no points.
func Of(column uint32, t types.T) []uint32 {
	if t.OID == types.OIDPoint || t.OID == types.OIDGeometry && spatial.OfPoints(t.Mod) {
		return []uint32{column | axisX, column | axisY}
	}
	return nil
}

// Above formBit are the bits of a normal form.
const (
	formBit = 27
	forms   = 7 << formBit
)

// Formed is the number of what the texts of a column are in a normal form.
func Formed(column uint32, form normal.Form) uint32 { return column | uint32(form)<<formBit }

// Unformed is the column whose texts are brought into a normal form, or the column or axis that a number is of.
func Unformed(id uint32) uint32 { return id &^ forms }

// Column is the column of an axis or a normal form, or the column that a number is of.
func Column(id uint32) uint32 { return Unformed(id) &^ (axisX | axisY) }

// Is says whether a number is that of an axis or of a normal form.
func Is(id uint32) bool { return id != Column(id) }

// Name is how the axis of a column is shown.
func Name(id uint32, column string) string {
	if id&axisX != 0 {
		return column + ".x"
	}
	return column + ".y"
}

// Coordinate is what the value of a column has on an axis, or the value itself of a number that is no axis. It is NULL
// for an empty point.
func Coordinate(id uint32, v types.Value) types.Value {
	if !Is(id) || v.IsNull() {
		return v
	}
	x, y, ok := pointOf(v)
	switch {
	case !ok:
		return types.Null
	case id&axisX != 0:
		return types.NewFloat(x)
	}
	return types.NewFloat(y)
}

func pointOf(v types.Value) (x, y float64, ok bool) {
	if v.Kind() == types.KindPoint {
		x, y = v.Point()
		return x, y, true
	}
	return spatial.XY(v.Bytes())
}
