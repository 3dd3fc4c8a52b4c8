package e2e

import (
	"slices"
	"strings"

	"zproxy/types"
)

// valueType is a type of the generated programs with some of its values.
type valueType struct {
	sql    string // the name without a modifier
	oid    types.OID
	values []string // few, so that they meet; no function that counts as total fails for them
	edges  []string // for statements that may fail
	// same says that equal values look the same, whatever made them. Which of several equal
	// values stands for a group depends on the order of rows.
	same bool
	// unordered types have no comparisons.
	unordered bool
}

// literal is one of the values in SQL.
func (t *valueType) literal(i int) string { return t.quoted(t.values[i%len(t.values)]) }

func (t *valueType) quoted(value string) string {
	return "'" + strings.ReplaceAll(value, "'", "''") + "'::" + t.sql
}

var valueTypes = []*valueType{
	{sql: "bool", oid: types.OIDBool, same: true, values: []string{"t", "f"}, edges: []string{"yes", "maybe", ""}},
	{sql: "int2", oid: types.OIDInt2, same: true, values: []string{"1", "0", "-1", "2", "7"}, edges: []string{"-32768", "32767", "32768", "x"}},
	{sql: "int4", oid: types.OIDInt4, same: true, values: []string{"1", "0", "-1", "2", "3", "10", "255"}, edges: []string{"-2147483648", "2147483647", "2147483648", "", " 5 ", "1.5"}},
	{sql: "int8", oid: types.OIDInt8, same: true, values: []string{"1", "0", "-1", "2", "3", "4294967296"}, edges: []string{"-9223372036854775808", "9223372036854775807", "9223372036854775808"}},
	{sql: "float4", oid: types.OIDFloat4, values: []string{"1", "0", "-1.5", "0.1", "2", "NaN"}, edges: []string{"Infinity", "-Infinity", "1e38", "1e-40", "3.4e39"}},
	{sql: "float8", oid: types.OIDFloat8, values: []string{"1", "0", "-1.5", "0.1", "2.5", "NaN"}, edges: []string{"Infinity", "-Infinity", "1e308", "1e-310", "1e309"}},
	{sql: "numeric", oid: types.OIDNumeric, values: []string{"1", "0", "-1.5", "0.10", "2", "99.999", "NaN"}, edges: []string{"Infinity", "-Infinity", "1e200", "1e-200", "12345678901234567890.123456789", "1.5.1"}},
	{sql: "text", oid: types.OIDText, same: true, values: []string{"a", "", "ab", "abc", "B", "a%", "é_", "12", " x "}, edges: []string{`\`, "{1,2}", `{"a": 1}`, "2024-02-29", "1 day", "t", "(", "日本"}},
	{sql: "varchar", oid: types.OIDVarchar, same: true, values: []string{"a", "", "ab", "abc", "b", "éa"}, edges: []string{"abcdefgh", "a     "}},
	{sql: "bpchar", oid: types.OIDBpchar, values: []string{"a", "ab", "abc", "b"}, edges: []string{"", "a  ", "abcdefgh"}},
	{sql: "bytea", oid: types.OIDBytea, same: true, values: []string{`\x61`, `\x`, `\x00`, `\x61ff`, `\xff`}, edges: []string{`\x6`, `a\000b`, `\xzz`}},
	{sql: "date", oid: types.OIDDate, same: true, values: []string{"2024-02-29", "1969-12-31", "2000-01-01", "2024-03-01"}, edges: []string{"-infinity", "infinity", "5874897-12-31", "4713-01-01 BC", "2023-02-29", "epoch"}},
	{sql: "time", oid: types.OIDTime, same: true, values: []string{"12:30:00", "00:00:00", "23:59:59.999999", "04:05:06.7"}, edges: []string{"24:00:00", "25:00", "allballs"}},
	{sql: "timetz", oid: types.OIDTimetz, same: true, values: []string{"12:30:00+00", "00:00:00+02", "12:30:00-05:30"}, edges: []string{"24:00:00-15:59", "12:00 America/New_York"}},
	{sql: "timestamp", oid: types.OIDTimestamp, same: true, values: []string{"2024-02-29 12:30:00", "1999-12-31 23:59:59.999999", "2000-01-01 00:00:00", "2024-03-01 00:00:00"}, edges: []string{"-infinity", "infinity", "294276-12-31 23:59:59", "4713-01-01 00:00:00 BC", "2024-13-01"}},
	{sql: "timestamptz", oid: types.OIDTimestamptz, same: true, values: []string{"2024-02-29 23:00:00+00", "2000-01-01 00:00:00+00", "2024-03-01 00:00:00+02"}, edges: []string{"-infinity", "infinity", "294276-12-31 23:59:59+00", "2024-03-10 02:30:00 America/New_York"}},
	{sql: "interval", oid: types.OIDInterval, values: []string{"1 day", "0", "1 mon", "-02:30:00", "1 year 2 mons 3 days 04:05:06.7", "36:00:00"}, edges: []string{"178000000 years", "-1 mon +1 day", "P1Y2M", "1 fortnight"}},
	{sql: "uuid", oid: types.OIDUUID, same: true, values: []string{"00000000-0000-0000-0000-000000000001", "80000000-0000-4000-8000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"}, edges: []string{"{00000000-0000-0000-0000-000000000000}", "x"}},
	{sql: "json", oid: types.OIDJSON, unordered: true, values: []string{`{"a": 1, "b": [1, 2]}`, `[1, "x", null]`, `"s"`, `12`, `null`, `{}`}, edges: []string{`{"a": 1, "a": 2}`, `{`, ` [ ] `, "1e400"}},
	{sql: "jsonb", oid: types.OIDJSONB, values: []string{`{"a": 1, "b": [1, 2]}`, `[1, "x", null]`, `"s"`, `12`, `null`, `{}`, `{"a": {"b": "c"}}`}, edges: []string{`{"a": 1, "a": 2}`, `{`, `[[1.50, true]]`, `"\u0000"`}},
	{sql: "int4[]", oid: 1007, same: true, values: []string{"{1,2}", "{}", "{3,NULL,1}", "{10}"}, edges: []string{"{{1,2},{3,4}}", "[0:1]={1,2}", "{1,x}", "{1"}},
	{sql: "text[]", oid: 1009, same: true, values: []string{"{a,b}", "{}", "{NULL,abc}", `{"a b",""}`}, edges: []string{`{{a},{b}}`, `{"a`, "{null}"}},
	{sql: "numeric[]", oid: 1231, values: []string{"{1,2.50}", "{}", "{NaN}"}, edges: []string{"{1e100}"}},
	{sql: "date[]", oid: 1182, same: true, values: []string{"{2024-02-29}", "{}"}, edges: []string{"{infinity}"}},
}

// typeNamed is nil for types that programs do not use.
func typeNamed(sql string) *valueType {
	i := slices.IndexFunc(valueTypes, func(t *valueType) bool { return t.sql == sql })
	if i < 0 {
		return nil
	}
	return valueTypes[i]
}

func typeOf(oid types.OID) *valueType {
	i := slices.IndexFunc(valueTypes, func(t *valueType) bool { return t.oid == oid })
	if i < 0 {
		return nil
	}
	return valueTypes[i]
}

var (
	boolType = typeNamed("bool")
	intType  = typeNamed("int4")
	textType = typeNamed("text")
)

// elementType is the type of an array's elements, nil for other types.
func (t *valueType) elementType() *valueType {
	if element, ok := strings.CutSuffix(t.sql, "[]"); ok {
		return typeNamed(element)
	}
	return nil
}

// declared are the ways to declare a column of a type.
func (t *valueType) declared(d dice) string {
	switch t.sql {
	case "numeric":
		return pick(d, []string{"numeric", "numeric(8,2)", "numeric(10)", "numeric(6,3)"})
	case "varchar":
		return pick(d, []string{"varchar", "varchar(5)", "varchar(3)"})
	case "bpchar":
		return pick(d, []string{"char(3)", "char(5)", "char(10)"})
	case "time", "timetz", "timestamp", "timestamptz":
		return pick(d, []string{t.sql, t.sql, t.sql + "(3)"})
	}
	return t.sql
}

// categories are types that compare with each other.
var categories = [][]string{
	{"int2", "int4", "int8", "numeric", "float8"},
	{"float4", "float8"},
	{"text", "varchar"},
	{"date", "timestamp"},
	{"date", "timestamptz"},
	{"timestamp", "timestamptz"},
}

// comparand is a type to compare a value with.
func (t *valueType) comparand(d dice) *valueType {
	if d.chance(4) {
		for _, c := range categories {
			if slices.Contains(c, t.sql) {
				return typeNamed(pick(d, c))
			}
		}
	}
	return t
}

var (
	comparable = slices.DeleteFunc(slices.Clone(valueTypes), func(t *valueType) bool { return t.unordered })
	canonical  = slices.DeleteFunc(slices.Clone(comparable), func(t *valueType) bool { return !t.same })
)
