package json

import (
	"strings"
	"unsafe"

	"zproxy/types/form"
	"zproxy/types/numeric"
)

// parser reads JSON (RFC 7159) by recursive descent. It says of an error what
// PostgreSQL says.
type parser struct {
	lexer
	build  result
	depth  int
	values int // read so far
}

// result is what a parser makes of its text.
type result uint8

const (
	buildNothing result = iota
	buildRaw            // a tree of the texts
	buildJSONB
)

// ParseRaw takes a json apart. Its strings must be texts, of which \u0000 is none.
func ParseRaw(s string, work form.Work) (*Value, error) {
	return parseAs(s, work, buildRaw, true)
}

// ScanRaw takes a json apart without reading its strings, which need not be texts.
func ScanRaw(s string, work form.Work) (*Value, error) {
	return parseAs(s, work, buildRaw, false)
}

// Parse reads a jsonb.
func Parse(s string, work form.Work) (*Value, error) {
	return parseAs(s, work, buildJSONB, true)
}

func parseAs(s string, work form.Work, build result, decode bool) (*Value, error) {
	p := parser{lexer: lexer{s: s, work: work, decode: decode, token: 'x'}, build: build}
	var v Value
	if err := p.next(); err != nil {
		return nil, err
	}
	if err := p.value(&v); err != nil {
		return nil, err
	}
	if p.token != endToken {
		return nil, p.expected("end of input")
	}
	return &v, nil
}

// made charges the memory of one more value, many at once.
func (p *parser) made() error {
	const many = 1 << 8
	if p.values++; p.values%many != 0 || p.build == buildNothing {
		return nil
	}
	return form.Make(p.work, many*2*int64(unsafe.Sizeof(Value{}))) // a list has room for as many again
}

// value reads a value whose first token has been read, and the token behind it.
func (p *parser) value(v *Value) error {
	if err := p.made(); err != nil {
		return err
	}
	start := p.start
	var err error
	switch p.token {
	case '{':
		err = p.nested(v, p.object)
	case '[':
		err = p.nested(v, p.array)
	case stringToken:
		v.Kind, v.Text = String, p.text
		err = p.next()
	case numberToken:
		err = p.numberValue(v)
	case trueToken, falseToken:
		v.Kind, v.Bool = Bool, p.token == trueToken
		err = p.next()
	case nullToken:
		err = p.next()
	default:
		err = p.expected("JSON value")
	}
	if p.build == buildRaw && err == nil {
		v.Raw = p.s[start:p.before]
	}
	return err
}

func (p *parser) nested(v *Value, read func(*Value) error) error {
	p.depth++
	defer func() { p.depth-- }()
	if err := form.CheckNesting(p.depth); err != nil {
		return err
	}
	if err := p.next(); err != nil {
		return err
	}
	return read(v)
}

func (p *parser) numberValue(v *Value) error {
	text := p.s[p.start:p.end]
	if err := p.next(); err != nil {
		return err
	}
	v.Kind = Number
	if p.build != buildJSONB {
		return nil
	}
	var err error
	v.Number, err = numeric.Parse(text)
	return err
}

func (p *parser) object(v *Value) error {
	var keys []string
	var items []Value
	if p.token != '}' && p.token != stringToken {
		return p.expected("string or \"}\"")
	}
	for p.token != '}' {
		key, item, err := p.member()
		if err != nil {
			return err
		}
		if p.build != buildNothing {
			keys, items = append(keys, key), append(items, item)
		}
	}
	if p.build == buildJSONB {
		o, err := MakeObject(keys, items, p.work)
		if err != nil {
			return err
		}
		*v = *o
	} else {
		*v = Value{Kind: Object, Keys: keys, Items: items}
	}
	return p.next()
}

// member reads a key and its value, and the comma behind them.
func (p *parser) member() (key string, item Value, err error) {
	if p.token != stringToken {
		return "", item, p.expected("string")
	}
	key = p.text
	if err := p.next(); err != nil {
		return "", item, err
	}
	if p.token != ':' {
		return "", item, p.expected("\":\"")
	}
	if err := p.next(); err != nil {
		return "", item, err
	}
	if err := p.value(&item); err != nil {
		return "", item, err
	}
	return key, item, p.another('}', stringToken)
}

func (p *parser) array(v *Value) error {
	v.Kind = Array
	for p.token != ']' {
		var item Value
		if err := p.value(&item); err != nil {
			return err
		}
		if err := p.another(']', endToken); err != nil {
			return err
		}
		if p.build != buildNothing {
			v.Items = append(v.Items, item)
		}
	}
	return p.next()
}

// another passes over a comma, behind which there must be something: what starts with
// the token, or a value.
func (p *parser) another(end, start token) error {
	if p.token == end {
		return nil
	}
	if p.token != ',' {
		return p.expected("\",\" or \"" + string(rune(end)) + "\"")
	}
	if err := p.next(); err != nil {
		return err
	}
	switch {
	case start != endToken && p.token != start:
		return p.expected("string")
	case p.token == end:
		return p.expected("JSON value")
	}
	return nil
}

func (p *parser) expected(what string) error {
	if p.token == endToken {
		return p.invalid("The input string ended unexpectedly.")
	}
	return p.invalid("Expected %s, but found \"%s\".", what, p.s[p.start:p.end])
}

// Check says whether a text is a json, whose strings need not be texts.
func Check(s string, work form.Work) error {
	_, err := parseAs(s, work, buildNothing, false)
	return err
}

// Append appends the text of a value as jsonb prints it, or its own text. It stops when the work is to end.
func Append(dst []byte, j *Value, work form.Work) []byte {
	if j.Raw != "" {
		return append(dst, j.Raw...)
	}
	return appendWith(dst, j, work, layout{", ", ": ", Append})
}

// AppendCompact is Append without blanks between values.
func AppendCompact(dst []byte, j *Value, work form.Work) []byte {
	if j.Raw != "" && j.Kind != String && j.Kind != Array && j.Kind != Object {
		return append(dst, j.Raw...)
	}
	return appendWith(dst, j, work, layout{",", ":", AppendCompact})
}

// layout is what stands between items, and between a key and its item, and how items are written.
type layout struct {
	comma, colon string
	item         func(dst []byte, j *Value, work form.Work) []byte
}

func appendWith(dst []byte, j *Value, work form.Work, l layout) []byte {
	switch j.Kind {
	case Null:
		return append(dst, "null"...)
	case String:
		return AppendString(dst, j.Text)
	case Number:
		return numeric.Append(dst, j.Number)
	case Bool:
		if j.Bool {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	open, end := byte('['), byte(']')
	if j.Kind == Object {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	for i := range j.Items {
		if i > 0 {
			dst = append(dst, l.comma...)
		}
		if j.Kind == Object {
			dst = append(AppendString(dst, j.Keys[i]), l.colon...)
		}
		if form.Tick(work, tokenUnits) != nil {
			return dst
		}
		dst = l.item(dst, &j.Items[i], work)
	}
	return append(dst, end)
}

// AppendString appends a text as a string of JSON.
func AppendString(dst []byte, s string) []byte {
	return append(AppendEscaped(append(dst, '"'), s), '"')
}

// AppendEscaped appends what stands between the quotes of a string of JSON.
func AppendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	from := 0 // the bytes before are written
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch at := strings.IndexByte("\b\f\n\r\t", c); {
		case c >= ' ':
			dst = append(dst, '\\', c)
		case at >= 0:
			dst = append(dst, '\\', "bfnrt"[at])
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(dst, s[from:]...)
}
