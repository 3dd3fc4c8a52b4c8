package attribute

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Error is what is wrong with a value, in DynamoDB's words.
type Error struct{ Message string }

// Error implements error.
func (e *Error) Error() string { return e.Message }

func invalid(format string, args ...any) error { return &Error{Message: fmt.Sprintf(format, args...)} }

// wire is a value in JSON: one of the fields.
type wire struct {
	S    *string
	N    *string
	B    *string
	BOOL *bool
	NULL *bool
	M    *Item
	L    *[]Value
	SS   *[]string
	NS   *[]string
	BS   *[]string
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Value) UnmarshalJSON(text []byte) error {
	var w wire
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	kinds := 0
	for kind, there := range []bool{
		None: false, S: w.S != nil, N: w.N != nil, B: w.B != nil, BOOL: w.BOOL != nil, NULL: w.NULL != nil,
		M: w.M != nil, L: w.L != nil, SS: w.SS != nil, NS: w.NS != nil, BS: w.BS != nil,
	} {
		if there {
			v.Kind = Kind(kind)
			kinds++
		}
	}
	switch {
	case kinds == 0:
		return invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
	case kinds > 1:
		return invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
	}
	return v.take(&w)
}

// take fills in the value of its kind.
func (v *Value) take(w *wire) (err error) {
	switch v.Kind {
	case S:
		v.Text = *w.S
	case N, B:
		text := w.N
		if v.Kind == B {
			text = w.B
		}
		*v, err = scalar(v.Kind, *text)
	case BOOL:
		v.Bool = *w.BOOL
	case NULL:
		if !*w.NULL {
			return invalid("One or more parameter values were invalid: Null attribute value types must have the value of true")
		}
	case M:
		v.Map = *w.M
	case L:
		v.List = *w.L
	case SS:
		return v.takeSet(*w.SS)
	case NS:
		return v.takeSet(*w.NS)
	case BS:
		return v.takeSet(*w.BS)
	}
	return err
}

func scalar(k Kind, text string) (Value, error) {
	switch k {
	case N:
		return Number(text)
	case B:
		raw, err := base64.StdEncoding.DecodeString(text)
		return Value{Kind: B, Text: string(raw)}, err
	}
	return Value{Kind: S, Text: text}, nil
}

// setName is how an error calls a kind of sets.
func setName(k Kind) string {
	if k == NS {
		return "number"
	}
	return "string"
}

func (v *Value) takeSet(members []string) error {
	if len(members) == 0 {
		if v.Kind == BS {
			return invalid("One or more parameter values were invalid: Binary sets should not be empty")
		}
		return invalid("One or more parameter values were invalid: An %s set  may not be empty", setName(v.Kind))
	}
	seen := map[string]bool{}
	for _, text := range members {
		m, err := scalar(v.Kind.Element(), text)
		if err != nil {
			return err
		}
		if seen[m.Text] {
			return duplicates(v.Kind, members)
		}
		seen[m.Text] = true
		v.List = append(v.List, m)
	}
	return nil
}

func duplicates(k Kind, members []string) error {
	switch k {
	case NS:
		return invalid("Input collection contains duplicates")
	case BS:
		return invalid("One or more parameter values were invalid: Input collection of type BS contains duplicates.")
	}
	return invalid("One or more parameter values were invalid: Input collection [%s] contains duplicates",
		strings.Join(members, ", "))
}

// AppendJSON appends a value as it is on the wire.
func AppendJSON(dst []byte, v Value) []byte {
	dst = append(dst, `{"`...)
	dst = append(dst, v.Kind.String()...)
	dst = append(dst, `":`...)
	switch v.Kind {
	case S, N, B:
		dst = appendScalar(dst, v)
	case BOOL:
		dst = strconv.AppendBool(dst, v.Bool)
	case M:
		dst = AppendItem(dst, v.Map)
	case L, SS, NS, BS:
		dst = append(dst, '[')
		for i, m := range v.List {
			if i > 0 {
				dst = append(dst, ',')
			}
			if v.Kind == L {
				dst = AppendJSON(dst, m)
			} else {
				dst = appendScalar(dst, m)
			}
		}
		dst = append(dst, ']')
	default:
		dst = append(dst, "true"...)
	}
	return append(dst, '}')
}

func appendScalar(dst []byte, v Value) []byte {
	if v.Kind != B {
		return AppendText(dst, v.Text)
	}
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, []byte(v.Text))
	return append(dst, '"')
}

// AppendItem appends an item as it is on the wire, by the order of its names.
func AppendItem(dst []byte, i Item) []byte {
	dst = append(dst, '{')
	for n, name := range slices.Sorted(maps.Keys(i)) {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendText(dst, name), ':')
		dst = AppendJSON(dst, i[name])
	}
	return append(dst, '}')
}

// AppendText appends a text as a string of JSON.
func AppendText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[from:i]...)
		dst = fmt.Appendf(dst, `\u%04x`, c)
		from = i + 1
	}
	return append(append(dst, text[from:]...), '"')
}

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) { return AppendJSON(nil, v), nil }
