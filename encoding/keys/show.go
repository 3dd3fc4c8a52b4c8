package keys

import (
	"strings"

	"zproxy/encoding/span"
	"zproxy/types"
)

// appendShown writes a value as keys and spans are shown: texts in double quotes.
func appendShown(dst []byte, v types.Value, t types.T) []byte {
	switch {
	case v.IsNull():
		return append(dst, "NULL"...)
	case v.Kind() == types.KindText, v.Kind() == types.KindBpchar:
		dst = append(dst, '"')
		dst = append(dst, strings.ReplaceAll(v.Text(), `"`, `\"`)...)
		return append(dst, '"')
	default:
		return types.AppendText(dst, v, t, &types.Env{})
	}
}

// FormatSpan shows a span with the types of the layout's parts: /"b" is every tuple
// that begins with "b", /"b"/"c" - /"b"/"f" an interval.
func FormatSpan(s span.Span, kinds []types.T) string {
	var prefix []byte
	for i, v := range s.Prefix {
		prefix = appendShown(append(prefix, '/'), v, kinds[i])
	}
	if s.Last == nil {
		if len(prefix) == 0 {
			return "all"
		}
		return string(prefix)
	}
	end := func(v types.Value) string {
		shown := append([]byte(string(prefix)), '/')
		if !v.IsNull() {
			shown = appendShown(shown, v, kinds[len(s.Prefix)])
		}
		return string(shown)
	}
	return end(s.Last.Low) + " - " + end(s.Last.High)
}

// FormatSet shows a set of values by its ends: [40.5 - 41], = 7, or all.
func FormatSet(s span.Set, t types.T) string {
	if s.IsEverything() {
		return "all"
	}
	if len(s.Intervals) == 0 {
		return map[bool]string{true: "NULL", false: "none"}[s.Null]
	}
	hull := s.Hull()
	if hull.Point() {
		return "= " + string(appendShown(nil, hull.Low, t))
	}
	out := []byte{'['}
	if hull.LowOpen || hull.Low.IsNull() {
		out[0] = '('
	}
	if !hull.Low.IsNull() {
		out = appendShown(out, hull.Low, t)
	}
	out = append(out, " - "...)
	if !hull.High.IsNull() {
		out = appendShown(out, hull.High, t)
	}
	if hull.HighOpen || hull.High.IsNull() {
		return string(append(out, ')'))
	}
	return string(append(out, ']'))
}
