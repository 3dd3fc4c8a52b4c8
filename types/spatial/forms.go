package spatial

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/peterstace/simplefeatures/geom"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// AppendHex appends the hexadecimal digits of the bytes that a geometry is held as.
func AppendHex(dst, held []byte) []byte {
	const digits = "0123456789ABCDEF"
	dst = slices.Grow(dst, 2*len(held))
	for _, b := range held {
		dst = append(dst, digits[b>>4], digits[b&15])
	}
	return dst
}

// Parse reads hexadecimal digits of well-known binary, or well-known text.
func Parse(s string) ([]byte, error) {
	s = form.TrimSpace(s)
	if !strings.HasPrefix(s, "0") {
		return ParseText(s)
	}
	p, err := hex.DecodeString(s)
	if err != nil {
		return nil, invalid()
	}
	return ParseBinary(p)
}

// ParseText reads well-known text, in any case of letters. The number of a reference system may be in front of it:
// SRID=4326;POINT(1 2).
func ParseText(s string) ([]byte, error) {
	s = strings.ToUpper(form.TrimSpace(s))
	srid := 0
	if rest, ok := strings.CutPrefix(s, "SRID="); ok {
		number, text, ok := strings.Cut(rest, ";")
		n, err := strconv.Atoi(form.TrimSpace(number))
		if !ok || err != nil {
			return nil, invalid()
		}
		if srid, err = ReferenceSystem(n); err != nil {
			return nil, err
		}
		s = form.TrimSpace(text)
	}
	if err := supportedText(s); err != nil {
		return nil, err
	}
	g, err := geom.UnmarshalWKT(s, geom.NoValidate{})
	if err != nil {
		return nil, invalid()
	}
	if g.CoordinatesType() != geom.DimXY {
		return nil, flat()
	}
	return Valid(Geometry{g, srid})
}

// otherShapes are the shapes of PostGIS that are not held.
var otherShapes = []string{"CIRCULARSTRING", "COMPOUNDCURVE", "CURVEPOLYGON", "MULTICURVE", "MULTISURFACE", "TRIANGLE",
	"POLYHEDRALSURFACE", "TIN"}

// maxNesting bounds how many collections are within one another, which what reads them recurses into.
const maxNesting = 100

// supportedText refuses texts of other shapes, and collections that are nested deep.
func supportedText(s string) error {
	name := s[:form.SpanWhile(s, form.IsLetter)]
	if slices.Contains(otherShapes, name) {
		return otherShape(name)
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			if depth++; depth > maxNesting {
				return nested()
			}
		case ')':
			depth--
		}
	}
	return nil
}

// ParseBinary reads well-known binary, with or without a reference system, in any order of bytes.
func ParseBinary(p []byte) ([]byte, error) {
	f := frame{rest: p}
	if err := f.geometry(0); err != nil {
		return nil, err
	}
	if len(f.rest) > 0 {
		return nil, invalid()
	}
	g, err := Decode(p)
	if err == nil {
		g.SRID, err = ReferenceSystem(int(int32(g.SRID)))
	}
	if err != nil {
		return nil, err
	}
	return Valid(g)
}

// frame reads no more of well-known binary than shapes and counts. It refuses counts of what is not there, and
// collections that are nested deep: what reads the geometry next believes the counts and recurses.
type frame struct{ rest []byte }

func (f *frame) geometry(depth int) error {
	if len(f.rest) < headerSize || f.rest[0] > 1 {
		return invalid()
	}
	if depth > maxNesting {
		return nested()
	}
	order := byteOrder(f.rest)
	code := order.Uint32(f.rest[1:])
	size := headerSize
	if depth == 0 && code&sridFlag != 0 {
		size, code = size+sridSize, code&^sridFlag
	}
	if !f.skip(size) {
		return invalid()
	}
	switch {
	case code&zmFlags != 0 || code > 1000:
		return flat()
	case code > uint32(collection):
		return otherShape("number " + strconv.Itoa(int(code)))
	}
	return f.body(order, shape(code), depth)
}

func (f *frame) body(order order, s shape, depth int) error {
	switch s {
	case point:
		return f.points(1)
	case lineString:
		return f.each(order, 16, func() error { return f.points(1) })
	case polygon:
		return f.each(order, 4, func() error {
			return f.each(order, 16, func() error { return f.points(1) })
		})
	case multiPoint, multiLineString, multiPolygon, collection:
		return f.each(order, headerSize, func() error { return f.geometry(depth + 1) })
	}
	return invalid()
}

// each reads a count and as many items of at least so many bytes.
func (f *frame) each(order order, least int, item func() error) error {
	if len(f.rest) < 4 {
		return invalid()
	}
	count := int64(order.Uint32(f.rest))
	if f.rest = f.rest[4:]; count*int64(least) > int64(len(f.rest)) {
		return invalid()
	}
	for range count {
		if err := item(); err != nil {
			return err
		}
	}
	return nil
}

func (f *frame) points(n int) error {
	if !f.skip(16 * n) {
		return invalid()
	}
	return nil
}

func (f *frame) skip(n int) bool {
	if len(f.rest) < n {
		return false
	}
	f.rest = f.rest[n:]
	return true
}

// ReferenceSystem is the number of a reference system as it is held. What is not positive is an unknown one.
func ReferenceSystem(n int) (int, error) {
	if n > mostSRID {
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "SRID value %d > SRID_MAXIMUM (%d)", n, mostSRID)
	}
	return max(n, 0), nil
}

func otherShape(name string) error { return sqlerr.Unsupported("a geometry of type %s", name) }

func flat() error { return sqlerr.Unsupported("a geometry with Z or M coordinates") }

func nested() error {
	return sqlerr.New(sqlerr.StatementTooComplex, "geometry is nested too deep").
		WithHint("Collections may be nested %d deep.", maxNesting)
}
