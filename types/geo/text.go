// Package geo holds points, and the shapes besides them as they are in PostgreSQL's binary form. It reads and writes
// their text forms, checks their binary ones, and makes one shape of another. Their functions and operators are in
// package expr/builtin/geo. Read Encode and Numbers first.
package geo

import (
	"encoding/binary"
	"math"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types/float"
	"zproxy/types/form"
)

// Encode is a shape of numbers alone.
func Encode(numbers ...float64) []byte {
	out := make([]byte, 0, 8*len(numbers))
	for _, f := range numbers {
		out = binary.BigEndian.AppendUint64(out, math.Float64bits(f))
	}
	return out
}

// Numbers are the numbers that a shape is made of.
func Numbers(p []byte) []float64 {
	out := make([]float64, len(p)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.BigEndian.Uint64(p[8*i:]))
	}
	return out
}

// appendNumbers writes numbers with commas between.
func appendNumbers(dst []byte, short int, numbers ...float64) []byte {
	for i, f := range numbers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = float.AppendShorter(dst, f, 64, short)
	}
	return dst
}

// appendPoints writes points with commas between.
func appendPoints(dst []byte, short int, numbers []float64) []byte {
	for i := 0; i+1 < len(numbers); i += 2 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendNumbers(append(dst, '('), short, numbers[i:i+2]...), ')')
	}
	return dst
}

// The following append the texts of shapes, whose numbers have so many digits fewer than they could.

// AppendLseg appends [(x1,y1),(x2,y2)].
func AppendLseg(dst, shape []byte, short int) []byte {
	return append(appendPoints(append(dst, '['), short, Numbers(shape)), ']')
}

// AppendBox appends (x1,y1),(x2,y2), the upper right corner first.
func AppendBox(dst, shape []byte, short int) []byte {
	return appendPoints(dst, short, Numbers(shape))
}

// AppendPolygon appends ((x1,y1),...).
func AppendPolygon(dst, shape []byte, short int) []byte {
	return append(appendPoints(append(dst, '('), short, Numbers(shape[4:])), ')')
}

// AppendPath appends ((x1,y1),...), or [(x1,y1),...] of a path that is open.
func AppendPath(dst, shape []byte, short int) []byte {
	ends := "[]"
	if shape[0] != 0 {
		ends = "()"
	}
	return append(appendPoints(append(dst, ends[0]), short, Numbers(shape[5:])), ends[1])
}

// AppendLine appends {A,B,C}.
func AppendLine(dst, shape []byte, short int) []byte {
	return append(appendNumbers(append(dst, '{'), short, Numbers(shape)...), '}')
}

// AppendCircle appends <(x,y),r>.
func AppendCircle(dst, shape []byte, short int) []byte {
	f := Numbers(shape)
	dst = appendPoints(append(dst, '<'), short, f[:2])
	return append(appendNumbers(append(dst, ','), short, f[2]), '>')
}

// shape reads the text of a shape: numbers, among signs that group them.
type shape struct {
	rest string
	err  error
}

// whiteSpace is C's isspace.
const whiteSpace = " \t\n\v\f\r"

// accept reads a sign, if it comes next.
func (r *shape) accept(sign string) bool {
	r.rest = strings.TrimLeft(r.rest, whiteSpace)
	rest, ok := strings.CutPrefix(r.rest, sign)
	r.rest = rest
	return ok
}

// number reads a number, up to the next sign.
func (r *shape) number() float64 {
	end := strings.IndexAny(r.rest, ",()[]{}<>")
	if end < 0 {
		end = len(r.rest)
	}
	f, err := float.Parse(r.rest[:end], 64)
	if r.err == nil {
		r.err = err
	}
	r.rest = r.rest[end:]
	return f
}

// point reads two numbers, with or without brackets.
func (r *shape) point() (numbers []float64) {
	open := r.accept("(")
	x := r.number()
	ok := r.accept(",")
	y := r.number()
	if !ok || open && !r.accept(")") {
		r.fail()
	}
	return []float64{x, y}
}

func (r *shape) fail() {
	if r.err == nil {
		r.err = sqlerr.New(sqlerr.InvalidTextRepresentation, "")
	}
}

// points reads as many points as there are. All of them may be in brackets; whether
// these are [ ] is told.
func (r *shape) points() (numbers []float64, square bool) {
	square = r.accept("[")
	open := false
	if inner, ok := strings.CutPrefix(r.rest, "("); ok && !square {
		inner = strings.TrimLeft(inner, whiteSpace)
		// Those around the first point are others, unless there are no more.
		if open = strings.HasPrefix(inner, "(") || !strings.Contains(inner, "("); open {
			r.rest = inner
		}
	}
	numbers = r.point()
	for r.err == nil && r.accept(",") {
		numbers = append(numbers, r.point()...)
	}
	if square && !r.accept("]") || open && !r.accept(")") {
		r.fail()
	}
	return numbers, square
}

// end is the error of a text, when it is none of its type.
func (r *shape) end(name, s string) error {
	if r.accept(""); r.rest != "" {
		r.fail()
	}
	if r.err != nil && sqlerr.Has(r.err, sqlerr.InvalidTextRepresentation) {
		return form.InvalidText(name, s)
	}
	return r.err
}

// parsePoints reads a shape of points alone, of a fixed number when that is not 0.
func parsePoints(s, name string, count int) (numbers []float64, square bool, err error) {
	r := &shape{rest: s}
	numbers, square = r.points()
	if count > 0 && len(numbers) != 2*count {
		r.fail()
	}
	return numbers, square, r.end(name, s)
}

// ParseLseg reads the text of a segment of a line.
func ParseLseg(s string) ([]byte, error) {
	numbers, _, err := parsePoints(s, "lseg", 2)
	return shapeOr(numbers, err)
}

func shapeOr(numbers []float64, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return Encode(numbers...), nil
}

// ParseBox reads the text of a box.
func ParseBox(s string) ([]byte, error) {
	numbers, square, err := parsePoints(s, "box", 2)
	if err == nil && square {
		err = form.InvalidText("box", s)
	}
	if err != nil {
		return nil, err
	}
	return boxOf(numbers), nil
}

// boxOf puts the upper right corner first.
func boxOf(n []float64) []byte {
	if float.Compare(n[0], n[2]) < 0 {
		n[0], n[2] = n[2], n[0]
	}
	if float.Compare(n[1], n[3]) < 0 {
		n[1], n[3] = n[3], n[1]
	}
	return Encode(n...)
}

// ParsePath reads the text of a path.
func ParsePath(s string) ([]byte, error) {
	numbers, open, err := parsePoints(s, "path", 0)
	if err != nil {
		return nil, err
	}
	closed := byte(1)
	if open {
		closed = 0
	}
	return append([]byte{closed}, Points(numbers)...), nil
}

// ParsePolygon reads the text of a polygon.
func ParsePolygon(s string) ([]byte, error) {
	numbers, square, err := parsePoints(s, "polygon", 0)
	if err == nil && square {
		err = form.InvalidText("polygon", s)
	}
	if err != nil {
		return nil, err
	}
	return Points(numbers), nil
}

// Points is a polygon: the number of its points before them.
func Points(numbers []float64) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(numbers)/2))
	return append(out, Encode(numbers...)...)
}

// ParseLine reads the text of a line: {A,B,C}, or two points that the line goes through.
func ParseLine(s string) ([]byte, error) {
	r := &shape{rest: s}
	if !r.accept("{") {
		n, _, err := parsePoints(s, "line", 2)
		switch {
		case err != nil:
			return nil, err
		case n[0] == n[2] && n[1] == n[3]:
			return nil, sqlerr.New(sqlerr.InvalidTextRepresentation,
				"invalid line specification: must be two distinct points")
		case n[0] == n[2]:
			return Encode(-1, 0, n[0]), nil
		}
		slope := (n[3] - n[1]) / (n[2] - n[0])
		return Encode(slope, -1, n[1]-slope*n[0]+0), nil
	}
	a := r.number()
	ok1 := r.accept(",")
	b := r.number()
	ok2 := r.accept(",")
	c := r.number()
	if !ok1 || !ok2 || !r.accept("}") {
		r.fail()
	}
	if err := r.end("line", s); err != nil {
		return nil, err
	}
	if a == 0 && b == 0 {
		return nil, sqlerr.New(sqlerr.InvalidTextRepresentation,
			"invalid line specification: A and B cannot both be zero")
	}
	return Encode(a, b, c), nil
}

// ParseCircle reads the text of a circle: <(x,y),r>, ((x,y),r), (x,y),r or x,y,r.
func ParseCircle(s string) ([]byte, error) {
	r := &shape{rest: s}
	closing := ""
	switch {
	case r.accept("<"):
		closing = ">"
	case strings.Count(s, "(") > 1 && r.accept("("):
		closing = ")"
	}
	numbers := r.point()
	ok := r.accept(",")
	numbers = append(numbers, r.number())
	if !ok || closing != "" && !r.accept(closing) || numbers[2] < 0 {
		r.fail()
	}
	return shapeOr(numbers, r.end("circle", s))
}

// AppendPoint appends (x,y).
func AppendPoint(dst []byte, x, y float64, short int) []byte {
	return append(appendNumbers(append(dst, '('), short, x, y), ')')
}

// ParsePoint reads (x,y) or x,y.
func ParsePoint(s string) (x, y float64, err error) {
	t := form.TrimSpace(s)
	if strings.HasPrefix(t, "(") && strings.HasSuffix(t, ")") {
		t = t[1 : len(t)-1]
	}
	left, right, found := strings.Cut(t, ",")
	x, err1 := float.Parse(left, 64)
	y, err2 := float.Parse(right, 64)
	switch {
	case !found:
		return 0, 0, form.InvalidText("point", s)
	case err1 != nil && !sqlerr.Has(err1, sqlerr.InvalidTextRepresentation):
		return 0, 0, err1
	case err2 != nil && !sqlerr.Has(err2, sqlerr.InvalidTextRepresentation):
		return 0, 0, err2
	case err1 != nil || err2 != nil:
		return 0, 0, form.InvalidText("point", s)
	}
	return x, y, nil
}
