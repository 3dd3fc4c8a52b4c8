package types

import (
	"encoding/binary"
	"math"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types/float"
	"zproxy/types/form"
)

// geometricTypes are the shapes besides point. They are held as in their binary format,
// and have no order: PostgreSQL compares them by their sizes.
var geometricTypes = []Info{
	{
		OID: OIDLseg, Name: "lseg", SQL: "lseg", Array: 1018,
		Kind: KindBytes, Category: CategoryGeometric, Size: 32, Unordered: true,
		appendText: appendLseg, parseText: parseLseg,
		appendBinary: appendBinaryBytes, parseBinary: fixedBytes(32),
	},
	{
		OID: OIDPath, Name: "path", SQL: "path", Array: 1019,
		Kind: KindBytes, Category: CategoryGeometric, Size: -1, Unordered: true,
		appendText: appendPath, parseText: parsePath,
		appendBinary: appendBinaryBytes, parseBinary: parseBinaryPath,
	},
	{
		OID: OIDBox, Name: "box", SQL: "box", Array: 1020, Separator: ';',
		Kind: KindBytes, Category: CategoryGeometric, Size: 32, Unordered: true,
		appendText: appendBox, parseText: parseBox,
		appendBinary: appendBinaryBytes, parseBinary: parseBinaryBox,
	},
	{
		OID: OIDPolygon, Name: "polygon", SQL: "polygon", Array: 1027,
		Kind: KindBytes, Category: CategoryGeometric, Size: -1, Unordered: true,
		appendText: appendPolygon, parseText: parsePolygon,
		appendBinary: appendBinaryBytes, parseBinary: parseBinaryPolygon,
	},
	{
		OID: OIDLine, Name: "line", SQL: "line", Array: 629,
		Kind: KindBytes, Category: CategoryGeometric, Size: 24, Unordered: true,
		appendText: appendLine, parseText: parseLine,
		appendBinary: appendBinaryBytes, parseBinary: parseBinaryLine,
	},
	{
		OID: OIDCircle, Name: "circle", SQL: "circle", Array: 719,
		Kind: KindBytes, Category: CategoryGeometric, Size: 24, Unordered: true,
		appendText: appendCircle, parseText: parseCircle,
		appendBinary: appendBinaryBytes, parseBinary: parseBinaryCircle,
	},
}

// floatBytes is a shape of numbers alone.
func floatBytes(numbers []float64) Value {
	out := make([]byte, 0, 8*len(numbers))
	for _, f := range numbers {
		out = binary.BigEndian.AppendUint64(out, math.Float64bits(f))
	}
	return NewBytes(out)
}

// floatsOf are the numbers in bytes.
func floatsOf(p []byte) []float64 {
	out := make([]float64, len(p)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.BigEndian.Uint64(p[8*i:]))
	}
	return out
}

// appendNumbers writes numbers with commas between.
func (e *Env) appendNumbers(dst []byte, numbers ...float64) []byte {
	for i, f := range numbers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.appendFloat(dst, f, 64)
	}
	return dst
}

// appendPoints writes points with commas between.
func (e *Env) appendPoints(dst []byte, numbers []float64) []byte {
	for i := 0; i+1 < len(numbers); i += 2 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(e.appendNumbers(append(dst, '('), numbers[i:i+2]...), ')')
	}
	return dst
}

func appendLseg(dst []byte, v Value, env *Env) []byte {
	return append(env.appendPoints(append(dst, '['), floatsOf(v.Bytes())), ']')
}

func appendBox(dst []byte, v Value, env *Env) []byte {
	return env.appendPoints(dst, floatsOf(v.Bytes()))
}

func appendPolygon(dst []byte, v Value, env *Env) []byte {
	return append(env.appendPoints(append(dst, '('), floatsOf(v.Bytes()[4:])), ')')
}

func appendPath(dst []byte, v Value, env *Env) []byte {
	ends := "[]"
	if v.Bytes()[0] != 0 {
		ends = "()"
	}
	return append(env.appendPoints(append(dst, ends[0]), floatsOf(v.Bytes()[5:])), ends[1])
}

func appendLine(dst []byte, v Value, env *Env) []byte {
	return append(env.appendNumbers(append(dst, '{'), floatsOf(v.Bytes())...), '}')
}

func appendCircle(dst []byte, v Value, env *Env) []byte {
	f := floatsOf(v.Bytes())
	dst = env.appendPoints(append(dst, '<'), f[:2])
	return append(env.appendNumbers(append(dst, ','), f[2]), '>')
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

func parseLseg(s string, _ *Env) (Value, error) {
	numbers, _, err := parsePoints(s, "lseg", 2)
	return shapeOr(numbers, err)
}

func shapeOr(numbers []float64, err error) (Value, error) {
	if err != nil {
		return Null, err
	}
	return floatBytes(numbers), nil
}

func parseBox(s string, _ *Env) (Value, error) {
	numbers, square, err := parsePoints(s, "box", 2)
	if err == nil && square {
		err = form.InvalidText("box", s)
	}
	if err != nil {
		return Null, err
	}
	return boxOf(numbers), nil
}

// boxOf puts the upper right corner first.
func boxOf(n []float64) Value {
	if float.Compare(n[0], n[2]) < 0 {
		n[0], n[2] = n[2], n[0]
	}
	if float.Compare(n[1], n[3]) < 0 {
		n[1], n[3] = n[3], n[1]
	}
	return floatBytes(n)
}

func parsePath(s string, _ *Env) (Value, error) {
	numbers, open, err := parsePoints(s, "path", 0)
	if err != nil {
		return Null, err
	}
	closed := byte(1)
	if open {
		closed = 0
	}
	return NewBytes(append([]byte{closed}, countedPoints(numbers)...)), nil
}

func parsePolygon(s string, _ *Env) (Value, error) {
	numbers, square, err := parsePoints(s, "polygon", 0)
	if err == nil && square {
		err = form.InvalidText("polygon", s)
	}
	if err != nil {
		return Null, err
	}
	return NewBytes(countedPoints(numbers)), nil
}

// countedPoints puts the number of the points before them.
func countedPoints(numbers []float64) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(numbers)/2))
	return append(out, floatBytes(numbers).Bytes()...)
}

// parseLine reads {A,B,C}, or two points that the line goes through.
func parseLine(s string, _ *Env) (Value, error) {
	r := &shape{rest: s}
	if !r.accept("{") {
		n, _, err := parsePoints(s, "line", 2)
		switch {
		case err != nil:
			return Null, err
		case n[0] == n[2] && n[1] == n[3]:
			return Null, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid line specification: must be two distinct points")
		case n[0] == n[2]:
			return floatBytes([]float64{-1, 0, n[0]}), nil
		}
		slope := (n[3] - n[1]) / (n[2] - n[0])
		return floatBytes([]float64{slope, -1, n[1] - slope*n[0] + 0}), nil
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
		return Null, err
	}
	if a == 0 && b == 0 {
		return Null, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid line specification: A and B cannot both be zero")
	}
	return floatBytes([]float64{a, b, c}), nil
}

// parseCircle reads <(x,y),r>, ((x,y),r), (x,y),r or x,y,r.
func parseCircle(s string, _ *Env) (Value, error) {
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

func parseBinaryBox(p []byte) (Value, error) {
	if err := form.CheckLength(p, 32); err != nil {
		return Null, err
	}
	return boxOf(floatsOf(p)), nil
}

func parseBinaryLine(p []byte) (Value, error) {
	v, err := fixedBytes(24)(p)
	if err != nil {
		return Null, err
	}
	if f := floatsOf(p); f[0] == 0 && f[1] == 0 {
		return Null, form.InvalidBinary("invalid line specification: A and B cannot both be zero")
	}
	return v, nil
}

func parseBinaryCircle(p []byte) (Value, error) {
	v, err := fixedBytes(24)(p)
	if err == nil && floatsOf(p)[2] < 0 {
		return Null, form.InvalidBinary("invalid radius in external \"circle\" value")
	}
	return v, err
}

func parseBinaryPolygon(p []byte) (Value, error) { return pointsBinary(p, 0, "polygon") }

func parseBinaryPath(p []byte) (Value, error) {
	v, err := pointsBinary(p, 1, "path")
	if err != nil || p[0] == 0 {
		return v, err
	}
	v.Bytes()[0] = 1
	return v, nil
}

// pointsBinary checks a binary format of counted points behind some other bytes.
func pointsBinary(p []byte, skip int, name string) (Value, error) {
	if len(p) < skip+4 {
		return Null, form.TooShort()
	}
	count := int64(int32(binary.BigEndian.Uint32(p[skip:])))
	if count <= 0 || count*16 != int64(len(p)-skip-4) {
		return Null, form.InvalidBinary("invalid number of points in external \"" + name + "\" value")
	}
	return parseBinaryBytes(p)
}
