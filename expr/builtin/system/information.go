package system

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// informationFunctions are those of information_schema, which its views and some clients
// call.
var informationFunctions = []*expr.Function{
	{Schema: pg.InformationSchema, Name: "_pg_expandarray", Args: pg.Sig{pg.AnyArray}, Result: types.OIDRecord, Out: []expr.OutColumn{{Name: "x", Type: types.OIDAnyElement}, {Name: "n", Type: pg.Int4}}, Doc: "Elements of an array, numbered from 1.", Rows: expandArray},
	{Schema: pg.InformationSchema, Name: "_pg_truetypid", Args: pg.Sig{types.OIDRecord, types.OIDRecord}, Result: pg.OID, Doc: "Type of a column, from its rows of pg_attribute and pg_type.", Fn2: fieldOf("atttypid")},
	{Schema: pg.InformationSchema, Name: "_pg_truetypmod", Args: pg.Sig{types.OIDRecord, types.OIDRecord}, Result: pg.Int4, Doc: "Modifier of the type of a column, from its rows of pg_attribute and pg_type.", Fn2: fieldOf("atttypmod")},
	{Schema: pg.InformationSchema, Name: "_pg_char_max_length", Args: pg.Sig{pg.OID, pg.Int4}, Result: pg.Int4, Params: []string{"typid", "typmod"}, Doc: "Length that a character type allows.", Fn2: charMaxLength},
	{Schema: pg.InformationSchema, Name: "_pg_char_octet_length", Args: pg.Sig{pg.OID, pg.Int4}, Result: pg.Int4, Params: []string{"typid", "typmod"}, Doc: "Bytes that a character type allows.", Fn2: charOctetLength},
	{Schema: pg.InformationSchema, Name: "_pg_numeric_precision", Args: pg.Sig{pg.OID, pg.Int4}, Result: pg.Int4, Params: []string{"typid", "typmod"}, Doc: "Digits, or bits, of a type of numbers.", Fn2: numericPrecision},
	{Schema: pg.InformationSchema, Name: "_pg_numeric_precision_radix", Args: pg.Sig{pg.OID, pg.Int4}, Result: pg.Int4, Params: []string{"typid", "typmod"}, Doc: "Base of the digits of a type of numbers.", Fn2: numericRadix},
	{Schema: pg.InformationSchema, Name: "_pg_numeric_scale", Args: pg.Sig{pg.OID, pg.Int4}, Result: pg.Int4, Params: []string{"typid", "typmod"}, Doc: "Digits after the point of a type of numbers.", Fn2: numericScale},
	{Schema: pg.InformationSchema, Name: "_pg_datetime_precision", Args: pg.Sig{pg.OID, pg.Int4}, Result: pg.Int4, Params: []string{"typid", "typmod"}, Doc: "Digits of the seconds of a type of times.", Fn2: datetimePrecision},
	{Schema: pg.InformationSchema, Name: "_pg_interval_type", Args: pg.Sig{pg.OID, pg.Int4}, Result: pg.Text, Params: []string{"typid", "mod"}, Doc: "Fields of a type of intervals.", Fn2: intervalType},
}

func expandArray(_ *expr.Context, args []types.Value) expr.Set {
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
func fieldOf(name string) expr.Function2 {
	return func(_ *expr.Context, attribute, _ types.Value) (types.Value, error) {
		r := attribute.Record()
		if i := slices.Index(r.Names, name); i >= 0 {
			return r.Values[i], nil
		}
		return types.Null, sqlerr.New(sqlerr.UndefinedColumn, "could not identify column \"%s\" in record data type",
			name)
	}
}

const (
	varchar   = types.OIDVarchar
	bitType   = 1560
	varbit    = 1562
	modHeader = 4 // that modifiers of lengths count, too
)

func digitCount(n int64) (types.Value, error) { return types.NewInt(n), nil }

func charMaxLength(_ *expr.Context, a, mod types.Value) (types.Value, error) {
	switch of, m := types.OID(a.Int()), mod.Int(); {
	case m == -1:
	case of == pg.Bpchar || of == varchar:
		return digitCount(m - modHeader)
	case of == bitType || of == varbit:
		return digitCount(m)
	}
	return types.Null, nil
}

func charOctetLength(_ *expr.Context, a, mod types.Value) (types.Value, error) {
	const bytesOfUTF8, most = 4, 1 << 30
	switch of, m := types.OID(a.Int()), mod.Int(); {
	case of != pg.Text && of != pg.Bpchar && of != varchar:
		return types.Null, nil
	case m == -1:
		return digitCount(most)
	case of == pg.Text:
		return types.Null, nil
	default:
		return digitCount((m - modHeader) * bytesOfUTF8)
	}
}

func numericPrecision(_ *expr.Context, a, mod types.Value) (types.Value, error) {
	switch types.OID(a.Int()) {
	case pg.Int2:
		return digitCount(16)
	case pg.Int4:
		return digitCount(32)
	case pg.Int8:
		return digitCount(64)
	case pg.Float4:
		return digitCount(24)
	case pg.Float8:
		return digitCount(53)
	case pg.Numeric:
		if m := mod.Int(); m != -1 {
			return digitCount((m - modHeader) >> 16 & 0xffff)
		}
	}
	return types.Null, nil
}

func numericRadix(_ *expr.Context, a, _ types.Value) (types.Value, error) {
	switch types.OID(a.Int()) {
	case pg.Int2, pg.Int4, pg.Int8, pg.Float4, pg.Float8:
		return digitCount(2)
	case pg.Numeric:
		return digitCount(10)
	}
	return types.Null, nil
}

func numericScale(_ *expr.Context, a, mod types.Value) (types.Value, error) {
	switch types.OID(a.Int()) {
	case pg.Int2, pg.Int4, pg.Int8:
		return digitCount(0)
	case pg.Numeric:
		if m := mod.Int(); m != -1 {
			return digitCount((m - modHeader) & 0xffff)
		}
	}
	return types.Null, nil
}

func datetimePrecision(_ *expr.Context, a, mod types.Value) (types.Value, error) {
	const most = 6
	switch of, m := types.OID(a.Int()), mod.Int(); of {
	case pg.Date:
		return digitCount(0)
	case pg.Clock, pg.Clocktz, pg.Timestamp, pg.Timestamptz:
		if m < 0 {
			m = most
		}
		return digitCount(m)
	case pg.Interval:
		if m < 0 || m&0xffff == 0xffff {
			return digitCount(most)
		}
		return digitCount(m & 0xffff)
	}
	return types.Null, nil
}

// intervalType is what stands behind interval and the digits of its seconds.
func intervalType(_ *expr.Context, a, mod types.Value) (types.Value, error) {
	if types.OID(a.Int()) != pg.Interval {
		return types.Null, nil
	}
	words := types.T{OID: pg.Interval, Mod: int32(mod.Int())}.String()
	rest := strings.TrimLeft(strings.TrimPrefix(words, "interval"), "()0123456789")
	fields, found := strings.CutPrefix(rest, " ")
	if !found {
		return types.Null, nil
	}
	return types.NewText(strings.ToUpper(fields)), nil
}
