// Package spatial holds geometries as PostGIS does: points, lines, polygons and collections of them in the plane, each
// with the number of its spatial reference system. It reads and writes their forms, and the modifier of their type.
// What is computed of them is in package expr/builtin/spatial. Read Geometry first.
package spatial

import (
	"encoding/binary"
	"math"

	"github.com/peterstace/simplefeatures/geom"

	"zproxy/sqlerr"
)

// Geometry is a valid shape. It is held as the bytes that Encode makes: PostGIS's extended well-known binary.
type Geometry struct {
	geom.Geometry
	SRID int // of the spatial reference system, 0 if it is not known
}

const (
	headerSize = 5 // the order of bytes, the shape
	sridSize   = 4
	sridFlag   = 0x20000000 // in the shape: the reference system follows it
	zmFlags    = 0xC0000000
)

// mostSRID is the largest number of a reference system.
const mostSRID = 999999

// Encode is what a geometry is held as.
func (g Geometry) Encode() []byte {
	plain := g.plain()
	if g.SRID == 0 {
		return plain
	}
	out := make([]byte, 0, len(plain)+sridSize)
	order := byteOrder(plain)
	out = order.AppendUint32(append(out, plain[0]), order.Uint32(plain[1:])|sridFlag)
	return append(order.AppendUint32(out, uint32(g.SRID)), plain[headerSize:]...)
}

// plain is a geometry without its reference system.
func (g Geometry) plain() []byte {
	out := g.AppendWKB(nil)
	if g.IsPoint() && g.IsEmpty() { // as PostGIS does, whose NaN is another one than Go's
		order, nan := byteOrder(out), math.Float64bits(math.Inf(1))|1<<51
		return order.AppendUint64(order.AppendUint64(out[:headerSize], nan), nan)
	}
	return out
}

// Decode is the geometry that is held as some bytes, which Encode made.
func Decode(held []byte) (Geometry, error) {
	plain, srid := cutSRID(held)
	g, err := geom.UnmarshalWKB(plain, geom.NoValidate{})
	if err != nil {
		return Geometry{}, invalid()
	}
	return Geometry{g, srid}, nil
}

// SRID is the reference system of a geometry that is held as some bytes.
func SRID(held []byte) int {
	if len(held) < headerSize+sridSize || byteOrder(held).Uint32(held[1:])&sridFlag == 0 {
		return 0
	}
	return int(byteOrder(held).Uint32(held[headerSize:]))
}

// cutSRID takes the reference system out of a geometry.
func cutSRID(held []byte) (plain []byte, srid int) {
	if srid = SRID(held); srid == 0 {
		return held, 0
	}
	order := byteOrder(held)
	plain = make([]byte, 0, len(held)-sridSize)
	plain = order.AppendUint32(append(plain, held[0]), order.Uint32(held[1:])&^sridFlag)
	return append(plain, held[headerSize+sridSize:]...), srid
}

// XY are the coordinates of a point that is held as some bytes. It says false of other shapes, and of an empty point.
func XY(held []byte) (x, y float64, ok bool) {
	start := headerSize
	if SRID(held) != 0 {
		start += sridSize
	}
	if len(held) != start+16 || shapeOf(held) != point {
		return 0, 0, false
	}
	order := byteOrder(held)
	x = math.Float64frombits(order.Uint64(held[start:]))
	y = math.Float64frombits(order.Uint64(held[start+8:]))
	return x, y, x == x && y == y
}

// Extent is the bounding box of a geometry that is held as some bytes. It says false of one that is empty.
func Extent(held []byte) (low, high [2]float64, ok bool, err error) {
	g, err := Decode(held)
	if err != nil {
		return low, high, false, err
	}
	from, to, ok := g.Envelope().MinMaxXYs()
	return [2]float64{from.X, from.Y}, [2]float64{to.X, to.Y}, ok, nil
}

// Point is a point without a reference system. Without one of its coordinates it is empty.
func Point(x, y float64) []byte {
	p := geom.Point{}
	if x == x && y == y {
		p = geom.NewPointXY(x, y)
	}
	return Geometry{Geometry: p.AsGeometry()}.Encode()
}

// order is how the numbers of a geometry are written.
type order interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func byteOrder(p []byte) order {
	if p[0] == 0 {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// shape is a kind of geometry, by its number in well-known binary.
type shape uint32

const (
	anyShape shape = iota
	point
	lineString
	polygon
	multiPoint
	multiLineString
	multiPolygon
	collection
)

// shapeNames are the shapes as PostGIS writes them.
var shapeNames = [...]string{"Geometry", "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString",
	"MultiPolygon", "GeometryCollection"}

func (s shape) String() string { return shapeNames[s] }

// shapeOf is the shape of a geometry that is held as some bytes.
func shapeOf(held []byte) shape {
	if len(held) < headerSize {
		return anyShape
	}
	if n := byteOrder(held).Uint32(held[1:]) &^ sridFlag; n <= uint32(collection) {
		return shape(n)
	}
	return anyShape
}

// Shape is the name of the shape of a geometry that is held as some bytes: Point.
func Shape(held []byte) string { return shapeOf(held).String() }

// invalid is the error of text or bytes that are no geometry.
func invalid() *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "parse error - invalid geometry")
}
