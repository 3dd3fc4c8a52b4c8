package expr

import (
	"slices"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types"
)

// informationFunctions are those of information_schema, which its views and some clients
// call.
var informationFunctions = []*Function{
	{Schema: informationSchema, Name: "_pg_expandarray", Args: sig{anyArray}, Result: types.OIDRecord, Out: []OutColumn{{"x", types.OIDAnyElement}, {"n", int4}}, Doc: "Elements of an array, numbered from 1.", Rows: expandArray},
	{Schema: informationSchema, Name: "_pg_truetypid", Args: sig{types.OIDRecord, types.OIDRecord}, Result: oid, Doc: "Type of a column, from its rows of pg_attribute and pg_type.", Fn2: fieldOf("atttypid")},
	{Schema: informationSchema, Name: "_pg_truetypmod", Args: sig{types.OIDRecord, types.OIDRecord}, Result: int4, Doc: "Modifier of the type of a column, from its rows of pg_attribute and pg_type.", Fn2: fieldOf("atttypmod")},
	{Schema: informationSchema, Name: "_pg_char_max_length", Args: sig{oid, int4}, Result: int4, Params: []string{"typid", "typmod"}, Doc: "Length that a character type allows.", Fn2: charMaxLength},
	{Schema: informationSchema, Name: "_pg_char_octet_length", Args: sig{oid, int4}, Result: int4, Params: []string{"typid", "typmod"}, Doc: "Bytes that a character type allows.", Fn2: charOctetLength},
	{Schema: informationSchema, Name: "_pg_numeric_precision", Args: sig{oid, int4}, Result: int4, Params: []string{"typid", "typmod"}, Doc: "Digits, or bits, of a type of numbers.", Fn2: numericPrecision},
	{Schema: informationSchema, Name: "_pg_numeric_precision_radix", Args: sig{oid, int4}, Result: int4, Params: []string{"typid", "typmod"}, Doc: "Base of the digits of a type of numbers.", Fn2: numericRadix},
	{Schema: informationSchema, Name: "_pg_numeric_scale", Args: sig{oid, int4}, Result: int4, Params: []string{"typid", "typmod"}, Doc: "Digits after the point of a type of numbers.", Fn2: numericScale},
	{Schema: informationSchema, Name: "_pg_datetime_precision", Args: sig{oid, int4}, Result: int4, Params: []string{"typid", "typmod"}, Doc: "Digits of the seconds of a type of times.", Fn2: datetimePrecision},
	{Schema: informationSchema, Name: "_pg_interval_type", Args: sig{oid, int4}, Result: text, Params: []string{"typid", "mod"}, Doc: "Fields of a type of intervals.", Fn2: intervalType},
}

func expandArray(_ *Context, args []types.Value) Set {
	return func(yield func(types.Row, error) bool) {
		a := args[0].Array()
		for i := range outerLength(a) {
			row := types.Row{types.Null, types.NewInt(int64(i + 1))}
			if len(a.Dims) == 1 { // one subscript of several finds nothing
				row[0] = a.Items[i]
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func outerLength(a *types.ArrayValue) int {
	if len(a.Dims) == 0 {
		return 0
	}
	return a.Dims[0].Length
}

// fieldOf gives a field of a row of pg_attribute.
func fieldOf(name string) function2 {
	return func(_ *Context, attribute, _ types.Value) (types.Value, error) {
		r := attribute.Record()
		if i := slices.Index(r.Names, name); i >= 0 {
			return r.Values[i], nil
		}
		return types.Null, sqlerr.New(sqlerr.UndefinedColumn, "could not identify column \"%s\" in record data type", name)
	}
}

const (
	varchar   = types.OIDVarchar
	bitType   = 1560
	varbit    = 1562
	modHeader = 4 // that modifiers of lengths count, too
)

func digitCount(n int64) (types.Value, error) { return types.NewInt(n), nil }

func charMaxLength(_ *Context, a, mod types.Value) (types.Value, error) {
	switch of, m := types.OID(a.Int()), mod.Int(); {
	case m == -1:
	case of == bpchar || of == varchar:
		return digitCount(m - modHeader)
	case of == bitType || of == varbit:
		return digitCount(m)
	}
	return types.Null, nil
}

func charOctetLength(_ *Context, a, mod types.Value) (types.Value, error) {
	const bytesOfUTF8, most = 4, 1 << 30
	switch of, m := types.OID(a.Int()), mod.Int(); {
	case of != text && of != bpchar && of != varchar:
		return types.Null, nil
	case m == -1:
		return digitCount(most)
	case of == text:
		return types.Null, nil
	default:
		return digitCount((m - modHeader) * bytesOfUTF8)
	}
}

func numericPrecision(_ *Context, a, mod types.Value) (types.Value, error) {
	switch types.OID(a.Int()) {
	case int2:
		return digitCount(16)
	case int4:
		return digitCount(32)
	case int8:
		return digitCount(64)
	case float4:
		return digitCount(24)
	case float8:
		return digitCount(53)
	case numeric:
		if m := mod.Int(); m != -1 {
			return digitCount((m - modHeader) >> 16 & 0xffff)
		}
	}
	return types.Null, nil
}

func numericRadix(_ *Context, a, _ types.Value) (types.Value, error) {
	switch types.OID(a.Int()) {
	case int2, int4, int8, float4, float8:
		return digitCount(2)
	case numeric:
		return digitCount(10)
	}
	return types.Null, nil
}

func numericScale(_ *Context, a, mod types.Value) (types.Value, error) {
	switch types.OID(a.Int()) {
	case int2, int4, int8:
		return digitCount(0)
	case numeric:
		if m := mod.Int(); m != -1 {
			return digitCount((m - modHeader) & 0xffff)
		}
	}
	return types.Null, nil
}

func datetimePrecision(_ *Context, a, mod types.Value) (types.Value, error) {
	const most = 6
	switch of, m := types.OID(a.Int()), mod.Int(); of {
	case date:
		return digitCount(0)
	case clock, clocktz, timestamp, timestamptz:
		if m < 0 {
			m = most
		}
		return digitCount(m)
	case interval:
		if m < 0 || m&0xffff == 0xffff {
			return digitCount(most)
		}
		return digitCount(m & 0xffff)
	}
	return types.Null, nil
}

// intervalType is what stands behind interval and the digits of its seconds.
func intervalType(_ *Context, a, mod types.Value) (types.Value, error) {
	if types.OID(a.Int()) != interval {
		return types.Null, nil
	}
	words := types.T{OID: interval, Mod: int32(mod.Int())}.String()
	rest := strings.TrimLeft(strings.TrimPrefix(words, "interval"), "()0123456789")
	fields, found := strings.CutPrefix(rest, " ")
	if !found {
		return types.Null, nil
	}
	return types.NewText(strings.ToUpper(fields)), nil
}
