package types

import (
	"strconv"
	"strings"
	"unsafe"

	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/numeric"
)

// jsonParser reads JSON (RFC 7159) by recursive descent. It says of an error what
// PostgreSQL says.
type jsonParser struct {
	jsonLexer
	build  jsonBuild
	depth  int
	values int // read so far
}

// jsonBuild is what a parser makes of its text.
type jsonBuild uint8

const (
	buildNothing jsonBuild = iota
	buildRaw               // a tree of the texts
	buildJSONB
)

// ParseJSON takes a json apart. Its strings must be texts, of which \u0000 is none.
func ParseJSON(s string, env *Env) (*JSONValue, error) { return parseJSONAs(s, env, buildRaw, true) }

// ScanJSON takes a json apart without reading its strings, which need not be texts.
func ScanJSON(s string, env *Env) (*JSONValue, error) { return parseJSONAs(s, env, buildRaw, false) }

// ParseJSONB reads a jsonb.
func ParseJSONB(s string, env *Env) (*JSONValue, error) { return parseJSONAs(s, env, buildJSONB, true) }

func parseJSONAs(s string, env *Env, build jsonBuild, decode bool) (*JSONValue, error) {
	p := jsonParser{jsonLexer: jsonLexer{s: s, env: env, decode: decode, token: 'x'}, build: build}
	var v JSONValue
	if err := p.next(); err != nil {
		return nil, err
	}
	if err := p.value(&v); err != nil {
		return nil, err
	}
	if p.token != jsonEnd {
		return nil, p.expected("end of input")
	}
	return &v, nil
}

// made charges the memory of one more value, many at once.
func (p *jsonParser) made() error {
	const many = 1 << 8
	if p.values++; p.values%many != 0 || p.build == buildNothing {
		return nil
	}
	return p.env.Make(many * 2 * int64(unsafe.Sizeof(JSONValue{}))) // a list has room for as many again
}

// value reads a value whose first token has been read, and the token behind it.
func (p *jsonParser) value(v *JSONValue) error {
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
	case jsonStringToken:
		v.Kind, v.Text = JSONString, p.text
		err = p.next()
	case jsonNumberToken:
		err = p.numberValue(v)
	case jsonTrueToken, jsonFalseToken:
		v.Kind, v.Bool = JSONBool, p.token == jsonTrueToken
		err = p.next()
	case jsonNullToken:
		err = p.next()
	default:
		err = p.expected("JSON value")
	}
	if p.build == buildRaw && err == nil {
		v.Raw = p.s[start:p.before]
	}
	return err
}

func (p *jsonParser) nested(v *JSONValue, read func(*JSONValue) error) error {
	p.depth++
	defer func() { p.depth-- }()
	if err := checkNesting(p.depth); err != nil {
		return err
	}
	if err := p.next(); err != nil {
		return err
	}
	return read(v)
}

func (p *jsonParser) numberValue(v *JSONValue) error {
	text := p.s[p.start:p.end]
	if err := p.next(); err != nil {
		return err
	}
	v.Kind = JSONNumber
	if p.build != buildJSONB {
		return nil
	}
	var err error
	v.Number, err = numeric.Parse(text)
	return err
}

func (p *jsonParser) object(v *JSONValue) error {
	var keys []string
	var items []JSONValue
	if p.token != '}' && p.token != jsonStringToken {
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
		o, err := MakeJSONObject(keys, items, p.env)
		if err != nil {
			return err
		}
		*v = *o
	} else {
		*v = JSONValue{Kind: JSONObject, Keys: keys, Items: items}
	}
	return p.next()
}

// member reads a key and its value, and the comma behind them.
func (p *jsonParser) member() (key string, item JSONValue, err error) {
	if p.token != jsonStringToken {
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
	return key, item, p.another('}', jsonStringToken)
}

func (p *jsonParser) array(v *JSONValue) error {
	v.Kind = JSONArray
	for p.token != ']' {
		var item JSONValue
		if err := p.value(&item); err != nil {
			return err
		}
		if err := p.another(']', jsonEnd); err != nil {
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
func (p *jsonParser) another(end, start jsonToken) error {
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
	case start != jsonEnd && p.token != start:
		return p.expected("string")
	case p.token == end:
		return p.expected("JSON value")
	}
	return nil
}

func (p *jsonParser) expected(what string) error {
	if p.token == jsonEnd {
		return p.invalid("The input string ended unexpectedly.")
	}
	return p.invalid("Expected %s, but found \"%s\".", what, p.s[p.start:p.end])
}

func parseJSONText(s string, env *Env) (Value, error) {
	if err := form.CheckUTF8(s); err != nil {
		return Null, err
	}
	if _, err := parseJSONAs(s, env, buildNothing, false); err != nil {
		return Null, err
	}
	return NewJSON(s), nil
}

func parseJSONBText(s string, env *Env) (Value, error) {
	if err := form.CheckUTF8(s); err != nil {
		return Null, err
	}
	j, err := ParseJSONB(s, env)
	if err != nil {
		return Null, err
	}
	return NewJSONB(j), nil
}

func appendJSONBText(dst []byte, v Value, env *Env) []byte { return appendJSON(dst, v.JSONB(), env) }

// AppendJSON appends the text of a value as jsonb prints it, or its own text.
func AppendJSON(dst []byte, j *JSONValue) []byte { return appendJSON(dst, j, nil) }

// appendJSON is AppendJSON that stops when the statement is to end.
func appendJSON(dst []byte, j *JSONValue, env *Env) []byte {
	if j.Raw != "" {
		return append(dst, j.Raw...)
	}
	switch j.Kind {
	case JSONNull:
		return append(dst, "null"...)
	case JSONString:
		return AppendJSONString(dst, j.Text)
	case JSONNumber:
		return numeric.Append(dst, j.Number)
	case JSONBool:
		if j.Bool {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	open, end := byte('['), byte(']')
	if j.Kind == JSONObject {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	for i := range j.Items {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if j.Kind == JSONObject {
			dst = append(AppendJSONString(dst, j.Keys[i]), ": "...)
		}
		if env.Tick(jsonTokenUnits) != nil {
			return dst
		}
		dst = appendJSON(dst, &j.Items[i], env)
	}
	return append(dst, end)
}

// AppendJSONString appends a text as a string of JSON.
func AppendJSONString(dst []byte, s string) []byte {
	return append(appendEscaped(append(dst, '"'), s), '"')
}

// appendEscaped appends what stands between the quotes of a string of JSON.
func appendEscaped(dst []byte, s string) []byte {
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

// The version in front of a jsonb's text is all that its binary format adds.
const jsonbVersion = 1

func appendBinaryJSONB(dst []byte, v Value) []byte {
	return AppendJSON(append(dst, jsonbVersion), v.JSONB())
}

func parseBinaryJSONB(p []byte) (Value, error) {
	if len(p) == 0 {
		return Null, sqlerr.New(sqlerr.ProtocolViolation, "no data left in message")
	}
	if p[0] != jsonbVersion {
		return Null, form.InvalidBinary("unsupported jsonb version number " + strconv.Itoa(int(p[0])))
	}
	return parseJSONBText(string(p[1:]), nil)
}

func parseBinaryJSON(p []byte) (Value, error) { return parseJSONText(string(p), nil) }

var jsonTypes = []Info{
	{
		OID: OIDJSON, Array: 199, Name: "json", SQL: "json",
		Kind: KindJSON, Category: CategoryUser, Size: -1,
		appendText: appendString, parseText: parseJSONText,
		appendBinary: appendBinaryBytes, parseBinary: parseBinaryJSON,
	},
	{
		OID: OIDJSONB, Array: 3807, Name: "jsonb", SQL: "jsonb",
		Kind: KindJSONB, Category: CategoryUser, Size: -1,
		appendText: appendJSONBText, parseText: parseJSONBText,
		appendBinary: appendBinaryJSONB, parseBinary: parseBinaryJSONB,
	},
	{
		OID: OIDJSONPath, Array: 4073, Name: "jsonpath", SQL: "jsonpath",
		Kind: KindJSONPath, Category: CategoryUser, Size: -1,
		appendText: appendJSONPathText, parseText: parseJSONPathText,
		appendBinary: appendBinaryJSONPath, parseBinary: parseBinaryJSONPath,
	},
}

// jsonCasts are the casts between the two types, and from the scalars of a jsonb.
var jsonCasts = []castRow{
	{OIDJSON, OIDJSONB, Cast{Assignment, textToAny}},
	{OIDJSONB, OIDJSON, Cast{Assignment, jsonbToJSON}},
	{OIDJSONB, OIDBool, Cast{Explicit, jsonbToScalar(JSONBool)}},
	{OIDJSONB, OIDNumeric, Cast{Explicit, jsonbToScalar(JSONNumber)}},
	{OIDJSONB, OIDInt2, Cast{Explicit, jsonbToScalar(JSONNumber)}},
	{OIDJSONB, OIDInt4, Cast{Explicit, jsonbToScalar(JSONNumber)}},
	{OIDJSONB, OIDInt8, Cast{Explicit, jsonbToScalar(JSONNumber)}},
	{OIDJSONB, OIDFloat4, Cast{Explicit, jsonbToScalar(JSONNumber)}},
	{OIDJSONB, OIDFloat8, Cast{Explicit, jsonbToScalar(JSONNumber)}},
}

func jsonbToJSON(v Value, _ T, env *Env) (Value, error) {
	text, err := LongText(v, JSONB, env)
	return NewJSON(text), err
}

func jsonbToScalar(kind JSONKind) func(v Value, to T, env *Env) (Value, error) {
	return func(v Value, to T, env *Env) (Value, error) {
		j := v.JSONB()
		switch {
		case j.Kind != kind:
			name := j.Kind.String()
			if j.Kind == JSONNumber {
				name = "numeric"
			}
			return Null, sqlerr.New(sqlerr.InvalidParameterValue, "cannot cast jsonb %s to type %s", name, InfoOf(to.OID).SQL)
		case kind == JSONBool:
			return NewBool(j.Bool), nil
		case to.OID == OIDFloat4 || to.OID == OIDFloat8:
			return numericToFloat(NewNumeric(j.Number), to, env)
		case to.OID == OIDNumeric:
			return NewNumeric(j.Number), nil
		}
		return numericToInt(NewNumeric(j.Number), to, env)
	}
}
