package types

import (
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// AppendAsJSON appends what to_json makes of a value: numbers, booleans, arrays and
// records become JSON's own, everything else a string of its text.
func AppendAsJSON(dst []byte, v Value, t T, env *Env) []byte {
	switch {
	case v.IsNull():
		return append(dst, "null"...)
	case v.kind == KindArray:
		return AppendArrayAsJSON(dst, v.Array(), ",", env)
	case v.kind == KindRecord:
		return AppendRecordAsJSON(dst, v.Record(), ",", env)
	case v.kind == KindJSON || v.kind == KindJSONB:
		return AppendText(dst, v, t, env)
	case v.kind == KindBool:
		return AppendJSON(dst, &JSONValue{Kind: JSONBool, Bool: v.Bool()})
	}
	text := jsonText(v, t, env)
	if isJSONNumber(v, t) {
		return append(dst, text...)
	}
	return AppendJSONString(dst, text)
}

// isJSONNumber says whether a value becomes a number: oids do not, nor does what is not
// finite.
func isJSONNumber(v Value, t T) bool {
	switch v.kind {
	case KindInt:
		return t.OID == OIDInt2 || t.OID == OIDInt4 || t.OID == OIDInt8
	case KindFloat:
		return v.Float()-v.Float() == 0
	case KindNumeric:
		return v.Numeric().Form == apd.Finite
	}
	return false
}

// jsonText is the text of a scalar, of a timestamp that of XML Schema: with a T before the
// time and a zone with minutes.
func jsonText(v Value, t T, env *Env) string {
	text := FormatText(v, t, env)
	if v.kind != KindTimestamp || !isFiniteTimestamp(v.Micros()) {
		return text
	}
	text = strings.Replace(text, " ", "T", 1)
	if t.OID != OIDTimestamptz {
		return text
	}
	text, era, found := strings.Cut(text, " ")
	if zone := text[strings.LastIndexAny(text, "+-"):]; len(zone) == len("+00") {
		text += ":00"
	}
	if found {
		text += " " + era
	}
	return text
}

// AppendArrayAsJSON appends an array with a separator between its outermost elements.
func AppendArrayAsJSON(dst []byte, a *ArrayValue, separator string, env *Env) []byte {
	if len(a.Dims) == 0 {
		return append(dst, "[]"...)
	}
	dst, _ = appendDimAsJSON(dst, a, a.Items, 0, separator, env)
	return dst
}

// appendDimAsJSON appends one array of a dimension and says which items are left.
func appendDimAsJSON(dst []byte, a *ArrayValue, items []Value, dim int, separator string, env *Env) ([]byte, []Value) {
	dst = append(dst, '[')
	for i := range a.Dims[dim].Length {
		if i > 0 {
			dst = append(dst, separator...)
		}
		if dim+1 < len(a.Dims) {
			dst, items = appendDimAsJSON(dst, a, items, dim+1, ",", env)
			continue
		}
		dst, items = AppendAsJSON(dst, items[0], Of(a.Element), env), items[1:]
	}
	return append(dst, ']'), items
}

// AppendRecordAsJSON appends a record as an object with a separator between its members.
func AppendRecordAsJSON(dst []byte, r *RecordValue, separator string, env *Env) []byte {
	dst = append(dst, '{')
	for i, v := range r.Values {
		if i > 0 {
			dst = append(dst, separator...)
		}
		dst = append(AppendJSONString(dst, r.Names[i]), ':')
		dst = AppendAsJSON(dst, v, r.Types[i], env)
	}
	return append(dst, '}')
}

// AsJSONB is what to_jsonb makes of a value.
func AsJSONB(v Value, t T, env *Env) (*JSONValue, error) {
	switch v.kind {
	case KindNull:
		return &JSONValue{}, nil
	case KindBool:
		return &JSONValue{Kind: JSONBool, Bool: v.Bool()}, nil
	case KindJSONB:
		return v.JSONB(), nil
	case KindJSON:
		return ParseJSONB(v.Text())
	case KindArray:
		a := v.Array()
		if len(a.Dims) == 0 {
			return &JSONValue{Kind: JSONArray}, nil
		}
		j, _, err := dimAsJSONB(a, a.Items, 0, env)
		return j, err
	case KindRecord:
		return recordAsJSONB(v.Record(), env)
	case KindNumeric:
		if isJSONNumber(v, t) {
			return &JSONValue{Kind: JSONNumber, Number: v.Numeric()}, nil
		}
	}
	text := jsonText(v, t, env)
	if !isJSONNumber(v, t) {
		return &JSONValue{Kind: JSONString, Text: text}, nil
	}
	n, err := parseNumeric(text, env)
	return &JSONValue{Kind: JSONNumber, Number: n.Numeric()}, err
}

func dimAsJSONB(a *ArrayValue, items []Value, dim int, env *Env) (j *JSONValue, left []Value, err error) {
	j = &JSONValue{Kind: JSONArray}
	for range a.Dims[dim].Length {
		var item *JSONValue
		if dim+1 < len(a.Dims) {
			item, items, err = dimAsJSONB(a, items, dim+1, env)
		} else {
			item, err = AsJSONB(items[0], Of(a.Element), env)
			items = items[1:]
		}
		if err != nil {
			return nil, nil, err
		}
		j.Items = append(j.Items, *item)
	}
	return j, items, nil
}

func recordAsJSONB(r *RecordValue, env *Env) (*JSONValue, error) {
	items := make([]JSONValue, len(r.Values))
	for i, v := range r.Values {
		item, err := AsJSONB(v, r.Types[i], env)
		if err != nil {
			return nil, err
		}
		items[i] = *item
	}
	return NewJSONObject(append([]string(nil), r.Names...), items), nil
}
