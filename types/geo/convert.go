package geo

import (
	"math"

	"zproxy/sqlerr"
)

// Midpoint is the point in the middle of a segment of a line, or of a box.
func Midpoint(shape []byte) (x, y float64) {
	n := Numbers(shape)
	return (n[0] + n[2]) / 2, (n[1] + n[3]) / 2
}

// BoxOfPoint is a box that is a point.
func BoxOfPoint(x, y float64) []byte { return Encode(x, y, x, y) }

// PolygonOfBox has the corners of a box.
func PolygonOfBox(box []byte) []byte {
	n := Numbers(box)
	return Points([]float64{n[2], n[3], n[2], n[1], n[0], n[1], n[0], n[3]})
}

// CircleOfBox goes through the corners of a box.
func CircleOfBox(box []byte) []byte {
	n := Numbers(box)
	x, y := (n[0]+n[2])/2, (n[1]+n[3])/2
	return Encode(x, y, math.Hypot(x-n[0], y-n[1]))
}

// PolygonOfPath has the points of a path that is closed.
func PolygonOfPath(path []byte) ([]byte, error) {
	if path[0] == 0 {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "open path cannot be converted to polygon")
	}
	return path[1:], nil
}

// PathOfPolygon is a closed path through the points of a polygon.
func PathOfPolygon(polygon []byte) []byte { return append([]byte{1}, polygon...) }

// Center is the mean of the points of a polygon.
func Center(polygon []byte) (x, y float64) { return center(Numbers(polygon[4:])) }

// center is the mean of points.
func center(n []float64) (x, y float64) {
	for i := 0; i < len(n); i += 2 {
		x, y = x+n[i], y+n[i+1]
	}
	count := float64(len(n) / 2)
	return x / count, y / count
}

// BoxOfPolygon is the least box around a polygon.
func BoxOfPolygon(polygon []byte) []byte {
	n := Numbers(polygon[4:])
	out := []float64{n[0], n[1], n[0], n[1]}
	for i := 2; i < len(n); i += 2 {
		out[0], out[1] = max(out[0], n[i]), max(out[1], n[i+1])
		out[2], out[3] = min(out[2], n[i]), min(out[3], n[i+1])
	}
	return Encode(out...)
}

// CircleOfPolygon has the mean distance of the points from their center as its radius.
func CircleOfPolygon(polygon []byte) []byte {
	n := Numbers(polygon[4:])
	x, y := center(n)
	radius := 0.0
	for i := 0; i < len(n); i += 2 {
		radius += math.Hypot(n[i]-x, n[i+1]-y)
	}
	return Encode(x, y, radius/float64(len(n)/2))
}

// CenterOfCircle is the point around which a circle is.
func CenterOfCircle(circle []byte) (x, y float64) {
	n := Numbers(circle)
	return n[0], n[1]
}

// BoxOfCircle is the greatest square in a circle.
func BoxOfCircle(circle []byte) []byte {
	n := Numbers(circle)
	d := n[2] / math.Sqrt2
	return Encode(n[0]+d, n[1]+d, n[0]-d, n[1]-d)
}

// PolygonOfCircle has twelve points of a circle.
func PolygonOfCircle(circle []byte) ([]byte, error) {
	n := Numbers(circle)
	const count = 12
	if n[2] == 0 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "cannot convert circle with radius zero to polygon")
	}
	var out []float64
	for i := range count {
		angle := float64(i) * (2 * math.Pi / count)
		out = append(out, n[0]-n[2]*math.Cos(angle), n[1]+n[2]*math.Sin(angle))
	}
	return Points(out), nil
}
