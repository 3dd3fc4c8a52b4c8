package types

import (
	"strconv"
	"strings"
	"unsafe"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// appendArray writes {a,"b c",NULL}, with the bounds before it when one is not 1.
func appendArray(dst []byte, a *ArrayValue, element *Info, env *Env) []byte {
	if len(a.Dims) == 0 {
		return append(dst, "{}"...)
	}
	for _, d := range a.Dims {
		if d.Lower != 1 {
			dst = append(AppendDims(dst, a.Dims), '=')
			break
		}
	}
	dst, _ = appendItems(dst, a.Dims, a.Items, element, env)
	return dst
}

// AppendDims writes the bounds of an array's dimensions: [1:3][0:1].
func AppendDims(dst []byte, dims []Dim) []byte {
	for _, d := range dims {
		dst = strconv.AppendInt(append(dst, '['), int64(d.Lower), 10)
		dst = strconv.AppendInt(append(dst, ':'), int64(d.Upper()), 10)
		dst = append(dst, ']')
	}
	return dst
}

// itemUnits is the work of writing or reading one item, besides that of its type.
const itemUnits = 64

// appendItems writes the items of some dimensions and returns those that follow. It stops
// when the statement is to end.
func appendItems(dst []byte, dims []Dim, items []Value, element *Info, env *Env) ([]byte, []Value) {
	dst = append(dst, '{')
	for i := range dims[0].Length {
		if len(items) == 0 || env.Tick(itemUnits) != nil {
			return dst, nil
		}
		if i > 0 {
			dst = append(dst, element.separator())
		}
		if len(dims) > 1 {
			dst, items = appendItems(dst, dims[1:], items, element, env)
			continue
		}
		dst, items = appendItem(dst, items[0], element, env), items[1:]
	}
	return append(dst, '}'), items
}

func appendItem(dst []byte, v Value, element *Info, env *Env) []byte {
	if v.IsNull() {
		return append(dst, "NULL"...)
	}
	start := len(dst)
	dst = element.text(dst, v, env)
	if text := dst[start:]; len(text) > 0 && !strings.EqualFold(string(text), "NULL") &&
		!hasAny(text, `"\{}`+string(element.separator())) {
		return dst
	}
	return quoteFrom(dst, start, '\\', env)
}

// hasAny says whether a text has white space or one of some characters in it, so that it
// is quoted within an array or a record.
func hasAny(text []byte, special string) bool {
	for _, c := range text {
		if form.IsSpace(c) || strings.IndexByte(special, c) >= 0 {
			return true
		}
	}
	return false
}

// Items are charged so many at once: what is known of each before all are read, and its value.
const (
	rawItems  = 1 << 8
	itemBytes = 2*int64(unsafe.Sizeof(rawItem{})) + int64(unsafe.Sizeof(Value{}))
)

// arrayReader reads the text of an array: first all of its braces, then the items.
type arrayReader struct {
	whole     string // as it was given, for errors
	rest      string
	env       *Env
	separator byte
	dims      []int // lengths found so far, from the outside in; -1 where none is known
	items     []rawItem
}

type rawItem struct {
	text string
	null bool
}

func parseArray(s string, element *Info, env *Env) (Value, error) {
	r := &arrayReader{whole: s, rest: s, env: env, separator: element.separator()}
	given, err := r.bounds()
	if err != nil {
		return Null, err
	}
	if err := r.contents(given); err != nil {
		return Null, err
	}
	a := &ArrayValue{Element: element.OID}
	if len(r.items) == 0 {
		return NewArray(a), nil
	}
	if a.Dims = given; given == nil {
		for _, n := range r.dims {
			a.Dims = append(a.Dims, Dim{Length: n, Lower: 1})
		}
	}
	if err := a.Check(); err != nil {
		return Null, err
	}
	a.Items = make([]Value, len(r.items))
	for i, item := range r.items {
		if err := env.Tick(itemUnits); err != nil {
			return Null, err
		}
		if item.null {
			continue
		}
		if a.Items[i], err = element.parse(item.text, env); err != nil {
			return Null, err
		}
	}
	return NewArray(a), nil
}

func (r *arrayReader) malformed(format string, args ...any) error {
	return sqlerr.New(sqlerr.InvalidTextRepresentation, "malformed array literal: \"%s\"", r.whole).WithDetail(format,
		args...)
}

func (r *arrayReader) space() {
	for len(r.rest) > 0 && form.IsSpace(r.rest[0]) {
		r.rest = r.rest[1:]
	}
}

// next is the next character, 0 at the end.
func (r *arrayReader) next() byte {
	if r.rest == "" {
		return 0
	}
	return r.rest[0]
}

func (r *arrayReader) accept(c byte) bool {
	if r.next() != c || r.rest == "" {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// bounds reads [2:4][3] before the braces, and the sign behind them.
func (r *arrayReader) bounds() ([]Dim, error) {
	var dims []Dim
	for r.space(); r.accept('['); r.space() {
		if len(dims) == MaxDims {
			return nil, TooManyDims(MaxDims + 1)
		}
		d, err := r.bound()
		if err != nil {
			return nil, err
		}
		dims = append(dims, d)
	}
	switch {
	case dims == nil && r.next() != '{':
		return nil, r.malformed(`Array value must start with "{" or dimension information.`)
	case dims == nil:
		return nil, nil
	case !r.accept('='):
		return nil, r.malformed(`Missing "=" after array dimensions.`)
	}
	r.space()
	if r.next() != '{' {
		return nil, r.malformed(`Array contents must start with "{".`)
	}
	return dims, nil
}

func (r *arrayReader) bound() (Dim, error) {
	low := 1
	high, ok := r.number()
	if !ok {
		return Dim{}, r.malformed(`"[" must introduce explicitly-specified array dimensions.`)
	}
	if r.accept(':') {
		low = high
		if high, ok = r.number(); !ok {
			return Dim{}, r.malformed("Missing array dimension value.")
		}
	}
	if !r.accept(']') {
		return Dim{}, r.malformed(`Missing "]" after array dimensions.`)
	}
	if high < low {
		return Dim{}, sqlerr.New(sqlerr.ArraySubscriptError, "upper bound cannot be less than lower bound")
	}
	return Dim{Length: high - low + 1, Lower: low}, nil
}

// number reads a bound; one that does not fit is cut to 32 bits.
func (r *arrayReader) number() (int, bool) {
	n := 0
	for n < len(r.rest) && (form.IsDigit(r.rest[n]) || r.rest[n] == '-' || r.rest[n] == '+') {
		n++
	}
	text := r.rest[:n]
	r.rest = r.rest[n:]
	v, _ := strconv.ParseInt(text, 10, 32) // at its limit when it is out of range
	return int(v), n > 0
}

// contents reads the braces and compares their shape with the bounds that were given.
func (r *arrayReader) contents(given []Dim) error {
	if err := r.list(0); err != nil {
		return err
	}
	r.space()
	if r.rest != "" {
		return r.malformed("Junk after closing right brace.")
	}
	if given == nil {
		return nil
	}
	same := len(given) == len(r.dims)
	for i := 0; same && i < len(given); i++ {
		same = given[i].Length == r.dims[i]
	}
	if !same {
		return r.malformed("Specified array dimensions do not match array contents.")
	}
	return nil
}

// list reads one pair of braces with what is between them: items or lists, no mixture.
func (r *arrayReader) list(depth int) error {
	r.accept('{')
	if depth == MaxDims {
		return TooManyDims(MaxDims + 1)
	}
	if depth == len(r.dims) {
		r.dims = append(r.dims, -1)
	}
	count := 0
	if r.space(); depth == 0 && r.accept('}') {
		r.dims = nil
		return nil
	}
	nested := r.next() == '{'
	for {
		if err := r.member(depth, nested); err != nil {
			return err
		}
		count++
		r.space()
		switch c := r.next(); {
		case r.accept(r.separator):
			r.space()
			continue
		case r.accept('}'):
			if nested != (depth+1 < len(r.dims)) || r.dims[depth] >= 0 && r.dims[depth] != count {
				return r.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
			}
			r.dims[depth] = count
			return nil
		default:
			return r.unexpected(c)
		}
	}
}

// member reads one item, or one list where lists are.
func (r *arrayReader) member(depth int, nested bool) error {
	if err := r.env.Tick(itemUnits); err != nil {
		return err
	}
	if n := len(r.items); n > 0 && n%rawItems == 0 {
		if err := r.env.Make(rawItems * itemBytes); err != nil {
			return err
		}
	}
	c := r.next()
	switch {
	case nested && c == '{':
		return r.list(depth + 1)
	case r.rest == "" || c == '{' || c == '}' || c == r.separator || nested:
		return r.unexpected(c)
	case r.accept('"'):
		return r.quoted()
	}
	return r.bare()
}

// unexpected is the error of a character that cannot be here.
func (r *arrayReader) unexpected(c byte) error {
	switch {
	case r.rest == "":
		return r.malformed("Unexpected end of input.")
	case c == '{' || c == '}' || c == r.separator || c == '\\':
		return r.malformed("Unexpected \"%c\" character.", c)
	}
	return r.malformed("Unexpected array element.")
}

func (r *arrayReader) quoted() error {
	var text strings.Builder
	for {
		n := strings.IndexAny(r.rest, `"\`)
		if n < 0 {
			r.rest = ""
			return r.unexpected(0)
		}
		text.WriteString(r.rest[:n])
		r.rest = r.rest[n:]
		if r.accept('"') {
			r.items = append(r.items, rawItem{text: text.String()})
			return nil
		}
		if len(r.rest) < 2 {
			r.rest = ""
			return r.unexpected(0)
		}
		text.WriteByte(r.rest[1])
		r.rest = r.rest[2:]
	}
}

// bare reads an item without quotes: white space around it does not count unless it is
// escaped, and NULL is NULL.
func (r *arrayReader) bare() error {
	var text []byte
	keep, escaped := 0, false
	for {
		switch c := r.next(); {
		case r.rest == "" || c == '{' || c == '"':
			return r.unexpected(c)
		case c == r.separator || c == '}':
			item := rawItem{text: string(text[:keep])}
			item.null = !escaped && strings.EqualFold(item.text, "NULL") && (r.env == nil || !r.env.NullIsText)
			r.items = append(r.items, item)
			return nil
		case c == '\\':
			if len(r.rest) < 2 {
				r.rest = ""
				return r.unexpected(0)
			}
			text, escaped = append(text, r.rest[1]), true
			keep, r.rest = len(text), r.rest[2:]
		default:
			if text = append(text, c); !form.IsSpace(c) {
				keep = len(text)
			}
			r.rest = r.rest[1:]
		}
	}
}

// appendVector writes an int2vector or an oidvector: 1 2 3.
func appendVector(dst []byte, v Value, _ *Env) []byte {
	for i, item := range v.Array().Items {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, item.Int(), 10)
	}
	return dst
}

func parseInt2Vector(s string, env *Env) (Value, error) {
	return parseVector(s, OIDInt2, env, parseInt2)
}

// parseVector reads numbers between white space. The lower bound of a vector is 0.
func parseVector(s string, element OID, env *Env, parse func(string, *Env) (Value, error)) (Value, error) {
	a := &ArrayValue{Element: element}
	for _, field := range strings.Fields(s) {
		v, err := parse(field, env)
		if err != nil {
			return Null, err
		}
		a.Items = append(a.Items, v)
	}
	if len(a.Items) > 0 {
		a.Dims = []Dim{{Length: len(a.Items)}}
	}
	return NewArray(a), nil
}

func parseOIDVector(s string, env *Env) (Value, error) { return parseVector(s, OIDOID, env, parseOID) }
