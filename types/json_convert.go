package types

import (
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/types/calendar"
	"zproxy/types/datestyle"
	"zproxy/types/form"
	"zproxy/types/json"
	"zproxy/types/numeric"
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
	case t.OID == OIDHstore:
		return v.Hstore().AppendJSON(dst, false)
	case v.kind == KindBool:
		return json.Append(dst, &json.Value{Kind: json.Bool, Bool: v.Bool()}, nil)
	}
	text := JSONText(v, t, env)
	if isJSONNumber(v, t) {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	_ = form.Pieces(env, text, func(piece string) { dst = json.AppendEscaped(dst, piece) }) // Ended tells
	return append(dst, '"')
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

// JSONText is the text that a scalar has in JSON. A timestamp's is that of XML Schema: with
// a T before the time and a zone with minutes.
func JSONText(v Value, t T, env *Env) string {
	if v.kind == KindBool {
		return strconv.FormatBool(v.Bool())
	}
	if env.dateStyle().Form != datestyle.ISO && (v.kind == KindDate || v.kind == KindTimestamp) {
		env = &Env{Location: env.Location}
	}
	text := FormatText(v, t, env)
	if v.kind != KindTimestamp || !calendar.IsFinite(v.Micros()) {
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
	w := arrayAsJSON{ArrayValue: a, left: a.Items, env: env}
	return w.appendDim(dst, 0, separator)
}

// arrayAsJSON walks over the items of an array.
type arrayAsJSON struct {
	*ArrayValue
	left []Value
	env  *Env
}

// appendDim appends one array of a dimension.
func (w *arrayAsJSON) appendDim(dst []byte, dim int, separator string) []byte {
	dst = append(dst, '[')
	for i := range w.Dims[dim].Length {
		if w.env.Tick(itemUnits) != nil {
			return dst
		}
		if i > 0 {
			dst = append(dst, separator...)
		}
		if dim+1 < len(w.Dims) {
			dst = w.appendDim(dst, dim+1, ",")
			continue
		}
		dst, w.left = AppendAsJSON(dst, w.left[0], Of(w.Element), w.env), w.left[1:]
	}
	return append(dst, ']')
}

// AppendRecordAsJSON appends a record as an object with a separator between its members.
func AppendRecordAsJSON(dst []byte, r *RecordValue, separator string, env *Env) []byte {
	dst = append(dst, '{')
	for i, v := range r.Values {
		if i > 0 {
			dst = append(dst, separator...)
		}
		dst = append(json.AppendString(dst, r.Names[i]), ':')
		dst = AppendAsJSON(dst, v, r.Types[i], env)
	}
	return append(dst, '}')
}

// AsJSONB is what to_jsonb makes of a value.
func AsJSONB(v Value, t T, env *Env) (*json.Value, error) {
	switch v.kind {
	case KindNull:
		return &json.Value{}, nil
	case KindBool:
		return &json.Value{Kind: json.Bool, Bool: v.Bool()}, nil
	case KindJSONB:
		return v.JSONB(), nil
	case KindJSON:
		return json.Parse(v.Text(), env)
	case KindArray:
		a := v.Array()
		if len(a.Dims) == 0 {
			return &json.Value{Kind: json.Array}, nil
		}
		w := arrayAsJSON{ArrayValue: a, left: a.Items, env: env}
		return w.jsonb(0)
	case KindRecord:
		return recordAsJSONB(v.Record(), env)
	case KindBytes:
		if t.OID == OIDHstore {
			return v.Hstore().JSON(false, env)
		}
	case KindNumeric:
		if isJSONNumber(v, t) {
			return &json.Value{Kind: json.Number, Number: v.Numeric()}, nil
		}
	}
	text := JSONText(v, t, env)
	if !isJSONNumber(v, t) {
		return &json.Value{Kind: json.String, Text: text}, nil
	}
	n, err := numeric.Parse(text)
	return &json.Value{Kind: json.Number, Number: n}, err
}

// jsonb makes one array of a dimension.
func (w *arrayAsJSON) jsonb(dim int) (*json.Value, error) {
	j := &json.Value{Kind: json.Array}
	for range w.Dims[dim].Length {
		var item *json.Value
		err := w.env.Tick(itemUnits)
		if err != nil {
			return nil, err
		}
		if dim+1 < len(w.Dims) {
			item, err = w.jsonb(dim + 1)
		} else {
			item, err = AsJSONB(w.left[0], Of(w.Element), w.env)
			w.left = w.left[1:]
		}
		if err != nil {
			return nil, err
		}
		j.Items = append(j.Items, *item)
	}
	return j, nil
}

func recordAsJSONB(r *RecordValue, env *Env) (*json.Value, error) {
	items := make([]json.Value, len(r.Values))
	for i, v := range r.Values {
		item, err := AsJSONB(v, r.Types[i], env)
		if err != nil {
			return nil, err
		}
		items[i] = *item
	}
	return json.NewObject(append([]string(nil), r.Names...), items), nil
}
